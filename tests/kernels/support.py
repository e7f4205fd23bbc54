"""States by the dozen, and the reference that kernels are held against."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import dalembert as da
from dalembert.formulations.tree import kane
from tests.mechanisms import random_state

EXACT = 1e-10
"""Relative difference allowed between kernel and reference."""


def largest(x: np.ndarray) -> float:
    return float(np.abs(x).max(initial=0.0))


def agree(a: np.ndarray, b: np.ndarray, scale: float | None = None) -> bool:
    """Equal shapes, and values equal to 1e-10 of the scale, by default of the largest value of b or 1."""
    return a.shape == b.shape and largest(a - b) <= EXACT * (max(1.0, largest(b)) if scale is None else scale)


def random_states(
    m: da.Mechanism, rng: np.random.Generator, count: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rows of q, u and τ, and times."""
    states = [random_state(m, rng) for _ in range(count)]
    q, u, t = (np.array([s[i] for s in states]) for i in range(3))
    return q.reshape(count, m.n_q), u.reshape(count, m.n_u), rng.normal(size=(count, m.n_u)), t


@dataclass(frozen=True)
class Reference:
    """Kane's A and f at one state, on floats; u̇ under further forces τ."""

    A: np.ndarray
    f: np.ndarray
    udot: np.ndarray

    @property
    def force_scale(self) -> float:
        """Of the terms whose difference inverse dynamics returns."""
        return 1.0 + largest(self.f) + largest(np.abs(self.A) @ np.abs(self.udot))


def reference(m: da.Mechanism, q: np.ndarray, u: np.ndarray, tau: np.ndarray, t: float) -> Reference:
    e = kane.equations(m.state(q, u, t))
    return Reference(e.A, e.f, np.linalg.solve(e.A, e.f + tau) if m.n_u else np.zeros(0))
