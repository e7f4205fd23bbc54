"""Modes: the free small motions x = Re(x̂ e^{λt}) of a linearised mechanism, A x̂ = λ x̂."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dalembert.analysis.finding import Finding, eigenvalue_plot, mode_table
from dalembert.analysis.linear.linearisation import NEUTRAL, Linearisation
from dalembert.analysis.tabular import Tabular, over
from dalembert.arguments import count, real, refused, takes
from dalembert.mechanism import Mechanism
from dalembert.parts.names import unknown
from dalembert.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.motion.motion import Motion

NAMED = 0.01
"""Part of the largest component from which on a mode names a speed."""
IN_PHASE = 0.05
"""Degrees within which a component is in phase."""


@dataclass(frozen=True, eq=False)
class Mode:
    """One pair of conjugate eigenvalues, by that of positive imaginary part, or one real eigenvalue."""

    linearisation: Linearisation
    eigenvalue: complex
    shape: np.ndarray
    """Displacements along all of the mechanism's speeds, complex; the largest is 1."""
    speeds: np.ndarray
    """Deviations of all speeds, to the same scale."""
    states: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """Deviations of states of elements, to the same scale; where nothing moves, the largest of them is 1."""

    @property
    def oscillates(self) -> bool:
        return self.eigenvalue.imag != 0.0

    @property
    def angular_frequency(self) -> float:
        """|Im λ|, rad/s."""
        return abs(self.eigenvalue.imag)

    @property
    def frequency(self) -> float:
        """Hz."""
        return self.angular_frequency / (2.0 * np.pi)

    @property
    def damping_ratio(self) -> float:
        """−Re λ / |λ|: negative where the motion grows."""
        size = abs(self.eigenvalue)
        return -self.eigenvalue.real / size if size else 0.0

    def __getitem__(self, name: str) -> complex:
        """The displacement along a speed, by its name."""
        names = self.linearisation.mechanism.speeds
        if name not in names:
            raise unknown(name, "speed", names, "mode")
        return complex(self.shape[names.index(name)])

    @takes(amplitude=real, periods=real, samples=count(2))
    def motion(self, amplitude: float = 0.2, periods: float = 2.0, samples: int = 121) -> Motion:
        """The mode as a motion to look at: its largest displacement is `amplitude` (rad or m), about the pose where it was found.

        Loops are closed again at every sample. Growth and decay are left out of oscillations; other modes run until they have grown or
        fallen by a factor of e for each period.
        """
        from dalembert.analysis.linear.mode_motion import mode_motion

        return mode_motion(self, amplitude, periods, samples)

    def __str__(self) -> str:
        m = self.linearisation.mechanism
        largest = np.argsort(-np.abs(self.shape))[:4]
        where = ", ".join(f"{m.speeds[i]} {_polar(self.shape[i])}" for i in largest if abs(self.shape[i]) > NAMED)
        if not (np.any(self.shape) or np.any(self.speeds)):  # within elements
            order = np.argsort(-np.abs(self.states))[:4]
            where = ", ".join(f"{m.states[i]} {_polar(self.states[i])}" for i in order if abs(self.states[i]) > NAMED)
        rate = self.eigenvalue.real
        if self.oscillates:
            grows = "grows" if self.damping_ratio < -NEUTRAL else "damping ratio"
            return f"{self.frequency:.6g} Hz, {grows} {self.damping_ratio:.4g}: {where}"
        if abs(rate) < NEUTRAL:
            kept = [m.speeds[i] for i in np.argsort(-np.abs(self.speeds))[:4] if abs(self.speeds[i]) > NAMED]
            return f"stays: {where or 'speeds ' + ', '.join(kept)}"
        return f"{'grows' if rate > 0 else 'decays'} at {rate:.6g} 1/s: {where}"


