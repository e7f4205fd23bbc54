"""A mechanism's own scales, by which all verdicts are made: what is closed, what moves, what is the same does not hang on units.

A length is measured by the largest body or the longest distance that a force or constraint is given, an angle by 1 rad, a modal
amplitude by a slight deformation of its body. Every connected part has its own length (`mechanism.connected`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.laws import Law
from dalembert.mechanism.variable_changes import LinearCoordinates
from dalembert.parts.conform import marks_of
from dalembert.parts.constraints import Constraint
from dalembert.parts.forces import Force
from dalembert.parts.forces.points import Point
from dalembert.parts.joints import Joint

if TYPE_CHECKING:
    from dalembert.mechanism.description import Description

Acting = Force | Constraint | Law

CLOSED = 1e-12
"""Largest residual of a row, by the row's scale, that counts as closed."""
ROUNDING = 1e-15
"""Part of a place's distance from its origin that is lost in its digits."""
DISTANT = CLOSED / ROUNDING
"""Lengths from the origin beyond which positions have lost digits that closed loops are known by."""
TURNED = 0.1
"""Turn of a node, in rad, that is slight."""
LEAST = 1e-100
"""Displacement or speed, in metres, that is none."""
BESIDE = 0.3
"""Large steps from the reference to a pose in which speeds that were chosen are measured: they may be singular at the reference."""
AS_LARGE = 50.0
"""Slight deformations that make one as large as the body itself."""
PROBE = 0.1
"""Change of a coordinate by which it is seen what it does, rad or m."""


@dataclass(frozen=True, eq=False)
class Scales:
    """What a mechanism's numbers are measured by."""

    lengths: np.ndarray
    """For the ground and every body the length of its part: the extent of the part's largest body, between its joints, its mass centre
    and the points that forces and constraints name, or the longest length that one of these is given; the ground counts as a body. The
    ground has the longest of all."""
    known_by_part: tuple[bool, ...]
    """Whether anything in each part says a length; else it is 1 m."""
    closed: float
    """Residual of a row, by the row's scale, that counts as closed: what is far from its origin has lost digits. Of several parts it is
    that of the farthest; loops are closed part by part."""
    origins: np.ndarray
    """For the ground and every body, a place of the ground near its part, to measure positions from where the world's origin is too far
    for their digits."""
    coordinates: np.ndarray
    """For every coordinate a large step: 1 rad, 1 for Euler parameters, the length, a slight deformation."""
    speeds: np.ndarray
    """For every speed, how far along it is a large step, likewise."""
    sizes: np.ndarray
    """For every element of (q, u), what is as large as the mechanism itself: 1 rad, the length, a body bent by its own size."""
    part: np.ndarray
    """For every element of (q, u), the number of its part."""

    @property
    def known(self) -> bool:
        """Whether every part says a length."""
        return all(self.known_by_part)

    @property
    def length(self) -> float:
        """The longest of its parts' lengths."""
        return float(self.lengths[0])

    def begun(self, start: np.ndarray, sliding: np.ndarray) -> np.ndarray:
        """`sizes`; of parts in which nothing says a length, those of what slides, as marked, by how far out or how fast any of it is at
        the start. Starts may be many, (K, n)."""
        sizes = self.sizes
        for k, known in enumerate(self.known_by_part):
            if not known:
                own = sliding & (self.part == k)
                largest = np.abs(start[..., own]).max(axis=-1, initial=0.0, keepdims=True)
                sizes = np.where(own & (largest > LEAST), largest, sizes)
        return sizes

    def of_step(self, step: np.ndarray) -> float:
        """How large a step along the speeds is, beside the mechanism itself."""
        return float(np.abs(step / self.sizes[len(self.coordinates) :]).max(initial=0.0))


