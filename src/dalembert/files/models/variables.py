"""Coordinates and speeds that a model file chooses in place of its joints': of the whole in `variables`, of a joint in its `speeds`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dalembert.files.models.as_expressions import as_expressions
from dalembert.files.models.layout import CHOSEN_SPEEDS, ChosenVariables
from dalembert.files.models.place import Entry
from dalembert.files.models.records import fields_of, read_fields, write_fields
from dalembert.files.models.scope import Scope
from dalembert.parts.speeds import RATES, WORLD_AXES
from dalembert.parts.speeds.world_axes import SLIDES, TURNS
from dalembert.system.choices_said import CoordinatesSaid, SpeedsSaid, speeds_said
from dalembert.system.system import JointPlacement, System


def names_on_joints(system: System, entry: Entry, scope: Scope) -> None:
    """Names that joints give speeds of their own."""
    for name, one in entry.mapping("joints by name").items():
        chosen = one.value.get("speeds")
        if chosen is None or chosen.value is None:
            continue
        if isinstance(chosen.value, dict):
            scope.chosen["u"].update(f"{name}.{own}" for own in chosen.value)
        else:
            preset = CHOSEN_SPEEDS.kind.read(chosen, scope)
            scope.chosen["u"].update(_preset_names(name, system.joints[name].joint, preset))


def names_chosen(system: System, entry: Entry, scope: Scope) -> None:
    """Names of the variables that the whole chooses."""
    given = entry.mapping("coordinates, drop, speeds, instead_of")
    coordinates, speeds = (
        x if (x := given.get(k)) and x.value is not None else None for k in ("coordinates", "speeds")
    )
    if coordinates is not None:
        scope.chosen["q"].update(coordinates.mapping("coordinates by name"))
        scope.chosen["u"].update(coordinates.value)
    if speeds is not None and isinstance(speeds.value, dict):
        scope.chosen["u"].update(speeds.value)
    elif speeds is not None:
        preset = CHOSEN_SPEEDS.kind.read(speeds, scope)
        for name, p in system.joints.items():
            scope.chosen["u"].update(_preset_names(name, p.joint, preset))


def _preset_names(name: str, joint: Any, preset: str) -> list[str]:
    """What a preset may call a joint's speeds."""
    own = {WORLD_AXES: (*TURNS, *SLIDES), RATES: joint.coordinates}.get(preset, ())
    return [f"{name}.{each}" for each in own if each]


def speeds_on_joints(system: System, entry: Entry, scope: Scope) -> None:
    """Speeds that a joint chooses in place of its own; they may look at other joints."""
    for name, one in entry.mapping().items():
        chosen = one.value.get("speeds")
        if chosen is None or chosen.value is None:
            continue
        given = CHOSEN_SPEEDS.kind.read(chosen, _with_outputs(system, scope))
        with chosen.blamed():
            said = speeds_said(given, (), f'joint "{name}": speeds')
            system.joints[name] = replace(system.joints[name], speeds=said)


def chosen_variables(system: System, entry: Entry, scope: Scope) -> None:
    fields = fields_of(ChosenVariables)
    entry.known(f.name for f in fields)
    said = ChosenVariables(**read_fields(entry, fields, _with_outputs(system, scope), "variables"))
    for of, word, beside in (("coordinates", "drop", said.drop), ("speeds", "instead_of", said.instead_of)):
        if getattr(said, of) is None and beside:
            raise entry.error(f"{word} needs {of}", word)
    if said.coordinates is not None:
        with entry.value["coordinates"].blamed():
            system.choose_coordinates(said.coordinates, said.drop)
    if said.speeds is not None:
        with entry.value["speeds"].blamed():
            system.choose_speeds(said.speeds, said.instead_of)


def _with_outputs(system: System, scope: Scope) -> Scope:
    """Where outputs may be read, too."""
    return replace(scope, outputs=dict(system.outputs))


def chosen_sections(document: Entry, kind: str) -> list[Entry]:
    """Where a file gives speeds, or coordinates, names of their own."""
    whole = document.value.get("variables")
    places = [whole.value.get(f"{kind}s")] if whole is not None and isinstance(whole.value, dict) else []
    joints = document.value.get("joints")
    if kind == "speed" and joints is not None and isinstance(joints.value, dict):
        places += [one.value.get("speeds") for one in joints.value.values()]
    return [x for x in places if x is not None and isinstance(x.value, dict)]


# -- writing ------------------------------------------------------------------------------------------------------------------------
def said_of_whole(system: System) -> ChosenVariables:
    """What the whole chooses, functions as formulas."""
    coordinates, speeds = system.chosen_coordinates, system.chosen_speeds
    said = ChosenVariables()
    if isinstance(coordinates, CoordinatesSaid):
        said.coordinates, said.drop = dict(coordinates.functions), coordinates.dropped
    if isinstance(speeds, SpeedsSaid):
        said.speeds, said.instead_of = dict(speeds.functions), speeds.instead_of
    else:
        said.speeds = speeds
    made: ChosenVariables = as_expressions(said, system)
    return made


def said_of_joint(p: JointPlacement, system: System) -> ChosenVariables:
    """What a joint chooses, functions as formulas."""
    functions = dict(p.speeds.functions) if isinstance(p.speeds, SpeedsSaid) else p.speeds
    made: ChosenVariables = as_expressions(ChosenVariables(speeds=functions), system)
    return made


def written(said: ChosenVariables, where: str) -> dict[str, Any]:
    """As plain data."""
    return write_fields(said, fields_of(ChosenVariables), where)
