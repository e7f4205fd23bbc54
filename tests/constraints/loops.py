"""Random mechanisms with closed loops, assembled by construction, and the loops of the source documents."""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.kinematics.rows import constraint_rows
from tests.mechanisms import frame, joint, random_state, random_tree


def random_loops(
    rng: np.random.Generator, n: int, n_loops: int, *, doubled: bool = False, forces: bool = True
) -> tuple[da.Mechanism, np.ndarray, np.ndarray, float]:
    """A random tree with further joints between its bodies, fitted to a random pose: (mechanism, q, u, t) consistent.

    With `doubled` one closure is built in twice, so that its rows are redundant.
    """
    s = random_tree(rng, n, forces=forces)
    tree = s.build()
    q, u, t = random_state(tree, rng)
    state = tree.state(q, u, t)
    names = ["ground", *(b.name for b in tree.bodies)]
    closing = []
    for i in range(n_loops):
        a, b = rng.choice(len(names), 2, replace=False)
        kind = joint(rng)
        while kind.n_u in (0, 6):
            kind = joint(rng)
        on_parent, q_J = frame(rng), _coordinates(rng, kind)
        R_P = state.poses[a].R @ on_parent.rotation
        p_P = state.poses[a].p + state.poses[a].R @ on_parent.position
        R_C, p_C = R_P @ kind.rotation(q_J), p_P + R_P @ kind.translation(q_J)
        R_B, p_B = state.poses[b].R, state.poses[b].p
        on_child = da.Frame(R_B.T @ (p_C - p_B), R_B.T @ R_C)
        for copy in range(2 if doubled and i == 0 else 1):
            name = f"loop{i}{'ab'[copy]}"
            s.add_joint(name, kind, names[a], names[b], on_parent, on_child)
            closing.append(name)
    m = s.build(cut=closing)
    rows = constraint_rows(m.state(q, u, t))
    u = u - np.linalg.lstsq(rows.B, rows.B @ u - rows.b, rcond=1e-9)[0]
    return m, q, u, t


def _coordinates(rng: np.random.Generator, kind: da.Joint) -> np.ndarray:
    q = kind.reference + rng.uniform(-1, 1, kind.n_q)
    if "e0" in kind.coordinates:
        q[:4] /= np.linalg.norm(q[:4])
    return q


def rhombic_linkage(length: float = 1.0, mass: float = 1.0) -> da.System:
    """Source A's example: three equal rods hinged in a row, the last tip fixed one length from the first hinge."""
    s = da.System("rhombic linkage", gravity=(0, -9.81, 0))
    carrier, end = "ground", (0.0, 0.0, 0.0)
    for i in (1, 2, 3):
        s.add_body(f"rod{i}", da.rod(mass, length))
        s.add_joint(f"A{i}", da.Revolute(), carrier, f"rod{i}", at_parent=end)
        carrier, end = f"rod{i}", (length, 0.0, 0.0)
    s.add_joint("tip", da.Revolute(), "rod3", "ground", at_parent=(length, 0, 0), at_child=(length, 0, 0))
    return s


def bricard() -> da.System:
    """The rectangular Bricard linkage: five rods and the ground, six hinges along a cube; one freedom against all counting."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0)] * 2
    s = da.System("Bricard", gravity=(0, -9.81, 0))
    carrier, start = "ground", np.zeros(3)
    for i in range(5):
        along = points[i + 1] - points[i]
        s.add_body(f"rod{i + 1}", da.box(1.0, 0.1 + 0.9 * np.abs(along), com=along / 2))
        s.add_joint(f"J{i + 1}", da.Revolute(axes[i]), carrier, f"rod{i + 1}", at_parent=points[i] - start)
        carrier, start = f"rod{i + 1}", points[i]
    s.add_joint("J6", da.Revolute(axes[5]), "rod5", "ground", at_parent=points[5] - points[4], at_child=points[5])
    return s
