"""Records: dataclasses as mappings. Fields, kinds and defaults come from the class itself, so that a new joint, force, constraint or
shape needs nothing here.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from dalembert.constraints import METHODS
from dalembert.errors import ModelError
from dalembert.files.models.data_files import FileKind
from dalembert.files.models.elastic import Modes
from dalembert.files.models.frames import FrameKind, PlaceKind, Rotation
from dalembert.files.models.kinds import (
    AXIS,
    NUMBERS,
    VECTOR,
    Choice,
    Either,
    Flag,
    FunctionKind,
    Inertia,
    Kind,
    Named,
    NameKind,
    NumberKind,
    OneOrMany,
    PlainNumber,
    PointKind,
    Row,
    Schema,
    Text,
    WholeNumber,
)  # fmt: skip
from dalembert.files.models.place import Entry
from dalembert.files.models.scope import Scope
from dalembert.formulations import FORMULATIONS
from dalembert.parts.fields import Function, Holds
from dalembert.parts.names import nearest
from dalembert.trace import Expr

_HELD: dict[str, Kind] = {
    "number": NumberKind(), "vector": VECTOR, "axis": AXIS, "point": PointKind(), "frame": FrameKind(),
    "place": PlaceKind(), "rotation": Rotation(), "inertia": Inertia(), "body": NameKind(), "joint": NameKind(),
    "file": FileKind(), "modes": Modes(), "colour": Text(), "list": NUMBERS, "columns": Either(Named(NUMBERS), NUMBERS),
    "formulation": Choice(tuple(FORMULATIONS)), "constraint method": Choice(tuple(METHODS)),
    "points": Row(VECTOR, 0), "faces": Row(Row(WholeNumber(), 3), 0), "values": OneOrMany(),
}  # fmt: skip


def kind_of(hint: Any, where: str) -> Kind:
    """The kind of value a type hint means."""
    if get_origin(hint) is Annotated:
        for mark in get_args(hint)[1:]:
            if isinstance(mark, Holds):
                return _HELD[mark.what]
            if isinstance(mark, Function):
                return FunctionKind(mark)
    if get_origin(hint) is Literal:
        return Choice(get_args(hint))
    if get_origin(hint) in (Union, types.UnionType):
        inner = [x for x in get_args(hint) if x is not type(None)]
        if len(inner) == 1:
            return kind_of(inner[0], where)
        if len(inner) == 2 and dataclasses.is_dataclass(inner[1]):
            return Either(kind_of(inner[1], where), kind_of(inner[0], where))
    if get_origin(hint) in (Mapping, dict):
        return Named(kind_of(get_args(hint)[1], where))
    if get_origin(hint) is tuple and len(get_args(hint)) == 2 and get_args(hint)[1] is Ellipsis:
        return Row(kind_of(get_args(hint)[0], where), 0)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return Record(hint)
    simple: dict[Any, Kind] = {str: Text(), float: PlainNumber(), int: WholeNumber(), bool: Flag()}
    if hint in simple:
        return simple[hint]
    raise TypeError(f"{where}: {hint!r} says not what a model file may hold; use a type of system/fields.py")


@dataclass(frozen=True)
class Field:
    name: str
    kind: Kind
    required: bool
    default: Any


@cache
def fields_of(cls: type) -> tuple[Field, ...]:
    """The fields of a dataclass that its constructor takes."""
    hints = get_type_hints(cls, include_extras=True)
    made = []
    for f in dataclasses.fields(cls):
        default = f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
        required = default is dataclasses.MISSING
        made.append(Field(f.name, kind_of(hints[f.name], f"{cls.__name__}.{f.name}"), required, default))
    return tuple(made)


def type_name(cls: type) -> str:
    """JointSpring → joint_spring."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


def read_fields(entry: Entry, fields: Sequence[Field], scope: Scope, what: str) -> dict[str, Any]:
    """The fields that are given, read; those that must be are."""
    given = entry.mapping(what)
    for f in fields:
        if f.required and (f.name not in given or given[f.name].value is None):
            raise entry.error(f"{what} needs the field {f.name!r}")
    return {
        f.name: f.kind.read(given[f.name], scope) for f in fields if f.name in given and given[f.name].value is not None
    }


