"""Outputs: quantities of the motion that a model names, to be plotted, tabled and traced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert.errors import ModelError
from dalembert.parts.conform import Described
from dalembert.parts.fields import BodyName, OfState, PointLike


class Output(Described):
    """The contract: `value(state)`, a number or three."""

    unit: str = ""

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies it names, for checking."""
        return ()

    def value(self, s: Any) -> Any:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Value(Output):
    """A function of the state."""

    of: OfState
    unit: str = ""

    def value(self, s: Any) -> Any:
        return self.of(s) if callable(self.of) else self.of


@dataclass(frozen=True, eq=False)
class _OfPoint(Output):
    at: PointLike

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.at.body,)


class Position(_OfPoint):
    """Where a point of a body is, in world axes."""

    unit = "m"

    def value(self, s: Any) -> Any:
        return s.position(self.at)


class Velocity(_OfPoint):
    """How fast a point of a body moves, in world axes."""

    unit = "m/s"

    def value(self, s: Any) -> Any:
        return s.velocity(self.at)


class Displacement(_OfPoint):
    """How far a node of an elastic body is from its place in the undeformed body, in the axes of the body's floating frame."""

    unit = "m"

    def value(self, s: Any) -> Any:
        k = s.mechanism.number_of.get(self.at.body, 0)
        nodes = s.mechanism.bodies[k - 1].nodes if k else {}
        if self.at.node not in nodes:
            known = ", ".join(nodes) or "none, because it is not elastic"
            raise ModelError(f'displacement: body "{self.at.body}" has no node {self.at.node!r}; its nodes are {known}')
        moved = s.rotation(self.at.body).T @ (s.position(self.at) - s.position(self.at.body))
        return moved - nodes[self.at.node].r


@dataclass(frozen=True, eq=False)
class AngularVelocity(Output):
    """How fast a body turns, in world axes."""

    body: BodyName
    unit = "rad/s"

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)

    def value(self, s: Any) -> Any:
        return s.angular_velocity(self.body)


def as_output(given: Any, name: str) -> Output:
    """An Output from an Output or a function of the state."""
    if isinstance(given, Output):
        return given
    if callable(given):
        return Value(given)
    raise ModelError(
        f'output "{name}": {given!r} is neither a function of the state nor an output such as da.Position("body")'
    )


OUTPUTS: tuple[type[Output], ...] = (Value, Position, Velocity, Displacement, AngularVelocity)
"""The outputs a model file can name."""
