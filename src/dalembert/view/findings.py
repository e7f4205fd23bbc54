"""Results of analyses as the page shows them: words, tables and plots that do not run over time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.simulation.scales import speed_units
from dalembert.view.encode import array

IDLE = 1e-9
"""Part of the largest eigenvalue below which a branch is that of a coordinate nothing depends on."""
MATRICES = 8
"""Rows up to which matrices are written out."""


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


def findings(results: Iterable[Any], m: Mechanism) -> list[Finding]:
    """Findings of whatever the analyses of a mechanism return; findings made by hand are taken as they are."""
    found = []
    for result in results:
        if isinstance(result, Finding):
            found.append(result)
            continue
        describe = _DESCRIBERS.get(type(result).__name__)
        if describe is None:
            known = ", ".join(_DESCRIBERS)
            raise SimulationError(f"page: results are what analyses return ({known}), not {result!r}")
        found.append(describe(result, m))
    return found


def encoded(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """What `analysis.js` reads."""
    return [
        {"title": f.title, "text": f.text, "tables": [[name, [list(row) for row in rows]] for name, rows in f.tables],
         "plots": [_plot(p) for p in f.plots]}
        for f in found
    ]  # fmt: skip


def _plot(p: Plot) -> dict[str, Any]:
    made: dict[str, Any] = {
        "title": p.title,
        "xName": p.x_name,
        "yName": p.y_name,
        "names": list(p.names),
        "kind": p.kind,
    }
    made |= {"x": array(p.x, "float64"), "y": array(p.y, "float64"), "marks": [list(m) for m in p.marks]}
    return made | ({} if p.rows is None else {"rows": array(p.rows, "float64")})


# -- one teller for each kind of result -------------------------------------------------------------------------------------
def _equilibrium(e: Any, m: Mechanism) -> Finding:
    modes = e.linearisation.modes()
    return Finding("Equilibrium", str(e), [("Modes", _mode_table(modes))], [_eigenvalues(modes)])


def _modes(modes: Any, m: Mechanism) -> Finding:
    return Finding("Modes", str(modes).partition("\n")[0], [("", _mode_table(modes))], [_eigenvalues(modes)])


def _mode_table(modes: Any) -> list[list[str]]:
    rows = [["", "Hz", "damping", "1/s", "largest displacements"]]
    for k, mode in enumerate(modes):
        where = str(mode).partition(": ")[2]
        frequency = f"{mode.frequency:.6g}" if mode.oscillates else "–"
        rows.append([str(k), frequency, f"{mode.damping_ratio + 0.0:.4g}", _complex(mode.eigenvalue), where])
    return rows


def _eigenvalues(modes: Any) -> Plot:
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


def _linearisation(lin: Any, m: Mechanism) -> Finding:
    tables = []
    parts = {"M": lin.mass, "G": lin.gyroscopic, "D": lin.damping, "K": lin.stiffness}
    if len(lin.speeds) <= MATRICES:
        for name, matrix in parts.items():
            head = ["", *(lin.displacements if name == "K" else lin.speeds)]
            rows = [[row, *(f"{x:.6g}" for x in values)] for row, values in zip(lin.speeds, matrix)]
            tables.append((name, [head, *rows]))
    modes = lin.modes()
    return Finding("Linearisation", str(lin), [*tables, ("Modes", _mode_table(modes))], [_eigenvalues(modes)])


def _locus(locus: Any, m: Mechanism) -> Finding:
    turning = locus.name in m.speeds and speed_units(m)[m.speeds.index(locus.name)] == "rad/s"
    limits, critical = locus.stability_limits(), locus.critical_speeds() if turning else []
    rows = [["", locus.name, "rad/s there"]]
    rows += [["growth begins or ends", f"{c.value:.10g}", f"{abs(c.eigenvalue.imag):.6g}"] for c in limits]
    rows += [["critical speed", f"{c.value:.10g}", f"{abs(c.eigenvalue.imag):.6g}"] for c in critical]
    size = np.abs(locus.eigenvalues).max(axis=0)
    roots = locus.eigenvalues[:, size > IDLE * max(1.0, float(size.max(initial=0.0)))]
    branches = tuple(f"branch {k}" for k in range(roots.shape[1]))
    frequencies, names = np.abs(roots.imag), branches
    if turning:
        frequencies, names = np.column_stack([frequencies, np.abs(locus.values)]), (*branches, "equal to the speed")
    marks = tuple((c.value, 0.0, f"{c.value:.6g}") for c in limits)
    meets = tuple((c.value, abs(c.eigenvalue.imag), f"{c.value:.6g}") for c in critical)
    return Finding(
        f"Over {locus.name}",
        str(locus),
        [("", rows)] if len(rows) > 1 else [],
        [
            Plot("Real parts (1/s)", locus.name, locus.values, branches, roots.real, marks=marks),
            Plot("Frequencies (rad/s)", locus.name, locus.values, names, frequencies, marks=meets),
            Plot("Root locus (1/s)", "real part", roots.real, branches, roots.imag, "points", y_name="imaginary part"),
        ],
    )


def _stability_map(found: Any, m: Mechanism) -> Finding:
    x, names = found.values[0], found.names
    if len(names) == 1:
        plot = Plot("Growth (1/s)", names[0], x, ("growth",), found.growth[:, None])
    else:
        plot = Plot(
            "Stable (green), unstable (red)", names[0], x, (), found.stable.astype(float), "map",
            rows=found.values[1], y_name=names[1],
        )  # fmt: skip
    return Finding(f"Stability over {' and '.join(names)}", str(found), [], [plot])


def _sweep(sweep: Any, m: Mechanism) -> Finding:
    plots = []
    others = [i for i, name in enumerate(m.coordinates) if name != sweep.joint]
    for name in sweep.transmission:
        angle = np.degrees(sweep.transmission[name])[:, None]
        plots.append(Plot(f"Transmission angle at {name} (°)", sweep.joint, sweep.values, (name,), angle))
    if others:
        curves = Plot(
            "Other coordinates", sweep.joint, sweep.values, tuple(m.coordinates[i] for i in others), sweep.q[:, others]
        )
        plots.insert(0, curves)
    rows = [["what", sweep.joint, "sentence"]]
    for what, some in (
        ("dead point", sweep.dead_points),
        ("branch point", sweep.branch_points),
        ("limit", sweep.limits),
    ):
        rows += [[what, f"{s.value:.10g}", s.what] for s in some]
    return Finding(
        f"Sweep of {sweep.joint}", str(sweep).partition("\n")[0], [("", rows)] if len(rows) > 1 else [], plots
    )


def curve(name: str, points: np.ndarray) -> Finding:
    """The way of a point, seen across the direction in which it moves least."""
    spread = np.ptp(points, axis=0)
    across = int(np.argmin(spread))
    i, j = (k for k in range(3) if k != across)
    plot = Plot(f"Way of {name} (m)", "xyz"[i], points[:, i], ("xyz"[j],), points[:, [j]], "curve", y_name="xyz"[j])
    return Finding(f"Curve of {name}", "", [], [plot])


def _drives(found: Any, m: Mechanism) -> Finding:
    return Finding("Drives", str(found))


def _sensitivities(x: Any, m: Mechanism) -> Finding:
    plots = [
        Plot(f"Change of {name} per unit", "t, s", x.t, tuple(x.to), x[name])
        for name in (*x.coordinates, *(k for k, v in x.values.items() if v.ndim == 1))
    ]
    rows = [["at the end", *x.to]]
    names = (*x.coordinates, *(f"{c}'" for c in x.speeds), *(k for k, v in x.values.items() if v.ndim == 1))
    rows += [[name, *(f"{v:.6g}" for v in x[name][-1])] for name in names]
    return Finding("Sensitivities", "Change per unit of each parameter or initial value.", [("", rows)], plots[:12])


def _identification(found: Any, m: Mechanism) -> Finding:
    return Finding("Identification", str(found))


def _complex(x: complex) -> str:
    return f"{x.real:.5g} ± {x.imag:.5g} i" if x.imag else f"{x.real:.5g}"


_DESCRIBERS: dict[str, Callable[[Any, Mechanism], Finding]] = {
    "Equilibrium": _equilibrium, "Modes": _modes, "Linearisation": _linearisation, "Locus": _locus,
    "StabilityMap": _stability_map, "Sweep": _sweep, "Drives": _drives, "Sensitivities": _sensitivities,
    "Identification": _identification,
}  # fmt: skip
"""Describers by the name of the class, so that showing a motion imports no analysis."""
