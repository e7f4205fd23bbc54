"""What constraint methods are written in as machine code: n speeds, a number of rows, LAPACK on working memory.

Matrices lie by columns. A is symmetric; B lies by rows, which is Bᵀ by columns, n × rows. A method's `emit(x)` computes `x.udot` and
returns the rank it found, the twin of its `solve` on numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from dalembert.constraints.methods.blocks import CoupledBlock, blocks
from dalembert.constraints.methods.elimination import Elimination, SparseLDL, elimination
from dalembert.pivoting import RANK_TOLERANCE
from dalembert.trace.native import (
    FunctionBuilder,
    Int,
    Lapack,
    Module,
    Pointer,
    ShortPointer,
    Signature,
    maximum,
    select,
    sqrt,
)
from dalembert.trace.native.driver.lapack import LAPACK

FEW_UPDATES = 3000
"""Updates of an elimination in a static order up to which it takes less time than LAPACK, which begins each call with some checks:
as many as a full matrix of 26 speeds has."""
SPARSE = 0.5
"""Part of a full matrix's updates up to which it takes less time whatever the size."""


@dataclass(frozen=True, eq=False)
class SystemStructure:
    """What is known of the equations before their numbers: which entries of A and B can be other than zero, and rows that together
    say all (for methods that cannot find them)."""

    A: np.ndarray
    B: np.ndarray
    independent: tuple[int, ...]

    @property
    def blocks(self) -> list[CoupledBlock]:
        """Speeds and rows that nothing couples."""
        return blocks(self.A, self.B)

    def of(self, x: CoupledBlock) -> SystemStructure:
        """What is known of one block."""
        place = {int(k): i for i, k in enumerate(x.rows)}
        kept = tuple(place[k] for k in self.independent if k in place)
        return SystemStructure(self.A[np.ix_(x.speeds, x.speeds)], self.B[np.ix_(x.rows, x.speeds)], kept)

    @property
    def n(self) -> int:
        return len(self.A)

    @property
    def rows(self) -> int:
        return len(self.B)


@dataclass(frozen=True, eq=False)
class Scaled:
    """B and γ with every row divided by its norm in the metric of A⁻¹; A = L Lᵀ and Y = L⁻¹Bᵀ of the scaled rows."""

    B: Pointer
    gamma: Pointer
    norms: Pointer
    L: Pointer
    Y: Pointer


