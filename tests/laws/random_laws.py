"""Random mechanisms, trees and loops in space, with random laws."""

from __future__ import annotations

import numpy as np

import dalembert as da

from ..constraints.loops import closed_system
from ..mechanisms import random_tree, unit


def random_system(rng: np.random.Generator, loops: int) -> tuple[da.System, np.ndarray, np.ndarray]:
    """A system of four to six bodies with laws on its joints and floors under its bodies, and a state to begin from."""
    n = int(rng.integers(3, 6))
    if loops:
        s, q, u, _ = closed_system(rng, n, loops, forces=False)
    else:
        s = random_tree(rng, n, forces=False, prescribed=False)
        m = s.build()
        q = m.admissible(m.reference + rng.uniform(-0.5, 0.5, m.n_q))
        u = rng.uniform(-1, 1, m.n_u)
    m = s.build()
    add_laws(s, m, q, rng)
    return s, q, u


def add_laws(s: da.System, m: da.Mechanism, q: np.ndarray, rng: np.random.Generator) -> None:
    """Stops and friction on joints of one freedom, floors under points of bodies; nothing is violated at q."""
    state = m.state(q)
    for name, p in s.joints.items():
        if not isinstance(p.joint, (da.Revolute, da.Prismatic)) or name not in m.joint_number:
            continue
        now = float(state.q[name])
        match int(rng.integers(4)):
            case 0:
                ends = now - rng.uniform(0.02, 0.4), now + rng.uniform(0.02, 0.4)
                s.add_law(f"stop_{name}", da.Stop(name, *ends, restitution=rng.uniform(0, 0.9)))
            case 1:
                s.add_law(
                    f"dry_{name}", da.JointFriction(name, force=rng.uniform(0.1, 3.0), viscous=rng.uniform(0, 0.2))
                )
            case 2:
                by = da.JointFriction(name, mu=rng.uniform(0.05, 0.4), radius=0.05, stribeck=0.3, mu_static=0.5)
                s.add_law(f"worn_{name}", by)
    for k, body in enumerate(list(s.bodies)[:2]):
        normal = np.array(unit(rng))
        point = rng.uniform(-0.3, 0.3, 3)
        place = np.asarray(state.position((body, point)), dtype=float)
        origin = place - rng.uniform(0.01, 0.3) * normal
        floor = da.Contact(
            (body, point), ("ground", origin), tuple(normal), mu=rng.uniform(0, 0.8), restitution=rng.uniform(0, 0.9)
        )
        s.add_law(f"floor_{k}", floor)
