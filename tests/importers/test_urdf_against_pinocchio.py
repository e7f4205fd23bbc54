"""Accelerations of imported URDF files agree with Pinocchio's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from tests.importers.peers import peer
from tests.importers.robots import urdf, urdf_joint, urdf_link, urdf_tree, write
from tests.mechanisms import random_state

pin = peer("pinocchio", "pin")
TOLERANCE = 1e-9
DAMPING = 0.3


def pinocchio_state(model: Any, m: da.Mechanism, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Our (q, u) in Pinocchio's numbers: continuous joints have cosine and sine, free bodies their velocity in own axes."""
    theirs, v = pin.neutral(model), np.zeros(model.nv)
    for j in (j for j in m.joints if j.joint.n_u):
        k = model.getJointId(j.name) if model.existJointName(j.name) else model.getJointId("root_joint")
        iq, nq, iv, nv = model.idx_qs[k], model.nqs[k], model.idx_vs[k], model.nvs[k]
        mine, speeds = q[list(j.q_at)], u[list(j.u_at)]
        if nv == 6:
            R = j.joint.rotation(mine)
            theirs[iq : iq + 7] = [*mine[4:], *mine[1:4], mine[0]]
            v[iv : iv + 6] = [*(R.T @ speeds[3:]), *speeds[:3]]
        else:
            theirs[iq : iq + nq] = [np.cos(mine[0]), np.sin(mine[0])] if nq == 2 else mine
            v[iv] = speeds[0]
    return theirs, v


def our_accelerations(model: Any, m: da.Mechanism, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Pinocchio's accelerations as rates of our speeds: those of a free body's velocity are R (a + ω × v)."""
    out = np.zeros(m.n_u)
    for j in (j for j in m.joints if j.joint.n_u):
        k = model.getJointId(j.name) if model.existJointName(j.name) else model.getJointId("root_joint")
        iv = model.idx_vs[k]
        if model.nvs[k] == 6:
            R = j.joint.rotation(q[list(j.q_at)])
            linear = R @ (a[iv : iv + 3] + np.cross(v[iv + 3 : iv + 6], v[iv : iv + 3]))
            out[list(j.u_at)] = [*a[iv + 3 : iv + 6], *linear]
        else:
            out[list(j.u_at)] = a[iv]
    return out


def damped(model: Any, m: da.Mechanism, v: np.ndarray) -> np.ndarray:
    tau = -DAMPING * v
    for j in m.joints:
        if j.joint.n_u == 6:
            tau[:6] = 0.0
    return tau


def check(path: Path, base: str, rng: np.random.Generator) -> None:
    m = da.load_urdf(path, base=base).build()
    model = (
        pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
        if base == "free"
        else pin.buildModelFromUrdf(str(path))
    )
    q, u, _ = random_state(m, rng)
    theirs, v = pinocchio_state(model, m, q, u)
    a = pin.aba(model, model.createData(), theirs, v, damped(model, m, v))
    expected = our_accelerations(model, m, q, v, a)
    assert np.abs(m.forward_dynamics(q, u) - expected).max() < TOLERANCE * np.abs(expected).max()


@pytest.mark.parametrize(
    ("base", "branching", "seed"), [("fixed", False, 1), ("fixed", True, 2), ("free", True, 3)], ids=str
)
def test_trees_move_as_in_pinocchio(tmp_path, base, branching, seed):
    """A chain, a branching tree, and one on a floating base; all one-freedom joints, oblique inertias, dampers."""
    rng = np.random.default_rng(seed)
    inside = f'<dynamics damping="{DAMPING}"/>'
    path = write(tmp_path, "robot.urdf", urdf(urdf_tree(rng, 6, branching=branching, inside=inside)))
    check(path, base, rng)


def test_mimic_joints_are_exact_constraints(tmp_path):
    """GᵀM G r̈ = Gᵀ(τ − h) with Pinocchio's M and h, where q = G r + offset."""
    rng = np.random.default_rng(4)
    parts = [urdf_link(rng, n) for n in ("root", "a", "b", "c")]
    parts += [
        urdf_joint(rng, "ja", "revolute", "root", "a"),
        urdf_joint(rng, "jb", "prismatic", "a", "b", '<mimic joint="ja" multiplier="-0.4" offset="0.2"/>'),
        urdf_joint(rng, "jc", "revolute", "b", "c"),
    ]
    path = write(tmp_path, "robot.urdf", urdf("".join(parts)))
    m = da.load_urdf(path).build()
    # the urdfdom parser follows mimicry only when asked: here it gives the tree without it
    model = pin.buildModelFromUrdf(str(path))
    G = np.array([[1.0, 0.0], [-0.4, 0.0], [0.0, 1.0]])
    r, rdot = rng.uniform(-1, 1, 2), rng.uniform(-1, 1, 2)
    q, u = G @ r + [0.0, 0.2, 0.0], G @ rdot
    theirs, v = pinocchio_state(model, m, q, u)
    data = model.createData()
    M, h = pin.crba(model, data, theirs), pin.nonLinearEffects(model, data, theirs, v)
    M = np.triu(M) + np.triu(M, 1).T
    expected = G @ np.linalg.solve(G.T @ M @ G, -G.T @ h)
    assert np.abs(m.forward_dynamics(q, u) - expected).max() < TOLERANCE * np.abs(expected).max()
