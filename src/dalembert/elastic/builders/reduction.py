"""Mode shapes from mass and stiffness matrices: eigenmodes of a fixed or free structure, Craig–Bampton's, Guyan's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dalembert.errors import ModelError

_DENSE = 1500
"""Freedoms up to which all eigenvalues are found by a dense solver."""
_RIGID = 1e-12
"""Part of the freedoms' own strain energies below which a motion counts as rigid."""

_REPRESENTED = 1e-5
"""Part of a shape beyond the span of others, in the norm of strain energy, that is not worth a coordinate."""
SHIFT = 1e-3
"""Shift of the eigenvalue problem below zero, by the mean stiffness over the mean mass: a free body has a singular stiffness."""


def eigenmodes(
    M: Any, K: Any, freedoms: Sequence[int], count: int, what: str = "eigenmodes"
) -> tuple[np.ndarray, np.ndarray]:
    """The lowest `count` flexible modes on the free freedoms: angular frequencies, and columns over all freedoms.

    Mass-normalised. Rigid motions, whose stiffness is rounding, are left out.
    """
    from scipy.linalg import eigh

    free = np.asarray(freedoms, dtype=int)
    Mf, Kf = (_part(X, free, free) for X in (M, K))
    if len(free) <= _DENSE:
        try:
            squares, V = eigh(_dense(Kf), _dense(Mf))
        except np.linalg.LinAlgError as problem:
            raise ModelError(
                f"{what}: some freedoms move no mass, so they have no frequency; keep rotary inertia, or leave those modes out"
            ) from problem
    else:
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import eigsh

        shift = -SHIFT * abs(Kf).diagonal().mean() / abs(Mf).diagonal().mean()
        squares, V = eigsh(csc_matrix(Kf), min(count + 6, len(free) - 1), csc_matrix(Mf), sigma=shift)
        order = np.argsort(squares)
        squares, V = squares[order], V[:, order]
    flexible = _strained(Kf, V)
    rigid = int(np.sum(~flexible))
    squares, V = squares[flexible], V[:, flexible]
    if rigid > 6:
        raise ModelError(f"{what}: {rigid} motions store no energy, so some parts of the structure are not joined")
    if count > len(squares):
        raise ModelError(f"{what}: {count} modes are wanted, but the structure has only {len(squares)}")
    F = np.zeros((M.shape[0], count))
    F[free] = V[:, :count]
    return np.sqrt(squares[:count]), F


def _strained(K: Any, V: np.ndarray) -> np.ndarray:
    """Which columns cost energy: that of a rigid motion is the rounding of what its freedoms would cost one by one."""
    energy = np.einsum("ij,ij->j", V, K @ V)
    alone = np.einsum("ij,i,ij->j", V, np.abs(K.diagonal()), V)
    return np.asarray(energy > _RIGID * alone)


def guyan(K: Any, boundary: Sequence[int]) -> np.ndarray:
    """Static shapes: a unit displacement of each boundary freedom, the others following without load."""
    return follow(K, boundary, np.eye(len(boundary)))


def follow(K: Any, boundary: Sequence[int] | np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Shapes over all freedoms where the boundary moves as given (boundary × n), the others following without load: −K_ii⁻¹K_ib."""
    n, fixed = K.shape[0], np.asarray(boundary, dtype=int)
    inner = np.setdiff1d(np.arange(n), fixed)
    F = np.zeros((n, moved.shape[1]))
    F[fixed] = moved
    if not len(inner):
        return F
    Kii, load = _part(K, inner, inner), -np.asarray(_part(K, inner, fixed) @ moved)
    if _sparse(K):
        from scipy.sparse.linalg import splu

        F[inner] = splu(Kii.tocsc()).solve(load)
    else:
        from scipy.linalg import solve

        F[inner] = solve(Kii, load, assume_a="sym")
    return F


def craig_bampton(M: Any, K: Any, boundary: Sequence[int], count: int) -> np.ndarray:
    """Guyan's static shapes and the lowest `count` modes with the boundary fixed."""
    inner = np.setdiff1d(np.arange(K.shape[0]), np.asarray(boundary, dtype=int))
    fixed = eigenmodes(M, K, inner.tolist(), count, "Craig–Bampton")[1]
    return np.hstack([guyan(K, boundary), fixed])


def orthonormal(M: Any, K: Any, F: np.ndarray, count: int | None = None) -> np.ndarray:
    """The same span in modes that are uncoupled in mass and stiffness, without rigid motions; the lowest `count` of them."""
    from scipy.linalg import eigh

    shapes = F @ eigh(F.T @ (K @ F), F.T @ (M @ F))[1]
    return np.asarray(shapes[:, _strained(K, shapes)][:, :count])


def static_shapes(
    M: np.ndarray, K: np.ndarray, freedoms: Sequence[int], loads: np.ndarray, rigid: np.ndarray | None = None
) -> np.ndarray:
    """Displacements (N, l) under static loads (N, l) on the free freedoms, the others fixed.

    A structure that is free to move as a whole is given its `rigid` motions (N, r): it then carries the loads by its own inertia.
    """
    free = np.asarray(freedoms, dtype=int)
    Mf, Kf, load = M[np.ix_(free, free)], K[np.ix_(free, free)], loads[free]
    if rigid is not None:
        R = rigid[free][:, np.any(rigid[free] != 0.0, axis=0)]
        R = R @ np.linalg.inv(np.linalg.cholesky(R.T @ Mf @ R)).T
        inertial = Mf @ R
        load = load - inertial @ (R.T @ load)
        Kf = Kf + np.trace(Kf) / np.trace(Mf) * inertial @ inertial.T
    F = np.zeros_like(loads)
    unit = 1.0 / np.sqrt(np.diag(Kf))[:, None]  # displacements and turns are of different units
    F[free] = unit * np.linalg.solve(unit * Kf * unit.T, unit * load)
    return F


def independent(K: Any, F: np.ndarray, count: int) -> np.ndarray:
    """The first `count` columns that the ones before them do not hold, orthonormal in strain energy."""
    kept = np.zeros((len(F), 0))
    for column in F.T:
        size = np.sqrt(column @ (K @ column))
        left = column / size
        for _ in range(2):  # once more for the rounding of the first time
            left = left - kept @ (kept.T @ (K @ left))
        rest = np.sqrt(left @ (K @ left))
        if rest > _REPRESENTED and kept.shape[1] < count:
            kept = np.column_stack([kept, left / rest])
    return kept


def uncoupled(M: Any, K: Any, F: np.ndarray) -> np.ndarray:
    """The same span in mass-normalised modes, lowest frequency first, of columns that are orthonormal in strain energy."""
    periods, V = np.linalg.eigh(F.T @ (M @ F))
    return np.asarray((F @ V / np.sqrt(periods))[:, ::-1])


def _part(X: Any, rows: np.ndarray, columns: np.ndarray) -> Any:
    return X.tocsr()[rows][:, columns] if _sparse(X) else X[np.ix_(rows, columns)]


def _dense(X: Any) -> np.ndarray:
    return np.asarray(X.toarray() if _sparse(X) else X)


def _sparse(X: Any) -> bool:
    return not isinstance(X, np.ndarray)
