"""Floating frames as changes of the mode set, second-order terms included.

A frame that follows the body differently sees x' = exp(−b̃q)(x − aq): each mode loses a rigid part a_j + b_j × r. To first
order that is φ'_j = φ_j − a_j − b_j × r. Once the body spins the second order counts as much as the first, so that G must
change as well: G'_ij = G_ij − (b_i × φ'_j + b_j × φ'_i) − ½ (b_i × (b_j × r) + b_j × (b_i × r)), Γ'_ij = Γ_ij − ½ (b_i ×
ψ_j + b_j × ψ_i), and then whatever rigid part G' still has is removed too. The stiffness does not change: rigid motions
cost no energy.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.node import Node
from dalembert.elastic.tensors import axial, skews
from dalembert.errors import ModelError

Rigid = tuple[np.ndarray, np.ndarray]
"""a and b, a row of three per mode (or per pair of modes): the rigid field a + b × r."""
Condition = Callable[[np.ndarray, np.ndarray], Rigid]
"""Rigid part of a field, from its moments ∫φ dm and ∫r φᵀdm."""

_EQUAL = 1e-6
"""Relative difference below which two principal moments count as equal."""


def attached(body: ElasticBody, node: str) -> ElasticBody:
    """The frame that keeps its place and axes at a node."""
    if not isinstance(node, str) or node not in body.nodes:
        raise ModelError(f'attached: the body has no node "{node}"; it has {", ".join(body.nodes) or "none"}')
    at = body.nodes[node]
    first = at.Phi.T - np.cross(at.Psi.T, at.r), at.Psi.T
    moved = _without(body, first)
    at = moved.nodes[node]
    return _named(_without_second(moved, (at.G - np.cross(at.Gam, at.r), at.Gam)), f"attached at node {node}")


def buckens(body: ElasticBody) -> ElasticBody:
    """Mass centre fixed in the frame and ∫ρ × u dm = 0 [C II.A.2.h]: Tisserand's frame, linearised.

    Where all mass lies on a line there is no turn about it to speak of: that turn is left as it was.
    """
    c, Pc = _central(body)
    inverse = np.linalg.pinv(np.trace(Pc) * np.eye(3) - Pc, rcond=_EQUAL, hermitian=True)

    def condition(mean: np.ndarray, product: np.ndarray) -> Rigid:
        b = axial(product - c[:, None] * mean[..., None, :]) @ inverse
        return mean / body.m - np.cross(b, c), b

    return _named(_changed(body, condition), "Buckens")


def principal(body: ElasticBody) -> ElasticBody:
    """Mass centre fixed in the frame, which keeps to the principal axes of inertia to first order [C II.A.2.k].

    About an axis with two equal moments across it there is nothing to keep to: that turn is left as it was.
    """
    c, Pc = _central(body)
    moments, V = np.linalg.eigh(Pc)
    V = V * np.linalg.det(V)
    gap = np.array([moments[1] - moments[2], moments[2] - moments[0], moments[0] - moments[1]])
    known = np.abs(gap) > _EQUAL * moments.max()

    def condition(mean: np.ndarray, product: np.ndarray) -> Rigid:
        Q = product - c[:, None] * mean[..., None, :]
        s = V.T @ (Q + np.swapaxes(Q, -1, -2)) @ V
        off = np.stack([s[..., 1, 2], s[..., 2, 0], s[..., 0, 1]], axis=-1)
        b = np.where(known, off / np.where(known, gap, 1.0), 0.0) @ V.T
        return mean / body.m - np.cross(b, c), b

    free = [name for name, ok in zip(("first", "second", "third"), known) if not ok]
    left = f" (undetermined about the {' and '.join(free)} principal axis, where moments are equal)" if free else ""
    return _named(_changed(body, condition), f"principal axes, to first order{left}")


def _changed(body: ElasticBody, condition: Condition) -> ElasticBody:
    """The condition imposed on the modes, then on the second-order field."""
    moved = _without(body, condition(body.S[1:], body.P[0, 1:]))
    return _without_second(moved, condition(moved.G0, moved.H))


def _central(body: ElasticBody) -> tuple[np.ndarray, np.ndarray]:
    """Mass centre, and ∫ρρᵀdm about it."""
    c = body.com
    return c, body.P[0, 0] - body.m * np.outer(c, c)


def _without(body: ElasticBody, rigid: Rigid) -> ElasticBody:
    """Without the rigid part of the modes, and with what that does to the second order."""
    a, b = rigid
    L = skews(b)
    # the fields in terms of 1, r and the modes: S and P transform bilinearly
    S, P = np.array(body.S), np.array(body.P)
    S[1:] -= body.m * a + L @ body.S[0]
    P[:, 1:] -= np.einsum("ia,jb->ijab", body.S, a) + np.einsum("iac,jbc->ijab", body.P[:, 0], L)
    half = np.array(P)  # columns done; the rows see the new columns
    sums = np.vstack([body.S[:1], S[1:]])
    P[1:] -= np.einsum("ia,jb->ijab", a, sums) + np.einsum("iac,jcb->ijab", L, half[0])
    twice = np.einsum("iac,jcb->ijab", L, L)
    LL = 0.5 * (twice + np.swapaxes(twice, 0, 1))
    one = np.einsum("iab,jb->ija", L, S[1:])
    G0 = body.G0 - one - np.swapaxes(one, 0, 1) - LL @ S[0]
    two = np.einsum("jac,ibc->ijab", P[0, 1:], L)
    H = body.H - two - np.swapaxes(two, 0, 1) - np.einsum("ac,ijbc->ijab", P[0, 0], LL)
    lumps = None if body.lumps is None else body.lumps.seen(a, b)
    return replace(_with_nodes(body, lambda v: _seen(v, a, b, L, LL)), S=S, P=P, G0=G0, H=H, lumps=lumps)


def _with_nodes(body: ElasticBody, see: Callable[[Node], Node]) -> ElasticBody:
    """The body with all its nodes seen from another frame."""
    nodes, outline = {k: see(v) for k, v in body.nodes.items()}, tuple(map(see, body.outline))
    return replace(body, nodes=nodes, outline=outline, slices=None if body.slices is None else body.slices.seen(see))


def _seen(v: Node, a: np.ndarray, b: np.ndarray, L: np.ndarray, LL: np.ndarray) -> Node:
    Phi = v.Phi - a.T - (L @ v.r).T
    moved = np.einsum("iab,bj->ija", L, Phi)
    turned = np.einsum("iab,bj->ija", L, v.Psi)
    G = v.G - moved - np.swapaxes(moved, 0, 1) - LL @ v.r
    Gam = v.Gam - 0.5 * (turned + np.swapaxes(turned, 0, 1))
    return Node.of(v.r, Phi, v.Psi - b.T, G, Gam)


def _without_second(body: ElasticBody, rigid: Rigid) -> ElasticBody:
    """Without the rigid part a_ij + b_ij × r of the second-order field."""
    a, b = rigid
    L = skews(b)
    G0 = body.G0 - body.m * a - np.cross(b, body.S[0])
    H = body.H - np.einsum("a,ijb->ijab", body.S[0], a) - np.einsum("ac,ijbc->ijab", body.P[0, 0], L)

    def seen(v: Node) -> Node:
        return Node.of(v.r, v.Phi, v.Psi, v.G - a - np.cross(b, v.r), v.Gam - b)

    return replace(_with_nodes(body, seen), G0=G0, H=H)


def _named(body: ElasticBody, frame: str) -> ElasticBody:
    return replace(body, frame=frame, static_share={})
