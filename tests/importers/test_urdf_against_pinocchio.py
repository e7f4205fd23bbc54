"""Accelerations of imported URDF files agree with Pinocchio's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.importers import xml
from tests.importers.peers import peer
from tests.importers.robots import urdf, urdf_joint, urdf_link, urdf_tree, write
from tests.mechanisms import random_state

pin = peer("pinocchio", "pin")
TOLERANCE = 1e-9
DAMPING = 0.3
ROBOT = Path(__file__).parents[2] / "examples" / "robot.urdf"


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
    check_reduced(path, np.array([[1.0, 0.0], [-0.4, 0.0], [0.0, 1.0]]), np.array([0.0, 0.2, 0.0]), rng)


def test_the_robot_of_the_gallery_moves_as_in_pinocchio():
    """Six axes and two fingers, of which one mimics the other."""
    G = np.vstack([np.eye(7), np.eye(7)[6]])
    check_reduced(ROBOT, G, np.zeros(8), np.random.default_rng(5))
    imported = da.load_urdf(ROBOT, laws=False)
    assert [note.partition(": ")[2].partition(":")[0] for note in imported.notes] == ["<limit>"]
    assert all(body.shapes for body in imported.system.bodies.values())


def check_reduced(path: Path, G: np.ndarray, offset: np.ndarray, rng: np.random.Generator) -> None:
    """Coordinates q = G r + offset in the order of the file, for Pinocchio's tree without mimicry."""
    m = da.load_urdf(path, laws=False).build()
    model = pin.buildModelFromUrdf(str(path))
    names = [node.get("name") for node in xml.read(path).all("joint") if node.get("type") != "fixed"]
    order = [names.index(name) for name in m.coordinates]
    r, rdot = rng.uniform(-1, 1, (2, G.shape[1]))
    q, u = (G @ r + offset)[order], (G @ rdot)[order]
    theirs, v = pinocchio_state(model, m, q, u)
    data = model.createData()
    M, h = pin.crba(model, data, theirs), pin.nonLinearEffects(model, data, theirs, v)
    M = np.triu(M) + np.triu(M, 1).T
    # rows of Pinocchio's speeds in r
    H = np.zeros((model.nv, G.shape[1]))
    for k, name in enumerate(names):
        H[model.idx_vs[model.getJointId(name)]] = G[k]
    rddot = np.linalg.solve(H.T @ M @ H, H.T @ (-model.damping * v - h))
    expected = (G @ rddot)[order]
    assert np.abs(m.forward_dynamics(q, u) - expected).max() < TOLERANCE * np.abs(expected).max()
