"""Coupling and Drive: relations between joint coordinates, or with time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.fields import JointValue, JointValueOfTime, Number
from dalembert.parts.forces.freedom import chosen
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


def coordinate(s: State, name: str) -> Scalar:
    """The coordinate "joint" or "joint.freedom" of a joint whose speeds are the rates of its coordinates."""
    joint_name, _, freedom = name.partition(".")
    joint, q, _ = s.joint(joint_name)
    return q[chosen(joint, joint_name, freedom or None, "constraint")]


def check_coordinate(name: str, coordinate: str, joint_of: Callable[[str], Joint]) -> None:
    """Raise a ModelError where a constraint cannot follow the coordinate it names."""
    joint_name, _, freedom = coordinate.partition(".")
    joint = joint_of(joint_name)
    chosen(joint, joint_name, freedom or None, f'constraint "{name}"')
    if not joint.rates_are_speeds:
        raise ModelError(
            f'constraint "{name}": the coordinates of joint "{joint_name}" are no angles or lengths to be coupled'
        )


@dataclass(frozen=True, eq=False)
class Coupling(Constraint):
    """Gears, belts, screws: Σ factor · coordinate = offset, e.g. `Coupling({"A": 1.0, "B": 2.5})`.

    A coordinate is named by its joint, with ".freedom" where the joint has several.
    """

    factors: Mapping[str, Number]
    offset: JointValue = 0.0

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(name.partition(".")[0] for name in self.factors)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        for coordinate in self.factors:
            check_coordinate(name, coordinate, joint_of)

    def residual(self, s: State) -> np.ndarray:
        return np.array([sum(c * coordinate(s, name) for name, c in self.factors.items()) - self.offset])


@dataclass(frozen=True, eq=False)
class Drive(Constraint):
    """A coordinate locked at a value, or driven by a function of time: `da.Drive("A", lambda t: 2.0 * t)`.

    Unlike `prescribed=` of a joint it stays a coordinate of the mechanism; `motion.drive(name)` gives the force it takes.
    """

    coordinate: str
    value: JointValueOfTime = 0.0

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.coordinate.partition(".")[0],)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        check_coordinate(name, self.coordinate, joint_of)

    def residual(self, s: State) -> np.ndarray:
        wanted = self.value(s.t) if callable(self.value) else self.value
        return np.array([coordinate(s, self.coordinate) - wanted])
