"""Assembly in compiled code: coordinates that close all loops from a start that may be far from it, then speeds that keep them closed.

The same steps as `constraints/assembly/assemble.py` makes on NumPy's arrays, which stays the judge: what is closed here is closed
there, and what is not closed here may be closed there yet, from other starts. Positions by damped Gauss–Newton steps

    d = −Jᵀ (J Jᵀ + damping)⁻¹ g,

rows by their scales and speeds by their large steps; speeds by the least change in the metric of the mass matrix. What is fixed does
not move. Numbers that are none never count as closed.
"""

from __future__ import annotations

from typing import Any

from dalembert.constraints.assembly.assemble import (
    DAMPING_GROWS,
    DAMPING_SHRINKS,
    ENOUGH,
    FIRST_DAMPING,
    LARGEST_DAMPING,
    LARGEST_STEP,
    MOST_STEPS,
    NO_DAMPING,
    NO_STEP,
    PATIENCE,
    STALLED,
    WORTH,
    facings,
)
from dalembert.kernels.rhs.projection import MOST_CORRECTIONS, SPEED_DAMPING
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.runtime.straight import KERNEL, NAMES, block, known_symbols
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.recursive.sparse import along_paths
from dalembert.trace import Expr, tracing
from dalembert.trace.native import Block, Module, Output, Pointer, Signature, maximum, minimum, select

DAMPED = 1e-14
"""Damping of all steps: rows that depend on each other are distinguished by no more."""

NOT_CLOSED, TURNED_OVER = 1, 2
"""What `close` returns, besides 0 for closed."""

SETTINGS = ("tolerance", "steps", "sizes", "free", "speeds_free", "still", "gap", "slip", "pivot", "stretch")
"""Parts of `start`, the last argument of both functions."""


def start_places(n_u: int, n_still: int) -> dict[str, int]:
    """Where the parts of `start` begin, and the end.

    The residual at which rows count as closed, by their scales; large steps and sizes of all speeds; 1 where a speed may move and 0
    where it is fixed, for positions and for speeds; scales of the rows that are not kept. The functions leave there by how much rows
    are open, by how much they slip, the least pivot of the kept rows and the largest row, both by their reference norms.
    """
    sizes = (1, n_u, n_u, n_u, n_u, n_still, 1, 1, 1, 1)
    return dict(zip((*SETTINGS, "end"), [sum(sizes[:k]) for k in range(len(sizes) + 1)]))


