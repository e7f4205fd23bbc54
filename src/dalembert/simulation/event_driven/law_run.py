"""A run with laws: smooth stretches in one mode, and between them events that change speeds, mode and anchors.

A step in which a margin is violated is made again, of full order, to end at the event; there the mode is chosen in which the motion
goes on, and the march begins again.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from dalembert.constraints.nonsmooth.at_state import violation
from dalembert.constraints.nonsmooth.choose import IMPULSE, Chosen, Trigger, choose, lasts
from dalembert.constraints.nonsmooth.impact import NoSolution
from dalembert.constraints.nonsmooth.kinetics import Kinetics, LoadMaps
from dalembert.constraints.nonsmooth.unique_loads import loaded_at_will
from dalembert.errors import SimulationError
from dalembert.kernels.masked.law_blocks import COEFFICIENTS
from dalembert.kinematics.law_mode import SLOTS, ElementState, LawMode
from dalembert.mechanism.physical import check_parameters
from dalembert.motion.law_history import LawHistory
from dalembert.recursive.sparse import along_paths
from dalembert.simulation.error_sizes import SMALL
from dalembert.simulation.event_driven.acting import act
from dalembert.simulation.event_driven.breakaway import Breakaway
from dalembert.simulation.event_driven.law_notes import history
from dalembert.simulation.event_driven.law_program import LawProgram
from dalembert.simulation.event_driven.law_search import first_violation
from dalembert.simulation.event_driven.planar_slip import ending, planar
from dalembert.simulation.failure import failure
from dalembert.simulation.march.checkpoint import Checkpoint
from dalembert.simulation.march.memory import NEXT
from dalembert.simulation.march.run import Run

LIGHT = 1e-3
"""Mass, kg, that a mechanism counts as having at least where energies are measured."""
NEAR, FAR, PLACED = 1e-3, 0.1, 1e-16
"""Parts of a step over which the slope of a margin is taken, and beyond which its zero is not looked for; part of the time by which an
event is placed."""
ANY_ERROR = 1e6
"""Relative tolerance with which a step is made again."""
CORRECTIONS = 4
"""Steps of full order to an event, placed by Newton's method."""
ALLOWED = 1e3
"""Tolerances by which margins may be violated in a mode just chosen: another one was tried to no avail."""
AT_ONCE, MOST_AT_ONCE = 1e-13, 12
"""Time, by that of the run, within which events count as one instant, and how many may follow each other there."""


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


