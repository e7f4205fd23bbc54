"""Slip that begins in a plane: as long as it is slow, its direction settles far faster than anything else moves.

Friction turns the slip towards its direction at the rate μ N W / |v|, which is unbounded where the slip begins. So the first part of it
is integrated implicitly, from a slip of next to nothing along the direction in which grip was lost, until its direction settles no
faster than the usual steps can follow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.pivoting import least_squares
from dalembert.simulation.event_driven.planar_slip import PlanarSlip, planar, planar_slips
from dalembert.simulation.march.memory import NEXT, PENDING, STEPS

if TYPE_CHECKING:
    from scipy.integrate import Radau

    from dalembert.simulation.event_driven.law_run import LawRun

SEED = 1e-12
"""Slip to begin with, by its scale in the mechanism's own time."""
ABOVE_ROUNDING = 2e-11
"""Slip to begin with at least, by the speeds whose difference it is: their rounding must not decide its direction."""
STIFF, SETTLED = 5.0, 4.0
"""Rate at which a direction settles, by the usual step, from which it is integrated implicitly, and below which no longer."""
LEAST = 0.1
"""Part of that by which the rate is judged at least."""
FINEST, ROUNDING = 1e-13, 1e-15
"""Finest tolerance of the implicit steps; part of the run to which events within them are located."""
SOLVED = 0.03
"""Part of the tolerance to which implicit steps are solved: much less would be rounding, as slips are small beside speeds."""
MOST = 20_000
"""Implicit steps before the rest is left to the run's own integrator."""
ENDS = 2.0
"""Steps before its end in which a slip is left to the run, which foresees it."""
SHARE = 0.01
"""Part of the run that a usual step is taken to be where none is known."""


