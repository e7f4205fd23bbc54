"""Assembly: coordinates that close every loop, then speeds that keep them closed.

Positions by damped Gauss–Newton steps along the speeds' directions, from the given start and, if that fails, from random ones; fixed
coordinates do not move. Speeds by the least change in the metric of the mass matrix. Elastic bodies keep their shape where joints alone
can close the loops.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.constraints.assembly.reach import check_reach
from dalembert.constraints.assembly.released import prescribed_joints, released, same_pose
from dalembert.constraints.diagnosis.contradictions import (
    cannot_be_closed,
    check_defined,
    closes_overbent,
    closes_roughly,
    closes_turned_over,
    given_values_do_not_fit,
    given_values_moved,
    speeds_do_not_fit,
)
from dalembert.constraints.massless import mass_factor, metric
from dalembert.constraints.rest import least_rates
from dalembert.errors import AssemblyWarning, LoopError, StateError
from dalembert.formulations.tree.coordinate_rates import rates_per_speed
from dalembert.kinematics.constraint_rows import DEAD, closure, constraint_rows, row_scales
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.connected import Part
from dalembert.mechanism.variable_changes import GeneralizedSpeeds
from dalembert.pivoting import RANK_TOLERANCE, least_squares, rank_of

ROUNDED = 3e-7
"""Residual, by the row's scale, that redundant rows may be left with whose numbers were rounded, as in a file of few digits."""
LOST = 1e-15
"""Part of a place's distance from the world's origin that is rounding in rows."""
DEPENDENT = 100.0
"""Multiple of its residuals by which rows that say nothing new may differ from dependent ones."""
SLIGHT = 5e-3
"""How far, in rad or parts of the length, given values that do not quite close are moved."""
LARGEST_STEP = 0.5
"""Longest step, in rad and lengths."""
MOST_STEPS = 100
PATIENCE, WORTH = 15, 1e-3
"""Number of steps that must lessen the squared residual by this part; near a pose that closes, each does by far more."""
STALLED = 1e-10
"""Part of the squared residual by which a step must lessen it: below, it is the least there is, and not zero."""
ENOUGH = 0.01
"""Part of the residual that counts as closed at which no further step is made."""
LARGEST_DAMPING, FIRST_DAMPING, NO_DAMPING = 1e6, 1e-6, 1e-12
"""Damping of Gauss and Newton's steps, on rows scaled to one: where it is given up, begins, and ends."""
DAMPING_GROWS, DAMPING_SHRINKS = 10.0, 0.2
"""Factors after a step that does not help, and after one that does."""
NO_DIRECTION = 1e-10
"""Part of the largest singular value below which a direction closes nothing."""
NO_STEP = 1e-14
"""Step, in rad and lengths, that is none."""
ASIDE, BETTER = 10.0, 0.1
"""Step aside from links in a line, in roots of the gap; part of the gap that must be left for it to be taken."""
NEARBY = 0.3
"""Random starts near the given one: how far off, in rad and lengths."""
ROUNDING = 1e-9
"""Part of the fastest speed by which consistent speeds may slip."""


@dataclass(frozen=True, eq=False)
class Attempt:
    """Where one start led: the coordinates, the residuals there, and whether every loop is closed, the right way round."""

    q: np.ndarray
    g: np.ndarray
    """Residuals, by the rows' scales."""
    closed: bool
    """But for what rounded numbers leave open between redundant rows."""
    turned_over: tuple[str, ...] = ()
    """Joints whose conditions hold, but half a turn from where the joint can be."""
    overbent: tuple[str, ...] = ()
    """Elastic bodies bent so far that their data no longer hold."""
    exact: bool = False
    """Whether no residual is more than rounding, every part of the mechanism measured by itself."""

    @property
    def gap(self) -> float:
        return float(np.abs(self.g).max(initial=0.0))


def assemble(
    m: Mechanism, start: np.ndarray, fixed: Sequence[int] = (), t: float = 0.0, starts: int = 24, seed: int = 0
) -> np.ndarray:
    """The assembled coordinates nearest the start that could be found, with the coordinates of the `fixed` speeds kept.

    Where speeds were chosen, these are among those before.
    """
    if isinstance(m.variables, GeneralizedSpeeds):
        return assemble(m.base, start, fixed, t, starts, seed)
    if len(m.parts) > 1:
        out = np.array(start, dtype=float)
        for p in m.parts:
            if p.mechanism.constraint_rows:
                out[p.q] = assemble(p.mechanism, out[p.q], p.speeds(fixed), t, starts, seed)
        return out
    attempts: list[Attempt] = []
    for q in starts_from(m, start, fixed, starts, seed):
        attempt = close_stiffly(m, q, fixed, t)
        if fixed and not attempts and not attempt.exact:
            attempt = _let_go(m, start, attempt, fixed, t)
        if attempt.closed:
            if not attempt.exact:
                _warn(closes_roughly(m, attempt.q, t))
            return attempt.q
        if not attempts:
            check_reach(m)
        attempts.append(attempt)
    best = min(attempts, key=lambda a: a.gap if a.gap >= 0.0 else np.inf)
    check_defined(m, best.q, t, np.column_stack(closure(m.state(best.q, np.zeros(m.n_u), t))))
    if best.turned_over:
        raise closes_turned_over(best.turned_over)
    if best.overbent:
        raise closes_overbent(best.overbent)
    if fixed and close(m, start, (), t).closed:
        raise given_values_do_not_fit(m, best.q, fixed, t)
    raise cannot_be_closed(m, best.q, t, starts, _asked_too_much(m, best.q, t))


