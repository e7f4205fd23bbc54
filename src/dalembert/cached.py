"""`cached_property` without a lock, as `functools` has it from Python 3.12 on.

Before that `functools.cached_property` has one lock for all objects of a class. Tracing has a lock too. So a thread that works out a
property within a trace and one that traces within a property would wait for each other for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property:
        """A value worked out once and kept in the object. Threads that ask together may each work it out; all get the first one.

        Asked through `super()`, by the property that overrides it, it is only worked out: what is kept is the value of the override.
        """

        def __init__(self, function: Any):
            self.func = function
            self.__doc__ = function.__doc__

        def __set_name__(self, owner: type, name: str) -> None:
            self.attrname = name

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = self.func(instance)
            seen = next(x for x in (vars(c).get(self.attrname) for c in type(instance).__mro__) if x is not None)
            return instance.__dict__.setdefault(self.attrname, value) if seen is self else value


__all__ = ["cached_property"]
