"""Every body by itself: Newton's and Euler's laws with all joints' and constraints' wrenches and the applied forces on it."""

from __future__ import annotations

import numpy as np

from dalembert.kinematics.loads import loads
from dalembert.motion.quantities import udot
from dalembert.motion.reactions import reaction
from dalembert.motion.samples import Samples


def samples(m, q, u, t) -> Samples:
    """One state as a motion of one sample."""
    q, u, t = np.atleast_2d(q), np.atleast_2d(u), np.atleast_1d(np.asarray(t, dtype=float))
    return Samples(m, t, q, u, np.zeros_like(u), m.parameters)


def ends(m, name: str, s) -> tuple[int, int, np.ndarray]:
    """Child and parent of a joint (first and second body of a constraint), and where its wrench on the child is taken."""
    if name in m.joint_number:
        number = m.joint_number[name]
        turned, j = m.tree.reversed[number - 1], m.joints[number - 1]
        child, parent = (m.parent[number - 1], number) if turned else (number, m.parent[number - 1])
        frame = j.on_parent if turned else j.on_child
        return child, parent, s.poses[child].p + s.poses[child].R @ frame.position
    constraint = m.constraint_rows[name].constraint
    first, second = (m.number_of[body] for body in constraint.bodies)
    return first, second, constraint.acts_at(s)[0]


def imbalance(x: Samples, at: list[int]) -> float:
    """The largest error over all bodies at some samples, in parts of the forces and torques that meet there."""
    m = x.mechanism.numeric
    names = [*m.joint_number, *(n for n, d in m.constraint_rows.items() if d.bodies)]
    wrenches = {name: reaction(x, name, "child", "world") for name in names}
    rates, worst = udot(x), 0.0
    for k in at:
        s = m.state(x.q[k], x.u[k], x.t[k])
        applied, acc = loads(s), s.accelerations(rates[k])
        placed = {name: ends(m, name, s) for name in names}
        scale = 1e-3 + max(np.abs([w.force[k], w.torque[k]]).max() for w in wrenches.values())
        for b, body in enumerate(m.bodies, start=1):
            force, moment = applied.force[b - 1].astype(float), applied.moment[b - 1].astype(float)
            R, w, alpha, arm = s.poses[b].R, s.velocities[b].w, acc[b].w, s.com_arms[b - 1]
            com = s.poses[b].p + arm
            for name, (child, parent, place) in placed.items():
                sign = {child: 1.0, parent: -1.0}.get(b, 0.0)
                F, T = wrenches[name].force[k], wrenches[name].torque[k]
                force, moment = force + sign * F, moment + sign * (T + np.cross(place - com, F))
            a = acc[b].v + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
            inertia = R @ body.inertia @ R.T
            moment = moment - inertia @ alpha - np.cross(w, inertia @ w)
            worst = max(worst, np.abs([force - body.mass * a, moment]).max() / scale)
    return float(worst)
