"""Dahl: friction by a bristle that bends and slips, without Stribeck's curve.

ż = v − σ |v| z/F, force σ z. Dahl, *A solid friction model*, The Aerospace Corporation, TOR-0158(3107-18)-1 (1968).
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.elements.passive.bristle_friction import BristleFriction
from dalembert.parts.fields import JointName, Positive
from dalembert.trace import Scalar


@dataclass(frozen=True, eq=False)
class Dahl(BristleFriction):
    """Friction in a joint by a bristle of this `stiffness` that slips under `force`."""

    joint: JointName
    stiffness: Positive
    force: Positive
    coordinate: str | None = None

    def largest(self, v: Scalar) -> Scalar:
        found: Scalar = self.force
        return found
