"""The steps of the recursive algorithms, one body at a time: outward motion, inward forces and inertias, outward
accelerations.

Each step reads one body's constants (`Link`), its joint's values and what its neighbours hand on, over floats or traced
scalars. The interpreter, straight-line code and outlined loops are three ways of driving these same functions. Spatial
vectors are pairs (angular, linear) in link axes about the link's origin; accelerations are the ordinary ones of that point,
not Featherstone's, so that no linear velocity is ever needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from dalembert.recursive.links import Link
from dalembert.recursive.spatial_inertia import RigidInertia, SpatialInertia
from dalembert.recursive.turns import NoTurn, Turn, TwoTurns, combined, structured
from dalembert.vectors import ZERO, Vector, cross, plus_cross, plus_product, vector


@dataclass(frozen=True, eq=False)
class Spatial:
    """An acceleration (of turning, of the origin) or a force (couple, force)."""

    a: Vector
    b: Vector

    def __add__(self, other: Spatial) -> Spatial:
        return Spatial(self.a + other.a, self.b + other.b)

    def __sub__(self, other: Spatial) -> Spatial:
        return Spatial(self.a - other.a, self.b - other.b)

    def array(self) -> np.ndarray:
        return np.concatenate([self.a, self.b])

    @staticmethod
    def of(six: np.ndarray) -> Spatial:
        return Spatial(six[:3], six[3:])


AnyInertia = TypeVar("AnyInertia", RigidInertia, SpatialInertia)

NOTHING = Spatial(ZERO, ZERO)
NO_MODES = np.zeros(0)


@dataclass(frozen=True, eq=False)
class JointValues:
    """A joint's coordinates, speeds, and prescribed accelerations (0 where free)."""

    q: np.ndarray
    u: np.ndarray
    udot: np.ndarray


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the link frame lies in the parent's: turn X and arm p; its joint's rotation R_PC; and the joint's motion
    S = (turning, R_PCᵀ sliding) in link axes.

    p = near + X z along: of the arm, what lies along the joint's axis is best gone before turning, where it has one component. The foot
    of that piece is the origin of the joint's frame. X = outer inner, from the link's axes to the joint's, and from there to the
    parent's. Where the joint turns about an axis that is the same for both, the joint's axes are those before turning: what the
    joint does can then be found while inertias are still being turned. Else they are the link's.
    """

    outer: Turn
    inner: Turn
    p: Vector
    near: Vector
    along: Any
    R: np.ndarray
    S: np.ndarray

    @property
    def X(self) -> Turn:
        return self.outer if isinstance(self.inner, NoTurn) else TwoTurns(self.outer, self.inner)


@dataclass(frozen=True, eq=False)
class Moving:
    """Angular velocity w of the link; the part c of its angular acceleration that needs neither u̇ nor the parent's, in the joint's
    axes; and the acceleration b that its origin would have if all others were zero: how it moves when no speed and no turning changes.
    """

    w: Vector
    c: Vector
    b: Vector


@dataclass(frozen=True, eq=False)
class Factor:
    """What the way back outward needs: K = U D⁻¹ and y = D⁻¹ r."""

    K: np.ndarray
    y: np.ndarray


def place(link: Link, q: np.ndarray) -> Placement:
    """The link's pose in its parent, and its joint's motion columns."""
    joint = link.joint
    shifted = vector([q[0] + link.phase, *q[1:]]) if joint.spins_about_z else q
    moving = joint.rotation(shifted) @ link.spin
    on_ground = link.parent == 0
    X = TwoTurns(structured(link.E), structured(moving)) if on_ground else combined(link.E, moving)
    slide = joint.translation(q)
    p = link.p + link.E @ slide
    near, along = (vector([link.p[0], 0.0, 0.0]), link.along + slide[2]) if _nonzero(link.along) else (p, 0.0)
    S = np.vstack([joint.turning(q), moving.T @ joint.sliding(q)])
    outer: Turn = X
    inner: Turn = NoTurn()
    if isinstance(X, TwoTurns) and joint.spins_about_z and not on_ground:
        outer, inner = X.outer, X.inner
    return Placement(outer, inner, p, near, along, moving, S)


def move(link: Link, at: Placement, values: JointValues, w_J: Vector, b_J: Vector) -> Moving:
    """ω = Xᵀ ω_J + ω̂;  c = ω × ω̂ + ω̂';  b = Xᵀ(b_J + ω_J × (ω_J × near + 2 v̂)) + v̂' + ω × (ω × along);  S u̇_prescribed in c and b;

    with ω̂, v̂ the joint's own velocity and ' its change at constant speeds.
    """
    joint, q, u = link.joint, values.q, values.u
    own = joint.turning(q) @ u
    slide = link.E @ (joint.sliding(q) @ u)
    before = at.outer.back(w_J)
    w = at.inner.back(before) + own
    turning = cross(before, own) + joint.turning_rate(q, u) @ u
    sliding = at.X.back(plus_cross(b_J, w_J, cross(w_J, at.near) + slide + slide))
    sliding = plus_cross(sliding, w, cross(w, _along(at))) + at.R.T @ (joint.sliding_rate(q, u) @ u)
    driven = Spatial.of(at.S @ values.udot)
    return Moving(w, turning + driven.a, sliding + driven.b)


def accelerated(
    link: Link, at: Placement, values: JointValues, w_J: Vector, a_J: Spatial, udot: np.ndarray
) -> tuple[Vector, Spatial]:
    """Angular velocity and acceleration of the link, where the change u̇ of its free speeds is known."""
    moving = move(link, at, values, w_J, a_J.b + cross(a_J.a, at.near))
    turning = at.inner.back(at.outer.back(a_J.a) + moving.c)
    a = Spatial(turning, moving.b + cross(turning, _along(at)))
    S = at.S[:, link.source.free]
    return moving.w, a + Spatial.of(S @ udot) if len(udot) else a


def to_parent(at: Placement, force: Spatial) -> Spatial:
    """A force on the link, taken at the parent's origin in the parent's axes."""
    return _joint_force_to_parent(at, force_in_joint(at, force))


def inertia_to_parent(at: Placement, I: AnyInertia) -> AnyInertia:
    """The inertia of what hangs on the link, in the parent's frame."""
    return inertia_in_joint(at, I).turned(at.outer).slid(at.near)