def _let_go(m: Mechanism, start: np.ndarray, kept: Attempt, fixed: Sequence[int], t: float) -> Attempt:
    """Where given values do not quite close, what closes beside them, said as a warning; else what keeping them came to."""
    other = close_stiffly(m, start, (), t)
    if not other.closed or (kept.closed and not other.gap < BETTER * kept.gap):
        return kept
    at = _coordinates_of(m, fixed)
    if not np.abs((other.q - start) / m.scales.coordinates)[at].max(initial=0.0) <= SLIGHT:
        return kept
    _warn(given_values_moved(m, start, other.q, at))
    return other


def _coordinates_of(m: Mechanism, fixed: Sequence[int]) -> list[int]:
    """Places in q of what the fixed speeds move."""
    moved = rates_per_speed(State(m.numeric, 0.0, m.reference, np.zeros(m.n_u)))[:, list(fixed)]
    return [int(at) for at in np.flatnonzero(np.abs(moved).max(axis=1, initial=0.0))]


def _warn(text: str) -> None:
    warnings.warn(text, AssemblyWarning, stacklevel=2)


def _asked_too_much(m: Mechanism, q: np.ndarray, t: float) -> list[str]:
    """Prescribed joints without whose motion the loops close from here: each of which will do, else all together or none."""
    every = prescribed_joints(m)
    single = [name for name in every if _closes_without(m, [name], q, t)]
    return single or (every if len(every) > 1 and _closes_without(m, every, q, t) else [])


def _closes_without(m: Mechanism, names: list[str], q: np.ndarray, t: float) -> bool:
    other = released(m, names)
    return any(close(other, x, (), t).closed for x in starts_from(other, same_pose(m, q, t, other), (), 5, 0))


def close_stiffly(m: Mechanism, q: np.ndarray, fixed: Sequence[int], t: float) -> Attempt:
    """Close the loops by the joints alone if that can be done, elastic bodies keeping their shape; else by all."""
    if len(m.parts) > 1:
        return _part_by_part(m, q, lambda p: close_stiffly(p.mechanism, q[p.q], p.speeds(fixed), t))
    if m.deforming:
        stiff = close(m, q, [*fixed, *m.deforming], t)
        if stiff.closed:
            return stiff
    return close(m, q, fixed, t)


def close(m: Mechanism, q: np.ndarray, fixed: Sequence[int], t: float) -> Attempt:
    """Close the loops from one start, as far as it goes. What is left open with links in a line may be closed a little beside it, where
    they bend."""
    if len(m.parts) > 1:
        return _part_by_part(m, q, lambda p: close(p.mechanism, q[p.q], p.speeds(fixed), t))
    attempt = _descend(m, q, fixed, t)
    if not attempt.closed or attempt.exact:
        return attempt
    aside = np.random.default_rng(0).uniform(-1.0, 1.0, m.n_u) * ASIDE * np.sqrt(attempt.gap) * m.scales.speeds
    aside[list(fixed)] = 0.0
    beside = _descend(m, displaced(m, attempt.q, aside, t), fixed, t)
    return beside if beside.closed and beside.gap < BETTER * attempt.gap else attempt


def _part_by_part(m: Mechanism, q: np.ndarray, close_part: Callable[[Part], Attempt]) -> Attempt:
    """What closing every part by itself comes to."""
    out, every = np.array(q, dtype=float), []
    for p in m.parts:
        if p.mechanism.constraint_rows:
            every.append(close_part(p))
            out[p.q] = every[-1].q
    return Attempt(
        out,
        np.concatenate([np.zeros(0), *(a.g for a in every)]),
        all(a.closed for a in every),
        tuple(name for a in every for name in a.turned_over),
        tuple(name for a in every for name in a.overbent),
        all(a.exact for a in every),
    )


