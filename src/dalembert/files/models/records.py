"""Records: dataclasses as mappings. Fields, kinds and defaults come from the class itself, so that a new joint, force, constraint or
shape needs nothing here.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, get_type_hints

import numpy as np

from dalembert.constraints import METHODS
from dalembert.errors import ModelError
from dalembert.files.models.curves import CurveKind
from dalembert.files.models.data_files import FileKind
from dalembert.files.models.elastic_entries import ModesKind
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
    ListKind,
    Named,
    NameKind,
    NumberKind,
    OneOrMany,
    PlainNumber,
    PointKind,
    RowsKind,
    Schema,
    Text,
    WholeNumber,
)  # fmt: skip
from dalembert.files.models.kinds import (
    Plain as PlainData,
)
from dalembert.files.models.place import Entry
from dalembert.files.models.places import FrameKind, PlaceKind, Rotation
from dalembert.files.models.scope import Scope
from dalembert.formulations import FORMULATIONS
from dalembert.laws.surfaces import SURFACES
from dalembert.mechanism.formulation_settings import GaussPenalty
from dalembert.mechanism.simulation_options import RESTITUTION, STABILISATIONS, Baumgarte
from dalembert.parts.actions import ACTIONS
from dalembert.parts.conform import (
    ByName,
    FieldType,
    Marked,
    Nested,
    OneOf,
    Plain,
    Several,
    field_type,
    help_of,
)  # fmt: skip
from dalembert.parts.fields import Function, Holds
from dalembert.parts.names import nearest
from dalembert.parts.speeds import PRESETS
from dalembert.simulation.integrators.integrator import INTEGRATORS
from dalembert.trace import Expr

_PLAIN: dict[type, Kind] = {str: Text(), float: PlainNumber(), int: WholeNumber(), bool: Flag()}


def kind_of(hint: Any, where: str) -> Kind:
    """The kind of value a type hint means."""
    kind = _kind_of(field_type(hint))
    if kind is None:
        raise TypeError(f"{where}: {hint!r} does not say what a model file may hold; use a type of parts/fields.py")
    return kind


def _kind_of(said: FieldType | None) -> Kind | None:
    match said:
        case Marked(Holds() as mark):
            return _BY_MARK.get(mark.what)
        case Marked(Function() as mark):
            return FunctionKind(mark)
        case OneOf(words):
            return Choice(words)
        case Nested(cls, otherwise):
            beside = _kind_of(otherwise)
            return RecordKind(cls) if beside is None else Either(RecordKind(cls), beside)
        case ByName(item) if (kind := _kind_of(item)) is not None:
            return Named(kind)
        case Several(item) if (kind := _kind_of(item)) is not None:
            return ListKind(kind, 0)
        case Plain(cls):
            return _PLAIN[cls]
    return None


@dataclass(frozen=True)
class Field:
    """A field of a dataclass as a model file has it."""

    name: str
    kind: Kind
    required: bool
    default: Any
    help: str = ""


@cache
def fields_of(cls: type) -> tuple[Field, ...]:
    """The fields of a dataclass that its constructor takes."""
    hints = get_type_hints(cls, include_extras=True)
    made = []
    said = [f for f in dataclasses.fields(cls) if not f.name.startswith("_")]  # others are kept, not said
    for f in sorted(said, key=lambda f: f.kw_only is True):
        default = f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
        required = default is dataclasses.MISSING
        kind = kind_of(hints[f.name], f"{cls.__name__}.{f.name}")
        made.append(Field(f.name, kind, required, default, help_of(hints[f.name])))
    return tuple(made)


def type_name(cls: type) -> str:
    """JointSpring → joint_spring, DCMotor → dc_motor."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", cls.__name__).lower()


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
    properties = {**more, **{f.name: ({"description": f.help} if f.help else {}) | f.kind.schema() for f in fields}}
    required = [*more, *(f.name for f in fields if f.required)]
    made: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    if doc:
        made["description"] = doc
    return made | ({"required": required} if required else {})


def summary(cls: type) -> str:
    """The first line of its docstring."""
    return (inspect.getdoc(cls) or "").partition("\n")[0]


@dataclass(frozen=True)
class RecordKind:
    """One dataclass by its fields."""

    cls: type

    def read(self, entry: Entry, scope: Scope) -> Any:
        own = fields_of(self.cls)
        entry.mapping(", ".join(f.name for f in own))
        entry.known(f.name for f in own)
        with entry.blamed():
            return self.cls(**read_fields(entry, own, scope, "it"))

    def write(self, value: Any, where: str) -> dict[str, PlainData]:
        return write_fields(value, fields_of(self.cls), where)

    def schema(self) -> Schema:
        return schema_of(fields_of(self.cls), summary(self.cls))