class LawRun(Run):
    """The moving parts, with the mode in the inputs of compiled code."""

    program: LawProgram

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.hits: list[Hit] = []
        self.modes: list[tuple[float, np.ndarray]] = []
        """Time from which a mode lasted, and its numbers."""
        self._planned = 0.0
        self._at_once = 0
        self.usual_step = 0.0
        """Longest step in a plane yet, by which the end of a slip is judged."""

    @property
    def mode(self) -> LawMode:
        rhs = self.program.rhs
        start = self.program.input_layout.parts["P"].start + rhs.mode_at
        return LawMode(rhs.mode, rhs.table, self.inputs[start : start + rhs.mode.size, 0])

    @property
    def n_q(self) -> int:
        return self.model.n_q

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
        """Switch element i on in the state `k`: open, or sticking or held where it is; refused where it has gone through."""
        e = k.elements[i]
        said = violation(k, i, self._when())
        if said is not None:
            raise SimulationError(said)
        mode.set(i, ElementState.HELD if e.holds else ElementState.STICK if e.normal is None else ElementState.OPEN)
        for r in (*e.tangents, *e.holds):
            mode.part("anchor")[r] = k.gap[r] if k.table.placed[r] else 0.0

    def switch(self, law: str, on: bool, t: float, y: np.ndarray) -> None:
        """Switch the elements of a law off; or on, where they are in the state y."""
        mode, k = self.mode, self.kinetics(t, y)
        for i in k.table.of_law(law):
            if not on:
                mode.set(i, ElementState.OFF)
            elif mode.state(i) is ElementState.OFF:
                self.put_on(mode, k, i)

    def _when(self) -> str:
        return "at the start" if not self.modes else f"at t = {self.t:.9g} s, where it is switched on"

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
        at = list(self.model.parameters).index(name)
        self.program.input_layout.view(self.inputs, "P")[at, 0] = value
        self.parameter_changes.append((self.t, at, value))

    # -- checkpoints ---------------------------------------------------------------------------------------------------
    def checkpoint(self) -> Checkpoint:
        """Put aside what has been noted of the laws, too; the mode itself is among the inputs."""
        width = 1 + self.program.rhs.mode.size
        return replace(
            super().checkpoint(),
            impacts=np.array([x.row for x in self.hits]).reshape(len(self.hits), self._hit_width),
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
        n, rows = self.model.n_u, len(self.program.rhs.table)
        return [1, self.n_q, n, n, rows, rows, rows, rows]

    @property
    def _hit_width(self) -> int:
        return sum(self._hit_sizes)

    def _misfit(self, c: Checkpoint) -> str:
        found = super()._misfit(c)
        fits = {
            "its impacts": c.impacts.ndim == 2 and c.impacts.shape[1] == self._hit_width,
            "its modes": c.modes.ndim == 2 and c.modes.shape[1] == 1 + self.program.rhs.mode.size and len(c.modes) > 0,
            "its changes of parameters": c.changes.ndim == 2
            and c.changes.shape[1] == 3
            and bool(np.isin(c.changes[:, 1], range(len(self.model.parameters))).all()),
            "its state of laws": bool(np.isfinite(c.modes).all() and np.isfinite(c.impacts).all()),
        }
        return found or next((f"{what} cannot be right" for what, good in fits.items() if not good), "")

    def _keep_rows(self, rows: tuple[int, ...]) -> None:
        """Go on with other rows of the loops, in the same mode."""
        numbers = self.mode.numbers.copy()
        super()._keep_rows(rows)
        self.mode.numbers[:] = numbers

    # -- numbers -------------------------------------------------------------------------------------------------------
    @cached_property
    def _mass_places(self) -> tuple[np.ndarray, np.ndarray]:
        rows, columns = np.array(along_paths(self.model), dtype=int).reshape(-1, 2).T
        return rows, columns

    def kinetics(self, t: float, y: np.ndarray) -> Kinetics:
        """Everything of a state, from compiled code."""
        rhs, n, library = self.program.rhs, self.model.n_u, self.program.library
        library.kinetics_at(np.array([t]), np.ascontiguousarray(y), self.inputs, self.work)
        work, at, p = self.work[:, 0], rhs.places, rhs.pattern
        A = np.zeros((n, n))
        i, j = self._mass_places
        A[i, j] = A[j, i] = work[at["A"] + i * n + j]
        rows = np.zeros((rhs.n_rows, n))
        for k, columns in enumerate(p.columns):
            start = at["B"] + p.starts[k]
            rows[k, list(columns)] = work[start : start + len(columns)]
        first, count, elements = rhs.first, len(rhs.table), len(rhs.table.elements)
        gamma = work[at["gamma"] : at["gamma"] + rhs.n_rows].copy()
        by_row = {name: work[at[name] : at[name] + count].copy() for name in ("gap", "v")}
        by_element = {name: work[at[name] : at[name] + elements].copy() for name in COEFFICIENTS}
        n_z = rhs.table.n_components
        loads = LoadMaps(
            work[at["z0"] : at["z0"] + n_z].copy(),
            work[at["Zu"] : at["Zu"] + n_z * n].reshape(n_z, n).copy(),
            work[at["Zx"] : at["Zx"] + n_z * rhs.n_rows].reshape(n_z, rhs.n_rows).copy(),
            work[at["arm"] : at["arm"] + len(rhs.table.load_terms)].copy(),
        )
        u = y[self.n_q : self.n_q + n].copy()
        on = self.mode.part("state") != ElementState.OFF
        return Kinetics(
            rhs.table, u, A, work[at["f"] : at["f"] + n].copy(), rows[:first], gamma[:first],
            work[at["slip"] : at["slip"] + first].copy(), rows[first:], gamma[first:],
            **by_row, **by_element, sizes=self.program.kept.law_sizes, on=on, loads=loads,
        )  # fmt: skip

    def margins(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values and tolerances of all margins at a time within the last step, and rates of gaps."""
        self.program.library.margins_at(self.memory, self.inputs, self.work, t)
        found = self.part("margins")
        n = self.n_margins
        return found[:n].copy(), found[n : 2 * n].copy(), found[2 * n :].copy()

    def law_forces(self) -> np.ndarray:
        """λ of all rows of laws at the state whose margins or slope were asked for last."""
        at = self.program.rhs.places["lam"]
        return self.work[at : at + len(self.program.rhs.table), 0].copy()

    def history(self, t: np.ndarray, rows: np.ndarray) -> LawHistory:
        """What the laws did, at the samples and in the events so far."""
        with self.callbacks():
            return history(self, t, rows)

    @property
    def span(self) -> float:
        """Length of the run."""
        return self.options.end - self.options.start

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
        t, margins = found
        self._planned = max(self._planned, float(self.part("step")[0]))
        if self._step_to(t, margins[0]):
            self.mode.part("trigger")[:] = 0.0
            self.mode.part("trigger")[margins] = 1.0
            self.part("looked_to")[:] = self.part("end")[:] = self.t
        else:
            self.part("looked_to")[:], self.part("end")[:] = self.t, self.planned_end()

    def _watch_slips(self) -> None:
        """See to slips in a plane at the end of a step: one that ends now ends the stretch."""
        self.usual_step = max(self.usual_step, self.t - float(self.part("t_old")[0]))
        y, dy = self.part("y"), self.part("dy")
        found = ending(self, self.kinetics(self.t, y.copy()), dy[self.n_q : self.n_q + self.model.n_u])
        if found is None:
            return
        self._planned = max(self._planned, float(self.part("step")[0]))
        self._write_until(self.t + found.left)
        y += found.left * dy
        self.part("t")[:] = self.t + found.left
        self.part("t_old")[:], self.part("y_old")[:] = self.t, y
        self.part("longest_step")[:] = self.options.max_step
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
        return lasts(self.kinetics(t, self.part("event_y").copy()), self.mode)

    def _step_to(self, t: float, j: int) -> bool:
        """Make the last step again, of full order, to end at the event; placed so that margin j is zero there. Where it ends before, as
        it may next to a singular pose, the event is left for the next step."""
        begin, y = float(self.part("t_old")[0]), self.part("y_old").copy()
        small = NEAR * (t - begin)
        falls = j >= 0 and t > begin
        slope = (self.margins(t)[0][j] - self.margins(t - small)[0][j]) / small if falls else 0.0
        for turn in range(CORRECTIONS):
            if not self._restep(begin, y, t):
                return False
            if not slope < 0.0 or turn == CORRECTIONS - 1:
                break
            shift = -self.margins(t)[0][j] / slope
            if abs(shift) <= PLACED * max(1.0, abs(t)) or abs(shift) > FAR * (t - begin):
                break
            t = t + shift
        return True

    def _restep(self, begin: float, y: np.ndarray, t: float) -> bool:
        """Go again from the beginning of a step to a time within it, in one step whatever its error: it is shorter than one that was
        accepted. Whether it has come there."""
        self.part("t")[:] = self.part("counted_from")[:] = begin
        self.part("y")[:] = y
        self.part("steps_counted")[:] = 0.0
        self.part("end")[:] = t
        if t <= begin:
            self.part("t_old")[:], self.part("y_old")[:] = begin, y
            return True
        kept = {name: self.part(name).copy() for name in ("rtol", "last_error") if name in self.program.layout.parts}
        self.part("rtol")[:] = ANY_ERROR
        if self.options.method.adaptive:
            self.part("step")[:] = t - begin
        status = self.program.library.step_again(self.memory, self.inputs, self.work)
        for name, values in kept.items():
            self.part(name)[:] = values
        if status and int(status) < 0:
            raise failure(int(status), self.model, self.program, self.options, self.memory)
        return self.t >= t

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
        self._planned = max(self._planned, float(self.part("step")[0]))
        while not self._step_to(t, -1):  # outputs before the event are written already
            self.part("t_old")[:], self.part("y_old")[:] = self.t, self.part("y")
        self.mode.part("trigger")[:] = 0.0
        self._forget_outputs_at(self.t)
        impulse = act(self, actions, self.t, self.part("y").copy())
        self._settle({IMPULSE: "impulse"} if impulse.any() else {}, impulse)
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
        self._count_events(t, why)
        self.part("t_old")[:], self.part("y_old")[:] = t, y
        self.margins(t)
        old, forces = self.mode.numbers.copy(), self.law_forces()
        k = self.kinetics(t, y)

        def at_speeds(u: np.ndarray) -> Kinetics:
            z = y.copy()
            z[n_q : n_q + n_u] = u
            return self.kinetics(t, z)

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
            raise self._no_solution(t, old)
        if chosen.jammed:
            self.near_miss = self.near_miss or (
                f"at t = {t:.6g} s no accelerations obey all laws ({self._told(self.mode)} follows): with so much friction what slides "
                "jams (Painlevé's paradox). It was carried on by an impact without collision"
            )
        if self.mode.loose and k.table.loads:
            self._say_loads(k)
        if chosen.impact is not None:
            self._note(chosen, t, y, u_before)
        self.modes.append((t, self.mode.numbers.copy()))
        if self._planned > 0.0:
            self.part("step")[:] = self._planned
        self._planned = 0.0
        for name in ("searched_to", "looked_to", "counted_from"):
            self.part(name)[:] = t
        self.program.library.begin(self.memory, self.inputs, self.work)
        if planar(self.mode):
            start = Breakaway(self)
            if start.needed:
                start.go()
            dy = self.part("dy")[n_q : n_q + n_u]
            ending(self, self.kinetics(self.t, self.part("y").copy()), dy)

    def _say_loads(self, k: Kinetics) -> None:
        """Tell of friction whose load is not unique while redundant laws touch."""
        for i in loaded_at_will(k, self.mode):
            self.near_miss = self.near_miss or (
                f'from t = {self.t:.6g} s on, what presses on law "{k.table.title(i)}" is not unique, as more touches or sticks than '
                "is needed, and so neither is its friction nor the motion: one share of the load was taken"
            )

    def _take(self, chosen: Chosen, y: np.ndarray) -> None:
        """State and mode into memory: what touches put in touch, what is held brought back onto it."""
        t, n_q, n_u, mode = self.t, self.n_q, self.model.n_u, self.mode
        mode.numbers[:] = chosen.mode.numbers
        z = y.copy()
        z[n_q : n_q + n_u] = chosen.u
        held = mode.part("held").copy()
        for i in chosen.touching:
            e = self.program.rhs.table.elements[i]
            if e.normal is not None and e.has_gap:
                mode.part("held")[e.normal] = 1.0
        placed = z.copy()
        self.program.library.brought_back(np.array([t]), placed, self.inputs, self.work)
        mode.part("held")[:] = held
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
                self.part(name)[n + 2 * law + 1] -= hit.losses[r]

    def _count_events(self, t: float, why: Trigger) -> None:
        span = self.options.end - self.options.start
        again = bool(self.modes) and t - self.modes[-1][0] <= AT_ONCE * span
        self._at_once = self._at_once + 1 if again else 0
        most = self.options.max_events
        if len(self.modes) > most:
            raise SimulationError(
                f"{most} events of laws happened and only t = {t:.9g} s of {self.options.end:g} s is reached: {self._told(self.mode)}. "
                "What was computed up to there is in the error's `motion`; raise max_events, or look for laws that chatter"
            )
        if self._at_once > MOST_AT_ONCE:
            raise SimulationError(
                f"the run makes no progress at t = {t:.9g} s: {self._told(self.mode)}. The laws ask for one mode after the other at "
                "the same instant; look for laws that contradict each other, or change the initial values a little"
            )

    def _no_solution(self, t: float, numbers: np.ndarray) -> SimulationError:
        self.mode.numbers[:] = numbers
        return SimulationError(
            f"at t = {t:.9g} s no accelerations were found that obey all laws: {self._told(self.mode)}. With friction that may be so "
            "(Painlevé's paradox): less friction, or other initial values, let it go on"
        )

    def _told(self, mode: LawMode) -> str:
        title = self.program.rhs.table.title
        return ", ".join(f'"{title(i)}" {state.name.lower()}' for i, state in enumerate(mode.states))
