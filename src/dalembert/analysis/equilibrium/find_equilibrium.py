"""Equilibria from one start or from many, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.analysis.equilibrium.equilibrium import Equilibrium
from dalembert.analysis.equilibrium.search import Search, SearchResult, SearchStart
from dalembert.constraints.assembly.assemble import assemble, close, displaced, places
from dalembert.errors import DalembertError, EquilibriumError, StateError
from dalembert.kinematics.initial import initial_state
from dalembert.mechanism import Mechanism

PASSING = 1e-6
"""Part of the forces, for each rad or length moved, by which a steady motion's balance may change."""


def equilibrium(
    m: Mechanism, initial: Any, speeds: Any, find: Any, hold: Sequence[str], t: float, starts: int, seed: int
) -> Equilibrium:
    """See `Mechanism.equilibrium`."""
    search = Search(m, speeds, find, hold, t)
    return first(search, starts_of(search, initial, speeds, find, starts, seed))


def equilibria(
    m: Mechanism, initial: Any, speeds: Any, find: Any, hold: Sequence[str], t: float, starts: int, seed: int
) -> list[Equilibrium]:
    """See `Mechanism.equilibria`."""
    search = Search(m, speeds, find, hold, t)
    found: list[tuple[np.ndarray, SearchResult]] = []
    failed = []
    for start in starts_of(search, initial, speeds, find, starts, seed):
        attempt = search.run(start)
        if not attempt.balanced:
            failed.append(attempt)
            continue
        where = np.concatenate([places(m, attempt.q, t), attempt.u / m.scales.speeds])
        if not any(np.allclose(where, other, atol=1e-6) for other, _ in found):
            found.append((where, attempt))
    if not found:
        raise not_found(search, min(failed, key=lambda a: a.worst), starts)
    return [found_by(search, attempt) for _, attempt in found]


def starts_of(search: Search, initial: Any, speeds: Any, find: Any, count: int, seed: int) -> Iterator[SearchStart]:
    """The given start, then random ones, with fixed coordinates kept. Loops are closed; the given start is tried open first,
    where they do not close from it."""
    m, rng = search.m, np.random.default_rng(seed)
    if count < 1:
        raise StateError(f"starts={count}: at least one start is needed")
    for what, given in (("speeds", speeds), ("find", find)):
        if given is not None and not isinstance(given, Mapping):
            raise StateError(f"{what}= must name its joints, {{joint: value}}, not {given!r}")
    q, u = initial_state(m, initial, {**(speeds or {}), **(find or {})}, search.t)
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
    attempts = []
    for start in starts:
        attempts.append(search.run(start))
        if attempts[-1].balanced:
            return found_by(search, attempts[-1])
    raise not_found(search, min(attempts, key=lambda a: a.worst), len(attempts))


def found_by(search: Search, a: SearchResult) -> Equilibrium:
    m, k = search.m, int(np.argmax(np.abs(a.passing) * a.steps)) if len(a.passing) else 0
    fastest = np.abs(a.u / a.steps).max(initial=0.0)
    if search.moving and np.abs(a.passing * a.steps).max(initial=0.0) > PASSING * a.scale * fastest:
        raise EquilibriumError(
            f'mechanism "{m.name}" balances at the given speeds for an instant only: the force on "{m.speeds[k]}" changes as it moves, '
            f"by {a.passing[k]:.4g} a second. Only speeds whose coordinates nothing depends on can be held constant; else simulate it."
        )
    names = tuple(search.m.speeds[i] for i in search.moving)
    return Equilibrium(search.m, search.t, a.q, a.u, a.tau, a.lam, names, a.scale, search.lasts(a))


def not_found(search: Search, best: SearchResult, starts: int) -> EquilibriumError:
    m = search.m
    if not np.isfinite(best.left).all():
        k = int(np.argmax(~np.isfinite(best.left)))
        return EquilibriumError(
            f'mechanism "{m.name}" finds no balance: from each of {starts} starts, the force on "{m.speeds[k]}" or its change is no '
            "finite number. Look at the forces that act on it (a root or a logarithm of a negative number, a division by zero), or "
            "start elsewhere with initial=."
        )
    k = int(np.argmax(np.abs(best.left) * best.steps))
    fixed = f" with {', '.join(m.speeds[i] for i in search.fixed)} fixed" if search.fixed else ""
    gap = f" Its loops are open by {best.gap:.3g} of its size." if best.gap > best.closed else ""
    return EquilibriumError(
        f'mechanism "{m.name}" finds no balance{fixed} from {starts} starts: at best {best.left[k]:.4g} is left over on '
        f'"{m.speeds[k]}".{gap} Hold or drive that joint, give it a spring, or start elsewhere with initial=.'
    )
