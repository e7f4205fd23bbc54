"""One branch of a mechanism's poses with a single freedom left: B v = 0 gives its tangent, Newton's method brings it back to the loops.

The freedom is measured by one coordinate, the input. Where its part of the tangent vanishes the input is at a dead point: the branch
goes on, the input must turn back. Where the rows themselves lose rank, two branches meet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.assembly.assemble import close, displaced
from dalembert.constraints.diagnosis.diagnose import diagnose
from dalembert.errors import LoopError
from dalembert.formulations.tree import kane
from dalembert.kinematics.constraint_rows import closure
from dalembert.mechanism import Mechanism
from dalembert.words import counted

NEARLY_NULL = 1e-4
"""Singular value of the rows, relative to the largest, below which two branches cannot be distinguished by their tangents."""
NOWHERE = 1e-6
"""Part of a direction below which it says nothing of how to go on."""


@dataclass(frozen=True, eq=False)
class Branch:
    """`s` is the input's place in u; `fixed` are the places of speeds that stay; `t` is a fixed time."""

    m: Mechanism
    s: int
    fixed: tuple[int, ...]
    rows: tuple[int, ...]
    free: tuple[int, ...]
    """Speeds that follow the input, as many as there are rows."""
    t: float
    norms: np.ndarray
    """Norms of the rows, in the metric of the inverse mass matrix, the largest at several poses."""
    size: np.ndarray
    """Sizes of the speeds, in the metric of the mass matrix."""

    @staticmethod
    def through(m: Mechanism, q: np.ndarray, s: int, fixed: tuple[int, ...], t: float) -> Branch:
        """Checked: one freedom is left when `fixed` stay."""
        m = m.numeric
        fixed = tuple(i for i in fixed if i != s)
        g, B = closure(m.state(q, np.zeros(m.n_u), t))
        verdict = diagnose(m, q, t) if len(g) else None
        rows = tuple(k for k in verdict.independent if m.rows.holonomic[k]) if verdict else ()
        free = tuple(i for i in range(m.n_u) if i != s and i not in fixed and np.any(B[list(rows), i] != 0.0))
        if len(free) != len(rows):
            named = ", ".join(m.speeds[i] for i in free)
            if len(free) > len(rows):
                raise LoopError(
                    f'sweeping "{m.speeds[s]}" leaves {counted(len(free) - len(rows), "freedom")} open among {named}: '
                    "give initial values for that many of them; these coordinates then stay fixed"
                )
            others = ", ".join(m.speeds[i] for i in fixed)
            raise LoopError(
                f'"{m.speeds[s]}" cannot move while {others} are fixed: give fewer'
                if others
                else f'"{m.speeds[s]}" cannot move: loops and prescribed motion leave it no freedom'
            )
        size = np.sqrt(np.diagonal(kane.mass_matrix(m.state(q, np.zeros(m.n_u), t))))
        norms = verdict.norms[list(rows)] if verdict else np.zeros(0)
        return Branch(m, s, fixed, rows, free, t, norms, size)

    @property
    def steps(self) -> np.ndarray:
        """Steps of the speeds, by which directions are measured: 1 rad, the mechanism's length, a slight deformation."""
        return self.m.scales.speeds

    @cached_property
    def _moving(self) -> list[int]:
        return [*self.free, self.s]

    @cached_property
    def _still(self) -> list[int]:
        return [i for i in range(self.m.n_u) if i not in self._moving]

    def coordinate(self, q: np.ndarray, speed: int | None = None) -> float:
        """Coordinate of the input, or of another speed that is its coordinate's rate."""
        wanted = self.s if speed is None else speed
        return float(q[next(at for at in range(self.m.n_q) if self.m.rate_place(at) == wanted)])

    def _unit_rows(self, q: np.ndarray) -> np.ndarray:
        B = closure(self.m.state(q, np.zeros(self.m.n_u), self.t))[1][list(self.rows)]
        unit: np.ndarray = B / np.outer(self.norms, self.size)
        return unit

    def tangent(self, q: np.ndarray, before: np.ndarray) -> np.ndarray:
        """The direction in u along the branch, going on from `before`: of length 1 in large steps of the speeds."""
        v = np.zeros(self.m.n_u)
        if not self.rows:
            v[self.s] = (np.sign(before[self.s]) or 1.0) * self.steps[self.s]
            return v
        size = self.size[self._moving]
        _, sigma, Vt = np.linalg.svd(self._unit_rows(q)[:, self._moving])
        null = Vt[int(np.sum(sigma > NEARLY_NULL * sigma[0])) :]
        along = null.T @ (null @ (size * before[self._moving]))
        v[self._moving] = along / size
        length = float(np.linalg.norm(v / self.steps))
        if length < NOWHERE:
            raise LoopError(
                f'the sweep of "{self.m.speeds[self.s]}" starts at a dead point, {self.coordinate(q):.6g}: start a little beside it'
            )
        return v / length

    def regularity(self, q: np.ndarray, v: np.ndarray) -> float:
        """The smallest singular value of the scaled rows beside the largest, zero where two branches meet, with a sign.

        The sign is that of the rows' determinant with the tangent v below them. Along one branch it stays; where another branch
        crosses, it changes.
        """
        if not self.rows:
            return 1.0
        rows = self._unit_rows(q)[:, self._moving]
        sigma = np.linalg.svd(rows, compute_uv=False)
        sign = np.linalg.slogdet(np.vstack([rows, (self.size * v)[self._moving]]))[0]
        return float(sign or 1.0) * float(sigma[-1] / sigma[0])

    def at(self, q: np.ndarray, v: np.ndarray, value: float) -> tuple[np.ndarray, float] | None:
        """The pose with the input at a value, on the tangent's side, and by how much it is off the tangent; None if there is none."""
        step = v * ((value - self.coordinate(q)) / v[self.s])
        predicted = displaced(self.m, q, step, self.t)
        found = close(self.m, predicted, [*self._still, self.s], self.t)
        if not found.closed:
            return None
        off = float(np.linalg.norm((found.q - predicted) / self.m.scales.coordinates))
        return found.q, off / max(float(np.linalg.norm(step / self.steps)), 1e-300)

    def along(self, q: np.ndarray, v: np.ndarray, length: float) -> np.ndarray | None:
        """The pose a length further along the branch, in large steps, whatever the input does."""
        found = close(self.m, displaced(self.m, q, length * v, self.t), self._still, self.t)
        return found.q if found.closed else None
