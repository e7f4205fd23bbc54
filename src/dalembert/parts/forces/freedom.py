"""Which freedom of a joint a user means."""

from __future__ import annotations

from typing import Any

from dalembert.errors import ModelError


def rate_of(joint: Any, coordinate: str | None) -> str | None:
    """The speed that is the rate of a coordinate by itself, vx of x where a body floats; None where there is none."""
    return f"v{coordinate}" if coordinate in joint.coordinates and f"v{coordinate}" in joint.speeds else None


def chosen(joint: Any, name: str, coordinate: str | None, who: str) -> int:
    """The index of the speed named `coordinate`; a joint with one freedom needs no name."""
    if coordinate is None:
        if joint.n_u == 1:
            return 0
        what = "no freedom" if joint.n_u == 0 else f"{joint.n_u} freedoms ({', '.join(joint.speeds)})"
        raise ModelError(f'{who}: joint "{name}" has {what}; name one with coordinate=')
    if coordinate not in joint.speeds and rate_of(joint, coordinate) is not None:
        coordinate = rate_of(joint, coordinate)
    if coordinate not in joint.speeds:
        choice = ", ".join(repr(x) for x in joint.speeds) or "none"
        raise ModelError(f'{who}: joint "{name}" has no freedom {coordinate!r}; it has {choice}')
    return int(joint.speeds.index(coordinate))