class LoopClosing:
    """Writes `close` and `consistent` for one right-hand side, one state at a time."""

    def __init__(self, rhs: RangeSpaceRightHandSide, module: Module):
        self.rhs, self.module, self.m = rhs, module, rhs.m
        self.code = rhs.closing_code(module, 1)
        self.rows = rhs.closing.pattern.rows
        holonomic = self.m.rows.holonomic
        self.moves = module.real_table([float(holonomic[k]) for k in self.rows] or [0.0])
        self.every = module.real_table([1.0] * max(1, len(self.rows)))
        self.paths = module.int_table([i for pair in along_paths(self.m) for i in pair] or [0])
        self.still, self.beside = self._beside()

    @property
    def places(self) -> dict[str, int]:
        """Places of the parts of `start`."""
        return start_places(self.m.n_u, len(self.still))

    def _beside(self) -> tuple[tuple[int, ...], Signature | None]:
        """Rows that say something though they are not kept, and code for their residuals, and for which way round the joints are that
        close loops."""
        m = self.m
        with tracing():
            s = m.symbolic_state()
            rows = constraint_rows(s)
            said = [
                k for k, g in enumerate(rows.g) if any(type(x) is Expr or x != 0.0 for x in (g, *rows.B[k], rows.b[k]))
            ]
            still = {k: rows.g[k] for k in said if k not in self.rows}
            outputs = [Output(x, "y", i) for i, x in enumerate([*still.values(), *facings(s)])]
            made: Block | None = block("beside", known_symbols(m), outputs) if outputs else None
            return tuple(still), self.module.block(made) if made else None

    def emit(self) -> tuple[Signature, Signature]:
        """`close(t, q, u, x, P, y, work, start)` changes q, `consistent(…)` changes u, each in place; both return 0 where that was
        reached. `rows_beside()` counts the rows that say something though they are not kept."""
        with self.module.function("rows_beside", status=True) as f:
            f.return_(len(self.still))
        return self._close(), self._consistent()

    def _function(self, name: str) -> Any:
        return self.module.function(name, status=True, **KERNEL, start=Pointer)

    def _parts(self, f: Any) -> tuple[list[Any], dict[str, Any], dict[str, Any], Any]:
        """Arguments, parts of the working memory, parts of `start`, and what rows are measured by."""
        start = {name: f.start + self.places[name] for name in SETTINGS}
        return [getattr(f, name) for name in NAMES], self.code.parts(f), start, self.code.scales(f)

    def _close(self) -> Signature:
        m, n, c = self.m, self.m.n_u, self.code
        with self._function("close") as f:
            arguments, part, start, scales = self._parts(f)
            before = f.array(max(1, m.n_q))
            v = f.variables(error=0.0, now=0.0, gap=0.0, damping=0.0, patience=1e300, share=0.0, largest=0.0, turns=0)

            def measure() -> None:
                """Squared and largest residual, by the rows' scales; not a number where one is not."""
                f.call(c.errors, *arguments)
                v.now, v.gap = 0.0, 0.0
                with f.loop(c.n_rows) as i:
                    g = part["g"][i] / scales[c.size_at[i]]
                    v.now = v.now + g * g
                    v.gap = maximum(v.gap, abs(g))

            if c.admissible:
                f.call(c.admissible, *arguments)
            measure()
            v.error = v.now
            start["gap"][0] = v.gap
            with f.loop(MOST_STEPS):
                f.stop_if((start["gap"][0] <= ENOUGH * start["tolerance"][0]).all())
                v.turns = v.turns - 1
                with f.if_(v.turns < 0):
                    v.turns = PATIENCE - 1
                    v.share = select(v.error > (1.0 - WORTH) * v.patience, f.real(1.0), f.real(0.0))
                    v.patience = v.error
                    f.stop_if((v.share > 0.0).all())
                self._correct(f, v.damping)
                v.largest = 0.0
                with f.loop(n) as i:
                    v.largest = maximum(v.largest, abs(part["d"][i]) / start["sizes"][i])
                v.share = minimum(1.0, LARGEST_STEP / maximum(v.largest, 1e-300))
                f.stop_if(~(v.share * v.largest > NO_STEP).all())
                with f.loop(n) as i:
                    part["moved"][i] = -v.share * part["d"][i]
                for i in f.each(m.n_q):
                    before[i] = f.q[i]
                f.call(c.moving, f.t, f.q, part["moved"], f.x, f.P, f.y, f.work)
                for i in f.each(m.n_q):
                    f.q[i] = f.q[i] + f.y[i]
                if c.admissible:
                    f.call(c.admissible, *arguments)
                measure()
                with f.if_((v.now < v.error).all()):
                    start["gap"][0] = v.gap
                    v.damping = select(v.damping > NO_DAMPING, DAMPING_SHRINKS * v.damping, f.real(0.0))
                    v.share = select(v.error - v.now < STALLED * v.error, f.real(1.0), f.real(0.0))
                    v.error = v.now
                    f.stop_if((v.share > 0.0).all())
                with f.else_():
                    for i in f.each(m.n_q):
                        f.q[i] = before[i]
                    f.stop_if((v.damping > LARGEST_DAMPING).all())
                    v.damping = maximum(DAMPING_GROWS * v.damping, FIRST_DAMPING)
            with f.if_(~(start["gap"][0] <= start["tolerance"][0]).all()):
                f.return_(NOT_CLOSED)
            self._check_beside(f, arguments, start)
        return f.signature

    def _correct(self, f: Any, damping: Any) -> None:
        """The damped least change that would close the rows, in large steps, into part d."""
        c = self.code
        arguments, part, start, _ = self._parts(f)
        f.call(c.pose, *arguments)
        self._by_large_steps(f, part, start)
        c.solver.weigh(f, part["B"], self.moves, start["free"])
        f.call(c.factors, damping + DAMPED, c.size_at, *arguments)
        with f.loop(c.n_rows) as i:
            part["r"][i] = part["g"][i]
        f.call(c.correct, *arguments)

    def _check_beside(self, f: Any, arguments: list[Any], start: dict[str, Any]) -> None:
        """Rows that nothing moves are closed too, and no joint is half a turn from where it can be."""
        if self.beside is None:
            return
        n = len(self.still)
        values = f.array(n + len(self.m.cuts))
        f.call(self.beside, *arguments[:5], values, f.work)
        for i in range(n):
            gap = abs(values[i]) / start["still"][i]
            with f.if_(~(gap <= start["tolerance"][0]).all()):
                start["gap"][0] = gap
                f.return_(NOT_CLOSED)
        for i in range(n, n + len(self.m.cuts)):
            with f.if_(~(values[i] >= 0.0).all()):
                f.return_(TURNED_OVER)

    def _by_large_steps(self, f: Any, part: dict[str, Any], start: dict[str, Any]) -> None:
        """In place of the mass matrix a diagonal one, in whose metric large steps of all speeds are as long."""
        A, n = part["A"], self.m.n_u
        with f.loop(len(self.paths.values) // 2) as i:
            A[self.paths[2 * i] * n + self.paths[2 * i + 1]] = 0.0
        with f.loop(n) as i:
            A[i * n + i] = 1.0 / (start["steps"][i] * start["steps"][i])

    def _without_fixed(self, f: Any, part: dict[str, Any], free: Any) -> None:
        """Rows and columns of the mass matrix that belong to fixed speeds, replaced by those of 1."""
        A, n = part["A"], self.m.n_u
        with f.loop(len(self.paths.values) // 2) as i:
            a, b = self.paths[2 * i], self.paths[2 * i + 1]
            A[a * n + b] = A[a * n + b] * free[a] * free[b]
        with f.loop(n) as i:
            A[i * n + i] = A[i * n + i] + (1.0 - free[i])

    def _consistent(self) -> Signature:
        n, c = self.m.n_u, self.code
        with self._function("consistent") as f:
            arguments, part, start, scales = self._parts(f)
            v = f.variables(slip=0.0, before=1e300)

            def measure() -> None:
                f.call(c.errors, *arguments)
                v.slip = 0.0
                with f.loop(c.n_rows) as i:
                    v.slip = maximum(v.slip, abs(part["slip"][i]) / scales[c.size_at[i]])

            f.call(c.pose, *arguments)
            self._without_fixed(f, part, start["speeds_free"])
            c.solver.weigh(f, part["B"], self.every, start["speeds_free"])
            f.call(c.factors, f.real(SPEED_DAMPING), c.norm_at, *arguments)
            with f.loop(MOST_CORRECTIONS):
                measure()
                start["slip"][0] = v.slip
                f.stop_if(~(v.slip < 0.5 * v.before).all())
                v.before = v.slip
                with f.loop(c.n_rows) as i:
                    part["r"][i] = part["slip"][i]
                f.call(c.correct, *arguments)
                with f.loop(n) as i:
                    f.u[i] = f.u[i] - part["d"][i]
            with f.if_(~(start["slip"][0] < 1e300).all()):
                f.return_(NOT_CLOSED)
            self._look_at_rows(f, arguments, part, start, scales)
        return f.signature

    def _look_at_rows(
        self, f: Any, arguments: list[Any], part: dict[str, Any], start: dict[str, Any], scales: Any
    ) -> None:
        """How far from singular the pose is, and how large its rows are, beside where they were chosen."""
        c, v = self.code, f.variables(norm=0.0, largest=0.0)
        f.call(c.pose, *arguments)
        f.call(c.factors, f.real(0.0), c.norm_at, *arguments)
        c.solver.watch(f, part, scales)
        start["pivot"][0] = part["pivot"][0]
        with f.loop(c.n_rows) as k:
            v.norm = c.solver.norm(f, part["Y"], k) / scales[c.norm_at[k]]
            v.largest = maximum(v.largest, v.norm)
        start["stretch"][0] = v.largest
