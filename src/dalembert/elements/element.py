"""What every element must say about itself: states of its own, how they change, what it exerts, what others may read of it.

An element has states z with ż = h(t, q, u, z, inputs), as a motor has its current and a controller its integral. It reads the motion
as a force does, on numbers and on traced values alike, and so it is compiled, differentiated and printed with the equations. Its
inputs are connected by name to the outputs and states of other elements, to functions of the state, or to numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from dalembert.errors import ModelError
from dalembert.parts.conform import Described
from dalembert.portable import Portable

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.elements.signals import ElementAt
    from dalembert.parts.forces.force import Load
    from dalembert.parts.joints.joint import Joint
    from dalembert.vectors import Vector

Output = Callable[["ElementAt"], Any]
"""What an output is worth where the element is at."""
Method = TypeVar("Method", bound=Callable[..., Any])

ENERGIES = {"stored": "J", "dissipated": "W", "supplied": "W"}
"""Signals that every element has: the energy stored in it, the power that becomes heat, and the power that its source supplies."""


def output(unit: str = "") -> Callable[[Method], Method]:
    """Mark a method of an element as one of its outputs: `@da.output("N m")`, then `def torque(self, x): …`."""

    def marked(method: Method) -> Method:
        method.output_unit = unit  # type: ignore[attr-defined]
        return method

    return marked


class Element(Described, Portable):
    """What every element is made from: `da.DCMotor`, `da.PID`, … To make one of your own, subclass it.

    `states` gives its states with their initial values, `inputs` the names of its inputs. In every method, `x` is the element where it
    is: `x["current"]` a state or an input of that name, `x.s` the state of the mechanism, `x.t` the time. `rates(x)` gives the rate of
    every state; methods marked by `@da.output(unit)` are its outputs; `loads(x)` yields `da.BodyLoad` and `da.JointLoad`.

    A sampled element has a `period`; its states keep their values between samples, and `update(x)` gives those that follow.
    """

    inputs: tuple[str, ...] = ()
    """Names of its inputs, each of which must be connected."""
    optional: ClassVar[Mapping[str, float]] = {}
    """Inputs that need not be connected, with the values they then have."""
    units: ClassVar[Mapping[str, str]] = {}
    """Units of states, by name."""
    takes: ClassVar[Mapping[str, str]] = {}
    """Units of inputs, by name, where a signal in another unit would be a mistake."""
    period: float | None = None
    """Time between two samples, s; None for an element in continuous time."""

    sampled_only: ClassVar[bool] = False
    """Whether it has no meaning in continuous time, so that its period must be given."""
    reads_reactions: ClassVar[bool] = False
    """Whether it wants of its joints what they transmit only, and no coordinates: they may close loops."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sampled_only and self.period is None:
            raise ModelError(f"{type(self).__name__}: it is sampled: give its period, s")

    @property
    def states(self) -> Mapping[str, float]:
        """States by name, with the values they begin with."""
        return {}

    @property
    def sizes(self) -> Mapping[str, Any]:
        """What is large for a state, by name, in its unit, where 1 is not: errors are judged by it."""
        return {}

    @property
    def outputs(self) -> Mapping[str, Output]:
        """Outputs by name: the methods that are marked as such."""
        names = [name for kind in reversed(type(self).__mro__) for name, x in vars(kind).items() if _marked(x)]
        return {name: getattr(self, name) for name in dict.fromkeys(names)}

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies it names, for checking."""
        return ()

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints it names, for checking."""
        return ()

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        """Raise a ModelError if it does not suit the joints it names (`joint_of(name)` gives the joint)."""

    def rates(self, x: ElementAt) -> Mapping[str, Scalar]:
        """ż by name; of a sampled element, nothing."""
        return {}

    def update(self, x: ElementAt) -> Mapping[str, Scalar]:
        """States after a sample by name, of a sampled element."""
        return {}

    def loads(self, x: ElementAt) -> Iterable[Load]:
        """What it exerts on bodies and joints."""
        return ()

    def stored(self, x: ElementAt) -> Scalar:
        """Energy stored in it, J."""
        return 0.0

    def dissipated(self, x: ElementAt) -> Scalar:
        """Power that becomes heat in it, W."""
        return 0.0

    def supplied(self, x: ElementAt) -> Scalar:
        """Power that flows into it from a source outside the mechanism, W."""
        return 0.0

    def gravity(self, x: ElementAt, at: Vector) -> Vector | float:
        """Acceleration of free fall that it causes at a place of the world, of a gravity field."""
        return 0.0

    @property
    def exerts(self) -> bool:
        """Whether it has loads."""
        return type(self).loads is not Element.loads

    def unit_of(self, signal: str) -> str:
        """Unit of a state or an output; none where it is not said."""
        said = getattr(getattr(type(self), signal, None), "output_unit", "")
        return self.units.get(signal) or ENERGIES.get(signal) or said


def _marked(x: Any) -> bool:
    return callable(x) and hasattr(x, "output_unit")
