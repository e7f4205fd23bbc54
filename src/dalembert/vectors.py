"""Three-vectors and rotations over floats or traced scalars."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.framed import Framed, crossed
from dalembert.trace import Scalar, atan2, cos, sin

Vector = np.ndarray
"""Three scalars."""
Matrix = np.ndarray
"""3 × 3 scalars unless said otherwise."""

ZERO = np.zeros(3)
IDENTITY = np.eye(3)
ZERO.flags.writeable = IDENTITY.flags.writeable = False


def vector(values: Any) -> Vector:
    """An array of scalars: floats where all are numbers, objects where any is traced."""
    made = np.array(values)
    return made if made.dtype == object else made.astype(float)


def cross(a: Vector, b: Vector) -> Vector:
    """a × b."""
    if isinstance(a, Framed) or isinstance(b, Framed):
        return crossed(a, b, _components_of_cross)
    return _components_of_cross(a, b)


def _components_of_cross(a: Vector, b: Vector) -> Vector:
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def plus_cross(x: Vector, a: Vector, b: Vector) -> Vector:
    """x + a × b, product by product: compiled, each is one fused operation."""
    return np.array(
        [
            (x[0] + a[1] * b[2]) - a[2] * b[1],
            (x[1] + a[2] * b[0]) - a[0] * b[2],
            (x[2] + a[0] * b[1]) - a[1] * b[0],
        ]
    )


def plus_product(x: np.ndarray, M: np.ndarray, v: np.ndarray) -> np.ndarray:
    """x + M v, likewise."""
    for j in range(len(v)):
        x = x + M[:, j] * v[j]
    return x


def skew(a: Vector) -> Matrix:
    """ã, with ã b = a × b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def turn(axis: Vector, angle: Any) -> Matrix:
    """Rotation by `angle` about a unit axis: a aᵀ + cos (1 − a aᵀ) + sin ã."""
    along = np.outer(axis, axis)
    return along + cos(angle) * (IDENTITY - along) + sin(angle) * skew(axis)


def turn_123(angles: Any) -> Matrix:
    """Rotation by body-fixed 1-2-3 angles: turn(x, a₁) turn(y, a₂) turn(z, a₃) [E 4, transposed]."""
    x, y, z = IDENTITY
    return turn(x, angles[0]) @ turn(y, angles[1]) @ turn(z, angles[2])


def across(axis: Vector) -> tuple[Vector, Vector]:
    """Two unit vectors completing a unit axis to a right-handed triad; cyclic (y, z), (z, x), (x, y) for x, y, z."""
    k = int(np.argmax(np.abs(axis)))
    first = np.roll(IDENTITY[k], 1) * np.sign(axis[k])
    first = first - (first @ axis) * axis
    first = first / np.sqrt(first @ first)
    return first, cross(axis, first)


def aside(axis: Any, p: Vector) -> Vector:
    """The two components of p across an axis."""
    first, second = across(np.array(axis))
    return np.array([first @ p, second @ p])


def tilt(axis: Any, R: Matrix) -> Vector:
    """The two components across an axis of the axis turned by R: both 0 where R leaves the axis alone."""
    return aside(axis, R @ np.array(axis))


def angle_about(axis: Any, R: Matrix) -> Scalar:
    """Angle by which R turns about an axis that it leaves alone, from −π to π."""
    first, second = across(np.array(axis))
    turned = R @ first
    return atan2(second @ turned, first @ turned)


def along(axis: Any, R: Matrix) -> Scalar:
    """The part of a unit axis that R leaves along it: 1 where R does not move it, −1 where it turns it round."""
    return np.array(axis) @ R @ np.array(axis)


def twist(R: Matrix) -> Vector:
    """The vector of the skew part of R, sin(angle) · axis: 0 where R is no turn at all."""
    return 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
