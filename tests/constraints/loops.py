"""Random mechanisms with closed loops, assembled by construction. Those of the source documents are in `benchmarks.loop_models`."""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.mechanisms import add_forces, frame, joint, matter, random_state, random_tree


def random_loops(
    rng: np.random.Generator, n: int, n_loops: int, *, doubled: bool = False, forces: bool = True
) -> tuple[da.Mechanism, np.ndarray, np.ndarray, float]:
    """A random tree with further joints between its bodies, fitted to a random pose: (mechanism, q, u, t) consistent.

    With `doubled` one closure is built in twice, so that its rows are redundant.
    """
    s, q, u, t = closed_system(rng, n, n_loops, doubled=doubled, forces=forces)
    m = s.build()
    return m, q, consistent(m, q, u, t), t


def closed_system(
    rng: np.random.Generator, n: int, n_loops: int, *, doubled: bool = False, forces: bool = True
) -> tuple[da.System, np.ndarray, np.ndarray, float]:
    """What `random_loops` builds, as a system that says where it is cut, with an assembled pose and any speeds."""
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
    s.cut = tuple(closing)
    return s, q, u, t


def consistent(m: da.Mechanism, q: np.ndarray, u: np.ndarray, t: float) -> np.ndarray:
    """The nearest speeds that obey every row."""
    rows = constraint_rows(m.state(q, u, t))
    return u - np.linalg.lstsq(rows.B, rows.B @ u - rows.b, rcond=1e-9)[0]


def rolling_system(rng: np.random.Generator, orientation: str) -> da.System:
    """A ball, a wheel or a skate on a moving floor or the ground, with a body joined to it."""
    s = da.System("rolling", gravity=(0.3, 0.2, -9.81))
    floor = "ground"
    if rng.random() < 0.4:
        s.add_body("floor", matter(rng))
        s.add_joint("shaker", da.Prismatic((1, 0, 0)), "ground", "floor", prescribed=lambda t: 0.2 * da.sin(2 * t))
        floor = "floor"
    s.add_body("round", matter(rng))
    s.add_joint("float", da.Free(orientation), "ground", "round")
    s.add_body("rider", matter(rng))
    s.add_joint("seat", joint(rng, orientation), "round", "rider", frame(rng), frame(rng))
    contacts = [
        da.RollingBall("round", radius=0.4, origin=floor),
        da.RollingDisc("round", radius=0.4, origin=floor, axis=(0, 1, 0)),
        da.KnifeEdge(("round", (0.1, 0.2, 0.0)), (0, 1, 0), on=floor),
    ]
    s.add_constraint("contact", contacts[rng.integers(3)])
    if rng.random() < 0.5:
        s.add_constraint("lane", da.Relation(position=lambda s: s.position("round")[1] - 0.3 * da.sin(s.t)))
    add_forces(s, rng)
    return s


def _coordinates(rng: np.random.Generator, kind: da.Joint) -> np.ndarray:
    q = kind.reference + rng.uniform(-1, 1, kind.n_q)
    return np.asarray(kind.admissible(q), dtype=float)
