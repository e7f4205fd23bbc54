"""Stability maps: whether small motions grow, over one or two parameters or speeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.equilibrium.steady import SteadyMotions
from dalembert.analysis.finding import Finding, Plot
from dalembert.analysis.linear.linearisation import NEUTRAL
from dalembert.analysis.tabular import Tabular
from dalembert.arguments import row
from dalembert.errors import EquilibriumError, ModelError
from dalembert.mechanism import Mechanism
from dalembert.optional import optional

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.aliases import JointValues


@dataclass(frozen=True, eq=False)
class StabilityMap(Tabular):
    """`growth[i, j]` is the largest real part at value i of the first name and j of the second; nan without an equilibrium."""

    names: tuple[str, ...]
    values: tuple[np.ndarray, ...]
    growth: np.ndarray
    sizes: np.ndarray
    """The largest eigenvalue's absolute value, by which growth is judged."""

    @property
    def stable(self) -> np.ndarray:
        """Whether no small motion grows; false where there is no equilibrium."""
        return np.asarray(self.growth <= NEUTRAL * np.maximum(1.0, self.sizes))

    def columns(self) -> dict[str, np.ndarray]:
        """A row for every point: the values, the growth, whether it is stable."""
        points = np.meshgrid(*self.values, indexing="ij")
        out = {name: x.ravel() for name, x in zip(self.names, points)}
        return out | {"growth, 1/s": self.growth.ravel(), "stable": self.stable.ravel()}

    def plot(self, ax: Axes | None = None) -> Axes:
        """Growth over the values; the axes of matplotlib."""
        plt = optional("matplotlib.pyplot", "plot()")

        ax = plt.subplots()[1] if ax is None else ax
        if len(self.names) == 1:
            ax.plot(self.values[0], self.growth)
            ax.axhline(0.0, color="black", lw=0.5)
            ax.set(xlabel=self.names[0], ylabel="growth, 1/s")
            return ax
        ax.pcolormesh(*self.values, self.stable.T, cmap="RdYlGn", vmin=0, vmax=1, shading="nearest")
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        return ax

    def finding(self, m: Mechanism) -> Finding:
        """What the page shows of it."""
        x, names = self.values[0], self.names
        if len(names) == 1:
            plot = Plot("Growth (1/s)", names[0], x, ("growth",), self.growth[:, None])
        else:
            plot = Plot(
                "Stable (green), unstable (red)", names[0], x, (), self.stable.astype(float), "map",
                rows=self.values[1], y_name=names[1],
            )  # fmt: skip
        return Finding(f"Stability over {' and '.join(names)}", str(self), [], [plot])

    def __str__(self) -> str:
        return f"{' and '.join(self.names)}: stable at {int(self.stable.sum())} of {self.growth.size} points"


def stability_map(
    m: Mechanism, over: Mapping[str, Any],
    initial: JointValues | None, speeds: Mapping[str, Any] | None, find: Mapping[str, Any] | None,
    hold: Sequence[str], t: float,
) -> StabilityMap:  # fmt: skip
    """See `Mechanism.stability_map`."""
    if len(over) not in (1, 2):
        raise ModelError(f"a stability map is over one or two parameters or speeds, not {len(over)}")
    steady = SteadyMotions(m, list(over), initial, speeds, find, hold, t)
    axes = tuple(row(x, f"stability_map: the values of {name}") for name, x in over.items())
    growth, sizes = np.full([len(x) for x in axes], np.nan), np.zeros([len(x) for x in axes])
    for at in product(*(range(len(x)) for x in axes)):
        try:
            roots = steady.eigenvalues(*(x[i] for x, i in zip(axes, at)))
        except EquilibriumError:
            continue
        growth[at], sizes[at] = roots.real.max(), np.abs(roots).max()
    return StabilityMap(tuple(over), axes, growth, sizes)
