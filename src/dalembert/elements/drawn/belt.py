"""Belt: elastic spans between pulleys, which sticks to them or slips.

A span is stretched at the rate at which its ends run apart, ė = t·(v_b − v_a) + slip_b − slip_a, with v the velocities of the pulleys'
surfaces where it touches them; its tension is T = T₀ + k e + c ė. Round a pulley wrapped by φ friction μ bears a difference of tensions
up to T(e^{μφ} − 1), T the smaller of both (Euler and Eytelwein); up to that it creeps, beyond it slips. Gerbert, *Belt slip – a unified
approach*, J. Mech. Design 118 (1996) 432–438.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from dalembert.elements.drawn.over_pulleys import OverPulleys
from dalembert.elements.drawn.spans import Span
from dalembert.elements.element import Output
from dalembert.parts.fields import Number, PointLike, Positive
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Scalar, exp, maximum, minimum, select, sign

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


STRETCHED = 1e-3
"""Stretch of a span that is large, beside the largest radius."""


@dataclass(frozen=True, eq=False)
class Belt(OverPulleys):
    """A belt or cable over `pulleys` in their order: their centres, with `radii`, and `sides` (1: counter-clockwise about `axis`, −1).

    `axis` is that of the first pulley, in its own axes. Each span has `stiffness` and `damping`, and `tension` at the start. Without
    `friction` it does not slip; with it, `creep` is the speed of slip at which friction is exhausted, and `viscous` the force for each
    speed beyond. A cable is not `closed`: its ends are points, pulleys of radius 0.
    """

    pulleys: tuple[PointLike, ...]
    radii: tuple[Number, ...]
    stiffness: Positive
    tension: Number = 0.0
    damping: Number = 0.0
    sides: tuple[Number, ...] | None = None
    axis: Axis = (0.0, 0.0, 1.0)
    closed: bool = True
    friction: Number | None = None
    creep: Positive = 1e-3
    viscous: Positive = 1.0

    @property
    def _numbers(self) -> range:
        return range(1, self.path.count + 1)

    @property
    def states(self) -> Mapping[str, float]:
        return {f"stretch{i}": 0.0 for i in self._numbers}

    @property
    def sizes(self) -> Mapping[str, Any]:
        return dict.fromkeys(
            self.states, STRETCHED * max((r for r in self.radii if type(r) is float and r), default=1.0)
        )

    @property
    def outputs(self) -> Mapping[str, Output]:
        tensions: dict[str, Output] = {f"tension{i}": partial(self._tension, i - 1) for i in self._numbers}
        slips: dict[str, Output] = {f"slip{k + 1}": partial(self._slip, k) for k in range(len(self.pulleys))}
        return {**tensions, **(slips if self.friction is not None else {})}

    def unit_of(self, signal: str) -> str:
        known = {"stretch": "m", "tension": "N", "slip": "m/s"}
        return known.get(signal.rstrip("0123456789")) or super().unit_of(signal)

    def _spans(self, x: ElementAt) -> list[Span]:
        made: list[Span] = x.kept("spans", lambda: self.path.spans(x))
        return made

    def _elastic(self, x: ElementAt, i: int) -> Scalar:
        """Tension without damping; none where it hangs slack."""
        return maximum(self.tension + self.stiffness * x[f"stretch{i + 1}"], 0.0)

    def _slip(self, k: int, x: ElementAt) -> Scalar:
        """Speed of the belt on pulley k, towards the greater tension."""
        spans = self._spans(x)
        after = next((i for i, span in enumerate(spans) if span.a == k), None)
        before = next((i for i, span in enumerate(spans) if span.b == k), None)
        if self.friction is None or after is None or before is None:
            return 0.0
        ahead, behind = self._elastic(x, after), self._elastic(x, before)
        most = minimum(ahead, behind) * (exp(self.friction * self.path.wrap(x, spans[before], spans[after])) - 1.0)
        pull = ahead - behind
        creeping = abs(pull) / (most / self.creep + self.viscous)
        return sign(pull) * maximum(creeping, (abs(pull) - most) / self.viscous)

    def _parting(self, x: ElementAt, i: int) -> Scalar:
        """Speed at which the surfaces that span i touches run apart along it."""
        span, path = self._spans(x)[i], self.path
        return span.t @ (path.passing(x, span.b, span.arrives) - path.passing(x, span.a, span.leaves))

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        found = {}
        for i, span in enumerate(self._spans(x)):
            found[f"stretch{i + 1}"] = self._parting(x, i) + self._slip(span.b, x) - self._slip(span.a, x)
        return found

    def _tension(self, i: int, x: ElementAt) -> Scalar:
        elastic = self._elastic(x, i)
        if type(self.damping) is float and not self.damping:
            return elastic
        return select(elastic > 0.0, maximum(elastic + self.damping * self.rates(x)[f"stretch{i + 1}"], 0.0), 0.0)

    def loads(self, x: ElementAt) -> Iterable[Load]:
        for i, span in enumerate(self._spans(x)):
            pull = self._tension(i, x) * span.t
            yield BodyLoad(self.pulleys[span.a], pull, at=span.leaves)
            yield BodyLoad(self.pulleys[span.b], -pull, at=span.arrives)

    def stored(self, x: ElementAt) -> Scalar:
        every = [self._elastic(x, i) for i in range(self.path.count)]
        return sum(T * T for T in every) / (2.0 * self.stiffness)

    def dissipated(self, x: ElementAt) -> Scalar:
        rates = self.rates(x)
        kept = [self._elastic(x, i) * rates[f"stretch{i + 1}"] for i in range(self.path.count)]
        return sum(self._tension(i, x) * self._parting(x, i) - kept[i] for i in range(self.path.count))
