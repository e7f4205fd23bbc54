"""Rotations and poses as robot files write them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dalembert.parts.frames import Frame
from dalembert.vectors import IDENTITY, Matrix, Vector, skew, turn

HERE = Frame()
NO_DIRECTION = 1e-10
"""Part of a vector below which what is left of it has no direction."""


def rpy(angles: Any) -> Matrix:
    """Roll, pitch, yaw about the fixed x, y, z: R = turn(z, yaw) turn(y, pitch) turn(x, roll)."""
    x, y, z = IDENTITY
    return np.asarray(turn(z, float(angles[2])) @ turn(y, float(angles[1])) @ turn(x, float(angles[0])))


def quaternion(e: Any) -> Matrix:
    """Rotation from e0 (scalar), e1, e2, e3 of any length but zero: 1 + 2 e0 ẽ + 2 ẽ ẽ."""
    e = np.asarray(e, dtype=float) / np.linalg.norm(e)
    s = skew(e[1:])
    return np.asarray(IDENTITY + 2.0 * e[0] * s + 2.0 * s @ s)


def euler_parameters(R: Matrix) -> Vector:
    """The four Euler parameters of a rotation, scalar first and not negative: the largest is found first."""
    R = np.asarray(R, dtype=float)
    squares = np.array([1.0 + np.trace(R), *(1.0 - np.trace(R) + 2.0 * np.diag(R))])
    k = int(np.argmax(squares))
    if k == 0:
        e = np.array([squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, m = k - 1, k % 3, (k + 1) % 3
        e = np.zeros(4)
        e[0] = R[m, j] - R[j, m]
        e[k] = squares[k]
        e[j + 1], e[m + 1] = R[i, j] + R[j, i], R[i, m] + R[m, i]
    e /= np.linalg.norm(e)
    return e if e[0] >= 0.0 else -e


def z_towards(direction: Vector) -> Matrix:
    """The shortest rotation that takes z to a direction."""
    axis = np.array([-direction[1], direction[0], 0.0])
    length = float(np.linalg.norm(axis))
    if length < NO_DIRECTION * float(np.linalg.norm(direction)):
        axis, length = np.array([1.0, 0.0, 0.0]), 1.0
        return turn(axis, 0.0 if direction[2] > 0.0 else math.pi)
    return turn(axis / length, math.atan2(length, float(direction[2])))


def then(outer: Frame, inner: Frame) -> Frame:
    """A place given in a frame, seen from where the frame itself is given."""
    return Frame(outer.position + outer.rotation @ inner.position, outer.rotation @ inner.rotation)


def back(frame: Frame) -> Frame:
    """The frame it is given in, seen from it."""
    return Frame(-(frame.rotation.T @ frame.position), frame.rotation.T)
