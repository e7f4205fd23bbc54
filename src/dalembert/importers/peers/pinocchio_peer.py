"""Pinocchio reads the URDF file too: its accelerations beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.importers.imported import Imported
from dalembert.importers.naming import plain
from dalembert.importers.peers.peer_comparison import (
    Differences,
    PeerComparison,
    moving,
    open_tree,
    places_in_q,
    random_states,
)
from dalembert.mechanism import Mechanism


def compared(path: Path, found: Imported, states: int, text: str | None = None) -> PeerComparison:
    """In random states, with the file's damping, which Pinocchio keeps but leaves to the caller."""
    try:
        import pinocchio as pin
    except ImportError as missing:
        raise ModelError("Pinocchio is not installed: pip install pin") from missing
    m = open_tree(found)
    free = any(j.joint.n_u == 6 and j.name.startswith("base_") for j in m.joints)
    try:
        root = [pin.JointModelFreeFlyer()] if free else []
        model = pin.buildModelFromUrdf(str(path), *root) if text is None else pin.buildModelFromXML(text, *root)
    except (ValueError, RuntimeError) as problem:
        raise ModelError(f"Pinocchio does not read it: {str(problem).splitlines()[0]}") from problem
    model.gravity.linear = np.array(m.gravity, dtype=float)
    data, places = model.createData(), joint_ids(m, model)
    differences = Differences(m)
    for kind, rng in random_states(states):
        q = m.admissible(m.reference + rng.uniform(-1.0, 1.0, m.n_q))
        u = np.zeros(m.n_u) if kind == "at rest" else rng.uniform(-1.0, 1.0, m.n_u)
        theirs, v = _state(pin, model, m, places, q, u)
        tau, ours = differences.pushed(m.numeric, q, u, rng)
        a = pin.aba(model, data, theirs, v, _forces(model, m, places, q, tau) - np.asarray(model.damping) * v)
        differences.add(kind, ours, _accelerations(model, m, places, q, v, a))
    return differences.compared("pinocchio", states)


def joint_ids(m: Mechanism, model: Any) -> list[int]:
    """Pinocchio's joint for each of our moving ones."""
    if model.nv != m.n_u:
        raise ModelError(f"Pinocchio has {model.nv} speeds where the import has {m.n_u}")
    made, there = [], {plain(name): k for k, name in enumerate(model.names)}
    for j in moving(m):
        name = j.name if j.name in there else "root_joint"
        if name not in there:
            raise ModelError(f'Pinocchio has no joint "{j.name}"')
        made.append(there[name])
    return made


def _state(
    pin: Any, model: Any, m: Mechanism, places: list[int], q: np.ndarray, u: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Continuous joints have cosine and sine there; free and planar bodies their velocity in their own axes."""
    theirs, v = pin.neutral(model), np.zeros(model.nv)
    for j, k in zip(moving(m), places):
        iq, nq, iv, nv = model.idx_qs[k], model.nqs[k], model.idx_vs[k], model.nvs[k]
        mine, speeds = q[places_in_q(j)], u[j.columns]
        if nv == 6:
            R = j.joint.rotation(mine)
            theirs[iq : iq + 7] = [*mine[4:], *mine[1:4], mine[0]]
            v[iv : iv + 6] = [*(R.T @ speeds[3:]), *speeds[:3]]
        elif nv == 1:
            theirs[iq : iq + nq] = [np.cos(mine[0]), np.sin(mine[0])] if nq == 2 else mine
            v[iv] = speeds[0]
        else:
            raise ModelError(f'joint "{j.name}" of {nv} freedoms has other speeds in Pinocchio; it is not compared')
    return theirs, v


def _forces(model: Any, m: Mechanism, places: list[int], q: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Forces on our speeds as forces on theirs: those along a free body's velocity in its own axes."""
    out = np.zeros(model.nv)
    for j, k in zip(moving(m), places):
        iv = model.idx_vs[k]
        if model.nvs[k] == 6:
            R = j.joint.rotation(q[places_in_q(j)])
            out[iv : iv + 6] = [*(R.T @ tau[j.columns][3:]), *tau[j.columns][:3]]
        else:
            out[iv] = tau[j.columns][0]
    return out


def _accelerations(
    model: Any, m: Mechanism, places: list[int], q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> np.ndarray:
    """As rates of our speeds: those of a free body's velocity are R (a + ω × v)."""
    out = np.zeros(m.n_u)
    for j, k in zip(moving(m), places):
        iv = model.idx_vs[k]
        if model.nvs[k] == 6:
            R = j.joint.rotation(q[places_in_q(j)])
            linear = R @ (a[iv : iv + 3] + np.cross(v[iv + 3 : iv + 6], v[iv : iv + 3]))
            out[j.columns] = [*a[iv + 3 : iv + 6], *linear]
        else:
            out[j.columns] = a[iv]
    return out
