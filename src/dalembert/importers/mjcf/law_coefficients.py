"""Coefficients of linear laws, which newer MJCF files may continue to higher powers."""

from __future__ import annotations

from dalembert.importers.imported import Notes
from dalembert.importers.xml_node import XmlNode


def first_of(node: XmlNode, name: str, notes: Notes) -> float:
    """The linear coefficient; higher ones are noted."""
    if not node.has(name):
        return 0.0
    values = node.numbers(name, 1, 5)
    if values[1:].any():
        notes.add(node, f"only the linear part of {name}= is represented")
    return float(values[0])
