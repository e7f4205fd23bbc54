"""Scale by which the error of each component is measured: by the state alone, or under constraints also by the size of what moves.

Under constraints a dependent coordinate or speed may pass through zero while others of its kind are large; its error is then theirs.
"""

from __future__ import annotations

from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.simulation.error_sizes import speed_units
from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.trace.native import Real, maximum

KINDS = ("rad/s", "m/s", "1/s")
"""Kinds of speeds: turning, sliding, deforming."""


def by_state(p: Any, rtol: Real, i: Any) -> Real:
    """atol + rtol max(|y₀|, |y₁|)."""
    scale: Real = p.atol[i] + rtol * maximum(abs(p.y_old[i]), abs(p.y[i]))
    return scale


class StateScale:
    """Measures errors by the state at both ends of the step."""

    @staticmethod
    def parts(m: Unknowns) -> dict[str, int]:
        return {}

    @staticmethod
    def first_values(m: Mechanism) -> dict[str, Any]:
        return {}

    def of(self, p: Any, rtol: Real, i: Any) -> Real:
        """The error of component i that the tolerances allow."""
        return by_state(p, rtol, i)

    def measure(self, f: Any, h: Real | float) -> None:
        """Prepare to measure a trial of length h, whose end is in y."""

    def accept(self, f: Any) -> None:
        """Take note of the state in y, at which a step has arrived."""


class SizeScale(StateScale):
    """Measures them by sizes too: 1 rad or a length for coordinates, the fastest yet of its kind and connected part for a
    speed. Speeds of a formulation that are not the mechanism's are of one kind, each measured by its absolute tolerance.

    Memory: `size` of every component; `fastest` speed of each kind, part by part, in the steps accepted so far.
    """

    def __init__(self, e: MarchedEquations):
        m = e.mechanism
        self._own = e.rhs.uses_mechanism_speeds
        units = speed_units(m) if self._own else [KINDS[0]] * e.n_u
        self._kinds = [len(KINDS) * part + KINDS.index(unit) for part, unit in zip(e.rhs.parts_of_speeds, units)]
        self._measure, self._accept = self._emit_measure(e), self._emit_accept(e)

    def _unit(self, p: Any, at: Any) -> Any:
        """What a speed is measured in, among those of its kind."""
        return 1.0 if self._own else p.atol[at]

    @staticmethod
    def parts(m: Unknowns) -> dict[str, int]:
        return {"size": m.n, "fastest": m.n_parts * len(KINDS)}

    @staticmethod
    def first_values(m: Mechanism) -> dict[str, Any]:
        return {"size": [*m.scales.coordinates]}

    def of(self, p: Any, rtol: Real, i: Any) -> Real:
        """atol + rtol max(|y₀|, |y₁|, size)."""
        scale: Real = p.atol[i] + rtol * maximum(maximum(abs(p.y_old[i]), abs(p.y[i])), p.size[i])
        return scale

    def measure(self, f: Any, h: Real | float) -> None:
        f.call(self._measure, f.memory, f.inputs, f.work, h)

    def accept(self, f: Any) -> None:
        f.call(self._accept, f.memory, f.inputs, f.work)

    def _emit_measure(self, e: MarchedEquations) -> Any:
        """`sizes(memory, inputs, work, h)`: of a speed, the fastest of its kind and part yet, in the trial, or by its rate over h."""
        kinds = e.module.int_table(self._kinds)
        with e.function("sizes", h=Real) as f:
            count = len(e.mechanism.parts) * len(KINDS)
            p, top = e.layout.of(f.memory), f.array(count)
            with f.loop(count) as kind:
                top[kind] = p.fastest[kind]
            with f.loop(e.n_u) as i:
                kind, at = kinds[i], i + e.n_q
                largest = maximum(maximum(abs(p.y_old[at]), abs(p.y[at])), abs(f.h * p.dy[at]))
                top[kind] = maximum(top[kind], largest / self._unit(p, at))
            with f.loop(e.n_u) as i:
                p.size[i + e.n_q] = top[kinds[i]] * self._unit(p, i + e.n_q)
        return f.signature

    def _emit_accept(self, e: MarchedEquations) -> Any:
        """`fastest_yet(memory, inputs, work)`: the fastest of each kind and part, with the speeds of a step that was accepted."""
        kinds = e.module.int_table(self._kinds)
        with e.function("fastest_yet") as f:
            p = e.layout.of(f.memory)
            with f.loop(e.n_u) as i:
                at = i + e.n_q
                p.fastest[kinds[i]] = maximum(p.fastest[kinds[i]], abs(p.y[at]) / self._unit(p, at))
        return f.signature
