"""The whole problem: what is minimised, what is bounded, what has to hold; values and exact derivatives for any solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from dalembert.analysis.trajectory.collocation import Collocation, column
from dalembert.cached import cached_property
from dalembert.kernels.products.value_products import ValueProducts


@dataclass(frozen=True, eq=False)
class Limited:
    """Formulas of the state with bounds, at some nodes."""

    of: ValueProducts
    low: np.ndarray
    high: np.ndarray
    where: slice


@dataclass(frozen=True, eq=False)
class MotionProblem:
    """min ∫ (L + Σ w τ²) dt + φ(end) + v T, under the collocation's rows and those of `limited`, with bounds on all unknowns."""

    c: Collocation
    low: np.ndarray
    high: np.ndarray
    integral: ValueProducts | None
    end: ValueProducts | None
    effort: np.ndarray
    """Weights w of the controls."""
    haste: float
    """Weight v of the duration."""
    limited: Sequence[Limited]

    # -- what is minimised ------------------------------------------------------------------------------------------------
    def cost(self, x: np.ndarray) -> float:
        nodes, w = self.c.nodes(x), self.c.weights
        running = (nodes.tau**2) @ self.effort
        if self.integral is not None:
            running = running + self.c.values(self.integral, x)[:, 0]
        made = nodes.duration * float(w @ running) + self.haste * nodes.duration
        if self.end is not None:
            made += float(self.c.values(self.end, x)[-1, 0])
        return made

    def gradient(self, x: np.ndarray) -> np.ndarray:
        c, nodes = self.c, self.c.nodes(x)
        w, m = c.weights, c.m
        running = (nodes.tau**2) @ self.effort
        found = np.zeros((c.count, c.width))
        found[:, c.n_y :] = 2.0 * nodes.duration * w[:, None] * nodes.tau * self.effort
        in_duration = self.haste + float(w @ running)
        for of, weights in ((self.integral, nodes.duration * w), (self.end, np.eye(c.count)[-1])):
            if of is None:
                continue
            t = c.times(nodes.duration)
            g = of.weigh(nodes.q, nodes.u, t, c._P(c.count), weights[:, None])
            found[:, : m.n_q] += g.q
            found[:, m.n_q : c.n_y] += g.u
            in_duration += float(g.t @ c.phase)
            if of is self.integral:
                in_duration += float(w @ c.values(of, x)[:, 0])
        return np.append(found.ravel(), in_duration)

    # -- what has to hold ---------------------------------------------------------------------------------------------------
    def rows(self, x: np.ndarray) -> np.ndarray:
        more = [self.c.values(z.of, x)[z.where].ravel() for z in self.limited]
        return np.concatenate([self.c.defects(x), *more])

    def jacobian(self, x: np.ndarray) -> sp.csr_matrix:
        parts = [self.c.jacobian(x)]
        for z in self.limited:
            own, time = self.c.of_nodes(z.of, x, z.where)
            parts.append(sp.hstack([own, column(time)]))
        return sp.csr_matrix(sp.vstack(parts))

    @cached_property
    def row_bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest value of every row."""
        n = self.pattern.shape[0] - sum(len(range(self.c.count)[z.where]) * len(z.low) for z in self.limited)
        bounds = []
        for side in ("low", "high"):
            more = [np.tile(getattr(z, side), len(range(self.c.count)[z.where])) for z in self.limited]
            bounds.append(np.concatenate([np.zeros(n), *more]))
        return bounds[0], bounds[1]

    @cached_property
    def pattern(self) -> sp.csr_matrix:
        """Where the Jacobian may have entries: every place that a block has."""
        inside = np.clip(np.zeros(self.c.size), np.maximum(self.low, -1.0), np.minimum(self.high, 1.0))
        middle = self.c.unknowns(self.c.nodes(inside)._replace(q=self.c.at))
        made = self.jacobian(middle)
        return sp.csr_matrix((np.ones_like(made.data), made.indices, made.indptr), made.shape)
