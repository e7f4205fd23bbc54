"""A robot's file changed so that it says what was read of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from dalembert.importers.xml_node import XmlNode

Attributes = dict[str, str | None]
"""Attributes with their new values; None takes one away."""


@dataclass(eq=False)
class Edits:
    """Views of one element share its attributes, so that these tell which it is."""

    attributes: dict[int, Attributes] = field(default_factory=dict)
    gone: set[int] = field(default_factory=set)

    def change(self, node: XmlNode, **attributes: str | None) -> None:
        self.attributes.setdefault(id(node.attributes), {}).update(attributes)

    def leave_out(self, node: XmlNode, attribute: str | None = None) -> None:
        """An element with all in it, or one of its attributes."""
        if attribute is None:
            self.gone.add(id(node.attributes))
        else:
            self.change(node, **{attribute: None})

    def written(self, node: XmlNode, without: Mapping[str, object] | frozenset[str] = frozenset()) -> str:
        """The text of an element; elements with tags in `without` are left out."""
        kept = {**node.attributes, **self.attributes.get(id(node.attributes), {})}
        head = " ".join([node.tag, *(f"{name}={quoteattr(x)}" for name, x in kept.items() if x is not None)])
        inner = [x for x in node.children if id(x.attributes) not in self.gone and x.tag not in without]
        return f"<{head}>{escape(node.text)}{''.join(self.written(x, without) for x in inner)}</{node.tag}>"


@dataclass(frozen=True, eq=False)
class EditedFile:
    """A file's element with the edits; `last` makes what is put at the end of it."""

    root: XmlNode
    edits: Edits
    without: frozenset[str] = frozenset()
    last: Callable[[], str] = str

    def text(self) -> str:
        made = self.edits.written(self.root, self.without)
        return made.removesuffix(f"</{self.root.tag}>") + self.last() + f"</{self.root.tag}>"
