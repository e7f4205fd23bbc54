"""The mechanism as the recursions want it: one frame per body, on its inboard joint.

A body's *link frame* is its joint's frame C, turned so that the joint's axis is z and, where the joint spins about it, turned and slid
once more so that x lies on the common normal to the first outboard axis (Denavit and Hartenberg's choice). Then most constants of the
next placement are 0 or 1, and the recursion is a fifth cheaper. Speeds and coordinates are untouched but for a constant phase.

Everything is done for all bodies at once, in stacked arrays whose first axis runs over the bodies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism, TreeJoint
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint
from dalembert.recursive.spatial_inertia import RigidInertia
from dalembert.vectors import IDENTITY, Matrix, Vector

_NOISE = 2e-15
"""Relative size of the rounding left by a few products of rotations."""
_PARALLEL = 1e-9
"""Sine of the angle below which two axes count as parallel."""
_FAR = 10.0
"""Slides beyond this many link lengths are not made: nearly parallel axes meet far away, and long arms cost digits."""
_NO_OFFSET, _NOT_TILTED, _EXACT, _HALF_TURN = 1e-12, 1e-12, 1e-12, 1e-9
"""Rounding of frames that is taken out: an offset by its length, the tilt of an axis, the angle from quarter turns, the cosine of
half a turn."""


@dataclass(frozen=True, eq=False)
class Link:
    """One body with its inboard joint; constants may be numbers or expressions."""

    parent: int
    joint: Joint
    source: TreeJoint
    E: Matrix
    """Axes of the joint's frame P in the parent's link frame."""
    p: Vector
    """Origin of P in the parent's link frame."""
    along: Any
    """p·(axis of the joint) where p is otherwise along x, and neither alone; else 0."""
    phase: Any
    """Added to coordinate 0 where the joint's rotation is taken."""
    spin: Matrix
    """Quarter turns about z after the joint's rotation: exact, where a phase of π/2 would cost an addition and a rounding."""
    inertia: RigidInertia
    frame: Frame
    """The link frame in the body's own axes."""
    armature: Any
    """Inertia of the joint's own speeds, besides that of the bodies."""

    def but(self, **changed: Any) -> Link:
        """The same but for these; `replace` would take ten times as long, and there may be thousands."""
        assert changed.keys() <= self.__dict__.keys()
        made = object.__new__(Link)
        made.__dict__.update(self.__dict__ | changed)
        return made


def links(m: Mechanism) -> tuple[Link, ...]:
    """All links, reframed."""
    a = m.arrays
    aligned = {j: j.aligned() for j in {joint.joint for joint in m.joints}}
    joints = [aligned[j.joint][0] for j in m.joints]
    Q = np.array([aligned[j.joint][1] for j in m.joints])
    parent = np.array(m.parent) - 1
    # frames C and P, axes on z, in their bodies; P in the parent's C
    R_C, p_C = _turn(a.child_rotation @ Q), a.child_position
    R_J = np.where(parent[:, None, None] >= 0, R_C[parent], IDENTITY)
    p_J = np.where(parent[:, None] >= 0, p_C[parent], 0.0)
    E = _turn(_t(R_J) @ (a.parent_rotation @ Q))
    p = _apply(_t(R_J), a.parent_position - p_J)
    # the common normal to the first child's axis, where both may be chosen freely
    spins = np.array([j.spins_about_z for j in joints])
    angle, slide, on_normal = _common_normals(m, E, p, spins)
    Rz = _about_z(angle)
    on_ground = parent < 0
    Rz_J = np.where(on_ground[:, None, None], IDENTITY, Rz[parent])
    slide_J = np.where(on_ground, 0.0, slide[parent])
    reach = np.abs(_floats(p)).max(axis=1) + np.abs(slide) + np.abs(slide_J)
    moved = p + E[:, :, 2] * slide[:, None]
    moved[:, 2] = moved[:, 2] - slide_J
    p = _clean(_apply(_t(Rz_J), moved), reach)
    E = _turn(_t(Rz_J) @ E)
    unwind = np.where(spins & ~on_ground, _unwinding(E), 0.0)
    E = np.where((on_normal & spins)[:, None, None], _about_x(E), _turn(E @ _about_z(unwind)))
    along = _along_axis(E, p, spins)
    phase, spin = _quarters(angle - unwind)
    # the link frame in the body, and the mass properties in it
    R = _turn(R_C @ Rz)
    position = p_C + R_C[:, :, 2] * slide[:, None]
    c = _apply(_t(R), a.com - position)
    h = _clean(a.mass[:, None] * c, np.zeros(len(c)))
    I = _t(R) @ a.inertia @ R + a.mass[:, None, None] * (
        (c[:, None, :] @ c[:, :, None]) * IDENTITY - c[:, :, None] * c[:, None, :]
    )
    I = _mirrored(_clean(I, np.zeros(len(c))))
    return tuple(
        Link(
            m.parent[k], joints[k], m.joints[k], E[k], p[k], along[k], phase[k], spin[k],
            RigidInertia(a.mass[k], h[k], I[k]), Frame.trusted(position[k], R[k]), m.joints[k].armature,
        )
        for k in range(m.n_bodies)
    )  # fmt: skip


