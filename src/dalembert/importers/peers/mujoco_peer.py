"""MuJoCo reads the file too: its accelerations without constraints beside ours."""

from __future__ import annotations

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
from dalembert.mechanism import Mechanism

_QPOS = {7: [3, 4, 5, 6, 0, 1, 2], 4: [0, 1, 2, 3], 1: [0]}
"""Where our coordinates of a joint stand in MuJoCo's, by their number."""
_QVEL = {6: [3, 4, 5, 0, 1, 2], 3: [0, 1, 2], 1: [0]}
"""The same of speeds."""


def compared(path: Path, found: Imported, states: int, text: str | None = None) -> PeerComparison:
    """In random states; controls within the ranges that the file gives them."""
    try:
        import mujoco
    except ImportError as missing:
        raise ModelError("MuJoCo is not installed: pip install mujoco") from missing
    try:
        mm = mujoco.MjModel.from_xml_path(str(path)) if text is None else mujoco.MjModel.from_xml_string(text)
    except (ValueError, mujoco.FatalError) as problem:
        raise ModelError(f"MuJoCo does not read it: {str(problem).splitlines()[0]}") from problem
    mm.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT  # adhesion acts where something touches
    m, dd = open_tree(found), mujoco.MjData(mm)
    controls = [name for name in m.parameters if name.startswith("ctrl_")]
    places = joint_places(m, mm, found)
    differences = Differences(m)
    for kind, rng in random_states(states):
        _randomize(mm, dd, rng, kind)
        q, u, theirs = m.reference.copy(), np.zeros(m.n_u), np.zeros(m.n_u)
        for j, (at_q, at_u) in zip(moving(m), places):
            q[places_in_q(j)], u[j.columns] = dd.qpos[at_q], dd.qvel[at_u]
        own = m.with_parameters(**dict(zip([*controls, *m.states], map(float, [*dd.ctrl, *dd.act]))))
        tau, ours = differences.pushed(own.numeric, q, u, rng)
        for j, (_, at_u) in zip(moving(m), places):
            dd.qfrc_applied[at_u] = tau[j.columns]
        mujoco.mj_forward(mm, dd)
        for j, (_, at_u) in zip(moving(m), places):
            theirs[j.columns] = dd.qacc_smooth[at_u]
        differences.add(kind, ours, theirs)
    return differences.compared("mujoco", states)


def joint_places(m: Mechanism, mm: Any, found: Imported) -> list[tuple[list[int], list[int]]]:
    """For each of our moving joints, where its coordinates and speeds stand in MuJoCo's; both number joints in the file's order."""
    order = [name for name, j in found.system.joints.items() if j.joint.n_u and name not in found.system.cut]
    if len(order) != mm.njnt:
        raise ModelError(f"MuJoCo has {mm.njnt} joints where the import has {len(order)}")
    made = []
    for j in moving(m):
        k = order.index(j.name)
        qpos, qvel = int(mm.jnt_qposadr[k]), int(mm.jnt_dofadr[k])
        made.append(([qpos + i for i in _QPOS[j.joint.n_q]], [qvel + i for i in _QVEL[j.joint.n_u]]))
    return made


def _randomize(mm: Any, dd: Any, rng: np.random.Generator, kind: str) -> None:
    dd.qpos[:] = mm.qpos0 + rng.uniform(-1, 1, mm.nq)
    dd.qvel[:] = 0.0 if kind == "at rest" else rng.uniform(-1, 1, mm.nv)
    for joint, at in zip(mm.jnt_type, mm.jnt_qposadr):
        for first in {0: [at + 3], 1: [at]}.get(int(joint), []):
            e = rng.normal(size=4)
            dd.qpos[first : first + 4] = e / np.linalg.norm(e)
    low, high = np.where(mm.actuator_ctrllimited[:, None], mm.actuator_ctrlrange, [-1.0, 1.0]).T
    dd.act[:] = 0.0 if kind != "with actuators" else rng.uniform(-1.0, 1.0, mm.na)
    dd.ctrl[:] = np.clip(0.0, low, high) if kind != "with actuators" else rng.uniform(low, high)
