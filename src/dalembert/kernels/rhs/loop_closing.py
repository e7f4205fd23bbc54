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
from dalembert.trace.native import (
    Block,
    FunctionBuilder,
    Int,
    IntPointer,
    Module,
    Output,
    Pointer,
    Real,
    Signature,
    maximum,
    minimum,
    select,
)

DAMPED = 1e-14
"""Damping of all steps: rows that depend on each other are distinguished by no more."""

NOT_CLOSED, TURNED_OVER = 1, 2
"""What `close` returns, besides 0 for closed."""

DEPENDENT, DOUBTFUL = 1e-13, 1e-6
"""Part of a row's squared norm left beside other rows below which it depends on them; and below which it may depend on them: singular
values of half a millionth and of a thousandth, with NumPy's border between them."""

SETTINGS = (
    "tolerance", "steps", "sizes", "free", "speeds_free", "still", "gap", "slip", "pivot", "stretch", "rank", "norms",
)  # fmt: skip
"""Parts of `start`, the last argument of both functions."""


def start_places(n_u: int, n_still: int, n_rows: int) -> dict[str, int]:
    """Where the parts of `start` begin, and the end.

    The residual at which rows count as closed, by their scales; large steps and sizes of all speeds; 1 where a speed may move and 0
    where it is fixed, for positions and for speeds; scales of the rows that say something though no projection keeps them.

    The functions leave there by how much rows are open, by how much they slip, the least pivot of the kept rows and the largest row,
    both by their reference norms, how many rows are independent (−1 where that is in doubt), and norms: of the kept rows, then of the
    others.
    """
    sizes = (1, n_u, n_u, n_u, n_u, n_still, 1, 1, 1, 1, 1, n_rows)
    return dict(zip((*SETTINGS, "end"), [sum(sizes[:k]) for k in range(len(sizes) + 1)]))


