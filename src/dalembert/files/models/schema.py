"""The JSON Schema of model files, from the same description that reads them: editors complete and check with it."""

from __future__ import annotations

from typing import Any

from dalembert.files.models.data_files import FileKind
from dalembert.files.models.kinds import VECTOR, Kind
from dalembert.files.models.layout import (
    CONSTRAINT,
    CUT,
    ELASTIC,
    ELEMENT,
    FORCE,
    FORMAT,
    INITIAL,
    JOINT,
    LAW,
    OUTPUT,
    PARAMETERS,
    SHAPE,
    SIGNAL,
    SIMULATION,
    SOLID,
    WORDS,
    Body,
    ChosenVariables,
    NamedFrame,
    Sampled,
    Simulation,
    Watched,
)  # fmt: skip
from dalembert.files.models.places import FrameKind
from dalembert.files.models.records import fields_of, schema_of, summary


def json_schema() -> dict[str, Any]:
    """Draft 2020-12."""
    shapes, matter = (_some(kind.schema()) for kind in (SHAPE, SOLID))
    body = schema_of(fields_of(Body), summary(Body))
    body["properties"] |= {"matter": matter, "shapes": shapes, "elastic": ELASTIC.schema()}
    output = {"anyOf": [{"$ref": "#/$defs/expression"}, OUTPUT.schema()]}
    sections = {
        "format": {"const": FORMAT, "description": "The version of this layout."},
        "name": WORDS["name"].schema(),
        "purpose": _said(WORDS["purpose"], "What the mechanism shows, in a line."),
        "units": {"const": "SI", "description": "Metres, kilograms, seconds, radians."},
        "import": _said(
            FileKind(), "A robot's file (URDF, MJCF) in the same folder, to which the rest of the model adds."
        ),
        "gravity": _said(VECTOR, "Acceleration of gravity in ground axes, m/s²."),
        "parameters": _said(PARAMETERS, "Numbers with names, for expressions; they stay visible in the equations."),
        "tables": _named(schema_of(fields_of(Sampled), summary(Sampled))),
        "bodies": _named(body),
        "ground": {"type": "object", "properties": {"shapes": shapes}, "additionalProperties": False},
        "frames": _named(schema_of(fields_of(NamedFrame), summary(NamedFrame))),
        "joints": _named(JOINT.schema()),
        "elements": _named(ELEMENT.schema()),
        "constraints": _named(CONSTRAINT.schema()),
        "forces": _named(FORCE.schema()),
        "laws": _named(LAW.schema()),
        "connections": {
            "description": "What inputs of elements are connected to, by element.input: a signal, element.output, or an expression.",
            **_named(SIGNAL.schema()),
        },
        "variables": schema_of(fields_of(ChosenVariables), summary(ChosenVariables)),
        "cut": _said(CUT, "Joints at which closed loops are cut."),
        "initial": _said(INITIAL["initial"], "Coordinates at the start, by joint or joint.coordinate."),
        "guess": _said(
            INITIAL["guess"],
            "Coordinates from which loops are closed, where initial gives none: the branch.",
        ),
        "speeds": _said(INITIAL["speeds"], "Speeds at the start, by joint or joint.speed."),
        "outputs": _named(output),
        "events": _named({"anyOf": [{"$ref": "#/$defs/expression"}, schema_of(fields_of(Watched), summary(Watched))]}),
        "simulation": schema_of(SIMULATION, summary(Simulation)),
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A mechanism for dalembert",
        "type": "object",
        "properties": sections,
        "anyOf": [{"required": ["bodies", "joints"]}, {"required": ["import"]}],
        "additionalProperties": False,
        "$defs": {
            "number": {"type": ["number", "string"], "description": "A number, or an expression of parameters: 0.5*l."},
            "expression": {
                "type": ["number", "string"],
                "description": "A number, or an expression of t, q.joint, u.joint, element.output and parameters: -k*(q.A - 0.3).",
            },
            "frame": FrameKind().full_schema(),
        },
    }


def _said(kind: Kind, description: str) -> dict[str, Any]:
    return {"description": description, **kind.schema()}


def _some(item: dict[str, Any]) -> dict[str, Any]:
    """One or a list of them."""
    return {"anyOf": [item, {"type": "array", "items": item}]}


def _named(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": item}
