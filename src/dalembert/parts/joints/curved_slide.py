"""CurvedSlide: a point guided on a curve of the parent [D Fig. 5.38]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.fields import Holds
from dalembert.parts.joints.axis import Axis, unit_axis
from dalembert.parts.joints.curve import SAMPLES, Curve, as_curve
from dalembert.parts.joints.joint import Joint
from dalembert.parts.joints.orientation import EulerParameters
from dalembert.trace import Expr
from dalembert.vectors import IDENTITY, Matrix, Vector, across, along, tilt, turn, twist

DRAWN = 2 * SAMPLES
"""Points by which a curve is drawn."""


@dataclass(frozen=True)
class CurvedSlide(Joint):
    """A slide along a curve of the parent: `da.CurvedSlide(lambda x: (x, 0.2 * da.sin(3 * x), 0))`.

    `curve` gives a point in the parent's axes for every value x of the coordinate: a function, a `da.Table` of three columns, or
    points that a smooth curve is laid through. The child keeps its orientation, or turns about an axis fixed in both bodies
    (`turns="pin"`, `axis`), or as it likes ("ball"). `ends` say from which x to which the curve goes, as a joint that closes a loop
    must know; a table says so itself.
    """

    curve: Annotated[Any, Holds("curve")]
    """The curve in the joint frame on the parent: a function of one variable, a table of three columns, or points."""
    turns: Literal["none", "pin", "ball"] = "none"
    """How the child may turn: "none", about `axis` ("pin"), or freely ("ball")."""
    axis: Axis = (0.0, 0.0, 1.0)
    """Axis of the pin, a unit vector."""
    ends: Annotated[Any, Holds("list")] | None = None
    """Lowest and highest value of the variable; needed where the slide closes a loop."""

    def __post_init__(self) -> None:
        unit_axis(self, "axis")
        if self.turns not in ("none", "pin", "ball"):
            raise ModelError(f'CurvedSlide: turns={self.turns!r} is not known; choose "none", "pin" or "ball"')
        made = as_curve(self.curve, self.ends, "CurvedSlide: curve")
        object.__setattr__(self, "curve", made)
        object.__setattr__(self, "ends", None if self.ends is None else made.ends)

    @property
    def _c(self) -> Curve:
        made: Curve = self.curve
        return made

    # -- coordinates ------------------------------------------------------------------------------------------------------
    @property
    def coordinates(self) -> tuple[str, ...]:  # type: ignore[override]
        return {"none": ("",), "pin": ("slide", "angle"), "ball": ("slide", *EulerParameters.coordinates)}[self.turns]

    @property
    def speeds(self) -> tuple[str, ...]:  # type: ignore[override]
        return {"none": ("",), "pin": ("slide", "angle"), "ball": ("slide", "wx", "wy", "wz")}[self.turns]

    @property
    def rates_are_speeds(self) -> bool:  # type: ignore[override]
        return self.turns != "ball"

    @property
    def reference(self) -> np.ndarray:
        """x = 0, or the end of the curve nearest to it."""
        low, high = self._c.ends or (0.0, 0.0)
        turned = {"none": (), "pin": (0.0,), "ball": EulerParameters.reference}[self.turns]
        return np.array([min(max(0.0, low), high), *turned])

    @property
    def limits(self) -> np.ndarray:
        limits = super().limits
        limits[:, 0] = self._c.ends or (-np.inf, np.inf)
        return limits

    # -- pose and motion ----------------------------------------------------------------------------------------------------
    def rotation(self, q: Vector) -> Matrix:
        if self.turns == "pin":
            return turn(np.array(self.axis), q[1])
        return np.asarray(EulerParameters.rotation(q[1:])) if self.turns == "ball" else IDENTITY

    def translation(self, q: Vector) -> Vector:
        return self._c.point(q[0])

    def turning(self, q: Vector) -> np.ndarray:
        own = {"none": np.zeros((3, 0)), "pin": np.array(self.axis)[:, None], "ball": IDENTITY}[self.turns]
        return np.hstack([np.zeros((3, 1)), own])

    def sliding(self, q: Vector) -> np.ndarray:
        return self._along(self._c.tangent(q[0]))

    def sliding_rate(self, q: Vector, u: Vector) -> np.ndarray:
        return self._along(self._c.bend(q[0]) * u[0])

    def _along(self, column: Vector) -> np.ndarray:
        return np.hstack([column[:, None], np.zeros((3, self.n_u - 1))])

    def rates(self, q: Vector, u: Vector) -> Vector:
        return u if self.rates_are_speeds else np.array([u[0], *EulerParameters.rates(q[1:], u[1:])])

    def speeds_from_rates(self, q: Vector, rates: Vector) -> Vector:
        if self.rates_are_speeds:
            return rates
        return np.array([rates[0], *EulerParameters.angular_velocity(q[1:], rates[1:])])

    def admissible(self, q: Vector) -> Vector:
        return q if self.rates_are_speeds else np.array([q[0], *EulerParameters.admissible(q[1:])])

    def condition(self, q: Vector) -> np.ndarray:
        return np.zeros(0) if self.rates_are_speeds else EulerParameters.condition(q[1:])

    def singularity(self, q: Vector) -> str | None:
        return self._c.why_not_at(float(q[0])) or (
            None if self.rates_are_speeds else EulerParameters.singularity(q[1:])
        )

    # -- what it blocks -------------------------------------------------------------------------------------------------------
    @property
    def closes_loops(self) -> bool:
        return self._c.ends is not None

    def closure(self, R: Matrix, p: Vector) -> np.ndarray:
        if self._c.ends is None:
            raise ModelError(
                "a CurvedSlide that closes a loop must know from where to where its curve goes: give ends=(lowest x, highest x), "
                "or build with cut=[…] another joint"
            )
        x = self._c.nearest(p)
        off = p - self._c.point(x)
        places = np.array([e @ off for e in self._c.across(x)])
        return np.concatenate([places, self._blocked_turns(R)])

    def _blocked_turns(self, R: Matrix) -> np.ndarray:
        if self.turns == "none":
            return twist(R)
        return tilt(self.axis, R) if self.turns == "pin" else np.zeros(0)

    def facing(self, R: Matrix, p: Vector) -> float | Expr:
        if self.turns == "pin":
            return along(self.axis, R)
        return R[0, 0] + R[1, 1] + R[2, 2] - 1.0 if self.turns == "none" else 1.0

    def blocked(self, q: Vector) -> np.ndarray:
        """Forces across the curve; couples on what it does not let turn."""
        sideways = np.stack(self._c.across(q[0]), axis=1)
        about = {"none": IDENTITY, "pin": np.stack(across(np.array(self.axis)), axis=1), "ball": np.zeros((3, 0))}[
            self.turns
        ]
        n = about.shape[1]
        return np.vstack([np.hstack([np.zeros((3, 2)), about]), np.hstack([sideways, np.zeros((3, n))])])

    @property
    def tracks(self) -> tuple[np.ndarray | None, np.ndarray | None]:
        low, high = self._c.ends or (-1.0, 1.0)
        points = np.array([self._c.point(x) for x in np.linspace(low, high, DRAWN)], dtype=float)
        return points[np.isfinite(points).all(axis=1)], None
