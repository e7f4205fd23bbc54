"""Pickling and copying of what is read-only and computes on demand."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np

from dalembert.cached import cached_property


class Portable:
    """Can be pickled and copied. What was computed on demand stays behind; what could not be written to cannot be written to again."""

    def __getstate__(self) -> tuple[dict[str, Any], list[str]]:
        everything = vars(self).copy()  # at once: another thread may be computing something
        given = {
            name: x
            for name, x in everything.items()
            if not isinstance(getattr(type(self), name, None), cached_property)
        }
        fields = {name: dict(x) if isinstance(x, MappingProxyType) else x for name, x in given.items()}
        return fields, [name for name, x in given.items() if _read_only(x)]

    def __setstate__(self, state: tuple[dict[str, Any], list[str]]) -> None:
        fields, read_only = state
        for name in read_only:
            if isinstance(fields[name], np.ndarray):
                fields[name].flags.writeable = False
            else:
                fields[name] = MappingProxyType(fields[name])
        vars(self).update(fields)


def _read_only(x: Any) -> bool:
    return isinstance(x, MappingProxyType) or (isinstance(x, np.ndarray) and not x.flags.writeable)