def scales_of(m: Description) -> Scales:
    """Scales from the numbers of a mechanism, part by part."""
    if len(m.parts) > 1:
        return _composed(m)
    length, far = _extent(m)
    known, length = length > 0.0, length or 1.0
    steps, sizes = np.ones(m.n_q + m.n_u), np.ones(m.n_q + m.n_u)
    for j, b in zip(m.joints, m.bodies):
        slight = _slight(b.data) if b.modes else np.zeros(0)
        for start, places, units in zip((0, m.n_q), (j.q_at, j.u_at), units_of(j.joint.inner)):
            own = [length if unit in ("m", "m/s") else 1.0 for unit in units]
            at = [start + i if i is not None else None for i in places]
            _put(steps, at, [*own, *slight])
            _put(sizes, at, [*own, *(AS_LARGE * slight)])
    return _fixed(
        np.full(m.n_bodies + 1, length),
        (known,),
        max(CLOSED, ROUNDING * far / length),
        np.tile(_origin(m, length), (m.n_bodies + 1, 1)),
        steps[: m.n_q],
        steps[m.n_q :],
        sizes,
        np.zeros(m.n_q + m.n_u, dtype=int),
    )


def _composed(m: Description) -> Scales:
    """Those of all parts, each value at its place in the whole."""
    own = [p.mechanism.scales for p in m.parts]
    lengths, origins = np.full(m.n_bodies + 1, max(x.length for x in own)), np.zeros((m.n_bodies + 1, 3))
    q, u, sizes, part = np.zeros(m.n_q), np.zeros(m.n_u), np.zeros(m.n_q + m.n_u), np.zeros(m.n_q + m.n_u, dtype=int)
    for k, (p, x) in enumerate(zip(m.parts, own)):
        bodies, every = list(p.bodies), [*p.q, *(m.n_q + p.u)]
        lengths[bodies], origins[bodies] = x.lengths[1:], x.origins[1:]
        q[p.q], u[p.u], sizes[every], part[every] = x.coordinates, x.speeds, x.sizes, k
    known = tuple(x.known for x in own)
    return _fixed(lengths, known, max(x.closed for x in own), origins, q, u, sizes, part)


def changed_scales(m: Any) -> Scales:
    """Those of a mechanism in variables of its own, from those of the variables before: a large step of one of them makes a large step
    of what it is made of."""
    from dalembert.kinematics.state import State

    base, v, numeric = m.base.scales, m.variables, m.numeric
    pose = numeric.somewhere(np.random.default_rng(0), BESIDE)
    T = np.asarray(State(numeric, 0.0, pose, np.zeros(m.n_u)).speed_map.T, dtype=float)
    L = v.L if isinstance(v, LinearCoordinates) else np.eye(m.n_q)
    n_before = len(base.coordinates)

    def steps(per_unit: np.ndarray, before: np.ndarray) -> np.ndarray:
        size = np.abs(per_unit)
        return np.asarray(
            (before[:, None] / np.where(size > 0.0, size, np.nan)).min(axis=0, initial=np.inf, where=size > 0.0)
        )

    sizes = [steps(L, base.sizes[:n_before]), steps(T, base.sizes[n_before:])]
    return _fixed(
        np.array(base.lengths), (base.known,), base.closed, np.array(base.origins), steps(L, base.coordinates),
        steps(T, base.speeds), np.concatenate(sizes), np.zeros(m.n_q + m.n_u, dtype=int),
    )  # fmt: skip


def _fixed(*values: Any) -> Scales:
    for x in values:
        if isinstance(x, np.ndarray):
            x.flags.writeable = False
    return Scales(*values)


@lru_cache(maxsize=1000)
def units_of(joint: Joint) -> tuple[list[str], list[str]]:
    """Units of a joint's coordinates and of its speeds, by what a change of each does."""
    base, coordinates = joint.reference, []
    R = np.asarray(joint.rotation(base), dtype=float)
    for i in range(joint.n_q):
        moved = base.copy()
        moved[i] += PROBE
        if not np.array_equal(np.asarray(joint.admissible(moved), dtype=float), moved):
            coordinates.append("1")
        else:
            coordinates.append("m" if np.array_equal(np.asarray(joint.rotation(moved), dtype=float), R) else "rad")
    turning = np.asarray(joint.turning(base), dtype=float)
    return coordinates, ["rad/s" if np.any(turning[:, k] != 0.0) else "m/s" for k in range(joint.n_u)]


