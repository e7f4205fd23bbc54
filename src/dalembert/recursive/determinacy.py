"""Does every freedom move some mass? A freedom that moves none has no equation of motion."""

from __future__ import annotations

import numpy as np

from dalembert.errors import ModelError
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive import steps
from dalembert.recursive.algorithms import Tree
from dalembert.recursive.steps import NOTHING
from dalembert.vectors import ZERO

_RATIO = 1e-10
"""Articulated over locked inertia below which a freedom counts as moving nothing; real mechanisms stay far above."""

_SLIGHT = 0.05
"""Part of the usual deformations of elastic bodies: bent far, their inertia may be spent, and would be taken for missing."""


def massless_freedom(m: Mechanism) -> tuple[str, str] | None:
    """(joint, speed) of an outermost freedom that moves no mass at a random state, or None.

    A is positive definite if and only if every joint's block D of the articulated-body factorisation is.
    """
    m = m.numeric
    mass, moments = m.arrays.mass, np.linalg.eigvalsh(m.arrays.inertia)
    if np.all((mass > 0.0) & (moments[:, 0] > _RATIO * moments.sum(axis=1))):
        return None
    somewhere = m.somewhere(np.random.default_rng(0), 0.5)
    somewhere[m.modal_weights[0]] *= _SLIGHT
    tree = Tree(State(m, 0.0, somewhere, np.zeros(m.n_u)))
    inertia = [own.inertia() for own in tree.link_inertias]
    locked = [own.inertia() for own in tree.link_inertias]
    for k in reversed(range(m.n_bodies)):
        link, at = tree.links[k], tree.placements[k]
        S = at.S[:, link.source.free]
        large = m.scales.speeds[link.source.columns]  # turning and sliding compared by the work along a large step
        by = np.outer(large, large)
        D, D_locked = (by * steps.joint_inertia(link, at, I)[1] for I in (inertia[k], locked[k]))
        if not np.isfinite(D).all():
            raise ModelError(
                f'joint "{link.source.name}": what it moves has an inertia beyond what can be computed with; look for masses or '
                "lengths that are far too large or too small"
            )
        moments, directions = np.linalg.eigh(D) if S.size else (np.ones(1), np.zeros((0, 1)))
        if moments[0] <= _RATIO * np.trace(D_locked):
            worst = link.source.free[int(np.argmax(np.abs(directions[:, 0])))]
            return link.source.name, link.joint.speeds[worst]
        if link.parent:
            torque, modal = np.zeros(S.shape[1]), np.zeros(inertia[k].C.shape[1])
            own = steps.inertia_in_joint(at, inertia[k])
            factor, U = steps.factorise(link, at, own, NOTHING, torque, modal)
            handed, _ = steps.articulated_to_parent(link, at, own, NOTHING, U, factor, ZERO, torque)
            J, base = link.parent - 1, tree.bases[k]
            inertia[J] = inertia[J] + base.inertia(handed)
            locked[J] = locked[J] + base.inertia(steps.inertia_to_parent(at, locked[k]))
    return None
