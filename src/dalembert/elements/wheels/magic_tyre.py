"""MagicTyre: the Magic Formula, D sin(C arctan(B s − E(B s − arctan B s))), behind relaxation lengths.

Bakker, Nyborg and Pacejka, *Tyre modelling for use in vehicle dynamics studies*, SAE 870421 (1987), with the coefficients of its tables
2 and 3: D = a₁N² + a₂N, E = a₆N² + a₇N + a₈; B C D = a₃ sin(a₄ arctan(a₅N)) across, (a₃N² + a₄N) e^{−a₅N} along and for the moment,
with the load N in kN, slip angles in degrees and slip in per cent. Where it slips both
ways, both forces go by the whole slip, and each has its part of it. Several public transcripts of the tables agree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dalembert.elements.wheels.tyre_contact import OnRoad
from dalembert.errors import ModelError
from dalembert.parts.fields import Holds, Length, Number, PointLike, Positive
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Scalar, atan, exp, maximum, minimum, sign, sin, sqrt

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

KILO, DEGREE, PER_CENT = 1e3, math.pi / 180.0, 0.01
"""Units in which the coefficients are published: kN, degrees, per cent."""
NO_LOAD = 1e-9
"""Load, kN, below which the shape of the formula is that of this load: the force itself vanishes with the load."""
NO_SLIP = 1e-12
"""Slip beside which its length is smooth: it has no slope at zero."""


def nine(given: Any, where: str) -> tuple[float, ...]:
    """C, a₁ … a₈."""
    try:
        made = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        made = np.zeros(0)
    if made.shape != (9,) or not np.isfinite(made).all() or made[0] == 0.0:
        raise ModelError(f"{where} must be nine numbers, C (not 0) and a1 to a8 of the Magic Formula, not {given!r}")
    return tuple(float(a) for a in made)


Coefficients = Annotated[Any, Holds("values", check=nine)]


@dataclass(frozen=True, eq=False)
class MagicTyre(OnRoad):
    """A tyre by the Magic Formula, with the published coefficients of SAE 870421 unless others are given; `grip` multiplies all forces.

    `wheel` is the wheel's centre, `axis` its spin axis in its own axes, pointing left where it rolls ahead; `stiffness` and `damping`
    are radial. Coefficients are C, a₁ … a₈, for forces in N and loads in kN; camber makes no force.
    """

    wheel: PointLike
    radius: Length
    stiffness: Positive
    relaxation: Length
    relaxation_along: Length
    damping: Number = 0.0
    grip: Number = 1.0
    across: Coefficients = (1.30, -22.1, 1011.0, 1078.0, 1.82, 0.208, 0.0, -0.354, 0.707)
    along: Coefficients = (1.65, -21.3, 1144.0, 49.6, 226.0, 0.069, -0.006, 0.056, 0.486)
    moment: Coefficients = (2.40, -2.72, -2.28, -1.86, -2.73, 0.110, -0.070, 0.643, -4.04)
    axis: Axis = (0.0, 1.0, 0.0)
    normal: Axis = (0.0, 0.0, 1.0)
    height: Number = 0.0

    def forces(self, x: ElementAt) -> tuple[Any, Any, Any]:
        f, N = self.footprint(x), self.load(x) / KILO
        k, a = self.slip(x), x["across"] / self.relaxation
        whole = sqrt(k * k + a * a + NO_SLIP * NO_SLIP)
        degrees, share_k, share_a = atan(whole) / DEGREE, self.grip * k / whole, self.grip * a / whole
        along = share_k * formula(self.along, N, whole / PER_CENT, _slope_along)
        across = share_a * formula(self.across, N, degrees, _slope_across)
        return along, across, sign(f.rolling) * share_a * formula(self.moment, N, degrees, _slope_along)


def formula(a: tuple[float, ...], load: Any, slip: Any, slope: Any) -> Scalar:
    """The Magic Formula at a load in kN; `slope` is B C D for each kN."""
    C, a1, a2, *_, a6, a7, a8 = a
    n = maximum(load, NO_LOAD)
    if a1 * a2 < 0.0:  # beyond its largest value D would fall to nothing
        n = minimum(n, -0.5 * a2 / a1)
    D, E = a1 * n + a2, (a6 * n + a7) * n + a8
    B = slope(a, n) * slip / (C * D)
    return load * D * sin(C * atan(B - E * (B - atan(B))))


def _slope_across(a: tuple[float, ...], n: Any) -> Scalar:
    return a[3] * sin(a[4] * atan(a[5] * n)) / n


def _slope_along(a: tuple[float, ...], n: Any) -> Scalar:
    return (a[3] * n + a[4]) * exp(-a[5] * n)
