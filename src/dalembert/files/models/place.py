"""A value of a model file with its place, so that every complaint can say where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from dalembert.errors import DalembertError, ModelFileError
from dalembert.files.expressions import ExpressionError
from dalembert.parts.names import nearest


@dataclass(frozen=True, eq=False)
class Entry:
    """`value` is a dict or list of entries, a text, a number, True, False or None."""

    value: Any
    file: str
    line: int
    column: int
    path: str = ""
    """Where it stands in the document: joints.A.axis."""
    quoted: bool = False
    keys: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Line and column of each key of a mapping."""
    size: int = 1
    """Values in it, aliases counted each time they are met."""

    def error(self, problem: str, key: str | None = None, offset: int = 0) -> ModelFileError:
        """The complaint, at the entry or at one of its keys."""
        line, column = self.keys[key] if key is not None and key in self.keys else (self.line, self.column + offset)
        path = ".".join(x for x in (self.path, key) if x)
        return ModelFileError(problem, self.file, line, column, path)

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Whatever is refused inside is refused because of this entry."""
        try:
            yield
        except ModelFileError:
            raise
        except ExpressionError as problem:
            raise self.error(str(problem), offset=problem.at + self.quoted) from problem
        except DalembertError as problem:
            raise self.error(str(problem)) from problem

    # -- what kind of value it is -------------------------------------------------------------------------------------
    @property
    def kind(self) -> str:
        names = {dict: "a mapping", list: "a list", str: "a text", bool: "true or false", type(None): "nothing"}
        return names.get(type(self.value), "a number")

    def mapping(self, what: str = "a mapping") -> dict[str, Entry]:
        if not isinstance(self.value, dict):
            raise self.error(f"{what} is expected here, not {self.kind}")
        return self.value

    def list(self, what: str = "a list") -> list[Entry]:
        if not isinstance(self.value, list):
            raise self.error(f"{what} is expected here, not {self.kind}")
        return self.value

    def text(self, what: str = "a text") -> str:
        if not isinstance(self.value, str):
            raise self.error(f"{what} is expected here, not {self.kind}")
        return self.value

    def known(self, names: Any) -> None:
        """A mapping may only have these keys."""
        choice = list(names)
        for key in self.mapping():
            if key not in choice:
                torn = "; an expression with a comma in it needs quotes here" if key.count(")") > key.count("(") else ""
                raise self.error(f"there is no field {key!r} here; {nearest(key, choice, 'fields are')}{torn}", key)
