"""Machine code found for one model, so that what is asked for again is not written again only to find it.

Models that differ in the values of parameters alone share one `CodeLibraries`: values are inputs of the code, never part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from weakref import WeakValueDictionary

from dalembert.trace.native import cache
from dalembert.trace.native.library import Library
from dalembert.trace.native.module import Module


class CodeLibraries:
    """Libraries by what was asked for: a kernel and what it depends on besides the model.

    They live as long as somebody uses them, or the cache of the process keeps them.
    """

    def __init__(self) -> None:
        self._found: WeakValueDictionary[Hashable, Library] = WeakValueDictionary()

    def library(self, what: Hashable, module: Callable[[], Module]) -> Library:
        """The library of `what`: found, or by the module's own address."""
        found = self._found.get(what)
        if found is None:
            found = self._found[what] = cache.cached(module())
        elif cache.VERIFY:
            cache.check_same(module(), found)
        return found
