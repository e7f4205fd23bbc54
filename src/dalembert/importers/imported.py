"""What an import gives: the system, and what could not be represented."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from dalembert.importers.edits import Edits
from dalembert.importers.xml_node import ALWAYS_READ, XmlNode
from dalembert.mechanism import Mechanism
from dalembert.system import System
from dalembert.words import short

ACCELERATIONS, AT_LIMITS, MEASURED, DRAWING = "accelerations", "limits", "measured", "drawing"
"""What is not represented changes accelerations anywhere; or only where something touches, sticks or reaches an end; or what is
measured or called; or what is drawn or computed with."""
EFFECTS = {
    ACCELERATIONS: "changes the motion",
    AT_LIMITS: "changes the motion at limits and in contact",
    MEASURED: "changes what is measured or called",
    DRAWING: "changes drawing only",
}
"""Effects in their order, in words."""
SCREENFUL = 12
"""Notes that are listed where not all are asked for."""


class Note(str):
    """A sentence with what it changes: one of `EFFECTS`."""

    effect: str

    def __new__(cls, sentence: str, effect: str = ACCELERATIONS) -> Note:
        made = super().__new__(cls, sentence)
        made.effect = effect
        return made

    def __reduce__(self) -> tuple[type[Note], tuple[str, str]]:
        return Note, (str(self), self.effect)


@dataclass(frozen=True, eq=False)
class Imported:
    """A system, complete with the file's own start and the joints at which it closes its loops."""

    system: System
    notes: tuple[Note, ...]
    """What the file says and the system does not, or says otherwise, in sentences with file, line and element; what changes the motion
    first."""
    document: ReadDocument | None = field(default=None, repr=False)
    """What was read, where it can be written again."""

    def as_read(self) -> str | None:
        """The file's text, changed as the notes tell that the motion is changed: another program that reads it should find the same
        accelerations, else a difference is not what the notes say. None for formats without it."""
        return None if self.document is None else self.document.text()

    def lines(self, most: int = SCREENFUL) -> list[str]:
        """Notes, at most so many, each behind what it changes; and how many more there are."""
        listed = [f"{EFFECTS[note.effect]}: {note}" for note in self.notes[:most]]
        rest = Counter(note.effect for note in self.notes[most:])
        if rest:
            kinds = "; ".join(f"{words}: {rest[effect]}" for effect, words in EFFECTS.items() if rest[effect])
            listed.append(f"… and {sum(rest.values())} more: ({kinds})")
        return listed

    def build(self) -> Mechanism:
        """The mechanism, with the coordinates of the file."""
        return self.system.build()

    def __repr__(self) -> str:
        s = self.system
        return f"<Imported {s.name!r}: {len(s.bodies)} bodies, {len(s.joints)} joints; {len(self.notes)} notes>"


class ReadDocument(Protocol):
    """A robot's file as it was read."""

    def text(self) -> str: ...


@dataclass(eq=False)
class Notes:
    """The list under way."""

    edits: Edits = field(default_factory=Edits)
    """Changes of the file after which it says what was read, as far as the motion is concerned."""

    sentences: list[Note] = field(default_factory=list)
    alike: dict[str, list[int]] = field(default_factory=dict)
    """For notes of a kind, where the first stands, and how many more there are."""

    def add(self, node: XmlNode, what: str, effect: str = ACCELERATIONS, kind: str | None = None) -> None:
        """Only the first of a `kind` is listed, with the number of the others."""
        if kind in self.alike:
            self.alike[kind][1] += 1
            return
        if kind is not None:
            self.alike[kind] = [len(self.sentences), 0]
        self.sentences.append(Note(f"{node.where}: {what}", effect))

    def ranked(self) -> tuple[Note, ...]:
        """All of them, what changes the motion first."""
        order, made = list(EFFECTS), list(self.sentences)
        for at, more in self.alike.values():
            if more:
                made[at] = Note(f"{made[at]} (and {more} more like it)", made[at].effect)
        return tuple(sorted(made, key=lambda note: order.index(note.effect)))

    def of_unread(self, root: XmlNode, reasons: Mapping[str, Note]) -> None:
        """Everything below the root that nobody read, the same kind of thing in one sentence.

        `reasons` has, for "tag", "tag.attribute" or ".attribute", why it is not represented, and what that changes; for "tag/" the
        same of all in an element.
        """
        groups: dict[tuple[str, str | None, str], list[XmlNode]] = {}
        for node, attribute, around in _unread(root, "", {key for key in reasons if key.endswith("/")}):
            groups.setdefault((node.tag, attribute, around), []).append(node)
        for (tag, attribute, around), nodes in groups.items():
            keys = (tag, around) if attribute is None else (f"{tag}.{attribute}", f".{attribute}", around)
            reason = next((reasons[key] for key in keys if key in reasons), Note("it is not represented"))
            what = (
                str(reason) if attribute is None else f"{attribute}={short(nodes[0].attributes[attribute])}: {reason}"
            )
            more = "" if len(nodes) == 1 else f" (and {len(nodes) - 1} more like it)"
            self.add(nodes[0], what + more, reason.effect)
            for node in nodes if reason.effect == ACCELERATIONS else ():
                self.edits.leave_out(node, attribute)


def _unread(node: XmlNode, around: str, known: set[str]) -> Iterator[tuple[XmlNode, str | None, str]]:
    """Elements and attributes with the nearest element around them that is `known`, each as "tag/"."""
    around = f"{node.tag}/" if f"{node.tag}/" in known else around
    for attribute in node.attributes:
        if attribute not in node.read and attribute not in ALWAYS_READ and not attribute.startswith("xmlns"):
            yield node, attribute, around
    for child in node.children:
        if child.used:
            yield from _unread(child, around, known)
        else:
            yield child, None, around
