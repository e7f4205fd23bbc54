"""Load: a force and a torque applied to a body."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from dalembert.parts.fields import PointLike, VectorOfState
from dalembert.parts.forces.force import BodyLoad, Force
from dalembert.parts.forces.force import Load as AnyLoad
from dalembert.parts.numbers import numbers
from dalembert.vectors import ZERO, Vector

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class Load(Force):
    """`force` at the point `at`, and `torque`, in "world" or "body" axes.

    Each is three numbers or a function of the state, `lambda s: (0, 0, 10 * da.sin(s.t))`.
    """

    at: PointLike
    force: VectorOfState = field(default_factory=lambda: ZERO)
    torque: VectorOfState = field(default_factory=lambda: ZERO)
    axes: Literal["world", "body"] = "world"

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.at.body,)

    def loads(self, s: State) -> Iterable[AnyLoad]:
        force, torque = self._value("force", s), self._value("torque", s)
        if self.axes == "body":
            R = s.rotation(self.at)
            force, torque = R @ force, R @ torque
        yield BodyLoad(self.at, force, torque, s.position(self.at))

    def _value(self, name: str, s: State) -> Vector:
        given = getattr(self, name)
        return numbers(given(s), (3,), f"Load: {name}, as its function returns it,") if callable(given) else given
