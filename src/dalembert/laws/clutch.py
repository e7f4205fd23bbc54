"""Clutch, Brake and OneWay: shafts that rub, hold or overrun."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.laws.checks import check_not_negative, check_static
from dalembert.laws.freedoms import joint_of, speed
from dalembert.laws.law import Friction, Law
from dalembert.laws.stribeck import friction_in, stribeck
from dalembert.parts.fields import Number, OfState
from dalembert.parts.forces.freedom import chosen

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


def check_freedom(name: str, coordinate: str, joint_named: Callable[[str], Joint]) -> None:
    """Refuse a freedom that the joint does not have."""
    joint, _, freedom = coordinate.partition(".")
    chosen(joint_named(joint), joint, freedom or None, f'law "{name}"')


class BetweenShafts(Law):
    """A law on the speed of a joint's coordinate `a` over `ratio` times that of `b`, or over nothing."""

    a: str
    b: str | None
    ratio: Any

    @property
    def joints(self) -> tuple[str, ...]:
        return tuple(joint_of(name) for name in (self.a, self.b) if name is not None)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        for coordinate in (self.a, self.b):
            if coordinate is not None:
                check_freedom(name, coordinate, joint_of)

    def relative_speed(self, s: State) -> np.ndarray:
        other = 0.0 if self.b is None else self.ratio * speed(s, self.b)
        return np.array([speed(s, self.a) - other])


@dataclass(frozen=True, eq=False)
class Clutch(BetweenShafts):
    """A clutch between two shafts: `da.Clutch("engine", "gearbox", capacity=80.0)`.

    It slips with the torque `capacity`, a number or a function of the state (a pedal), until both turn alike, a = `ratio` · b, and then
    holds up to `static_capacity`. Without a second joint it is a brake against the joint's parent.
    """

    a: str
    b: str | None = None
    capacity: OfState = 0.0
    static_capacity: OfState = None
    ratio: Number = 1.0
    stribeck: Number = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("Clutch", capacity=self.capacity, static_capacity=self.static_capacity)
        check_static("Clutch", "static_capacity", self.static_capacity, self.capacity)

    def slip(self, s: State) -> np.ndarray:
        return self.relative_speed(s)

    def friction(self, s: State, v: Scalar) -> Friction:
        return Friction(stribeck(friction_in(s, self.capacity), self.static_friction(s).force, self.stribeck, v))

    def static_friction(self, s: State) -> Friction:
        return Friction(friction_in(s, self.capacity if self.static_capacity is None else self.static_capacity))


@dataclass(frozen=True, eq=False)
class Brake(Law):
    """A brake in a joint: `da.Brake("wheel", torque=lambda s: 20.0 * s.t)`; it stops the joint and holds it.

    `torque` (a force where it slides) is a number or a function of the state; up to `static_torque` it holds.
    """

    coordinate: str
    torque: OfState = 0.0
    static_torque: OfState = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("Brake", torque=self.torque, static_torque=self.static_torque)
        check_static("Brake", "static_torque", self.static_torque, self.torque)

    @property
    def joints(self) -> tuple[str, ...]:
        return (joint_of(self.coordinate),)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        check_freedom(name, self.coordinate, joint_of)

    def slip(self, s: State) -> np.ndarray:
        return np.array([speed(s, self.coordinate)])

    def friction(self, s: State, v: Scalar) -> Friction:
        return Friction(friction_in(s, self.torque))

    def static_friction(self, s: State) -> Friction:
        return Friction(friction_in(s, self.torque if self.static_torque is None else self.static_torque))


@dataclass(frozen=True, eq=False)
class OneWay(BetweenShafts):
    """A freewheel: `da.OneWay("wheel", "sprocket")` lets the wheel overrun the sprocket, and is driven by it.

    The speed of a is never below `ratio` times that of b; without b, the joint turns forwards only.
    """

    a: str
    b: str | None = None
    ratio: Number = 1.0

    def approach(self, s: State) -> np.ndarray:
        return self.relative_speed(s)
