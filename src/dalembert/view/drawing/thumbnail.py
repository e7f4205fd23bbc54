"""A motion as a small moving drawing in two dimensions: bars, balls and outlines, projected in the browser."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.motion.motion import Motion
from dalembert.motion.quaternions import quaternions
from dalembert.vectors import Vector, cross
from dalembert.view.drawing.look import swept
from dalembert.view.drawing.primitives import CORNERS, Primitive
from dalembert.view.drawing.scene import Scene, scene
from dalembert.view.drawing.wires import deflections
from dalembert.view.encode import array, rounded
from dalembert.view.shown_samples import restricted

SECONDS = 8.0
FRAMES = 160
VISIBLE = 0.06
"""Part of the picture: how large the largest deflection is drawn."""
SOLIDS = 400
"""Drawn at most; the rest of a very large mechanism is left out of its thumbnail."""


def thumbnail(motion: Motion) -> dict[str, Any]:
    """What `gallery.js` draws."""
    assert motion.mechanism is not None
    m = motion.mechanism.with_parameters(**motion.record["parameters"]).numeric
    inside = np.flatnonzero(motion.t <= motion.t[0] + SECONDS)
    some = restricted(motion, inside[np.unique(np.linspace(0, len(inside) - 1, FRAMES).astype(int))])
    bodies = some.body_motion()
    view = scene(m, bodies.rotation, bodies.position)
    right, upward = _axes(view)
    solids = [
        [k, p.colour if p.colour and p.colour[0] == "#" else view.colours[k], p.opacity, *_outline(p)]
        for k, parts in enumerate(view.parts)
        for p in parts
        if p.layer == "bodies" and not p.bent
    ]
    window = _window(view, bodies, right, upward)
    bend = enlarged(some, view, max(window[1] - window[0], window[3] - window[2]))
    anchors = [rounded(p.position) for p in view.parts[0] if p.layer == "ground"]
    return {
        "t": array(some.t - some.t[0], "float64"),
        "position": array(bodies.position),
        "quaternion": array(quaternions(bodies.rotation)),
        "solids": solids[:SOLIDS],
        "anchors": anchors[:SOLIDS],
        "axes": [rounded(right), rounded(upward), rounded(view.towards)],
        "window": rounded(window),
        "thickness": view.thickness,
        "wires": [
            [w.body, view.colours[w.body], list(w.edges), array(w.points + bend * deflections(some, w))]
            for w in view.wires
        ],
        "bending": bend,
    }


def enlarged(motion: Motion, view: Scene, size: float) -> float:
    """How many times larger than they are deflections are drawn: 1, 2, 5, 10, … so that they can be seen and no more."""
    largest = max((float(np.abs(deflections(motion, w)).max()) for w in view.wires), default=0.0)
    fitting = [x for x in (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0) if x * largest <= VISIBLE * size]
    return fitting[-1] if fitting and largest > 0.0 else 1.0


def _axes(view: Scene) -> tuple[Vector, Vector]:
    """To the right and upward in the picture."""
    right = cross(view.up, view.towards)
    right = right / np.linalg.norm(right)
    return right, cross(view.towards, right)


def _window(view: Scene, bodies: Any, right: Vector, upward: Vector) -> list[float]:
    """Left, right, bottom and top of all that is drawn."""
    centres, reach = swept(view.parts, bodies.rotation, bodies.position)
    x, y = centres @ right, centres @ upward
    edges = [(x - reach).min(), (x + reach).max(), (y - reach).min(), (y + reach).max()]
    for p in view.parts[0]:
        a, b = p.position @ right, p.position @ upward
        edges = [min(edges[0], a), max(edges[1], a), min(edges[2], b), max(edges[3], b)]
    return edges


def _outline(p: Primitive) -> tuple[str, list[float], float]:
    """A bar by its ends, a ball by its centre, anything else by points whose hull is its outline; and a radius."""
    if p.kind == "sphere":
        return "ball", rounded(p.position), float(p.size.max())
    if p.kind == "cylinder" and p.size[2] > 3.0 * p.size[0]:
        half = 0.5 * p.size[2] * p.rotation[:, 2]
        return "bar", rounded([p.position - half, p.position + half]), float(p.size[0])
    if p.vertices is not None:
        local = p.vertices[np.unique(np.linspace(0, len(p.vertices) - 1, 60).astype(int))]
    elif p.kind == "cylinder":
        around = 2.0 * np.pi * np.arange(12) / 12
        local = np.array([(np.cos(a), np.sin(a), z) for z in (-0.5, 0.5) for a in around])
    else:
        local = CORNERS
    return "hull", rounded(p.position + (local * p.size) @ p.rotation.T, 5), 0.0
