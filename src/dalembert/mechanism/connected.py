"""Connected parts: bodies joined by joints, constraints and forces. What hangs on the ground alone is a part of its own.

Nothing that one part does is felt by another. So each is measured by its own length, closed, diagnosed and balanced by itself, and
gets the answer that it would get alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.laws import Law
from dalembert.mechanism.numbered_joints import TreeJoint
from dalembert.mechanism.simulation_options import Plan
from dalembert.parts.conform import marks_of
from dalembert.parts.constraints import Constraint
from dalembert.parts.fields import Function
from dalembert.parts.forces import BodyLoad, Force
from dalembert.topology import Arc, Graph, SpanningTree
from dalembert.trace import free_symbols, tracing

if TYPE_CHECKING:
    from dalembert.mechanism.description import Description

Acting = Force | Constraint | Law


@dataclass(frozen=True, eq=False)
class Part:
    """A connected part as a mechanism of its own, and where its values stand in those of the whole."""

    mechanism: Any
    bodies: tuple[int, ...]
    """Numbers of its bodies in the whole."""
    q: np.ndarray
    """Places of its coordinates in q of the whole."""
    u: np.ndarray
    """Places of its speeds in u of the whole."""

    def with_parameters(self, **values: float) -> Part:
        """The same part of the mechanism with other values of its parameters."""
        return replace(self, mechanism=self.mechanism.with_parameters(**values))

    @property
    def numeric(self) -> Part:
        """The same part of the mechanism with numbers in place of its parameters."""
        return replace(self, mechanism=self.mechanism.numeric)

    def rows(self, whole: Any) -> np.ndarray:
        """Places of its rows among those of the whole."""
        start, found = 0, [np.zeros(0, dtype=int)]
        own = self.mechanism.constraint_rows
        for name, d in whole.constraint_rows.items():
            found += [np.arange(start, start + len(d.g))] if name in own else []
            start += len(d.g)
        return np.concatenate(found)

    def speeds(self, places: Iterable[int]) -> list[int]:
        """Speeds of the whole, by place, that belong to this part: their places in its u."""
        own = {int(at): i for i, at in enumerate(self.u)}
        return [own[k] for k in places if k in own]

    def named(self, given: Mapping[str, Any] | None) -> dict[str, Any]:
        """Values by joint, coordinate or speed that belong to this part."""
        m, given = self.mechanism, given or {}
        known = {*m.coordinates, *m.speeds, *m.prescribed, *m.joint_number}
        return {name: x for name, x in given.items() if name in known or m.places(str(name)) is not None}


def parts_of(m: Description) -> tuple[Part, ...]:
    """All connected parts, in the order of their first bodies; a mechanism that is connected is its own part."""
    groups = _Groups(m.n_bodies)
    for k, parent in enumerate(m.parent, start=1):
        groups.join([k, parent])
    for c in m.cuts:
        groups.join([c.parent, c.child])
    kinds: tuple[Mapping[str, Acting], ...] = (m.forces, m.constraints, m.laws)
    elements = {(k, name): x for k, every in enumerate(kinds) for name, x in every.items()}
    named = {at: _named(m, x) for at, x in elements.items()}
    for bodies in named.values():
        groups.join(bodies)
    if m.elements:  # signals may go from any body to any other
        groups.join(range(1, m.n_bodies + 1))
    if groups.count > 1:  # what a function looks at is seen by calling it
        for at, x in elements.items():
            if _decides_by_function(x):
                named[at] = named[at] + _referenced(m, x)
                groups.join(named[at])
    if groups.count <= 1:
        return (Part(m, tuple(range(1, m.n_bodies + 1)), np.arange(m.n_q), np.arange(m.n_u)),)
    owner = {at: next((groups.of(k) for k in bodies if k), groups.of(1)) for at, bodies in named.items()}
    return tuple(
        _part(m, bodies, {at for at, of in owner.items() if of == first}) for first, bodies in groups.members()
    )


def largest_in(part: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Values (…, n) that belong to numbered parts, each replaced by the largest of its part."""
    out = np.zeros_like(x)
    for k in np.unique(part):
        out[..., part == k] = x[..., part == k].max(axis=-1, initial=0.0, keepdims=True)
    return out


class _Groups:
    """Bodies that were joined; the ground, 0, joins nothing."""

    def __init__(self, n: int):
        self._next = list(range(n + 1))
        self.count = n

    def of(self, k: int) -> int:
        """The first body of a body's group."""
        while self._next[k] != k:
            self._next[k] = k = self._next[self._next[k]]
        return k

    def join(self, bodies: Sequence[int]) -> None:
        found = sorted({self.of(k) for k in bodies if k})
        for k in found[1:]:
            self._next[k] = found[0]
            self.count -= 1

    def members(self) -> list[tuple[int, list[int]]]:
        """Every group, by its first body."""
        found: dict[int, list[int]] = {}
        for k in range(1, len(self._next)):
            found.setdefault(self.of(k), []).append(k)
        return list(found.items())


def _named(m: Description, x: Acting) -> list[int]:
    """The bodies that it names, and those its joints carry."""
    cuts = {c.name: c.child or c.parent for c in m.cuts}
    joints = [m.joint_number.get(name) or cuts.get(name, 0) for name in x.joints]
    return [*(m.number_of.get(name, 0) for name in x.bodies), *joints]


