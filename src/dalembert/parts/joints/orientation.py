"""How a free rotation is described: Euler parameters, or the angles of one of the twelve Euler sequences.

The speeds are ω in child axes either way.
"""

from __future__ import annotations

import math
from typing import Any, Literal, TypeAlias

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.joints.euler_angles import SEQUENCES, EulerAngles
from dalembert.parts.joints.joint import ADMISSIBLE
from dalembert.trace import sqrt
from dalembert.vectors import Matrix


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
    def admissible(e: Any) -> np.ndarray:
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


Orientation: TypeAlias = "type[EulerParameters] | EulerAngles"
OrientationName = Literal[
    "euler_parameters", "angles",
    "123", "231", "312", "132", "213", "321", "121", "131", "212", "232", "313", "323",
]  # fmt: skip
ORIENTATIONS: dict[str, Orientation] = {
    "euler_parameters": EulerParameters,
    "angles": EulerAngles("123"),
    **{sequence: EulerAngles(sequence) for sequence in SEQUENCES},
}


def orientation_named(name: str, joint: str) -> Orientation:
    if not isinstance(name, str) or name not in ORIENTATIONS:
        raise ModelError(f"{joint}: orientation={name!r} is not known; choose one of {', '.join(ORIENTATIONS)}")
    return ORIENTATIONS[name]
