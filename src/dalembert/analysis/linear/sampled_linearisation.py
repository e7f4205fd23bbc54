"""`SampledLinearisation`: small motions from one sample to the next, x⁺ = A x + B w, y = C x + D w."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.linear.linearisation import NEUTRAL, Linearisation, in_python_control
from dalembert.cached import cached_property
from dalembert.mechanism import Mechanism
from dalembert.words import counted, listed

if TYPE_CHECKING:
    import control
    import scipy.signal


@dataclass(frozen=True, eq=False)
class SampledLinearisation:
    """States are deviations just before a sample: independent displacements, then independent speeds, then states of elements. Inputs
    stay as they are from a sample to the next; outputs are those just after it, as a motion shows them."""

    mechanism: Mechanism
    t: float
    q: np.ndarray
    u: np.ndarray
    period: float
    """s; where elements have several, the time until all samples fall together again."""
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    between: Linearisation
    """Small motions between samples, in continuous time, with what is sampled at rest."""

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of A: factors by which small motions grow from one sample to the next."""
        return np.asarray(np.linalg.eigvals(self.A))

    @property
    def growth(self) -> float:
        """The largest factor."""
        return float(np.abs(self.eigenvalues).max(initial=0.0))

    @property
    def verdict(self) -> str:
        """ "asymptotically stable", "stable" (nothing grows, something stays), "unstable" or, about a motion that is not steady,
        "undecided"."""
        if not self.between.steady:
            return "undecided, as its coefficients change along the motion"
        if self.growth > 1.0 + NEUTRAL:
            return "unstable"
        return "asymptotically stable" if self.growth < 1.0 - NEUTRAL else "stable"

    @property
    def stable(self) -> bool:
        """Whether no small motion grows exponentially."""
        return self.verdict in ("stable", "asymptotically stable")

    def to_scipy(self) -> scipy.signal.StateSpace:
        """`scipy.signal.StateSpace` in sampled time."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D, dt=self.period)

    def to_control(self) -> control.StateSpace:
        """`control.StateSpace` of the python-control package in sampled time, with names, in which _ stands for a point."""
        return in_python_control(self, self.period)

    def to_dict(self) -> dict[str, Any]:
        """Names, period and matrices as lists, for JSON."""
        found: dict[str, Any] = {"period": self.period}
        found |= {k: list(getattr(self, k)) for k in ("states", "inputs", "outputs")}
        return found | {k: getattr(self, k).tolist() for k in ("A", "B", "C", "D")}

    def __str__(self) -> str:
        return "\n".join(
            [
                f"{self.mechanism.name}: linearised from one sample to the next, every {self.period:g} s, "
                f"{counted(len(self.states), 'state')}; {self.verdict}, largest factor {self.growth:.6g}",
                f"  states: {listed(self.states, 12)}",
                f"  inputs: {listed(self.inputs, 12)}; outputs: {listed(self.outputs, 12)}",
            ]
        )
