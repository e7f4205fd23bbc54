"""XML as text, with numbers to the last digit."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import numpy as np


def words(values: Any) -> str:
    """Numbers with spaces between them, each exact."""
    return " ".join(repr(float(x) + 0.0) for x in np.ravel(np.asarray(values, dtype=float)))


def element(parent: ElementTree.Element | None, tag: str, text: Any = None, **attributes: Any) -> ElementTree.Element:
    """A new element: attributes that are None are left out; names may end in _ where Python has the word for itself."""
    said = {k.rstrip("_"): v if isinstance(v, str) else words(v) for k, v in attributes.items() if v is not None}
    made = ElementTree.Element(tag, said) if parent is None else ElementTree.SubElement(parent, tag, said)
    if text is not None:
        made.text = text if isinstance(text, str) else words(text)
    return made


def document(root: ElementTree.Element) -> bytes:
    ElementTree.indent(root)
    return b'<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="utf-8") + b"\n"
