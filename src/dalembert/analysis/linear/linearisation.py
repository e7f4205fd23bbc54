"""`Linearisation`: small motions about a state, as M⁰ξ̈ + (G⁰ + D)ξ̇ + Kξ = 0 [C 117] and as ẋ = A x + B w, y = C x + D w."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.finding import Finding, eigenvalue_plot, mode_table
from dalembert.cached import cached_property
from dalembert.errors import UnsteadyWarning
from dalembert.mechanism import Mechanism
from dalembert.optional import optional
from dalembert.words import counted

if TYPE_CHECKING:
    import control
    import pandas
    import scipy.signal

    from dalembert.analysis.linear.modes import Modes
    from dalembert.analysis.linear.sampled_linearisation import SampledLinearisation

MATRICES = 8
"""Rows up to which matrices are written out on the page."""


@dataclass(frozen=True, eq=False)
class Linearisation:
    """States are independent displacements along the speeds, then independent speeds, all as deviations from the state (t, q, u).

    Under rolling and other nonholonomic constraints there are more displacements than speeds; the second-order form then has as many
    equations as speeds, in the rates of their own displacements, and `stiffness` has a column for every displacement.
    """

    mechanism: Mechanism
    t: float
    """Time, s."""
    q: np.ndarray
    """Coordinates about which it is linear."""
    u: np.ndarray
    """Speeds there."""
    udot: np.ndarray
    """Rates of the speeds there."""
    displacements: tuple[str, ...]
    """Names of the independent displacements."""
    speeds: tuple[str, ...]
    """Names of the independent speeds."""
    mass: np.ndarray
    """M⁰."""
    velocity_matrix: np.ndarray
    """G⁰ + D."""
    stiffness: np.ndarray
    """K = k − κ."""
    structural: np.ndarray
    """k: of springs, gravity and other applied forces, with the constraint forces that they call up."""
    A: np.ndarray
    """State matrix; states are displacements, then speeds."""
    B: np.ndarray
    """Input matrix."""
    C: np.ndarray
    """Output matrix."""
    D: np.ndarray
    """Feedthrough matrix."""
    inputs: tuple[str, ...]
    """Names of the inputs."""
    outputs: tuple[str, ...]
    """Names of the outputs."""
    displacement_of: np.ndarray
    """n_u × n: displacements along all of the mechanism's speeds for a unit of each independent one."""
    speed_of: np.ndarray
    """n_u × states: deviations of all its speeds for a unit of each state."""
    tau: np.ndarray | None = None
    """Constant generalized forces that act besides, if any."""
    mode: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Mode in which laws are, by law the state of each of its elements: while it lasts, small motions are these."""
    element_states: tuple[str, ...] = ()
    """Names of the states of elements."""

    @property
    def states(self) -> tuple[str, ...]:
        """Displacements by the name of their speed, then the speeds, marked ', then the states of elements."""
        return (*self.displacements, *(f"{name}'" for name in self.speeds), *self.element_states)

    # -- the parts of [117] -----------------------------------------------------------------------------------------------
    @property
    def gyroscopic(self) -> np.ndarray:
        """G⁰: the skew part of the velocity matrix."""
        return 0.5 * (self.velocity_matrix - self.velocity_matrix.T)

    @property
    def damping(self) -> np.ndarray:
        """D: its symmetric part."""
        return 0.5 * (self.velocity_matrix + self.velocity_matrix.T)

    @property
    def centrifugal(self) -> np.ndarray:
        """κ: of inertia forces, the second-order part of T₀ [114]."""
        return self.structural - self.stiffness

    @property
    def circulatory(self) -> np.ndarray:
        """The skew part of K among the displacements of the independent speeds: forces that follow the motion, no potential."""
        own = self.stiffness[:, [self.displacements.index(name) for name in self.speeds]]
        return 0.5 * (own - own.T)

    # -- what follows -----------------------------------------------------------------------------------------------------
    def modes(self) -> Modes:
        """Frequencies, damping and shapes of the free small motions."""
        from dalembert.analysis.linear.modes import modes

        self._warn_if_unsteady()
        return modes(self)

    @cached_property
    def steady(self) -> bool:
        """Whether A is constant along the motion: only then do eigenvalues and modes tell how small motions go on."""
        from dalembert.analysis.linear.constancy import CONSTANT, change

        return change(self) <= CONSTANT

    def _warn_if_unsteady(self) -> None:
        if not self.steady:
            warnings.warn(
                f"{self.mechanism.name}: the equations of small motions change along the motion they are about, so that eigenvalues "
                "and modes do not tell whether it is stable. Describe it by coordinates in which it is steady (a wheel by the lean of "
                "a frame and a Revolute joint about its axle, instead of one Free joint), or follow linearise_along over a period",
                UnsteadyWarning,
                stacklevel=3,
            )

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Eigenvalues of A, with displacements that nothing depends on left out; their eigenvalues are zero."""
        self._warn_if_unsteady()
        return self.roots

    @cached_property
    def roots(self) -> np.ndarray:
        """The eigenvalues, without checking whether they mean anything."""
        kept = self.essential
        return np.linalg.eigvals(self.A[np.ix_(kept, kept)])

    @cached_property
    def essential(self) -> np.ndarray:
        """States without the displacements that no rate depends on: cyclic coordinates."""
        kept, n = np.arange(len(self.A)), len(self.displacements)
        while True:
            A = np.abs(self.A[np.ix_(kept, kept)])
            idle = (A.max(axis=0, initial=0.0) <= IDLE * A.max(initial=0.0)) & (kept < n)
            if not idle.any():
                return kept
            kept = kept[~idle]

    @property
    def growth(self) -> float:
        """The largest real part of an eigenvalue, 1/s."""
        return float(self.eigenvalues.real.max(initial=-np.inf))

    @property
    def verdict(self) -> str:
        """ "asymptotically stable", "stable" (nothing grows, something stays), "unstable" or, about a motion that is not steady,
        "undecided"."""
        if not self.steady:
            return "undecided, as its coefficients change along the motion"
        small = NEUTRAL * max(1.0, float(np.abs(self.eigenvalues).max(initial=0.0)))
        idle = len(self.essential) < len(self.A)
        if self.growth > small:
            return "unstable"
        return "asymptotically stable" if self.growth < -small and not idle else "stable"

    @property
    def stable(self) -> bool:
        """Whether no small motion grows exponentially."""
        return self.verdict in ("stable", "asymptotically stable")

    # -- elsewhere --------------------------------------------------------------------------------------------------------
    def to_scipy(self) -> scipy.signal.StateSpace:
        """`scipy.signal.StateSpace`."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> control.StateSpace:
        """`control.StateSpace` of the python-control package, with names, in which _ stands for a point."""
        return in_python_control(self)

    def to_dict(self) -> dict[str, Any]:
        """Names and matrices as lists, for JSON."""
        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        matrices = ("A", "B", "C", "D", "mass", "velocity_matrix", "stiffness", "structural")
        return {k: list(x) for k, x in names.items()} | {k: getattr(self, k).tolist() for k in matrices}

    def to_dataframe(self) -> pandas.DataFrame:
        """(A, B; C, D) as a pandas DataFrame: rates of the states and outputs over states and inputs."""
        pandas = optional("pandas", "to_dataframe()")
        rows = [*(f"d({name})/dt" for name in self.states), *self.outputs]
        columns = [*self.states, *(f"input {name}" for name in self.inputs)]
        return pandas.DataFrame(np.block([[self.A, self.B], [self.C, self.D]]), index=rows, columns=columns)

    def finding(self, m: Mechanism) -> Finding:
        """What the page shows of it."""
        tables = []
        parts = {"M": self.mass, "G": self.gyroscopic, "D": self.damping, "K": self.stiffness}
        if len(self.speeds) <= MATRICES:
            for name, matrix in parts.items():
                head = ["", *(self.displacements if name == "K" else self.speeds)]
                rows = [[row, *(f"{x:.6g}" for x in values)] for row, values in zip(self.speeds, matrix)]
                tables.append((name, [head, *rows]))
        modes = self.modes()
        return Finding("Linearisation", str(self), [*tables, ("Modes", mode_table(modes))], [eigenvalue_plot(modes)])

    def __str__(self) -> str:
        m = self.mechanism
        equations = f"{counted(len(self.displacements), 'displacement')} and {counted(len(self.speeds), 'speed')}"
        moving = "a state of rest" if not np.any(self.u) else "a state of motion"
        return "\n".join(
            [
                f"{m.name}: linearised about {moving} at t = {self.t:g} s, {equations}; {self.verdict}",
                f"  states: {_listed(self.states)}",
                f"  inputs: {_listed(self.inputs)}; outputs: {_listed(self.outputs)}",
                *(f'  law "{name}": {", ".join(states)}, as long as that lasts' for name, states in self.mode.items()),
            ]
        )


def in_python_control(lin: Linearisation | SampledLinearisation, *period: float) -> control.StateSpace:
    """A state space of python-control, whose names have no points."""
    names = {kind: [x.replace(".", "_") for x in getattr(lin, kind)] for kind in ("states", "inputs", "outputs")}
    return optional("control", "to_control()").ss(lin.A, lin.B, lin.C, lin.D, *period, **names)


IDLE = 1e-13
"""Part of the largest entry of A below which a column is taken for zero."""
NEUTRAL = 1e-7
"""Part of the largest eigenvalue below which a growth counts as none: rounding splits double eigenvalues by its square root."""


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "") if names else "none"
