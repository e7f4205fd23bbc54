"""What a run with laws knows of its state, as numbers: margins, forces, and everything that an event asks for."""

from __future__ import annotations

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.nonsmooth.kinetics import Kinetics, LoadMaps
from dalembert.kernels.masked.law_blocks import COEFFICIENTS
from dalembert.kinematics.law_mode import SLOTS, ElementState
from dalembert.simulation.event_driven.law_program import LawProgram
from dalembert.simulation.march.run_with_laws import RunWithLaws

LOOKS_AT_REST = 200
"""Steps at least into which a run would be divided by what sticks or is engaged."""


class LawNumbers(RunWithLaws):
    """A run whose memory is read in the words of laws."""

    program: LawProgram

    def kinetics(self, t: float, y: np.ndarray) -> Kinetics:
        """Everything of a state, from compiled code."""
        rhs, u_at = self.program.rhs, slice(self.n_q, self.n_q + self.model.n_u)
        y = np.ascontiguousarray(y)
        self.program.library.kinetics_at(np.array([t]), y, self.inputs, self.work)
        numbers = self.work[: rhs.places["end"], 0].copy()
        x = {
            name: numbers[where] if shape is None else numbers[where].reshape(shape)
            for name, where, shape in self._kinetic_places
        }
        first = rhs.first
        loads = LoadMaps(x["z0"], x["Zu"], x["Zx"], x["arm"])
        return Kinetics(
            rhs.table, y[u_at].copy(), x["A"], x["f"], x["rows"][:first], x["gamma"][:first], x["slip"][:first],
            x["rows"][first:], x["gamma"][first:], x["gap"], x["v"], **{name: x[name] for name in COEFFICIENTS},
            sizes=self.program.kept.law_sizes, on=self.mode.part("state") != ElementState.OFF, loads=loads,
        ).knowing(
            rows=x["rows"], given=x["gamma"], Y=x["Y"].T, W=x["W"], free=x["free"], rates=x["rates"],
            per_force=x["per_force"], unpressed=x["unpressed"],
        )  # fmt: skip

    @cached_property
    def _kinetic_places(self) -> list[tuple[str, slice, tuple[int, ...] | None]]:
        """Where compiled code leaves the arrays of a state, and their shapes if they are matrices."""
        rhs, n = self.program.rhs, self.model.n_u
        rows, laws, elements, z = rhs.n_rows, len(rhs.table), len(rhs.table.elements), rhs.table.n_components
        shapes: dict[str, tuple[int, ...]] = {
            "f": (n,), "gamma": (rows,), "slip": (rows,), "gap": (laws,), "v": (laws,), **dict.fromkeys(COEFFICIENTS, (elements,)),
            "z0": (z,), "Zu": (z, n), "Zx": (z, rows), "arm": (len(rhs.table.load_terms),), **rhs.kinetic_shapes,
        }  # fmt: skip
        at = rhs.places
        return [
            (
                name.removeprefix("full_"),
                slice(at[name], at[name] + int(np.prod(shape))),
                shape if len(shape) > 1 else None,
            )
            for name, shape in shapes.items()
        ]

    def _keep_rows(self, rows: tuple[int, ...]) -> None:
        super()._keep_rows(rows)
        self.__dict__.pop("_kinetic_places", None)

    def margins(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values and tolerances of all margins at a time within the last step, and rates of gaps."""
        self.program.library.margins_at(self.memory, self.inputs, self.work, t)
        found = self.part("margins")
        n = self.n_margins
        return found[:n].copy(), found[n : 2 * n].copy(), found[2 * n :].copy()

    def slope(self, t: float, y: np.ndarray) -> np.ndarray:
        """ẏ at a state."""
        dy = np.zeros(len(y))
        self.program.library.slope_at(np.array([t]), np.ascontiguousarray(y), dy, self.inputs, self.work)
        return dy

    def law_forces(self) -> np.ndarray:
        """λ of all rows of laws at the state whose margins or slope were asked for last."""
        at = self.program.rhs.places["lam"]
        return self.work[at : at + len(self.program.rhs.table), 0].copy()

    @property
    def span(self) -> float:
        """Length of the run."""
        return self.options.end - self.options.start

    @property
    def longest_step(self) -> float:
        """Longest step that may be taken: what rests is examined often, as nothing in its motion tells that forces on it change."""
        rests = (self.mode.part("state") >= ElementState.STICK).any()
        return min(self.options.max_step, self.span / LOOKS_AT_REST) if rests else self.options.max_step

    @property
    def n_margins(self) -> int:
        table = self.program.rhs.table
        return SLOTS * len(table.elements) + len(table.load_terms)

    def back(self, t: float, y: np.ndarray) -> np.ndarray:
        """A state brought back onto everything that holds."""
        z = np.array(y, dtype=float)
        self.program.library.brought_back(np.array([t]), z, self.inputs, self.work)
        return z

    def event_value(self, k: int, t: float, y: np.ndarray) -> float:
        """The function of an event in a state, on numbers."""
        m = self.model.with_parameters(**self.parameters_at(y))
        s = m.state(m.admissible(y[: self.n_q]), y[self.n_q : self.n_q + m.n_u], t)
        return float(np.asarray(s.settled(np.asarray(self.events[k].when(s)))).item())
