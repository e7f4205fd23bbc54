"""Marks of the joints, from what their contract says moves: pins along turning axes, sleeves along slides, balls where all turns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint
from dalembert.parts.joints.axis import to_z, unit
from dalembert.vectors import IDENTITY, Vector
from dalembert.view.drawing.primitives import Primitive, ball, bar, block, ring


def axes(joint: Joint, at: Frame) -> tuple[list[Vector], list[Vector]]:
    """Turning and sliding axes where the joint's frames coincide, in the child body's axes."""
    q, R = joint.reference, at.rotation
    turning, sliding = (np.asarray(x, dtype=float) for x in (joint.turning(q), joint.sliding(q)))
    moves = [R @ column for column in turning.T if np.linalg.norm(column) > 1e-9]
    slides = [R @ column for column in sliding.T if np.linalg.norm(column) > 1e-9]
    return moves, slides


def joint_mark(joint: Joint, at: Frame, r: float, cut: bool) -> Iterator[Primitive]:
    """At its place on the child body; r is the thickness of bars."""
    turning, sliding = axes(joint, at)
    p = at.position
    look = {"layer": "joints", "colour": "cut" if cut else "joint"}
    if len(turning) + len(sliding) < 6:
        if len(turning) == 3:
            yield ball(p, 1.7 * r, **look)
        else:
            for a in map(_unit, turning):
                yield bar(p - 1.7 * r * a, p + 1.7 * r * a, (1.3 if len(turning) == 1 else 0.8) * r, **look)
        if len(sliding) == 1:
            z = to_z(unit(_unit(sliding[0]), "slide"))
            yield block(p, z, (2.9 * r, 2.9 * r, 4.5 * r), **look)
        elif len(sliding) > 1:
            yield block(p, IDENTITY, (2.6 * r,) * 3, **look)
        if not turning and not sliding:
            yield block(p, IDENTITY, (2.2 * r,) * 3, **look)
        for a in map(_unit, turning if len(turning) < 3 else []):
            yield bar(p - 9.0 * r * a, p + 9.0 * r * a, 0.16 * r, layer="axes", colour="axis")
        for a in map(_unit, sliding if len(sliding) < 3 else []):
            yield bar(p - 12.0 * r * a, p + 12.0 * r * a, 0.16 * r, layer="axes", colour="slide")
    if cut:
        yield ring(p, turning[0] if turning else np.array([0.0, 0.0, 1.0]), 2.7 * r, layer="joints", colour="cut")


def _unit(v: Vector) -> Vector:
    made: Vector = v / np.linalg.norm(v)
    return made
