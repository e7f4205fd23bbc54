"""An element of a robot file. It remembers what was read of it, so that the rest can be listed instead of being lost."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from dalembert.errors import DalembertError, ModelError
from dalembert.parts.joints.axis import Axis
from dalembert.parts.names import unknown
from dalembert.words import short

T = TypeVar("T")
LARGEST = 1e30
"""Beyond it, products of lengths and masses would leave the range of numbers."""

ALWAYS_READ = frozenset({"name", "class", "childclass"})
"""Attributes that only label."""
NO_LENGTH = 1e-12
"""Length that is none."""


@dataclass(eq=False)
class XmlNode:
    """A tag with its attributes, children and text. `defaults` are looked into, first to last, where an attribute is missing."""

    tag: str
    attributes: dict[str, str]
    file: str
    line: int
    children: list[XmlNode] = field(default_factory=list)
    text: str = ""
    defaults: Sequence[XmlNode] = ()
    read: set[str] = field(default_factory=set)
    used: bool = False

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f'<{self.tag} name="{name}">'

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}: {self}"

    @property
    def count(self) -> int:
        """Elements, this one and all in it."""
        return 1 + sum(child.count for child in self.children)

    def error(self, what: Any) -> ModelError:
        """The error for something wrong here."""
        return ModelError(f"{self.where}: {what}")

    # -- children -----------------------------------------------------------------------------------------------------
    def all(self, *tags: str) -> Iterator[XmlNode]:
        """The children with one of these tags; from now on they count as read."""
        for child in self.children:
            if child.tag in tags:
                child.used = True
                yield child

    def one(self, tag: str) -> XmlNode | None:
        """The only child with this tag."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise found[1].error(f"there must be only one <{tag}> in {self}")
        return found[0] if found else None

    def need(self, tag: str) -> XmlNode:
        found = self.one(tag)
        if found is None:
            raise self.error(f"it needs a <{tag}>")
        return found

    def forget(self) -> None:
        """Count this element and all in it as read."""
        self.used = True
        self.read.update(self.attributes)
        for child in self.children:
            child.forget()

    # -- attributes ---------------------------------------------------------------------------------------------------
    def get(self, name: str) -> str | None:
        """An attribute as text, from here or else from the defaults; where both have it, both count as read."""
        having = [node for node in (self, *self.defaults) if name in node.attributes]
        for node in having:
            node.read.add(name)
        return having[0].attributes[name] if having else None

    def has(self, name: str) -> bool:
        return any(name in node.attributes for node in (self, *self.defaults))

    def text_of(self, name: str) -> str:
        """An attribute that must be there."""
        found = self.get(name)
        if not found:
            raise self.error(f'it needs the attribute {name}="…"')
        return found

    def choice(self, name: str, among: Sequence[str], default: str | None = None) -> str:
        """An attribute that is one of several words."""
        found = self.get(name)
        if found is None and default is not None:
            return default
        if found is None or found not in among:
            near = difflib.get_close_matches(str(found), among, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"choose one of {', '.join(among)}"
            raise self.error(f"{name}={found!r} is not known; {hint}" if found else f'it needs {name}="…"; {hint}')
        return found

    def refers(self, name: str, among: Mapping[str, T], kind: str) -> T:
        """What an attribute names."""
        said = self.text_of(name)
        if said not in among:
            raise self.error(unknown(said, kind, among, f"{name}="))
        return among[said]

    def flag(self, name: str, default: bool = False) -> bool:
        return self.choice(name, ("true", "false"), str(default).lower()) == "true"

    def number(self, name: str, default: float | None = None) -> float:
        if default is not None and not self.has(name):
            return default
        return float(self.numbers(name, 1)[0])

    def vector(self, name: str, default: Any = None, size: int = 3) -> np.ndarray:
        if default is not None and not self.has(name):
            return np.array(default, dtype=float)
        return self.numbers(name, size)

    def numbers(self, name: str, least: int, most: int | None = None) -> np.ndarray:
        """An attribute of `least` to `most` finite numbers."""
        return self.listed(self.text_of(name), least, least if most is None else most, f"{name}=")

    def overlaid(self, name: str, before: Sequence[float] | np.ndarray, most: int | None = None) -> np.ndarray:
        """`before`, its first numbers replaced by those of the outermost default that has some, and so on in to the element itself."""
        made = np.array(before, dtype=float)
        for node in reversed((self, *self.defaults)):
            if name in node.attributes:
                given = replace(node, defaults=()).numbers(name, 1, most or len(made))[: len(made)]
                made[: len(given)] = given
        return made

    def listed(self, text: str, least: int, most: int, what: str) -> np.ndarray:
        """Finite numbers with spaces between them."""
        words = text.split()
        try:
            values = [float(x) for x in words[: most + 1]]
            plain = text.isascii() and "_" not in text
        except ValueError:
            plain = False
        if not plain:
            raise self.error(f"{what}{short(text)} must be numbers")
        if not least <= len(words) <= most:
            size = str(least) if least == most else f"{least} to {most}"
            raise self.error(f"{what}{short(text)} must be {size} numbers")
        if not all(map(math.isfinite, values)):
            raise self.error(f"{what}{short(text)} must be finite numbers")
        if any(abs(x) > LARGEST for x in values):
            raise self.error(f"{what}{short(text)} is too large to be computed with")
        return np.array(values)

    def unit(self, given: np.ndarray) -> Axis:
        """The direction of a vector."""
        length = float(np.linalg.norm(given))
        if length < NO_LENGTH:
            raise self.error("the axis has no direction; give a unit vector such as 0 0 1")
        x, y, z = (float(v) for v in given / length)
        return (x, y, z)

    def checked(self, make: Any, *arguments: Any, **options: Any) -> Any:
        """make(…), with this place put before what it complains of."""
        try:
            return make(*arguments, **options)
        except DalembertError as problem:
            raise self.error(problem) from problem
