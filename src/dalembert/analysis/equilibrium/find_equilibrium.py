"""Equilibria from one start or from many, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.equilibrium.equilibrium import Equilibrium
from dalembert.analysis.equilibrium.search import MOST_STEPS, Search
from dalembert.analysis.equilibrium.search_equations import SearchResult, SearchStart
from dalembert.analysis.equilibrium.with_states import equilibria_with_states
from dalembert.analysis.linear.can_rest import moves_at_zero
from dalembert.constraints.assembly.assemble import assemble, close, displaced, places
from dalembert.errors import DalembertError, EquilibriumError, StateError
from dalembert.kinematics.initial import initial_state, named_speeds
from dalembert.kinematics.loads import generalized, loads
from dalembert.mechanism import Mechanism
from dalembert.parts.names import unknown

if TYPE_CHECKING:
    pass


PASSING = 1e-6
"""Part of the forces, for each rad or length moved, by which those of a steady motion may change."""

EFFORT = 8 * MOST_STEPS
"""Steps of all starts together after which no further start is begun, where none has led anywhere."""
LATER = (1e-3, 1.0, 30.0, 1e3)
"""Seconds later at which it is seen whether forces change with time."""
MOST_COMBINATIONS = 10_000
"""Combinations of equilibria of separate parts that are listed."""
SAME_PLACE = 1e-6
"""How near, in rad and lengths, two equilibria are one."""


def equilibrium(
    m: Mechanism,
    initial: Any,
    speeds: Any,
    find: Any,
    hold: Sequence[str],
    t: float,
    starts: int,
    seed: int,
) -> Equilibrium:
    """See `Mechanism.equilibrium`."""
    if m.states:
        return equilibria_with_states(m, initial, speeds, find, hold, t, starts, seed, 1)[0]
    return found_from(m, searches(m, speeds, find, hold, t), initial, speeds, find, starts, seed)


def equilibria(
    m: Mechanism,
    initial: Any,
    speeds: Any,
    find: Any,
    hold: Sequence[str],
    t: float,
    starts: int,
    seed: int,
) -> list[Equilibrium]:
    """See `Mechanism.equilibria`."""
    if m.states:
        return equilibria_with_states(m, initial, speeds, find, hold, t, starts, seed, starts)
    every = searches(m, speeds, find, hold, t)
    asked = _asked(m, initial, speeds, find, t)
    found = [_all_from(search, own, starts, seed) for search, own in zip(every, asked)]
    return [_composed(m, t, chosen) for chosen in _combinations(m, found)]


def searches(m: Mechanism, speeds: Any, find: Any, hold: Sequence[str], t: float) -> list[Search]:
    """One for each connected part: forces in one of them are not felt by another."""
    if m.states:
        raise EquilibriumError(
            f'mechanism "{m.name}" has elements with states of their own ({", ".join(m.states)}), which m.equilibrium(…) finds for one '
            "set of parameters only"
        )
    if moves_at_zero(m):
        raise EquilibriumError(
            f'mechanism "{m.name}" has chosen speeds that are not zero at rest (they contain terms of time or of the pose). '
            f"No equilibrium can be sought in them. Use m.in_joint_variables.equilibrium(…), the same mechanism in its joints' speeds"
        )
    for name in hold:
        if not named_speeds(m, {name: 0.0}):
            raise unknown(name, "joint or coordinate", [*m.joint_number, *m.speeds], "hold")
    if len(m.parts) == 1:
        return [Search(m, speeds, find, hold, t)]
    return [
        Search(p.mechanism, p.named(speeds), p.named(find), [name for name in hold if p.named({name: 0.0})], t)
        for p in m.parts
    ]


def found_from(
    m: Mechanism,
    every: Sequence[Search],
    initial: Any,
    speeds: Any,
    find: Any,
    starts: int,
    seed: int,
) -> Equilibrium:
    """What the first start of each part leads to that leads anywhere."""
    t = every[0].t
    asked = _asked(m, initial, speeds, find, t)
    return _composed(m, t, [first(x, starts_of(x, *own, starts, seed)) for x, own in zip(every, asked)])


def _asked(m: Mechanism, initial: Any, speeds: Any, find: Any, t: float) -> list[tuple[Any, Any, Any]]:
    """What is given of a mechanism, by part: (initial, speeds, find)."""
    q, _ = _checked_start(m, initial, speeds, find, t)
    if len(m.parts) == 1:
        return [(initial, speeds, find)]
    named = isinstance(initial, Mapping)
    return [(p.named(initial) if named else q[p.q], p.named(speeds), p.named(find)) for p in m.parts]


def _all_from(search: Search, asked: tuple[Any, Any, Any], starts: int, seed: int) -> list[Equilibrium]:
    """Those of one part that differ."""
    m, t = search.m, search.t
    found: list[tuple[np.ndarray, SearchResult]] = []
    failed: list[SearchResult] = []
    for start in starts_of(search, *asked, starts, seed):
        if not found and not failed:
            _check_forces_can_vanish(search, start)
        attempt = search.run(start)
        if not attempt.balanced:
            failed.append(attempt)
            if not found and sum(a.took for a in failed) >= EFFORT:
                break
            continue
        where = np.concatenate([places(m, attempt.q, t), attempt.u / m.scales.speeds])
        if not any(np.allclose(where, other, atol=SAME_PLACE) for other, _ in found):
            found.append((where, attempt))
    if not found:
        raise not_found(search, failed)
    return [found_by(search, attempt) for _, attempt in found]


def _combinations(m: Mechanism, every: list[list[Equilibrium]]) -> Iterator[tuple[Equilibrium, ...]]:
    """An equilibrium of each part, in all ways."""
    count = prod(len(found) for found in every)
    if count > MOST_COMBINATIONS:
        raise EquilibriumError(
            f'mechanism "{m.name}" has {len(every)} parts that do not touch each other, and their equilibria can be combined in '
            f"{count} ways, more than the {MOST_COMBINATIONS} that are listed. Build the parts as mechanisms of their own, or hold "
            "some with hold=."
        )
    return product(*every)


def _composed(m: Mechanism, t: float, every: Sequence[Equilibrium]) -> Equilibrium:
    """An equilibrium of the whole from one of each part."""
    if len(every) == 1:
        return every[0]
    q, u, tau, scale = np.zeros(m.n_q), np.zeros(m.n_u), np.zeros(m.n_u), np.zeros(m.n_u)
    lam = np.zeros(len(m.row_parts))
    for p, e in zip(m.parts, every):
        q[p.q], u[p.u], tau[p.u], scale[p.u], lam[p.rows(m)] = e.q, e.u, e.tau, e.scale, e.lam
    given = {name for e in every for name in e.given}
    names = tuple(name for name in m.speeds if name in given)
    return Equilibrium(m, t, q, u, tau, lam, names, scale, all(e.lasting for e in every))


def _checked_start(m: Mechanism, initial: Any, speeds: Any, find: Any, t: float) -> tuple[np.ndarray, np.ndarray]:
    """(q, u) as given."""
    for what, given in (("speeds", speeds), ("find", find)):
        if given is not None and not isinstance(given, Mapping):
            raise StateError(f"{what}= must name its joints, {{joint: value}}, not {given!r}")
    return initial_state(m, initial, {**(speeds or {}), **(find or {})}, t)


def starts_of(search: Search, initial: Any, speeds: Any, find: Any, count: int, seed: int) -> Iterator[SearchStart]:
    """The given start, then random ones, with fixed coordinates kept. Loops are closed; the given start is tried open first,
    where they do not close from it."""
    m, rng = search.m, np.random.default_rng(seed)
    if count < 1:
        raise StateError(f"starts={count}: at least one start is needed")
    q, u = _checked_start(m, initial, speeds, find, search.t)
    for i in range(count):
        start = q
        if i:
            step = rng.uniform(-1.0, 1.0, m.n_u) * (0.5 if i < count // 3 else np.pi) * m.scales.speeds
            step[search.fixed] = 0.0
            start = displaced(m, q, step, search.t)
        if not m.constraint_rows:
            yield SearchStart(start, u)
            continue
        if not i and search.statics.holonomic.all():
            closed = close(m, start, search.fixed, search.t)
            if np.isfinite(closed.g).all():
                yield SearchStart(closed.q if closed.closed else start, u, open=not closed.closed)
            if closed.closed:
                continue
        try:
            yield SearchStart(assemble(m, start, search.fixed, search.t), u)
        except DalembertError:
            if not i:
                raise


def first(search: Search, starts: Iterable[SearchStart]) -> Equilibrium:
    """What the first start leads to that leads anywhere."""
    attempts: list[SearchResult] = []
    for start in starts:
        if not attempts:
            _check_forces_can_vanish(search, start)
        attempts.append(search.run(start))
        if attempts[-1].balanced:
            return found_by(search, attempts[-1])
        if sum(a.took for a in attempts) >= EFFORT:
            break
    raise not_found(search, attempts)


def _check_forces_can_vanish(search: Search, start: SearchStart) -> None:
    """Refuse at once where a force is the same in every pose: no start leads anywhere then."""
    m, k = search.m, search.never_balanced(start)
    if k is not None:
        force = search.statics.forces(start.q[None])[0, k]
        raise EquilibriumError(
            f'mechanism "{m.name}" has no equilibrium: {-force:.4g} acts on "{m.speeds[k]}" wherever it goes, and no spring or '
            f'constraint resists. Give it a spring, or drive it: speeds={{"{m.speeds[k]}": 0.0}} finds the force that keeps it.'
            f"{_at_this_time(search, start.q)}"
        )


def found_by(search: Search, a: SearchResult) -> Equilibrium:
    m, k = search.m, int(np.argmax(np.abs(a.passing) * a.steps)) if len(a.passing) else 0
    fastest = np.abs(a.u / a.steps).max(initial=0.0)
    if search.moving and np.abs(a.passing * a.steps).max(initial=0.0) > PASSING * a.scale * fastest:
        raise EquilibriumError(
            f'mechanism "{m.name}" is in equilibrium at the given speeds for an instant only: the force on "{m.speeds[k]}" changes as '
            f"it moves, by {a.passing[k]:.4g} a second. Only speeds whose coordinates nothing depends on can be kept constant; "
            "else simulate it."
        )
    names = tuple(search.m.speeds[i] for i in search.moving)
    return Equilibrium(search.m, search.t, a.q, a.u, a.tau, a.lam, names, np.full(m.n_u, a.scale), search.lasts(a))


def not_found(search: Search, attempts: Sequence[SearchResult]) -> EquilibriumError:
    m, best, starts = search.m, min(attempts, key=lambda a: a.worst), len(attempts)
    steps = sum(a.took for a in attempts)
    ended = f" The search ended after {steps} steps that led nowhere." if steps >= EFFORT else ""
    if not np.isfinite(best.left).all():
        k = int(np.argmax(~np.isfinite(best.left)))
        return EquilibriumError(
            f'mechanism "{m.name}" finds no equilibrium: from each of {starts} starts, the force on "{m.speeds[k]}" or its change is '
            "no finite number. Look at the forces that act on it (a root or a logarithm of a negative number, a division by zero), or "
            "start elsewhere with initial=."
        )
    k = int(np.argmax(np.abs(best.left) * best.steps))
    fixed = f" with {', '.join(m.speeds[i] for i in search.fixed)} fixed" if search.fixed else ""
    gap = f" Its loops are open by {best.gap:.3g} of its size." if best.gap > best.closed else ""
    return EquilibriumError(
        f'mechanism "{m.name}" finds no equilibrium{fixed} from {starts} starts: at best {best.left[k]:.4g} is left over on '
        f'"{m.speeds[k]}".{gap}{ended} Hold or drive that joint, give it a spring, or start elsewhere with initial=.'
        f"{_at_this_time(search, best.q)}"
    )


def _at_this_time(search: Search, q: np.ndarray) -> str:
    """The sentence where forces change with time, so that another time may have an equilibrium."""
    m, rest = search.m, np.zeros(search.m.n_u)
    try:
        states = [m.state(q, rest, search.t + later) for later in (0.0, *LATER)]
        forces = np.array([generalized(s, loads(s)) for s in states])
    except (DalembertError, ArithmeticError, ValueError):
        return ""
    if not np.abs(forces - forces[0]).max(initial=0.0) > 0.0:
        return ""
    return f" Its forces change with time and were taken at t = {search.t:g} s; another time is given with t=."
