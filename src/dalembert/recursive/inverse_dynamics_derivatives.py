"""Derivatives of inverse dynamics in closed form, for joints whose columns are constant: in link axes, or, sliding, in the parent's.

In world axes about the world's origin, the derivative of the force of a subtree along a speed's direction S needs only composite
quantities of that subtree: inertia I, momentum, force F and the matrix 2B of velocity products (Singh, Russell and Wensing's form).
A pair of joints on one path then costs a few dot products. Directions of q are those of the speeds. A joint that slides in its
parent's axes and turns (a free one, a planar one) is two: its slides are inboard of its turns, with nothing between.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.recursive.algorithms import Tree
from dalembert.recursive.links import Link
from dalembert.recursive.spatial_inertia import RigidInertia
from dalembert.recursive.steps import NOTHING, JointValues, Placement, Spatial
from dalembert.recursive.turns import FullTurn
from dalembert.trace import symbols
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector, cross, skew


@dataclass(frozen=True, eq=False)
class InverseDynamicsDerivatives:
    """The mass matrix, and ∂τ/∂q, ∂τ/∂u of inverse dynamics without applied forces; n_u × n_u each."""

    A: np.ndarray
    q: np.ndarray
    u: np.ndarray


@dataclass(frozen=True, eq=False)
class MotionColumn:
    """A free speed's motion column S, with ψ = V_J × S, A_J × S + V_J × (V_J × S), and ψ plus the rate of S."""

    S: Spatial
    psi: Spatial
    psi_rate: Spatial
    both: Spatial
    slides: bool
    """Whether it is constant in the parent's axes, and inboard of the joint's turns."""


@dataclass(frozen=True, eq=False)
class Composite:
    """Composite of a subtree: inertia, velocity products 2B = [[B, 0], [−2 P̃, 0]], linear momentum P, force F."""

    inertia: RigidInertia
    B: Matrix
    P: Vector
    F: Spatial

    def __add__(self, other: Composite) -> Composite:
        return Composite(self.inertia + other.inertia, self.B + other.B, self.P + other.P, self.F + other.F)


def motion_columns_are_constant(tree: Tree) -> bool:
    """Whether the closed form applies, and no body has coordinates of its own."""
    return (
        not tree.changed
        and not tree.mechanism.elastic
        and all(columns_are_constant(link, at) for link, at in zip(tree.links, tree.placements))
    )


def columns_are_constant(link: Link, at: Placement) -> bool:
    """Whether every column of a joint is constant in link axes, or slides only, in constant directions of its parent's axes."""
    sliding = sliding_columns(at)
    q = symbols("#q.", range(link.joint.n_q))
    given = np.vstack([link.joint.turning(q), link.joint.sliding(q)])[:, sliding]
    return all(isinstance(x, float) for x in given.ravel()) and not given[:3].any()


def sliding_columns(at: Placement) -> list[int]:
    """Those not constant in link axes."""
    return [i for i in range(at.S.shape[1]) if not all(isinstance(x, float) for x in at.S[:, i])]


@dataclass(frozen=True, eq=False)
class Outward:
    """World motion of a link, the columns of its free speeds, and its own contribution to the composites."""

    R: Matrix
    p: Vector
    V: Spatial
    A: Spatial
    columns: list[MotionColumn]
    composite: Composite


def outward(
    link: Link, at: Placement, values: JointValues, udot: Any, R_J: Matrix, p_J: Vector, V_J: Spatial, A_J: Spatial
) -> Outward:
    """Motion of a link from its parent's world motion and the accelerations of its free speeds."""
    R, p = np.array([at.X.back(row) for row in R_J]), p_J + R_J @ at.p
    sliding = sliding_columns(at)
    along = R_J @ (link.E @ link.joint.sliding(values.q)) if sliding else np.zeros((3, 0))
    S = [Spatial(ZERO, along[:, i]) if i in sliding else _column(R, p, at.S[:, i]) for i in range(link.joint.n_u)]
    rate = list(values.udot)
    for i, x in zip(link.source.free, udot):
        rate[i] = x
    columns: dict[int, MotionColumn] = {}
    V, A = V_J, A_J
    for group in (sliding, [i for i in range(len(S)) if i not in sliding]):
        V_in, A_in = V, A
        for i in group:
            V = V + _times(S[i], values.u[i])
        for i in group:
            turned = _motion_cross(V, S[i])
            A = A + _times(S[i], rate[i]) + _times(turned, values.u[i])
            psi = _motion_cross(V_in, S[i])
            further = _motion_cross(A_in, S[i]) + _motion_cross(V_in, psi)
            columns[i] = MotionColumn(S[i], psi, further, psi + turned, i in sliding)
    own = [columns[i] for i in link.source.free]
    return Outward(R, p, V, A, own, _contribution(link.inertia.in_parent(FullTurn(R), p), V, A))


@dataclass(frozen=True, eq=False)
class Terms:
    """What a subtree makes of a column: t = I S, its force turned along, its force's rates along q and u, and w for columns inboard."""

    t: Spatial
    turned: Spatial
    moved: Spatial
    F2: Spatial
    w: Vector


