"""What a run with laws has noted, as the motion keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.constraints.nonsmooth.choose import keeping_forces
from dalembert.kinematics.law_mode import ElementState
from dalembert.kinematics.law_rows import LawTable
from dalembert.motion.law_history import LawHistory

if TYPE_CHECKING:
    from dalembert.simulation.event_driven.law_run import LawRun


def history(run: LawRun, t: np.ndarray, rows: np.ndarray, forces: np.ndarray) -> LawHistory:
    """Forces and states at the samples (t, rows of q, u, losses and works, forces of a controller), impacts and modes so far."""
    table, n = run.program.rhs.table, run.n_q + run.model.n_u + run.model.n_z
    force, gap, slip, state, determined = _samples(run, t, rows, forces)
    h, m = run.hits, run.modes
    layout = run.program.rhs.mode

    def stacked(values: list[np.ndarray], width: int) -> np.ndarray:
        return np.array(values, dtype=float).reshape(len(values), width)

    return LawHistory(
        np.array(table.laws, dtype=str),
        np.array([table.title(i) for i in range(len(table.elements))], dtype=str),
        table.law_of.copy(),
        table.element_of.copy(),
        np.array([row.kind.value for row in table.rows], dtype=str),
        force,
        gap,
        slip,
        state,
        determined,
        rows[:, n::2].copy(),
        rows[:, n + 1 :: 2].copy(),
        np.array([x.t for x in h]),
        stacked([x.q for x in h], run.n_q),
        stacked([x.u_before for x in h], run.model.n_u),
        stacked([x.u_after for x in h], run.model.n_u),
        stacked([x.impulses for x in h], len(table)),
        stacked([x.before for x in h], len(table)),
        stacked([x.after for x in h], len(table)),
        stacked([x.losses for x in h], len(table)),
        np.array([x[0] for x in m]),
        _in_words(table, stacked([layout.view(x[1], "state") for x in m], len(table.elements))),
    )


def _samples(run: LawRun, t: np.ndarray, rows: np.ndarray, forces: np.ndarray) -> tuple[np.ndarray, ...]:
    """Forces, gaps and slips of all rows, states of all elements, and whether forces are unique, at every sample in its own mode."""
    rhs, library = run.program.rhs, run.program.library
    n, at = len(rhs.table), rhs.places
    force, gap, slip = (np.zeros((len(t), n)) for _ in range(3))
    state, determined = np.zeros((len(t), len(rhs.table.elements))), np.ones(len(t), dtype=bool)
    mode, out = run.mode, np.zeros(len(run.part("margins")))
    lam, gaps, speeds = (slice(at[name], at[name] + n) for name in ("lam", "gap", "v"))
    work = run.work[:, 0]
    which = np.searchsorted([x[0] for x in run.modes], t, side="right") - 1
    with run.earlier_inputs(t, forces) as samples:
        for k in samples:
            mode.numbers[:] = run.modes[max(0, int(which[k]))][1]
            y = np.ascontiguousarray(rows[k])
            library.margins(t[k : k + 1], y, out, run.inputs, run.work)
            force[k], gap[k], slip[k] = work[lam], work[gaps], work[speeds]
            force[k] *= -1.0
            state[k] = mode.part("state")
            determined[k] = not mode.redundant
            if mode.loose:
                shared = keeping_forces(run.kinetics(float(t[k]), y), mode.copy())
                force[k] = force[k] if shared is None else shared
    return force, gap, slip, _in_words(rhs.table, state), determined


def _in_words(table: LawTable, state: np.ndarray) -> np.ndarray:
    """States of elements, (K, elements), with those that touch and cannot rub as closed."""
    smooth = np.array([not e.tangents for e in table.elements], dtype=bool)
    return np.where(smooth & (state == ElementState.SLIP), ElementState.CLOSED, state).astype(float)
