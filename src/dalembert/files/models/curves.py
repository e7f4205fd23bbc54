"""Curves in model files: three expressions of x, or points in a row that a smooth curve is laid through."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.errors import ModelError
from dalembert.files.expressions import written
from dalembert.files.models.kinds import AXIS, ListKind, Plain, Schema
from dalembert.files.models.place import Entry
from dalembert.files.models.scope import Scope
from dalembert.parts.joints.curve import ALONG, Curve
from dalembert.trace import Expr, free_symbols, substitute, symbol


@dataclass(frozen=True)
class CurveKind:
    """See the module's text."""

    def read(self, entry: Entry, scope: Scope) -> Curve | list[list[float]]:
        """As `CurvedSlide` takes it."""
        items = entry.list("three expressions of x, or a list of points,")
        if items and isinstance(items[0].value, list):
            return ListKind(AXIS, 0).read(entry, scope)
        if len(items) != 3:
            raise entry.error(f"a curve is three expressions of x, or a list of points, not {len(items)} values")
        x, y, z = (scope.number(item, x=ALONG) for item in items)
        return Curve((x, y, z))

    def write(self, value: Curve, where: str) -> Plain:
        if any(s is not ALONG and s.name == "x" for e in value.at if type(e) is Expr for s in free_symbols([e])):
            raise ModelError(
                f'{where}: a parameter is called "x", which is the variable of curves; give it another name'
            )
        return [written(substitute(e, {ALONG: symbol("x")}) if type(e) is Expr else e, where) for e in value.at]

    def schema(self) -> Schema:
        one = {"$ref": "#/$defs/number"}
        three = {"type": "array", "items": one, "minItems": 3, "maxItems": 3}
        points = ListKind(AXIS, 0).schema() | {"minItems": 4}
        return {
            "description": "Three expressions of x, or points that a smooth curve is laid through; in the parent's axes.",
            "anyOf": [three, points],
        }
