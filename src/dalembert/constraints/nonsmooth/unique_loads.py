"""Friction by what a joint transmits, and sensors of it, need that to be unique: in over-constrained loops it may hang on how joints
share a load.

Rows that depend on each other leave self-stresses open. Real joints give a little, and share by their compliances. So all joints are
given compliances, as soft against forces in one direction as in any other, at random: where the load of friction comes out alike
whatever they are, it is unique but for a mechanism that was built under stress. A planar linkage in space is such: its redundant rows
bear nothing as long as all forces lie in its plane. Where the load hangs on the compliances, so does the motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.errors import DalembertError
from dalembert.formulations.tree import kane
from dalembert.kinematics.law_mode import ElementState, LawMode
from dalembert.kinematics.law_rows import law_rows
from dalembert.kinematics.state import State
from dalembert.kinematics.transmitted import Transmitted, transmitted
from dalembert.mechanism import Mechanism
from dalembert.pivoting import least_squares

SAME = 1e-7
"""Part of the largest force in a load by which two shares of it may differ by rounding."""
TRIALS = 3
"""Random motions and forces of laws, besides those of the state itself, in which shares are compared."""
COMPLIANCES = 3
"""Sets of compliances that are tried in each."""
SOFTER = 2.0
"""Powers of e by which a compliance may be softer or stiffer than another."""
RANK_OF_LOADS, RANK_OF_SPEEDS = 1e-10, 1e-9
"""Part of the largest singular value below which loads are shared at will, and below which rows ask for no speeds."""


def check_loads_unique(
    m: Mechanism, q: np.ndarray, u: np.ndarray, t: float, kept: Sequence[int], error: type[DalembertError]
) -> None:
    """Refuse, by its joint, friction or a sensor whose load depends on how the redundant rows share it; `kept` bear it in the
    equations."""
    if not m.needs_unique_loads or len(kept) == len(m.rows):
        return
    m, rng = m.numeric, np.random.default_rng(0)
    for trial in range(TRIALS + 1):
        s = m.state(q, u, t)
        x = _Shares(s, list(kept), rng.standard_normal(len(m.law_table)) if trial else np.zeros(len(m.law_table)))
        shares = [x.in_equations, *(x.by_compliances(rng) for _ in range(COMPLIANCES))]
        for who, joint, components in _wanted(m):
            rows = components @ x.joints[joint].X[:, : len(x.B)]
            largest = np.abs(rows).max(initial=0.0) * np.abs(shares).max(initial=0.0)
            apart = [float(np.linalg.norm(rows @ (lam - shares[1]))) > SAME * largest for lam in shares]
            if any(apart):
                raise error(f"{who}: {_said(joint, any(apart[1:]), who.startswith('law'))}")
        if trial < TRIALS:
            free = rng.standard_normal(m.n_u)
            u = free - np.linalg.pinv(x.B, rcond=RANK_OF_SPEEDS) @ (x.B @ free)


def _wanted(m: Mechanism) -> Iterator[tuple[str, str, np.ndarray]]:
    """Who goes by what a joint transmits, the joint, and the components (n × 6) of it, those of one kind together."""
    for i, load in m.law_table.loads.items():
        for term in load.terms:
            yield f'law "{m.law_table.title(i)}"', load.joint, np.asarray(term.rows[:, :6], dtype=float)
    for name, joints in m.sensed_joints.items():
        for joint in joints:
            yield from ((f'element "{name}"', joint, np.eye(6)[part]) for part in (slice(0, 3), slice(3, 6)))


def _said(joint: str, by_stiffness: bool, friction: bool) -> str:
    """What is wrong, in words: with the mechanism, or with the rows that bear the load in its equations."""
    if by_stiffness and not friction:
        return (
            f'what joint "{joint}" transmits is not unique, as the loops are over-constrained, so that no sensor can say what it '
            "reads. Free what is redundant (m.diagnose() names it), or read what is unique after the run, by motion.reaction"
        )
    if by_stiffness:
        return (
            f'what joint "{joint}" transmits is not unique, as the loops are over-constrained, and so neither is its friction nor the '
            "motion. Free what is redundant (m.diagnose() names it), or give the friction force itself"
        )
    return (
        f'what joint "{joint}" transmits does not follow from the rows by which the over-constrained loop is closed, as their axes lie '
        "across the plane of its loads. Close the loop at another joint (s.build(cut=[…])), or turn the joint's axes"
    )


class _Shares:
    """Multipliers of all rows of loops in a state, in which laws exert `exerted`, by any share."""

    def __init__(self, s: State, kept: list[int], exerted: np.ndarray):
        m = self.m = s.mechanism
        e = kane.equations(s)
        A, f, self.B, gamma = (np.asarray(x, dtype=float) for x in (e.A, e.f, e.B, e.gamma))
        self.exerted = np.abs(f).max(initial=1e-300) * exerted
        f = f - np.asarray(law_rows(s).B, dtype=float).T @ self.exerted
        B = self.B
        Y = np.linalg.solve(A, B[kept].T)
        self.in_equations = np.zeros(len(B))
        self.in_equations[kept] = least_squares(B[kept] @ Y, Y.T @ f - gamma[kept], RANK_OF_LOADS)
        self.udot = np.linalg.solve(A, f - B.T @ self.in_equations)
        named = [j.name for j in m.joints] + list(m.closures)
        self.joints = {name: _numbers(transmitted(s, name)) for name in named}
        self.self_stresses = _null_space(B.T)

    def by_compliances(self, rng: np.random.Generator) -> np.ndarray:
        """The share of least energy in joints and constraints that are as soft as chance has it."""
        m, N = self.m, self.self_stresses
        every, stress = [], []
        lam = np.concatenate([self.in_equations, self.exerted])
        for w in self.joints.values():
            turning, pulling = np.exp(rng.uniform(-SOFTER, SOFTER, 2))
            soft = np.repeat([turning / m.scales.length, pulling], 3)
            every.append(soft * (w.w0 + w.W @ self.udot + w.X @ lam))
            stress.append(soft[:, None] * (w.X[:, : len(self.B)] @ N))
        own = [k for k, name in enumerate(m.rows.owners) if name not in m.closures]
        soft = np.exp(rng.uniform(-SOFTER, SOFTER, len(own)))
        every.append(soft * self.in_equations[own])
        stress.append(soft[:, None] * N[own])
        share = least_squares(np.vstack(stress), -np.concatenate(every), RANK_OF_LOADS)
        return np.asarray(self.in_equations + N @ share)


def loaded_at_will(k: Kinetics, mode: LawMode) -> list[int]:
    """Elements that slide under a load which hangs on how rows that hold share their forces, as those of laws may be redundant too."""
    rows = [*range(k.n_loops), *(k.n_loops + r for r in mode.enforced_rows())]
    stresses = k.per_force[:, rows] @ _null_space(k.rows[rows].T)
    largest = np.abs(k.per_force).max(initial=0.0)
    terms = k.table.load_terms
    loose = {x.element for x in terms if (np.abs(stresses[x.start : x.start + x.size]) > SAME * largest).any()}
    return [i for i in sorted(loose) if mode.state(i) is ElementState.SLIP]


def _numbers(w: Transmitted) -> Transmitted:
    w0, W, X = (np.asarray(x, dtype=float) for x in (w.w0, w.W, w.X))
    return w._replace(w0=w0, W=W, X=X)


def _null_space(M: np.ndarray) -> np.ndarray:
    """Columns that M takes to nothing."""
    if not M.size:
        return np.zeros((M.shape[1], 0))
    _, sizes, V = np.linalg.svd(M)
    rank = int((sizes > RANK_OF_LOADS * sizes.max(initial=0.0)).sum())
    return V[rank:].T
