"""Assembly: coordinates that close every loop, then speeds that keep them closed.

Positions by damped Gauss–Newton steps along the speeds' directions, from the given start and, if that fails, from random ones; held
coordinates do not move. Speeds by the least change in the metric of the mass matrix. Elastic bodies keep their shape where joints alone
can close the loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.constraints.contradictions import (
    cannot_be_closed,
    closes_overbent,
    closes_turned_over,
    given_values_do_not_fit,
    speeds_do_not_fit,
)
from dalembert.constraints.reach import check_reach
from dalembert.constraints.released import prescribed_joints, released, same_pose
from dalembert.constraints.solution import cholesky
from dalembert.formulations import kane
from dalembert.kinematics.initial import initial_state, named_speeds
from dalembert.kinematics.rows import closure, constraint_rows
from dalembert.mechanism import Mechanism

CLOSED = 1e-12
"""Largest residual, relative to the mechanism's length, that counts as closed."""
LARGEST_STEP = 0.5
MOST_STEPS = 100
PATIENCE, WORTH = 15, 1e-3
"""So many steps must lessen the squared residual by this part; near a pose that closes, each does by far more."""
STALLED = 1e-10
"""Part of the squared residual by which a step must lessen it: below, it is the least there is, and not zero."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """Where one start led: the coordinates, the residuals there, and whether every loop is closed, the right way round."""

    q: np.ndarray
    g: np.ndarray
    closed: bool
    turned_over: tuple[str, ...] = ()
    """Joints whose conditions hold, but half a turn from where the joint can be."""
    overbent: tuple[str, ...] = ()
    """Elastic bodies bent so far that their data no longer hold."""

    @property
    def gap(self) -> float:
        return float(np.abs(self.g).max(initial=0.0))


def assemble(
    m: Mechanism, start: np.ndarray, held: Sequence[int] = (), t: float = 0.0, starts: int = 24, seed: int = 0
) -> np.ndarray:
    """The assembled coordinates nearest the start that could be found, with the coordinates of the `held` speeds kept."""
    attempts: list[Attempt] = []
    for q in starts_from(m, start, held, starts, seed):
        attempt = close_stiffly(m, q, held, t)
        if attempt.closed:
            return attempt.q
        if not attempts:
            check_reach(m)
        attempts.append(attempt)
    best = min(attempts, key=lambda a: a.gap)
    if best.turned_over:
        raise closes_turned_over(best.turned_over)
    if best.overbent:
        raise closes_overbent(best.overbent)
    if held and close(m, start, (), t).closed:
        raise given_values_do_not_fit(m, best.q, held, t)
    raise cannot_be_closed(m, best.q, t, starts, _asked_too_much(m, best.q, t))


def _asked_too_much(m: Mechanism, q: np.ndarray, t: float) -> list[str]:
    """Prescribed joints without whose motion the loops close from here: each of which will do, else all together or none."""
    every = prescribed_joints(m)
    single = [name for name in every if _closes_without(m, [name], q, t)]
    return single or (every if len(every) > 1 and _closes_without(m, every, q, t) else [])


def _closes_without(m: Mechanism, names: list[str], q: np.ndarray, t: float) -> bool:
    other = released(m, names)
    return any(close(other, x, (), t).closed for x in starts_from(other, same_pose(m, q, t, other), (), 5, 0))


def assemble_given(m: Mechanism, initial: Any, speeds: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
    """From values as users give them; see `Mechanism.assemble`."""
    q, u = initial_state(m, initial, speeds, t)
    if not m.constraint_rows:
        return q, u
    q = assemble(m, q, named_speeds(m, initial), t)
    return q, consistent_speeds(m, q, u, named_speeds(m, speeds), t)


def close_stiffly(m: Mechanism, q: np.ndarray, held: Sequence[int], t: float) -> Attempt:
    """By the joints alone if that can be done, elastic bodies keeping their shape; else by all."""
    if m.deforming:
        stiff = close(m, q, [*held, *m.deforming], t)
        if stiff.closed:
            return stiff
    return close(m, q, held, t)


def close(m: Mechanism, q: np.ndarray, held: Sequence[int], t: float) -> Attempt:
    """Damped Gauss–Newton from one start: least squares in the free directions, the damping growing where a step does not help."""
    free = [i for i in range(m.n_u) if i not in set(held)]
    tolerance = CLOSED * size_of(m)
    g, B = _residual(m, q, t)
    damping, before = 0.0, np.inf
    for k in range(MOST_STEPS):
        error = float(g @ g)
        if k % PATIENCE == 0:
            if error > (1.0 - WORTH) * before:
                break
            before = error
        if np.abs(g).max(initial=0.0) <= 0.01 * tolerance or not free:
            break
        step = np.zeros(m.n_u)
        step[free] = m.reach[free] * _damped(B[:, free] * m.reach[free], g, damping)
        step *= min(1.0, LARGEST_STEP / max(np.abs(step).max(), 1e-300))
        if np.abs(step).max() < 1e-14:  # where no joint moves what is open, smaller steps do not either
            break
        q_new = displaced(m, q, step, t)
        g_new, B_new = _residual(m, q_new, t)
        if g_new @ g_new < error:
            small = np.abs(step).max() < 1e-15 or error - g_new @ g_new < STALLED * error
            q, g, B, damping = q_new, g_new, B_new, 0.2 * damping if damping > 1e-12 else 0.0
            if small:
                break
        elif damping > 1e6:
            break
        else:
            damping = max(10.0 * damping, 1e-6)
    if not np.abs(g).max(initial=0.0) <= tolerance:
        return Attempt(q, g, False)
    over, bent = turned_over(m, q, t), overbent(m, q, t)
    return Attempt(q, g, not over and not bent, over, bent)


def overbent(m: Mechanism, q: np.ndarray, t: float) -> tuple[str, ...]:
    """Elastic bodies whose inertia is no longer positive: their modes are linear, their second order is that of slight deformations."""
    if not m.elastic:
        return ()
    s, bodies = m.state(q, np.zeros(m.n_u), t), enumerate(m.bodies, start=1)
    return tuple(b.name for k, b in bodies if b.modes and not b.sound(s.modal_q(k)))


def turned_over(m: Mechanism, q: np.ndarray, t: float) -> tuple[str, ...]:
    """Joints that close loops, but half a turn from where they can be."""
    poses, out = m.state(q, np.zeros(m.n_u), t).poses, []
    for cut in m.numeric.cuts:
        P, C = (poses[m.frame_of(*end)] for end in ((cut.parent, cut.on_parent), (cut.child, cut.on_child)))
        R_P, R_C = P.R @ cut.on_parent.rotation, C.R @ cut.on_child.rotation
        apart = C.p + C.R @ cut.on_child.position - P.p - P.R @ cut.on_parent.position
        if cut.joint.turned_over(R_P.T @ R_C, R_P.T @ apart):
            out.append(cut.name)
    return tuple(out)


def consistent_speeds(
    m: Mechanism, q: np.ndarray, u: np.ndarray, held: Sequence[int] = (), t: float = 0.0
) -> np.ndarray:
    """The speeds nearest `u` in the metric of the mass matrix with B u = b, with the held ones kept; shapes change where they must."""
    state = m.state(q, u, t)
    rows, A = constraint_rows(state), kane.mass_matrix(state)
    if m.deforming:
        out, left = _nearest_speeds(A, rows, u, {*held, *m.deforming})
        if left.max(initial=0.0) <= 0.0:
            return out
    out, left = _nearest_speeds(A, rows, u, set(held))
    if not left.max(initial=0.0) <= 0.0:
        raise speeds_do_not_fit(m, np.abs(rows.B @ out - rows.b), held, t)
    return out


def _nearest_speeds(A: np.ndarray, rows: Any, u: np.ndarray, held: set[int]) -> tuple[np.ndarray, np.ndarray]:
    """And by how much each row is broken by more than rounding, or less than zero."""
    free = [i for i in range(len(A)) if i not in held]
    L = cholesky(A[np.ix_(free, free)])
    Y = np.linalg.solve(L, rows.B[:, free].T)
    out = np.array(u, dtype=float)
    for _ in range(2):  # the second time removes the rounding of the first
        slip = rows.B @ out - rows.b
        out[free] = out[free] - np.linalg.solve(L.T, np.linalg.lstsq(Y.T, slip, rcond=1e-9)[0])
    scale = max(1.0, float(np.abs(rows.B).max(initial=0.0) * np.abs(out).max(initial=0.0)))
    return out, np.abs(rows.B @ out - rows.b) - 1e-9 * scale


def displaced(m: Mechanism, q: np.ndarray, step: np.ndarray, t: float) -> np.ndarray:
    """The coordinates moved along the speeds' directions by `step`."""
    return m.admissible(q + m.state(q, step, t).rates - m.state(q, np.zeros(m.n_u), t).rates)


