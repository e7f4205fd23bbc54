"""Sensitivities across an event (jump rules, the saltation matrix).

At the event, whose time changes by δt, the state before it changes by X⁻ + ẏ⁻δt; the map of the event is differentiated; and at a
fixed time after it X⁺ = δy⁺ − ẏ⁺δt. What holds from then on holds of X⁺ too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.sensitivity.constraint_variation import along, compiled
from dalembert.analysis.sensitivity.event_time import Margin, StateSensitivity, times_of
from dalembert.analysis.sensitivity.impact_sensitivity import ImpactSensitivity, NoDerivative
from dalembert.analysis.sensitivity.law_variation import LawVariation
from dalembert.analysis.sensitivity.mode_forces import smooth_at
from dalembert.constraints.nonsmooth.choose import IMPULSE
from dalembert.constraints.nonsmooth.impact import STILL
from dalembert.errors import SimulationError
from dalembert.kinematics.law_mode import ElementState
from dalembert.parts.actions import Action, SetParameter
from dalembert.simulation.event_driven.acting import impulse_of
from dalembert.simulation.event_driven.recorded_run import RecordedRun, Settled
from dalembert.simulation.march.run_events import traced_value
from dalembert.trace import directional, symbol

TOGETHER = 1e-6
"""Part by which the times of margins that end a mode together may change differently, and by which X⁺ may leave what holds."""
NOTHING = 1e-9
"""Part of accelerations that a change of mode may change them by where they do not jump."""


@dataclass(frozen=True, eq=False)
class EventSensitivity:
    """An event of laws, or one that acted: when it was and, in order, by how much later per unit of each of `to`."""

    t: float
    what: str
    dt: np.ndarray
    """NaN where the time of the event has no derivative."""


class Jumps:
    """What events do to sensitivities in `to`."""

    def __init__(self, run: RecordedRun, to: Sequence[str]):
        self.run, self.to, self.m = run, tuple(to), run.model
        self.variation = LawVariation(run.program.rhs)
        self._functions: dict[Any, Any] = {}
        self._largest = np.zeros(len(self.to))
        """The largest changes seen yet."""

    def across(self, x: Settled, X: np.ndarray, dP: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(X⁺, δp⁺, δt) from X⁻ = (δq, δu, δz) and δp."""
        s = StateSensitivity(self.run, self.variation, x.before, x.t, X, dP)
        self._largest = np.maximum(self._largest, np.abs(X).max(axis=0, initial=0.0))
        first = x is self.run.settled[0]
        dt = np.zeros(X.shape[1]) if first else self._time(x, s)
        if x.chosen.jammed:
            raise self._none(
                x, "what slides jams there (Painlevé's paradox), and so the motion after it is one of several"
            )
        known = np.isfinite(dt).all()
        moved = X + np.outer(s.rates, dt if known else 0.0 * dt)
        D = s.directions(dt if known else 0.0 * dt, moved, dP)
        dP = self._set_parameters(x, s, D, dP, moved)
        du = self._speeds(x, s, D, moved[s.n_q : s.n_q + s.n_u])
        moved[s.n_q : s.n_q + s.n_u] = du
        after = smooth_at(self.run, x.after, x.t).dy[: s.n]
        jumps = np.abs(after - s.rates)[s.n_q :].max(initial=0.0)
        if not known and (x.chosen.impact is not None or jumps > NOTHING * np.abs(after[s.n_q :]).max(initial=0.0)):
            raise self._none(x, "single forces are not unique there, and so nothing tells how its time changes")
        made = moved - np.outer(after, dt) if known else X
        return self._kept(x, made, dP, first), dP, dt

    # -- its time ------------------------------------------------------------------------------------------------------
    def _time(self, x: Settled, s: StateSensitivity) -> np.ndarray:
        """δt of the event; NaN where it has no margin, as where no forces exist any more."""
        margins = [self._watched(k, s) for k in x.events]
        margins += [found for i, reason in x.why.items() if i != IMPULSE and (found := s.margin(i, reason)) is not None]
        if not margins:
            return np.full(s.D.shape[1] - 1, np.nan)
        if any(found.grazes or found.rate == 0.0 for found in margins):
            raise self._none(
                x,
                "it is only grazed there, at no speed: sensitivities grow without bound towards such a touch, as the inverse root of "
                "its depth does",
            )
        times = times_of(margins)
        apart = np.abs(times - times[0]).max(axis=0) > TOGETHER * (np.abs(times).max(axis=0) + NOTHING * self.run.span)
        if apart.any():
            name = self.to[int(np.argmax(apart))]
            raise self._none(
                x, f'a change of "{name}" would part what happens together there, in one order or the other'
            )
        return np.asarray(times[0])

    def _watched(self, k: int, s: StateSensitivity) -> Margin:
        """The function of an event of the run."""
        event = self.run.events[k]
        found = self._changes_of(("event", k), lambda state: [traced_value(event.when, state)], s, s.D)[0]
        return Margin(found[:-1], float(found[-1]))

    def _changes_of(self, key: Any, formula: Any, s: StateSensitivity, D: np.ndarray) -> np.ndarray:
        """Changes of functions of the state along the columns of D = (δt, δq, δu, δp)."""
        if key not in self._functions:

            def made(state: Any, direction: Any) -> Any:
                return directional(list(formula(state)), along(state, direction[1:]) | {symbol("t"): direction[0]})

            self._functions[key] = compiled(self.m, len(D), made)
        found = self._functions[key](s.q, s.u, np.ascontiguousarray(D.T), s.t, s.p)
        return np.asarray(found).reshape(D.shape[1], -1).T

    # -- what it does --------------------------------------------------------------------------------------------------
    def _actions(self, x: Settled) -> list[Action]:
        return [a for k in x.events for a in self.run.events[k].actions]

    def _set_parameters(
        self, x: Settled, s: StateSensitivity, D: np.ndarray, dP: np.ndarray, moved: np.ndarray
    ) -> np.ndarray:
        """δp after it; a state of an element that it sets is changed in `moved`."""
        for action in self._actions(x):
            if not isinstance(action, SetParameter):
                continue
            value, name = action.value, action.parameter
            change = np.zeros(D.shape[1])
            if callable(value):
                change = self._changes_of(("set", id(action)), lambda state, value=value: [value(state)], s, D)[0]
            dP = dP.copy()
            dP[list(self.m.parameters).index(name)] = change
            if name in self.m.states:
                moved[s.n_q + s.n_u + self.m.states.index(name)] = change
        return dP

    def _speeds(self, x: Settled, s: StateSensitivity, D: np.ndarray, du: np.ndarray) -> np.ndarray:
        """δu after impulses that events give and after the impact."""
        k, hit, mode = s.k, x.chosen.impact, x.chosen.mode
        if IMPULSE in x.why:
            actions = self._actions(x)
            self.run.put(x.after)
            given = np.asarray(impulse_of(self.m.with_parameters(**s.p).state(s.q, s.u, s.t), self.m, actions))
            struck = self._changes_of(("impulse", *x.events), lambda state: impulse_of(state, self.m, actions), s, D)
            jump = k.per_inertia(given)
            frozen = self._inertia(s, D, jump)
            du = du + k.per_inertia(struck - frozen)
            y = x.before.y.copy()
            y[s.n_q : s.n_q + s.n_u] += jump
            k = self.run.kinetics(x.t, y)
        if hit is None:
            return du
        try:
            return ImpactSensitivity(s, k, hit, mode, D).speeds(du)
        except NoDerivative as why:
            raise self._none(x, str(why)) from None

    def _inertia(self, s: StateSensitivity, D: np.ndarray, jump: np.ndarray) -> np.ndarray:
        """δA times a jump of speeds."""
        from dalembert.analysis.sensitivity.law_variation import Frozen

        nothing = np.zeros(len(s.k.elements))
        frozen = Frozen(jump, np.zeros(len(s.k.rows)), s.u, nothing, s.mode.part("direction"))
        return self.variation.along(s.t, s.q, s.u, s.p, D, frozen)["inertia"]

    # -- what holds after it ---------------------------------------------------------------------------------------------
    def _kept(self, x: Settled, X: np.ndarray, dP: np.ndarray, first: bool) -> np.ndarray:
        """X⁺ on what holds. Speeds of what sticks or is closed follow by the least change in the metric of A, as friction and impacts
        without restitution would make them; a gap that is closed must not have changed."""
        s = StateSensitivity(self.run, self.variation, x.after, x.t, X, dP)
        k, first_row = s.k, s.k.n_loops
        if first:
            self._check_slips(s)
        enforced = np.flatnonzero(s.mode.part("enforced"))
        if not len(enforced):
            return X
        gaps = [e.normal for e in k.elements if e.normal is not None and e.has_gap and e.normal in enforced]
        opened = s.changes["gap"][gaps][:, :-1]
        self._check_gaps(x, s, gaps, opened, X, first)
        rows = [*range(first_row), *(first_row + r for r in enforced)]
        off = s.changes["speed"][rows][:, :-1]
        made = X.copy()
        for j in range(X.shape[1]):
            made[s.n_q : s.n_q + s.n_u, j] -= k.least_change(rows, off[:, j])
        return made

    def _check_slips(self, s: StateSensitivity) -> None:
        """Refuse a slip that begins at the start, and may begin with a speed the one way or the other."""
        for i, e in enumerate(s.k.elements):
            rubs = s.mode.state(i) is ElementState.SLIP and s.k.static_force[i] + s.k.static_coefficient[i] > 0.0
            rows = [s.k.n_loops + r for r in e.tangents]
            if not rubs or not rows or np.linalg.norm(s.k.slip(i)) > STILL * s.k.speed_scale(i):
                continue
            change = np.abs(s.changes["speed"][rows][:, :-1]).max(axis=0)
            if change.any():
                law, name = s.k.table.title(i), self.to[int(np.argmax(change))]
                raise SimulationError(
                    f'law "{law}" begins to slip at the start, and a change of "{name}" lets it begin with a speed, one way or the '
                    "other: the motion has a kink there and no derivative. Begin with some slip, or leave that out"
                )

    def _check_gaps(
        self, x: Settled, s: StateSensitivity, gaps: list[int], opened: np.ndarray, X: np.ndarray, first: bool
    ) -> None:
        self._largest = np.maximum(self._largest, np.abs(X).max(axis=0, initial=0.0))
        bad = np.abs(opened) > TOGETHER * np.abs(s.k.J[gaps]).max(axis=1, initial=0.0)[:, None] * self._largest
        if not bad.any():
            return
        row, column = np.unravel_index(int(np.argmax(np.where(bad, np.abs(opened), 0.0))), opened.shape)
        law = s.k.table.title(next(i for i, e in enumerate(s.k.elements) if e.normal == gaps[row]))
        if first:
            raise SimulationError(
                f'law "{law}" touches at the start, and a change of "{self.to[column]}" would open it or push it through: the motion '
                "has no derivative there. Begin where it is open, or leave that out"
            )
        raise self._none(x, f'a change of "{self.to[column]}" would part what happens together there')

    def _none(self, x: Settled, why: str) -> SimulationError:
        return SimulationError(f"sensitivities end at t = {x.t:.9g} s, at {describe(self.run, x)}: {why}")


def describe(run: RecordedRun, x: Settled) -> str:
    """An event in words: which laws, and what they did."""
    words = {
        "gap": "closes", "lift": "opens", "grip": "begins to slip", "slide": "stops slipping", "let go": "lets go",
        "turn": "is loaded the other way",
    }  # fmt: skip
    causes = [f'event "{run.events[k].name}"' for k in x.events]
    title = run.program.table.title
    causes += [f'law "{title(i)}" {words.get(reason, reason)}' for i, reason in x.why.items() if i != IMPULSE]
    if x.forces_lost:
        causes.append("laws that no longer hold together")
    return ", ".join(causes) or "the start"
