"""A run by time stepping: impacts and friction are solved for in every step; events with actions act at the end of theirs."""

from __future__ import annotations

import numpy as np

from dalembert.constraints.nonsmooth.at_state import INSIDE
from dalembert.errors import SimulationError
from dalembert.kernels.masked.ball_contacts import CONTACTS_PER_BALL, overlapping
from dalembert.kinematics.law_mode import ElementState, known_states
from dalembert.kinematics.law_rows import law_rows
from dalembert.kinematics.state import State
from dalembert.motion.law_history import LawHistory
from dalembert.simulation.event_driven.acting import act
from dalembert.simulation.integrators.moreau import NO_ROOM
from dalembert.simulation.march.checkpoint import Checkpoint
from dalembert.simulation.march.run_with_laws import RunWithLaws
from dalembert.simulation.status import Status
from dalembert.simulation.time_stepping.stepping_notes import stepped_history
from dalembert.simulation.time_stepping.stepping_program import SteppingProgram, anchor, hold

UNSOLVED = 1e-6
"""Change of impulses in the last sweep of a step, by the largest, above which a note says so."""
UNSOLVED_BALLS = 1e-2
"""The same where many balls touch, whose impulses are followed from step to step."""
VIOLATED = 'law "{law}" is violated {when}: its gap is {gap}. Let nothing have gone through when it begins to act, or move the law'
"""What is said where something has gone through a law."""


class SteppingRun(RunWithLaws):
    """The moving parts."""

    program: SteppingProgram

    def beside(self) -> tuple[np.ndarray, np.ndarray]:
        n = self.program.beside - self.model.n_z
        return np.zeros(n), np.zeros(n)

    def begin(self, q: np.ndarray, u: np.ndarray, parameters: np.ndarray) -> None:
        super().begin(q, u, parameters)
        self.mode.numbers[:] = self.program.first_mode(self.model, q, self.t).numbers
        self.part("theta")[:] = self.options.theta
        if self.model.laws:
            self._check_gaps(np.flatnonzero(self.mode.part("state") != ElementState.OFF).tolist())
        for balls in self.program.rhs.balls:
            found = overlapping(balls.law, self.model.numeric.state(q, np.zeros(self.model.n_u), self.t))
            if found is not None:
                raise SimulationError(
                    VIOLATED.format(law=f"{balls.name} {found[0]}", when=self._when(), gap=f"{found[1]:.6g}")
                )
        self.program.library.begin(self.memory, self.inputs, self.work)
        self._note_mode()

    @property
    def pose(self) -> State:
        """The pose in memory, at rest."""
        m = self.model_now
        return m.numeric.state(m.admissible(self.part("y")[: self.n_q].copy()), np.zeros(m.n_u), self.t)

    def _check_gaps(self, which: list[int]) -> None:
        table, g = self.program.table, np.asarray(law_rows(self.pose).g, dtype=float)
        for i in which:
            e = table.elements[i]
            size = float(self.program.kept.law_sizes[e.normal]) if e.normal is not None else 1.0
            if e.normal is not None and e.has_gap and g[e.normal] < -INSIDE * size:
                message = VIOLATED.format(law=table.title(i), when=self._when(), gap=f"{g[e.normal]:.6g}")
                raise SimulationError(message)

    def switch(self, law: str, on: bool, t: float, y: np.ndarray) -> None:
        """Switch a law off, or on where it is."""
        mode, table = self.mode, self.program.table
        if self.model.laws[law].stepped_only:
            raise SimulationError(f'law "{law}" acts throughout: balls cannot be switched on or off in a run')
        which = [i for i in table.of_law(law) if (mode.state(i) is ElementState.OFF) == on]
        if on:
            self._check_gaps(which)
            for i in which:
                mode.set(i, ElementState.OPEN)
            anchor(mode, which, self.pose)
        else:
            for i in which:
                mode.set(i, ElementState.OFF)
        hold(mode, self.pose)

    def _record(self) -> bool:
        """Write down the events of an instant; those of the rest of the step too, before one acts at its end."""
        which = self._note_events()
        while self._acts(which) and not self._any_terminal(which) and float(self.part("searched_to")[0]) < self.t:
            if self._search_on() != Status.EVENT:
                break
            which += self._note_events()
        self._act(which)
        return self._any_terminal(which)

    def _acts(self, which: list[int]) -> bool:
        return any(self.events[k].actions for k in which)

    def _search_on(self) -> int:
        """Search the rest of the step and write the outputs within it; those at its end, and samples there, come after what acts."""
        clocks, times = self.part("next_sample"), self.options.times
        due = clocks.copy()
        clocks[:] = np.inf
        try:
            return self._stretch(0, np.where(times < self.t, times, np.inf))
        finally:
            clocks[:] = due

    def _act(self, which: list[int]) -> None:
        actions = [a for k in which for a in self.events[k].actions]
        if not actions:
            return
        y, n_q, n_u = self.part("y"), self.n_q, self.model.n_u
        impulse = act(self, actions, self.t, y.copy())
        m = self.model_now
        if impulse.any():
            q = m.admissible(y[:n_q].copy())
            y[n_q : n_q + n_u] += np.linalg.solve(m.mass_matrix(q, self.t), impulse)
        z = y.copy()
        self.program.library.brought_back(np.array([self.t]), z, self.inputs, self.work)
        y[: n_q + n_u] = z[: n_q + n_u]
        self._note_mode()
        self.part("searched_to")[:] = self.t  # where the event values begin anew
        with self.callbacks():
            self.program.library.begin(self.memory, self.inputs, self.work)

    def _misfit(self, c: Checkpoint) -> str:
        """Samples end with the states of all elements."""
        states = c.rows[:, c.rows.shape[1] - len(self.program.table.elements) :]
        return super()._misfit(c) or ("" if known_states(states) else "its states of laws cannot be right")

    def history(self, t: np.ndarray, rows: np.ndarray, forces: np.ndarray) -> LawHistory | None:
        worst = float(self.part("unsolved")[0])
        if worst >= NO_ROOM:
            raise SimulationError(
                f"more than {CONTACTS_PER_BALL} balls touch a ball on the average, and some passed through others: balls of one law "
                "are of about one size; take smaller steps, or several laws"
            )
        if worst > (UNSOLVED_BALLS if self.program.rhs.balls else UNSOLVED):
            self.near_miss = self.near_miss or (
                f"impulses of some steps were not solved for to rounding: the last sweep still changed them by {worst:.1e} of the "
                "largest; a smaller step, or fewer contacts that share a load, makes that less"
            )
        if not self.model.laws:
            return None
        with self.earlier_inputs(t, forces) as samples:
            return stepped_history(self.program, self.inputs, t, rows, samples)
