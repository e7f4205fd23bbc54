"""Root loci: eigenvalues of small motions over a parameter or a speed, followed from value to value, and where they cross."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq, linear_sum_assignment

from dalembert.analysis.equilibrium.steady import SteadyMotions
from dalembert.analysis.finding import Finding, Plot
from dalembert.analysis.linear.linearisation import NEUTRAL
from dalembert.analysis.tabular import Tabular
from dalembert.errors import StateError
from dalembert.mechanism import Mechanism
from dalembert.optional import optional
from dalembert.simulation.error_sizes import speed_units

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.aliases import JointValues

IDLE_BRANCH = 1e-9
"""Part of the largest eigenvalue below which a branch is that of a coordinate nothing depends on."""
NARROW, NARROWEST = 1e-13, 1e-14
"""Part of a value to which a limit is located: where growth begins as a square root, and where a root crosses."""
SAME_VALUE, SAME_FREQUENCY, LEAST_VALUE = 1e-9, 1e-6, 1e-12
"""How near two limits are one: part of the value, rad/s; and the value by which those at zero are measured."""
_THIN = 0.8
"""Width of a line that only guides the eye, in points."""


@dataclass(frozen=True)
class StabilityCrossing:
    """Where a branch crosses: the value, and its eigenvalue there."""

    value: float
    eigenvalue: complex


@dataclass(frozen=True, eq=False)
class Locus(Tabular):
    """`eigenvalues[i, k]` is branch k at `values[i]`; displacements that nothing depends on count with eigenvalue 0."""

    name: str
    values: np.ndarray
    eigenvalues: np.ndarray
    at: Callable[[float], np.ndarray]
    """The eigenvalues at any other value."""

    @property
    def growth(self) -> np.ndarray:
        """The largest real part at each value."""
        return np.asarray(self.eigenvalues.real.max(axis=1))

    @property
    def stable(self) -> np.ndarray:
        """At each value, whether no small motion grows."""
        return _stable(self.eigenvalues)

    def stability_limits(self) -> list[StabilityCrossing]:
        """Values at which a real part passes through zero, or where motions that neither grew nor fell begin to grow."""
        passing = self.crossings(lambda value, root: root.real)
        begun = []
        for a, b, *stable in zip(self.values, self.values[1:], self.stable, self.stable[1:]):
            if stable[0] != stable[1] and not any(a <= c.value <= b for c in passing):
                begun.append(self._begun(a, b, stable[0]))
        return sorted([*passing, *begun], key=lambda c: c.value)

    def _begun(self, a: float, b: float, stable_at_a: bool) -> StabilityCrossing:
        """Limit by bisection: growth begins as a square root, so the value is known far better than the least growth that shows."""
        narrow = NARROW * max(abs(a), abs(b))  # of where it began: beside a limit at zero, nothing is narrow
        while b - a > narrow:
            middle = 0.5 * (a + b)
            if not a < middle < b:
                break
            a, b = (middle, b) if bool(_stable(self.at(middle))) == stable_at_a else (a, middle)
        roots = self.at(0.5 * (a + b))
        return StabilityCrossing(0.5 * (a + b), complex(roots[np.argmax(roots.real)]))

    def critical_speeds(self, order: float = 1.0) -> list[StabilityCrossing]:
        """Where the values are speeds of rotation: those at which `order` times the speed meets a natural frequency."""
        return [c for c in self.crossings(lambda value, root: abs(root.imag) - order * abs(value)) if c.value]

    def crossings(self, of: Callable[[float, complex], float]) -> list[StabilityCrossing]:
        """Where a function of the value and of a branch's eigenvalue passes through zero, one of each conjugate pair."""
        found = []
        small = NEUTRAL * max(1.0, float(np.abs(self.eigenvalues).max()))
        for k in range(self.eigenvalues.shape[1]):
            for i in range(len(self.values) - 1):
                (a, b), (y, z) = self.values[i : i + 2], self.eigenvalues[i : i + 2, k]
                if min(y.imag, z.imag) < -small or max(abs(of(a, y)), abs(of(b, z))) < small:
                    continue
                if of(a, y) * of(b, z) < 0.0:
                    idle = int(np.sum(np.abs(self.eigenvalues[i : i + 2]).max(axis=0) < small))
                    found.append(self._refined(of, (a, b), (y, z), idle))
                elif of(b, z) == 0.0 and self._passes(of, i + 1, k):  # on one of the values itself
                    found.append(StabilityCrossing(float(b), complex(z)))
        return sorted(_distinct(found), key=lambda c: c.value)

    def _passes(self, of: Callable[[float, complex], float], i: int, k: int) -> bool:
        """Whether a function that is zero on branch k at the value i has another sign after it than before."""
        around = [of(self.values[j], self.eigenvalues[j, k]) for j in (i - 1, i + 1) if j < len(self.values)]
        return len(around) == 2 and around[0] * around[1] < 0.0

    def _refined(
        self,
        of: Callable[[float, complex], float],
        between: tuple[float, float],
        ends: tuple[complex, complex],
        idle: int,
    ) -> StabilityCrossing:
        """Along the branch with these ends; of all roots, as many as stay zero are left out, so as not to be taken for it."""
        (a, b), (y, z) = between, ends

        def nearest(value: float) -> complex:
            roots = self.at(value)
            roots = roots[np.argsort(np.abs(roots))][idle:]
            guess = y + (z - y) * (value - a) / (b - a)
            return complex(roots[np.argmin(np.abs(roots - guess))])

        narrow = NARROWEST * max(abs(a), abs(b))
        value, _ = brentq(lambda x: of(x, nearest(x)), a, b, xtol=narrow, rtol=NARROWEST, full_output=True, disp=False)
        return StabilityCrossing(value, nearest(value))

    def columns(self) -> dict[str, np.ndarray]:
        """The values, whether it is stable there, and real and imaginary part of every branch."""
        out: dict[str, np.ndarray] = {self.name: self.values, "stable": self.stable}
        for k, branch in enumerate(self.eigenvalues.T):
            out |= {f"real {k}": branch.real, f"imaginary {k}": branch.imag}
        return out

    def plot(self, ax: Axes | None = None) -> Axes:
        """Real and imaginary parts over the values; the axes of matplotlib."""
        plt = optional("matplotlib.pyplot", "plot()")

        ax = plt.subplots()[1] if ax is None else ax
        ax.plot(self.values, self.eigenvalues.real, "-", color="tab:blue", lw=1)
        ax.plot(self.values, np.abs(self.eigenvalues.imag), ":", color="tab:orange", lw=1)
        ax.axhline(0.0, color="black", lw=0.5)
        ax.set(xlabel=self.name, ylabel="real part (—), frequency (···), 1/s")
        return ax

    def plot_frequencies(self, orders: Sequence[float] = (1.0,), ax: Axes | None = None) -> Axes:
        """Campbell's diagram: frequencies over the speed, with the lines of the given orders."""
        plt = optional("matplotlib.pyplot", "plot()")

        ax = plt.subplots()[1] if ax is None else ax
        ax.plot(self.values, np.abs(self.eigenvalues.imag), color="tab:blue", lw=1)
        for order in orders:
            ax.plot(self.values, order * np.abs(self.values), "--", color="grey", lw=_THIN)
        ax.set(xlabel=f"{self.name}, rad/s", ylabel="frequency, rad/s")
        return ax

    def finding(self, m: Mechanism) -> Finding:
        """What the page shows of it."""
        turning = self.name in m.speeds and speed_units(m)[m.speeds.index(self.name)] == "rad/s"
        limits, critical = self.stability_limits(), self.critical_speeds() if turning else []
        rows = [["", self.name, "rad/s there"]]
        rows += [["growth begins or ends", f"{c.value:.10g}", f"{abs(c.eigenvalue.imag):.6g}"] for c in limits]
        rows += [["critical speed", f"{c.value:.10g}", f"{abs(c.eigenvalue.imag):.6g}"] for c in critical]
        size = np.abs(self.eigenvalues).max(axis=0)
        roots = self.eigenvalues[:, size > IDLE_BRANCH * max(1.0, float(size.max(initial=0.0)))]
        branches = tuple(f"branch {k}" for k in range(roots.shape[1]))
        frequencies, names = np.abs(roots.imag), branches
        if turning:
            frequencies, names = np.column_stack([frequencies, np.abs(self.values)]), (*branches, "equal to the speed")
        marks = tuple((c.value, 0.0, f"{c.value:.6g}") for c in limits)
        meets = tuple((c.value, abs(c.eigenvalue.imag), f"{c.value:.6g}") for c in critical)
        return Finding(
            f"Over {self.name}",
            str(self),
            [("", rows)] if len(rows) > 1 else [],
            [
                Plot("Real parts (1/s)", self.name, self.values, branches, roots.real, marks=marks),
                Plot("Frequencies (rad/s)", self.name, self.values, names, frequencies, marks=meets),
                Plot(
                    "Root locus (1/s)", "real part", roots.real, branches, roots.imag, "points", y_name="imaginary part"
                ),
            ],
        )

    def __str__(self) -> str:
        stable, limits = self.stable, self.stability_limits()
        kind = (
            "stable throughout"
            if stable.all()
            else "unstable throughout"
            if not stable.any()
            else "stable for some values"
        )
        text = f"{self.name} from {self.values[0]:g} to {self.values[-1]:g}: {kind}"
        at = ", ".join(f"{c.value:.8g} ({abs(c.eigenvalue.imag):.4g} rad/s)" for c in limits)
        return text + (f"; growth sets in or ends at {at}" if limits else "")


