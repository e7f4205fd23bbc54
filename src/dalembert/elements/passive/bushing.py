"""Bushing: six springs and dampers between two bodies, coupled or not, with Maxwell's arms.

x = (d, φ): the displacement of its point on the second body, in the axes of the first, and φ = ½ vee(R − Rᵀ) of the relative rotation
R, which is the rotation vector where that is small. φ̇ = ½(tr R − R) ω, so that forces are those of the energy ½xᵀK x to rounding. An
arm with the part c of K and the time τ adds c K(x − y), with τ ẏ = x − y: stiffness and damping that depend on the frequency.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from dalembert.elements.element import Element, output
from dalembert.errors import ModelError
from dalembert.parts.fields import Holds, PointLike
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.trace import Scalar
from dalembert.vectors import cross

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


def six(given: Any, where: str) -> np.ndarray:
    """A 6 × 6 matrix, or the six numbers on its diagonal."""
    try:
        made = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        made = np.zeros(0)
    if made.shape == (6,):
        made = np.diag(made)
    if made.shape != (6, 6) or not np.isfinite(made).all() or not np.allclose(made, made.T):
        raise ModelError(
            f"{where} must be six numbers, along and about the axes, or a symmetric 6 × 6 matrix, not {given!r}"
        )
    made.flags.writeable = False
    return made


def maxwell_arms(given: Any, where: str) -> tuple[tuple[float, float], ...]:
    """(part of the stiffness, time) of every arm."""
    try:
        made = np.asarray(given, dtype=float).reshape(len(given), 2)
    except (TypeError, ValueError, OverflowError):
        made = np.zeros((1, 2))
    if not (np.isfinite(made).all() and (made[:, 1] > 0.0).all() and (made[:, 0] >= 0.0).all()):
        raise ModelError(f"{where} must be pairs (part of the stiffness, time in s above zero), not {given!r}")
    return tuple((float(c), float(tau)) for c, tau in made)


SixBySix = Annotated[Any, Holds("matrix", check=six)]
Arms = Annotated[Any, Holds("matrix", check=maxwell_arms)]


@dataclass(frozen=True, eq=False)
class Bushing(Element):
    """Springs and dampers between the points `a` and `b` of two bodies, three along and three about the axes of the first body.

    `stiffness` and `damping` are six numbers, or symmetric 6 × 6 matrices where directions are coupled. The points coincide and the
    axes of the bodies are parallel where it is at rest. `arms` are (part of the stiffness, time) of Maxwell's arms.
    """

    a: PointLike
    b: PointLike
    stiffness: SixBySix
    damping: SixBySix = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    arms: Arms = ()

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.a.body, self.b.body)

    @property
    def states(self) -> Mapping[str, float]:
        return {f"arm{k + 1}_{i + 1}": 0.0 for k in range(len(self.arms)) for i in range(6)}

    def unit_of(self, signal: str) -> str:
        """Arms are as long, or turned, as the spring that they stand beside."""
        arm, _, direction = signal.rpartition("_")
        return ("m" if int(direction) <= 3 else "rad") if arm.startswith("arm") else super().unit_of(signal)

    def _kinematics(self, x: ElementAt) -> tuple[Any, Any, Any]:
        """x, ẋ, and ½(tr R − R)."""
        s = x.s
        Ra, Rb = s.rotation(self.a), s.rotation(self.b)
        R, gap = Ra.T @ Rb, s.position(self.b) - s.position(self.a)
        wa = s.angular_velocity(self.a)
        moved = s.velocity(self.b) - s.velocity(self.a) - cross(wa, gap)
        phi = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        M = 0.5 * ((R[0, 0] + R[1, 1] + R[2, 2]) * np.eye(3) - R)
        turned = M @ (Ra.T @ (s.angular_velocity(self.b) - wa))
        return np.concatenate([Ra.T @ gap, phi]), np.concatenate([Ra.T @ moved, turned]), M

    def _arm(self, x: ElementAt, k: int) -> np.ndarray:
        return np.array([x[f"arm{k + 1}_{i + 1}"] for i in range(6)])

    def _force(self, x: ElementAt) -> np.ndarray:
        """Against x: K x + D ẋ and what the arms add."""
        at, rate, _ = self._kinematics(x)
        total = self.stiffness @ at + self.damping @ rate
        for k, (part, _) in enumerate(self.arms):
            total = total + part * (self.stiffness @ (at - self._arm(x, k)))
        return total

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        at, _, _ = self._kinematics(x)
        found: dict[str, Any] = {}
        for k, (_, tau) in enumerate(self.arms):
            found |= {f"arm{k + 1}_{i + 1}": (at[i] - self._arm(x, k)[i]) / tau for i in range(6)}
        return found

    def loads(self, x: ElementAt) -> Iterable[Load]:
        f, (_, _, M) = self._force(x), self._kinematics(x)
        R, at = x.s.rotation(self.a), x.s.position(self.b)
        force, torque = R @ f[:3], R @ (M.T @ f[3:])
        yield BodyLoad(self.b, -force, -torque, at)
        yield BodyLoad(self.a, force, torque, at)

    @output("m")
    def stretch(self, x: ElementAt) -> Scalar:
        """How far its points are apart."""
        gap = x.s.position(self.b) - x.s.position(self.a)
        return (gap @ gap) ** 0.5

    def stored(self, x: ElementAt) -> Scalar:
        at, _, _ = self._kinematics(x)
        total = 0.5 * (at @ (self.stiffness @ at))
        for k, (part, _) in enumerate(self.arms):
            left = at - self._arm(x, k)
            total = total + 0.5 * part * (left @ (self.stiffness @ left))
        return total

    def dissipated(self, x: ElementAt) -> Scalar:
        at, rate, _ = self._kinematics(x)
        total = rate @ (self.damping @ rate)
        for k, (part, tau) in enumerate(self.arms):
            left = at - self._arm(x, k)
            total = total + part * (left @ (self.stiffness @ left)) / tau
        return total
