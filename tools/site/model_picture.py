"""A model as a drawing in SVG: its bodies at the start of the motion, as they stand when the loops are closed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial import ConvexHull, QhullError

import dalembert as da
from dalembert.vectors import cross
from dalembert.view.drawing.primitives import CORNERS, Primitive
from dalembert.view.drawing.scene import Scene, scene

WIDTH, HEIGHT, MARGIN = 320.0, 220.0, 14.0
AROUND = 2.0 * np.pi * np.arange(24) / 24
CIRCLE = np.stack([np.cos(AROUND), np.sin(AROUND), np.zeros(24)], axis=1)
TUBE = np.concatenate([CIRCLE + np.array([0.0, 0.0, z]) for z in (-0.5, 0.5)])
BALL = np.concatenate([CIRCLE * np.cos(a) + np.array([0.0, 0.0, np.sin(a)]) for a in np.linspace(-1.5, 1.5, 9)])
GROUND, EDGE = "#8a8f98", "#00000055"
NEAR = 0.35
"""Ground that is drawn around the bodies, as a part of their extent."""
MOST_POINTS = 400
"""Of the outline of a mesh."""


@dataclass(frozen=True, eq=False)
class Outline:
    """A solid seen from the eye: corners of its outline in the plane of the picture, how near it is, its colour."""

    corners: np.ndarray
    near: float
    colour: str
    opacity: float
    ground: bool
    edge: str


def picture(file: Path) -> str:
    """The drawing of a model file."""
    m = da.load(file)
    s = m.state(*m.assemble(m.plan.initial, m.plan.speeds))
    poses = [
        (np.asarray(s.rotation(k), float), np.asarray(s.position(k), float))
        for k in ("ground", *(b.name for b in m.bodies))
    ]
    rotation, position = (np.array(x) for x in zip(*poses))
    view = scene(m.numeric, rotation[None], position[None])
    return svg(m.name, [*outlines(view, rotation, position)])


def outlines(view: Scene, rotation: np.ndarray, position: np.ndarray) -> list[Outline]:
    """All solids of a scene in one pose."""
    right = cross(view.up, view.towards)
    axes = np.stack([right, cross(view.towards, right), view.towards]) / np.linalg.norm(right)
    found = []
    for k, parts in enumerate(view.parts):
        for part in (p for p in parts if p.layer in ("bodies", "ground")):
            seen = (position[k] + corners(part) @ rotation[k].T) @ axes.T
            colour = part.colour if part.colour and part.colour[0] == "#" else view.colours[k] if k else GROUND
            try:
                around = seen[ConvexHull(seen[:, :2]).vertices, :2]
            except QhullError:  # seen from its edge
                around = seen[[seen[:, 0].argmin(), seen[:, 0].argmax()], :2]
            found.append(
                Outline(around, float(seen[:, 2].mean()), colour, part.opacity, k == 0, colour if part.bent else EDGE)
            )
    return found


def corners(p: Primitive) -> np.ndarray:
    """Points of a solid, in the axes of its body."""
    if p.vertices is not None:
        local = p.vertices[np.unique(np.linspace(0, len(p.vertices) - 1, MOST_POINTS).astype(int))]
    else:
        local = {"sphere": BALL, "cylinder": TUBE, "ring": CIRCLE}.get(p.kind, CORNERS)
    placed: np.ndarray = p.position + (local * p.size) @ p.rotation.T
    return placed


def _window(found: list[Outline]) -> tuple[np.ndarray, np.ndarray]:
    """Lower left and upper right corner: the bodies, and as much of the ground as lies near them."""
    every, bodies = (
        np.concatenate([o.corners for o in some]) for some in (found, [o for o in found if not o.ground] or found)
    )
    low, high = bodies.min(axis=0), bodies.max(axis=0)
    room = NEAR * max(high - low)
    return np.maximum(low - room, every.min(axis=0)), np.minimum(high + room, every.max(axis=0))


def svg(title: str, found: list[Outline]) -> str:
    """The drawing: the ground first, then farther solids before nearer ones."""
    low, high = _window(found)
    scale = min((size - 2 * MARGIN) / max(extent, 1e-9) for size, extent in zip((WIDTH, HEIGHT), high - low))
    middle = 0.5 * (low + high)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img"><title>{title}</title>'
    ]
    for o in sorted(found, key=lambda o: (not o.ground, o.near)):
        placed = (o.corners - middle) * (scale, -scale) + (WIDTH / 2, HEIGHT / 2)
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
        lines.append(
            f'<polygon points="{points}" fill="{o.colour}" fill-opacity="{o.opacity:g}" stroke="{o.edge}" '
            'stroke-width="0.8" stroke-linejoin="round"/>'
        )
    return "\n".join([*lines, "</svg>", ""])
