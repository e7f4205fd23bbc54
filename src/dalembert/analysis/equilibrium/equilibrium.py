"""`Equilibrium`: a state in which a mechanism stays, at rest or in steady motion, and what it takes to keep it there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.finding import Finding, eigenvalue_plot, mode_table
from dalembert.analysis.linear.linearisation import Linearisation
from dalembert.analysis.linear.linearise import linearise
from dalembert.analysis.tabular import Tabular
from dalembert.cached import cached_property
from dalembert.mechanism import Mechanism

NOTHING = 1e-9
"""Part of the mechanism's largest forces below which a drive is not worth showing."""
SHOWN_AS_ZERO = 1e-12
"""Value below which a coordinate or speed is printed as 0."""


@dataclass(frozen=True, eq=False)
class Equilibrium(Tabular):
    """Coordinates q and constant speeds u, with the forces `tau` on the speeds that were given, which keep them constant."""

    mechanism: Mechanism
    t: float
    q: np.ndarray
    u: np.ndarray
    tau: np.ndarray
    lam: np.ndarray
    """Multipliers of the loops' and constraints' rows."""
    given: tuple[str, ...]
    """Speeds that were given or looked for; all others are zero, or follow from the constraints."""
    scale: np.ndarray
    """For every speed the size of the forces in its part, which cancel, by the work they do along 1 rad, a length or a slight
    deformation."""
    lasting: bool = True
    """Whether it goes on so; not where time prescribes a motion that changes, and the equilibrium is one of an instant."""

    @property
    def coordinates(self) -> dict[str, float]:
        return dict(zip(self.mechanism.coordinates, self.q.tolist()))

    @property
    def speeds(self) -> dict[str, float]:
        return dict(zip(self.mechanism.speeds, self.u.tolist()))

    @property
    def states(self) -> dict[str, float]:
        """States of elements."""
        return {name: float(self.mechanism.parameters[name]) for name in self.mechanism.states}

    @property
    def drives(self) -> dict[str, float]:
        """The force or torque needed on each given speed; zero where the motion goes on by itself."""
        m = self.mechanism
        return {name: float(self.tau[m.speeds.index(name)]) for name in self.given}

    @cached_property
    def linearisation(self) -> Linearisation:
        """Small motions about it, under the drives as constant forces."""
        return linearise(self.mechanism, self.q, self.u, self.t, None, None, (), self.tau)

    @property
    def stable(self) -> bool:
        """Whether no small motion about it grows exponentially."""
        return self.linearisation.stable

    def columns(self) -> dict[str, Any]:
        """Every coordinate, speed and drive with its value."""
        speeds = {f"{name}'": x for name, x in self.speeds.items()}
        parts = {"coordinate": self.coordinates, "speed": speeds, "state": self.states, "drive": self.drives}
        rows = [(kind, name, x) for kind, part in parts.items() for name, x in part.items()]
        return {key: [row[i] for row in rows] for i, key in enumerate(("kind", "name", "value"))}

    def finding(self, m: Mechanism) -> Finding:
        """What the page shows of it."""
        modes = self.linearisation.modes()
        return Finding("Equilibrium", str(self), [("Modes", mode_table(modes))], [eigenvalue_plot(modes)])

    def __str__(self) -> str:
        m = self.mechanism
        kind = "steady motion" if np.any(self.u) else "rest"
        kind = (
            kind if self.lasting else f"equilibrium at t = {self.t:g} s only, as what time prescribes goes on changing"
        )
        lines = [f"{m.name}: {kind}, {self.linearisation.verdict}"]
        lines += [f"  {name} = {_rounded(x)}" for name, x in list(self.coordinates.items())[:MOST]]
        if m.n_q > MOST:
            lines.append(f"  … and {m.n_q - MOST} more coordinates")
        lines += [f"  {name}' = {x:.8g}" for name, x in self.speeds.items() if float(_rounded(x))][:MOST]
        lines += [f"  {name} = {_rounded(x)}" for name, x in list(self.states.items())[:MOST]]
        least = dict(zip(m.speeds, NOTHING * self.scale / m.scales.speeds))
        needed = {k: x for k, x in self.drives.items() if abs(x) > least[k]}
        lines += [f"  kept by {x:.6g} on {name}" for name, x in needed.items()]
        return "\n".join(lines)


MOST = 12
"""Coordinates shown."""


def _rounded(x: float) -> str:
    return f"{x if abs(x) > SHOWN_AS_ZERO else 0.0:.8g}"
