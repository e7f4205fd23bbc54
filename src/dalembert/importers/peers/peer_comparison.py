"""How far two programs' accelerations of one robot are apart, joint by joint."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass

import numpy as np

from dalembert.importers.imported import Imported
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism, TreeJoint
from dalembert.recursive.algorithms import Tree, articulated, composite

AGREES = 1e-8
"""Difference of accelerations, by the largest of the joint's part of them, up to which two programs agree."""
KINDS = ("at rest", "in motion", "with actuators")
"""In which states accelerations are compared. In all of them joints are pushed as well: by what would accelerate each at random by
about 1 in its unit, so that masses count where gravity does not act, and no acceleration is nothing but rounding."""
ROUNDED = 4.0
"""Units in the last place by which two programs' mass matrices may differ, where each rounds its own products."""
MOST_ROUNDING = 1e-5
"""Beyond it, rounding excuses no difference."""
SEED = 23
"""Seed of the random states."""


@dataclass(frozen=True)
class PeerComparison:
    """The largest difference of accelerations for each joint, by the largest acceleration; by kind of state."""

    peer: str
    states: int
    joints: dict[str, dict[str, float]]
    rounding: float = 0.0
    """What rounding of the mass matrix alone makes of accelerations, by the largest, in the worst of the states."""

    @property
    def largest(self) -> float:
        """NaN where anything compared is no number."""
        found = [x for one in self.joints.values() for x in one.values()]
        return float(np.max(found)) if found else 0.0

    @property
    def agrees(self) -> bool:
        return self.largest <= max(AGREES, self.rounding)

    def worst(self, kind: str) -> tuple[str, float]:
        """The joint that differs most in states of a kind, and by how much."""
        found = {name: one[kind] for name, one in self.joints.items() if kind in one}
        name = max(found, key=lambda n: np.nan_to_num(found[n], nan=np.inf), default="")
        return name, found.get(name, 0.0)


def open_tree(found: Imported) -> Mechanism:
    """The import without what closes its loops, and without laws."""
    s = copy(found.system)
    s.joints = {name: joint for name, joint in s.joints.items() if name not in s.cut}
    s.cut, s.constraints, s.laws, s.outputs = (), {}, {}, {}
    return s.build()


def moving(m: Mechanism) -> list[TreeJoint]:
    """Joints that move."""
    return [j for j in m.joints if j.joint.n_u]


class Differences:
    """What is found state by state."""

    def __init__(self, m: Mechanism):
        self.m = m
        self.found: dict[str, dict[str, float]] = {}
        self.rounding = 0.0

    def pushed(
        self, m: Mechanism, q: np.ndarray, u: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Random generalized forces on the speeds of a mechanism without parameters, and its accelerations under them, in the
        reference interpreter: nothing is compiled for a few states."""
        tree = Tree(State(m, 0.0, q, u))
        A = composite(tree)
        sizes = np.sqrt(np.abs(np.diag(A)))
        condition = float(np.linalg.cond(A / np.outer(sizes, sizes))) if m.n_u and sizes.all() else 1.0
        self.rounding = max(self.rounding, ROUNDED * np.finfo(float).eps * condition)
        tau = A @ rng.uniform(-1.0, 1.0, m.n_u)
        return tau, articulated(tree, tau)

    def compared(self, peer: str, states: int) -> PeerComparison:
        return PeerComparison(peer, states, self.found, min(self.rounding, MOST_ROUNDING))

    def add(self, kind: str, ours: np.ndarray, theirs: np.ndarray) -> None:
        largest = float(np.max(np.abs([*ours, *theirs]), initial=0.0))
        for j in moving(self.m):
            at = j.columns
            apart = float(np.max(np.abs(ours[at] - theirs[at]))) / (largest or 1.0)
            one = self.found.setdefault(j.name, {})
            one[kind] = float(np.max([apart, one.get(kind, 0.0)]))


def random_states(states: int) -> Iterator[tuple[str, np.random.Generator]]:
    """Kinds of states in turn, each with what makes it random."""
    rng = np.random.default_rng(SEED)
    for k in range(states):
        yield KINDS[k % len(KINDS)], rng


def places_in_q(j: TreeJoint) -> list[int]:
    """Where a joint's coordinates stand in q."""
    return [at for at in j.q_at if at is not None]
