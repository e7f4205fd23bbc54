"""Three angles about axes of the body: turn about the first, then about the second as it lies now, then about the third.

A sequence names the axes, 1 to 3. Six have three different axes (1-2-3 is E's [E 4, 8, 9]), singular at a₂ = ±90°; six end on the axis
they begin with (3-1-3 is C's Fig. 6), singular at a₂ = 0 and 180°.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.trace import cos, sin
from dalembert.vectors import IDENTITY, Matrix, turn

SEQUENCES = ("123", "231", "312", "132", "213", "321", "121", "131", "212", "232", "313", "323")
NEAR = 1e-4
"""Sine of the angle from a singular pose below which a pose counts as singular."""


@dataclass(frozen=True)
class EulerAngles:
    """Angles of one sequence: three numbers a person can read, singular at some second angle."""

    sequence: str

    coordinates = ("a1", "a2", "a3")

    @property
    def reference(self) -> tuple[float, float, float]:
        """No turn at all; that is singular where the sequence ends on its first axis: there the second angle is 90°."""
        return (0.0, 0.5 * math.pi if self._returns else 0.0, 0.0)

    @property
    def _axes(self) -> tuple[int, int, int, float]:
        """The second axis j, the third k and the other l, from 0; and s of e_j × e_k = s e_l."""
        j, k = int(self.sequence[1]) - 1, int(self.sequence[2]) - 1
        return j, k, 3 - j - k, 1.0 if (k - j) % 3 == 1 else -1.0

    @property
    def _returns(self) -> bool:
        """Whether the sequence ends on its first axis."""
        return self.sequence[0] == self.sequence[2]

    def rotation(self, a: Any) -> Matrix:
        first, second, third = (IDENTITY[int(axis) - 1] for axis in self.sequence)
        return np.asarray(turn(first, a[0]) @ turn(second, a[1]) @ turn(third, a[2]))

    def rates(self, a: Any, w: Any) -> np.ndarray:
        """ȧ from ω; of 1-2-3 [E 9]."""
        j, k, l, s = self._axes
        s2, c2, s3, c3 = sin(a[1]), cos(a[1]), sin(a[2]), cos(a[2])
        second = s * s3 * w[l] + c3 * w[j]
        if self._returns:
            first = (s3 * w[j] - s * c3 * w[l]) / s2
            return np.array([first, second, w[k] - c2 * first])
        first = (c3 * w[l] - s * s3 * w[j]) / c2
        return np.array([first, second, w[k] - s * s2 * first])

    def angular_velocity(self, a: Any, da: Any) -> np.ndarray:
        """ω from ȧ: R₃ᵀR₂ᵀe₁ ȧ₁ + R₃ᵀe₂ ȧ₂ + e₃ ȧ₃; of 1-2-3 [E 8]."""
        j, k, l, s = self._axes
        s2, c2, s3, c3 = sin(a[1]), cos(a[1]), sin(a[2]), cos(a[2])
        w: list[Any] = [0.0, 0.0, 0.0]
        if self._returns:
            w[j] = s2 * s3 * da[0] + c3 * da[1]
            w[l] = s * s3 * da[1] - s * s2 * c3 * da[0]
            w[k] = c2 * da[0] + da[2]
        else:
            w[j] = c3 * da[1] - s * c2 * s3 * da[0]
            w[l] = c2 * c3 * da[0] + s * s3 * da[1]
            w[k] = s * s2 * da[0] + da[2]
        return np.array(w)

    def admissible(self, a: Any) -> np.ndarray:
        return a

    def condition(self, a: Any) -> np.ndarray:
        return np.zeros(0)

    def singularity(self, a: Any) -> str | None:
        second = float(a[1])
        if abs(math.sin(second) if self._returns else math.cos(second)) >= NEAR:
            return None
        where, name = "0° or 180°" if self._returns else "±90°", "-".join(self.sequence)
        return (
            f"its second angle {second:.6g} rad is at {where}, where {name} angles are singular: "
            'use orientation="euler_parameters"'
        )