def _descend(m: Mechanism, q: np.ndarray, fixed: Sequence[int], t: float) -> Attempt:
    """Damped Gauss–Newton from one start: least squares in the free directions, the damping growing where a step does not help."""
    free = [i for i in range(m.n_u) if i not in set(fixed)]
    steps, tolerance = m.scales.speeds, m.scales.closed
    start = m.state(q, np.zeros(m.n_u), t)
    size = row_scales(start)
    g, B = _residual(start, size)
    damping, before = 0.0, np.inf
    for k in range(MOST_STEPS if _defined(g, B) else 0):
        error = float(g @ g)
        if k % PATIENCE == 0:
            if error > (1.0 - WORTH) * before:
                break
            before = error
        if np.abs(g).max(initial=0.0) <= ENOUGH * tolerance or not free:
            break
        step = np.zeros(m.n_u)
        step[free] = steps[free] * _damped(B[:, free] * steps[free], g, damping)
        step *= min(1.0, LARGEST_STEP / max(m.scales.of_step(step), 1e-300))
        if not m.scales.of_step(step) > NO_STEP:  # where no joint moves what is open, smaller steps do not either
            break
        q_new = displaced(m, q, step, t)
        g_new, B_new = _residual(m.state(q_new, np.zeros(m.n_u), t), size)
        if _defined(g_new, B_new) and g_new @ g_new < error:
            small = error - g_new @ g_new < STALLED * error
            q, g, B, damping = q_new, g_new, B_new, DAMPING_SHRINKS * damping if damping > NO_DAMPING else 0.0
            if small:
                break
        elif damping > LARGEST_DAMPING:
            break
        else:
            damping = max(DAMPING_GROWS * damping, FIRST_DAMPING)
    exact = bool(np.abs(g).max(initial=0.0) <= tolerance)
    if not (exact or (_defined(g, B) and _rounded(g, B * steps))):
        return Attempt(q, g, False)
    over, bent = turned_over(m, q, t), overbent(m, q, t)
    return Attempt(q, g, not over and not bent, over, bent, exact)


def _rounded(g: np.ndarray, B: np.ndarray) -> bool:
    """Whether what is left open is no more than rounding leaves between rows that depend on each other."""
    gap = float(np.abs(g).max(initial=0.0))
    if not gap <= ROUNDED:
        return False
    norms = np.linalg.norm(B, axis=1, keepdims=True)
    rows = B / np.where(norms > DEPENDENT * gap, norms, 1.0)
    return rank_of(np.linalg.svd(rows, compute_uv=False), max(RANK_TOLERANCE, DEPENDENT * gap)) < len(B)


def off_at(m: Mechanism, q: np.ndarray, t: float) -> float:
    """The largest residual of any row, by the row's scale."""
    return off_in(m.state(q, np.zeros(m.n_u), t))


def off_in(s: State) -> float:
    """The same, in a state."""
    return float((np.abs(closure(s)[0]) / row_scales(s)).max(initial=0.0))


def overbent(m: Mechanism, q: np.ndarray, t: float) -> tuple[str, ...]:
    """Elastic bodies whose inertia is no longer positive: their modes are linear, their second order is that of slight deformations."""
    if not m.elastic:
        return ()
    s, bodies = m.state(q, np.zeros(m.n_u), t), enumerate(m.bodies, start=1)
    return tuple(b.name for k, b in bodies if b.modes and not b.sound(s.modal_q(k)))


def turned_over(m: Mechanism, q: np.ndarray, t: float) -> tuple[str, ...]:
    """Joints that close loops, but half a turn from where they can be."""
    found = facings(m.state(q, np.zeros(m.n_u), t))
    return tuple(cut.name for cut, facing in zip(m.cuts, found) if facing < 0.0)


def facings(s: State) -> list[Any]:
    """For every joint that closes a loop, a number that is negative where it is half a turn from where it can be."""
    m, out = s.mechanism, []
    for cut in m.cuts:
        P, C = (s.poses[m.frame_of(*end)] for end in ((cut.parent, cut.on_parent), (cut.child, cut.on_child)))
        R_P, R_C = P.R @ cut.on_parent.rotation, C.R @ cut.on_child.rotation
        apart = C.p + C.R @ cut.on_child.position - P.p - P.R @ cut.on_parent.position
        out.append(cut.joint.facing(R_P.T @ R_C, R_P.T @ apart))
    return out