def _stable(roots: np.ndarray) -> np.ndarray:
    return np.asarray(roots.real.max(axis=-1) <= NEUTRAL * np.maximum(1.0, np.abs(roots).max(axis=-1)))


def root_locus(
    m: Mechanism, name: str, values: Any, initial: JointValues | None, speeds: Mapping[str, Any] | None, find: Mapping[str, Any] | None,
    hold: Sequence[str], t: float,
) -> Locus:  # fmt: skip
    """See `Mechanism.root_locus`."""
    steady = SteadyMotions(m, [name], initial, speeds, find, hold, t)
    given = np.atleast_1d(np.asarray(values, dtype=float))
    if given.ndim != 1 or not given.size or not np.isfinite(given).all():
        raise StateError(f'root_locus: the values of "{name}" must be a row of finite numbers, not {values!r}')
    rows: list[np.ndarray] = []
    for value in given:
        roots = steady.eigenvalues(value)
        rows.append(_followed(rows, roots))
    return Locus(name, given, np.array(rows), steady.roots)


def _followed(rows: list[np.ndarray], roots: np.ndarray) -> np.ndarray:
    """The roots in the order of the branches so far, each expected where its last two lead to."""
    if not rows:
        return roots[np.lexsort((roots.imag, roots.real))]
    expected = rows[-1] if len(rows) < 2 else rows[-1] + 0.5 * (rows[-1] - rows[-2])
    _, order = linear_sum_assignment(np.abs(expected[:, None] - roots[None, :]))
    return roots[order]


def _distinct(found: list[StabilityCrossing]) -> list[StabilityCrossing]:
    out: list[StabilityCrossing] = []
    for c in found:
        scale = max(LEAST_VALUE, abs(c.value))
        if not any(
            abs(c.value - o.value) < SAME_VALUE * scale
            and abs(abs(c.eigenvalue.imag) - abs(o.eigenvalue.imag)) < SAME_FREQUENCY
            for o in out
        ):
            out.append(c)
    return out
