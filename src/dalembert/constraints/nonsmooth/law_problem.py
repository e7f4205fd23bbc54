"""The complementarity problem of a mechanism's laws in one state: at accelerations, or at speeds for an impact."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.nonsmooth.complementarity import Cone, Problem, Radius, solve
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.kinematics.law_rows import LawElement

Sliding = Mapping[int, np.ndarray]
"""Direction of slip of the elements that slide."""


@dataclass(frozen=True, eq=False)
class LawProblem:
    """Rows of the loops and of the elements in `which`; forces (or impulses) of all rows, zero where they are not among these."""

    kinetics: Kinetics
    which: frozenset[int]
    sliding: Sliding
    rebound: np.ndarray | None = None
    """Speeds that normal rows are to keep, by element, for an impact; None for accelerations."""
    step: float = 0.0
    """Time over which forces act besides the impulses of an impact."""
    stored: np.ndarray | None = None
    """Impulses of all rows that act already in an impact, besides those sought."""
    released: np.ndarray | None = None
    """Those among them that press in this phase of it, and so load friction."""

    @cached_property
    def rows(self) -> list[int]:
        """Rows of the problem among those of loops and laws."""
        k = self.kinetics
        own = [k.n_loops + r for i in sorted(self.which) for r in k.elements[i].rows]
        return [*range(k.n_loops), *own]

    @cached_property
    def problem(self) -> Problem:
        k, rows = self.kinetics, self.rows
        at = {r: place for place, r in enumerate(rows)}
        c = self.without_forces[rows]
        bilateral, cones = list(range(k.n_loops)), []
        for i in sorted(self.which):
            e = k.elements[i]
            bilateral += [at[k.n_loops + r] for r in e.holds]
            if e.holds:
                continue
            normal = None if e.normal is None else at[k.n_loops + e.normal]
            if self.rebound is not None and normal is not None:
                c[normal] += self.rebound[i]
            tangents = [at[k.n_loops + r] for r in e.tangents]
            presses = None if e.load_row is None else at.get(k.n_loops + e.load_row)
            cones.append(Cone(normal, tangents, self._radius(i, e, presses), self.sliding.get(i)))
        return Problem(k.W[np.ix_(rows, rows)], c, bilateral, cones)

    def _radius(self, i: int, e: LawElement, normal: int | None) -> Radius:
        """c₀ + c₁ · load, by static friction where it may stick; an impact lasts too short for c₀."""
        k = self.kinetics
        moves = i in self.sliding
        own = float((k.force if moves else k.static_force)[i]) * (1.0 if self.rebound is None else self.step)
        per_load = float((k.coefficient if moves else k.static_coefficient)[i])
        if self.released is not None and e.load_row is not None:
            own += per_load * float(self.released[k.n_loops + e.load_row])
        if i in k.table.loads:
            return self._by_joint(i, own, per_load)
        return Radius(own, per_load, normal)

    def _by_joint(self, i: int, own: float, per_load: float) -> Radius:
        """c₀ + c₁ · Σ arm |z|, z being what a joint transmits."""
        k, rows = self.kinetics, self.rows
        terms = [(t, slice(x.start, x.start + x.size)) for t, x in enumerate(k.table.load_terms) if x.element == i]
        still = k.unpressed * (1.0 if self.rebound is None else self.step)
        if self.rebound is None:
            still = still + k.per_force @ self.viscous
        if self.released is not None:
            still = still + k.per_force @ self.released
        maps = k.per_force[:, rows]
        arms = [per_load * float(k.loads.arms[t]) for t, _ in terms]
        return Radius(own, 0.0, None, arms, [still[at] for _, at in terms], [maps[at] for _, at in terms])

    def solve(self) -> np.ndarray | None:
        """Forces of all rows, of loops and laws; None where none were found."""
        every = np.zeros(len(self.kinetics.rows))
        if not self.rows:
            return every
        found = solve(self.problem)
        if found is None:
            return None
        every[self.rows] = found
        return every

    @cached_property
    def without_forces(self) -> np.ndarray:
        """Accelerations of all rows without any forces of theirs; of an impact, their speeds before it."""
        k = self.kinetics
        if self.rebound is None:
            return k.rates + k.W @ self.viscous
        before = np.concatenate([k.v_B, k.v])
        if self.stored is not None:
            before = before + k.W @ self.stored
        return before + self.step * k.rates

    @cached_property
    def viscous(self) -> np.ndarray:
        """Forces of all rows by which slip is resisted in proportion to it; they take part in accelerations, not in impacts."""
        k, found = self.kinetics, np.zeros(len(self.kinetics.rows))
        for i in self.which:
            tangents = list(k.elements[i].tangents)
            found[[k.n_loops + r for r in tangents]] = -k.viscous[i] * k.v[tangents]
        return found

    def resulting(self, p: np.ndarray) -> np.ndarray:
        """Accelerations of all rows under these forces; of an impact, their speeds after it."""
        return np.asarray(self.kinetics.W @ p + self.without_forces)


def sliding_directions(k: Kinetics, which: Collection[int], still: float) -> dict[int, np.ndarray]:
    """Directions of those elements that slide faster than `still`, by their scale in the mechanism's own time."""
    found = {}
    for i in which:
        v = k.slip(i)
        speed = float(np.linalg.norm(v))
        if len(v) and speed > still * k.speed_scale(i):
            found[i] = v / speed
    return found