class Native:
    """The body of a solving function under construction."""

    def __init__(self, module: Module, f: FunctionBuilder, shape: SystemStructure):
        self.module, self.code, self.shape = module, f, shape
        self.n, self.rows = shape.n, shape.rows
        self.A, self.f, self.B, self.gamma, self.udot = f.A, f.f, f.B, f.gamma, f.udot
        self.size = 0
        """Elements of working memory taken."""
        self.elsewhere = False
        """Whether LAPACK is called."""
        self._lapack = Lapack(module)

    def part(self, x: CoupledBlock) -> Native:
        """The same function on one block: its A, f, B and γ gathered, and an u̇ of its own."""
        f, n, rows = self.code, len(x.speeds), len(x.rows)
        made = Native(self.module, f, self.shape.of(x))
        A, right, B, gamma, made.udot = (self.take(size) for size in (n * n, n, n * rows, rows, n))
        speeds, own_rows = self.module.int_table(x.speeds.tolist()), self.module.int_table(x.rows.tolist() or [0])
        with f.loop(n) as i:
            right[i] = self.f[speeds[i]]
            made.udot[i] = self.udot[speeds[i]]
            with f.loop(n) as j:
                A[i * n + j] = self.A[speeds[i] * self.n + speeds[j]]
        with f.loop(rows) as k:
            gamma[k] = self.gamma[own_rows[k]]
            with f.loop(n) as i:
                B[k * n + i] = self.B[own_rows[k] * self.n + speeds[i]]
        made.A, made.f, made.B, made.gamma, made.size = A, right, B, gamma, self.size
        return made

    def finished(self, part: Native) -> None:
        """What a block takes of the memory is taken of this function's."""
        self.size, self.elsewhere = part.size, self.elsewhere or part.elsewhere

    # -- memory -------------------------------------------------------------------------------------------------------
    def take(self, size: int) -> Pointer:
        """Working memory."""
        self.size += size
        found: Pointer = self.code.work + (self.size - size)
        return found

    def shorts(self, size: int) -> ShortPointer:
        """Working memory for 32-bit integers."""
        return ShortPointer(self.code.body, self.take(size // 2 + 1).name)

    def copy(self, source: Pointer, size: int) -> Pointer:
        made = self.take(size)
        with self.code.loop(size) as i:
            made[i] = source[i]
        return made

    def zeros(self, size: int) -> Pointer:
        made = self.take(size)
        with self.code.loop(size) as i:
            made[i] = 0.0
        return made

    def measure(self) -> Pointer:
        """Scaling of the speeds: from now on A, f and B are those of the speeds D⁻¹u; D_ii = 1/√A_ii, and 1 where that is nothing."""
        f, n = self.code, self.n
        D, A, right, B = self.take(n), self.take(n * n), self.take(n), self.take(n * self.rows)
        with f.loop(n) as i:
            size = self.A[i * (n + 1)]
            D[i] = 1.0 / sqrt(select(size > 0.0, size, 1.0))
        with f.loop(n) as i:
            right[i] = D[i] * self.f[i]
            with f.loop(n) as j:
                A[i * n + j] = D[i] * D[j] * self.A[i * n + j]
        with f.loop(self.rows) as k, f.loop(n) as i:
            B[k * n + i] = D[i] * self.B[k * n + i]
        self.A, self.f, self.B = A, right, B
        return D

    # -- linear algebra -----------------------------------------------------------------------------------------------
    def call(self, name: str, *arguments: Any) -> None:
        """A routine of LAPACK or BLAS; what it says of its success is left aside."""
        self.elsewhere = True
        status = (self.shorts(1),) if name in LAPACK else ()
        self._lapack.call(self.code, name, *arguments, *status)

    def times(self, X: Pointer, columns: Any, y: Pointer, transposed: bool = False) -> Pointer:
        """X y or Xᵀ y for X of n × columns."""
        out = self.take(max(self.n, self.rows))
        self.call("dgemv", "T" if transposed else "N", self.n, columns, 1.0, X, self.n, y, 1, 0.0, out, 1)
        return out

    def scaled(self) -> Scaled:
        """See `solution.scaled`: rows that are nothing keep their size."""
        f, n, rows = self.code, self.n, self.rows
        L, Y, B, gamma = self.copy(self.A, n * n), self.copy(self.B, n * rows), self.take(n * rows), self.take(rows)
        norms = self.take(rows)
        self.call("dpotrf", "L", n, L, n)
        self.call("dtrsm", "L", "L", "N", "N", n, rows, 1.0, L, n, Y, n)
        v = f.variables(sum=0.0, largest=0.0)
        with f.loop(rows) as k:
            v.sum = 0.0
            with f.loop(n) as i:
                v.sum = v.sum + Y[k * n + i] * Y[k * n + i]
            norms[k] = sqrt(v.sum)
            v.largest = maximum(v.largest, norms[k])
        with f.loop(rows) as k:
            norms[k] = select(norms[k] > RANK_TOLERANCE * v.largest, norms[k], 1.0)
            with f.loop(n) as i:
                B[k * n + i] = self.B[k * n + i] / norms[k]
                Y[k * n + i] = Y[k * n + i] / norms[k]
            gamma[k] = self.gamma[k] / norms[k]
        return Scaled(B, gamma, norms, L, Y)

    def rank_of(self, sizes: Pointer, count: int, step: int = 1) -> Int:
        """How many of the sizes, in falling order, are not zero."""
        f = self.code
        v = f.variables(rank=0)
        with f.loop(count) as i:
            f.stop_if((abs(sizes[i * step]) <= RANK_TOLERANCE * abs(sizes[0])).all())
            v.rank = v.rank + 1
        rank: Int = v.rank
        return rank

    def pivoted_qr(self, X: Pointer, rows: Any, columns: int, stride: int) -> tuple[ShortPointer, Pointer]:
        """X Π = Q R in place; the order Π (from 1) and the factors of the reflections."""
        order, tau = self.shorts(columns), self.take(min(stride, columns) + 1)
        with self.code.loop(columns) as i:
            order[i] = 0
        from scipy.linalg import lapack

        size = _lwork(lapack.dgeqp3(np.zeros((stride, columns)), lwork=-1)[-2])
        self.call("dgeqp3", rows, columns, X, stride, order, tau, self.take(size), size)
        return order, tau

    def shortest(self, X: Pointer, y: Pointer, most: int) -> tuple[Pointer, Int]:
        """The shortest of the best solutions of X z = y for X of n × rows, and its rank; by `most` singular values at most, and none
        below the tolerance."""
        from scipy.linalg import lapack

        f, n, rows = self.code, self.n, self.rows
        sigma, U, Vt, z = self.take(min(n, rows)), self.take(n * n), self.take(rows * rows), self.zeros(rows)
        size = int(lapack.dgesdd_lwork(n, rows)[0])
        work, integers = self.take(size), self.shorts(8 * min(n, rows))
        self.call("dgesdd", "A", n, rows, X, n, sigma, U, n, Vt, rows, work, size, integers)
        rank = self.rank_of(sigma, min(n, rows, most))
        along = self.times(U, rank, y, transposed=True)
        with f.loop(rank) as i:
            along[i] = along[i] / sigma[i]
        with f.loop(rank) as i, f.loop(rows) as k:
            z[k] = z[k] + along[i] * Vt[k * rows + i]
        return z, rank

    def along_null_space(self, L: Pointer, Z: Pointer, freedoms: Int, along: Pointer) -> None:
        """See `solution.along_null_space`, for Z of n × freedoms."""
        f, n = self.code, self.n
        X, rest, tau, work = self.take(n * n), self.copy(self.f, n), self.take(n), self.take(64 * n)
        with f.loop(freedoms * n) as i:
            X[i] = Z[i]
        self.call("dtrmm", "L", "L", "T", "N", n, freedoms, 1.0, L, n, X, n)
        self.call("dsymv", "L", n, -1.0, self.A, n, along, 1, 1.0, rest, 1)
        self.call("dtrsm", "L", "L", "N", "N", n, 1, 1.0, L, n, rest, n)
        self.call("dgeqrf", n, freedoms, X, n, tau, work, 64 * n)
        self.call("dormqr", "L", "T", n, 1, freedoms, X, n, tau, rest, n, work, 64 * n)
        self.call("dtrsm", "L", "U", "N", "N", freedoms, 1, 1.0, X, n, rest, n)
        with f.loop(n) as i:
            self.udot[i] = along[i]
        self.call("dgemv", "N", n, freedoms, 1.0, Z, n, rest, 1, 1.0, self.udot, 1)

    def eliminate(
        self, e: Elimination, given: Sequence[tuple[Pointer, Sequence[tuple[int, int]]]], solution: Pointer
    ) -> None:
        """solution ← K⁻¹ solution, by L D Lᵀ; `given` are matrices with their entries: (place in K's memory, place in the matrix)."""
        f, K = self.code, self.zeros(e.size)
        for source, places in given:
            into, out_of = (self.module.int_table([p[i] for p in places] or [0]) for i in (0, 1))
            with f.loop(len(places)) as i:
                K[into[i]] = source[out_of[i]]
        sparse = SparseLDL(self.module, e)
        sparse.factorise(f, K)
        sparse.solve(f, K, solution)

    def refuse_what_is_not_finite(self) -> None:
        """Nothing finite comes from what is not: LAPACK may leave its results as they were."""
        f = self.code
        v = f.variables(zero=0.0)
        for values, count, step in (
            (self.A, self.n, self.n + 1),
            (self.f, self.n, 1),
            (self.gamma, self.rows, 1),
            (self.B, self.n * self.rows, 1),
        ):
            with f.loop(count) as i:
                v.zero = v.zero + 0.0 * values[i * step]
        with f.loop(self.n) as i:
            self.udot[i] = self.udot[i] + v.zero


Emit = Callable[[Native], Any]
"""A method's code; it returns the rank, a negative number if it does not look."""


def measured_speeds(emit: Emit) -> Emit:
    """The method on speeds measured by √A_ii, the twin of `solution.measured`."""

    @wraps(emit)
    def emitted(x: Native) -> Any:
        D = x.measure()
        rank = emit(x)
        with x.code.loop(x.n) as i:
            x.udot[i] = D[i] * x.udot[i]
        return rank

    return emitted


def emit_solve(module: Module, emit: Emit, shape: SystemStructure, name: str = "solve") -> tuple[Signature, int]:
    """`solve(A, f, B, gamma, udot, work)` → the rank; and the working memory it needs."""
    parameters: dict[str, Any] = dict.fromkeys(("A", "f", "B", "gamma", "udot", "work"), Pointer)
    with module.function(name, status=True, **parameters) as f:
        x = Native(module, f, shape)
        rank = _solved(x, emit)
        if x.elsewhere:
            x.refuse_what_is_not_finite()
        f.return_(rank)
    return f.signature, x.size


def _solved(x: Native, emit: Emit) -> Any:
    """u̇ by the method, block by block; the rank of all."""
    f, shape, found = x.code, x.shape, x.shape.blocks
    if len(found) == 1:
        return 0 if not shape.n else emit(x) if shape.rows else _free(x)  # LAPACK takes no empty matrices
    v = f.variables(rank=0)
    for block in found:
        part = x.part(block)
        rank = emit(part) if part.rows else _free(part)
        v.rank = v.rank + rank
        x.finished(part)
        speeds = x.module.int_table(block.speeds.tolist())
        with f.loop(part.n) as i:
            x.udot[speeds[i]] = part.udot[i]
    return v.rank


def emit_multipliers(module: Module, shape: SystemStructure) -> tuple[Signature, int]:
    """`multipliers(A, f, B, gamma, udot, lam, work)` → the rank of B: the shortest λ, in scaled rows, with Bᵀλ = f − A u̇.

    The rank is no greater than the number of rows that together say all: where loops are not quite closed, others differ from them.
    """
    parameters: dict[str, Any] = dict.fromkeys(("A", "f", "B", "gamma", "udot", "lam", "work"), Pointer)
    n, rows = shape.n, shape.rows
    with module.function("multipliers", status=True, **parameters) as f:
        x = Native(module, f, shape)
        if not n:
            with f.loop(rows) as k:
                f.lam[k] = 0.0
        elif rows:
            found = shape.blocks
            v = f.variables(rank=0)
            for block in found:
                part = x if len(found) == 1 else x.part(block)
                if part.rows:
                    lam, rank = _multipliers(part)
                    v.rank = v.rank + rank
                    own_rows = module.int_table(block.rows.tolist())
                    with f.loop(part.rows) as k:
                        f.lam[own_rows[k]] = lam[k]
                x.finished(part)
            f.return_(v.rank)
    return f.signature, x.size


def _multipliers(x: Native) -> tuple[Pointer, Int]:
    """λ and the rank of one block's rows."""
    f, n = x.code, x.n
    D, own = x.measure(), x.take(n)
    s = x.scaled()
    y = x.copy(x.f, n)
    with f.loop(n) as i:
        own[i] = x.udot[i] / D[i]
    x.call("dsymv", "L", n, -1.0, x.A, n, own, 1, 1.0, y, 1)
    lam, rank = x.shortest(s.B, y, len(x.shape.independent))
    with f.loop(x.rows) as k:
        lam[k] = lam[k] / s.norms[k]
    return lam, rank


def _free(x: Native) -> int:
    """A u̇ = f: by elimination in a static order, or by LAPACK where A is large and has few zeros."""
    e = elimination(x.shape.A, x.shape.B[:0])
    if e.updates <= FEW_UPDATES or e.updates <= SPARSE * x.n**3 / 6.0:
        with x.code.loop(x.n) as i:
            x.udot[i] = x.f[i]
        x.eliminate(e, [(x.A, [(e.at(i, j), i * x.n + j) for i, j in e.entries(x.shape.A)])], x.udot)
        return 0
    L = x.copy(x.A, x.n * x.n)
    with x.code.loop(x.n) as i:
        x.udot[i] = x.f[i]
    x.call("dposv", "L", x.n, 1, L, x.n, x.udot, x.n)
    return 0


def _lwork(answer: Any) -> int:
    """LAPACK's wish for working memory, as it answers it."""
    return max(1, int(np.ravel(answer)[0].real))
