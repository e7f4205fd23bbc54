"""What every force must say about itself.

A force reads the motion (`kinematics.State`) and returns loads on bodies and on joint speeds; if it is conservative it also gives
its potential energy. It works on numbers and on traced values alike.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from dalembert.system.conform import Described
from dalembert.vectors import ZERO, Vector


@dataclass(frozen=True, eq=False)
class BodyLoad:
    """A force acting at a world point of a body, and a couple on it, both in world axes."""

    body: Any
    """Its name; of an elastic body, (name, node) or a Point."""
    force: Vector = field(default_factory=lambda: ZERO)
    torque: Vector = field(default_factory=lambda: ZERO)
    at: Vector | None = None
    """World position of the point of action; None for the body's origin."""


@dataclass(frozen=True, eq=False)
class JointLoad:
    """Generalized forces on all speeds of a joint, or also on those of the elastic body it carries: power = values · u."""

    joint: str
    values: Any


Load = BodyLoad | JointLoad


class Force(Described):
    """The contract."""

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies it names, for checking."""
        return ()

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints it names, for checking."""
        return ()

    def loads(self, s: Any) -> Iterable[Load]:
        """What it exerts in the state `s`."""
        raise NotImplementedError

    def potential(self, s: Any) -> Any:
        """Its potential energy, counting only the part whose loads derive from it."""
        return 0.0

    def beside_potential(self) -> Force | None:
        """What it exerts besides its potential: None for nothing more; itself where the potential is not to be relied on.

        Formulations from energies take a force by its loads unless it says here what its potential leaves over.
        """
        return self

    def check(self, name: str, joint_of: Any) -> None:
        """Raise a ModelError if it does not suit the joints it names (`joint_of(name)` gives the joint)."""