def write_fields(thing: Any, fields: Sequence[Field], where: str) -> dict[str, Any]:
    """The fields that are not as they would be anyway."""
    found = {}
    for f in fields:
        value = getattr(thing, f.name)
        if f.required or not _same(value, f.default):
            found[f.name] = f.kind.write(value, f"{where}: {f.name}")
    return found


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    if isinstance(value, np.ndarray) or isinstance(default, np.ndarray):
        a, b = np.asarray(value, dtype=object), np.asarray(default, dtype=object)
        return a.shape == b.shape and all(_same(x, y) for x, y in zip(a.ravel(), b.ravel()))
    if dataclasses.is_dataclass(value) and type(value) is type(default):
        return all(_same(getattr(value, f.name), getattr(default, f.name)) for f in dataclasses.fields(value))
    if isinstance(value, str) or isinstance(default, str) or Expr in (type(value), type(default)):
        return bool(type(value) is type(default) is str and value == default)
    if isinstance(value, float) and isinstance(default, (int, float)):
        return value == default and math.copysign(1.0, value) == math.copysign(1.0, default)
    if isinstance(value, tuple) and isinstance(default, tuple) and len(value) == len(default):
        return all(_same(x, y) for x, y in zip(value, default))
    return bool(value is not None and default is not None and not callable(value) and value == default)


def schema_of(fields: Sequence[Field], doc: str, **more: Schema) -> Schema:
    properties = {**more, **{f.name: f.kind.schema() for f in fields}}
    required = [*more, *(f.name for f in fields if f.required)]
    made: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if doc:
        made["description"] = doc
    return made | ({"required": required} if required else {})


def summary(cls: type) -> str:
    """The first line of its docstring."""
    return (inspect.getdoc(cls) or "").partition("\n")[0]


@dataclass(frozen=True)
class Record:
    """One dataclass by its fields."""

    cls: type

    def read(self, entry: Entry, scope: Scope) -> Any:
        own = fields_of(self.cls)
        entry.mapping(", ".join(f.name for f in own))
        entry.known(f.name for f in own)
        with entry.blamed():
            return self.cls(**read_fields(entry, own, scope, "it"))

    def write(self, value: Any, where: str) -> Any:
        return write_fields(value, fields_of(self.cls), where)

    def schema(self) -> Schema:
        return schema_of(fields_of(self.cls), summary(self.cls))


@dataclass(frozen=True)
class Variants:
    """One of several classes, named by `type`; `besides` are fields that any of them has in the file."""

    classes: tuple[type, ...]
    what: str
    besides: tuple[Field, ...] = ()

    @property
    def named(self) -> dict[str, type]:
        return {type_name(c): c for c in self.classes}

    def read(self, entry: Entry, scope: Scope) -> Any:
        """The object; what stands besides it is read with `read_fields`."""
        given = entry.mapping(f"a {self.what}")
        if "type" not in given:
            raise entry.error(f"a {self.what} needs the field 'type': one of {', '.join(self.named)}")
        word = given["type"].text("the name of a type")
        if word not in self.named:
            raise given["type"].error(f"there is no {self.what} {word!r}; {nearest(word, self.named)}")
        cls = self.named[word]
        own = fields_of(cls)
        entry.known(["type", *(f.name for f in (*own, *self.besides))])
        with entry.blamed():
            return cls(**read_fields(entry, own, scope, f"a {self.what} of type {word}"))

    def write(self, value: Any, where: str) -> Any:
        if type(value) not in self.classes:
            raise ModelError(
                f"{where}: {type(value).__name__} is a {self.what} of your own, which a model file cannot hold; "
                "keep the model in Python"
            )
        cls: type = type(value)
        return {"type": type_name(cls), **write_fields(value, fields_of(cls), where)}

    def schema(self) -> Schema:
        return {
            "oneOf": [
                schema_of((*fields_of(c), *self.besides), summary(c), type={"const": name})
                for name, c in self.named.items()
            ]
        }
