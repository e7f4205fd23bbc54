"""The start of a run by compiled code, where that comes to a clear end: some hundredths of a millisecond.

What it does not accept without a doubt (loops that stay open, speeds that do not fit, rows that are not as they were where they were
chosen, mechanisms of several parts) is left to NumPy, which decides and finds the words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
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


class Assembler(Protocol):
    """What has compiled `close` and `consistent`."""

    @property
    def kept(self) -> KeptRows: ...
    @property
    def assembles(self) -> bool: ...
    @property
    def library(self) -> Library: ...
    @property
    def scales(self) -> np.ndarray: ...
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

    @property
    def scales(self) -> np.ndarray:
        """What the rows of constraints are measured by."""
        return self.rhs.row_scales(self.kept.norms, self.kept.sizes)

    @cached_property
    def library(self) -> Library:
        m, k = self.catalogue.mechanism, self.kept
        return m.code.library((StartProgram, k.rows, k.others, m.compiled_for), self._module)

    def _module(self) -> Module:
        target = self.catalogue.mechanism.compiled_for
        module = Module(target.lanes, target)
        self.rhs.emit_assembly(module)
        return module

    def work(self) -> np.ndarray:
        return aligned(self.rhs.projection_work + 1)


def assembled_by_code(
    program: Assembler,
    m: Mechanism,
    q: np.ndarray,
    u: np.ndarray,
    fixed: Sequence[int],
    fixed_speeds: Sequence[int],
    t: float,
) -> tuple[np.ndarray, np.ndarray] | None:
    """(q, u) with all loops closed, the coordinates and speeds of these places kept; None where there is a doubt."""
    if m.variables is not None or len(m.parts) > 1 or program.kept.others:
        return None
    if not program.assembles or program.library.rows_beside():
        return None
    made = _CompiledStart(program, m, t)
    found = made.closed(q, fixed)
    return None if found is None else made.with_speeds(found, u, fixed_speeds)


class _CompiledStart:
    """Arguments of the compiled functions for one mechanism at one time."""

    def __init__(self, program: Assembler, m: Mechanism, t: float):
        self.m, self.library = m, program.library
        self.at = start_places(m.n_u, 0)
        self.start = np.zeros(self.at["end"])
        self.start[0] = m.scales.closed
        self._part("steps", "sizes")[:] = m.scales.speeds
        self._part("sizes", "free")[:] = m.scales.sizes[m.n_q :]
        parameters = np.array([*m.parameters.values(), *program.scales], dtype=float)
        self.t, self.inputs = np.array([t]), (np.zeros(m.n_u), parameters, np.zeros(max(1, m.n_q)), program.work())

    def _part(self, name: str, end: str) -> np.ndarray:
        return self.start[self.at[name] : self.at[end]]

    def _ways(self, fixed: Sequence[int]) -> list[np.ndarray]:
        """Which speeds may move: first with elastic bodies kept as they are, then all but the fixed ones."""
        ways = []
        for kept in ([[*fixed, *self.m.deforming]] if self.m.deforming else []) + [list(fixed)]:
            ways.append(np.ones(self.m.n_u))
            ways[-1][kept] = 0.0
        return ways

    def closed(self, q: np.ndarray, fixed: Sequence[int]) -> np.ndarray | None:
        """Coordinates that close all loops."""
        still = np.zeros(self.m.n_u)
        for free in self._ways(fixed):
            self._part("free", "speeds_free")[:] = free
            found = q.copy()
            if not self.library.close(self.t, found, still, *self.inputs, self.start):
                return None if self.m.elastic and overbent(self.m, found, float(self.t[0])) else found
        return None

    def with_speeds(self, q: np.ndarray, u: np.ndarray, fixed: Sequence[int]) -> tuple[np.ndarray, np.ndarray] | None:
        """The coordinates, and speeds that keep the loops closed."""
        for free in self._ways(fixed):
            self._part("speeds_free", "still")[:] = free
            found = u.copy()
            done = not self.library.consistent(self.t, q, found, *self.inputs, self.start)
            slip, pivot, stretch = self.start[self.at["slip"] :]
            if done and self._keeps(slip, found):
                return (q, found) if pivot > FAR_FROM_SINGULAR and stretch <= LARGER else None
        return None

    def _keeps(self, slip: float, u: np.ndarray) -> bool:
        """Whether what slips is rounding, by the fastest speed or by one that counts as rest."""
        fastest = float(np.abs(u / self.m.scales.speeds).max(initial=0.0))
        return bool(slip <= ROUNDING * fastest or slip <= ROUNDING * least_rates(self.m).max())


class Starts:
    """Starts of a mechanism for many values of its parameters, all measured by the sizes that it has at its own values."""

    def __init__(self, program: Assembler, m: Mechanism, t: float):
        able = m.variables is None and len(m.parts) == 1 and not program.kept.others
        able = able and program.assembles and not program.library.rows_beside()
        self._made = _CompiledStart(program, m, t) if able else None
        self._n = len(m.parameters)

    def assembled(
        self, P: np.ndarray, q: np.ndarray, u: np.ndarray, fixed: Sequence[int], fixed_speeds: Sequence[int]
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """(q, u) with all loops closed for these values of the parameters; None where there is a doubt."""
        if self._made is None:
            return None
        self._made.inputs[1][: self._n] = P
        found = self._made.closed(q, fixed)
        return None if found is None else self._made.with_speeds(found, u, fixed_speeds)
