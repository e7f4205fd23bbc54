"""A mechanism with the prescribed motion of some joints given up: to tell whether it is time that asks for too much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from dalembert.mechanism import Mechanism, places_from
from dalembert.parts.prescribed import free_law


def prescribed_joints(m: Mechanism) -> list[str]:
    """Joints that time moves."""
    return [j.name for j in m.joints if any(x is not None for x in j.law.q)]


def released(m: Mechanism, names: Iterable[str]) -> Mechanism:
    """The same mechanism with these joints free."""
    free, joints, n_q, n_u = set(names), [], 0, 0
    for j in m.joints:
        law = free_law(j.joint) if j.name in free else j.law
        q_at, u_at = places_from(law, n_q, n_u)
        joints.append(replace(j, law=law, q_at=q_at, u_at=u_at))
        n_q, n_u = n_q + sum(x is not None for x in q_at), n_u + sum(x is not None for x in u_at)
    return replace(m, joints=tuple(joints))


def same_pose(m: Mechanism, q: np.ndarray, t: float, other: Mechanism) -> np.ndarray:
    """The coordinates of `other`, which has the same joints, at the pose q of m."""
    values = m.state(q, np.zeros(m.n_u), t).joint_q
    kept = [x for j, own in zip(other.joints, values) for x, at in zip(own, j.q_at) if at is not None]
    return np.array(kept, dtype=float)
