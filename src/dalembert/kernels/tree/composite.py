"""The mass matrix by composite bodies: two sweeps, then a dot product for every pair of joints on one path.

Motion columns and the forces they call for are brought to world axes about the world's origin, where a pair costs six multiplications
however far apart its joints are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.tree.algorithm import Algorithm
from dalembert.kernels.tree.sweeps import Step
from dalembert.recursive import steps
from dalembert.recursive.sparse import inboard_speeds, runs
from dalembert.recursive.spatial_inertia import RigidInertia
from dalembert.trace.native import FunctionBuilder
from dalembert.vectors import IDENTITY, cross

FIELDS = {"R": 9, "P": 3}
"""World pose."""
COLUMNS = {"S": 6, "F": 6, "J": 1}
"""World motion columns and their forces, and the armature of the joint."""
HANDED = {"J": 10}
"""Composite mass, first and second moment."""


def outward(s: Step) -> None:
    """Where every link is."""
    at = s.place()
    R_J = IDENTITY if s.root else s.parent("R").reshape(3, 3)
    R, P = np.array([at.X.back(row) for row in R_J]), s.parent("P") + R_J @ at.p
    s.put("R", R.ravel())
    s.put("P", P)
    s.later.at = s.keep(at)


def inward(s: Step) -> None:
    """Composite inertia; motion columns and forces in world axes."""
    at, R, P = s.later.at, s.own("R").reshape(3, 3), s.own("P")
    inertia = s.link.inertia if s.leaf else s.link.inertia + _unpacked(s.own("J"))
    for column, i in enumerate(s.link.source.free):
        turning, sliding = at.S[:3, i], at.S[3:, i]
        n, f = (R @ x for x in inertia.times(turning, sliding))
        w = R @ turning
        s.put_column(column, "S", [*w, *(R @ sliding + cross(P, w))])
        s.put_column(column, "F", [*(n + cross(P, f)), *f])
        s.put_column(column, "J", [s.link.armature])
    if not s.root:
        s.hand("J", _packed(steps.inertia_to_parent(at, inertia)))


def _packed(J: RigidInertia) -> list[Any]:
    return [J.m, *J.h, *(J.I[i, j] for i in range(3) for j in range(i + 1))]


def _unpacked(values: np.ndarray) -> RigidInertia:
    I = np.empty((3, 3), dtype=object)
    for x, i, j in zip(values[4:], *np.tril_indices(3)):
        I[i, j] = I[j, i] = x
    return RigidInertia(values[0], values[1:4], I)


def pairs(sweep: Any, module: Any, f: FunctionBuilder) -> None:
    """A[i, j] = F_i · S_j for speed j on the path to i, or i itself; run by run, since a path is mostly consecutive speeds."""
    m, n = sweep.m, sweep.m.n_u
    places = module.int_table(sweep.column_at)
    first = runs(m)
    beginning, inboard = module.int_table(first), module.int_table([inboard_speeds(m)[i] for i in first])
    S, F, J = (f.work + sweep.record.columns[name][0] for name in COLUMNS)
    with f.loop(n) as i:
        force = [(F + places[i])[c] for c in range(6)]
        with f.following(i, inboard) as last, f.loop(beginning[last], last + 1) as j:
            motion = S + places[j]
            total = force[0] * motion[0]
            for c in range(1, 6):
                total = total + force[c] * motion[c]
            f.y[i * n + j] = total
            f.y[j * n + i] = total
        f.y[i * n + i] = f.y[i * n + i] + (J + places[i])[0]


ALGORITHM = Algorithm(
    "mass_matrix",
    lambda m: FIELDS,
    [(outward, False), (inward, True)],
    lambda m: [0] * m.n_bodies,
    lambda m: m.n_u * m.n_u,
    columns=COLUMNS,
    passed=HANDED,
    grouped=True,
    loaded=False,
    sums=True,
    finish=pairs,
)
