"""Builder: mass and stiffness matrices of any finite-element program, with the nodes' coordinates, reduced.

Joints and forces act at interfaces: sets of nodes that move together as small rigid bodies. The reduction keeps
Craig–Bampton's shapes (a unit motion of each interface, and modes with the interfaces fixed), Guyan's alone, or free modes.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.builders.data import array, by_name, computed, symmetric, whole
from dalembert.elastic.builders.given_modes import given_modes
from dalembert.elastic.builders.moments import Moments, from_scalar_mass
from dalembert.elastic.builders.reduction import eigenmodes, follow, orthonormal
from dalembert.elastic.floating_frames import attached, buckens
from dalembert.elastic.node import Node
from dalembert.errors import ModelError
from dalembert.limited_read import MB, data_of, read_whole
from dalembert.pivoting import least_squares
from dalembert.vectors import skew

REDUCTIONS = ("craig-bampton", "guyan", "free")
LARGEST = 2048 * MB
"""Bytes of a file, packed or not."""
_SAME = 1e-8
"""Part of the body's size within which two nodes are at one place."""


@dataclass(frozen=True, eq=False)
class FiniteElements:
    """M and K (dense or sparse), freedoms node by node: three displacements, or these and three turns; coordinates (N, 3)."""

    M: Any
    K: Any
    coordinates: np.ndarray

    def __post_init__(self) -> None:
        object.__setattr__(self, "coordinates", array(self.coordinates, (None, 3), "finite elements: coordinates"))
        for name in ("M", "K"):
            object.__setattr__(self, name, _matrix_of(getattr(self, name), f"finite elements: {name}"))
        n = len(self.coordinates)
        if not n or self.M.shape != self.K.shape or self.K.shape[0] not in (3 * n, 6 * n):
            raise ModelError(
                f"finite elements: {n} nodes need M and K with {3 * n} or {6 * n} freedoms, not {self.M.shape} and {self.K.shape}"
            )

    @property
    def per_node(self) -> int:
        return int(self.K.shape[0] // len(self.coordinates))

    def rigid(self, nodes: Sequence[int], about: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Freedoms of some nodes, and their motion (…, 6) when these move as one body: displacement and turn about a point."""
        freedoms, rows = [], []
        for k in nodes:
            freedoms += [self.per_node * k + c for c in range(self.per_node)]
            rows.append(np.hstack([np.eye(3), -skew(self.coordinates[k] - about)]))
            if self.per_node == 6:
                rows.append(np.hstack([np.zeros((3, 3)), np.eye(3)]))
        return np.array(freedoms), np.vstack(rows)


def _matrix_of(given: Any, what: str) -> Any:
    """Finite and symmetric; sparse ones stay so."""
    if hasattr(given, "tocsr"):
        made = given.tocsr().astype(float)
        array(made.data, (None,), what)
    else:
        made = array(given, (None, None), what)
    if made.shape[0] != made.shape[1]:
        raise ModelError(f"{what} must be square, not {made.shape}")
    return symmetric(made, what)


@computed
def from_matrices(
    elements: FiniteElements,
    interfaces: Mapping[str, Sequence[int]],
    *,
    modes: int,
    reduction: str = "craig-bampton",
    frame: str = "buckens",
) -> ElasticBody:
    """`interfaces` are node numbers by name; `modes` are those kept beyond the static shapes (for "free", all); `frame` is "buckens" or
    the interface that the frame is attached to. Without the elements' stresses there is no geometric stiffening."""
    if not isinstance(elements, FiniteElements):
        raise ModelError(f"from_matrices: elements must be FiniteElements(M, K, coordinates), not {elements!r}")
    nodes = _interfaces(elements, interfaces)
    if not isinstance(frame, str) or frame not in ("buckens", *nodes):
        raise ModelError(f"from_matrices: frame={frame!r} is not known; choose one of {', '.join(('buckens', *nodes))}")
    F = reduced_shapes(elements, nodes, whole(modes, "from_matrices: modes"), reduction)
    return body_of_shapes(elements, nodes, F, frame)


def _interfaces(elements: FiniteElements, given: Any) -> dict[str, list[int]]:
    """Numbers of nodes by name, all of them there."""
    count, found = len(elements.coordinates), {}
    for name, nodes in by_name(given, "from_matrices: interfaces").items():
        where = f'from_matrices: interface "{name}"'
        found[name] = [whole(k, where) for k in array(nodes, (None,), where)]
        if not found[name] or max(found[name]) >= count:
            raise ModelError(f"{where} must have nodes, numbered from 0 to {count - 1}")
    return found


def reduced_shapes(
    elements: FiniteElements, interfaces: Mapping[str, Sequence[int]], modes: int, reduction: str
) -> np.ndarray:
    """Mode shapes over all freedoms, uncoupled, without rigid motions."""
    if not isinstance(reduction, str) or reduction not in REDUCTIONS:
        raise ModelError(f"reduction={reduction!r} is not known; choose one of {', '.join(map(repr, REDUCTIONS))}")
    M, K = elements.M, elements.K
    every = range(K.shape[0])
    if reduction == "free":
        return eigenmodes(M, K, every, modes, "free modes")[1]
    if not interfaces:
        raise ModelError(f"reduction={reduction!r} needs interfaces, by whose motions it is made; name at least one")
    parts = [elements.rigid(nodes, elements.coordinates[list(nodes)].mean(axis=0)) for nodes in interfaces.values()]
    fixed = np.concatenate([freedoms for freedoms, _ in parts])
    moved = np.zeros((len(fixed), 6 * len(parts)))
    row = 0
    for i, (freedoms, T) in enumerate(parts):
        moved[row : row + len(freedoms), 6 * i : 6 * i + 6] = T
        row += len(freedoms)
    shapes = [follow(K, fixed, moved)]
    if reduction == "craig-bampton" and modes:
        inner = np.setdiff1d(np.arange(K.shape[0]), fixed)
        shapes.append(eigenmodes(M, K, inner.tolist(), modes, "Craig–Bampton modes")[1])
    return orthonormal(M, K, np.hstack(shapes))


def body_of_shapes(
    elements: FiniteElements, interfaces: Mapping[str, Sequence[int]], F: np.ndarray, frame: str
) -> ElasticBody:
    """The body with these shapes, in the frame asked for."""
    n, per = F.shape[1], elements.per_node
    nodes = {name: interface_node(elements, list(which), F) for name, which in interfaces.items()}
    K = F.T @ (elements.K @ F)
    Ke = 0.5 * (K + K.T)
    shapes = F.reshape(-1, per, n)
    scalar = _scalar_mass(elements) if per == 3 else None
    if scalar is not None:
        m: Moments = from_scalar_mass(scalar, elements.coordinates, shapes)
        made = ElasticBody(m.m, m.S, m.P, Ke, np.zeros((n, n)), m.G0, m.H, nodes)
    else:
        made = _lumped(elements, shapes, Ke, nodes)
    made = buckens(made)
    return made if frame == "buckens" else attached(made, frame)


def interface_node(elements: FiniteElements, which: list[int], F: np.ndarray) -> Node:
    """The mean motion of some nodes: displacement and turn that fit theirs best."""
    r = elements.coordinates[which].mean(axis=0)
    freedoms, T = elements.rigid(which, r)
    if np.linalg.matrix_rank(T) < 6:
        fitted = np.vstack([F[freedoms].reshape(len(which), -1, F.shape[1]).mean(axis=0), np.zeros((3, F.shape[1]))])
    else:
        fitted = least_squares(T, F[freedoms], None)
    return Node.of(r, fitted[:3], fitted[3:])


def _scalar_mass(elements: FiniteElements) -> Any:
    """The mass matrix of one direction, where it is the same in all three and couples none; None otherwise."""
    M = elements.M.tocsr() if not isinstance(elements.M, np.ndarray) else elements.M
    first = M[0::3][:, 0::3]
    size = abs(first).max()
    for a in range(3):
        for b in range(3):
            difference = M[a::3][:, b::3] - (first if a == b else 0.0 * first)
            if abs(difference).max() > _SAME * size:
                return None
    return first


def _lumped(elements: FiniteElements, shapes: np.ndarray, Ke: np.ndarray, nodes: Mapping[str, Node]) -> ElasticBody:
    """Nodal bodies with the row sums of M as masses, and the turns' own row sums as inertias."""
    per, n = elements.per_node, len(elements.coordinates)
    ones = np.zeros((elements.M.shape[0], 2))
    ones[0::per, 0] = 1.0
    m = np.asarray(elements.M @ ones)[0::per, 0]
    if np.any(m <= 0.0):
        raise ModelError(
            "finite elements: lumping the mass matrix gives a node without mass; use a consistent mass without turns"
        )
    turns, D = None, None
    if per == 6:
        turns = shapes[:, 3:]
        diagonal = np.asarray(elements.M.diagonal()).reshape(n, 6)[:, 3:]
        D = np.array([0.5 * J.sum() * np.eye(3) - np.diag(J) for J in np.maximum(diagonal, 0.0)])
    made = given_modes(m, elements.coordinates, shapes[:, :3], Ke, turns=turns, second_moments=D, nodes=nodes)
    return replace(made, stiffened=False)


def load_matrices(
    path: str | Path, stiffness: str | Path | None = None, coordinates: str | Path | None = None
) -> FiniteElements:
    """Read from one NPZ file with M, K and coordinates; or from Matrix Market files of M and K and a text file of coordinates."""
    with data_of(path):
        return _elements(path, stiffness, coordinates)


def _elements(path: str | Path, stiffness: str | Path | None, coordinates: str | Path | None) -> FiniteElements:
    if stiffness is None:
        content = io.BytesIO(read_whole(path, LARGEST))
        with zipfile.ZipFile(content) as packed:
            unpacked = sum(x.file_size for x in packed.infolist())
        if unpacked > LARGEST:
            raise ModelError(f"{path}: its arrays have more than the {LARGEST // MB} MB that are read")
        content.seek(0)
        with np.load(content, allow_pickle=False) as data:
            missing = [k for k in ("M", "K", "coordinates") if k not in data]
            if missing:
                raise ModelError(
                    f"{path}: it has no {', '.join(missing)}; save them with np.savez(path, M=…, K=…, coordinates=…)"
                )
            return FiniteElements(data["M"], data["K"], np.asarray(data["coordinates"], dtype=float))
    if coordinates is None:
        raise ModelError(f"{path}: Matrix Market files hold no coordinates; give a text file with x y z of every node")
    places = np.loadtxt(io.BytesIO(read_whole(coordinates, LARGEST)), ndmin=2)
    return FiniteElements(_matrix(path), _matrix(stiffness), places)


def _matrix(path: str | Path) -> Any:
    """Matrix from a Matrix Market file, whose first line may not promise more than the file can hold."""
    from scipy.io import mminfo, mmread

    content = read_whole(path, LARGEST)
    rows, columns, entries, *_ = mminfo(io.BytesIO(content))
    if max(rows, columns, entries) > len(content):
        raise ModelError(f"{path}: it says that it has {rows} × {columns} elements, for which it is too short")
    made = mmread(io.BytesIO(content))
    return made if isinstance(made, np.ndarray) else made.tocsr()
