"""Equilibria of mechanisms with laws: which gaps are closed and press is found by complementarity; friction makes ranges of rests.

Without friction it is a question of sets: the mechanism rests with some gaps closed, those press, the others are open. With friction
that sticks there is no point but a range: whatever forces friction can bear leave the mechanism where it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.equilibrium.equilibrium import Equilibrium
from dalembert.analysis.equilibrium.find_equilibrium import equilibrium
from dalembert.analysis.lawful.in_mode import Mode, in_mode
from dalembert.constraints.assembly.assemble_named import assemble_given, assemble_named
from dalembert.constraints.nonsmooth.at_state import INSIDE
from dalembert.constraints.nonsmooth.kinetics import refuse_stepped_only
from dalembert.errors import DalembertError, EquilibriumError, LoopError
from dalembert.kinematics.law_rows import law_row_scales, law_rows
from dalembert.mechanism import Mechanism
from dalembert.simulation.error_sizes import coordinate_units

if TYPE_CHECKING:
    from dalembert.aliases import JointValues
    from dalembert.kernels.law_state import LawState

RESTS = 1e-9
"""Part of the accelerations without laws below which a mechanism rests."""
FIRST_STEP, FARTHEST, LOCATED = 1e-7, 1e3, 1e-13
"""Steps, in rad or lengths of the mechanism, by which ends of a range are sought: the first, the farthest, and how they are located."""
PULLS = 1e-9
"""Part of the largest force by which a closed gap may seem to pull by rounding."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LawfulEquilibrium(Equilibrium):
    """A rest under laws. `mechanism` is the smooth one that it is while the mode lasts: small motions are those."""

    laws: LawState
    """What touches and sticks, with which forces; of friction, one share of many."""
    mode: Mode = field(default_factory=dict)
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Ends between which it rests as well, of a mechanism with one freedom; infinite where none was found."""
    freedoms: int = 0
    """In how many freedoms friction holds it: without friction it would rest at this pose only, if at all."""
    by_friction: bool = False
    """Whether it rests by friction alone: without, it would not rest at this pose."""

    def __str__(self) -> str:
        lines = [super().__str__(), f"  laws: {self.laws}"]
        if self.by_friction:
            lines.append("  friction holds it there; without friction it would not stay")
        for name, (low, high) in self.ranges.items():
            ends = f"from {low:.8g}" if np.isfinite(low) else "from as far as was looked"
            ends += f" to {high:.8g}" if np.isfinite(high) else " to as far as was looked"
            lines.append(f"  not a point but a range: friction holds {name} {ends}")
        if self.freedoms and not self.ranges:
            lines.append("  not a point: friction holds it in a range of poses about this one")
        return "\n".join(lines)


def lawful_equilibrium(
    m: Mechanism,
    initial: JointValues | None,
    speeds: JointValues | None,
    find: Any,
    hold: Sequence[str],
    t: float,
    starts: int,
    seed: int,
) -> LawfulEquilibrium:
    """See `Mechanism.equilibrium`."""
    refuse_stepped_only(m)
    if speeds or find:
        raise EquilibriumError(
            f'mechanism "{m.name}" has laws: steady motions with sliding or rolling cannot be found. Leave out speeds= and '
            "find=, or use m.without_laws()"
        )
    try:
        found, mode = _by_sets(m, initial, hold, t, starts, seed)
        at, by_friction = found.q, False
    except DalembertError as problem:
        at = _standing(m, initial, t, problem)
        found, by_friction = None, True
    state = m.laws_at(at, np.zeros(m.n_u), t=t)
    mode = {name: x.state for name, x in state.laws.items()}
    if found is None:
        found = equilibrium(in_mode(m, at, np.zeros(m.n_u), t, mode, "equilibrium"), at, None, None, hold, t, 1, seed)
    sticks = sum(states.count("stick") for states in mode.values())
    ranges = _range(m, at, t) if sticks and m.without_laws().mobility == 1 else {}
    own = {f.name: getattr(found, f.name) for f in fields(Equilibrium)}
    return LawfulEquilibrium(**own, laws=state, mode=mode, ranges=ranges, freedoms=sticks, by_friction=by_friction)


# -- which gaps are closed ---------------------------------------------------------------------------------------------------
def _by_sets(
    m: Mechanism, initial: JointValues | None, hold: Sequence[str], t: float, starts: int, seed: int
) -> tuple[Equilibrium, dict[str, tuple[str, ...]]]:
    """A rest without friction: gaps are closed where they are met, and opened where they would pull."""
    table, u = m.law_table, np.zeros(m.n_u)
    q = np.asarray(assemble_given(m.without_laws(), initial, None, t)[0], dtype=float)
    closed: set[int] = set()
    seen: list[set[int]] = []
    while closed not in seen:
        seen.append(set(closed))
        mode = _mode(m, closed)
        smooth = in_mode(m, q, u, t, mode, "equilibrium")
        try:
            found = equilibrium(smooth, q, None, None, hold, t, starts if closed else 1, seed)
        except DalembertError:
            falling = _falling(m, q, t, closed)
            if falling is None:
                raise
            closed.add(falling)
            continue
        gaps, sizes = _gaps(m, found.q, t)
        worst = min(((gaps[i] / sizes[i], i) for i in gaps if i not in closed), default=(0.0, -1))
        if worst[0] < -INSIDE:
            closed.add(worst[1])
            continue
        pulls = _pulling(m, smooth, found, closed)
        if pulls is None:
            return found, mode
        closed.discard(pulls)
    names = ", ".join(f'"{table.title(i)}"' for i in range(len(table.elements)))
    raise EquilibriumError(
        f'mechanism "{m.name}": no set of its laws ({names}) was found with which it rests from there; give a start nearer to the rest '
        "sought, or let it come to rest in m.simulate"
    )


def _mode(m: Mechanism, closed: set[int]) -> dict[str, tuple[str, ...]]:
    """Gaps closed, latches engaged, nothing rubs."""
    made: dict[str, tuple[str, ...]] = {}
    for name, law in m.laws.items():
        states = []
        for i in m.law_table.of_law(name):
            kept = "engaged" if m.law_table.elements[i].holds else "closed" if i in closed else "open"
            states.append(kept if law.on else "off")
        made[name] = tuple(states)
    return made


def _gaps(m: Mechanism, q: np.ndarray, t: float) -> tuple[dict[int, float], dict[int, float]]:
    """Gaps of all elements that are on, and their scales."""
    s = m.numeric.state(q, np.zeros(m.n_u), t)
    g, sizes = np.asarray(law_rows(s).g, dtype=float), np.asarray(law_row_scales(s), dtype=float)
    own = {
        i: e.normal
        for i, e in enumerate(m.law_table.elements)
        if e.normal is not None and e.has_gap and m.laws[e.law].on
    }
    return {i: float(g[r]) for i, r in own.items()}, {i: float(sizes[r]) for i, r in own.items()}


def _falling(m: Mechanism, q: np.ndarray, t: float, closed: set[int]) -> int | None:
    """The nearest open gap towards which the mechanism is drawn where nothing stops it; None where there is none."""
    s = m.numeric.state(q, np.zeros(m.n_u), t)
    rows = law_rows(s)
    udot = m.without_laws().forward_dynamics(q, np.zeros(m.n_u), None, t)
    a = np.asarray(rows.B, dtype=float) @ udot - np.asarray(rows.gamma, dtype=float)
    gaps, _ = _gaps(m, q, t)
    drawn = []
    for i, gap in gaps.items():
        row = m.law_table.elements[i].normal
        if row is not None and i not in closed and a[row] < 0.0:
            drawn.append((gap, i))
    return min(drawn)[1] if drawn else None


def _pulling(m: Mechanism, smooth: Mechanism, found: Equilibrium, closed: set[int]) -> int | None:
    """The closed gap that pulls most; None where all press."""
    force: dict[int, float] = {}
    for i in closed:
        e = m.law_table.elements[i]
        own = [k for k, owner in enumerate(smooth.rows.owners) if owner == f"{e.law} holds"]
        among = sorted(j for j in closed if m.law_table.elements[j].law == e.law)
        force[i] = -float(found.lam[own[among.index(i)]])
    largest = max((abs(x) for x in force.values()), default=0.0)
    bad = [(p, i) for i, p in force.items() if p < -PULLS * largest]
    return min(bad)[1] if bad else None


# -- friction ----------------------------------------------------------------------------------------------------------------
def _standing(m: Mechanism, initial: JointValues | None, t: float, problem: DalembertError) -> np.ndarray:
    """The pose given, where friction keeps it at rest; else there is none."""
    q = np.asarray(assemble_given(m.without_laws(), initial, None, t)[0], dtype=float)
    if _rests(m, q, t):
        return q
    raise EquilibriumError(f"{problem}. Nor does friction hold it in the pose given") from None


def _rests(m: Mechanism, q: np.ndarray, t: float) -> bool:
    still = np.zeros(m.n_u)
    try:
        state = m.laws_at(q, still, t=t)
    except DalembertError:
        return False
    free = m.without_laws().forward_dynamics(q, still, None, t)
    pulled = max(
        float(np.abs(free).max(initial=0.0)), float(np.abs(m.mass_matrix(q, t) @ free).max(initial=0.0)), 1e-300
    )
    return float(np.abs(state.udot).max(initial=0.0)) <= RESTS * pulled


def _range(m: Mechanism, q: np.ndarray, t: float) -> dict[str, tuple[float, float]]:
    """Ends of the coordinate of a mechanism with one freedom between which it rests, about a pose in which it does."""
    smooth = m.without_laws()
    k = next(k for k, unit in enumerate(coordinate_units(m)) if unit in ("rad", "m"))
    name, now = m.coordinates[k], float(q[k])
    size = 1.0 if coordinate_units(m)[k] == "rad" else m.scales.length

    def rests(x: float) -> bool:
        pose = np.where(np.arange(len(q)) == k, x, q)
        try:
            pose = assemble_named(smooth, pose, {name: x}, t) if smooth.constraint_rows else pose
        except LoopError:
            return False
        return _rests(m, np.asarray(pose, dtype=float), t)

    ends = []
    for way in (-1.0, 1.0):
        step, good = FIRST_STEP * size, 0.0
        while step <= FARTHEST * size and rests(now + way * step):
            good, step = step, 2.0 * step
        if step > FARTHEST * size:
            ends.append(way * np.inf)
            continue
        bad = step
        while bad - good > LOCATED * max(size, abs(now)):
            middle = 0.5 * (good + bad)
            good, bad = (middle, bad) if rests(now + way * middle) else (good, middle)
        ends.append(now + way * good)
    return {name: (ends[0], ends[1])}
