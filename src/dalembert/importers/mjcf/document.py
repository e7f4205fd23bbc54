"""The whole document: included files put in their place, sections gathered."""

from __future__ import annotations

from pathlib import Path

from dalembert.errors import ModelError
from dalembert.importers import xml
from dalembert.importers.folder import Folder
from dalembert.importers.node import Node

MOST_INCLUDES = 100


def document(path: Path, folder: Folder) -> Node:
    """The root element with every <include> replaced by what the file holds. Each file may be included once."""
    root = xml.read(path)
    if root.tag != "mujoco":
        raise root.error("an MJCF file begins with <mujoco>; is this another kind of file?")
    _expand(root, folder, path.parent.resolve(), {path.resolve()}, 0)
    return root


def _expand(node: Node, folder: Folder, start: Path, seen: set[Path], depth: int) -> None:
    if depth > xml.DEEPEST:
        raise node.error(f"elements are nested more than {xml.DEEPEST} deep")
    children: list[Node] = []
    for child in node.children:
        if child.tag != "include":
            children.append(child)
            continue
        try:
            file = folder.inside(child.text_of("file"), start)
            if file in seen:
                raise ModelError(f"{file.name} is included twice")
            if len(seen) > MOST_INCLUDES:
                raise ModelError(f"there are more than {MOST_INCLUDES} included files")
        except ModelError as problem:
            raise child.error(problem) from problem
        seen.add(file)
        # the root of an included file only holds together what is put in its place
        included = xml.read(file)
        children += included.children
        if any(c.tag == "include" for c in included.children):
            holder = Node(node.tag, {}, child.file, child.line, list(included.children))
            _expand(holder, folder, start, seen, depth + 1)
            children[-len(included.children) :] = holder.children
    node.children[:] = children
    for child in children:
        _expand(child, folder, start, seen, depth + 1)


def sections(root: Node, tag: str) -> list[Node]:
    """The sections of one kind: MJCF allows each to be repeated."""
    return list(root.all(tag))
