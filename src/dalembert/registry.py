"""Things by name that are imported when they are first asked for: naming many costs nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Registry(MutableMapping[str, T], Generic[T]):
    """Name → "module", or "module:attribute"; a class stands for an instance of it. Others can be added as they are."""

    def __init__(self, places: Mapping[str, str]):
        self._places = dict(places)
        self._found: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._found:
            module, _, attribute = self._places[name].partition(":")
            found: Any = import_module(module)
            if attribute:
                found = getattr(found, attribute)
            self._found[name] = found() if isinstance(found, type) else found
        return self._found[name]

    def place(self, name: str) -> str:
        """Where a thing is found, "module" or "module:attribute"; nothing for one that was added as it is."""
        return self._places[name]

    def __setitem__(self, name: str, thing: T) -> None:
        self._places[name], self._found[name] = "", thing

    def __delitem__(self, name: str) -> None:
        del self._places[name]
        self._found.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)