def force_in_joint(at: Placement, force: Spatial) -> Spatial:
    """A force on the link, in the joint's frame."""
    return Spatial(at.inner.out(force.a + cross(_along(at), force.b)), at.inner.out(force.b))


def inertia_in_joint(at: Placement, I: AnyInertia) -> AnyInertia:
    """The inertia of what hangs on the link, in the joint's frame."""
    slid = I.slid(_along(at)) if _nonzero(at.along) else I
    return slid if isinstance(at.inner, NoTurn) else slid.turned(at.inner)


def _joint_force_to_parent(at: Placement, force: Spatial) -> Spatial:
    f = at.outer.out(force.b)
    return Spatial(at.outer.out(force.a) + cross(at.near, f), f)


def _acceleration_of_joint(at: Placement, parent: Spatial) -> Spatial:
    """The parent's acceleration, in the joint's frame."""
    return Spatial(at.outer.back(parent.a), at.outer.back(parent.b + cross(parent.a, at.near)))


def _acceleration_of_link(at: Placement, joint: Spatial) -> Spatial:
    """The acceleration of the link in the joint's frame, in its own."""
    a = at.inner.back(joint.a)
    return Spatial(a, at.inner.back(joint.b) + cross(a, _along(at)))


def _along(at: Placement) -> Vector:
    return vector([0.0, 0.0, at.along])


def bias_force(inertia: RigidInertia, w: Vector, a: Spatial, applied: Spatial) -> Spatial:
    """What turning at the rate ω and the acceleration a demand, less the applied force."""
    return Spatial(*inertia.demands(w, a.a, a.b)) - applied


# -- articulated bodies ------------------------------------------------------------------------------------------------
def factorise(
    link: Link, at: Placement, I: SpatialInertia, p: Spatial, tau: np.ndarray, modal: np.ndarray = NO_MODES
) -> tuple[Factor, np.ndarray]:
    """U = I S + C, D = SᵀU + CᵀS + E + J, K = U D⁻¹, y = D⁻¹(τ − Sᵀp − p_modal), on free speeds, in the joint's frame; and U.

    The modes of an elastic body, last among the speeds, bring C, E and p_modal; a rigid one has none.
    Where a column of S is a coordinate direction e_k and the joint has no armature, row k of K is known beforehand: a unit row.
    """
    S = at.S[:, link.source.free]
    n = S.shape[1]
    before = n - len(modal)
    U, D = joint_inertia(link, at, I)
    r = tau - S.T @ p.array() - np.concatenate([np.zeros(before), modal])
    y, Kt = solve_symmetric(D, r, U.T)
    K = Kt.T
    for j, k in known_rows(link, S[:, :before]):
        K[k] = np.eye(n)[j]
    return Factor(K, y), U


def joint_inertia(link: Link, at: Placement, I: SpatialInertia) -> tuple[np.ndarray, np.ndarray]:
    """U and D of `factorise`."""
    S = at.S[:, link.source.free]
    n_modes = I.C.shape[1]
    before = S.shape[1] - n_modes
    U = I.matrix() @ S + np.hstack([np.zeros((6, before)), I.C])
    modal = I.C.T @ S + np.hstack([np.zeros((n_modes, before)), I.E])
    D = S.T @ U + np.vstack([np.zeros((before, S.shape[1])), modal])
    if _nonzero(link.armature):
        D = D + np.diag([link.armature] * before + [0.0] * n_modes)
    return U, D


