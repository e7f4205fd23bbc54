"""Starts of runs by compiled code, one or many, where that comes to a clear end: some thousandths of a millisecond each.

What it does not accept without a doubt (loops that stay open, speeds that do not fit, rows that are not as they were where they were
chosen, mechanisms of several parts) is left to NumPy, which decides and finds the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints.assembly.assemble import overbent
from dalembert.constraints.rest import least_rates
from dalembert.formulations import FORMULATIONS
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.rhs.loop_closing import start_places
from dalembert.kernels.rhs.right_hand_side import RightHandSide, right_hand_side
from dalembert.mechanism import Mechanism
from dalembert.simulation.kept_rows import KeptRows
from dalembert.trace.native import Library, Module, aligned

ROUNDING = 1e-9
"""Slip, by the fastest speed, that is rounding."""
FAR_FROM_SINGULAR = 1e-6
"""Least pivot, by the rows' reference norms, squared, from which on a pose is not singular without a doubt."""
LARGER = 5.0
"""How many times as large as where they were chosen rows may be."""
ALIKE = 0.05
"""Part of the largest row, by the rows' scales, that the smallest has at least in a pose which tells what rows are measured by."""
CLEARLY = 0.1
"""Part of what rows may be open by up to which there is no doubt."""
WAITING = 1
"""What has been found of a start that has not come to an end."""


class Assembler(Protocol):
    """What has compiled `close_all` and `consistent_all`."""

    @property
    def kept(self) -> KeptRows: ...
    @property
    def assembles(self) -> bool: ...
    @property
    def library(self) -> Library: ...
    @property
    def rhs(self) -> RightHandSide: ...
    def work(self) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class StartProgram:
    """Assembly alone, for many starts that are marched by other code."""

    catalogue: Catalogue
    kept: KeptRows

    @cached_property
    def rhs(self) -> RightHandSide:
        return right_hand_side(self.catalogue, FORMULATIONS["kane"], "range_space", self.kept.keep)

    @property
    def assembles(self) -> bool:
        return self.rhs.assembles

    @cached_property
    def library(self) -> Library:
        m, k = self.catalogue.mechanism, self.kept
        return m.code.library((StartProgram, k.rows, k.others, m.compiled_for), self._module)

    def _module(self) -> Module:
        target = self.catalogue.mechanism.compiled_for
        module = Module(target.lanes, target)
        self.rhs.emit_assembly(module)
        with module.function("work_size", status=True) as f:
            f.return_(self.rhs.projection_work)
        return module

    def work(self) -> np.ndarray:
        return aligned((self.library.work_size() or 0) + 1)


@dataclass(frozen=True, eq=False)
class ClosedStarts:
    """What compiled code has made of K starts."""

    q: np.ndarray
    u: np.ndarray
    done: np.ndarray
    """Which of them came to a clear end; the others are NumPy's."""
    kept: KeptRows
    """The rows that keep them, measured as the first start has them where the reference does not tell."""


def fixed_places(fixed: Sequence[Sequence[int]], n_u: int) -> np.ndarray:
    """(K, n_u): whether a speed of a start is fixed."""
    found = np.zeros((len(fixed), n_u), dtype=bool)
    for row, places in zip(found, fixed):
        if len(places):
            row[list(places)] = True
    return found


def assembled_by_code(
    program: Assembler,
    models: Sequence[Mechanism],
    q: np.ndarray,
    u: np.ndarray,
    fixed: np.ndarray,
    fixed_speeds: np.ndarray,
    t: float,
) -> ClosedStarts | None:
    """(K, n_q) and (K, n_u) with all loops closed, the coordinates and speeds of these places kept; None where nothing can be said."""
    if not _able(program, models[0]):
        return None
    made = _CompiledStarts(program, models, t)
    q, closed = made.closed(q, fixed)
    u, done = made.with_speeds(q, u, fixed_speeds, closed)
    if closed[0] and not done[0] and made.measured_by_first():
        u, done = made.with_speeds(q, u, fixed_speeds, closed)
    return ClosedStarts(q, u, done, made.kept)


def _able(program: Assembler, m: Mechanism) -> bool:
    """Whether there is compiled code for all that loops ask of a start."""
    return m.variables is None and len(m.parts) == 1 and program.assembles and not program.library.rows_beside()


