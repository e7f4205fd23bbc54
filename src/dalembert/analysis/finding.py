"""`Finding`: a result of an analysis as words, tables and plots, for the page. A result says its own with `finding(m)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

if TYPE_CHECKING:
    from dalembert.analysis.linear.modes import Modes
    from dalembert.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Plot:
    """Curves y (n, number of names) over x (n), or over an x of their own each (n, names); `marks` are points with a word each."""

    title: str
    x_name: str
    x: np.ndarray
    names: tuple[str, ...]
    y: np.ndarray
    kind: str = "lines"
    """ "lines", "points", "curve" (both axes to one scale), or "map": y (len x, len `rows`) is 1 where it is stable."""
    marks: tuple[tuple[float, float, str], ...] = ()
    rows: np.ndarray | None = None
    y_name: str = ""


@dataclass(frozen=True, eq=False)
class Finding:
    """One result: a heading, sentences, tables (the first row is the head) and plots."""

    title: str
    text: str = ""
    tables: Sequence[tuple[str, Sequence[Sequence[str]]]] = ()
    plots: Sequence[Plot] = field(default_factory=tuple)


@runtime_checkable
class HasFinding(Protocol):
    """The contract of a result that a page can show."""

    def finding(self, m: Mechanism) -> Finding:
        """The result of this mechanism, for the page."""


def mode_table(modes: Modes) -> list[list[str]]:
    """A row for each mode."""
    rows = [["", "Hz", "damping", "1/s", "largest displacements"]]
    for k, mode in enumerate(modes):
        where = str(mode).partition(": ")[2]
        frequency = f"{mode.frequency:.6g}" if mode.oscillates else "–"
        rows.append([str(k), frequency, f"{mode.damping_ratio + 0.0:.4g}", _complex(mode.eigenvalue), where])
    return rows


def eigenvalue_plot(modes: Modes) -> Plot:
    """All eigenvalues in the complex plane."""
    roots = np.array([x for mode in modes for x in {mode.eigenvalue, mode.eigenvalue.conjugate()}], dtype=complex)
    return Plot(
        "Eigenvalues (1/s)",
        "real part",
        roots.real,
        ("eigenvalues",),
        roots.imag[:, None],
        "points",
        y_name="imaginary part",
    )


def curve(name: str, points: np.ndarray) -> Finding:
    """The way of a point, seen across the direction in which it moves least."""
    spread = np.ptp(points, axis=0)
    across = int(np.argmin(spread))
    i, j = (k for k in range(3) if k != across)
    plot = Plot(f"Way of {name} (m)", "xyz"[i], points[:, i], ("xyz"[j],), points[:, [j]], "curve", y_name="xyz"[j])
    return Finding(f"Curve of {name}", "", [], [plot])


def _complex(x: complex) -> str:
    return f"{x.real:.5g} ± {x.imag:.5g} i" if x.imag else f"{x.real:.5g}"
