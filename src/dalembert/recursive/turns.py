"""Rotations that know their structure, so that applying them costs no more than it must.

`out` takes components from the inner axes to the outer ones (R v), `back` the other way (Rᵀ v); `sym` and `gen` turn symmetric and
general 3 × 3 matrices outward (R S Rᵀ).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from dalembert.vectors import Matrix, Vector, vector


class Turn(Protocol):
    def out(self, v: Vector) -> Vector: ...
    def back(self, v: Vector) -> Vector: ...
    def sym(self, S: Matrix) -> Matrix: ...
    def gen(self, B: Matrix) -> Matrix: ...


@dataclass(frozen=True, eq=False)
class NoTurn:
    """None at all."""

    def out(self, v: Vector) -> Vector:
        return v

    def back(self, v: Vector) -> Vector:
        return v

    def sym(self, S: Matrix) -> Matrix:
        return S

    def gen(self, B: Matrix) -> Matrix:
        return B


@dataclass(frozen=True, eq=False)
class PlaneTurn:
    """About coordinate axis k, given its cosine and sine."""

    k: int
    c: Any
    s: Any

    def out(self, v: Vector) -> Vector:
        i, j = (self.k + 1) % 3, (self.k + 2) % 3
        return self._arranged(v[self.k], self.c * v[i] - self.s * v[j], self.s * v[i] + self.c * v[j])

    def back(self, v: Vector) -> Vector:
        i, j = (self.k + 1) % 3, (self.k + 2) % 3
        return self._arranged(v[self.k], self.c * v[i] + self.s * v[j], self.c * v[j] - self.s * v[i])

    def _arranged(self, along: Any, first: Any, second: Any) -> Vector:
        """The component along axis k and the two after it, in their places."""
        three = (along, first, second)
        return np.array([three[(n - self.k) % 3] for n in range(3)])

    def sym(self, S: Matrix) -> Matrix:
        k, i, j = self.k, (self.k + 1) % 3, (self.k + 2) % 3
        T = np.array(S, dtype=object)
        T[i, i], T[i, j], T[j, i], T[j, j] = self._block(S[i, i], S[i, j], S[i, j], S[j, j])
        T[i, k] = T[k, i] = self.c * S[i, k] - self.s * S[j, k]
        T[j, k] = T[k, j] = self.s * S[i, k] + self.c * S[j, k]
        return vector(T.tolist())

    def gen(self, B: Matrix) -> Matrix:
        k, i, j = self.k, (self.k + 1) % 3, (self.k + 2) % 3
        T = np.array(B, dtype=object)
        T[i, i], T[i, j], T[j, i], T[j, j] = self._block(B[i, i], B[i, j], B[j, i], B[j, j])
        T[i, k], T[j, k] = self.c * B[i, k] - self.s * B[j, k], self.s * B[i, k] + self.c * B[j, k]
        T[k, i], T[k, j] = self.c * B[k, i] - self.s * B[k, j], self.s * B[k, i] + self.c * B[k, j]
        return vector(T.tolist())

    def _block(self, a: Any, b: Any, e: Any, d: Any) -> tuple[Any, Any, Any, Any]:
        """The 2 × 2 block [a b; e d] turned: its trace and its skew part do not change, which leaves two products."""
        x = self.s * (a - d) + self.c * (b + e)
        t, w = self.s * x, self.c * x
        return a - t, w - e, w - b, d + t


@dataclass(frozen=True, eq=False)
class FullTurn:
    """Any rotation matrix."""

    R: Matrix

    def out(self, v: Vector) -> Vector:
        return self.R @ v

    def back(self, v: Vector) -> Vector:
        return self.R.T @ v

    def sym(self, S: Matrix) -> Matrix:
        half = self.R @ S
        T = np.empty((3, 3), dtype=half.dtype)
        for i in range(3):
            for j in range(i + 1):
                T[i, j] = T[j, i] = half[i] @ self.R[j]
        return T

    def gen(self, B: Matrix) -> Matrix:
        return self.R @ B @ self.R.T


@dataclass(frozen=True, eq=False)
class TwoTurns:
    """R = outer · inner."""

    outer: Turn
    inner: Turn

    def out(self, v: Vector) -> Vector:
        return self.outer.out(self.inner.out(v))

    def back(self, v: Vector) -> Vector:
        return self.inner.back(self.outer.back(v))

    def sym(self, S: Matrix) -> Matrix:
        return self.outer.sym(self.inner.sym(S))

    def gen(self, B: Matrix) -> Matrix:
        return self.outer.gen(self.inner.gen(B))


def structured(R: Matrix) -> Turn:
    """A PlaneTurn where the matrix leaves a coordinate axis exactly alone; two of them, about z and x, where it leaves x at a right
    angle to z; else a FullTurn."""
    for k in (2, 0, 1):
        i, j = (k + 1) % 3, (k + 2) % 3
        if _is(R[k, k], 1.0) and all(_is(x, 0.0) for x in (R[k, i], R[k, j], R[i, k], R[j, k])):
            return PlaneTurn(k, R[i, i], R[j, i])
    if _is(R[2, 0], 0.0) and not any(_is(R[i, j], 0.0) for i, j in ((0, 0), (1, 0), (2, 1), (2, 2))):
        return TwoTurns(PlaneTurn(2, R[0, 0], R[1, 0]), PlaneTurn(0, R[2, 2], R[2, 1]))
    return FullTurn(R)


def combined(constant: Matrix, moving: Matrix) -> Turn:
    """constant · moving: one after the other where the constant is cheap (plane turns, or axes exchanged), else multiplied out."""
    first = structured(constant)
    if not isinstance(first, FullTurn) or sum(_is(x, 0.0) for x in constant.ravel()) == 6:
        return TwoTurns(first, structured(moving))
    return FullTurn(constant @ moving)


def _is(x: Any, value: float) -> bool:
    return isinstance(x, float) and x == value
