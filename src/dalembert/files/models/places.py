"""Places on bodies, as model files say them: [x, y, z], a named frame, or {position: …, rotation: …}.

A rotation is {axis: [0, 0, 1], angle: 0.3} in radians, {quaternion: [w, x, y, z]}, {angles: [a1, a2, a3]} (body-fixed 1-2-3), or the
matrix itself, whose columns are the frame's axes in body axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.files.models.kinds import (
    AXIS,
    MATRIX,
    VECTOR,
    ListKind,
    NameKind,
    NumberKind,
    Plain,
    PlainNumber,
    Schema,
    is_zero,
)
from dalembert.files.models.place import Entry
from dalembert.files.models.scope import Scope
from dalembert.parts.frames import Frame
from dalembert.parts.joints.axis import unit
from dalembert.parts.joints.orientation import EulerParameters
from dalembert.vectors import IDENTITY, ZERO, turn, turn_123

_QUATERNION = ListKind(PlainNumber(), 4)


@dataclass(frozen=True)
class Rotation:
    """See the module's text."""

    def read(self, entry: Entry, scope: Scope) -> np.ndarray:
        if isinstance(entry.value, list):
            return np.array(MATRIX.read(entry, scope), dtype=object)
        given = entry.mapping("{axis, angle}, {quaternion}, {angles} or a 3 × 3 matrix")
        entry.known(("axis", "angle", "quaternion", "angles"))
        if set(given) == {"axis", "angle"}:
            with given["axis"].blamed():
                axis = np.array(unit(AXIS.read(given["axis"], scope), "axis"))
            return turn(axis, scope.number(given["angle"]))
        if set(given) == {"quaternion"}:
            return np.asarray(self._quaternion(given["quaternion"], scope))
        if set(given) == {"angles"}:
            return turn_123(VECTOR.read(given["angles"], scope))
        raise entry.error("a rotation is {axis, angle}, {quaternion}, {angles} or a 3 × 3 matrix")

    def _quaternion(self, entry: Entry, scope: Scope) -> Any:
        e = np.array(_QUATERNION.read(entry, scope))
        singularity = EulerParameters.singularity(e)
        if singularity:
            raise entry.error(singularity)
        return EulerParameters.rotation(EulerParameters.admissible(e))

    def write(self, value: Any, where: str) -> Plain:
        return MATRIX.write(value, where)

    def schema(self) -> Schema:
        def one(**fields: Schema) -> Schema:
            return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}

        return {
            "anyOf": [
                one(axis=AXIS.schema(), angle=NumberKind().schema()),
                one(quaternion=_QUATERNION.schema()),
                one(angles=VECTOR.schema()),
                MATRIX.schema(),
            ]
        }


@dataclass(frozen=True)
class FrameKind:
    """A frame without a name for it."""

    def read(self, entry: Entry, scope: Scope) -> Frame:
        if isinstance(entry.value, list):
            return Frame(VECTOR.read(entry, scope))
        given = entry.mapping("[x, y, z] or {position, rotation}")
        entry.known(("position", "rotation"))
        position = VECTOR.read(given["position"], scope) if "position" in given else ZERO
        return Frame(position, Rotation().read(given["rotation"], scope) if "rotation" in given else IDENTITY)

    def write(self, value: Any, where: str) -> Plain:
        position = VECTOR.write(value.position, where)
        if value.rotation.dtype != object and value.rotation.tobytes() == IDENTITY.tobytes():
            return position
        return {"position": position, "rotation": Rotation().write(value.rotation, where)}

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/frame"}

    def full_schema(self) -> Schema:
        fields = {"position": VECTOR.schema(), "rotation": Rotation().schema()}
        return {"anyOf": [VECTOR.schema(), {"type": "object", "properties": fields, "additionalProperties": False}]}


class PlaceKind:
    """A frame, the name of one or of a node, or a frame on a node: {node, position, rotation}."""

    def read(self, entry: Entry, scope: Scope) -> Frame | str:
        if isinstance(entry.value, str):
            return entry.value
        if not isinstance(entry.value, dict) or "node" not in entry.value:
            return FrameKind().read(entry, scope)
        entry.known(("node", "position", "rotation"))
        rest = {k: x for k, x in entry.value.items() if k != "node"}
        return replace(
            FrameKind().read(replace(entry, value=rest), scope), node=entry.value["node"].text("a node's name")
        )

    def write(self, value: Any, where: str) -> Plain:
        made = FrameKind().write(value, where)
        if value.node is None:
            return made
        if isinstance(made, list):
            return value.node if all(map(is_zero, made)) else {"node": value.node, "position": made}
        assert isinstance(made, dict)
        return {"node": value.node, **made}

    def schema(self) -> Schema:
        fields = {"node": NameKind().schema(), "position": VECTOR.schema(), "rotation": Rotation().schema()}
        on_node = {"type": "object", "properties": fields, "required": ["node"], "additionalProperties": False}
        return {"anyOf": [NameKind().schema(), FrameKind().schema(), on_node]}
