"""Outputs: quantities of the motion that a model names, to be plotted, tabled and traced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.conform import Described
from dalembert.parts.fields import BodyName, OfState, PointLike

if TYPE_CHECKING:
    from dalembert.aliases import Scalar, StateFunction
    from dalembert.kinematics.state import State


class OutputQuantity(Described):
    """The contract: `value(state)`, a number or three."""

    unit: str = ""

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies it names, for checking."""
        return ()

    def value(self, s: State) -> Scalar | np.ndarray:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Value(OutputQuantity):
    """A function of the state."""

    of: OfState
    """Function of the state."""
    unit: str = ""
    """Unit that tables and plots show."""

    def value(self, s: State) -> Scalar | np.ndarray:
        return self.of(s) if callable(self.of) else self.of


@dataclass(frozen=True, eq=False)
class _OfPoint(OutputQuantity):
    at: PointLike

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.at.body,)


class Position(_OfPoint):
    """Where a point of a body is, in world axes."""

    unit = "m"

    def value(self, s: State) -> Scalar | np.ndarray:
        return s.position(self.at)


class Velocity(_OfPoint):
    """How fast a point of a body moves, in world axes."""

    unit = "m/s"

    def value(self, s: State) -> Scalar | np.ndarray:
        return s.velocity(self.at)


class Displacement(_OfPoint):
    """How far a node of an elastic body is from its place in the undeformed body, in the axes of the body's floating frame."""

    unit = "m"

    def value(self, s: State) -> Scalar | np.ndarray:
        k = s.mechanism.number_of.get(self.at.body, 0)
        nodes = s.mechanism.bodies[k - 1].nodes if k else {}
        if self.at.node not in nodes:
            known = ", ".join(nodes) or "none, because it is not elastic"
            raise ModelError(f'displacement: body "{self.at.body}" has no node {self.at.node!r}; its nodes are {known}')
        moved = s.rotation(self.at.body).T @ (s.position(self.at) - s.position(self.at.body))
        return moved - nodes[self.at.node].r


@dataclass(frozen=True, eq=False)
class AngularVelocity(OutputQuantity):
    """How fast a body turns, in world axes."""

    body: BodyName
    """Name of the body; the result is in rad/s, world axes."""
    unit = "rad/s"

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)

    def value(self, s: State) -> Scalar | np.ndarray:
        return s.angular_velocity(self.body)


def as_output(given: OutputQuantity | StateFunction, name: str) -> OutputQuantity:
    """An `OutputQuantity` from itself or from a function of the state."""
    if isinstance(given, OutputQuantity):
        return given
    if callable(given):
        return Value(given)
    raise ModelError(
        f'output "{name}": {given!r} is neither a function of the state nor an output such as da.outputs.Position("body")'
    )


OUTPUTS: tuple[type[OutputQuantity], ...] = (Value, Position, Velocity, Displacement, AngularVelocity)
"""The outputs a model file can name."""
