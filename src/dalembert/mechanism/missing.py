"""Why a mechanism has no such coordinate or speed: nobody defined it, or its joint closes a loop."""

from __future__ import annotations

from collections.abc import Iterable

from dalembert.errors import ModelError
from dalembert.mechanism.description import Description
from dalembert.parts.names import unknown


def missing(m: Description, name: object, kind: str, known: Iterable[str], where: str) -> ModelError:
    """The error for a name that stands for no values in q and u."""
    known = list(known)
    if str(name).partition(".")[0] not in [c.name for c in m.cuts]:
        return unknown(name, kind, known, where)
    return ModelError(
        f'{where}: joint "{name}" closes a loop, so its values follow from those of the others; there are {", ".join(known)}. '
        f'To have values of "{name}", cut the loop at another joint: build(cut=[…])'
    )
