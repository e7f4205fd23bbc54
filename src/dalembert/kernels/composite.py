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
from dalembert.recursive.sparse import inboard_speeds, runs
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
    """A[i, j] = F_i · S_j for speed j on the path to i, or i itself; run by run, since a path is mostly consecutive speeds."""
    m, record, stride, n = sweep.m, sweep.record, sweep.stride, sweep.m.n_u
    columns = [(6 * i, k) for k, j in enumerate(m.joints) for i in range(len(j.columns))]
    places = module.int_table([k * stride + i for i, k in columns])
    first = runs(m)
    beginning, inboard = module.int_table(first), module.int_table([inboard_speeds(m)[i] for i in first])
    S, F = (f.work + record.fields[name][0] for name in ("S", "F"))
    with f.loop(n) as i:
        force = [(F + places[i])[c] for c in range(6)]
        with f.following(i, inboard) as last, f.loop(beginning[last], last + 1) as j:
            motion = S + places[j]
            total = force[0] * motion[0]
            for c in range(1, 6):
                total = total + force[c] * motion[c]
            f.y[i * n + j] = total
            f.y[j * n + i] = total


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
