"""Drake reads the SDF file too: its accelerations beside ours."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.importers.imported import Imported
from dalembert.importers.peers.peer_comparison import (
    Differences,
    PeerComparison,
    moving,
    open_tree,
    places_in_q,
    random_states,
)
from dalembert.mechanism import Mechanism, TreeJoint

FLOATING = "quaternion_floating"
BALL = "ball_rpy"
ANGLES = ("revolute", "prismatic", "screw", "universal")
"""Joints whose coordinates and speeds are ours."""


def compared(path: Path, found: Imported, states: int, text: str | None = None) -> PeerComparison:
    """In random states of a continuous plant without contact."""
    try:
        parsing, plants = (import_module(f"pydrake.multibody.{name}") for name in ("parsing", "plant"))
    except ImportError as missing:
        raise ModelError("Drake is not installed: pip install drake") from missing
    m = open_tree(found)
    plant: Any = plants.MultibodyPlant(0.0)
    try:
        parser = parsing.Parser(plant)
        if text is None:
            parser.AddModels(str(path))
        else:
            parser.AddModelsFromString(text, "sdf")
        plant.mutable_gravity_field().set_gravity_vector(np.array(m.gravity, dtype=float))
        plant.Finalize()
    except (ValueError, RuntimeError) as problem:
        raise ModelError(f"Drake does not read it: {str(problem).splitlines()[0]}") from problem
    context, joints = plant.CreateDefaultContext(), _joints(m, plant)
    differences = Differences(m)
    for kind, rng in random_states(states):
        q = m.admissible(m.reference + rng.uniform(-1.0, 1.0, m.n_q))
        u = np.zeros(m.n_u) if kind == "at rest" else rng.uniform(-1.0, 1.0, m.n_u)
        tau, ours = differences.pushed(m.numeric, q, u, rng)
        plant.SetPositions(context, _positions(m, plant, joints, q))
        plant.SetVelocities(context, _speeds(m, plant, joints, q, u))
        plant.get_applied_generalized_force_input_port().FixValue(context, _speeds(m, plant, joints, q, tau))
        theirs = plant.get_generalized_acceleration_output_port().Eval(context)
        differences.add(kind, ours, _ours(m, joints, q, theirs))
    return differences.compared("drake", states)


def _joints(m: Mechanism, plant: Any) -> list[tuple[TreeJoint, Any]]:
    """Drake's joint for each of our moving ones; one that floats has the name of its body there."""
    every = [plant.get_joint(i) for i in plant.GetJointIndices()]
    named = {x.child_body().name() if x.type_name() == FLOATING else x.name(): x for x in every if x.num_velocities()}
    if plant.num_velocities() != m.n_u:
        raise ModelError(f"Drake has {plant.num_velocities()} speeds where the import has {m.n_u}")
    made = []
    for j in moving(m):
        name = j.name.removeprefix("base_").rpartition("::")[2] if j.joint.n_u == 6 else j.name.rpartition("::")[2]
        if name not in named or named[name].type_name() not in (FLOATING, BALL, *ANGLES):
            raise ModelError(f'Drake has no joint "{name}", or one with other speeds; it is not compared')
        made.append((j, named[name]))
    return made


def _positions(m: Mechanism, plant: Any, joints: list[tuple[TreeJoint, Any]], q: np.ndarray) -> np.ndarray:
    """A ball joint has roll, pitch and yaw there."""
    math = import_module("pydrake.math")
    out = np.zeros(plant.num_positions())
    for j, theirs in joints:
        own, at = q[places_in_q(j)], theirs.position_start()
        if theirs.type_name() == BALL:
            own = math.RollPitchYaw(math.RotationMatrix(j.joint.rotation(own))).vector()
        out[at : at + len(own)] = own
    return out


def _speeds(
    m: Mechanism, plant: Any, joints: list[tuple[TreeJoint, Any]], q: np.ndarray, ours: np.ndarray
) -> np.ndarray:
    """Angular velocities, and torques, stand in the parent's axes there."""
    out = np.zeros(plant.num_velocities())
    for j, theirs in joints:
        own, at = ours[j.columns].copy(), theirs.velocity_start()
        if theirs.num_velocities() > 2:
            own[:3] = j.joint.rotation(q[places_in_q(j)]) @ own[:3]
        out[at : at + len(own)] = own
    return out


def _ours(m: Mechanism, joints: list[tuple[TreeJoint, Any]], q: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Drake's accelerations as rates of our speeds."""
    out = np.zeros(m.n_u)
    for j, theirs in joints:
        at = theirs.velocity_start()
        own = given[at : at + theirs.num_velocities()].copy()
        if len(own) > 2:
            own[:3] = j.joint.rotation(q[places_in_q(j)]).T @ own[:3]
        out[j.columns] = own
    return out
