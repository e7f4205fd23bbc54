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
from dalembert.motion.motion import Motion
from dalembert.motion.samples import evaluate
from dalembert.vectors import cross
from dalembert.view.encode import array

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


MOST_ARROWS = 200
"""Places of contact beyond which only those of the first laws that ever touch are drawn."""
MOST_HITS = 400
"""Impacts that flash; of more, the first do."""


def contact_arrows(motion: Motion, m: Mechanism) -> dict[str, Any]:
    """Places and forces of all contacts and ropes at the samples, on the body that can move, and impacts by place."""
    names: list[str] = []
    at, force = [], []
    of_law: dict[str, range] = {}
    if motion.history is not None:
        for name in _drawn(motion, m):
            places, forces = _law(motion, name, m.laws[name])
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


def _drawn(motion: Motion, m: Mechanism) -> list[str]:
    """Laws that act at places and ever press."""
    found, count = [], 0
    for name, law in m.laws.items():
        if not isinstance(law, (Touching, Rope)) or not motion.contacts[name].normal.any():
            continue
        count += motion.contacts[name].normal.shape[1]
        if count > MOST_ARROWS:
            break
        found.append(name)
    return found


def _law(motion: Motion, name: str, law: Law) -> tuple[np.ndarray, np.ndarray]:
    """(K, places, 3): where, and the force on the first body, or on the second where the first is the ground."""
    x = motion.contacts[name]
    if isinstance(law, Rope):
        ends = evaluate(motion.samples, lambda s, _: [*s.position(law.a), *s.position(law.b)]).reshape(-1, 2, 3)
        on_a = law.a.body != "ground"
        here, there = (ends[:, 0], ends[:, 1]) if on_a else (ends[:, 1], ends[:, 0])
        along = there - here
        along = along / np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-300)
        pull = x.normal[:, 0] - (x.normal[:, 1] if x.normal.shape[1] > 1 else 0.0)
        return here[:, None], (pull[:, None] * along)[:, None]
    assert isinstance(law, Touching)

    def formula(s: State, _: Any) -> Any:
        return [v for p in law.touches(s) for v in (*p.at, *cross(*p.across), *p.across[0], *p.across[1])]

    found = evaluate(motion.samples, formula).reshape(len(motion), -1, 4, 3)
    turned = -1.0 if isinstance(law, PairContact) and isinstance(law.a, SurfacePlane) else 1.0
    force = turned * x.normal[:, :, None] * found[:, :, 1]
    if x.friction.shape[1]:
        rubs = x.friction.reshape(len(motion), -1, 2)
        force = force + rubs[:, :, :1] * found[:, :, 2] + rubs[:, :, 1:] * found[:, :, 3]
    on_first = 1.0 if law.ends[0].body != "ground" else -1.0
    return found[:, :, 0], on_first * force


def _struck(impact: Any, places: range) -> list[int]:
    """Places of a law that are hit in an impact."""
    return [places[i] for i in np.flatnonzero(impact.impulse[: len(places)])]
