"""What the page draws of contacts: where they touch, with which force, and when they are hit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.laws import Rope
from dalembert.laws.law import Law
from dalembert.laws.pair_contact import PairContact
from dalembert.laws.surfaces.plane import SurfacePlane
from dalembert.laws.touching import Touching
from dalembert.mechanism import Mechanism
from dalembert.mechanism.row_table import RowKind
from dalembert.motion.motion import Motion
from dalembert.motion.samples import evaluate
from dalembert.trace import maximum, sqrt
from dalembert.vectors import cross
from dalembert.view.encode import array

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

MOST_ARROWS = 200
"""Places of contact beyond which only those of the first laws that ever touch are drawn."""
NO_LENGTH = 1e-300
"""Length of a rope from which on it has a direction, m."""
MOST_HITS = 400
"""Impacts that flash; of more, the first do."""


def contact_arrows(motion: Motion, m: Mechanism, every: bool = False) -> dict[str, Any]:
    """Places and forces of all contacts and ropes at the samples, on the body that can move, and impacts by place; of those that ever
    press, or of `every` one."""
    names: list[str] = []
    at, force = [], []
    of_law: dict[str, range] = {}
    if motion.history is not None:
        for name in drawn_laws(motion, m, every):
            places, forces = _law(motion, name, m)
            of_law[name] = range(len(names), len(names) + places.shape[1])
            names += [name] * places.shape[1]
            at.append(places)
            force.append(forces)
    hits = [[x.t, c] for x in (motion.impacts if names else ()) if x.law in of_law for c in _struck(x, of_law[x.law])]
    empty = np.zeros((len(motion), 0, 3))
    return {
        "names": names,
        "at": array(np.concatenate([empty, *at], axis=1), "float64"),
        "force": array(np.concatenate([empty, *force], axis=1)),
        "hits": hits[:MOST_HITS],
    }


def drawn_laws(motion: Motion, m: Mechanism, every: bool) -> list[str]:
    """Laws that act at places, and ever press unless every one is wanted."""
    found, count = [], 0
    for name, law in m.laws.items():
        if not isinstance(law, (Touching, Rope)) or not (every or motion.contacts[name].normal.any()):
            continue
        count += len(rows_of_places(m, name))
        if count > MOST_ARROWS:
            break
        found.append(name)
    return found


def rows_of_places(m: Mechanism, name: str) -> list[list[int]]:
    """Rows of a law among those of all laws, place by place: what presses, then friction."""
    own = m.law_table.rows.of_owner(name)
    normal, friction = (
        [r for r in own if m.law_table.rows[r].kind is kind] for kind in (RowKind.UNILATERAL, RowKind.FRICTION)
    )
    if isinstance(m.laws[name], Rope):
        return [normal]
    each = len(friction) // len(normal)
    return [[r, *friction[each * i : each * (i + 1)]] for i, r in enumerate(normal)]


def forces_of_units(law: Law, s: State) -> list[Any]:
    """Where every place is, and the force on the first body for a unit of each of its rows; on the second body where the first is the
    ground."""
    if isinstance(law, Rope):
        a, b = s.position(law.a), s.position(law.b)
        here, there = (a, b) if law.a.body != "ground" else (b, a)
        along = (there - here) / maximum(sqrt((there - here) @ (there - here)), NO_LENGTH)
        return [*here, *along, *(() if law.shortest is None else -along)]
    assert isinstance(law, Touching)
    first = 1.0 if law.ends[0].body != "ground" else -1.0
    turned = -first if isinstance(law, PairContact) and isinstance(law.a, SurfacePlane) else first
    found: list[Any] = []
    for x in law.touches(s):
        along = [v for direction in x.across for v in first * direction] if law.rubs else []
        found += [*x.at, *(turned * cross(*x.across)), *along]
    return found


def _law(motion: Motion, name: str, m: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """(K, places, 3): where, and the force."""
    rows, h = rows_of_places(m, name), motion.history
    assert h is not None
    found = evaluate(motion.samples, lambda s, _: forces_of_units(m.laws[name], s)).reshape(
        len(motion), len(rows), -1, 3
    )
    return found[:, :, 0], np.einsum("kprx,kpr->kpx", found[:, :, 1:], h.force[:, np.array(rows)])


def _struck(impact: Any, places: range) -> list[int]:
    """Places of a law that are hit in an impact."""
    return [places[i] for i in np.flatnonzero(impact.impulse[: len(places)])]
