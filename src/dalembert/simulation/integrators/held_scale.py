"""What adaptive methods share under loops and constraints: the measure of an error, and a watch over the rows."""

from __future__ import annotations

from typing import Any

from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.integrator import DEGRADED
from dalembert.simulation.march.equations import Equations
from dalembert.simulation.scales import speed_units
from dalembert.trace.native import Real, Signature, maximum, sqrt

WORTH_A_LOOK, WELL_AGAIN = 1e-4, 1e-2
"""Pivot at which another choice of rows may be better, and at which it is forgotten that this was asked."""

KINDS = ("rad/s", "m/s", "1/s")
"""Of speeds: turning, sliding, deforming."""


class HeldScale:
    """Parts of the memory: `size` by which errors are measured, `fastest` speeds yet of each kind and connected part, `distance` to a
    singular pose (the root of the smallest pivot of B A⁻¹Bᵀ) and how it changes, and whether the choice of rows was asked about."""

    def held_parts(self, n: int, n_parts: int) -> dict[str, int]:
        return {"size": n, "fastest": n_parts * len(KINDS), "distance": 1, "approach": 1, "asked": 1}

    def held_values(self, m: Mechanism) -> dict[str, Any]:
        return {"size": [*m.scales.coordinates, *[0.0] * m.n_u], "asked": 1.0}

    def scale(self, p: Any, rtol: Real, i: Any) -> Real:
        """atol + rtol max(|y₀|, |y₁|, size), size being 1 rad or a length for coordinates, for a speed the fastest yet of its kind
        and part."""
        scale: Real = p.atol[i] + rtol * maximum(maximum(abs(p.y_old[i]), abs(p.y[i])), p.size[i])
        return scale

    def watch(self, f: Any, e: Equations) -> None:
        """Return from a step that was made if the rows look poor at the state last evaluated; not again until they are far poorer."""
        p = e.layout.of(f.memory)
        with f.if_((e.pivot(f) > WELL_AGAIN).all()):
            p.asked[0] = 1.0
        with f.if_((e.pivot(f) < WORTH_A_LOOK * p.asked[0]).all()):
            p.asked[0] = e.pivot(f) / WORTH_A_LOOK * 0.1
            f.return_(DEGRADED)


def root(pivot: Real) -> Real:
    """s, the distance to a singular pose."""
    return sqrt(maximum(pivot, 0.0))


def emit_sizes(e: Equations) -> Signature:
    """`sizes(memory, given, work, h)`: of a speed, the fastest of its kind and part, so far, in the trial, or by its rate over h."""
    kinds = e.module.int_table(_kinds(e))
    with e.function("sizes", h=Real) as f:
        count = len(e.mechanism.parts) * len(KINDS)
        p, top = e.layout.of(f.memory), f.array(count)
        with f.loop(count) as kind:
            top[kind] = p.fastest[kind]
        with f.loop(e.n_u) as i:
            kind, at = kinds[i], i + e.n_q
            top[kind] = maximum(top[kind], maximum(maximum(abs(p.y_old[at]), abs(p.y[at])), abs(f.h * p.dy[at])))
        with f.loop(e.n_u) as i:
            p.size[i + e.n_q] = top[kinds[i]]
    return f.signature


def emit_seen(e: Equations) -> Signature:
    """`seen(memory, given, work)`: the fastest of each kind and part, with the speeds of a step that was accepted."""
    kinds = e.module.int_table(_kinds(e))
    with e.function("fastest_seen") as f:
        p = e.layout.of(f.memory)
        with f.loop(e.n_u) as i:
            p.fastest[kinds[i]] = maximum(p.fastest[kinds[i]], abs(p.y[i + e.n_q]))
    return f.signature


def _kinds(e: Equations) -> list[int]:
    """The place of each speed's kind among those of all parts."""
    m = e.mechanism
    of_parts = m.scales.part[m.n_q :].tolist()
    return [len(KINDS) * part + KINDS.index(unit) for part, unit in zip(of_parts, speed_units(m))]
