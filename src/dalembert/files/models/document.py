"""YAML and JSON text as entries with places. Limits on size, depth and repetition come first: no file can exhaust the reader.

Plain scalars are read as YAML 1.2 has it: numbers (1e-3 is one), true, false, null; everything else is text. Tags are refused.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from dalembert.errors import ModelFileError
from dalembert.files.models.place import Entry
from dalembert.limited_read import MB, Unreadable, read_whole

LARGEST = 8 * MB
"""Bytes of a file."""
DEEPEST = 24
"""Mappings and lists within each other."""
MOST = 400_000
"""Values, aliases counted each time they are met."""

_NUMBER = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, float | bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None, "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False, ".nan": float("nan"), ".inf": float("inf"), "-.inf": -float("inf"),
}  # fmt: skip


def read_document(path: str | Path) -> Entry:
    """The file's content; JSON if its name says so, else YAML."""
    file = Path(path)
    try:
        text = read_whole(file, LARGEST).decode("utf-8-sig")
    except Unreadable as problem:
        raise ModelFileError(str(problem), str(path)) from problem
    except UnicodeDecodeError as problem:
        raise ModelFileError(
            f"it is not a text in UTF-8 ({problem.reason} at byte {problem.start})", str(path)
        ) from problem
    return parse_document(text, str(path), file.suffix.lower() == ".json")


def parse_document(text: str, file: str, is_json: bool = False) -> Entry:
    """A text's content. JSON is checked as JSON, then read with places like YAML, of which it is a part."""
    if is_json:
        _check_json(text, file)
        text = text.replace("\t", " ")
    return _Composer(file).compose(text)


def _check_json(text: str, file: str) -> None:
    try:
        json.loads(text, parse_int=float)
    except json.JSONDecodeError as problem:
        raise ModelFileError(f"it is not JSON: {problem.msg}", file, problem.lineno, problem.colno) from problem
    except (RecursionError, ValueError) as problem:
        raise ModelFileError(
            "it is not JSON that can be read: nested too deeply, or a number too long", file
        ) from problem


class _Composer:
    """Parsing events to entries, from the inside out."""

    def __init__(self, file: str):
        self.file = file
        self.anchors: dict[str, Entry | None] = {}
        self.made = 0

    def compose(self, text: str) -> Entry:
        import yaml

        loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
        try:
            self.events = yaml.parse(text, Loader=loader)
            return self._document()
        except yaml.MarkedYAMLError as problem:
            mark = problem.problem_mark or problem.context_mark
            place = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            said = ": ".join(x for x in (problem.context, problem.problem) if x)
            if mark and any("\t" in line[: mark.column + 1] for line in text.split("\n")[mark.line : mark.line + 1]):
                said = "this line is indented with a tab; YAML wants spaces"
            raise ModelFileError(f"it is not YAML: {said}", self.file, *place) from problem
        except (yaml.YAMLError, ValueError, UnicodeError) as problem:
            said = " ".join(str(problem).split())
            raise ModelFileError(f"it is not YAML: {said}", self.file) from problem

    def _document(self) -> Entry:
        import yaml

        found = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if found is not None:
                    raise self._error(event, "a second document begins here; a model file holds one")
                found = self._node(next(self.events), "", 1)
        if found is None:
            raise ModelFileError("it is empty; `dalembert new` writes a file to start from", self.file)
        return found

    def _node(self, event: Any, path: str, depth: int) -> Entry:
        import yaml

        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if event.tag is not None:
            raise self._error(event, f"the tag {event.tag!r} is not allowed: model files hold plain data")
        if depth > DEEPEST:
            raise self._error(event, f"it is nested more than {DEEPEST} deep")
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        if isinstance(event, yaml.ScalarEvent):
            made = self._scalar(event, path)
        elif isinstance(event, yaml.SequenceStartEvent):
            made = self._sequence(event, path, depth)
        else:
            made = self._mapping(event, path, depth)
        self.made += 1
        if made.size > MOST or self.made > MOST:
            raise self._error(event, f"it holds more than {MOST:,} values (aliases counted where they are used)")
        if event.anchor is not None:
            self.anchors[event.anchor] = made
        return made

    def _alias(self, event: Any) -> Entry:
        found = self.anchors.get(event.anchor)
        if found is None:
            problem = "refers to itself" if event.anchor in self.anchors else "was never defined"
            raise self._error(event, f"the alias *{event.anchor} {problem}")
        return found

    def _scalar(self, event: Any, path: str) -> Entry:
        plain = event.style in (None, "")
        value = resolved(event.value) if plain else event.value
        return Entry(value, self.file, *_place(event), path, not plain)

    def _sequence(self, event: Any, path: str, depth: int) -> Entry:
        import yaml

        items: list[Entry] = []
        size = 1
        while not isinstance(inner := next(self.events), yaml.SequenceEndEvent):
            items.append(self._node(inner, f"{path}[{len(items)}]", depth + 1))
            size += items[-1].size
        return Entry(items, self.file, *_place(event), path, size=size)

    def _mapping(self, event: Any, path: str, depth: int) -> Entry:
        import yaml

        items: dict[str, Entry] = {}
        keys: dict[str, tuple[int, int]] = {}
        size = 1
        while not isinstance(inner := next(self.events), yaml.MappingEndEvent):
            if not isinstance(inner, yaml.ScalarEvent) or inner.tag is not None:
                raise self._error(inner, "a key must be a plain text")
            key = inner.value
            if key in items:
                raise self._error(inner, f"{key!r} is given twice (first in line {keys[key][0]})")
            keys[key] = _place(inner)
            items[key] = self._node(next(self.events), f"{path}.{key}" if path else key, depth + 1)
            size += items[key].size
        return Entry(items, self.file, *_place(event), path, keys=keys, size=size)

    def _error(self, event: Any, problem: str) -> ModelFileError:
        return ModelFileError(problem, self.file, *_place(event))


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


def resolved(text: str) -> str | float | bool | None:
    """A plain scalar's value."""
    if text in _WORDS:
        return _WORDS[text]
    return float(text) if len(text) < 400 and _NUMBER.fullmatch(text) else text
