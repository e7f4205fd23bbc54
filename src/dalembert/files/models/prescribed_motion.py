"""Prescribed motion in model files: an expression of t, a list of them, or {coordinate: expression}."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert.files.expressions import written
from dalembert.files.models.kinds import Plain, Schema
from dalembert.files.models.place import Entry
from dalembert.files.models.scope import Scope
from dalembert.parts.prescribed import TIME
from dalembert.system.system import JointPlacement


@dataclass(frozen=True)
class PrescribedKind:
    """See the module's text."""

    def read(self, entry: Entry, scope: Scope) -> Any:
        """As `System.add_joint` takes it, with expressions of time for functions."""
        if isinstance(entry.value, dict):
            return {name: scope.number(x, t=TIME) for name, x in entry.mapping().items()}
        if isinstance(entry.value, list):
            return [scope.number(x, t=TIME) for x in entry.list()]
        return scope.number(entry, t=TIME)

    def write(self, value: JointPlacement, where: str) -> Plain:
        given = value.law.q
        if not value.joint.rates_are_speeds:
            return [written(x, where) for x in given]
        if value.joint.n_q == 1:
            return written(given[0], where)
        return {c: written(x, where) for c, x in zip(value.joint.coordinates, given) if x is not None}

    def schema(self) -> Schema:
        one = {"$ref": "#/$defs/expression"}
        return {
            "description": "Coordinates as functions of time t, in the joint's order, or by name.",
            "anyOf": [one, {"type": "array", "items": one}, {"type": "object", "additionalProperties": one}],
        }
