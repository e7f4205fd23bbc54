"""What stands for a body of unknown form: bars from joint to joint, or a block with its inertia where it has only one place."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.parts.bodies import RigidBody
from dalembert.vectors import Vector
from dalembert.view.drawing.joint_frames import place_on_child, place_on_parent
from dalembert.view.drawing.primitives import Primitive, bar, block, polyline

APART = 1e-6
"""Points nearer to each other than this part of the mechanism's size are one."""


def attachments(m: Mechanism, unseen: Collection[int] = (), of: Mechanism | None = None) -> list[list[Vector]]:
    """For the ground and every body, the points in its axes where joints hold it: first the one that carries it. `of` is the mechanism
    with its parameters, which the points remember.

    Joints that carry an unseen body are left out on its parent.
    """
    of = of or m
    points: list[list[Vector]] = [[] for _ in range(m.n_bodies + 1)]
    for k in range(m.n_bodies):
        points[k + 1].append(place_on_child(m, of, k))
    for k, j in enumerate(m.joints):
        if holds(j.joint.inner) and k + 1 not in unseen:
            points[m.parent[k]].append(place_on_parent(m, of, k))
    for k, c in enumerate(m.cuts):
        points[c.parent].append(place_on_parent(m, of, k, cut=True))
        points[c.child].append(place_on_child(m, of, k, cut=True))
    return points


def holds(joint: object) -> bool:
    """Whether a joint blocks anything: a floating body hangs on nothing."""
    return getattr(joint, "n_u", 0) < 6


def unseen(m: Mechanism, points: list[list[Vector]], size: float) -> set[int]:
    """Bodies of unknown form that carry nothing and whose inertia no solid of the mechanism's size has: rotors behind gears.
    None, where there would be nothing left."""
    parents = {*m.parent, *(c.parent for c in m.cuts), *(c.child for c in m.cuts)}
    found = {
        k
        for k, b in enumerate(m.bodies, start=1)
        if k not in parents and not b.shapes and not b.modes and not b.massless
        and len(distinct([*points[k], b.com.astype(float)], size)) == 1
        and gyration(b) > 2.0 * size
    }  # fmt: skip
    return found if len(found) < m.n_bodies else set()


def gyration(body: RigidBody) -> float:
    return float(np.sqrt(np.trace(body.inertia.astype(float)) / float(body.mass)))


def distinct(points: list[Vector], size: float) -> list[Vector]:
    found: list[Vector] = []
    for p in points:
        if all(np.linalg.norm(p - other) > APART * size for other in found):
            found.append(p)
    return found


def bars(com: Vector, points: list[Vector], floats: bool, size: float) -> list[tuple[Vector, Vector]]:
    """Bars from the body's own joint to its other joints (round the plate where there are three), else to its mass centre."""
    places = distinct(points, size)
    if floats:
        places = places[1:]
    if not places:
        return []
    if len(places) == 1:
        return [(places[0], com)] if np.linalg.norm(com - places[0]) > APART * size else []
    if len(places) == 3:
        return [(places[0], places[1]), (places[1], places[2]), (places[2], places[0])]
    return [(places[0], p) for p in places[1:]]


def skeleton(body: RigidBody, com: Vector, spans: list[tuple[Vector, Vector]], thickness: float) -> Iterator[Primitive]:
    """Bars, and a thin stalk to a mass centre that lies beside them; or a block with the body's own inertia."""
    for a, b in spans:
        yield from polyline([a, b], thickness)
    if not spans:
        yield from _block_of_inertia(body, thickness)
    elif min(_distance(com, a, b) for a, b in spans) > 1.5 * thickness:
        yield bar(
            min((x for s in spans for x in s), key=lambda p: float(np.linalg.norm(p - com))), com, 0.35 * thickness
        )


def _block_of_inertia(body: RigidBody, thickness: float) -> Iterator[Primitive]:
    """The uniform block of the body's mass and inertia: edges² = 6/m (I_y + I_z − I_x) and so on."""
    mass, inertia = float(body.mass), body.inertia.astype(float)
    if mass <= 0.0:
        return
    moments, axes = np.linalg.eigh(inertia)
    squares = 6.0 / mass * (moments.sum() - 2.0 * moments)
    edges = np.maximum(np.sqrt(np.maximum(squares, 0.0)), 0.8 * thickness)
    if np.linalg.det(axes) < 0.0:
        axes[:, 2] *= -1.0
    yield block(body.com.astype(float), axes, edges)


def _distance(p: Vector, a: Vector, b: Vector) -> float:
    along = b - a
    s = np.clip((p - a) @ along / max(along @ along, 1e-300), 0.0, 1.0)
    return float(np.linalg.norm(p - a - s * along))
