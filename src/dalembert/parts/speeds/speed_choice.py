"""What a choice of speeds says about itself [C 64, 134]: u = Wᵀ(q, t) q̇ + w(q, t), in place of as many other speeds.

Its values are written on a state in the speeds that it replaces; coefficients and rates follow by differentiation
(`kinematics.speed_map`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.portable import Portable

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


@dataclass(frozen=True, eq=False)
class SpeedChoice(Portable):
    """Some speeds, by name, in place of others, by their places among the mechanism's."""

    names: tuple[str, ...]
    instead_of: tuple[int, ...]

    def values(self, s: State) -> np.ndarray:
        """Chosen speeds in a state, linear in the state's own but for what time adds."""
        raise NotImplementedError

    def inverse(self, s: State) -> np.ndarray | None:
        """Those replaced, per unit of the chosen ones, where it is known without solving."""
        return None

    def coordinate_rates(self, places: Any) -> dict[int, int]:
        """Places of coordinates whose rates are among the chosen speeds, with the places of these; `places` are the joints'."""
        return {}

    def drift(self, s: State) -> np.ndarray | None:
        """Rates of the chosen ones where those replaced do not change, where they are known without differentiating."""
        return None
