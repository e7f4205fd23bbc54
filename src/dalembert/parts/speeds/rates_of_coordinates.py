"""Rates of a joint's coordinates as its speeds: u = q̇."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.joints import Joint
from dalembert.parts.speeds.speed_choice import SpeedChoice
from dalembert.vectors import vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


BESIDE_REFERENCE = 0.1
"""What is added to a joint's reference to see, in general position, which of its speeds are rates."""


@dataclass(frozen=True, eq=False)
class CoordinateRates(SpeedChoice):
    """q̇ of some coordinates of joint `number`, in place of the speeds `speeds` of it that make them."""

    number: int = 0
    rates: tuple[int, ...] = field(default=())
    """Which of the joint's rates."""
    speeds: tuple[int, ...] = field(default=())
    """Which of its speeds they replace."""

    def values(self, s: State) -> np.ndarray:
        joint, q, u = self._joint(s), s.joint_q[self.number - 1], s.joint_u[self.number - 1]
        return vector([joint.rates(q, u)[i] for i in self.rates])

    def inverse(self, s: State) -> np.ndarray:
        joint, q = self._joint(s), s.joint_q[self.number - 1]
        units = np.eye(joint.n_q)[list(self.rates)]
        return np.stack([np.asarray(joint.speeds_from_rates(q, unit))[list(self.speeds)] for unit in units], axis=1)

    def coordinate_rates(self, places: Any) -> dict[int, int]:
        own = places[self.number - 1][0]
        return {own[i]: at for i, at in zip(self.rates, self.instead_of) if own[i] is not None}

    def _joint(self, s: State) -> Joint:
        return s.mechanism.joints[self.number - 1].joint


def rates_of(joint: Joint, name: str) -> list[int]:
    """Which of the joint's speeds are not rates of its coordinates yet; refused where there are more coordinates than speeds."""
    if joint.rates_are_speeds:
        return []
    if joint.n_q != joint.n_u:
        raise ModelError(
            f'joint "{name}" has {joint.n_q} coordinates ({", ".join(joint.coordinates)}) and {joint.n_u} speeds, so that their rates '
            'cannot be its speeds: describe its orientation by angles, orientation="123"'
        )
    q, every = joint.reference + BESIDE_REFERENCE, range(joint.n_u)
    N = np.stack([np.asarray(joint.rates(q, unit), dtype=float) for unit in np.eye(joint.n_u)], axis=1)
    return [i for i in every if not np.array_equal(N[i], np.eye(joint.n_u)[i]) or np.delete(N[:, i], i).any()]