@dataclass(frozen=True)
class VariantKind:
    """One of several classes, named by `type`; `besides` are fields that any of them has in the file.

    A class named after what it is, `SolidBox` a solid, goes without that word in the file: "box".
    """

    classes: tuple[type, ...]
    what: str
    besides: tuple[Field, ...] = ()

    @property
    def named(self) -> dict[str, type]:
        return {self._name(c): c for c in self.classes}

    def _name(self, cls: type) -> str:
        return type_name(cls).removeprefix(f"{self.what}_")

    def read(self, entry: Entry, scope: Scope) -> Any:
        """The object; what stands besides it is read with `read_fields`."""
        one = f"{'an' if self.what[0] in 'aeiou' else 'a'} {self.what}"
        given = entry.mapping(one)
        if "type" not in given:
            raise entry.error(f"{one} needs the field 'type': one of {', '.join(self.named)}")
        word = given["type"].text("the name of a type")
        if word not in self.named:
            raise given["type"].error(f"there is no {self.what} {word!r}; {nearest(word, self.named)}")
        cls = self.named[word]
        own = fields_of(cls)
        entry.known(["type", *(f.name for f in (*own, *self.besides))])
        with entry.blamed():
            return cls(**read_fields(entry, own, scope, f"{one} of type {word}"))

    def write(self, value: Any, where: str) -> dict[str, PlainData]:
        if type(value) not in self.classes:
            raise ModelError(
                f"{where}: {type(value).__name__} is a {self.what} of your own, which a model file cannot hold; "
                "keep the model in Python"
            )
        cls: type = type(value)
        return {"type": self._name(cls), **write_fields(value, fields_of(cls), where)}

    def schema(self) -> Schema:
        return {
            "oneOf": [
                schema_of((*fields_of(c), *self.besides), summary(c), type={"const": name})
                for name, c in self.named.items()
            ]
        }


@dataclass(frozen=True)
class ActionsKind:
    """One action of an event, or several in their order."""

    @property
    def one(self) -> VariantKind:
        return VariantKind(ACTIONS, "action")

    def read(self, entry: Entry, scope: Scope) -> Any:
        return (self.one if isinstance(entry.value, dict) else ListKind(self.one, 0)).read(entry, scope)

    def write(self, value: Any, where: str) -> PlainData:
        return self.one.write(value[0], where) if len(value) == 1 else [self.one.write(x, where) for x in value]

    def schema(self) -> Schema:
        one = self.one.schema()
        return {"anyOf": [one, {"type": "array", "items": one}]}


STATE_FUNCTIONS = Named(FunctionKind(Function(("s",), constant=False)))
"""Functions of the state by name."""

_BY_MARK: dict[str, Kind] = {
    "number": NumberKind(), "plain number": PlainNumber(), "count": WholeNumber(), "vector": VECTOR, "axis": AXIS,
    "point": PointKind(), "frame": FrameKind(), "place": PlaceKind(), "rotation": Rotation(), "inertia": Inertia(),
    "body": NameKind(), "joint": NameKind(), "file": FileKind(), "modes": ModesKind(), "colour": Text(), "list": NUMBERS,
    "matrix": RowsKind(),
    "columns": Either(Named(NUMBERS), NUMBERS), "points": ListKind(VECTOR, 0), "faces": ListKind(ListKind(WholeNumber(), 3), 0),
    "rows": ListKind(NUMBERS, 0), "surface": VariantKind(SURFACES, "surface"),
    "actions": ActionsKind(), "values": OneOrMany(), "times": OneOrMany(), "integrator": Choice(INTEGRATORS), "flag": Flag(),
    "formulation": Either(VariantKind((GaussPenalty,), "formulation with settings"), Choice(FORMULATIONS)),
    "constraint method": Choice(METHODS), "restitution law": Choice(RESTITUTION), "curve": CurveKind(),
    "stabilisation": Either(RecordKind(Baumgarte), Choice(STABILISATIONS)), "state functions": STATE_FUNCTIONS,
    "speeds": Either(STATE_FUNCTIONS, Choice(PRESETS)),
}  # fmt: skip
"""The kind of value that `Holds` names."""
