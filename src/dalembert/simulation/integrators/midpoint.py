"""The implicit midpoint rule in coordinates and momenta: symplectic, order 2, fixed step.

q₁ = q₀ + h q̇(m), p₁ = p₀ + h ṗ(m), and z₁ = z₀ + h ż(m) of elements, with m the mean of both ends. It is symplectic in canonical
coordinates (q, p), not if applied to (q, u); Störmer–Verlet is not where the mass matrix depends on q. Quadratic invariants are kept
exactly, among them the length of Euler parameters.
"""

from __future__ import annotations

from typing import Any

from dalembert.errors import SimulationError
from dalembert.kinematics import totals
from dalembert.mechanism import Mechanism
from dalembert.simulation.integrators.dense_linear import emit_ldl
from dalembert.simulation.integrators.fixed_step import FixedStep, emit_hermite, emit_stepping
from dalembert.simulation.integrators.integrator import Steps, Unknowns
from dalembert.simulation.integrators.livens import emit_livens, emit_mass_matrix, emit_momenta
from dalembert.simulation.march.marched_equations import MarchedEquations
from dalembert.trace import free_symbols, symbol, tracing
from dalembert.trace.native import FunctionBuilder, Pointer, Real, Signature, Variables, maximum, select

ITERATIONS, FEWEST = 200, 2
"""The first turn knows only the old momenta: nothing seems to move in it."""
CONVERGED, SETTLED = 1e-15, 1e-9
"""Relative change of the speeds at which iteration ends; above the second it has failed when it no longer shrinks."""
NOTHING = 1e-30
"""Size beside which a change of what is zero is measured."""


class Midpoint(FixedStep):
    name = "midpoint"
    order = 2
    any_formulation = False
    keeps_constraints = False

    def parts(self, m: Unknowns) -> dict[str, int]:
        n_q, n_u = m.n_q, m.n_u
        return {
            "p": n_q,
            "p_old": n_q,
            "middle": n_q + n_u + m.n_z,
            "p_middle": n_q,
            "out": 2 * n_q + n_u,
            "A": n_u * n_u,
        }

    def emit(self, e: MarchedEquations) -> Steps:
        if e.catalogue.opaque is not None:
            names = ", ".join(f'"{name}"' for name in e.catalogue.opaque.forces)
            raise SimulationError(
                f'method="midpoint" needs the equations as expressions, and force {names} is a plain Python function; '
                'choose method="dop853" or "rk4"'
            )
        _check_masses_last(e.mechanism)
        written = _Written(e)
        return Steps(written.start(), emit_stepping(e, written.advance()), written.dense())


def _check_masses_last(m: Mechanism) -> None:
    """Refuse masses that states of elements change: momenta change with them."""
    with tracing():
        read = free_symbols([totals.kinetic_energy(m.symbolic_state())]) if m.n_z else ()
        changing = [name for name in m.states if symbol(name) in read]
    if changing:
        raise SimulationError(
            f'method="midpoint" marches momenta, and masses depend on the state "{changing[0]}" of an element; choose method="dop853", '
            '"radau" or "rk4"'
        )


