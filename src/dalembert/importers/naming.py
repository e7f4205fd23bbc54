"""Names from a file made fit for a system, each used once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_FORBIDDEN = re.compile(r"[\s.\"'/\\]+")


@dataclass(eq=False)
class Names:
    """The names given so far to one kind of thing."""

    taken: set[str] = field(default_factory=set)

    def new(self, wanted: str) -> str:
        """The name itself, or the nearest that a system accepts and nobody has."""
        safe = plain(wanted) or "unnamed"
        name, k = safe, 2
        while name in self.taken:
            name, k = f"{safe}_{k}", k + 1
        self.taken.add(name)
        return name


def plain(wanted: str) -> str:
    """A name without what names here do not have."""
    return _FORBIDDEN.sub("_", wanted)


def identifier(wanted: str) -> str:
    """The name of a parameter."""
    return re.sub(r"\W", "_", wanted, flags=re.ASCII)
