"""What an import gives: the system, and what could not be represented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dalembert.importers.xml_node import ALWAYS_READ, XmlNode
from dalembert.mechanism import Mechanism
from dalembert.system import System
from dalembert.words import short


@dataclass(frozen=True, eq=False)
class Imported:
    """A system, complete with the file's own start and the joints at which it closes its loops."""

    system: System
    notes: tuple[str, ...]
    """What the file says and the system does not, in sentences with file, line and element."""

    def build(self) -> Mechanism:
        """The mechanism, with the coordinates of the file."""
        return self.system.build()

    def __repr__(self) -> str:
        s = self.system
        return f"<Imported {s.name!r}: {len(s.bodies)} bodies, {len(s.joints)} joints; {len(self.notes)} notes>"


@dataclass(eq=False)
class Notes:
    """The list under way."""

    sentences: list[str] = field(default_factory=list)

    def add(self, node: XmlNode, what: str) -> None:
        self.sentences.append(f"{node.where}: {what}")

    def of_unread(self, root: XmlNode, reasons: Mapping[str, str]) -> None:
        """Everything below the root that nobody read, the same kind of thing in one sentence.

        `reasons` has, for "tag", "tag.attribute" or ".attribute", why it is not represented.
        """
        groups: dict[tuple[str, str | None], list[XmlNode]] = {}
        for node, attribute in _unread(root):
            groups.setdefault((node.tag, attribute), []).append(node)
        for (tag, attribute), nodes in groups.items():
            keys = (tag,) if attribute is None else (f"{tag}.{attribute}", f".{attribute}")
            reason = next((reasons[key] for key in keys if key in reasons), "it is not represented")
            what = reason if attribute is None else f"{attribute}={short(nodes[0].attributes[attribute])}: {reason}"
            more = "" if len(nodes) == 1 else f" (and {len(nodes) - 1} more like it)"
            self.add(nodes[0], what + more)


def _unread(node: XmlNode) -> Iterator[tuple[XmlNode, str | None]]:
    for attribute in node.attributes:
        if attribute not in node.read and attribute not in ALWAYS_READ and not attribute.startswith("xmlns"):
            yield node, attribute
    for child in node.children:
        if child.used:
            yield from _unread(child)
        else:
            yield child, None
