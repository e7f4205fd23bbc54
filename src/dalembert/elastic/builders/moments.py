"""Moments of the fields, from mass points, nodal bodies and quadrature points, or from a scalar mass matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.elastic.tensors import EPS


@dataclass(frozen=True, eq=False)
class Moments:
    """m, S, P, G0, H as in `ElasticBody`."""

    m: float
    S: np.ndarray
    P: np.ndarray
    G0: np.ndarray
    H: np.ndarray


def from_points(
    m: np.ndarray,
    r: np.ndarray,
    Phi: np.ndarray,
    D: np.ndarray | None = None,
    Psi: np.ndarray | None = None,
    G: np.ndarray | None = None,
) -> Moments:
    """Moments of points m (K,) at r (K, 3) with displacements Phi (K, 3, n) and second-order displacements G (K, n, n, 3).

    A point may be a small rigid body with second moments D = ∫d dᵀdm (K, 3, 3) that turns by Psi (K, 3, n):
    P_ab += B_a D B_bᵀ with B_0 = 1, B_j = ψ̃_j, and H_ij += D sym(ψ̃_i ψ̃_j)ᵀ, its own second-order displacement. Without that
    last term a body that turns with the spin would be softened by −ω²Jψ.
    """
    n = Phi.shape[2]
    F = np.concatenate((r[:, :, None], Phi), axis=2)
    S = np.einsum("k,kai->ia", m, F)
    P = np.einsum("k,kai,kbj->ijab", m, F, F, optimize=True)
    G0, H = np.zeros((n, n, 3)), np.zeros((n, n, 3, 3))
    if G is not None:
        G0 = np.einsum("k,kija->ija", m, G)
        H = np.einsum("k,ka,kijb->ijab", m, r, G, optimize=True)
    if D is not None and Psi is not None:
        B = np.zeros((len(m), n + 1, 3, 3))
        B[:, 0] = np.eye(3)
        B[:, 1:] = -np.einsum("abc,kci->kiab", EPS, Psi)
        P = P + np.einsum("kiac,kcd,kjbd->ijab", B, D, B, optimize=True)
        twice = np.einsum("kiac,kjcb->kijab", B[:, 1:], B[:, 1:])
        H = H + np.einsum("kac,kijbc->ijab", D, 0.5 * (twice + np.swapaxes(twice, 1, 2)), optimize=True)
    return Moments(float(m.sum()), S, P, G0, H)


def from_scalar_mass(Ms: np.ndarray, r: np.ndarray, Phi: np.ndarray) -> Moments:
    """Moments of a finite-element model with the same mass matrix Ms (K, K) in every direction: P_ab = φ_aᵀ Ms φ_b, component by
    component.

    Exact where the elements' shape functions also give the place (isoparametric elements).
    """
    n = Phi.shape[2]
    F = np.concatenate((r[:, :, None], Phi), axis=2)
    MF = np.einsum("kl,lbj->kbj", Ms, F, optimize=True) if isinstance(Ms, np.ndarray) else _sparse(Ms, F)
    S = np.einsum("kai->ia", MF)
    P = np.einsum("kai,kbj->ijab", F, MF, optimize=True)
    return Moments(float(np.sum(Ms)), S, P, np.zeros((n, n, 3)), np.zeros((n, n, 3, 3)))


def _sparse(Ms: np.ndarray, F: np.ndarray) -> np.ndarray:
    return np.asarray(Ms @ F.reshape(len(F), -1)).reshape(F.shape)
