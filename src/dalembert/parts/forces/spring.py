"""Spring: a spring and damper between two points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dalembert.errors import ForceError
from dalembert.parts.fields import Number, OfElongation, PointLike, RestLength
from dalembert.parts.forces.force import BodyLoad, Force, Load
from dalembert.trace import Expr, sqrt

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class Spring(Force):
    """Pulls its two points together with stiffness · (length − rest length) + damping · rate.

    `tension(x, v)`, a function of elongation and its rate, replaces or adds to the linear law. A point is a body's name (its
    origin) or (name, (x, y, z)) in body axes.
    """

    a: PointLike
    b: PointLike
    stiffness: Number = 0.0
    damping: Number = 0.0
    length: RestLength = 0.0
    tension: OfElongation = None

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.a.body, self.b.body)

    def loads(self, s: State) -> Iterable[Load]:
        a, b = s.position(self.a), s.position(self.b)
        pull = self._pull(s, b - a)
        yield BodyLoad(self.a, force=pull, at=a)
        yield BodyLoad(self.b, force=-pull, at=b)

    def _pull(self, s: State, d: Any) -> Any:
        """The force on a, along d from a to b; a linear spring of zero rest length has no direction to lose."""
        per_length: Any = self.stiffness
        rested = type(self.length) is Expr or self.length != 0.0
        damped = type(self.damping) is Expr or self.damping != 0.0
        if rested or damped or self.tension:
            now = sqrt(d @ d)
            if type(now) is not Expr and now == 0.0:
                raise ForceError("its two points coincide, so that it pulls in no direction; begin elsewhere")
            rate = d @ (s.velocity(self.b) - s.velocity(self.a)) / now
            per_length = per_length * (1.0 - self.length / now) + self.damping * rate / now
            if self.tension:
                per_length = per_length + self.tension(now - self.length, rate) / now
        return per_length * d

    def potential(self, s: State) -> Scalar:
        d = s.position(self.b) - s.position(self.a)
        if type(self.length) is not Expr and self.length == 0.0:
            return 0.5 * self.stiffness * (d @ d)
        stretch = sqrt(d @ d) - self.length
        return 0.5 * self.stiffness * stretch * stretch

    def beside_potential(self) -> Force | None:
        damped = type(self.damping) is Expr or self.damping != 0.0
        return replace(self, stiffness=0.0) if damped or self.tension else None
