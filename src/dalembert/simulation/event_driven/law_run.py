"""A run with laws: smooth stretches in one mode, and between them events that change speeds, mode and anchors.

A step in which a margin is violated is made again, of full order, to end at the event; there the mode is chosen in which the motion
goes on, and the march begins again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.constraints.nonsmooth.at_state import violation
from dalembert.constraints.nonsmooth.choose import IMPULSE, Chosen, Trigger, choose, lasts
from dalembert.constraints.nonsmooth.impact import NoSolution
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.errors import SimulationError
from dalembert.kinematics.law_mode import SLOTS, ElementState, LawMode
from dalembert.motion.law_history import LawHistory
from dalembert.simulation.error_sizes import SMALL
from dalembert.simulation.event_driven.acting import act
from dalembert.simulation.event_driven.breakaway import Breakaway
from dalembert.simulation.event_driven.law_location import NOT_THERE
from dalembert.simulation.event_driven.law_notes import history
from dalembert.simulation.event_driven.law_numbers import LawNumbers
from dalembert.simulation.event_driven.law_search import first_violation
from dalembert.simulation.event_driven.law_words import jammed, no_progress, no_solution, shared_loads, too_many_events
from dalembert.simulation.event_driven.planar_slip import ending, planar
from dalembert.simulation.failure import failure
from dalembert.simulation.march.memory import NEXT
from dalembert.simulation.march.run_with_laws import Hit

LIGHT = 1e-3
"""Mass, kg, that a mechanism counts as having at least where energies are measured."""
ALLOWED = 1e3
"""Tolerances by which margins may be violated in a mode just chosen: another one was tried to no avail."""
AT_ONCE, MOST_AT_ONCE = 1e-13, 12
"""Time, by that of the run, within which events count as one instant, and how many may follow each other there."""


class LawRun(LawNumbers):
    """The moving parts."""

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self._at_once = 0
        self._lasting: tuple[np.ndarray, Kinetics] | None = None
        """Mode and state in which forces were last found to exist, where single ones are not unique."""
        self.usual_step = 0.0
        """Longest step in a plane yet, by which the end of a slip is judged."""

    # -- the beginning -------------------------------------------------------------------------------------------------
    def beside(self) -> tuple[np.ndarray, np.ndarray]:
        """Losses and works, with tolerances by the energy of a large, slow motion."""
        n, m = self.program.beside - self.model.n_z, self.model.numeric
        heavy = sum(float(b.mass) for b in m.bodies)
        pulled = float(np.linalg.norm(np.asarray(m.gravity, dtype=float))) + m.scales.length
        return np.zeros(n), np.full(n, self.options.rtol * SMALL * max(heavy, LIGHT) * pulled * m.scales.length)

    def begin(self, q: np.ndarray, u: np.ndarray, parameters: np.ndarray) -> None:
        super().begin(q, u, parameters)
        with self.callbacks():
            mode, k = self.mode, self.kinetics(self.t, self.part("y").copy())
            for i, e in enumerate(k.elements):
                if self.model.laws[e.law].on:
                    self.put_on(mode, k, i)
            self._settle({})

    def put_on(self, mode: LawMode, k: Kinetics, i: int) -> None:
        """Switch element i on in the state `k`: open, or sticking or engaged where it is; refused where it has gone through."""
        said = violation(k, i, self._when())
        if said is not None:
            raise SimulationError(said)
        mode.switch_on(i, k.gap)

    def switch(self, law: str, on: bool, t: float, y: np.ndarray) -> None:
        """Switch the elements of a law off; or on, where they are in the state y."""
        mode, k = self.mode, self.kinetics(t, y)
        for i in k.table.of_law(law):
            if not on:
                mode.set(i, ElementState.OFF)
            elif mode.state(i) is ElementState.OFF:
                self.put_on(mode, k, i)

    def history(self, t: np.ndarray, rows: np.ndarray, forces: np.ndarray) -> LawHistory:
        """What the laws did, at the samples and in the events so far."""
        with self.callbacks():
            return history(self, t, rows, forces)

    # -- events --------------------------------------------------------------------------------------------------------
    def _look(self) -> None:
        """Locate the first violation in the piece that compiled code points at; make the step end there."""
        a, b = float(self.part("looked_to")[0]), float(self.part("event_t")[0])
        found = first_violation(self, a, b)
        if found is None:
            self.part("looked_to")[:] = b
            if b == self.t and planar(self.mode):
                self._watch_slips()
            return
        t, margin = found
        self._plan_step()
        violated = self.part("violated").copy()
        if self._step_to(t, margin):
            self.mode.part("trigger")[:] = 0.0
            if margin < 0:
                self.mode.part("trigger")[-1] = 1.0
            else:
                self.mode.part("trigger")[: len(violated)] = violated
            self.part("looked_to")[:] = self.part("end")[:] = self.t
        else:
            self.part("looked_to")[:], self.part("end")[:] = self.t, self.planned_end()

    def _watch_slips(self) -> None:
        """See to slips in a plane at the end of a step: one that ends now ends the stretch."""
        self.usual_step = max(self.usual_step, self.t - float(self.part("t_old")[0]))
        y = self.part("y")
        dy = self.slope(self.t, y)
        found = ending(self, self.kinetics(self.t, y.copy()), dy[self.n_q : self.n_q + self.model.n_u])
        if found is None:
            return
        self._plan_step()
        self._write_until(self.t + found.left)
        y += found.left * dy
        self.part("t")[:] = self.t + found.left
        self.part("t_old")[:], self.part("y_old")[:] = self.t, y
        self.part("longest_step")[:] = self.longest_step
        for name in ("looked_to", "searched_to", "end"):
            self.part(name)[:] = self.t
        self.mode.part("trigger")[SLOTS * found.element + 1] = 1.0

    def _write_until(self, t: float) -> None:
        """Write outputs before a time that the state in memory is as good as at."""
        n = int(self.counters[NEXT])
        while n < len(self.options.times) and self.options.times[n] < t:
            self.rows[n] = self.part("y")
            n += 1
        self.counters[NEXT] = n

    def exists(self, t: float) -> bool:
        """Whether forces exist at a time within the last step that keep the mode."""
        self.margins(t)
        k = self.kinetics(t, self.part("event_y").copy())
        before = self._lasting
        if before is not None and np.array_equal(before[0], self.mode.numbers) and k.alike(before[1]):
            return True  # as where everything stands still
        found = lasts(k, self.mode)
        self._lasting = (self.mode.numbers.copy(), k) if found else None
        return found

    def _plan_step(self) -> None:
        """Remember how long the next step was to be: what follows cuts it."""
        self.part("planned_step")[:] = max(float(self.part("planned_step")[0]), float(self.part("step")[0]))

    def _step_to(self, t: float, margin: int) -> bool:
        """Make the last step again, of full order, to end at the event; placed so that a margin is zero there. Where it ends before, as
        it may next to a singular pose, the event is left for the next step."""
        status = int(self.program.library.step_to(self.memory, self.inputs, self.work, t, margin) or 0)
        if status < 0:
            raise failure(status, self.model, self.program, self.options, self.memory)
        return status != NOT_THERE

    def _attend(self) -> None:
        if self.mode.part("trigger").any():
            self._event()
        else:
            super()._attend()

    def _event(self) -> None:
        """At the end of a step that ends at an event: what the laws say."""
        trigger = self.mode.part("trigger").copy()
        self.mode.part("trigger")[:] = 0.0
        why = dict(self._reason(int(j)) for j in np.flatnonzero(trigger[:-1]))
        self._forget_outputs_at(self.t)
        self._settle(why)
        self.part("end")[:] = self.planned_end()

    def _act(self, which: list[int]) -> None:
        """Do what the events of an instant ask for, in their order; the march begins again from there."""
        actions = [a for k in which for a in self.events[k].actions]
        if not actions:
            return
        t = float(self.part("event_t")[0])
        self._plan_step()
        while not self._step_to(t, -1):  # outputs before the event are written already
            self.part("t_old")[:], self.part("y_old")[:] = self.t, self.part("y")
        self.mode.part("trigger")[:] = 0.0
        self._forget_outputs_at(self.t)
        impulse = act(self, actions, self.t, self.part("y").copy())
        self._settle({IMPULSE: "impulse"} if impulse.any() else {}, impulse)
        self.part("event_values")[which] = (
            0.0  # rounding may have left them before their crossing: they would happen again
        )
        self.part("end")[:] = self.planned_end()

    def _forget_outputs_at(self, t: float) -> None:
        """Write outputs of an instant anew: what is asked for at an event is what comes of it."""
        n = int(self.counters[NEXT])
        while n and self.options.times[n - 1] == t:
            n -= 1
        self.counters[NEXT] = n

    def _reason(self, j: int) -> tuple[int, str]:
        """Element and reason of a margin that was violated."""
        table, i = self.program.rhs.table, j // SLOTS
        if i >= len(table.elements):
            return table.load_terms[j - SLOTS * len(table.elements)].element, "turn"
        state = self.mode.state(i)
        if j % SLOTS == 0:
            return i, "gap" if state is ElementState.OPEN else "lift"
        return i, ("grip" if state is ElementState.STICK else "slide") if j % SLOTS == 1 else "let go"

    def planned_end(self) -> float:
        """End of the stretch as it was planned."""
        return min(float(self.part("until")[0]), float(self.part("next_sample").min(initial=np.inf)))

    def _settle(self, why: Trigger, impulse: np.ndarray | None = None) -> None:
        """Speeds, mode and anchors after an event at the state in memory; the march begins again from there."""
        t, y, n_q, n_u = self.t, self.part("y").copy(), self.n_q, self.model.n_u
        u_before = y[n_q : n_q + n_u].copy()
        if impulse is not None and impulse.any():
            y[n_q : n_q + n_u] += self.kinetics(t, y).per_inertia(impulse)
        self._count_events(t)
        self.part("t_old")[:], self.part("y_old")[:] = t, y
        self.margins(t)
        old, forces = self.mode.numbers.copy(), self.law_forces()
        k = self.kinetics(t, y)

        known = {u_before.tobytes() if impulse is None else b"": k}

        def at_speeds(u: np.ndarray) -> Kinetics:
            asked = u.tobytes()
            if asked not in known:
                z = y.copy()
                z[n_q : n_q + n_u] = u
                known[asked] = self.kinetics(t, z)
            return known[asked]

        chosen: Chosen | None = None
        for obeyed in (why, {}) if why else ({},):
            self.mode.numbers[:] = old
            try:
                chosen = choose(k, self.mode.copy(), obeyed, forces, at_speeds, self.options.restitution)
            except NoSolution:
                continue
            self._take(chosen, y)
            values, tolerances, _ = self.margins(t)
            if (values >= -ALLOWED * tolerances).all():
                break
        if chosen is None:
            self.mode.numbers[:] = old
            raise no_solution(self, k, why)
        self.near_miss = self.near_miss or jammed(self, chosen) or shared_loads(self, k)
        if chosen.impact is not None:
            self._note(chosen, t, y, u_before)
        self._note_mode()
        if self.part("planned_step")[0] > 0.0:
            self.part("step")[:] = self.part("planned_step")
        self.part("planned_step")[:] = 0.0
        self.part("longest_step")[:] = self.longest_step
        for name in ("searched_to", "looked_to", "counted_from"):
            self.part(name)[:] = t
        self.program.library.begin(self.memory, self.inputs, self.work)
        if planar(self.mode):
            start = Breakaway(self)
            if start.needed:
                start.go()
            y = self.part("y").copy()
            ending(self, self.kinetics(self.t, y), self.slope(self.t, y)[n_q : n_q + n_u])

    def _take(self, chosen: Chosen, y: np.ndarray) -> None:
        """State and mode into memory: what touches put in touch, what is engaged brought back onto its place."""
        t, n_q, n_u, mode = self.t, self.n_q, self.model.n_u, self.mode
        mode.numbers[:] = chosen.mode.numbers
        z = y.copy()
        z[n_q : n_q + n_u] = chosen.u
        enforced = mode.part("enforced").copy()
        for i in chosen.touching:
            e = self.program.rhs.table.elements[i]
            if e.normal is not None and e.has_gap:
                mode.part("enforced")[e.normal] = 1.0
        placed = z.copy()
        self.program.library.brought_back(np.array([t]), placed, self.inputs, self.work)
        mode.part("enforced")[:] = enforced
        z[:n_q] = placed[:n_q]
        self.program.library.brought_back(np.array([t]), z, self.inputs, self.work)
        self.part("y")[:] = self.part("y_old")[:] = z

    def _note(self, chosen: Chosen, t: float, y: np.ndarray, u_before: np.ndarray) -> None:
        hit, n_u, table = chosen.impact, self.model.n_u, self.program.rhs.table
        n = self.n_q + n_u + self.model.n_z
        assert hit is not None
        own = hit.impulses[-len(table) :] if len(table) else np.zeros(0)
        u = y[self.n_q : self.n_q + n_u]
        self.hits.append(Hit(t, y[: self.n_q].copy(), u_before, u + hit.udelta, own, hit.before, hit.after, hit.losses))
        for r, law in enumerate(table.law_of):
            for name in ("y", "y_old"):
                self.part(name)[n + 2 * law] += hit.losses[r]
                self.part(name)[n + 2 * law + 1] += hit.works[r]

    def _count_events(self, t: float) -> None:
        again = bool(self.modes) and t - self.modes[-1][0] <= AT_ONCE * self.span
        self._at_once = self._at_once + 1 if again else 0
        if len(self.modes) > self.options.max_events:
            raise too_many_events(self)
        if self._at_once > MOST_AT_ONCE:
            raise no_progress(self)
