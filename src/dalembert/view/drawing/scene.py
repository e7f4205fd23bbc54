"""The scene: the primitives of every body, the size of it all, and a first look at it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.parts.joints.axis import to_z, unit
from dalembert.vectors import Vector
from dalembert.view.drawing.joint_frames import on_child, place_on_child, tracks
from dalembert.view.drawing.joint_marks import joint_mark
from dalembert.view.drawing.look import bounds, floor, viewpoint
from dalembert.view.drawing.primitives import Primitive, ball, block, drawn, polyline
from dalembert.view.drawing.skeleton import attachments, bars, distinct, gyration, holds, skeleton, unseen
from dalembert.view.drawing.traced_places import place
from dalembert.view.drawing.wires import Wire, wire

PALETTE = ("#4c8dff", "#f0a23b", "#35b58a", "#e4607b", "#9a7af0", "#2fb3c6", "#c7b23a", "#df7c50")


@dataclass(frozen=True, eq=False)
class Scene:
    """Primitives of the ground (0) and the bodies; lengths that fit them; where to look from."""

    parts: list[list[Primitive]]
    colours: list[str]
    thickness: float
    low: Vector
    high: Vector
    """Corners of what the motion sweeps over."""
    radius: float
    up: Vector
    towards: Vector
    """Direction from the centre to the eye."""
    floor: float
    """Height of the floor along `up`."""
    travels: bool
    """Whether the mechanism leaves its place by much more than its size, so that the eye had better go along."""
    wires: tuple[Wire, ...]
    """Elastic bodies."""


def scene(m: Mechanism, rotation: np.ndarray, position: np.ndarray, of: Mechanism | None = None) -> Scene:
    """Scene of a mechanism of numbers, at poses (K, n, 3, 3) and (K, n, 3). `of` is the same with its parameters, which the primitives
    then follow."""
    of = of or m
    every = attachments(m)
    hidden = unseen(m, every, _size(m, every, rotation[0], position[0], ()))
    points = attachments(m, hidden, of)
    centres = [place(b.com.astype(float), traced.com) for b, traced in zip(m.bodies, of.bodies)]
    anchors = points[0]
    wires = {w.body: w for w in (wire(k, b) for k, b in enumerate(m.bodies, start=1)) if w is not None}
    size = _size(m, points, rotation[0], position[0], hidden)
    spans = [
        []
        if b.shapes or k in wires or k in hidden
        else bars(centres[k - 1], points[k], not holds(m.joints[k - 1].joint.inner), size)
        for k, b in enumerate(m.bodies, start=1)
    ]
    lengths = [float(np.linalg.norm(b - a)) for some in spans for a, b in some]
    thin = [p for b in m.bodies for s in b.shapes for p in drawn(s, 0.0) if p.kind == "cylinder" and not p.size[0]]
    lengths += [float(p.size[2]) for p in thin]
    lengths += [float(np.ptp(w.points, axis=0).max()) for w in wires.values()]
    usual = float(np.median(lengths)) if lengths else size
    thickness = float(np.clip(0.035 * usual, 0.003 * size, 0.022 * size))
    parts: list[list[Primitive]] = [
        [p for s, o in zip(m.ground_shapes, of.ground_shapes) for p in drawn(s, thickness, o)]
    ]
    for k, b in enumerate(m.bodies, start=1):
        if k in hidden:
            parts.append([])
            continue
        made = [p for s, o in zip(b.shapes, of.bodies[k - 1].shapes) for p in drawn(s, thickness, o)]
        if k in wires:
            made += wires[k].straight(thickness)
        made += [] if b.shapes or k in wires else skeleton(b, centres[k - 1], spans[k - 1], thickness)
        if not b.massless:
            made.append(ball(centres[k - 1], 1.3 * thickness, layer="centres", colour="centre"))
        parts.append(made)
    for k, j in enumerate(m.joints, start=1):
        marks = [] if k in hidden else joint_mark(j.joint.inner, on_child(m, j, k), thickness, cut=False)
        parts[k] += [p.at(place_on_child(m, of, k - 1)) for p in marks]
    for k, c in enumerate(m.cuts):
        marks = joint_mark(c.joint.inner, on_child(m, c, c.child), thickness, cut=True)
        parts[c.child] += [p.at(place_on_child(m, of, k, cut=True)) for p in marks]
    guiding = [tracks(m, j, m.parent[k - 1], k) for k, j in enumerate(m.joints, start=1) if k not in hidden]
    for drawn_on in (*guiding, *(tracks(m, c, c.parent, c.child) for c in m.cuts)):
        for body, track in drawn_on.items():
            parts[body] += polyline(track, 0.3 * thickness, layer="joints", colour="slide")
    low, high, radius, away = bounds(parts, rotation, position, anchors, size)
    up = _up(m)
    for p in distinct(anchors, size):
        parts[0] += [foot.at(p) for foot in _foot(p, up, thickness)]
    lowest = floor(parts, rotation, position, up)
    towards = viewpoint(parts, rotation, position, up)
    colours = [PALETTE[(k - 1) % len(PALETTE)] for k in range(m.n_bodies + 1)]
    return Scene(parts, colours, thickness, low, high, radius, up, towards, lowest, away, tuple(wires.values()))


def _size(m: Mechanism, points: list[list[Vector]], R: np.ndarray, p: np.ndarray, unseen: Collection[int]) -> float:
    """Extent of all joints and mass centres at one instant, and of the bodies' own shapes."""
    places = [
        p[k - 1] + R[k - 1] @ x
        for k in range(1, m.n_bodies + 1)
        if k not in unseen
        for x in (*points[k], m.bodies[k - 1].com.astype(float))
    ]
    extent = float(np.ptp(np.array([*places, *points[0]]), axis=0).max())
    own = [q.reach for b in m.bodies for s in b.shapes for q in drawn(s, 0.0)]
    spread = [2.0 * gyration(b) for b in m.bodies if not b.massless]
    return max([extent, *own, *([] if extent else spread), 1e-6])


def _up(m: Mechanism) -> Vector:
    """Against gravity; z where there is none."""
    g = m.gravity.astype(float)
    length = float(np.linalg.norm(g))
    return -g / length if length > 0.0 else np.array([0.0, 0.0, 1.0])


def _foot(p: Vector, up: Vector, r: float) -> list[Primitive]:
    """Where a joint stands on the ground."""
    return [block(p - 2.6 * r * up, to_z(unit(up, "up")), (4.4 * r, 4.4 * r, 2.6 * r), layer="ground", colour="ground")]
