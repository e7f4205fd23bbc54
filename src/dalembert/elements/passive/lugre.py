"""LuGre: friction by bristles that bend, with Stribeck's curve.

ż = v − σ₀ |v| z/g(v), force σ₀ z + σ₁ ż + σ₂ v, g = F_c + (F_s − F_c) e^{−(v/v_s)²}. Canudas de Wit, Olsson, Åström and Lischinsky,
*A new model for control of systems with friction*, IEEE Trans. Automatic Control 40 (1995) 419–425.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.elements.passive.bristle_friction import BristleFriction
from dalembert.parts.fields import JointName, Number, Positive
from dalembert.trace import Scalar, exp


@dataclass(frozen=True, eq=False)
class LuGre(BristleFriction):
    """Friction in a joint by bristles: they bend (`stiffness` σ₀, `damping` σ₁) and slip under `coulomb`, at rest under `static`.

    `stribeck` is the speed at which friction falls from the one to the other, `viscous` σ₂ adds a force for each speed.
    """

    joint: JointName
    stiffness: Positive
    coulomb: Positive
    static: Positive
    stribeck: Positive
    damping: Number = 0.0
    viscous: Number = 0.0
    coordinate: str | None = None

    def largest(self, v: Scalar) -> Scalar:
        slow = v / self.stribeck
        return self.coulomb + (self.static - self.coulomb) * exp(-slow * slow)

    def beside(self, v: Scalar, bending: Scalar) -> Scalar:
        return self.damping * bending + self.viscous * v
