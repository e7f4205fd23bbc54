"""Writing a `System` as plain data, and data as text that people can read and edit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dalembert.atomic import write_whole
from dalembert.errors import ModelError
from dalembert.files.expressions import Formula
from dalembert.files.models.as_expressions import as_expressions, as_formula, tables_of
from dalembert.files.models.data_files import check_files, with_its_data
from dalembert.files.models.elastic_entries import said
from dalembert.files.models.emit import yaml_text
from dalembert.files.models.kinds import VECTOR, ListKind, is_zero
from dalembert.files.models.layout import (
    CONSTRAINT,
    DIRECTIONS,
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
    Body,
    Connection,
    NamedFrame,
    Watched,
)  # fmt: skip
from dalembert.files.models.prescribed_motion import PrescribedKind
from dalembert.files.models.records import Field, fields_of, write_fields
from dalembert.files.models.sampled_data import said_of
from dalembert.files.models.variables import said_of_joint, said_of_whole, written
from dalembert.parts.bodies import RigidBody
from dalembert.parts.events import Event
from dalembert.parts.frames import Frame
from dalembert.system.system import JointPlacement, System


def save(system: System, path: str | Path) -> None:
    """Write the file whole or not at all."""
    data = plain_data(system)
    check_files(system, Path(path).parent)
    is_json = Path(path).suffix.lower() == ".json"
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n" if is_json else yaml_text(data)
    write_whole(path, text.encode(), "model")


def plain_data(system: System) -> dict[str, Any]:
    """Numbers, texts, lists and dicts, in the order of the file."""
    data: dict[str, Any] = {"format": FORMAT, "name": system.name}
    if system.purpose:
        data["purpose"] = system.purpose
    data["units"] = "SI"
    data["gravity"] = VECTOR.write(system.gravity, "gravity")
    data["parameters"] = PARAMETERS.write(
        {name: {"value": x, **system.parameter_range(name)} for name, x in system.parameters.items()}, "parameters"
    )
    forces, constraints, laws, outputs = (
        {k: as_expressions(x, system) for k, x in things.items()}
        for things in (system.forces, system.constraints, system.laws, system.outputs)
    )
    elements = {k: as_expressions(getattr(x, "said", x), system) for k, x in system.elements.items()}
    connections = {k: _source(x, system) for k, x in system.connections.items()}
    events = {k: as_expressions(_watched(e, system), system) for k, e in system.events.items()}
    on_joints = {k: said_of_joint(p, system) for k, p in system.joints.items() if p.speeds is not None}
    whole = said_of_whole(system)
    things = [x for part in (forces, constraints, laws, outputs, events, on_joints, elements) for x in part.values()]
    tables = tables_of(system, [*things, whole])
    data["tables"] = {k: said_of(x, f'table "{k}"') for k, x in tables.items()}
    data["bodies"] = {name: _body(b) for name, b in system.bodies.items()}
    if system.ground_shapes:
        data["ground"] = {
            "shapes": ListKind(SHAPE, 0).write([*map(with_its_data, system.ground_shapes)], "ground: shapes")
        }
    data["frames"] = {name: _frame(name, body, frame) for name, (body, frame) in system.frames.items()}
    data["joints"] = {name: _joint(p) for name, p in system.joints.items()}
    for name, said_speeds in on_joints.items():
        data["joints"][name] |= written(said_speeds, f'joint "{name}"')
    data["elements"] = {k: ELEMENT.write(x, f'element "{k}"') for k, x in elements.items()}
    data["constraints"] = {k: CONSTRAINT.write(x, f'constraint "{k}"') for k, x in constraints.items()}
    data["forces"] = {k: FORCE.write(x, f'force "{k}"') for k, x in forces.items()}
    data["laws"] = {k: LAW.write(x, f'law "{k}"') for k, x in laws.items()}
    data["connections"] = {
        k: x if isinstance(x, str) else SIGNAL.write(x, f'connection "{k}"') for k, x in connections.items()
    }
    data["variables"] = written(whole, "variables")
    data["cut"] = list(system.cut)
    data["initial"] = INITIAL["initial"].write(system.initial, "initial")
    data["guess"] = INITIAL["guess"].write(system.guess, "guess")
    data["speeds"] = INITIAL["speeds"].write(system.speeds, "speeds")
    data["outputs"] = {k: OUTPUT.write(x, f'output "{k}"') for k, x in outputs.items()}
    data["events"] = {k: write_fields(x, fields_of(Watched), f'event "{k}"') for k, x in events.items()}
    data["simulation"] = _simulation(system)
    return {k: v for k, v in data.items() if v not in ({}, [])}


def _source(x: Any, system: System) -> Any:
    """What an input is connected to; a function as a formula, where it is one."""
    made = as_formula(x, ("s",), system) if callable(x) and not isinstance(x, Formula) else None
    return x if made is None else made


def _body(b: RigidBody) -> dict[str, Any]:
    where = f'body "{b.name}"'
    if b.modes:
        data: dict[str, Any] = {"elastic": ELASTIC.write(said(b, where), f"{where}: elastic")}
    else:
        data = {f.name: f.kind.write(getattr(b, f.name), f"{where}: {f.name}") for f in fields_of(Body)}
    return data | (
        {"shapes": ListKind(SHAPE, 0).write([*map(with_its_data, b.shapes)], f"{where}: shapes")} if b.shapes else {}
    )


def _frame(name: str, body: str, frame: Frame) -> dict[str, Any]:
    position, rotation = _fields(NamedFrame, "position", "rotation")
    where = f'frame "{name}"'
    data = {"body": body, "position": position.kind.write(frame.position, where)}
    data["rotation"] = rotation.kind.write(frame.rotation, where)
    return data | ({"node": frame.node} if frame.node is not None else {})


def _joint(p: JointPlacement) -> dict[str, Any]:
    where = f'joint "{p.name}"'
    kind: dict[str, Any] = JOINT.write(p.joint, where)
    data: dict[str, Any] = {"type": kind.pop("type"), "parent": p.parent, "child": p.child}
    for f, frame in zip(_fields(Connection, "at_parent", "at_child"), (p.on_parent, p.on_child)):
        place = f.kind.write(frame, f"{where}: {f.name}")
        if not (isinstance(place, list) and all(map(is_zero, place))):
            data[f.name] = place
    if type(p.armature) is not float or p.armature:
        (field,) = _fields(Connection, "armature")
        data["armature"] = field.kind.write(p.armature, f"{where}: armature")
    if any(x is not None for x in p.law.q):
        data["prescribed"] = PrescribedKind().write(p, f"{where}: prescribed")
    return data | kind


def _watched(e: Event, system: System) -> Watched:
    word = next(word for word, sign in DIRECTIONS.items() if sign == e.direction)
    return Watched(e.when, word, e.terminal, tuple(as_expressions(a, system) for a in e.actions) or None)  # type: ignore[arg-type]


def _fields(cls: type, *names: str) -> list[Field]:
    by_name = {f.name: f for f in fields_of(cls)}
    return [by_name[name] for name in names]


def _simulation(system: System) -> dict[str, Any]:
    known = {f.name: f.kind for f in SIMULATION}
    for name in system.simulation:
        if name not in known:
            raise ModelError(f'simulation: "{name}" cannot be written into a model file')
    data = {name: x for name in known if (x := system.simulation.get(name)) is not None}
    return {name: known[name].write(x, f"simulation: {name}") for name, x in data.items()}
