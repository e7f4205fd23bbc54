"""Impacts: impulses of everything that touches at once, with loops and latches kept.

Moreau's form of Newton's law: 0 ≤ P ⊥ v⁺ + e v⁻ ≥ 0 for every contact, friction impulses in Coulomb's cone against the slip after the
impact. Poisson's law, of impulses, and Stronge's, of energies, are the other choices. A bounce too low to be seen is left out: with
e = 0 the impulse is what all further bounces would give together. Where Newton's law with friction would gain energy, as much
restitution is taken as gains none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.constraints.nonsmooth.law_problem import LawProblem, sliding_directions

ZENO = 1e-13
"""Height of a bounce, by the scale of its gap, that is left out: far above what counts as a gap, or flights would end unseen."""
STILL = 1e-10
"""Speed, by a row's scale in the mechanism's own time, that counts as none when a mode is chosen."""
AS_GOOD_AS_NONE = 1e-9
"""Time step, by the mechanism's own time, by which an impact without collision is found."""
REPEATS = 3
"""Times that contacts which rise too low are looked for anew."""
SLIGHT = 100.0
"""Change of speeds, by those at which low contacts part, that leaving out their restitution may make."""
PARTS = (1.0, 0.75, 0.5, 0.25, 0.0)
"""Parts of the restitution that are tried."""
GAINED = 1e-12
"""Part of the kinetic energy that an impact may seem to gain by rounding."""


class NoSolution(Exception):
    """No impulses, or no accelerations, were found."""


@dataclass(frozen=True, eq=False)
class Impact:
    """Impulses of all rows of loops and laws, and speeds of the laws' rows before and after."""

    impulses: np.ndarray
    udelta: np.ndarray
    before: np.ndarray
    after: np.ndarray
    losses: np.ndarray
    """Kinetic energy that every row of a law takes."""
    works: np.ndarray
    """Work of its impulse on the mechanism: more than what it takes where a surface moves."""
    capped: bool = False
    """Whether restitution was reduced, as it would have gained energy."""
    law: str = ""
    """The law of restitution; none of an impact without collision."""
    which: frozenset[int] = frozenset()
    """Elements that took part."""
    restitution: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """Coefficients as they were taken: 0 of bounces that are left out."""

    def then(self, other: Impact) -> Impact:
        """This impact and another at once after it."""
        return replace(
            self,
            impulses=self.impulses + other.impulses,
            udelta=self.udelta + other.udelta,
            after=other.after,
            losses=self.losses + other.losses,
            works=self.works + other.works,
            capped=self.capped or other.capped,
        )


def impact(
    k: Kinetics, touching: list[int], at_speeds: Callable[[np.ndarray], Kinetics], restitution: str = "newton"
) -> Impact:
    """Impulses by which everything that touches parts or stays; `at_speeds(u)` gives the same state with other speeds."""
    which = frozenset([*k.table.with_turning(touching), *(i for i in k.table.loads if k.on[i])])
    found, e = _without_low(k, which, touching, at_speeds, _IMPULSES[restitution])
    P, capped = _without_gain(k, found, which)
    return replace(_impact(k, P, k.Y @ P), capped=capped, law=restitution, which=which, restitution=e)


def _impact(k: Kinetics, P: np.ndarray, udelta: np.ndarray) -> Impact:
    """Impulses work at the mean of the speeds before and after."""
    own, after = P[k.n_loops :], k.v + k.J @ udelta
    works = own * (k.J @ (k.u + 0.5 * udelta))
    return Impact(P, udelta, k.v, after, -0.5 * own * (k.v + after), works)


def without_gaps(k: Kinetics) -> list[int]:
    """Elements that act without a gap: friction of joints, and latches."""
    return [i for i, e in enumerate(k.elements) if e.load_row is None and k.on[i]]


def without_collision(k: Kinetics, touching: list[int]) -> Impact:
    """Impulses where no accelerations obey the laws (Painlevé's paradox): those of a time step that is as good as none.

    What slides jams and is thrown off, though nothing approached: an impact without collision.
    """
    which = frozenset([*k.table.with_turning(touching), *without_gaps(k)])
    step = AS_GOOD_AS_NONE / k.rate
    P = LawProblem(k, which, {}, np.zeros(len(k.elements)), step).solve()
    if P is None:
        raise NoSolution("impact")
    udelta = step * k.free + k.Y @ P
    return _impact(k, P, udelta)


class Phases(NamedTuple):
    """Impulses of Poisson's law: until nothing approaches; what gaps give back of them; what is needed besides."""

    compression: np.ndarray
    back: np.ndarray
    more: np.ndarray


def poisson_phases(k: Kinetics, which: frozenset[int], e: np.ndarray) -> Phases:
    """Poisson's law in two phases [Glocker and Pfeiffer]: compression until nothing approaches; then every gap gives back e times its
    impulse, and more where it would approach again, with friction in the cone of what it gives back."""
    compression = _impulses(k, which, np.zeros(len(e)))
    back = np.zeros(len(compression))
    for i in which:
        normal = k.elements[i].normal
        if normal is not None:
            back[k.n_loops + normal] = e[i] * compression[k.n_loops + normal]
    more = LawProblem(k, which, {}, np.zeros(len(e)), stored=compression + back, released=back).solve()
    if more is None:
        raise NoSolution("impact")
    return Phases(compression, back, more)