@dataclass(frozen=True, eq=False)
class Modes(Tabular):
    """All modes, by falling time scale: oscillations by frequency, after the real ones by size. Cyclic displacements are left out."""

    linearisation: Linearisation
    every: tuple[Mode, ...]

    def __len__(self) -> int:
        return len(self.every)

    def __iter__(self) -> Iterator[Mode]:
        return iter(self.every)

    def __getitem__(self, k: int) -> Mode:
        if not isinstance(k, (int, np.integer)) or not -len(self) <= k < len(self):
            raise refused("the number of a mode", f"a whole number from 0 to {len(self) - 1}", k)
        return self.every[k]

    @property
    def eigenvalues(self) -> np.ndarray:
        """One of each mode."""
        return np.array([mode.eigenvalue for mode in self.every])

    @property
    def oscillations(self) -> tuple[Mode, ...]:
        """Those that oscillate, slowest first."""
        return tuple(mode for mode in self.every if mode.oscillates)

    @property
    def frequencies(self) -> np.ndarray:
        """Hz, of those that oscillate."""
        return np.array([mode.frequency for mode in self.oscillations])

    @property
    def damping_ratios(self) -> np.ndarray:
        """Damping ratios of the modes that oscillate."""
        return np.array([mode.damping_ratio for mode in self.oscillations])

    def columns(self) -> dict[str, np.ndarray]:
        """Every mode's eigenvalue, frequency and damping, then size and phase of the displacement along each speed."""
        roots = self.eigenvalues
        out = {"real, 1/s": roots.real, "imaginary, 1/s": roots.imag}
        out["frequency, Hz"] = np.array([mode.frequency for mode in self.every])
        out["damping ratio"] = np.array([mode.damping_ratio for mode in self.every])
        shapes = np.array([mode.shape for mode in self.every]).reshape(len(self.every), -1)
        for name, column in zip(self.linearisation.mechanism.speeds, shapes.T):
            out |= {name: np.abs(column), f"{name} phase, deg": np.degrees(np.angle(column))}
        return out

    def plot(self, ax: Axes | None = None) -> Axes:
        """The eigenvalues in the complex plane; the axes of matplotlib."""
        roots = np.concatenate([self.eigenvalues, self.eigenvalues.conj()])
        ax = over(roots.real, "real part, 1/s", {}, "imaginary part, 1/s", ax)
        ax.plot(roots.real, roots.imag, "x", color="tab:blue")
        ax.axvline(0.0, color="black", lw=0.5)
        return ax

    def finding(self, m: Mechanism) -> Finding:
        """What the page shows of it."""
        return Finding("Modes", str(self).partition("\n")[0], [("", mode_table(self))], [eigenvalue_plot(self)])

    def __str__(self) -> str:
        lin = self.linearisation
        head = f"{lin.mechanism.name}: {counted(len(self.every), 'mode')}, {lin.verdict}"
        return "\n".join([head, *(f"  {k}: {mode}" for k, mode in enumerate(self.every))])


UNMOVED = 1e-9
"""Seconds: displacements below this times the speeds are rounding."""
ROUNDING = 1e-14
"""Part of the states of elements below which displacements and speeds are rounding: the mode is within elements."""


def modes(lin: Linearisation) -> Modes:
    """See `Linearisation.modes`."""
    kept, n = lin.essential, len(lin.displacements)
    values, vectors = np.linalg.eig(lin.A[np.ix_(kept, kept)])
    found = []
    for value, vector in zip(values, vectors.T):
        if value.imag < 0.0:
            continue
        x = _whole(lin, complex(value), kept, vector)
        shape, speeds = lin.displacement_of @ x[:n], lin.speed_of @ x
        if np.abs(shape).max(initial=0.0) < UNMOVED * np.abs(speeds).max(initial=0.0):  # a speed that stays changed
            shape = np.zeros_like(shape)
        states = x[len(x) - lin.mechanism.n_z :]
        if max(np.abs(shape).max(initial=0.0), np.abs(speeds).max(initial=0.0)) < ROUNDING * np.abs(states).max(
            initial=0.0
        ):
            shape, speeds = np.zeros_like(shape), np.zeros_like(speeds)
        largest = max([*shape] if np.any(shape) else [*speeds] if np.any(speeds) else [*states], key=abs)
        found.append(Mode(lin, complex(value), shape / largest, speeds / largest, states / largest))
    found.sort(key=_place)
    return Modes(lin, tuple(found))


def _place(mode: Mode) -> tuple[float, float, float]:
    """Frequency, then size of the rate, to the digits that rounding leaves; of a pair that differs in sign, what grows comes first."""
    frequency, rate = (float(f"{abs(x):.9g}") for x in (mode.eigenvalue.imag, mode.eigenvalue.real))
    return frequency, rate, -mode.eigenvalue.real


def _whole(lin: Linearisation, value: complex, kept: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The eigenvector with the cyclic displacements, which follow the others: λ ξ = (A x)_ξ; left out of modes that hardly move."""
    x = np.zeros(len(lin.A), dtype=complex)
    x[kept] = vector
    left = np.setdiff1d(np.arange(len(lin.A)), kept)
    if len(left) and abs(value) > NEUTRAL * float(np.abs(lin.A).max()):
        inner = value * np.eye(len(left)) - lin.A[np.ix_(left, left)]
        x[left] = np.linalg.solve(inner, lin.A[np.ix_(left, kept)] @ vector)
    return x


def _polar(x: complex) -> str:
    angle = np.degrees(np.angle(x))
    shown = f"{angle:.0f}".replace("-180", "180")  # which of the two it is, rounding decides
    return f"{abs(x):.3g}" if abs(angle) < IN_PHASE else f"{abs(x):.3g}∠{shown}°"
