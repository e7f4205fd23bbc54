"""Everything that is known of a mechanism and its laws in one state, as numbers, at an event."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.rest import typical_rate
from dalembert.errors import ForceError
from dalembert.pivoting import least_squares

if TYPE_CHECKING:
    from dalembert.kinematics.law_rows import LawElement, LawTable
    from dalembert.mechanism import Mechanism

ALIKE = 1e-14
"""Part of the largest number of a kind by which two states are alike."""
RANK = 1e-11
"""Part of the largest singular value below which a share of forces is left open."""


class LoadMaps(NamedTuple):
    """Components of what joints transmit: z = z₀ + Z_u u̇ + Z_x λ, and an arm for every term of a load."""

    z0: np.ndarray
    Zu: np.ndarray
    Zx: np.ndarray
    arms: np.ndarray


def refuse_stepped_only(m: Mechanism) -> None:
    """Refuse laws that are marched by time stepping alone, where anything else would leave them out."""
    for name, law in m.laws.items():
        if law.stepped_only:
            raise ForceError(
                f'law "{name}" is marched by time stepping alone: simulate(…, method="moreau", step=…); event by event, and in single '
                "states, there is da.PairContact for each pair"
            )


@dataclass(frozen=True, eq=False)
class Kinetics:
    """A u̇ = f + Bᵀp_B + Jᵀp, with rows B of loops and J of laws: speeds v = J u − b, accelerations J u̇ − γ."""

    table: LawTable
    u: np.ndarray
    A: np.ndarray
    f: np.ndarray
    B: np.ndarray
    gamma_B: np.ndarray
    v_B: np.ndarray
    """Speeds of the loops' rows, zero but for what an impulse has just done to them."""
    J: np.ndarray
    gamma: np.ndarray
    gap: np.ndarray
    v: np.ndarray
    force: np.ndarray
    """c₀ of every element at its slip; likewise the following."""
    coefficient: np.ndarray
    static_force: np.ndarray
    static_coefficient: np.ndarray
    viscous: np.ndarray
    restitution: np.ndarray
    strength: np.ndarray
    sizes: np.ndarray
    """Scale of every row of a law."""
    on: np.ndarray
    """Which elements are switched on."""
    loads: LoadMaps
    """What joints transmit, as friction is pressed by it."""

    def __post_init__(self) -> None:
        refuse_stepped_only(self.table.mechanism)

    @property
    def elements(self) -> tuple[LawElement, ...]:
        return self.table.elements

    def alike(self, other: Kinetics) -> bool:
        """Whether two states differ by rounding only in all that decides forces."""
        names = (
            "W",
            "rates",
            "v",
            "unpressed",
            "per_force",
            "force",
            "coefficient",
            "static_force",
            "static_coefficient",
            "viscous",
        )
        for one, two in ((getattr(self, name), getattr(other, name)) for name in names):
            if np.abs(one - two).max(initial=0.0) > ALIKE * np.abs(two).max(initial=0.0):
                return False
        return True

    @cached_property
    def _factor(self) -> tuple[np.ndarray, bool]:
        from scipy.linalg import cho_factor  # takes long to import; a run without laws gets here by its imports only

        found: tuple[np.ndarray, bool] = cho_factor(self.A, check_finite=False)
        return found

    def per_inertia(self, X: np.ndarray) -> np.ndarray:
        """A⁻¹ X."""
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve(self._factor, X, check_finite=False))

    @cached_property
    def free(self) -> np.ndarray:
        """A⁻¹ f, without any rows."""
        return self.per_inertia(self.f)

    @cached_property
    def rows(self) -> np.ndarray:
        """B over J."""
        return np.vstack([self.B, self.J])

    @cached_property
    def given(self) -> np.ndarray:
        """γ of both."""
        return np.concatenate([self.gamma_B, self.gamma])

    @cached_property
    def Y(self) -> np.ndarray:
        """A⁻¹ Rᵀ."""
        return self.per_inertia(self.rows.T)

    @cached_property
    def W(self) -> np.ndarray:
        """R A⁻¹ Rᵀ: Delassus's matrix of all rows."""
        return self.rows @ self.Y

    @cached_property
    def rates(self) -> np.ndarray:
        """Accelerations of all rows without any forces of theirs, R A⁻¹f − γ."""
        return np.asarray(self.rows @ self.free - self.given)

    def at_speeds(self, u: np.ndarray) -> Kinetics:
        """The same in the middle of an impact: with other speeds of the rows, friction and all else as before it."""
        moved = u - self.u
        return replace(self, u=u, v=self.v + self.J @ moved, v_B=self.v_B + self.B @ moved)

    def knowing(self, **computed: np.ndarray) -> Kinetics:
        """Itself, with what compiled code has computed of A⁻¹, W and the rest put in place."""
        self.__dict__.update(computed)
        return self

    @property
    def n_loops(self) -> int:
        return len(self.B)

    @cached_property
    def per_force(self) -> np.ndarray:
        """Change of z with the forces p of all rows, λ = −p."""
        return np.asarray(self.loads.Zu @ self.Y - self.loads.Zx)

    @cached_property
    def unpressed(self) -> np.ndarray:
        """z without any forces of rows."""
        return np.asarray(self.loads.z0 + self.loads.Zu @ self.free)

    def slip(self, i: int) -> np.ndarray:
        """Slip of an element."""
        return self.v[list(self.elements[i].tangents)]

    def size(self, i: int) -> float:
        """Scale of an element's rows."""
        return float(self.sizes[list(self.elements[i].rows)].max())

    @cached_property
    def rate(self) -> float:
        """The mechanism's own rate, by which speeds are measured."""
        return typical_rate(self.table.mechanism)

    def speed_scale(self, i: int) -> float:
        """Scale of the speeds of an element's rows: their size in the mechanism's own time."""
        return self.rate * self.size(i)

    def least_change(self, rows: list[int], off: np.ndarray) -> np.ndarray:
        """Least change of speeds, in the metric of A, by which rows (numbered among all) change by `off`."""
        if not rows:
            return np.zeros(len(self.u))
        W = self.W[np.ix_(rows, rows)]
        scale = 1.0 / np.sqrt(np.maximum(np.diag(W), 1e-300))
        share = least_squares(W * np.outer(scale, scale), scale * off, RANK)
        return np.asarray(self.Y[:, rows] @ (scale * share))
