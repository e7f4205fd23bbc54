"""How a free rotation is described: Euler parameters, or body-fixed 1-2-3 angles. The speeds are ω in child axes either way."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.joints.joint import ADMISSIBLE
from dalembert.trace import cos, sin, sqrt
from dalembert.vectors import Matrix, turn_123


class EulerParameters:
    """(e₀, e₁, e₂, e₃) of unit length, e₀ = cos(angle/2): no singularity, one coordinate more than speeds."""

    coordinates = ("e0", "e1", "e2", "e3")
    reference = (1.0, 0.0, 0.0, 0.0)

    @staticmethod
    def rotation(e: Any) -> Matrix:
        e0, e1, e2, e3 = e
        x, y, z = e1 + e1, e2 + e2, e3 + e3
        xx, yy, zz, xy, xz, yz = e1 * x, e2 * y, e3 * z, e1 * y, e1 * z, e2 * z
        wx, wy, wz = e0 * x, e0 * y, e0 * z
        return np.array(
            [
                [1.0 - (yy + zz), xy - wz, xz + wy],
                [xy + wz, 1.0 - (xx + zz), yz - wx],
                [xz - wy, yz + wx, 1.0 - (xx + yy)],
            ]
        )

    @staticmethod
    def rates(e: Any, w: Any) -> np.ndarray:
        """ė = ½ e ∘ (0, ω)."""
        e0, e1, e2, e3 = e
        x, y, z = 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]
        return np.array(
            [-(e1 * x + e2 * y + e3 * z), e0 * x + e2 * z - e3 * y, e0 * y + e3 * x - e1 * z, e0 * z + e1 * y - e2 * x]
        )

    @staticmethod
    def angular_velocity(e: Any, de: Any) -> np.ndarray:
        """ω = 2 ē ∘ ė."""
        e0, e1, e2, e3 = e
        d0, d1, d2, d3 = (2.0 * d for d in de)
        return np.array(
            [
                e0 * d1 - e1 * d0 - e2 * d3 + e3 * d2,
                e0 * d2 - e2 * d0 - e3 * d1 + e1 * d3,
                e0 * d3 - e3 * d0 - e1 * d2 + e2 * d1,
            ]
        )

    @staticmethod
    def admissible(e: Any) -> Any:
        """e / |e|."""
        return e / sqrt(e @ e)

    @staticmethod
    def condition(e: Any) -> np.ndarray:
        """(e·e − 1) / 2."""
        return np.array([0.5 * (sum(x * x for x in e) - 1.0)])

    @staticmethod
    def singularity(e: Any) -> str | None:
        e = [float(x) for x in e]
        if abs(EulerParameters.condition(e)[0]) <= ADMISSIBLE:
            return None
        return f"its Euler parameters have length {math.hypot(*e):.6g}, not 1: divide them by it"


class Angles123:
    """Body-fixed 1-2-3 angles [E 4, 8, 9]: three numbers a person can read, singular at a₂ = ±90°."""

    coordinates = ("a1", "a2", "a3")
    reference = (0.0, 0.0, 0.0)

    @staticmethod
    def rotation(a: Any) -> Matrix:
        return turn_123(a)

    @staticmethod
    def rates(a: Any, w: Any) -> np.ndarray:
        """[E 9]."""
        s2, c2, s3, c3 = sin(a[1]), cos(a[1]), sin(a[2]), cos(a[2])
        first = (c3 * w[0] - s3 * w[1]) / c2
        return np.array([first, s3 * w[0] + c3 * w[1], w[2] - s2 * first])

    @staticmethod
    def angular_velocity(a: Any, da: Any) -> np.ndarray:
        """[E 8]."""
        s2, c2, s3, c3 = sin(a[1]), cos(a[1]), sin(a[2]), cos(a[2])
        return np.array([c2 * c3 * da[0] + s3 * da[1], c3 * da[1] - c2 * s3 * da[0], s2 * da[0] + da[2]])

    @staticmethod
    def admissible(a: Any) -> Any:
        return a

    @staticmethod
    def condition(a: Any) -> np.ndarray:
        return np.zeros(0)

    @staticmethod
    def singularity(a: Any) -> str | None:
        if abs(math.cos(float(a[1]))) < 1e-4:
            return (
                f"its second angle {float(a[1]):.6g} rad is at ±90°, where 1-2-3 angles are singular: "
                'use orientation="euler_parameters"'
            )
        return None


OrientationName = Literal["euler_parameters", "angles"]
ORIENTATIONS: dict[str, Any] = {"euler_parameters": EulerParameters, "angles": Angles123}


def orientation_named(name: str, joint: str) -> Any:
    if not isinstance(name, str) or name not in ORIENTATIONS:
        raise ModelError(f"{joint}: orientation={name!r} is not known; choose one of {', '.join(ORIENTATIONS)}")
    return ORIENTATIONS[name]