class _CompiledStarts:
    """Arguments of the compiled functions for one mechanism, with the parameters of every start, at one time."""

    def __init__(self, program: Assembler, models: Sequence[Mechanism], t: float):
        self.program, self.models, self.kept = program, models, program.kept
        m = self.m = models[0]
        self.library, self.count = program.library, len(models)
        self.at = start_places(m.n_u, 0, len(self.kept.rows) + len(self.kept.others))
        self.start = np.zeros((self.count, self.at["end"]))
        self.P = np.array([[*x.parameters.values(), *self._scales] for x in _each(models)], dtype=float)
        scales = [x.scales for x in _each(models)]
        self.start[:, 0] = [x.closed for x in scales]
        self._part("steps", "sizes")[:] = [x.speeds for x in scales]
        self._part("sizes", "free")[:] = [x.sizes[m.n_q :] for x in scales]
        if len(self.P) < self.count:
            self.P = np.repeat(self.P, self.count, axis=0)  # one mechanism for all
        self.t, self.x, self.y = np.array([t]), np.zeros(m.n_u), np.zeros(max(1, m.n_q))
        self.work = program.work()

    @property
    def _scales(self) -> np.ndarray:
        """What rows are measured by."""
        return self.program.rhs.row_scales(self.kept.norms, self.kept.sizes)

    def _part(self, name: str, end: str) -> np.ndarray:
        return self.start[:, self.at[name] : self.at[end]]

    def _run(self, what: str, found: np.ndarray, q: np.ndarray, u: np.ndarray) -> None:
        """A function for all starts of which nothing has been found yet."""
        arguments = self.t, q, u, self.x, self.P, self.y, self.work, self.start
        self.library[what](self.count, found, *arguments)

    def _ways(self, fixed: np.ndarray) -> list[np.ndarray]:
        """Which speeds may move: first with elastic bodies kept as they are, then all but the fixed ones."""
        ways = [~fixed]
        if self.m.deforming:
            ways.insert(0, ~fixed)
            ways[0][:, list(self.m.deforming)] = False
        return [way.astype(float) for way in ways]

    def closed(self, q: np.ndarray, fixed: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Coordinates that close all loops, and whose do."""
        status, out = np.full(self.count, WAITING), np.array(q, dtype=float, order="C")
        nothing = np.zeros((1, self.m.n_u))
        for free in self._ways(fixed):
            self._part("free", "speeds_free")[:] = free
            out[status != 0] = q[status != 0]
            self._run("close_all", status, out, nothing)
        closed = status == 0
        if self.m.elastic:
            closed &= [not overbent(x, row, float(self.t[0])) for x, row in zip(self.models, out)]
        return out, closed

    def with_speeds(
        self, q: np.ndarray, u: np.ndarray, fixed: np.ndarray, closed: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Speeds that keep the loops closed, and whose do, in poses that the kept rows suit."""
        out, done = np.array(u, dtype=float, order="C"), np.zeros(self.count, dtype=bool)
        for free in self._ways(fixed):
            self._part("speeds_free", "still")[:] = free
            left = closed & ~done
            out[left] = u[left]
            status = np.where(left, WAITING, 0)
            self._run("consistent_all", status, q, out)
            done |= left & (status == 0) & self._keeps(out)
        pivot, stretch, rank = self._part("pivot", "norms").T
        suited = (pivot > FAR_FROM_SINGULAR) & (stretch <= LARGER) & (rank == len(self.kept.rows))
        return out, done & suited

    def _keeps(self, u: np.ndarray) -> np.ndarray:
        """Whether what slips is rounding, by the fastest speed or by one that counts as rest."""
        slip = self.start[:, self.at["slip"]]
        fastest = np.abs(u / self._part("steps", "sizes")).max(axis=1, initial=0.0)
        kept = slip <= ROUNDING * fastest
        for k in np.flatnonzero(~kept).tolist():
            kept[k] = slip[k] <= ROUNDING * least_rates(self.models[k]).max()
        return np.asarray(kept)

    def measured_by_first(self) -> bool:
        """Rows that are far smaller where they were chosen than in the first start, as with links in a line there, are measured by it.
        That can be done where no other row says anything, for full rank then holds for all regular poses."""
        if self.kept.others or not self.start[0, self.at["stretch"]] > LARGER:
            return False
        own, kept = self.start[0, self.at["norms"] : self.at["end"]], list(self.kept.rows)
        size = own / self.kept.sizes[kept]
        if not size.min() > ALIKE * size.max():
            return False
        norms = self.kept.norms.copy()
        norms[kept] = np.maximum(norms[kept], own)
        self.kept = replace(self.kept, norms=norms)
        self.P[:, len(self.m.parameters) :] = self._scales
        return True


def _each(models: Sequence[Mechanism]) -> Sequence[Mechanism]:
    """The mechanisms of all starts; one, if they are the same."""
    first = models[0]
    return [first] if all(x is first for x in models) else models


def stay_closed(program: Assembler, m: Mechanism, t: np.ndarray, q: np.ndarray, u: np.ndarray, second: float) -> float:
    """The largest residual, or slip in the time of a large step, of any row in these states, by the rows' scales; inf where compiled
    code does not know them all."""
    if not program.assembles or program.library.rows_beside():
        return np.inf
    P = np.array([*m.parameters.values(), *program.rhs.row_scales(program.kept.norms, program.kept.sizes)], dtype=float)
    found = np.zeros(2)
    arguments = np.zeros(m.n_u), P, np.zeros(max(1, m.n_q)), program.work()
    program.library.open_by(len(t), *(np.ascontiguousarray(x) for x in (t, q, u)), *arguments, found)
    gap, slip = found.tolist()
    return max(gap, second * slip)


class Starts:
    """Starts of a mechanism for many values of its parameters, all measured by the sizes that it has at its own values."""

    def __init__(self, program: Assembler, m: Mechanism, t: float):
        self._made = _CompiledStarts(program, [m], t) if _able(program, m) else None
        self._m = m

    def assembled(
        self, P: np.ndarray, q: np.ndarray, u: np.ndarray, fixed: Sequence[int], fixed_speeds: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """(q, u) with all loops closed for these values of the parameters; None where there is a doubt."""
        made, m = self._made, self._m
        if made is None:
            return None
        made.P[0, : len(m.parameters)] = P
        found, closed = made.closed(q[None], fixed_places([fixed], m.n_u))
        speeds, done = made.with_speeds(found, u[None], fixed_places([fixed_speeds], m.n_u), closed)
        return (found[0], speeds[0]) if done[0] else None
