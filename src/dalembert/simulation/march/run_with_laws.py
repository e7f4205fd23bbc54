"""What runs with laws have in common: the mode they are in, parameters that events set, what happened so far, checkpoints of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from dalembert.kinematics.law_mode import LawMode
from dalembert.mechanism.physical import check_parameters
from dalembert.simulation.march.checkpoint import Checkpoint
from dalembert.simulation.march.program_with_laws import ProgramWithLaws
from dalembert.simulation.march.run import Run


@dataclass(frozen=True, eq=False)
class Hit:
    """An impact as it is noted: impulses and speeds of all rows of laws, speeds of the mechanism before and after."""

    t: float
    q: np.ndarray
    u_before: np.ndarray
    u_after: np.ndarray
    impulses: np.ndarray
    before: np.ndarray
    after: np.ndarray
    losses: np.ndarray

    @property
    def row(self) -> np.ndarray:
        """All of its numbers."""
        return np.concatenate([[self.t], *(getattr(self, f.name) for f in fields(self)[1:])])

    @staticmethod
    def of(row: np.ndarray, sizes: list[int]) -> Hit:
        """The impact whose numbers these are."""
        t, *parts = np.split(row, np.cumsum(sizes)[:-1])
        return Hit(float(t[0]), *parts)


class RunWithLaws(Run):
    """The moving parts, with the mode in the inputs of compiled code."""

    program: ProgramWithLaws

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.hits: list[Hit] = []
        self.modes: list[tuple[float, np.ndarray]] = []
        """Time from which a mode lasted, and its numbers."""

    @property
    def mode(self) -> LawMode:
        return self.program.mode(self.inputs)

    @property
    def n_q(self) -> int:
        return self.model.n_q

    def switch(self, law: str, on: bool, t: float, y: np.ndarray) -> None:
        """Switch the elements of a law off; or on, where they are in the state y."""
        raise NotImplementedError

    def _when(self) -> str:
        return "at the start" if not self.modes else f"at t = {self.t:.9g} s, where it is switched on"

    def _note_mode(self) -> None:
        """Write down that the present mode lasts from now on."""
        self.modes.append((self.t, self.mode.numbers.copy()))

    # -- parameters ----------------------------------------------------------------------------------------------------
    @property
    def parameters(self) -> dict[str, float]:
        """Values of the parameters now, states of elements among them."""
        return self.parameters_at(self.part("y"))

    def parameters_at(self, y: np.ndarray) -> dict[str, float]:
        """Values of the parameters, with the states of elements that stand in y."""
        m = self.model
        values = self.program.input_layout.view(self.inputs, "P")[:, 0].tolist()
        return dict(zip(m.parameters, values)) | dict(zip(m.states, y[m.n_q + m.n_u :].tolist()))

    def set_parameter(self, name: str, value: float) -> None:
        """Go on with another value of a parameter, or of a state."""
        check_parameters(self.model, {name: value}, "an event's action")
        if name in self.model.states:
            self.part("y")[self.n_q + self.model.n_u + self.model.states.index(name)] = value
            return
        self.model_now.with_parameters(**{name: value})  # refuses what cannot be, as a coefficient below 0
        at = list(self.model.parameters).index(name)
        self.program.input_layout.view(self.inputs, "P")[at, 0] = value
        self.parameter_changes.append((self.t, at, value))

    def values_at_times(self, t: np.ndarray) -> np.ndarray:
        """(K, parameters): their values at these times; at the instant of a change those after it."""
        found = np.tile(np.array(list(self.model.parameters.values()), dtype=float), (len(t), 1))
        for since, at, value in self.parameter_changes:
            found[t >= since, at] = value
        return found

    @contextmanager
    def earlier_inputs(self, t: np.ndarray, forces: np.ndarray) -> Iterator[Iterator[int]]:
        """Samples one after the other, each with the parameters and the controller's forces of its time among the inputs."""
        now, place = self.inputs.copy(), self.program.input_layout
        values, P, x = self.values_at_times(t), place.parts["P"].start, place.view(self.inputs, "x")[:, 0]

        def each() -> Iterator[int]:
            for k in range(len(t)):
                self.inputs[P : P + values.shape[1], 0] = values[k]
                x[:] = forces[k]
                yield k

        try:
            yield each()
        finally:
            self.inputs[:] = now

    # -- checkpoints ---------------------------------------------------------------------------------------------------
    def checkpoint(self) -> Checkpoint:
        """Put aside what has been noted of the laws, too; the mode itself is among the inputs."""
        width = 1 + self.program.rhs.mode.size
        return replace(
            super().checkpoint(),
            impacts=np.array([x.row for x in self.hits]).reshape(len(self.hits), sum(self._hit_sizes)),
            modes=np.array([[t, *numbers] for t, numbers in self.modes]).reshape(len(self.modes), width),
            changes=np.array(self.parameter_changes, dtype=float).reshape(len(self.parameter_changes), 3),
        )

    def go_on_from(self, c: Checkpoint) -> None:
        super().go_on_from(c)
        sizes = self._hit_sizes
        self.hits = [Hit.of(row, sizes) for row in c.impacts]
        self.modes = [(float(row[0]), row[1:].copy()) for row in c.modes]
        self.parameter_changes = [(float(t), int(at), float(value)) for t, at, value in c.changes]

    @property
    def _hit_sizes(self) -> list[int]:
        n, rows = self.model.n_u, len(self.program.table)
        return [1, self.n_q, n, n, rows, rows, rows, rows]

    def _misfit(self, c: Checkpoint) -> str:
        found = super()._misfit(c)
        fits = {
            "its impacts": c.impacts.ndim == 2 and c.impacts.shape[1] == sum(self._hit_sizes),
            "its modes": c.modes.ndim == 2 and c.modes.shape[1] == 1 + self.program.rhs.mode.size and len(c.modes) > 0,
            "its changes of parameters": c.changes.ndim == 2
            and c.changes.shape[1] == 3
            and bool(np.isin(c.changes[:, 1], range(len(self.model.parameters))).all()),
            "its impacts of laws": bool(np.isfinite(c.impacts).all()),
            "its states of laws": c.inputs.shape == self.inputs.shape
            and all(self.program.rhs.mode.fits(x) for x in (c.modes[:, 1:], self.program.mode(c.inputs).numbers)),
        }
        return found or next((f"{what} cannot be right" for what, good in fits.items() if not good), "")

    def _keep_rows(self, rows: tuple[int, ...]) -> None:
        """Go on with other rows of the loops, in the same mode."""
        numbers = self.mode.numbers.copy()
        super()._keep_rows(rows)
        self.mode.numbers[:] = numbers
