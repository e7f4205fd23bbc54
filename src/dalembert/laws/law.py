"""What every law must say about itself: what can touch, slip or engage in a motion, and with which force.

A law reads the motion (`kinematics.State`) as a constraint does, on numbers and on traced values alike. Its rows hold only at times: a
gap while it is closed, friction while it sticks, a latch while it is on. Which of them hold is the *mode* of a run; everything at the
level of velocities and accelerations follows by differentiation (`kinematics.law_rows`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from dalembert.arguments import flag
from dalembert.parts.conform import Described
from dalembert.parts.joints.bearing import LoadTerm
from dalembert.portable import Portable

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint

NOTHING = np.zeros(0)


class Friction(NamedTuple):
    """Friction in one direction of slip: a force of its own, and a coefficient on the load that presses."""

    force: Scalar = 0.0
    coefficient: Scalar = 0.0


NO_FRICTION = Friction()


RESISTANCES = {"rolling": 2, "drilling": 1}
"""Turnings that the force of a gap resists, and how many directions each has."""


class ReactionLoad(NamedTuple):
    """A load by what a joint transmits: Σ arm · |rows w|."""

    joint: str
    terms: list[LoadTerm]


@dataclass(frozen=True, eq=False, kw_only=True)
class Law(Described, Portable):
    """What every law is made from: `da.Stop`, `da.JointFriction`, `da.Contact`, … To make one of your own, subclass it.

    `gap(s)` gives distances that cannot become negative, `approach(s)` speeds that cannot; `way(s)` or `slip(s)` the coordinates or
    speeds along which friction acts, as many for every gap; `hold(s)` coordinates, `hold_speed(s)` speeds that stay while the law
    is on. `on=False` leaves it off until an event switches it on.
    """

    on: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "on", flag(self.on, f"{type(self).__name__}: on"))

    of_differences: ClassVar[bool] = False
    """Whether it reads positions only to take differences of them, as of `Constraint`. Every class says so for itself."""

    stepped_only: ClassVar[bool] = False
    """Whether it has no rows of its own and is marched by time stepping alone."""

    @property
    def content(self) -> list[Any]:
        """What it is besides its rows, for telling mechanisms apart."""
        return []

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies it names, for checking."""
        return ()

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints it names, for checking."""
        return ()

    restitution = 0.0
    """Part of its approach speed with which a gap opens again after an impact: a number, or an expression of parameters."""
    viscous = 0.0
    """Force per slip speed, added to friction, likewise."""
    rolling_arm = 0.0
    """Arm of the moment by which the force of a gap resists rolling, m."""
    drilling_arm = 0.0
    """The same of turning about the normal."""
    strength = None
    """Force on a hold above which it lets go; None where it never does."""

    # -- rows ---------------------------------------------------------------------------------------------------------
    def gap(self, s: State) -> np.ndarray:
        """g ≥ 0: distances, or angles, one for every place where it can touch."""
        return NOTHING

    def approach(self, s: State) -> np.ndarray:
        """φ ≥ 0: speeds that cannot be negative at any place, as of a one-way clutch; linear in the speeds."""
        return NOTHING

    def way(self, s: State) -> np.ndarray:
        """Coordinates whose rates are the slips, where there are such: what sticks stays where they stood."""
        return NOTHING

    def slip(self, s: State) -> np.ndarray:
        """Slips that are no coordinate's rate, as of a ball that rolls; linear in the speeds."""
        return NOTHING

    def hold(self, s: State) -> np.ndarray:
        """Coordinates that stay as they were when the law was switched on."""
        return NOTHING

    def hold_speed(self, s: State) -> np.ndarray:
        """Speeds that are zero while the law is on; linear in the speeds."""
        return NOTHING

    def rolling(self, s: State) -> np.ndarray:
        """Speeds of turning about the two directions of slip of every gap, against a moment of `rolling_arm` · its force at most."""
        return NOTHING

    def drilling(self, s: State) -> np.ndarray:
        """Speed of turning about the normal of every gap, likewise with `drilling_arm`."""
        return NOTHING

    # -- forces -------------------------------------------------------------------------------------------------------
    def friction(self, s: State, v: Scalar) -> Friction:
        """Friction that resists slip at the speed v > 0."""
        return NO_FRICTION

    def load(self, s: State) -> ReactionLoad | None:
        """What presses on friction without a gap of its own; None for nothing. Under a gap it is the gap's force."""
        return None

    def static_friction(self, s: State) -> Friction:
        """Friction up to which nothing slips."""
        return self.friction(s, 0.0)

    # -- for the door, for words and pictures --------------------------------------------------------------------------
    def acts_at(self, s: State) -> tuple[Any, Any] | None:
        """Where in the world its force acts on its first and on its second body; None where it has no such places."""
        return None

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        """Raise a ModelError if it does not suit the joints it names (`joint_of(name)` gives the joint)."""
