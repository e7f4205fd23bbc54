"""The mass matrix by composite bodies: two sweeps, then a dot product for every pair of joints on one path.

Motion columns and the forces they call for are brought to world axes about the world's origin, where a pair costs six multiplications
however far apart its joints are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.algorithm import Algorithm
from dalembert.kernels.sweeps import Step
from dalembert.mechanism import Mechanism
from dalembert.recursive import steps
from dalembert.recursive.inertia import RigidInertia
from dalembert.vectors import IDENTITY, cross


def fields(m: Mechanism) -> dict[str, int]:
    """World pose; composite mass, first and second moment from the children; world motion columns and their forces."""
    widest = max(len(j.free) for j in m.joints)
    return {"R": 9, "P": 3, "J": 10, "S": 6 * widest, "F": 6 * widest}


def outward(s: Step) -> None:
    """Where every link is."""
    at = steps.place(s.link, s.values.q)
    R_J = IDENTITY if s.root else s.carrier("R").reshape(3, 3)
    R, P = np.array([at.X.back(row) for row in R_J]), s.carrier("P") + R_J @ at.p
    s.put("R", R.ravel())
    s.put("P", P)
    s.later.at = s.keep(at)


def inward(s: Step) -> None:
    """Composite inertia; motion columns and forces in world axes."""
    at, R, P = s.later.at, s.own("R").reshape(3, 3), s.own("P")
    inertia = s.link.inertia if s.leaf else s.link.inertia + _unpacked(s.own("J"))
    S_world, F_world = [], []
    for i in s.link.source.free:
        turning, sliding = at.S[:3, i], at.S[3:, i]
        n, f = (R @ x for x in inertia.times(turning, sliding))
        w = R @ turning
        S_world += [*w, *(R @ sliding + cross(P, w))]
        F_world += [*(n + cross(P, f)), *f]
    s.put("S", S_world)
    s.put("F", F_world)
    if not s.root:
        s.hand("J", _packed(inertia.carried(at.X, at.p)))


def _packed(J: RigidInertia) -> list[Any]:
    return [J.m, *J.h, *(J.I[i, j] for i in range(3) for j in range(i + 1))]


def _unpacked(values: np.ndarray) -> RigidInertia:
    I = np.empty((3, 3), dtype=object)
    for x, i, j in zip(values[4:], *np.tril_indices(3)):
        I[i, j] = I[j, i] = x
    return RigidInertia(values[0], values[1:4], I)


def pairs(sweep: Any, module: Any, f: Any) -> None:
    """A[i, j] = F_i · S_j for speed j on the path to i, or i itself."""
    m, record, stride, n = sweep.m, sweep.record, sweep.stride, sweep.m.n_u
    columns = [(c, 6 * i, k) for k, j in enumerate(m.joints) for i, c in enumerate(j.columns)]
    inboard = [_inboard(m, k, i) for _, i, k in columns]
    table = module.int_table([x for (_, i, k), before in zip(columns, inboard) for x in (k * stride + i, before)])
    S, F = (f.work + record.fields[name][0] for name in ("S", "F"))
    with f.loop(n) as i:
        at = table[2 * i]
        force = [(F + at)[c] for c in range(6)]
        path = f.variables(j=i)
        with f.while_(lambda: path.j >= 0):
            j = path.j
            motion = S + table[2 * j]
            total = force[0] * motion[0]
            for c in range(1, 6):
                total = total + force[c] * motion[c]
            f.y[i * n + j] = total
            f.y[j * n + i] = total
            path.j = table[2 * j + 1]


def _inboard(m: Mechanism, k: int, i: int) -> int:
    """The speed just inboard of speed column i/6 of joint k on its path, −1 at the ground."""
    if i:
        return m.joints[k].columns[i // 6 - 1]
    while m.parent[k]:
        k = m.parent[k] - 1
        if m.joints[k].columns:
            return m.joints[k].columns[-1]
    return -1


ALGORITHM = Algorithm(
    "mass_matrix",
    fields,
    [(outward, False), (inward, True)],
    lambda m: [0] * m.n_bodies,
    lambda m: m.n_u * m.n_u,
    loaded=False,
    sums=True,
    finish=pairs,
)