class _Written:
    """The method's functions for one mechanism."""

    def __init__(self, e: MarchedEquations):
        self.e, self.n_q, self.n_u = e, e.n_q, e.n_u
        self.livens, self.momenta, self.mass = emit_livens(e), emit_momenta(e), emit_mass_matrix(e)
        self.ldl = emit_ldl(e.module, self.n_u, e.lanes)

    def start(self) -> Signature:
        """Momenta and the factorised mass matrix of the state in memory."""
        with self.e.function("start") as f:
            p = self.e.layout.of(f.memory)
            p.time[0] = p.t[0]
            f.call(self.momenta, p.time, p.y, p.p, f.inputs, p.p)
            self._factorise(f, p.y)
        return f.signature

    def _factorise(self, f: FunctionBuilder, y: Pointer) -> None:
        p = self.e.layout.of(f.memory)
        f.call(self.mass, p.time, y, p.p, f.inputs, p.A)
        f.call(self.ldl.factorise, p.A)

    def advance(self) -> Signature:
        e, n_q, n_u = self.e, self.n_q, self.n_u
        with e.function("advance", h=Real) as f:
            p = e.layout.of(f.memory)
            half = 0.5 * f.h
            with f.loop(n_q) as i:
                p.p_old[i] = p.p[i]
                p.middle[i] = p.y_old[i]
                p.p_middle[i] = p.p[i]
            with f.loop(n_q, self.e.n_state) as i:
                p.middle[i] = p.y_old[i]
            residual, pdot = p.out + n_q, p.out + (n_q + n_u)
            v = f.variables(change=1.0, before=1e300, largest=0.0, moved=0.0)
            p.time[0] = p.t_old[0] + half
            with f.loop(ITERATIONS) as k:
                f.call(self.livens, p.time, p.middle, p.p_middle, f.inputs, p.out)
                f.call(self.ldl.solve, p.A, residual)
                v.largest, v.moved = NOTHING, 0.0
                with f.loop(n_u) as i:
                    p.middle[n_q + i] = p.middle[n_q + i] + residual[i]
                    v.largest = maximum(v.largest, abs(p.middle[n_q + i]))
                    v.moved = maximum(v.moved, abs(residual[i]))
                with f.loop(n_q) as i:
                    p.middle[i] = p.y_old[i] + half * p.out[i]
                    p.p_middle[i] = p.p_old[i] + half * pdot[i]
                v.before = v.change
                v.change = v.moved / v.largest
                if e.mechanism.n_z:
                    self._elements(f, v, half)
                settled = (v.change <= CONVERGED) | ((v.change >= v.before) & (v.change < SETTLED))
                f.stop_if((settled | (v.change != v.change)).all() & (k >= FEWEST))
            failed = ~(v.change < SETTLED)
            with f.if_(failed.all()):
                f.return_(1)
            with f.loop(n_q) as i:
                q = 2.0 * p.middle[i] - p.y_old[i]
                p.y[i] = select(failed, q / f.real(0.0) * 0.0, q)
                p.p[i] = 2.0 * p.p_middle[i] - p.p_old[i]
            with f.loop(n_q + n_u, e.n_state) as i:
                p.y[i] = 2.0 * p.middle[i] - p.y_old[i]
            e.projected(f, p.t_old[0] + f.h, p.y)
            p.time[0] = p.t_old[0] + f.h
            with f.loop(n_u) as i:
                p.y[n_q + i] = p.middle[n_q + i]
            self._factorise(f, p.y)
            f.call(self.livens, p.time, p.y, p.p, f.inputs, p.out)
            f.call(self.ldl.solve, p.A, residual)
            with f.loop(n_u) as i:
                p.y[n_q + i] = p.y[n_q + i] + residual[i]
        return f.signature

    def _elements(self, f: FunctionBuilder, v: Variables, half: Any) -> None:
        """States of elements in the middle of the step, each measured by itself: they have their own units."""
        e, p = self.e, self.e.layout.of(f.memory)
        e.evaluate(f, p.t_old[0] + half, p.middle, p.dy)
        with f.loop(self.n_q + self.n_u, e.n_state) as i:
            moved = half * p.dy[i]
            v.moved = p.y_old[i] + moved - p.middle[i]
            p.middle[i] = p.middle[i] + v.moved
            v.change = maximum(v.change, abs(v.moved) / (abs(p.middle[i]) + abs(moved) + NOTHING))

    def dense(self) -> Signature:
        """Hermite's cubic; the slopes of both ends are computed when asked for."""
        hermite = emit_hermite(self.e, "hermite")
        with self.e.function("dense", at=Real, out=Pointer) as f:
            p = self.e.layout.of(f.memory)
            self.e.evaluate(f, p.t_old[0], p.y_old, p.dy_old)
            self.e.evaluate(f, p.t[0], p.y, p.dy)
            f.call(hermite, f.memory, f.inputs, f.work, f.at, f.out)
        return f.signature