def terms(C: Composite, c: MotionColumn) -> Terms:
    return Terms(
        Spatial(*C.inertia.times(c.S.a, c.S.b)),
        _force_cross(c.S, C.F),
        _products(C, c.psi.a) + Spatial(*C.inertia.times(c.psi_rate.a, c.psi_rate.b)),
        _products(C, c.S.a) + Spatial(*C.inertia.times(c.both.a, c.both.b)),
        C.B.T @ c.S.a - _twice(cross(c.S.b, C.P)),
    )


def inverse_dynamics_derivatives(tree: Tree, udot: Any) -> InverseDynamicsDerivatives:
    """At the state of the tree and the accelerations u̇ of the free speeds."""
    columns, composite = _outward(tree, udot)
    n = tree.mechanism.n_u
    A, dq, du = (np.zeros((n, n), dtype=object) for _ in range(3))
    for k in reversed(range(len(tree.links))):
        for i, c in _own(tree, columns, k):
            x = terms(composite[k], c)
            inboard = []
            for j, o in _own(tree, columns, k):
                if o.slides == c.slides:
                    A[i, j], dq[j, i], du[j, i] = _dot(x.t, o.S), _dot(o.S, x.moved), _dot(o.S, x.F2)
                elif o.slides:
                    inboard.append((j, o))
            A[i, i] = A[i, i] + tree.links[k].armature
            parent = tree.links[k].parent
            while parent:
                inboard += _own(tree, columns, parent - 1)
                parent = tree.links[parent - 1].parent
            moved = x.moved + x.turned
            for j, o in inboard:
                A[i, j] = A[j, i] = _dot(x.t, o.S)
                dq[j, i], du[j, i] = _dot(o.S, moved), _dot(o.S, x.F2)
                dq[i, j] = x.w @ o.psi.a + _dot(x.t, o.psi_rate)
                du[i, j] = x.w @ o.S.a + _dot(x.t, o.both)
        parent = tree.links[k].parent
        if parent:
            composite[parent - 1] = composite[parent - 1] + composite[k]
    return InverseDynamicsDerivatives(A, dq, du)


def world_inverse_dynamics(tree: Tree, udot: Any) -> np.ndarray:
    """τ = S·F without applied forces: inverse dynamics from the same world quantities, for one pass more over what is shared."""
    columns, composite = _outward(tree, udot)
    tau = np.zeros(tree.mechanism.n_u, dtype=object)
    for k in reversed(range(len(tree.links))):
        for i, c in _own(tree, columns, k):
            tau[i] = _dot(c.S, composite[k].F) + tree.links[k].armature * udot[i]
        parent = tree.links[k].parent
        if parent:
            composite[parent - 1] = composite[parent - 1] + composite[k]
    return tau


def _outward(tree: Tree, udot: Any) -> tuple[list[list[MotionColumn]], list[Composite]]:
    """The columns of every link, and its own contribution to the composites."""
    made: list[Outward] = []
    for link, at, values in zip(tree.links, tree.placements, tree.values):
        own = [udot[i] for i in link.source.columns]
        if link.parent:
            J = made[link.parent - 1]
            made.append(outward(link, at, values, own, J.R, J.p, J.V, J.A))
        else:
            made.append(outward(link, at, values, own, IDENTITY, ZERO, NOTHING, tree.ground))
    return [x.columns for x in made], [x.composite for x in made]


def _own(tree: Tree, columns: list[list[MotionColumn]], k: int) -> Iterator[tuple[int, MotionColumn]]:
    """The free speeds of joint k (from 0), numbered, with their columns."""
    return zip(tree.links[k].source.columns, columns[k])


def _contribution(inertia: RigidInertia, V: Spatial, A: Spatial) -> Composite:
    """B = ω̃I − Iω̃ − (ṽh̃ + h̃ṽ) − L̃, F = I A + V ×* I V."""
    L, P = inertia.times(V.a, V.b)
    turned = skew(V.a) @ inertia.I
    vh = V.b @ inertia.h
    products = np.outer(V.b, inertia.h)
    B = turned + turned.T - (products + products.T) + (vh + vh) * IDENTITY - skew(L)
    F = Spatial(*inertia.times(A.a, A.b)) + _force_cross(V, Spatial(L, P))
    return Composite(inertia, B, P, F)


def _column(R: Matrix, p: Vector, S: np.ndarray) -> Spatial:
    w = R @ S[:3]
    return Spatial(w, R @ S[3:] + cross(p, w))


def _products(C: Composite, w: Vector) -> Spatial:
    """2B applied to a motion with angular part w."""
    return Spatial(C.B @ w, -_twice(cross(C.P, w)))


def _twice(v: Vector) -> Vector:
    return v + v


def _times(s: Spatial, x: Any) -> Spatial:
    return Spatial(s.a * x, s.b * x)


def _dot(a: Spatial, b: Spatial) -> Any:
    return a.a @ b.a + a.b @ b.b


def _motion_cross(v: Spatial, s: Spatial) -> Spatial:
    return Spatial(cross(v.a, s.a), cross(v.a, s.b) + cross(v.b, s.a))


def _force_cross(v: Spatial, f: Spatial) -> Spatial:
    return Spatial(cross(v.a, f.a) + cross(v.b, f.b), cross(v.a, f.b))
