"""How accelerations change with the state, under loops and constraints or without: the matrix of an implicit method.

At held u̇ and λ let R₁ = τ(q, u, u̇) + Bᵀλ be what Newton and Euler's recursion leaves over, and R₂ = B u̇ − γ. Along a direction (s, δu),
s being the displacement that speeds s make, the equations vary by A δu̇ + Bᵀδλ = −δR₁ and B δu̇ = −δR₂. The factors of A and of B A⁻¹Bᵀ
are at hand from computing u̇ itself. Directions run through the lanes of one piece of code, which is a few times as long as the
equations are: no Jacobian is written out, and compiling it takes about as long as compiling them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.rhs.range_space import Constrained
from dalembert.kernels.rhs.row_solver import RowSolver
from dalembert.kernels.runtime.straight import NAMES, block, extra_input, known_symbols
from dalembert.kinematics.rows import constraint_rows
from dalembert.recursive.algorithms import Tree, newton_euler
from dalembert.trace import directional, jacobian, tracing
from dalembert.trace.native import Block, Module, Output, Signature, UniformPointer


class Varied:
    """Code for the mechanism and the rows of a `Constrained`, which may have none."""

    def __init__(self, held: Constrained):
        self.held, self.m, self.n, self.k = held, held.m, held.m.n_u, held.n_rows
        self.block = self._traced()

    @property
    def width(self) -> int:
        """Columns of the result: along the displacement of each speed, then along each speed."""
        return 2 * self.n

    def _traced(self) -> Block:
        """(δR₁, δR₂) in y; x holds u̇, λ, s and δu."""
        m, n, k = self.m, self.n, self.k
        kept = list(self.held.pattern.rows)
        with tracing():
            state = m.symbolic_state()
            x = extra_input(range(3 * n + k))
            udot, lam, s, du = np.split(x, [n, n + k, 2 * n + k])
            rows = constraint_rows(state)
            B = rows.B[kept]
            gap = B @ udot - rows.gamma[kept] if k else np.zeros(0)
            if k and self.held.gains is not None:
                alpha, beta = self.held.gains
                gap = gap + alpha * (B @ state.speeds - rows.b[kept]) + beta * rows.g[kept]
            left = newton_euler(Tree(state), udot)
            left = left + B.T @ lam if k else left
            moved = jacobian(state.rates, list(state.speeds)) @ s
            along = dict(zip(state.coordinates, moved)) | dict(zip(state.speeds, du))
            varied = directional(np.concatenate([left, gap]), along)
            known = known_symbols(m) | {e: ("x", i) for i, e in enumerate(x)}
            return block("varied_equations", known, [Output(value, "y", i) for i, value in enumerate(varied)])

    def emit(self, module: Module) -> tuple[Signature, int]:
        """`varied(t, q, u, x, P, J, work)` on plain arrays of one state, J being n_u × `width`; and the doubles of memory it needs."""
        m, n, k, lanes = self.m, self.n, self.k, module.target.lanes
        run, end = self.held.emit(module, 1, name="varied_primal")
        code = module.block(self.block, lanes)
        solver = RowSolver(m, self.held.pattern, module)
        slopes = end  # (q̇, u̇) of the state itself
        first_lane = -(-(end + m.n_q + n) // lanes)
        sizes = {"t": 1, "q": m.n_q, "u": n, "x": 3 * n + k, "P": len(m.parameters), "y": n + k, "r": k, "d": n}
        parameters: dict[str, Any] = dict.fromkeys(NAMES, UniformPointer)
        with module.function("varied", lanes=lanes, public=False, **parameters) as f:
            f.call(run, f.t, f.q, f.u, f.x, f.P, f.work + slopes, f.work)
            part: dict[str, Any] = {name: f.work + start for name, start in self.held.places.items()}
            lam, udot = part["r"], f.work + (slopes + m.n_q)
            memory, at = {}, first_lane
            for name, size in sizes.items():
                memory[name] = f.work.lanes + at
                at += size + 1
            for name in ("t", "q", "u", "P"):
                with f.loop(sizes[name]) as i:
                    memory[name][i] = getattr(f, name)[i]
            x, y, seeds = memory["x"], memory["y"], memory["x"] + (n + k)
            with f.loop(n) as i:
                x[i] = udot[i]
            with f.loop(k) as i:
                x[n + i] = lam[i]
            part |= {"r": memory["r"], "d": memory["d"]}
            with f.loop(0, self.width, lanes) as first:
                with f.loop(self.width) as i:
                    seeds[i] = 0.0
                for lane in range(lanes):
                    with f.if_(first + lane < self.width):
                        seeds.uniform[(first + lane) * lanes + lane] = 1.0
                f.call(code, *(memory.get(name, f.work.lanes) for name in NAMES))
                with f.loop(n) as i:
                    y[i] = -y[i]
                solver.tree.solve(f, part["A"], y, 1)
                with f.loop(k) as i:
                    part["r"][i] = solver.row_times(f, part["B"], i, y) + y[n + i]
                solver.correct(f, part)
                with f.loop(n) as i:
                    change = y[i] - part["d"][i]
                    for lane in range(lanes):
                        with f.if_(first + lane < self.width):
                            f.y[i * self.width + first + lane] = change.lane(lane)
        return f.signature, at * lanes
