"""A robot that was imported, written as robot files and read back: the same to the last digits, and other programs agree with them."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.exporters.robots.robot_tree import robot_tree
from dalembert.importers.imported import Imported
from dalembert.importers.peers import PEERS
from dalembert.kinematics.initial import initial_state
from tests.exporters.robot_files import energies, opened, start_again

PEER_OF = {"xml": "mujoco", "urdf": "pinocchio"}
"""The peer that reads a format that is written, by its ending."""
SAME = 1e-12
"""Difference of masses, inertias and places, by the largest, up to which what comes back is the same."""
SEED = 5


def round_trip(found: Imported) -> dict[str, Any]:
    """For each format the difference of energies in a random state, by the largest, and what the peer makes of what was written."""
    s = opened(_bare(found.system), SEED)
    m = s.build()
    q, u = initial_state(m, m.plan.initial, m.plan.speeds, 0.0)
    one, tree = energies(m, q, u), robot_tree(m.numeric)
    out: dict[str, Any] = {}
    for ending, peer in PEER_OF.items():
        with TemporaryDirectory() as folder:
            try:
                path = m.export_robot(Path(folder) / f"robot.{ending}").files[0]
                again = da.load_robot(path, strict=True, laws=False)
                m2 = again.build()
                two = energies(m2, *start_again(m2, tree))
                out[ending] = float(np.abs(one - two).max() / max(1.0, np.abs(one).max()))
            except DalembertError as problem:
                out[ending] = str(problem).replace(folder, "…")
                continue
            try:
                if peer == "pinocchio":  # which does not read the rotors that are written for Drake
                    own = again.system.joints
                    again.system.joints = {name: replace(j, armature=0.0) for name, j in own.items()}
                made = PEERS[peer](path, again, 1)
                out[peer] = made.largest if not made.agrees else min(made.largest, 1e-8)
            except DalembertError as problem:
                out[peer] = str(problem).replace(folder, "…")
    return out


def _bare(system: da.System) -> da.System:
    """Without shapes and forces, which this does not compare."""
    s = copy(system)
    s.bodies = {name: replace(body, shapes=()) for name, body in s.bodies.items()}
    s.forces, s.ground_shapes = {}, ()
    return s


def told(found: dict[str, Any]) -> Iterator[str]:
    """What did not come back, or not to the peer."""
    for name, difference in found.items():
        if isinstance(difference, str):
            yield f"{name}: {difference}"
        elif difference > (SAME if name in PEER_OF else 1e-8):
            yield f"{name}: differs by {difference:.1e}"
