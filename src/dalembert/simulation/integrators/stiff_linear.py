"""The linear systems of an implicit method, (λ 1 − J) x = b, reduced to one system of size n_u + n_z.

Along the speeds' directions of q, with q = N s, the equations are ṡ = u, u̇ = f(s, u), so J = [[0, 1], [D_s, D_u]] with the analytic
derivatives of the accelerations, loops and constraints included. Then x_u = λ x_s − b_s and (λ² 1 − λ D_u − D_s) x_s = b_u + λ b_s −
D_u b_s. States of elements, ż = h(s, u, z), stand beside x_s in that system: −D_z x_z is added to its rows, and (λ 1 − H_z) x_z −
(λ H_u + H_s) x_s = b_z − H_u b_s are rows of their own. What b has across those directions (along an Euler parameter's length) is
divided by λ. Where speeds are not the rates of coordinates this J leaves out terms of the size of the speeds themselves, which are
never stiff: they cost iterations, not accuracy.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.formulations.tree.coordinate_rates import speeds_per_rate
from dalembert.kernels.rhs.jacobian import emit_state_jacobian
from dalembert.kernels.runtime.straight import block, known_symbols
from dalembert.kinematics.state import State
from dalembert.simulation.integrators.dense_linear import ComplexNumbers, RealNumbers, emit_lu
from dalembert.simulation.integrators.integrator import Unknowns
from dalembert.simulation.march.marched_equations import MarchedEquations, layout_of_inputs, put_states
from dalembert.simulation.march.memory import PartPointers
from dalembert.trace import depends_on, jacobian, symbol, symbols, tracing
from dalembert.trace.native import FunctionBuilder, IntPointer, Output, Pointer, Signature, select
from dalembert.trace.native.module import Prefixed

ALIGNED = 8
"""Doubles after which memory in lanes may begin."""


class StiffLinear:
    """Functions around J: its derivatives, factorisation at a λ, and solution."""

    def __init__(self, e: MarchedEquations):
        self.e, self.n_z = e, e.mechanism.n_z
        run, needed, self.width, self.states = e.rhs.emit_jacobian(Prefixed(e.module, "jacobian_"))
        self._scratch_at = -(-e.work // ALIGNED) * ALIGNED
        self.scratch = self._scratch_at - e.work + needed
        self.run = replace(run, lanes=1)  # it takes plain arrays, whatever it does with its lanes inside
        self.of_states = emit_state_jacobian(e.mechanism, e.module)
        self.to_coordinates, self.to_speeds = self._emit_maps()
        self.size = e.n_u + self.n_z
        self.real = emit_lu(e.module, self.size, RealNumbers())
        self.complex = emit_lu(e.module, self.size, ComplexNumbers())

    @staticmethod
    def parts(m: Unknowns) -> dict[str, int]:
        n_q, n_u, size = m.n_q, m.n_u, m.n_u + m.n_z
        return {
            "J": n_u * (3 * n_u + m.n_parameters),
            "H": m.n_z * (2 * n_u + m.n_z),
            "M": size * size,
            "M_complex": 2 * size * size,
            "s": 2 * n_u + m.n_z,
            "across": n_q,
        }

    def differentiate(self, f: FunctionBuilder, p: PartPointers) -> None:
        """J at the state in y_old."""
        g = layout_of_inputs(self.e.mechanism).of(f.inputs)
        q, u = p.y_old, p.y_old + self.e.n_q
        put_states(f, self.e.mechanism, u + self.e.n_u, g.P)
        p.time[0] = p.t_old[0]
        f.call(self.run, p.time, q, u, g.x, g.P, p.J, f.work + self._scratch_at)
        if self.of_states is not None:
            f.call(self.of_states, p.time, q, u, g.x, g.P, p.H, f.work)

    def factorise(
        self,
        f: FunctionBuilder,
        p: PartPointers,
        real: Any,
        pair: tuple[Any, Any],
        rows: IntPointer,
        rows_c: IntPointer,
    ) -> None:
        """λ² 1 − λ D_u − D_s at a real and at a complex λ; with states of elements also −D_z, −λ H_u − H_s and λ 1 − H_z."""
        n, size, width = self.e.n_u, self.size, self.width
        re, im = pair

        def put(i: Any, j: Any, constant: Any, slope: Any) -> None:
            """constant + λ slope at a place."""
            p.M[i * size + j] = constant + real * slope
            p.M_complex[2 * (i * size + j)] = constant + re * slope
            p.M_complex[2 * (i * size + j) + 1] = im * slope

        with f.loop(n) as i, f.loop(n) as j:
            put(i, j, -p.J[i * width + j], -p.J[i * width + n + j])
        with f.loop(n) as i:
            at = i * size + i
            p.M[at] = p.M[at] + real * real
            p.M_complex[2 * at] = p.M_complex[2 * at] + (re * re - im * im)
            p.M_complex[2 * at + 1] = p.M_complex[2 * at + 1] + 2.0 * re * im
        with f.loop(self.n_z) as k:
            own = p.H + k * (2 * n + self.n_z)
            with f.loop(n) as i:
                put(i, n + k, -p.J[i * width + self.states + k], f.real(0.0))
                put(n + k, i, -own[i], -own[n + i])
            with f.loop(self.n_z) as j:
                put(n + k, n + j, -own[2 * n + j], select(k == j, f.real(1.0), f.real(0.0)))
        f.call(self.real.factorise, p.M, rows)
        f.call(self.complex.factorise, p.M_complex, rows_c)

    def _less_speeds(self, f: FunctionBuilder, p: PartPointers, i: Any, along: Pointer, of_states: bool) -> Any:
        """−(D_u along)ᵢ, or −(H_u along)ᵢ."""
        n = self.e.n_u
        row = p.H + (i * (2 * n + self.n_z) + n) if of_states else p.J + (i * self.width + n)
        v = f.variables(sum=0.0)
        with f.loop(n) as j:
            v.sum = v.sum - row[j] * along[j]
        return v.sum

    def solve(self, f: FunctionBuilder, p: PartPointers, real: Any, rows: IntPointer, b: Pointer) -> None:
        """(λ − J) x = b for the real λ, x in place of b."""
        n_q, n = self.e.n_q, self.e.n_u
        self._split(f, p, b, p.s)
        along, x, b_z = p.s, p.s + n, b + (n_q + n)
        with f.loop(n) as i:
            x[i] = b[n_q + i] + real * along[i] + self._less_speeds(f, p, i, along, False)
        with f.loop(self.n_z) as i:
            x[n + i] = b_z[i] + self._less_speeds(f, p, i, along, True)
        f.call(self.real.solve, p.M, rows, x)
        f.call(self.to_coordinates, p.y_old, x, b)
        with f.loop(n_q) as i:
            b[i] = b[i] + p.across[i] / real
        with f.loop(n) as i:
            b[n_q + i] = real * x[i] - along[i]
        with f.loop(self.n_z) as i:
            b_z[i] = x[n + i]

    def solve_pair(
        self, f: FunctionBuilder, p: PartPointers, pair: tuple[Any, Any], rows: IntPointer, b: Pointer, c: Pointer
    ) -> None:
        """The same for the complex λ and the right-hand side b + i c."""
        n_q, n = self.e.n_q, self.e.n_u
        re, im = pair
        square = re * re + im * im
        sb, sc, x = f.array(max(1, n)), f.array(max(1, n)), f.array(2 * max(1, self.size))
        across = [f.array(max(1, n_q)), f.array(max(1, n_q))]
        b_z, c_z = b + (n_q + n), c + (n_q + n)
        for right, along, rest in ((b, sb, across[0]), (c, sc, across[1])):
            self._split(f, p, right, along)
            with f.loop(n_q) as i:
                rest[i] = p.across[i]
        with f.loop(n) as i:
            x[2 * i] = b[n_q + i] + (re * sb[i] - im * sc[i]) + self._less_speeds(f, p, i, sb, False)
            x[2 * i + 1] = c[n_q + i] + (re * sc[i] + im * sb[i]) + self._less_speeds(f, p, i, sc, False)
        with f.loop(self.n_z) as i:
            x[2 * (n + i)] = b_z[i] + self._less_speeds(f, p, i, sb, True)
            x[2 * (n + i) + 1] = c_z[i] + self._less_speeds(f, p, i, sc, True)
        f.call(self.complex.solve, p.M_complex, rows, x)
        with f.loop(self.n_z) as i:
            b_z[i], c_z[i] = x[2 * (n + i)], x[2 * (n + i) + 1]
        with f.loop(n) as i:
            b[n_q + i] = re * x[2 * i] - im * x[2 * i + 1] - sb[i]
            c[n_q + i] = re * x[2 * i + 1] + im * x[2 * i] - sc[i]
            sb[i], sc[i] = x[2 * i], x[2 * i + 1]
        f.call(self.to_coordinates, p.y_old, sb, b)
        f.call(self.to_coordinates, p.y_old, sc, c)
        with f.loop(n_q) as i:
            first, second = across[0][i], across[1][i]
            b[i] = b[i] + (first * re + second * im) / square
            c[i] = c[i] + (second * re - first * im) / square

    def _split(self, f: FunctionBuilder, p: PartPointers, b: Pointer, along: Pointer) -> None:
        """The part of b_q along the speeds, and what is left across them."""
        f.call(self.to_speeds, p.y_old, b, along)
        f.call(self.to_coordinates, p.y_old, along, p.across)
        with f.loop(self.e.n_q) as i:
            p.across[i] = b[i] - p.across[i]

    def _displacements(self, state: State, dq: np.ndarray) -> list[Any]:
        """Displacements along the speeds that dq makes; they hang on the pose alone."""
        m = state.mechanism
        if m.variables is not None:
            found = list(speeds_per_rate(state) @ dq)
            if depends_on(
                [*found, *jacobian(state.rates, list(state.speeds)).ravel()], [symbol("t"), *map(symbol, m.parameters)]
            ):
                raise SimulationError(
                    f'mechanism "{m.name}" has speeds that depend on time or on parameters, which method="radau" does not take; choose '
                    '"dop853", or simulate m.in_joint_variables'
                )
            return found
        speeds: list[Any] = [0.0] * m.n_u
        for j in m.joints:
            at = [i for i in j.q_at if i is not None]
            whole = len(at) == j.joint.n_q
            back = j.joint.speeds_from_rates(state.coordinates[at], dq[at])[j.free] if whole and at else dq[at]
            for column, x in zip(j.columns, back):
                speeds[column] = x
        return speeds

    def _emit_maps(self) -> tuple[Signature, Signature]:
        """`to_coordinates(q, s, dq)`: dq = N(q) s; `to_speeds(q, dq, s)`: its inverse on admissible dq."""
        e, m = self.e, self.e.mechanism
        known = {k: v for k, v in known_symbols(m).items() if v[0] in ("t", "q", "P")}
        with tracing():
            state = m.symbolic_state()
            s, dq = symbols("#s.", m.speeds), symbols("#dq.", m.coordinates)
            rates = jacobian(state.rates, list(state.speeds)) @ s
            speeds = self._displacements(state, dq)
            maps = []
            for name, inputs, values in (("to_coordinates", s, rates), ("to_speeds", dq, speeds)):
                places = known | {x: ("u", i) for i, x in enumerate(inputs)}
                code = e.module.block(
                    block(f"{name}_values", places, [Output(x, "y", i) for i, x in enumerate(values)]), e.lanes
                )
                with e.module.function(name, lanes=e.lanes, public=False, q=Pointer, inputs=Pointer, out=Pointer) as f:
                    nothing = f.array(1)
                    f.call(code, nothing, f.q, f.inputs, nothing, nothing, f.out, nothing)
                maps.append(f.signature)
        return maps[0], maps[1]
