"""The whole document: included files put in their place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.importers import xml
from dalembert.importers.folder import Folder
from dalembert.importers.xml_node import XmlNode

MOST_INCLUDES = 100


def document(path: Path, folder: Folder) -> XmlNode:
    """The root element with every <include> replaced by what the file holds. Each file may be included once."""
    root = xml.read(path)
    if root.tag != "mujoco":
        raise root.error("an MJCF file begins with <mujoco>; is this another kind of file?")
    files = _Files(folder, path.parent.resolve(), {path.resolve()}, root.count)
    root.children[:] = files.expanded(root.children)
    return root


@dataclass(eq=False)
class _Files:
    """What may be included, seen from the main file, and what has been."""

    folder: Folder
    start: Path
    seen: set[Path]
    elements: int

    def expanded(self, children: list[XmlNode], depth: int = 1) -> list[XmlNode]:
        made: list[XmlNode] = []
        for child in children:
            if depth > xml.DEEPEST:
                raise child.error(f"elements are nested more than {xml.DEEPEST} deep")
            if child.tag == "include":
                # the root of an included file only holds together what is put in its place
                made += self.expanded(self._included(child).children, depth)
            else:
                child.children[:] = self.expanded(child.children, depth + 1)
                made.append(child)
        return made

    def _included(self, node: XmlNode) -> XmlNode:
        root = xml.read(node.checked(self._file, node.text_of("file")))
        self.elements += root.count
        if self.elements > xml.MOST:
            raise node.error(f"with the included files there are more than {xml.MOST} elements")
        return root

    def _file(self, name: str) -> Path:
        file = self.folder.inside(name, self.start)
        if file in self.seen:
            raise ModelError(f"{file.name} is included twice")
        if len(self.seen) > MOST_INCLUDES:
            raise ModelError(f"there are more than {MOST_INCLUDES} included files")
        self.seen.add(file)
        return file
