"""<replicate>: copies of what it holds, each moved along the axes of the one before, and turned by angles that count up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dalembert.importers import xml
from dalembert.importers.mjcf.orientations import Compiler
from dalembert.importers.poses import euler_parameters
from dalembert.importers.xml_node import XmlNode
from dalembert.vectors import ZERO, Vector


def write_out(node: XmlNode, compiler: Compiler) -> None:
    """Make the element a <frame> that holds a <frame> for each copy. Names get the number of the copy, with zeros before it."""
    for inner in _inside(node):
        write_out(inner, compiler)
    count = int(node.number("count"))
    if not 1 <= count * node.count <= xml.MOST:
        raise node.error(f"count={count} must be one at least, and its copies have no more than {xml.MOST} elements")
    separator, width = node.get("sep") or "", len(str(count - 1))
    offset, angles = node.vector("offset", ZERO), node.vector("euler", ZERO)
    position, copies = ZERO, []
    for k in range(count):
        R = compiler.turned(k * angles)
        place = {"pos": _words(position), "quat": _words(euler_parameters(R))}
        held = [_copied(child, f"{separator}{k:0{width}d}") for child in node.children]
        copies.append(XmlNode("frame", place, node.file, node.line, held))
        position = position + R @ offset
    node.tag, node.children[:] = "frame", copies
    node.attributes.clear()


def _inside(node: XmlNode) -> Iterator[XmlNode]:
    """The nearest further ones in it."""
    for child in node.children:
        if child.tag == "replicate":
            yield child
        else:
            yield from _inside(child)


def _copied(node: XmlNode, suffix: str) -> XmlNode:
    named = {"name": f"{node.attributes['name']}{suffix}"} if node.attributes.get("name") else {}
    inner = [_copied(child, suffix) for child in node.children]
    return replace(node, attributes={**node.attributes, **named}, children=inner, read=set(), used=False)


def _words(values: Vector) -> str:
    return " ".join(repr(float(x)) for x in values)
