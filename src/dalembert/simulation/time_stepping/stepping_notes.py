"""What a run by time stepping has noted of its laws, as the motion keeps it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from dalembert.motion.law_history import LawHistory

if TYPE_CHECKING:
    from dalembert.simulation.time_stepping.stepping_program import SteppingProgram

INDEPENDENT = 1e-9
"""Part of the largest singular value of rows of length one above which they are independent."""


def stepped_history(
    program: SteppingProgram, inputs: np.ndarray, t: np.ndarray, rows: np.ndarray, samples: Iterable[int]
) -> LawHistory:
    """Mean forces over the step of each sample, states, gaps and slips. Impacts count among other forces; modes are those of the
    samples. `samples` are their numbers; taking the next one puts what belongs to it into the inputs."""
    m, table = program.mechanism, program.table
    n = m.n_q + m.n_u + m.n_z
    n_laws, n_rows, n_e = len(table.laws), len(table), len(table.elements)
    book, force, state = np.split(rows[:, n:], [2 * n_laws, 2 * n_laws + n_rows], axis=1)
    gap, slip, determined = _samples(program, inputs, t, rows, force, samples)
    first = np.arange(len(t)) == 0
    changed = np.flatnonzero(first | np.r_[first[:1], (np.diff(state, axis=0) != 0.0).any(axis=1)][: len(t)])
    none = np.zeros((0, n_rows))
    return LawHistory(
        np.array(table.laws, dtype=str),
        np.array([table.title(i) for i in range(n_e)], dtype=str),
        table.law_of.copy(),
        table.element_of.copy(),
        np.array([row.kind.value for row in table.rows], dtype=str),
        force.copy(),
        gap,
        slip,
        state.copy(),
        determined,
        book[:, ::2].copy(),
        book[:, 1::2].copy(),
        np.zeros(0),
        np.zeros((0, m.n_q)),
        np.zeros((0, m.n_u)),
        np.zeros((0, m.n_u)),
        none.copy(),
        none.copy(),
        none.copy(),
        none.copy(),
        t[changed],
        state[changed],
    )


def _samples(
    program: SteppingProgram,
    inputs: np.ndarray,
    t: np.ndarray,
    rows: np.ndarray,
    force: np.ndarray,
    samples: Iterable[int],
) -> tuple[np.ndarray, ...]:
    """Gaps and slips of all rows, and whether forces are unique, at every sample."""
    rhs, library, n, memory = program.rhs, program.library, len(program.table), program.work()
    at, n_u, p = rhs.places, program.mechanism.n_u, rhs.pattern
    gap, slip, determined = np.zeros((len(t), n)), np.zeros((len(t), n)), np.ones(len(t), dtype=bool)
    for k in samples:
        library.gaps_at(t[k : k + 1], np.ascontiguousarray(rows[k]), inputs, memory)
        work = memory[:, 0]
        gap[k], slip[k] = work[at["gap"] : at["gap"] + n], work[at["v_before"] : at["v_before"] + n]
        felt = np.flatnonzero(force[k])
        if not len(felt):
            continue
        B = np.zeros((rhs.n_rows, n_u))
        for i, columns in enumerate(p.columns):
            start = at["B"] + p.starts[i]
            B[i, list(columns)] = work[start : start + len(columns)]
        J = work[at["J"] : at["J"] + n * n_u].reshape(n, n_u)[felt]
        every = np.vstack([B[B.any(axis=1)], J])
        every = every / np.maximum(np.linalg.norm(every, axis=1), 1e-300)[:, None]
        determined[k] = np.linalg.matrix_rank(every, tol=INDEPENDENT) == len(every)
    return gap, slip, determined