def _poisson(k: Kinetics, which: frozenset[int], e: np.ndarray) -> np.ndarray:
    """Poisson's law, by impulses."""
    return np.asarray(sum(poisson_phases(k, which, e)))


def _impulses(k: Kinetics, which: frozenset[int], e: np.ndarray) -> np.ndarray:
    """Impulses with these coefficients of restitution. Where rows depend on each other, a rebound may contradict what sticks: then as
    much restitution is taken as can be."""
    v = np.array([0.0 if x.normal is None else min(k.v[x.normal], 0.0) for x in k.elements])
    for part in PARTS:
        found = LawProblem(k, which, {}, part * e * v).solve()
        if found is not None:
            return found
    raise NoSolution("impact")


def _stronge(k: Kinetics, which: frozenset[int], e: np.ndarray) -> np.ndarray:
    """Stronge's law, by energies."""
    from dalembert.constraints.nonsmooth.energetic import hit_in_turn

    found = hit_in_turn(k, which, e)
    if found is None:
        raise NoSolution("impact")
    return found.impulses


_IMPULSES = {"newton": _impulses, "poisson": _poisson, "stronge": _stronge}


def _without_low(
    k: Kinetics,
    which: frozenset[int],
    touching: list[int],
    at_speeds: Callable[[np.ndarray], Kinetics],
    impulses: Callable[[Kinetics, frozenset[int], np.ndarray], np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Impulses without restitution of contacts that would rise too low, and the coefficients that are left. By Poisson's and Stronge's
    laws a contact that parts slowly may have handed on a strong blow; where leaving out its restitution changes more than its bounce,
    it bounces."""
    e = k.restitution.copy()
    P = impulses(k, which, e)
    for _ in range(REPEATS):
        found = _too_low(k, P, touching, e, at_speeds)
        if not found:
            break
        fewer = e.copy()
        fewer[list(found)] = 0.0
        plain = impulses(k, which, fewer)
        changed = np.abs(k.J @ (k.Y @ (plain - P))) / k.sizes
        if changed.max(initial=0.0) > SLIGHT * max(v / k.size(i) for i, v in found.items()):
            break
        P, e = plain, fewer
    return P, e


def _too_low(
    k: Kinetics, P: np.ndarray, touching: list[int], e: np.ndarray, at_speeds: Callable[[np.ndarray], Kinetics]
) -> dict[int, float]:
    """Contacts that would rise less than can be seen before they fall back, with the speeds at which they part. Those that are at rest
    to rounding do not rise."""
    after = k.v + k.J @ (k.Y @ P)
    rows = {i: k.elements[i].normal for i in touching if k.elements[i].normal is not None and k.elements[i].has_gap}
    speeds = {i: float(after[r]) for i, r in rows.items() if r is not None and e[i] > 0.0}
    opening = {i: v for i, v in speeds.items() if v > STILL * k.speed_scale(i)}
    if not opening:
        return {}
    falling = free_accelerations(at_speeds(k.u + k.Y @ P), [i for i in touching if i not in opening])
    return {i: v for i, v in opening.items() if low(v, falling[i], k.size(i))}


def low(v: float, a: float, size: float) -> bool:
    """Whether what opens at the speed v and is drawn back at the acceleration a rises less than can be seen."""
    return a < 0.0 and v * v < -2.0 * a * ZENO * size


def free_accelerations(k: Kinetics, closed: list[int]) -> dict[int, float]:
    """Normal accelerations of all gaps, if of those only the ones in `closed` may be closed."""
    which = frozenset([*k.table.with_turning(closed), *without_gaps(k)])
    x = LawProblem(k, which, sliding_directions(k, which, STILL))
    p = x.solve()
    a = x.resulting(np.zeros(len(k.rows)) if p is None else p)[k.n_loops :]
    return {i: float(a[x.normal]) for i, x in enumerate(k.elements) if x.normal is not None}


def _without_gain(k: Kinetics, P: np.ndarray, which: frozenset[int]) -> tuple[np.ndarray, bool]:
    """P, or the blend of it with the impulses without restitution that gains no energy."""
    v = np.concatenate([k.v_B, k.v])

    def gain(x: np.ndarray) -> float:
        return float(x @ v + 0.5 * x @ k.W @ x)

    if gain(P) <= GAINED * float(k.u @ k.A @ k.u):
        return P, False
    base = _impulses(k, which, np.zeros(len(k.elements)))
    d = P - base
    a, b, c = 0.5 * float(d @ k.W @ d), float(d @ (v + k.W @ base)), gain(base)
    part = (-b + np.sqrt(max(0.0, b * b - 4.0 * a * c))) / (2.0 * a)
    return base + min(1.0, max(0.0, part)) * d, True