def _extent(m: Description) -> tuple[float, float]:
    """(length, far): twice the largest distance of a body's points, those of forces and constraints too, from the middle of its joints
    and mass centre, or a longer one that a force or constraint is given; else the largest radius of gyration; else how far constraints
    make joints slide; else 0."""
    points: list[list[Any]] = [[] for _ in range(m.n_bodies + 1)]
    for k, b in enumerate(m.bodies, start=1):
        points[k] += [b.com, *(node.r for node in b.nodes.values())]
    for j, parent, child in zip(m.joints, m.parent, range(1, m.n_bodies + 1)):
        points[parent] += [] if j.on_parent.node else [j.on_parent.position]
        points[child] += [] if j.on_child.node else [j.on_child.position]
    for c in m.cuts:
        for body, on in ((c.parent, c.on_parent), (c.child, c.on_child)):
            points[body] += [] if on.node else [on.position]
    elements: tuple[Acting, ...] = (*m.forces.values(), *m.constraints.values(), *m.laws.values())
    middles = [np.mean(np.array(own, dtype=float), axis=0) if own else np.zeros(3) for own in points]
    for name, at in (named for element in elements for named in _points(element)):
        points[m.number_of[name]].append(at)
    places = [(np.array(own, dtype=float), middle) for own, middle in zip(points, middles) if own]
    far = max(float(np.linalg.norm(x, axis=1).max()) for x, _ in places)
    length = max(2.0 * float(np.linalg.norm(x - middle, axis=1).max()) for x, middle in places)
    length = max(length, *(x for element in elements for x in _lengths(m, element)), 0.0)
    if not length > ROUNDING * far:
        length = max((_gyration(b) for b in m.bodies), default=0.0) or _slid(m)
    return (length if length > ROUNDING * far else 0.0), far


def _points(element: Acting) -> list[tuple[str, np.ndarray]]:
    """Body and place of every point it names; nodes of elastic bodies are known already."""
    kind: Any = type(element)
    fields = [getattr(element, name) for name in marks_of(kind)]
    return [(x.body, x.at) for x in fields if isinstance(x, Point) and x.node is None]


def _lengths(m: Description, element: Acting) -> list[float]:
    """Those it is given; values of joints are lengths where all of its joints slide."""
    kind: Any = type(element)
    units = {"m", "joint"} if _slides(m, element.joints) else {"m"}
    given = [getattr(element, name) for name, mark in marks_of(kind).items() if mark.unit in units]
    return [abs(float(x)) for x in given if x is not None and not callable(x)]


def _slides(m: Description, joints: Sequence[str]) -> bool:
    own = [units_of(m.joints[m.joint_number[name] - 1].joint.inner)[0] for name in joints if name in m.joint_number]
    return bool(own) and all(unit == "m" for units in own for unit in units)


def _slid(m: Description) -> float:
    """How far joints slide to obey the constraints, the others at their reference or 1 rad off: a cam's lift, a screw's pitch."""
    from dalembert.kinematics.constraint_rows import slid

    turned = np.zeros(m.n_q)
    for j in m.joints:
        _put(turned, j.q_at, [float(unit == "rad") for unit in units_of(j.joint.inner)[0]])
    sliding = np.zeros(m.n_u, dtype=bool)
    for j in m.joints:
        _put(sliding, j.u_at, [unit == "m/s" for unit in units_of(j.joint.inner)[1]])
    return max(slid(m, q, sliding) for q in (m.reference, m.reference + turned))


def _origin(m: Description, length: float) -> np.ndarray:
    """The place of the first joint on the ground, where that is far; else the world's origin."""
    place = next(np.array(j.on_parent.position, dtype=float) for j, on in zip(m.joints, m.parent) if not on)
    return place if float(np.linalg.norm(place)) > DISTANT * length else np.zeros(3)


def _gyration(body: Any) -> float:
    mass = float(body.mass)
    return float(np.sqrt(np.trace(np.asarray(body.inertia, dtype=float)) / mass)) if mass > 0.0 else 0.0


def _slight(data: Any) -> np.ndarray:
    """Slight deformation of every mode: the body displaced by a fiftieth of its size, but no node turned by more than `TURNED`."""
    turns = [np.linalg.norm(node.Psi, axis=0) for node in data.nodes.values()]
    return np.asarray(
        data.amplitudes / np.maximum(1.0, data.amplitudes * np.max([0.0 * data.amplitudes, *turns], axis=0) / TURNED)
    )


def _put(out: np.ndarray, places: Any, values: Any) -> None:
    for at, value in zip(places, values):
        if at is not None:
            out[at] = value