def _common_normals(
    m: Mechanism, E: np.ndarray, p: np.ndarray, spins: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For every body, the turn about z and the slide along z that bring x onto the common normal to its first child's axis.

    The third array says for which bodies that was done by their parent.
    """
    child = np.full(m.n_bodies, -1)
    for k in reversed(range(m.n_bodies)):
        if m.parent[k]:
            child[m.parent[k] - 1] = k
    axis, origin = _floats(E[child, :, 2]), _floats(p[child])
    usable = spins & (child >= 0) & np.isfinite(axis).all(axis=1) & np.isfinite(origin).all(axis=1)
    normal = np.stack([-axis[:, 1], axis[:, 0], np.zeros(len(axis))], axis=1)  # z × axis
    length = np.sqrt((normal**2).sum(axis=1))
    skewed = usable & (length > _PARALLEL)
    unit = normal / np.where(skewed, length, 1.0)[:, None]
    across = np.cross(unit, axis)
    slide = np.where(skewed, (origin * across).sum(axis=1) / np.where(skewed, across[:, 2], 1.0), 0.0)
    slide = np.where(np.abs(slide) <= _FAR * np.abs(origin).max(axis=1), slide, 0.0)
    offset = np.where(
        np.abs(origin[:, :2]) > _NO_OFFSET * np.abs(origin).max(axis=1, keepdims=True), origin[:, :2], 0.0
    )
    parallel = np.where(usable & ~skewed, np.arctan2(offset[:, 1], offset[:, 0]), 0.0)
    angle = np.where(skewed, np.arctan2(unit[:, 1], unit[:, 0]), parallel)
    on_normal = np.zeros(m.n_bodies, dtype=bool)
    on_normal[child[usable]] = True
    return angle, slide, on_normal


def _about_x(E: np.ndarray) -> np.ndarray:
    """Rx(α) where P's axis lies at the angle α from the parent's, about the common normal x: what E is, without its rounding."""
    numbers = _floats(E)
    c, s = numbers[:, 2, 2], -numbers[:, 1, 2]
    length = np.hypot(c, s)
    out = np.zeros(E.shape)
    out[:, 0, 0] = 1.0
    out[:, 1, 1] = out[:, 2, 2] = c / np.where(length > 0.0, length, 1.0)
    out[:, 2, 1] = s / np.where(length > 0.0, length, 1.0)
    out[:, 1, 2] = -out[:, 2, 1]
    return _turn(out)


def _unwinding(E: np.ndarray) -> np.ndarray:
    """The turn of P about its own z that leaves E = Rx(α) where z and x meet the common normal, and one zero more elsewhere."""
    numbers = np.nan_to_num(_floats(E))
    tilted = np.abs(numbers[:, 2, :2]).max(axis=1) > _NOT_TILTED
    angle = np.where(
        tilted,
        np.arctan2(-numbers[:, 2, 0], numbers[:, 2, 1]),
        -np.sign(numbers[:, 2, 2]) * np.arctan2(numbers[:, 1, 0], numbers[:, 0, 0]),
    )
    first = (numbers @ _about_z(angle))[:, 0, 0]
    angle = np.where(np.abs(first + 1.0) < _HALF_TURN, angle + np.pi, angle)
    return np.where(np.isfinite(_floats(E)).all(axis=(1, 2)), angle, 0.0)


def _along_axis(E: np.ndarray, p: np.ndarray, spins: np.ndarray) -> np.ndarray:
    """How far p goes along the joint's axis, where the rest of it goes along x and this takes one component less; else 0."""
    p, axis = _floats(p), _floats(E)[:, :, 2]
    along = (p * axis).sum(axis=1)
    rest = p - axis * along[:, None]
    straight = np.abs(rest[:, 1:]).max(axis=1) <= _NOISE * np.abs(p).max(axis=1)
    askew = (p[:, 1:] != 0.0).all(axis=1)
    return np.where(spins & straight & askew & (axis[:, 0] == 0.0), along, 0.0)


def _quarters(phase: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Whole quarter turns taken out of the phases, as exact matrices."""
    quarters = np.round(2.0 * phase / np.pi)
    exact = np.abs(phase - quarters * np.pi / 2.0) < _EXACT
    spin = np.where(exact[:, None, None], _about_z(quarters * np.pi / 2.0), IDENTITY)
    return np.where(exact, 0.0, phase), spin


def _about_z(angle: np.ndarray) -> np.ndarray:
    out = np.zeros((len(angle), 3, 3))
    out[:, 0, 0] = out[:, 1, 1] = np.cos(angle)
    out[:, 1, 0] = np.sin(angle)
    out[:, 0, 1] = -out[:, 1, 0]
    out[:, 2, 2] = 1.0
    return _turn(out)


def _t(R: np.ndarray) -> np.ndarray:
    return np.swapaxes(R, 1, 2)


def _apply(R: np.ndarray, v: np.ndarray) -> np.ndarray:
    return (R @ v[:, :, None])[:, :, 0]


def _floats(values: np.ndarray) -> np.ndarray:
    """Numbers, with nan in place of expressions."""
    if values.dtype != object:
        return values
    return np.array([x if isinstance(x, float) else np.nan for x in values.ravel()]).reshape(values.shape)


def _clean(values: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Exact zeros where only rounding noise of the re-framing is left, body by body."""
    size = np.abs(_floats(values)).reshape(len(values), -1).max(axis=1)
    limit = _NOISE * np.fmax(scale, size).reshape(-1, *[1] * (values.ndim - 1))
    return np.where(np.abs(_floats(values)) <= limit, 0.0, values)


def _turn(R: np.ndarray) -> np.ndarray:
    """Rotations with exact 0 and ±1 likewise."""
    size = np.abs(_floats(R))
    made = np.where(size <= _NOISE, 0.0, R)
    return np.where(np.abs(size - 1.0) <= _NOISE, np.where(_floats(made) > 0.0, 1.0, -1.0), made)


def _mirrored(I: np.ndarray) -> np.ndarray:
    """The lower triangle, also above the diagonal."""
    return np.where(np.tri(3, dtype=bool), I, _t(I))
