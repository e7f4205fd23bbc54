"""A state whose poses and velocities are given instead of being computed: what forces and constraints see, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert.cached import cached_property
from dalembert.kinematics.recursion import AT_REST, Pose, Rates, away_from
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.trace import symbols
from dalembert.vectors import ZERO, Vector

Motion = Callable[[int], tuple[Pose, Rates]]
"""Pose and velocity of body (or node frame) k = 1, 2, …"""


class StateFromBodies(State):
    """The mechanism's symbolic state with the bodies' motion given, positions from `origin`; bodies nobody asks for are never made."""

    def __init__(self, m: Mechanism, motion: Motion, symbolic: State | None = None, origin: Vector = ZERO):
        s = m.symbolic_state() if symbolic is None else symbolic
        super().__init__(m, s.t, s.coordinates, s.speeds)
        self._symbolic, self._motion = s, motion
        self._bodies: dict[int, tuple[Pose, Rates]] = {0: (away_from(origin), AT_REST)}

    def body(self, k: int) -> tuple[Pose, Rates]:
        if k not in self._bodies:
            self._bodies[k] = self._motion(k)
        return self._bodies[k]

    @property
    def joint_q(self) -> Any:
        return self._symbolic.joint_q

    @property
    def joint_u(self) -> Any:
        return self._symbolic.joint_u

    @property
    def referenced(self) -> list[int]:
        """The bodies whose motion was asked for."""
        return [k for k in self._bodies if k]

    @property
    def poses(self) -> Any:
        return _OnDemand(lambda k: self.body(k)[0], self._count)

    @cached_property
    def velocities(self) -> Any:
        return _OnDemand(lambda k: self.body(k)[1], self._count)

    @property
    def _count(self) -> int:
        return self.mechanism.n_bodies + 1 + len(self.mechanism.node_frames)

    @cached_property
    def com_arms(self) -> Any:
        return _OnDemand(self._com_arm, self.mechanism.n_bodies)

    def _com_arm(self, k: int) -> Vector:
        return self.mechanism.bodies[k].arm(self.body(k + 1)[0].R, self.modal_q(k + 1))


def unspecified(k: int) -> tuple[Pose, Rates]:
    """Motion of body k in symbols of its own, to see what a force makes of it."""
    R, P, W, V = (symbols(f"{name}{k}.", range(n)) for name, n in (("R", 9), ("P", 3), ("W", 3), ("V", 3)))
    return Pose(R.reshape(3, 3), P), Rates(W, V)


class _OnDemand:
    """A list that computes its entries when they are referenced."""

    def __init__(self, entry: Any, length: int):
        self._entry, self._length = entry, length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, k: int) -> Any:
        if not -self._length <= k < self._length:
            raise IndexError(k)
        return self._entry(k % self._length)
