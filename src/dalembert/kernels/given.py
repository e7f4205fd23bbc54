"""A state whose poses and velocities are given instead of being computed: what forces see inside a sweep."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.kernels.motion import FIELDS, body_frame
from dalembert.kernels.records import Record
from dalembert.kinematics.recursion import AT_REST, WORLD, Pose, Rates
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.recursive.links import Link
from dalembert.trace import symbol
from dalembert.vectors import Vector

Motion = Callable[[int], tuple[Pose, Rates]]
"""Pose and velocity of body k = 1, 2, …"""


class GivenState(State):
    """The mechanism's symbolic state with the bodies' motion given; bodies nobody asks for are never made."""

    def __init__(self, m: Mechanism, motion: Motion):
        s = m.symbolic_state()
        super().__init__(m, s.t, s.coordinates, s.speeds)
        self._motion = motion
        self._bodies: dict[int, tuple[Pose, Rates]] = {0: (WORLD, AT_REST)}

    def body(self, k: int) -> tuple[Pose, Rates]:
        if k not in self._bodies:
            self._bodies[k] = self._motion(k)
        return self._bodies[k]

    @property
    def poses(self) -> Any:
        return _Looked(lambda k: self.body(k)[0])

    @cached_property
    def velocities(self) -> Any:
        return _Looked(lambda k: self.body(k)[1])

    @cached_property
    def com_arms(self) -> Any:
        return _Looked(self._com_arm)

    def _com_arm(self, k: int) -> Vector:
        return self.body(k + 1)[0].R @ self.mechanism.bodies[k].com


def in_records(links: tuple[Link, ...], record: Record, stride: int) -> Motion:
    """The motion of link k lies in its record, `stride` apart; the symbol of element i is r<i>."""

    def field(k: int, name: str) -> np.ndarray:
        start, n = record.fields[name]
        return _symbols(f"r{k * stride + start + i}" for i in range(n))

    def motion(k: int) -> tuple[Pose, Rates]:
        R, P, W, V = (field(k - 1, name) for name in FIELDS)
        R, P, W, V = body_frame(R.reshape(3, 3), P, W, V, links[k - 1].frame)
        return Pose(R, P), Rates(W, V)

    return motion


def unspecified(k: int) -> tuple[Pose, Rates]:
    """Motion of body k in symbols of its own, to see what a force makes of it."""
    R, P, W, V = (_symbols(f"{name}{k}.{i}" for i in range(n)) for name, n in FIELDS.items())
    return Pose(R.reshape(3, 3), P), Rates(W, V)


def _symbols(names: Any) -> np.ndarray:
    made = [symbol(name) for name in names]
    out = np.empty(len(made), dtype=object)
    out[:] = made
    return out


class _Looked:
    """A list that computes its entries when they are looked at."""

    def __init__(self, entry: Any):
        self._entry = entry

    def __getitem__(self, k: int) -> Any:
        return self._entry(k)
