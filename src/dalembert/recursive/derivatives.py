"""Derivatives of inverse dynamics in closed form, for joints whose motion columns are constant in link axes.

In world axes about the world's origin, the derivative of the force of a subtree along a speed's direction S needs only composite
quantities of that subtree: inertia I, momentum, force F and the matrix 2B of velocity products (Singh, Russell and Wensing's form).
A pair of joints on one path then costs a few dot products. Directions of q are those of the speeds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.recursive.algorithms import Tree
from dalembert.recursive.inertia import RigidInertia
from dalembert.recursive.steps import NOTHING, Spatial
from dalembert.recursive.turns import FullTurn
from dalembert.vectors import IDENTITY, ZERO, Matrix, Vector, cross, skew


@dataclass(frozen=True, eq=False)
class Differentiated:
    """The mass matrix, and ∂τ/∂q, ∂τ/∂u of inverse dynamics without applied forces; n_u × n_u each."""

    A: np.ndarray
    q: np.ndarray
    u: np.ndarray


@dataclass(frozen=True, eq=False)
class Column:
    """A free speed's motion column S, with V_J × S, A_J × S + V_J × (V_J × S), and the rate of S."""

    index: int
    joint: int
    S: Spatial
    psi: Spatial
    psi_rate: Spatial
    S_rate: Spatial


@dataclass(frozen=True, eq=False)
class Composite:
    """Of a subtree: inertia, velocity products 2B = [[B, 0], [−2 P̃, 0]], linear momentum P, force F."""

    inertia: RigidInertia
    B: Matrix
    P: Vector
    F: Spatial

    def __add__(self, other: Composite) -> Composite:
        return Composite(self.inertia + other.inertia, self.B + other.B, self.P + other.P, self.F + other.F)


def motion_columns_are_constant(tree: Tree) -> bool:
    """Whether the closed form applies: no motion column depends on the coordinates, no body has any of its own."""
    return not tree.mechanism.elastic and all(isinstance(x, float) for at in tree.placements for x in at.S.ravel())


def inverse_dynamics_derivatives(tree: Tree, udot: Any) -> Differentiated:
    """At the state of the tree and the accelerations u̇ of the free speeds."""
    columns, composite = _outward(tree, udot)
    n = tree.mechanism.n_u
    A, dq, du = (np.zeros((n, n), dtype=object) for _ in range(3))
    for k in reversed(range(len(tree.links))):
        C = composite[k]
        for c in (c for c in columns[k] if c.joint == k):
            t = Spatial(*C.inertia.times(c.S.a, c.S.b))
            turned = _force_cross(c.S, C.F)
            moved = _products(C, c.psi.a) + Spatial(*C.inertia.times(c.psi_rate.a, c.psi_rate.b))
            both = c.psi + c.S_rate
            F2 = _products(C, c.S.a) + Spatial(*C.inertia.times(both.a, both.b))
            w = C.B.T @ c.S.a - _twice(cross(c.S.b, C.P))
            for o in columns[k]:
                A[c.index, o.index] = A[o.index, c.index] = _dot(t, o.S)
                dq[o.index, c.index] = _dot(o.S, moved if o.joint == k else moved + turned)
                du[o.index, c.index] = _dot(o.S, F2)
                if o.joint != k:
                    dq[c.index, o.index] = w @ o.psi.a + _dot(t, o.psi_rate)
                    du[c.index, o.index] = w @ o.S.a + _dot(t, o.psi + o.S_rate)
        parent = tree.links[k].parent
        if parent:
            composite[parent - 1] = composite[parent - 1] + C
    return Differentiated(A, dq, du)


def world_inverse_dynamics(tree: Tree, udot: Any) -> np.ndarray:
    """τ = S·F without applied forces: inverse dynamics from the same world quantities, for one pass more over what is shared."""
    columns, composite = _outward(tree, udot)
    tau = np.zeros(tree.mechanism.n_u, dtype=object)
    for k in reversed(range(len(tree.links))):
        for c in (c for c in columns[k] if c.joint == k):
            tau[c.index] = _dot(c.S, composite[k].F)
        parent = tree.links[k].parent
        if parent:
            composite[parent - 1] = composite[parent - 1] + composite[k]
    return tau


def _outward(tree: Tree, udot: Any) -> tuple[list[list[Column]], list[Composite]]:
    """World motion of every body; the columns on its path; its own contribution to the composites."""
    ground: tuple[Any, ...] = (IDENTITY, ZERO, NOTHING, tree.ground, [])
    bodies: list[tuple[Any, ...]] = [ground]
    composite = []
    for k, (link, at, values) in enumerate(zip(tree.links, tree.placements, tree.values)):
        R_J, p_J, V_J, A_J, path = bodies[link.parent]
        R, p = np.array([at.X.back(row) for row in R_J]), p_J + R_J @ at.p
        free = dict(zip(link.source.free, link.source.columns))
        S = [_column(R, p, at.S[:, i]) for i in range(link.joint.n_u)]
        V, A = V_J, A_J
        for i, s in enumerate(S):
            V = V + _times(s, values.u[i])
        rates = [_motion_cross(V, s) for s in S]
        for i, s in enumerate(S):
            given = udot[free[i]] if i in free else values.udot[i]
            A = A + _times(s, given) + _times(rates[i], values.u[i])
        own = []
        for i, index in free.items():
            psi = _motion_cross(V_J, S[i])
            own.append(Column(index, k, S[i], psi, _motion_cross(A_J, S[i]) + _motion_cross(V_J, psi), rates[i]))
        bodies.append((R, p, V, A, [*path, *own]))
        composite.append(_contribution(link.inertia.carried(FullTurn(R), p), V, A))
    return [b[4] for b in bodies[1:]], composite


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
