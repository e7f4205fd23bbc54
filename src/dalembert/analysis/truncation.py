"""How many modes are enough [C IV]: the same model with fewer and fewer of them, and what that changes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.tabular import Tabular, over
from dalembert.elastic.mode_participation import truncated
from dalembert.errors import ModelError
from dalembert.mechanism import Mechanism
from dalembert.system.system import System
from dalembert.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PLOTTED = 1e-16
"""Least error that is plotted."""
WITHIN = (0.1, 0.01, 0.001)
"""Parts of the last model's values for which it is said how many modes are enough."""
FREQUENCIES = 6
"""How many of the lowest natural frequencies are followed where nothing else is measured."""


@dataclass(frozen=True, eq=False)
class TruncationStudy(Tabular):
    """What was measured with each number of modes a body: `counts` (K,), `values` (K, n), NaN where a model had none.

    `print` it; `errors`, `enough`, `plot` and `to_dataframe` say the same.
    """

    model: str
    counts: tuple[int, ...]
    names: tuple[str, ...]
    values: np.ndarray

    @property
    def errors(self) -> np.ndarray:
        """(K, n): difference from the model with the most modes, as a part of that model's value."""
        last = self.values[-1]
        return np.asarray(np.abs(self.values - last) / np.where(last != 0.0, np.abs(last), 1.0))

    def enough(self, tolerance: float = 0.01) -> int:
        """The smallest number of modes a body from which on all measures stay within a part of the last model's."""
        right = np.nan_to_num(self.errors, nan=np.inf).max(axis=1, initial=0.0) <= tolerance
        first = len(right) - 1
        while first and right[first - 1]:
            first -= 1
        return self.counts[first]

    def columns(self) -> dict[str, Any]:
        return {"modes": np.array(self.counts), **dict(zip(self.names, self.values.T))}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Errors over the number of modes, on a logarithmic scale; the axes of matplotlib."""
        floor = PLOTTED
        curves = {name: np.maximum(e, floor) for name, e in zip(self.names, self.errors[:-1].T)}
        ax = over(
            np.array(self.counts[:-1]), "modes of each elastic body", curves, "difference from the last model", ax
        )
        ax.set_yscale("log")
        return ax

    def picture(self, path: Path) -> None:
        """Write the plot into a file, whole or not at all."""
        from dalembert.atomic import write_whole

        made: Any = self.plot().get_figure()
        content = BytesIO()
        made.savefig(content, format=path.suffix.lstrip(".").lower())
        write_whole(path, content.getvalue(), "picture")

    def __str__(self) -> str:
        head = ["modes", *self.names]
        rows = [[str(n), *(f"{x:.6g}" for x in row)] for n, row in zip(self.counts, self.values)]
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        lines = ["  ".join(x.rjust(w) for x, w in zip(row, widths)) for row in [head, *rows]]
        found = [f"from {counted(self.enough(part), 'mode')} on within {100 * part:g} % of the last" for part in WITHIN]
        return "\n".join([f"{self.model}: fewer modes of each elastic body", *lines, *found])


def truncation_study(
    system: System,
    counts: Sequence[int] | None = None,
    measure: Callable[[Mechanism], Any] | None = None,
    bodies: Sequence[str] | None = None,
) -> TruncationStudy:
    """The system with each number of modes, of all elastic bodies or of those named, and its measure: numbers from the mechanism, the
    lowest natural frequencies (Hz) about its start if nothing is said."""
    elastic = [name for name, b in system.bodies.items() if b.modes]
    chosen = elastic if bodies is None else list(bodies)
    wrong = [name for name in chosen if name not in elastic]
    if wrong or not chosen:
        what = f'"{wrong[0]}" is no elastic body' if wrong else "there is no elastic body"
        raise ModelError(f'truncation study of "{system.name}": {what}; it has {", ".join(elastic) or "none"}')
    most = max(len(system.bodies[name].modes) for name in chosen)
    wanted = sorted({int(n) for n in (range(1, most + 1) if counts is None else counts)})
    if not wanted or wanted[0] < 0 or wanted[-1] > most:
        raise ModelError(
            f'truncation study of "{system.name}": numbers of modes must be from 0 to {most}, not {counts!r}'
        )
    of = _frequencies if measure is None else measure
    found = [np.atleast_1d(np.asarray(of(_with(system, chosen, n).build()), dtype=float)).ravel() for n in wanted]
    size = max(len(x) for x in found)
    values = np.full((len(found), size), np.nan)
    for row, x in zip(values, found):
        row[: len(x)] = x
    names = [f"f{i + 1}, Hz" for i in range(size)] if measure is None else [f"measure {i + 1}" for i in range(size)]
    return TruncationStudy(system.name, tuple(wanted), tuple(names), values)


def _with(system: System, bodies: Sequence[str], modes: int) -> System:
    """The same system with so many modes of these bodies, at most."""
    made = copy.copy(system)
    for name in bodies:
        body = system.bodies[name]
        kept = truncated(body.data, min(modes, len(body.modes)))
        made.bodies[name] = replace(body, data=kept)
        made.initial = {k: v for k, v in made.initial.items() if k != name and k.partition(".")[0] != name}
        made.speeds = {k: v for k, v in made.speeds.items() if k != name and k.partition(".")[0] != name}
    return made


def _frequencies(m: Mechanism) -> np.ndarray:
    """The lowest natural frequencies about the assembled start, at rest."""
    q, _ = m.assemble(dict(m.plan.initial) or None)
    return np.sort(m.linearise(q).modes().frequencies)[:FREQUENCIES]