def articulated_to_parent(
    link: Link, at: Placement, I: SpatialInertia, p: Spatial, U: np.ndarray, factor: Factor, c: Vector, tau: np.ndarray
) -> tuple[SpatialInertia, Spatial]:
    """Ia = I − K Uᵀ and pa = p + Ia (c, 0) + K r, in the parent's frame. Along a coordinate direction of S, Ia is 0 and pa is τ."""
    S = at.S[:, link.source.free]
    I6 = I.matrix()
    Ia = np.zeros((6, 6), dtype=np.result_type(I6.dtype, U.dtype, factor.K.dtype))
    known = dict((k, j) for j, k in known_rows(link, S[:, : len(S.T) - I.C.shape[1]]))
    open_rows = [i for i in range(6) if i not in known]
    for i in open_rows:
        for j in open_rows:
            if j <= i:
                Ia[i, j] = Ia[j, i] = I6[i, j] - factor.K[i] @ U[j] if len(S.T) else I6[i, j]
    force = plus_product(plus_product(p.array(), Ia[:, :3], c), U, factor.y)
    for k, j in known.items():
        force[k] = tau[j]
    handed = SpatialInertia.of(Ia).turned(at.outer).slid(at.near)
    return handed, _joint_force_to_parent(at, Spatial.of(force))


def accelerate(link: Link, at: Placement, factor: Factor, c: Vector, parent: Spatial) -> tuple[np.ndarray, Spatial]:
    """u̇ = y − Kᵀ(a_parent + (c, 0)) and the link's acceleration; accelerations of points are those beyond b."""
    before = (_acceleration_of_joint(at, parent) + Spatial(c, ZERO)).array()
    S = at.S[:, link.source.free]
    if not len(S.T):
        return np.zeros(0), _acceleration_of_link(at, Spatial.of(before))
    known = dict(known_rows(link, S[:, : link.source.n_own]))
    open_rows = [i for i in range(6) if i not in known.values()]
    first, second = [i for i in open_rows if i < 3], [i for i in open_rows if i >= 3]
    part = (factor.y - factor.K[first].T @ before[first]) - factor.K[second].T @ before[second]
    udot = np.array([x - before[known[j]] if j in known else x for j, x in enumerate(part)])
    after = before + S @ udot
    for j, k in known.items():
        if not any(_nonzero(S[k, i]) for i in range(len(udot)) if i != j):
            after[k] = part[j]  # the same number with one rounding less
    return udot, _acceleration_of_link(at, Spatial.of(after))


def accelerate_root(
    link: Link, at: Placement, I: SpatialInertia, p: Spatial, c: Vector, tau: np.ndarray
) -> tuple[np.ndarray, Spatial]:
    """The same for a link on the ground, which does not move: D u̇ = τ − Sᵀp − Uᵀ(c, 0), with I and p in the joint's frame."""
    S = at.S[:, link.source.free]
    U, D = joint_inertia(link, at, I)
    r = tau - S.T @ p.array() - U[:3].T @ c
    udot, _ = solve_symmetric(D, r, np.zeros((len(r), 0)))
    return udot, _acceleration_of_link(at, Spatial(c, ZERO) + Spatial.of(S @ udot))


def known_rows(link: Link, S: np.ndarray) -> list[tuple[int, int]]:
    """(column j, row k) where row k of K = U D⁻¹ is e_j beforehand: column j of S is e_k, and D has nothing but SᵀU."""
    return [] if _nonzero(link.armature) else unit_rows(S)


def unit_rows(S: np.ndarray) -> list[tuple[int, int]]:
    """(column j, row k) where column j of S is exactly e_k."""
    found = []
    for j in range(S.shape[1]):
        filled = [i for i in range(6) if _nonzero(S[i, j])]
        if len(filled) == 1 and not _traced(S[filled[0], j]) and S[filled[0], j] == 1.0:
            found.append((j, filled[0]))
    return found


def solve_symmetric(D: np.ndarray, r: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D⁻¹ r and D⁻¹ rows for a small positive definite D, by LDLᵀ; each pivot is divided by once."""
    n = len(r)
    L = [[0.0] * n for _ in range(n)]
    scaled = [[0.0] * n for _ in range(n)]
    inverse: list[Any] = []
    for j in range(n):
        d = D[j, j]
        for k in range(j):
            d = d - L[j][k] * scaled[j][k]
        inverse.append(1.0 / d)
        for i in range(j + 1, n):
            x = D[i, j]
            for k in range(j):
                x = x - scaled[i][k] * L[j][k]
            scaled[i][j], L[i][j] = x, x * inverse[j]
    wanted = np.column_stack([r, rows]) if n else np.zeros((0, 1 + rows.shape[1]))
    X = [wanted[i] for i in range(n)]
    for i in range(n):
        for k in range(i):
            X[i] = X[i] - L[i][k] * X[k]
    X = [X[i] * inverse[i] for i in range(n)]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            X[i] = X[i] - L[k][i] * X[k]
    solved = np.array(X) if n else wanted
    return solved[:, 0], solved[:, 1:]


def _traced(x: Any) -> bool:
    return not isinstance(x, (int, float))


def _nonzero(x: Any) -> bool:
    return _traced(x) or x != 0.0