class LoopClosing:
    """Writes `close` and `consistent` for one right-hand side, one state at a time."""

    def __init__(self, rhs: RangeSpaceRightHandSide, module: Module):
        self.rhs, self.module, self.m = rhs, module, rhs.m
        self.code = rhs.closing_code(module, 1)
        self.rows = rhs.closing.pattern.rows
        holonomic = self.m.rows.holonomic
        self.moves = module.real_table([float(holonomic[k]) for k in self.rows] or [0.0])
        self.every = module.real_table([1.0] * max(1, len(self.rows), self.m.n_u))
        order = rhs.closing.pattern.order
        self.order = module.int_table(list(order) or [0])
        self.kept = module.real_table([float(i < rhs.n_rows) for i in order] or [0.0])
        self.paths = module.int_table([i for pair in along_paths(self.m) for i in pair] or [0])
        self.still, self.beside = self._beside()

    @property
    def places(self) -> dict[str, int]:
        """Places of the parts of `start`."""
        return start_places(self.m.n_u, len(self.still), self.code.n_rows)

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

    def emit(self) -> None:
        """`close(t, q, u, x, P, y, work, start)` changes q, `consistent(…)` changes u, each in place; both return 0 where that was
        reached. `rows_beside()` counts the rows that say something though they are not kept."""
        self._count_beside()
        self._close(public=True)
        self._consistent(public=True)

    def emit_all(self) -> None:
        """The same for many states one after the other: see `_for_all`; and `open_by`."""
        self._count_beside()
        self._for_all("close_all", self._close(public=False), still=True)
        self._for_all("consistent_all", self._consistent(public=False), still=False)
        self._open_by()

    def _count_beside(self) -> None:
        with self.module.function("rows_beside", status=True) as f:
            f.return_(len(self.still))

    def _function(self, name: str, public: bool) -> Any:
        return self.module.function(name, status=True, public=public, **KERNEL, start=Pointer)

    def _for_all(self, name: str, one: Signature, still: bool) -> None:
        """`name(count, found, t, q, u, x, P, y, work, start)` for those of `count` states whose `found` is not 0; it leaves there what
        came of them. Each has q, u, P (scales behind it) and `start` of its own. Where they stand `still`, u is not read."""
        m, size = self.m, self.places["end"]
        n_given = len(m.parameters) + 2 * self.code.n_rows
        with self.module.function(name, count=Int, found=IntPointer, **KERNEL, start=Pointer) as f:
            rest = f.array(max(1, m.n_u))
            rest.clear(max(1, m.n_u))
            with f.loop(f.count) as k, f.if_(f.found[k] != 0):
                u = rest if still else f.u + k * m.n_u
                own = f.q + k * m.n_q, u, f.x, f.P + k * n_given, f.y, f.work, f.start + k * size
                f.found[k] = f.status_of(one, f.t, *own)

    def _open_by(self) -> None:
        """`open_by(count, t, q, u, x, P, y, work, start)`: the largest gap and the largest slip of `count` states, by the rows' scales,
        into `start`; not a number where one is not."""
        m, c = self.m, self.code
        with self.module.function("open_by", count=Int, **KERNEL, start=Pointer) as f:
            part, scales, v = c.parts(f), c.scales(f), f.variables(gap=0.0, slip=0.0)
            with f.loop(f.count) as k:
                f.call(c.errors, f.t + k, f.q + k * m.n_q, f.u + k * m.n_u, f.x, f.P, f.y, f.work)
                with f.loop(c.n_rows) as i:
                    size = scales[c.size_at[i]]
                    v.gap = maximum(v.gap, abs(part["g"][i]) / size)
                    v.slip = maximum(v.slip, abs(part["slip"][i]) / size)
            f.start[0], f.start[1] = v.gap, v.slip

    def _parts(self, f: FunctionBuilder) -> tuple[list[Any], dict[str, Any], dict[str, Any], Any]:
        """Arguments, parts of the working memory, parts of `start`, and what rows are measured by."""
        start = {name: f.start + self.places[name] for name in SETTINGS}
        return [getattr(f, name) for name in NAMES], self.code.parts(f), start, self.code.scales(f)

    def _close(self, public: bool) -> Signature:
        m, n, c = self.m, self.m.n_u, self.code
        factors = self._without_dependent() if self.rhs.keep.others else c.factors
        with self._function("close", public) as f:
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
                self._correct(f, factors, v.damping)
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
            self._check_closed(f, arguments, start)
        return f.signature

    def _without_dependent(self) -> Signature:
        """Factors as `ClosingCode.factors` makes them, but for rows that depend on those before them: by how much such rows are open
        does not tell where to go."""
        c = self.code
        kinds = {"damping": Real, "at": IntPointer, **KERNEL}
        with self.module.function("factors_of_independent", public=False, **kinds) as f:
            part, scales = c.parts(f), c.scales(f)
            c.solver.form(f, part)
            c.solver.damp(f, part, scales, f.damping, f.at)
            c.solver.reveal(f, part, scales, f.at, DEPENDENT, DOUBTFUL)
        return f.signature

    def _correct(self, f: FunctionBuilder, factors: Signature, damping: Any) -> None:
        """The damped least change that would close the rows, in large steps, into part d."""
        c = self.code
        arguments, part, start, _ = self._parts(f)
        f.call(c.pose, *arguments)
        self._by_large_steps(f, part, start)
        c.solver.weigh(f, part["B"], self.moves, start["free"])
        f.call(factors, damping + DAMPED, c.size_at, *arguments)
        with f.loop(c.n_rows) as i:
            part["r"][i] = part["g"][i]
        f.call(c.correct, *arguments)

    def _check_closed(self, f: FunctionBuilder, arguments: list[Any], start: dict[str, Any]) -> None:
        """All rows are closed, those that nothing moves too, and no joint is half a turn from where it can be."""
        with f.if_(~(start["gap"][0] <= start["tolerance"][0]).all()):
            f.return_(NOT_CLOSED)
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

    def _by_large_steps(self, f: FunctionBuilder, part: dict[str, Any], start: dict[str, Any]) -> None:
        """In place of the mass matrix a diagonal one, in whose metric large steps of all speeds are as long."""
        A, n = part["A"], self.m.n_u
        with f.loop(len(self.paths.values) // 2) as i:
            A[self.paths[2 * i] * n + self.paths[2 * i + 1]] = 0.0
        with f.loop(n) as i:
            A[i * n + i] = 1.0 / (start["steps"][i] * start["steps"][i])

    def _without_fixed(self, f: FunctionBuilder, part: dict[str, Any], free: Any) -> None:
        """Rows and columns of the mass matrix that belong to fixed speeds, replaced by those of 1."""
        A, n = part["A"], self.m.n_u
        with f.loop(len(self.paths.values) // 2) as i:
            a, b = self.paths[2 * i], self.paths[2 * i + 1]
            A[a * n + b] = A[a * n + b] * free[a] * free[b]
        with f.loop(n) as i:
            A[i * n + i] = A[i * n + i] + (1.0 - free[i])

    def _consistent(self, public: bool) -> Signature:
        n, c = self.m.n_u, self.code
        look = self._independent_rows()
        with self._function("consistent", public) as f:
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
            self._look_at_rows(f, look, arguments, part, start, scales)
        return f.signature

    def _independent_rows(self) -> Signature:
        """The factor of the independent rows, once B is known; returns how many there are."""
        solver = self.code.solver
        with self.module.function("independent_rows", status=True, public=False, **KERNEL) as f:
            part = self.code.parts(f)
            solver.form(f, part)
            f.return_(solver.reveal(f, part, self.code.scales(f), self.code.norm_at, DEPENDENT, DOUBTFUL))
        return f.signature

    def _look_at_rows(
        self,
        f: FunctionBuilder,
        look: Signature,
        arguments: list[Any],
        part: dict[str, Any],
        start: dict[str, Any],
        scales: Any,
    ) -> None:
        """How many rows are independent in this pose, how far from singular the kept ones are, and how large all are, beside where they
        were chosen."""
        c, v = self.code, f.variables(norm=0.0, largest=0.0)
        f.call(c.pose, *arguments)
        start["rank"][0] = f.real(f.status_of(look, *arguments))
        with f.loop(c.n_rows) as k:
            v.norm = c.solver.norm(f, part["Y"], k)
            start["norms"][self.order[k]] = v.norm
            v.largest = maximum(v.largest, v.norm / scales[c.norm_at[k]])
        start["stretch"][0] = v.largest
        if self.rhs.keep.others:
            f.call(c.pose, *arguments)
            c.solver.weigh(f, part["B"], self.kept, self.every)
            f.call(look, *arguments)
        c.solver.watch(f, part, scales)
        start["pivot"][0] = part["pivot"][0]