def size_of(m: Mechanism) -> float:
    """A length of the mechanism: the largest of its joints' arms and mass centres, 1 where all are zero."""
    a = m.numeric.arrays
    size = max(float(np.abs(x).max(initial=0.0)) for x in (a.com, a.parent_position, a.child_position))
    return size or 1.0


def _residual(m: Mechanism, q: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray]:
    g, B = closure(m.state(q, np.zeros(m.n_u), t))
    holonomic = ~np.isnan(g)
    return g[holonomic], B[holonomic]


def _damped(B: np.ndarray, g: np.ndarray, damping: float) -> np.ndarray:
    U, sigma, Vt = np.linalg.svd(B, full_matrices=False)
    keep = sigma > 1e-10 * sigma.max(initial=0.0)
    gain = np.where(keep, sigma, 1.0) / (np.where(keep, sigma, 1.0) ** 2 + damping)
    step: np.ndarray = -Vt.T @ (np.where(keep, gain, 0.0) * (U.T @ g))
    return step


def starts_from(m: Mechanism, start: np.ndarray, held: Sequence[int], count: int, seed: int) -> Any:
    """The start itself, then random ones: a third of them near it, the others anywhere."""
    rng = np.random.default_rng(seed)
    yield start
    for i in range(count - 1):
        step = rng.uniform(-1.0, 1.0, m.n_u) * (0.3 if i < count // 3 else np.pi) * m.reach
        step[list(held)] = 0.0
        yield displaced(m, start, step, 0.0)


def places(m: Mechanism, q: np.ndarray, t: float) -> np.ndarray:
    """Of all bodies, position and orientation in one row, both in metres."""
    state = m.state(q, np.zeros(m.n_u), t)
    return np.concatenate([[*pose.p, *(pose.R.ravel() * size_of(m))] for pose in state.poses[1 : m.n_bodies + 1]])