class Breakaway:
    """The implicit part of a run, from the state in its memory."""

    def __init__(self, run: LawRun):
        self.run, self.usual = run, min(run.usual_step or SHARE * run.span, SHARE * run.span)
        self.begins = [x.element for x in self._slips(run.t, run.part("y").copy()) if x.begins]
        """Slips that begin; one that ends is foreseen (`planar_slip`)."""

    @property
    def needed(self) -> bool:
        """Whether the direction of a slip settles faster than steps can follow."""
        run = self.run
        return bool(self.begins) and self._rate(run.t, run.part("y").copy()) * self.usual > STIFF

    def _slips(self, t: float, y: np.ndarray) -> list[PlanarSlip]:
        """All slips in a plane, in a state."""
        run, slope = self.run, self.run.slope(t, y)
        k = run.kinetics(t, y)
        found = planar_slips(k, run.mode, slope[run.n_q : run.n_q + run.model.n_u])
        return [x.seen(_least_slip(k, x.element)) for x in found]

    def _rate(self, t: float, y: np.ndarray) -> float:
        """The fastest rate at which the direction of a slip settles."""
        run = self.run
        out = np.zeros(len(run.part("margins")))
        run.program.library.margins(np.array([t]), y, out, run.inputs, run.work)
        forces, k = run.law_forces(), run.kinetics(t, y)
        fastest = 0.0
        for i in self.begins:
            rows = list(k.elements[i].tangents)
            speed = max(float(np.linalg.norm(k.v[rows])), LEAST * SEED * k.speed_scale(i))
            give = float(np.mean(np.diag(k.W)[[k.n_loops + r for r in rows]]))
            fastest = max(fastest, give * float(np.linalg.norm(forces[rows])) / speed)
        return fastest

    def go(self) -> None:
        """Integrate until the slip has settled; outputs and events on the way are written."""
        from scipy.integrate import Radau  # takes long to import; most runs with laws never begin such a slip

        run = self.run
        y = seeded(run, run.t, run.part("y").copy())
        end = run.planned_end()
        rtol = max(run.options.rtol, FINEST)
        solver: Any = Radau(run.slope, run.t, y, end, rtol=rtol, atol=self._tolerances(), jac=self._jacobian)  # type: ignore[arg-type]
        solver.newton_tol = SOLVED
        for _ in range(MOST):
            if solver.status != "running":
                break
            before = solver.t, solver.y.copy()
            solver.step()
            run.counters[STEPS] += 1
            if solver.status == "failed" or not self._lasts(solver.t, solver.y):
                self._leave(*before)
                return
            if self._events(before, solver):
                return
            self._outputs(solver)
            soon = ENDS * (solver.t - before[0])
            ends = any(x.left < soon for x in self._slips(solver.t, solver.y))
            if ends or self._rate(solver.t, solver.y) * self.usual < SETTLED:
                break
        self._leave(solver.t, solver.y)

    def _tolerances(self) -> np.ndarray:
        atol = self.run.part("atol").copy()
        return np.where(np.isfinite(atol) & (atol > 0.0), atol, 1.0)

    def _jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """What is fast in the slope's Jacobian: friction that turns with its slip, −μN/|v| across it, and the forces of rows that hold
        it answers. Differences cannot tell it: a slip is far below what they would change speeds by."""
        run, found = self.run, np.zeros((len(y), len(y)))
        slips = [i for i in planar(run.mode) if run.mode.loaded(i)]
        out = np.zeros(len(run.part("margins")))
        run.program.library.margins(np.array([t]), np.ascontiguousarray(y), out, run.inputs, run.work)
        forces, k = run.law_forces(), run.kinetics(t, y)
        solved = [*range(k.n_loops), *(k.n_loops + r for r in np.flatnonzero(run.mode.part("active")))]
        rows = [k.n_loops + r for i in slips for r in k.elements[i].tangents]
        answer = -least_squares(k.W[np.ix_(solved, solved)], k.W[np.ix_(solved, rows)], None)
        turning, pressed = np.zeros((len(rows), len(rows))), np.eye(len(rows))
        start = 0
        for i in slips:
            e = k.elements[i]
            at, v = slice(start, start + len(e.tangents)), k.slip(i)
            speed = max(float(np.linalg.norm(v)), LEAST * SEED * k.speed_scale(i))
            way = v / speed
            grip = float(np.linalg.norm(forces[list(e.tangents)]))
            turning[at, at] = -grip / speed * (np.eye(len(v)) - np.outer(way, way))
            if e.load_row is not None:
                pressed[at] += k.coefficient[i] * np.outer(way, answer[solved.index(k.n_loops + e.load_row)])
            start = at.stop
        force = least_squares(pressed, turning @ k.rows[rows], None)
        u = slice(run.n_q, run.n_q + run.model.n_u)
        found[u, u] = (k.Y[:, rows] + k.Y[:, solved] @ answer) @ force
        return found

    def _lasts(self, t: float, y: np.ndarray) -> bool:
        run = self.run
        out = np.zeros(len(run.part("margins")))
        run.program.library.margins(np.array([t]), np.ascontiguousarray(y), out, run.inputs, run.work)
        n = run.n_margins
        return bool((out[:n] >= -out[n : 2 * n]).all())

    def _outputs(self, solver: Radau) -> None:
        """Outputs within the last step."""
        run, dense = self.run, None
        n = int(run.counters[NEXT])
        while n < len(run.options.times) and run.options.times[n] <= solver.t:
            dense = dense or solver.dense_output()
            run.rows[n] = run.back(float(run.options.times[n]), dense(run.options.times[n]))
            n += 1
        run.counters[NEXT] = n

    def _events(self, before: tuple[float, np.ndarray], solver: Radau) -> bool:
        """Record events within the last step; whether one of them ends this part of the run."""
        run = self.run
        if not run.events:
            return False
        from scipy.optimize import brentq

        dense = solver.dense_output()
        found = []
        for k, event in enumerate(run.events):
            a, b = (run.event_value(k, t, y) for t, y in (before, (solver.t, solver.y)))
            if (a < 0.0 <= b and event.direction >= 0) or (a > 0.0 >= b and event.direction <= 0):
                at = float(
                    brentq(
                        lambda t, k=k: run.event_value(k, t, dense(t)), before[0], solver.t, xtol=ROUNDING * run.span
                    )
                )
                found.append((at, k))
        for at, k in sorted(found):
            y = run.back(at, dense(at))
            if run.events[k].actions or run.events[k].terminal:
                self._leave(at, y)
                run.part("event_crossed")[:] = 0.0
                run.part("event_crossed")[k], run.part("event_t")[:], run.part("event_y")[:] = 1.0, at, y
                run.counters[PENDING] = 1
                return True
            run.happened.append(np.concatenate([[k, at], y]))
        return False

    def _leave(self, t: float, y: np.ndarray) -> None:
        """Hand the state over to the run."""
        run = self.run
        run.part("y")[:] = run.part("y_old")[:] = run.back(t, y)
        for name in ("t", "t_old", "searched_to", "looked_to", "counted_from"):
            run.part(name)[:] = t
        run.part("end")[:] = run.planned_end()
        run.part("step")[:] = 0.0 if run.options.method.adaptive else run.options.step
        run.program.library.begin(run.memory, run.inputs, run.work)


def seeded(run: LawRun, t: float, y: np.ndarray) -> np.ndarray:
    """The state with a slip of next to nothing where one begins in the run's mode."""
    k: Kinetics = run.kinetics(t, y)
    rows = [*range(k.n_loops), *(k.n_loops + r for r in run.mode.enforced_rows())]
    wanted = [0.0] * len(rows)
    for i in planar(run.mode):
        if np.linalg.norm(k.slip(i)) < _least_slip(k, i):
            rows += [k.n_loops + r for r in k.elements[i].tangents]
            wanted += (_least_slip(k, i) * run.mode.direction(i)).tolist()
    n_q, n_u = run.n_q, run.model.n_u
    y[n_q : n_q + n_u] += k.least_change(rows, np.array(wanted))
    return y


def _least_slip(k: Kinetics, i: int) -> float:
    """The slip with which element i begins."""
    terms = np.abs(k.J[list(k.elements[i].tangents)]) @ np.abs(k.u)
    return max(SEED * k.speed_scale(i), ABOVE_ROUNDING * float(terms.max()))
