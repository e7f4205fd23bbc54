"""What `m.gradient` gives: a number that a motion ends with, and its gradient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dalembert.analysis.tabular import Tabular
from dalembert.parts.names import unknown


@dataclass(frozen=True, eq=False)
class MotionGradient(Tabular):
    """The `value` of an objective, and how it changes per unit of each of `to` and of each sample of the controls."""

    value: float
    to: tuple[str, ...]
    values: np.ndarray
    """The gradient, in the order of `to`."""
    controls: Mapping[str, np.ndarray]
    """The gradient in the samples of each control, by speed."""
    steps: int
    method: str
    q: np.ndarray
    u: np.ndarray
    """The state at the end."""

    def __getitem__(self, name: str) -> float | np.ndarray:
        """The entry of a parameter or an initial value, a number; or that of a control, an array."""
        if name in self.controls and name not in self.to:
            return self.controls[name]
        if name not in self.to:
            raise unknown(name, "parameter, initial value or control", [*self.to, *self.controls], "gradient")
        return float(self.values[self.to.index(name)])

    def columns(self) -> dict[str, np.ndarray]:
        """Names, and the gradient."""
        names = [*self.to, *(f"{name}[{i}]" for name, x in self.controls.items() for i in range(len(x)))]
        return {"name": np.array(names), "gradient": np.concatenate([self.values, *self.controls.values()])}

    def __str__(self) -> str:
        lines = [f"{self.value:.9g} after {self.steps} steps of {self.method}; change per unit of"]
        order = np.argsort(-np.abs(self.values), kind="stable")
        lines += [f"  {self.to[k]}: {self.values[k]:.6g}" for k in order]
        lines += [f"  {len(x)} samples of {name}: {_extent(x)}" for name, x in self.controls.items()]
        return "\n".join(lines)


def _extent(x: np.ndarray) -> str:
    return f"{x.min():.6g} … {x.max():.6g}"
