"""Default classes: attributes that an element has unless it says otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from dalembert.importers.xml_node import XmlNode
from dalembert.parts.names import unknown

ACTUATORS = (
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "dcmotor",
    "cylinder",
    "muscle",
    "adhesion",
    "plugin",
)


@dataclass(frozen=True, eq=False)
class Defaults:
    """For each class its <default> elements, innermost first: a class inherits from the one around it."""

    classes: dict[str, tuple[XmlNode, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, sections: list[XmlNode]) -> Defaults:
        made: dict[str, tuple[XmlNode, ...]] = {"main": ()}
        for section in sections:
            name = section.get("class") or "main"
            made[name] = (section, *made.get(name, ()))
            for path, around in _inner(section, made[name]):
                made[path.text_of("class")] = around
        return cls(made)

    def applied(self, node: XmlNode, childclass: str | None = None, kept_as: str | None = None) -> XmlNode:
        """The element, looking into its class where it lacks an attribute. It is a view: what is read counts for the element.

        `kept_as` is the tag that its defaults have, where it is not its own.
        """
        found = [d for section in self._sections(node, childclass) for d in section.all(kept_as or node.tag)]
        return replace(node, defaults=tuple(found))

    def forget_unused(self) -> None:
        """Defaults that no element falls back on have no effect, so there is nothing to note of them."""
        for sections in self.classes.values():
            for child in (c for section in sections for c in section.children if not c.used):
                child.forget()

    def actuators(self, node: XmlNode) -> list[list[XmlNode]]:
        """For each class of an actuator, outermost first, its default elements of all actuator kinds: they describe the same thing."""
        return [list(section.all(*ACTUATORS)) for section in reversed(self._sections(node, None))]

    def _sections(self, node: XmlNode, childclass: str | None) -> tuple[XmlNode, ...]:
        chosen = node.get("class") or childclass or "main"
        if chosen not in self.classes:
            raise node.error(unknown(chosen, "default class", self.classes, "class="))
        return self.classes[chosen]


def _inner(section: XmlNode, around: tuple[XmlNode, ...]) -> Iterator[tuple[XmlNode, tuple[XmlNode, ...]]]:
    for child in section.all("default"):
        path = (child, *around)
        yield child, path
        yield from _inner(child, path)
