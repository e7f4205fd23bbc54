"""Cable: elastic, over pulleys or eyes without friction, so that one tension runs through it.

Its length is that of its straight spans and of its arcs round the pulleys, L = Σ l + Σ r φ; T = k e + c ė with e = L − L₀ − paid.
Each pulley is pulled by T along both spans that leave it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

from dalembert.elements.drawn.over_pulleys import OverPulleys
from dalembert.elements.drawn.spans import Span
from dalembert.elements.element import output
from dalembert.parts.fields import Length, Number, PointLike, Positive
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Scalar, maximum, select

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class Cable(OverPulleys):
    """A cable of natural `length` over `pulleys` in their order, without friction: their centres, with `radii` and `sides` (1 or −1).

    Its ends are points, pulleys of radius 0, unless it is `closed`. Inputs `paid` and `paid_rate` say how much of it a winch has paid
    out and pays out. It pulls with `stiffness` and `damping`, and never pushes.
    """

    pulleys: tuple[PointLike, ...]
    radii: tuple[Number, ...]
    length: Length
    stiffness: Positive
    damping: Number = 0.0
    sides: tuple[Number, ...] | None = None
    axis: Axis = (0.0, 0.0, 1.0)
    closed: bool = False

    takes: ClassVar[Mapping[str, str]] = {"paid": "m", "paid_rate": "m/s"}
    optional: ClassVar[Mapping[str, float]] = {"paid": 0.0, "paid_rate": 0.0}

    def _spans(self, x: ElementAt) -> list[Span]:
        made: list[Span] = x.kept("spans", lambda: self.path.spans(x))
        return made

    @output("m")
    def stretch(self, x: ElementAt) -> Scalar:
        """Length beyond that without tension; below zero where it hangs."""
        spans, path = self._spans(x), self.path
        pairs = [*pairwise(spans), *([(spans[-1], spans[0])] if self.closed else [])]
        arcs = sum(self.radii[a.b] * path.wrap(x, a, b) for a, b in pairs)
        return sum(span.length for span in spans) + arcs - self.length - x["paid"]

    def _stretching(self, x: ElementAt) -> Scalar:
        every = [
            span.t @ (x.s.velocity(self.pulleys[span.b]) - x.s.velocity(self.pulleys[span.a]))
            for span in self._spans(x)
        ]
        return sum(every) - x["paid_rate"]

    @output("N")
    def tension(self, x: ElementAt) -> Scalar:
        e = self.stretch(x)
        return select(e > 0.0, maximum(self.stiffness * e + self.damping * self._stretching(x), 0.0), 0.0)

    def loads(self, x: ElementAt) -> Iterable[Load]:
        T = self.tension(x)
        for span in self._spans(x):
            for k, way in ((span.a, T * span.t), (span.b, -T * span.t)):
                yield BodyLoad(self.pulleys[k], way, at=x.s.position(self.pulleys[k]))

    def stored(self, x: ElementAt) -> Scalar:
        e = maximum(self.stretch(x), 0.0)
        return 0.5 * self.stiffness * e * e

    def dissipated(self, x: ElementAt) -> Scalar:
        e = maximum(self.stretch(x), 0.0)
        return (self.tension(x) - self.stiffness * e) * self._stretching(x)

    def supplied(self, x: ElementAt) -> Scalar:
        return -self.tension(x) * x["paid_rate"]
