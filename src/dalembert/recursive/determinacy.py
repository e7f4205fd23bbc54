"""Does every freedom move some mass? A freedom that moves none has no equation of motion."""

from __future__ import annotations

import numpy as np

from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive import steps
from dalembert.recursive.algorithms import Tree
from dalembert.recursive.inertia import Inertia
from dalembert.recursive.steps import NOTHING

_RATIO = 1e-10
"""Articulated over locked inertia below which a freedom counts as moving nothing; real mechanisms stay far above."""


def massless_freedom(m: Mechanism) -> tuple[str, str] | None:
    """(joint, speed) of an outermost freedom that moves no mass at a random state, or None.

    A is positive definite if and only if every joint's block D of the articulated-body factorisation is.
    """
    m = m.numeric
    if all(b.mass > 0.0 and np.linalg.eigvalsh(b.inertia)[0] > _RATIO * np.trace(b.inertia) for b in m.bodies):
        return None
    rng = np.random.default_rng(0)
    somewhere = m.admissible(m.reference + rng.uniform(-0.5, 0.5, m.n_q))
    tree = Tree(State(m, 0.0, somewhere, np.zeros(m.n_u)))
    inertia: list[Inertia] = [link.inertia.blocks() for link in tree.links]
    locked = [link.inertia for link in tree.links]
    for k in reversed(range(m.n_bodies)):
        link, at = tree.links[k], tree.placements[k]
        S = at.S[:, link.source.free]
        D, D_locked = S.T @ inertia[k].matrix() @ S, S.T @ locked[k].blocks().matrix() @ S
        moments, directions = np.linalg.eigh(D) if S.size else (np.ones(1), np.zeros((0, 1)))
        if moments[0] <= _RATIO * np.trace(D_locked):
            worst = link.source.free[int(np.argmax(np.abs(directions[:, 0])))]
            return link.source.name, link.joint.speeds[worst]
        if link.parent:
            torque = np.zeros(S.shape[1])
            factor, U = steps.factorise(link, at, inertia[k], NOTHING, torque)
            handed, _ = steps.hand_inward(link, at, inertia[k], NOTHING, U, factor, NOTHING, torque)
            inertia[link.parent - 1] = inertia[link.parent - 1] + handed
            locked[link.parent - 1] = locked[link.parent - 1] + locked[k].carried(at.X, at.p)
    return None
