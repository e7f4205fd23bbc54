"""The matrices of source B: C, S, T of the graph, and μ, L, B = T₂μ, D = −L T₂μ of each group of bodies hinged at points [B 1, 22–29].

Vectors are in world axes. In a group that reaches the ground or another external body, that is B's body 1 with an infinite mass: μ is
then the unit matrix but for its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.formulations.absolute.hinged import groups
from dalembert.formulations.absolute.separate_bodies import Bodies, speeds
from dalembert.formulations.printing.quantity import Quantity, blocks, quantity
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.topology.matrices import augmented, augmented_inverse, closed_incidence
from dalembert.vectors import ZERO


def graph_matrices(m: Mechanism) -> list[Quantity]:
    """C of all joints, the cut ones last, and S and T of the tree."""
    vertices = ("ground", *(b.name for b in m.bodies))
    tree, cut = [j.name for j in m.joints], [c.name for c in m.cuts]
    C = closed_incidence(m.tree)
    S = augmented(C[:, : len(tree)])
    T = augmented_inverse(m.tree.outward)
    closed = " (C, C*): the joints that close loops come last" if cut else ""
    words = f"incidence matrix, +1 where a joint leaves a body, −1 where it enters{closed} [B 1, 62]"
    return [
        quantity("C", words, C, vertices, (*tree, *cut)),
        quantity("S", "S = (−e₁ C) [B 22]", S, vertices, ("root", *tree)),
        quantity("T", "T = S⁻¹, −1 where a joint is on the way to a body [B 23–25]", T, ("root", *tree), vertices),
    ]


def body_matrices(b: Bodies) -> list[Quantity]:
    """M and I, and L̃ and Q of the joints' rows."""
    m, n = b.mechanism, b.n
    names = [m.bodies[k - 1].name for k in b.numbers]
    every = speeds(m)
    places, own = every[: 3 * n], every[3 * n :]
    H, h = b.joint_rows
    rows = [f"{c.joint.name} {i + 1}" for c, at in zip(b.connections, b.row_places) for i in range(at.stop - at.start)]
    return [
        quantity("M", "masses, the diagonal of M", [b.masses[k - 1] for k in b.numbers], names),
        quantity(
            "I", "inertia matrices R I Rᵀ about the mass centres, world axes", b.inertia[3 * n :, 3 * n :], own, own
        ),
        quantity("H_r", "joints' rows on r̈: −Cᵀ for the hinge forces [B 8, 49]", H[:, : 3 * n], rows, places),
        quantity("H_omega", "joints' rows on ω̇: −L̃ᵀ and −QᵀCᵀ [B 49]", H[:, 3 * n :], rows, own),
        quantity("u_1", "forces F [B 10]", b.right[: 3 * n], places),
        quantity("u_2", "torques G + C g − ω × Iω [B 10]", b.right[3 * n :], own),
        quantity("u_3", "the joints' right-hand sides: centripetal terms [B 10]", h, rows),
    ]


def barycentric_matrices(s: State) -> list[Quantity]:
    """μ, L, B and D of every group."""
    b, found = Bodies(s), groups(s.mechanism)
    roots = [*([0] if 0 in found.root[1:] else []), *found.floating]
    return [x for root in roots for x in _of_group(b, found.members(root), root, len(roots) > 1)]


def _of_group(b: Bodies, members: Sequence[int], root: int, several: bool) -> list[Quantity]:
    m = b.mechanism
    vertices = list(members) if root else [0, *members]
    names = [m.bodies[k - 1].name if k else "ground" for k in vertices]
    hinges = [c for c in b.connections if c.pointed and c.child in members]
    joints = [c.joint.name for c in hinges]
    C = np.zeros((len(vertices), len(hinges)))
    L: list[list[Any]] = [[ZERO for _ in hinges] for _ in vertices]
    for j, c in enumerate(hinges):
        for k, sign, lever in ((c.parent, 1.0, c.parent_lever), (c.child, -1.0, c.child_lever)):
            i = vertices.index(k) if k in members else 0
            C[i, j] = sign
            L[i][j] = sign * lever.r if k in members else ZERO
    n = len(vertices)
    T2 = np.linalg.inv(np.hstack([-np.eye(n, 1), C]))[1:].round() + 0.0
    mu = _mu([b.masses[k - 1] for k in vertices] if root else None, n)
    B = T2 @ mu
    D = [[-sum((x * B[j, k] for j, x in enumerate(row)), start=ZERO) for k in range(n)] for row in L]
    after, of = (f"_{names[0]}", f" of the group of {names[0]}") if several else ("", "")
    places = [f"{name}.{axis}" for name in names for axis in "xyz"]
    arms = blocks(L) if hinges else np.zeros((len(places), 0))
    return [
        quantity(f"mu{after}", f"μ = E − (1/m) M 1 1ᵀ{of} [B 26]", mu, names, names),
        quantity(f"L{after}", f"L, with elements c_ij R_i ℓ_ij{of} [B 5]", arms, places, joints),
        quantity(f"T2mu{after}", f"B = T₂μ{of} [B 26]", B, joints, names),
        quantity(f"D{after}", f"D = −L T₂μ: vectors d_ik from the barycentres{of} [B 28–29]", blocks(D), places, names),
    ]


def _mu(masses: Sequence[Any] | None, n: int) -> np.ndarray:
    if masses is None:  # the first has an infinite mass
        return np.eye(n) - np.eye(n, 1) @ np.ones((1, n))
    total: Any = sum(masses)
    return np.eye(n) - np.outer(np.array(masses) / total, np.ones(n))