def consistent_speeds(
    m: Mechanism, q: np.ndarray, u: np.ndarray, fixed: Sequence[int] = (), t: float = 0.0
) -> np.ndarray:
    """The speeds nearest `u` in the metric of the mass matrix with B u = b, with the fixed ones kept; shapes change where they must."""
    if len(m.parts) > 1:
        out = np.array(u, dtype=float)
        for p in m.parts:
            if p.mechanism.constraint_rows:
                out[p.u] = consistent_speeds(p.mechanism, q[p.q], out[p.u], p.speeds(fixed), t)
        return out
    state = m.state(q, u, t)
    rows, A = constraint_rows(state), metric(state)
    check_defined(m, q, t, np.column_stack([rows.g, rows.B, rows.b]))
    size = row_scales(state)
    rounding = max(ROUNDING, DEPENDENT * float((np.abs(rows.g) / size).max(initial=0.0)))
    lost = LOST * max((float(np.linalg.norm(pose.p)) for pose in state.poses), default=0.0) / m.scales.length
    said = np.abs(rows.B * m.scales.speeds / size[:, None]).max(axis=1, initial=0.0) > max(DEAD, lost)
    for kept in ([{*fixed, *m.deforming}] if m.deforming else []) + [set(fixed)]:
        out = _nearest_speeds(A, rows, said, u, kept, rounding)
        slip = np.abs(rows.B @ out - rows.b) / size
        fastest = max([*least_rates(m), *np.abs(out / m.scales.speeds), *np.abs(rows.b / size)])
        if slip.max(initial=0.0) <= rounding * fastest:
            return out
    raise speeds_do_not_fit(m, np.abs(rows.B @ out - rows.b), size, fixed, t)


def _nearest_speeds(
    A: np.ndarray, rows: Any, said: np.ndarray, u: np.ndarray, fixed: set[int], rounding: float
) -> np.ndarray:
    """Speeds by the rows that say something: what is left of others far from the world's origin is rounding."""
    free = [i for i in range(len(A)) if i not in fixed]
    L = mass_factor(A[np.ix_(free, free)])
    Y = np.linalg.solve(L, rows.B[:, free].T)
    norms = np.linalg.norm(Y, axis=0)
    norms = np.where(said & (norms > 0.0), norms, np.inf)
    out = np.array(u, dtype=float)
    for _ in range(2):  # the second time removes the rounding of the first
        slip = (rows.B @ out - rows.b) / norms
        try:
            change = least_squares((Y / norms).T, slip, rounding)
        except StateError:
            raise LoopError(
                "no speeds can be found that keep the loops closed: numbers of the mechanism differ by more than can be computed with; "
                "look for lengths, masses or speeds that are far too large or too small"
            ) from None
        out[free] = out[free] - np.linalg.solve(L.T, change)
    return out


def displaced(m: Mechanism, q: np.ndarray, step: np.ndarray, t: float) -> np.ndarray:
    """The coordinates moved along the speeds' directions by `step`."""
    return m.admissible(q + m.state(q, step, t).rates - m.state(q, np.zeros(m.n_u), t).rates)


def _residual(s: State, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """g and B of the holonomic rows, by the rows' sizes."""
    g, B = closure(s)
    holonomic = s.mechanism.rows.holonomic
    return (g / size)[holonomic], (B / size[:, None])[holonomic]


def _defined(g: np.ndarray, B: np.ndarray) -> bool:
    """Whether every function in the rows is inside its domain."""
    return bool(np.isfinite(g).all() and np.isfinite(B).all())


def _damped(B: np.ndarray, g: np.ndarray, damping: float) -> np.ndarray:
    U, sigma, Vt = np.linalg.svd(B, full_matrices=False)
    keep = sigma > NO_DIRECTION * sigma.max(initial=0.0)
    gain = np.where(keep, sigma, 1.0) / (np.where(keep, sigma, 1.0) ** 2 + damping)
    step: np.ndarray = -Vt.T @ (np.where(keep, gain, 0.0) * (U.T @ g))
    return step


def starts_from(m: Mechanism, start: np.ndarray, fixed: Sequence[int], count: int, seed: int) -> Iterator[np.ndarray]:
    """The start itself, then random ones: a third of them near it, the others anywhere."""
    rng = np.random.default_rng(seed)
    yield start
    for i in range(count - 1):
        step = rng.uniform(-1.0, 1.0, m.n_u) * (NEARBY if i < count // 3 else np.pi) * m.scales.speeds
        step[list(fixed)] = 0.0
        yield displaced(m, start, step, 0.0)


def places(m: Mechanism, q: np.ndarray, t: float) -> np.ndarray:
    """Places of all bodies: position, orientation and shape in one row, in lengths of their part, rad and slight deformations."""
    state, lengths = m.state(q, np.zeros(m.n_u), t), m.scales.lengths[1:]
    shapes = [x / slight for k, slight in _slight(m) for x in [state.modal_q(k)]]
    poses = [[*(pose.p / length), *pose.R.ravel()] for pose, length in zip(state.poses[1 : m.n_bodies + 1], lengths)]
    return np.concatenate([*poses, *shapes])


def _slight(m: Mechanism) -> list[tuple[int, np.ndarray]]:
    """Elastic bodies by number, with a slight deformation of each of their modes."""
    joints = m.in_joint_variables
    return [
        (k, joints.scales.coordinates[joints.modal_places(k - 1)]) for k, b in enumerate(m.bodies, start=1) if b.modes
    ]
