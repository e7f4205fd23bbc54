"""StarTracker: the attitude of a body, as Euler parameters and as small angles from a wanted attitude.

Euler parameters follow from the rotation matrix by the largest of them: Shepperd, J. Guidance and Control 1 (1978) 223–224. The angles
are twice the vector part of those of the turn from the wanted attitude to the body, in the body's axes. Noise turns the body by a
little about each of its axes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from dalembert.elements.sensors.random_numbers import RandomNumbers
from dalembert.elements.sensors.sensor import Sensor
from dalembert.errors import ModelError
from dalembert.parts.fields import BodyName, Count, Holds, Number, PlainNumber, PositiveNumber
from dalembert.trace import Scalar, maximum, select, sqrt

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

LEAST = 0.25
"""Least square of the largest Euler parameter: that of another is not divided by."""


def euler_parameters(given: Any, where: str) -> tuple[float, ...]:
    """Four numbers, divided by their length."""
    try:
        made = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        made = np.zeros(0)
    if made.shape != (4,) or not np.isfinite(made).all() or not np.any(made):
        raise ModelError(f"{where} must be four Euler parameters, not all zero, not {given!r}")
    return tuple(float(e) for e in made / np.linalg.norm(made))


EulerParameters = Annotated[Any, Holds("values", check=euler_parameters)]


@dataclass(frozen=True, eq=False)
class StarTracker(Sensor):
    """Reads the attitude of a body in the world: Euler parameters `e0` … `e3`, e0 not below zero, and angles from `wanted`.

    `x`, `y` and `z` are the small angles, rad, about the body's axes by which it is turned from the `wanted` attitude (Euler
    parameters). Sampled every `period` seconds, with `noise` in rad about each axis and `delay`, or continuous.
    """

    body: BodyName
    wanted: EulerParameters = (1.0, 0.0, 0.0, 0.0)
    period: PositiveNumber | None = None
    delay: PlainNumber = 0.0
    noise: Number = 0.0
    seed: Count = 1

    channels = ("e0", "e1", "e2", "e3", "x", "y", "z")
    units: ClassVar[Mapping[str, str]] = {"x": "rad", "y": "rad", "z": "rad"}

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)

    def noise_of(self, channel: str) -> Scalar:
        return self.noise

    def readings(self, x: ElementAt, random: RandomNumbers | None) -> dict[str, Any]:
        e = attitude(x.s.rotation(self.body))
        if random is not None:
            e = _turned(e, [0.5 * self.noise * random.normal() for _ in range(3)])
        w = np.asarray(self.wanted) * (1.0, -1.0, -1.0, -1.0)
        off = _product(w, e)
        angles = [select(off[0] < 0.0, -2.0 * c, 2.0 * c) for c in off[1:]]
        return dict(zip(self.channels, [*e, *angles]))


def attitude(R: np.ndarray) -> list[Any]:
    """Euler parameters of a rotation matrix, the first not below zero."""
    trace = R[0, 0] + R[1, 1] + R[2, 2]
    squares = [0.25 * (1.0 + trace), *(0.25 * (1.0 + 2.0 * R[i, i] - trace) for i in range(3))]
    products = [[0.0] * 4 for _ in range(4)]  # e_i e_j
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1))):
        products[0][i + 1] = products[i + 1][0] = 0.25 * (R[k, j] - R[j, k])
        products[j + 1][k + 1] = products[k + 1][j + 1] = 0.25 * (R[j, k] + R[k, j])
    for i in range(4):
        products[i][i] = squares[i]
    roots = [sqrt(maximum(s, LEAST * LEAST)) for s in squares]
    found = [products[3][i] / roots[3] for i in range(4)]
    for pivot in (2, 1, 0):
        takes = squares[pivot] >= LEAST
        found = [select(takes, products[pivot][i] / roots[pivot], found[i]) for i in range(4)]
    return [select(found[0] < 0.0, -e, e) for e in found]


def _product(a: Any, b: Any) -> list[Any]:
    """The turn b after the turn a, in Euler parameters."""
    return [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3],
        a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1],
    ]


def _turned(e: list[Any], half: list[Any]) -> list[Any]:
    """Turned by small angles about the body's axes."""
    made = _product(e, [1.0, *half])
    size = sqrt(sum(c * c for c in made))
    return [c / size for c in made]
