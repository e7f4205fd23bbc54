"""What every force must say about itself.

A force reads the motion (`kinematics.State`) and returns loads on bodies and on joint speeds; if it is conservative it also gives
its potential energy. It works on numbers and on traced values alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert.parts.conform import Described
from dalembert.portable import Portable
from dalembert.vectors import ZERO, Vector

if TYPE_CHECKING:
    import numpy as np

    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State
    from dalembert.parts.forces.points import Point
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class BodyLoad:
    """What a force of your own yields: `force` at the world point `at` of a body, and a couple `torque` on it, in world axes."""

    body: str | tuple[str, str] | Point
    """Name of the body; of an elastic body, (name, node) or a Point."""
    force: Vector = field(default_factory=lambda: ZERO)
    torque: Vector = field(default_factory=lambda: ZERO)
    at: Vector | None = None
    """World position of the point of action; None for the body's origin."""


@dataclass(frozen=True, eq=False)
class JointLoad:
    """What a force of your own yields for a joint: generalized forces on all its speeds, power = values · u.

    On the joint of an elastic body they may also go on with those on the body's own speeds.
    """

    joint: str
    values: Sequence[Scalar] | np.ndarray


Load = BodyLoad | JointLoad


class Force(Described, Portable):
    """What every force is made from: `da.Spring`, `da.Load`, … To make one of your own, subclass it and give its `loads`.

    `loads(s)` yields `da.BodyLoad("rod", force=…, at=…)` or `da.JointLoad("A", values)` in the state `s`; `potential(s)` gives its
    energy, where it has one; `bodies` and `joints` name those that it acts on, for checking.
    """

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies it names, for checking."""
        return ()

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints it names, for checking."""
        return ()

    def loads(self, s: State) -> Iterable[Load]:
        """What it exerts in the state `s`."""
        raise NotImplementedError

    def potential(self, s: State) -> Scalar:
        """Potential energy, counting only the part whose loads derive from it."""
        return 0.0

    def beside_potential(self) -> Force | None:
        """What it exerts besides its potential: None for nothing more; itself where the potential is not to be relied on.

        Formulations from energies take a force by its loads unless it says here what its potential leaves over.
        """
        return self

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        """Raise a ModelError if it does not suit the joints it names (`joint_of(name)` gives the joint)."""
