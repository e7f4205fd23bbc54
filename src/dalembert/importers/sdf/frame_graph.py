"""Frames of an SDF file: each has a pose in another, and belongs to a link."""

from __future__ import annotations

from dataclasses import dataclass, field

from dalembert.importers.poses import HERE, back, then
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.frames import Frame
from dalembert.parts.names import unknown

WORLD = "world"
MODEL = "__model__"


@dataclass(frozen=True)
class ModelScope:
    """A model within the file: the names in it begin with `prefix`, "arm::" say; those of the outermost model with nothing."""

    prefix: str
    version: tuple[int, int]

    @property
    def model(self) -> str:
        """The frame of the model itself."""
        return f"{self.prefix}{MODEL}"


@dataclass(frozen=True, eq=False)
class FrameEntry:
    """A frame as the file gives it; names in it are looked up when they are needed, as they may come later."""

    node: XmlNode
    scope: ModelScope
    """Where the names that it refers to are looked up."""
    at: Frame
    relative_to: str
    attached_to: str
    """The full name of the frame or model it belongs to; for a link, its own."""
    placement: str | None = None
    """The frame of a model that stands where `at` says, if it is not the model's own."""


@dataclass(eq=False)
class FrameGraph:
    entries: dict[str, FrameEntry] = field(default_factory=dict)

    def add(self, name: str, entry: FrameEntry) -> None:
        if name in self.entries:
            raise entry.node.error(f"the name is used in line {self.entries[name].node.line} already; give one another")
        self.entries[name] = entry

    def named(self, said: str, scope: ModelScope, node: XmlNode) -> str:
        """The full name of a frame that an element of a model refers to."""
        for name in (f"{scope.prefix}{said}", f"{scope.prefix}{said}::{MODEL}"):
            if name in self.entries:
                return name
        if said == WORLD:
            return WORLD
        known = [x.removeprefix(scope.prefix) for x in self.entries if x.startswith(scope.prefix)]
        raise node.error(unknown(said, "link or frame", known, "the name"))

    def pose(self, name: str) -> Frame:
        """The pose in the world where all joints stand at zero."""
        return self.relative(name, WORLD)

    def relative(self, name: str, to: str) -> Frame:
        """The pose of a frame in one that it stands on, at once or by others."""
        at, seen = HERE, [name]
        while name != to:
            if name not in self.entries:
                raise self.entries[seen[0]].node.error(f'it does not stand on "{to}", which its place is asked in')
            entry = self.entries[name]
            at = then(self._own(name, entry), at)
            name = self.named(entry.relative_to, entry.scope, entry.node)
            if name in seen:
                raise entry.node.error(f"its place hangs on itself: {' in '.join([*seen, name])}")
            seen.append(name)
        return at

    def _own(self, name: str, entry: FrameEntry) -> Frame:
        """A pose as it is given; that of a model with a placement frame is given for that frame."""
        if entry.placement is None:
            return entry.at
        inside = ModelScope(name.removesuffix(MODEL), entry.scope.version)
        return then(entry.at, back(self.relative(self.named(entry.placement, inside, entry.node), name)))

    def link(self, name: str) -> str:
        """The link that a frame belongs to; "world" for what stands in it."""
        seen = [name]
        while name in self.entries and self.entries[name].attached_to != name:
            entry = self.entries[name]
            name = self.named(entry.attached_to, ModelScope("", entry.scope.version), entry.node)
            if name in seen:
                raise entry.node.error(f"it is attached to itself: {' to '.join([*seen, name])}")
            seen.append(name)
        return name