def _decides_by_function(x: Acting) -> bool:
    """Whether it may look at more than it names: by a function of the state, or because it is a class of the user's own."""
    kind: Any = type(x)
    if not kind.__module__.startswith("dalembert."):
        return True
    marks = marks_of(kind).items()
    return any(isinstance(mark, Function) and "s" in mark.arguments and callable(getattr(x, f)) for f, mark in marks)


def _referenced(m: Any, x: Acting) -> list[int]:
    """The bodies whose motion it depends on or that it acts on; all of them where that cannot be seen."""
    from dalembert.kinematics.state_from_bodies import StateFromBodies, unspecified

    try:
        with tracing():
            s = StateFromBodies(m, unspecified)
            values, acted_on = _effect(s, x)
            seen = {e.name for e in free_symbols(values)}
        frames = [*s.referenced, *acted_on]
        carried = [
            k
            for k, j in enumerate(m.joints, start=1)
            for at, symbols in ((j.q_at, s.coordinates), (j.u_at, s.speeds))
            if any(symbols[i].name in seen for i in at if i is not None)
        ]
        return [*(m.body_of(frame) for frame in frames), *carried]
    except Exception:
        return list(range(1, m.n_bodies + 1))


def _effect(s: Any, x: Acting) -> tuple[list[Any], list[int]]:
    """What it gives on symbols, and the frames that it acts on."""
    if isinstance(x, Constraint):
        return [np.asarray(x.residual(s), dtype=object), np.asarray(x.velocity(s), dtype=object)], []
    if isinstance(x, Law):
        own = (x.gap, x.approach, x.way, x.slip, x.hold, x.hold_speed, x.static_friction)
        return [np.asarray(part(s), dtype=object) for part in own], []
    loads = list(x.loads(s))
    values = [np.asarray(x.potential(s), dtype=object)]
    acted_on = []
    for load in loads:
        if isinstance(load, BodyLoad):
            acted_on.append(s.body_number(load.body))
            values += [np.asarray(v, dtype=object) for v in (load.force, load.torque, load.at) if v is not None]
        else:
            acted_on.append(s.joint_index(load.joint) + 1)
            values.append(np.asarray(load.values, dtype=object))
    return values, acted_on


def _part(m: Description, bodies: list[int], elements: set[tuple[int, str]]) -> Part:
    """The mechanism of some bodies that nothing else is joined to."""
    number = {0: 0, **{k: i for i, k in enumerate(bodies, start=1)}}
    joints = [m.joints[k - 1] for k in bodies]
    q, u = (
        np.array([at for places in every for at in places if at is not None], dtype=int) for every in _places(joints)
    )
    at_q, at_u = ({int(at): i for i, at in enumerate(places)} for places in (q, u))
    at_q[None] = at_u[None] = None  # type: ignore[index,assignment]
    renumbered = tuple(
        replace(j, q_at=tuple(at_q[i] for i in j.q_at), u_at=tuple(at_u[i] for i in j.u_at))  # type: ignore[index]
        for j in joints
    )
    kept = [(i, c) for i, c in zip(m.tree.cuts, m.cuts) if (c.child or c.parent) in number]
    made = replace(
        m,
        bodies=tuple(m.bodies[k - 1] for k in bodies),
        joints=renumbered,
        cuts=tuple(replace(c, parent=number[c.parent], child=number[c.child]) for _, c in kept),
        forces={name: x for name, x in m.forces.items() if (0, name) in elements},
        constraints={name: x for name, x in m.constraints.items() if (1, name) in elements},
        laws={name: x for name, x in m.laws.items() if (2, name) in elements},
        tree=_tree(m.tree, bodies, [i for i, _ in kept]),
        ground_shapes=(),
        plan=Plan(),
    )
    made.__dict__["parts"] = (Part(made, tuple(range(1, len(bodies) + 1)), np.arange(len(q)), np.arange(len(u))),)
    return Part(made, tuple(bodies), q, u)


def _places(joints: list[TreeJoint]) -> tuple[list[Any], list[Any]]:
    return [j.q_at for j in joints], [j.u_at for j in joints]


def _tree(tree: SpanningTree, bodies: list[int], cuts: list[int]) -> SpanningTree:
    """Graph of some bodies and the arcs that carry or close them, numbered anew."""
    vertices = [0, *sorted(tree.order[k - 1] for k in bodies)]
    arcs = sorted([*(tree.arc[k - 1] for k in bodies), *cuts])
    vertex, arc, label = ({old: new for new, old in enumerate(x)} for x in (vertices, arcs, [0, *bodies]))
    every = tree.graph.arcs
    graph = Graph(
        len(bodies), tuple(Arc(vertex[every[i].tail], vertex[every[i].head], every[i].freedoms) for i in arcs)
    )
    return SpanningTree(
        graph,
        tuple(vertex[tree.order[k - 1]] for k in bodies),
        tuple(label[tree.parent[k - 1]] for k in bodies),
        tuple(arc[tree.arc[k - 1]] for k in bodies),
        tuple(tree.reversed[k - 1] for k in bodies),
        tuple(arc[i] for i in cuts),
    )
