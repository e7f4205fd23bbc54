"""States and accelerations of the peers, in our order."""

from __future__ import annotations

import importlib
import os
import platform
import sys
from typing import Any

import numpy as np
import pytest

import dalembert as da


def peer(name: str, package: str) -> Any:
    """The peer's module. Where a run decides whether work lands, and the extra "peers" offers it, it must be there."""
    offered = sys.version_info < (3, 14) and sys.platform != "win32"
    if package == "drake":
        offered = offered and sys.platform == "linux" and platform.machine() == "x86_64"
    if os.environ.get("CI") and offered:
        return importlib.import_module(name)
    return pytest.importorskip(name, reason=f"{package} is not installed: it may have no wheel for this Python")


def randomize(mm: Any, dd: Any, rng: np.random.Generator) -> None:
    """A random state in MuJoCo's own numbers."""
    dd.qpos[:] = rng.uniform(-1, 1, mm.nq)
    dd.qvel[:] = rng.uniform(-1, 1, mm.nv)
    for kind, at in zip(mm.jnt_type, mm.jnt_qposadr):
        for first in {0: [at + 3], 1: [at]}.get(int(kind), []):
            dd.qpos[first : first + 4] /= np.linalg.norm(dd.qpos[first : first + 4])


def _moving(m: da.Mechanism) -> list[da.mechanism.TreeJoint]:
    return [j for j in m.joints if j.joint.n_u]


def from_mujoco(m: da.Mechanism, mm: Any, dd: Any) -> tuple[np.ndarray, np.ndarray]:
    """(q, u) of ours: quaternions first, angular velocity first."""
    q, u = m.reference.copy(), np.zeros(m.n_u)
    for j in _moving(m):
        one = mm.joint(j.name)
        q[list(j.q_at)] = dd.qpos[one.qposadr[0] :][_QPOS[j.joint.n_q]]
        u[list(j.u_at)] = dd.qvel[one.dofadr[0] :][_QVEL[j.joint.n_u]]
    return q, u


def to_qpos(m: da.Mechanism, mm: Any, q: np.ndarray) -> np.ndarray:
    """Our coordinates in MuJoCo's order."""
    out = np.zeros(mm.nq)
    for j in _moving(m):
        at = mm.joint(j.name).qposadr[0]
        out[[at + k for k in _QPOS[j.joint.n_q]]] = q[list(j.q_at)]
    return out


def to_mujoco(m: da.Mechanism, mm: Any, udot: np.ndarray) -> np.ndarray:
    """Our accelerations, or a row on our speeds, in MuJoCo's order."""
    out = np.zeros(mm.nv)
    for j in _moving(m):
        at = mm.joint(j.name).dofadr[0]
        out[[at + k for k in _QVEL[j.joint.n_u]]] = udot[list(j.u_at)]
    return out


_QPOS = {7: [3, 4, 5, 6, 0, 1, 2], 4: [0, 1, 2, 3], 1: [0]}
"""Where our coordinates of a joint stand in MuJoCo's."""
_QVEL = {6: [3, 4, 5, 0, 1, 2], 3: [0, 1, 2], 1: [0]}
