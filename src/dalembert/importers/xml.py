"""XML as robot files use it: elements with their lines. Document types and entities are refused; size and depth are bounded."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.parsers import expat

from dalembert.errors import ModelError
from dalembert.importers.xml_node import XmlNode
from dalembert.limited_read import MB, Unreadable, read_whole

LARGEST = 32 * MB
"""Bytes of one file."""
DEEPEST = 120
"""Elements inside each other: also the depth to which a body tree may go."""
MOST = 100_000
"""Elements of one file."""


def read(path: Path) -> XmlNode:
    """The root element of a file."""
    try:
        data = read_whole(path, LARGEST)
    except Unreadable as problem:
        raise ModelError(f"{path}: {problem}") from problem
    return parse(data, path.name)


def parse(data: bytes, file: str) -> XmlNode:
    """The root element of a text; `file` is named in errors."""
    return _XmlParser(file).run(data)


class _XmlParser:
    def __init__(self, file: str):
        self.file = file
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self.parser.ExternalEntityRefHandler = self._refuse
        self.open: list[XmlNode] = []
        self.root: XmlNode | None = None
        self.count = 0

    def run(self, data: bytes) -> XmlNode:
        try:
            self.parser.Parse(_declared_first(data), True)
        except expat.ExpatError as problem:
            what = expat.errors.messages.get(problem.code, "not well formed")
            raise ModelError(
                f"{self.file}:{problem.lineno}: the file is not valid XML: {what} (column {problem.offset + 1})"
            ) from problem
        except (LookupError, ValueError) as problem:
            raise ModelError(f"{self.file}: the file is not valid XML: {problem}; save it as UTF-8") from problem
        if self.root is None:
            raise ModelError(f"{self.file}: the file has no element")
        return self.root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self.parser.CurrentLineNumber
        self.count += 1
        if len(self.open) >= DEEPEST:
            raise ModelError(f"{self.file}:{line}: elements are nested more than {DEEPEST} deep")
        if self.count > MOST:
            raise ModelError(f"{self.file}:{line}: the file has more than {MOST} elements")
        made = XmlNode(tag, attributes, self.file, line)
        if self.open:
            self.open[-1].children.append(made)
        else:
            self.root = made
        self.open.append(made)

    def _end(self, tag: str) -> None:
        self.open.pop()

    def _text(self, text: str) -> None:
        self.open[-1].text += text

    def _refuse(self, *_: Any) -> int:
        raise ModelError(
            f"{self.file}:{self.parser.CurrentLineNumber}: document types and entities are not read; remove the <!DOCTYPE …>"
        )


def _declared_first(data: bytes) -> bytes:
    """What stands before the XML declaration taken away where it is only space; its lines come after, so that their count is kept."""
    start = data.lstrip()
    if start is data or not start.startswith(b"<?xml"):
        return data
    end = start.find(b"?>") + 2
    return start[:end] + data[: len(data) - len(start)] + start[end:]
