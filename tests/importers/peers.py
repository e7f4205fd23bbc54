"""States and accelerations of the peers, in our order."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

import dalembert as da


def peer(name: str, package: str) -> Any:
    """The peer's module. Where runs decide whether work lands it must be there."""
    if os.environ.get("CI"):
        return __import__(name)
    return pytest.importorskip(name, reason=f"{package} has no wheel for this Python")


def randomize(mm: Any, dd: Any, rng: np.random.Generator) -> None:
    """A random state in MuJoCo's own numbers."""
    dd.qpos[:] = rng.uniform(-1, 1, mm.nq)
    dd.qvel[:] = rng.uniform(-1, 1, mm.nv)
    for kind, at in zip(mm.jnt_type, mm.jnt_qposadr):
        for first in {0: [at + 3], 1: [at]}.get(int(kind), []):
            dd.qpos[first : first + 4] /= np.linalg.norm(dd.qpos[first : first + 4])


def from_mujoco(m: da.Mechanism, mm: Any, dd: Any) -> tuple[np.ndarray, np.ndarray]:
    """(q, u) of ours: quaternions first, angular velocity first; rotors as the joints they follow."""
    q, u = m.reference.copy(), np.zeros(m.n_u)
    for j in m.joints:
        name = j.name.removesuffix("_rotor")
        if not j.joint.n_q or all(x is None for x in j.q_at):
            continue
        one = mm.joint(name)
        qpos, qvel = dd.qpos[one.qposadr[0] :], dd.qvel[one.dofadr[0] :]
        q[list(j.q_at)] = qpos[{7: [3, 4, 5, 6, 0, 1, 2], 4: [0, 1, 2, 3]}.get(j.joint.n_q, [0])]
        u[list(j.u_at)] = qvel[{6: [3, 4, 5, 0, 1, 2], 3: [0, 1, 2]}.get(j.joint.n_u, [0])]
    return q, u


def to_mujoco(m: da.Mechanism, mm: Any, udot: np.ndarray) -> np.ndarray:
    """Our accelerations in MuJoCo's order."""
    out = np.zeros(mm.nv)
    for j in m.joints:
        if not j.joint.n_u or j.name.endswith("_rotor"):
            continue
        at = mm.joint(j.name).dofadr[0]
        out[at : at + j.joint.n_u] = udot[list(j.u_at)][{6: [3, 4, 5, 0, 1, 2], 3: [0, 1, 2]}.get(j.joint.n_u, [0])]
    return out
