"""Builder: a solid meshed with scikit-fem, reduced by Craig–Bampton's modes, with geometric stiffening.

For a load b, the static stress σ with the first interface fixed gives Kg_ij = ∫ σ_kl ∂u_i/∂x_k · ∂u_j/∂x_l dV. Per unit of
uniform acceleration, of its gradient, and of a force at a node these are the second-order field's moments and its values
there, with opposite sign: G0_ij,b = −Kg(e_b), H_ij,ab = −Kg(r_a e_b), G_ij,b(node) = −Kg(unit force e_b).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.builders.data import above_zero, by_name, computed, plain, whole, yes_or_no
from dalembert.elastic.builders.finite_elements import FiniteElements, interface_node, reduced_shapes
from dalembert.elastic.builders.moments import from_scalar_mass
from dalembert.elastic.floating_frames import attached, buckens
from dalembert.elastic.node import Node
from dalembert.errors import ModelError
from dalembert.optional import optional

Where = Callable[[np.ndarray], np.ndarray]
"""Coordinates (3, N) → which of them belong to an interface."""


@computed
def solid(
    mesh: Any,
    *,
    E: float,
    nu: float,
    rho: float,
    interfaces: Mapping[str, Where],
    modes: int,
    frame: str | None = None,
    stiffening: bool = True,
) -> ElasticBody:
    """An elastic body from a `skfem.MeshHex` or `skfem.MeshTet` (quadratic elements are used), Young's modulus, Poisson's ratio and
    density.

    `interfaces` say by coordinates which nodes joints and forces act on together. `modes` are kept beyond the interfaces'
    own shapes. The frame is attached to the first interface, or to the one named, or "buckens".
    """
    E, rho = above_zero(E, "solid: E"), above_zero(rho, "solid: rho")
    nu = plain(nu, "solid: nu")
    if not -1.0 < nu < 0.5:
        raise ModelError(f"solid: Poisson's ratio nu must lie between -1 and 0.5, not be {nu:g}")
    modes, stiffening = whole(modes, "solid: modes"), yes_or_no(stiffening, "solid: stiffening")
    model = _discretised(_skfem(), mesh, E, nu, rho)
    interfaces = by_name(interfaces, "solid: interfaces")
    if not interfaces:
        raise ModelError("solid: name at least one interface, where joints and forces act")
    if frame not in (None, "buckens", *interfaces):
        raise ModelError(f"solid: frame={frame!r} is not known; choose one of {', '.join(('buckens', *interfaces))}")
    nodes = {name: _chosen(model.places, where, name) for name, where in interfaces.items()}
    mass_3 = _in_three_directions(model.mass)
    elements = FiniteElements(mass_3, model.stiffness, model.places)
    F = reduced_shapes(elements, nodes, modes, "craig-bampton")
    first = next(iter(nodes))
    rigid = elements.rigid(range(len(model.places)), model.places[nodes[first]].mean(axis=0))[1]
    at = interface_node(elements, nodes[first], F)
    shapes = np.asarray(F - rigid @ np.vstack([at.Phi, at.Psi]))
    made = _attached_to(elements, model, nodes, shapes, first, stiffening)
    wanted = first if frame is None else frame
    if wanted == "buckens":
        return buckens(made)
    return made if wanted == first else attached(made, wanted)


def _skfem() -> Any:
    return optional("skfem", "a solid body", ModelError)


def _chosen(places: np.ndarray, where: Where, name: str) -> list[int]:
    if not callable(where):
        raise ModelError(f'solid: interface "{name}" must be a function of coordinates (3, N), not {where!r}')
    found = np.flatnonzero(where(places.T))
    if len(found) < 3:
        raise ModelError(f'solid: interface "{name}" has {len(found)} nodes; at least three are needed to hold it')
    return [int(i) for i in found]


@dataclass(frozen=True, eq=False)
class _Solid:
    """The discretised continuum, freedoms node by node; `order` are theirs in scikit-fem's basis."""

    basis: Any
    order: np.ndarray
    places: np.ndarray
    mass: Any
    stiffness: Any
    lame: tuple[float, float]

    def geometric(self, u: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        """Kg_ij of the stress of the static displacement u (over freedoms), for mode shapes (freedoms, n)."""
        from skfem.helpers import ddot, eye, sym_grad, trace

        lam, mu = self.lame
        strain = sym_grad(self.basis.interpolate(self._back(u)))
        stress = 2.0 * mu * strain + lam * eye(trace(strain), 3)
        grads = [self.basis.interpolate(self._back(s)).grad for s in shapes.T]
        out = np.empty((len(grads), len(grads)))
        for i, grad in enumerate(grads):
            pulled = np.einsum("kl...,al...->ak...", stress, grad)
            for j in range(i + 1):
                out[i, j] = out[j, i] = float(np.sum(ddot(pulled, grads[j]) * self.basis.dx))
        return out

    def _back(self, values: np.ndarray) -> np.ndarray:
        out = np.empty_like(values)
        out[self.order] = values
        return out


def _discretised(fem: Any, mesh: Any, E: float, nu: float, rho: float) -> _Solid:
    """Quadratic elements, consistent mass."""
    from skfem.models.elasticity import lame_parameters, linear_elasticity
    from skfem.models.poisson import mass

    kinds = {fem.MeshHex: fem.ElementHex2, fem.MeshTet: fem.ElementTetP2}
    kind = next((element for known, element in kinds.items() if isinstance(mesh, known)), None)
    if kind is None:
        raise ModelError(f"solid: {type(mesh).__name__} is no solid mesh; use skfem.MeshHex or skfem.MeshTet")
    scalar = fem.Basis(mesh, kind(), intorder=4)
    basis = scalar.with_element(fem.ElementVector(kind()))
    # which three freedoms of the vector basis sit at each of the scalar basis: they are at the same places
    order = np.empty((scalar.N, 3), dtype=int)
    order[_sorted(scalar.doflocs)] = np.sort(_sorted(basis.doflocs).reshape(-1, 3), axis=1)
    lame = lame_parameters(E, nu)
    K = linear_elasticity(*lame).assemble(basis).tocsr()
    at = order.ravel()
    places = np.ascontiguousarray(scalar.doflocs.T)
    return _Solid(basis, at, places, rho * mass.assemble(scalar).tocsr(), K[at][:, at], lame)


def _sorted(places: np.ndarray) -> np.ndarray:
    return np.asarray(np.lexsort(np.round(places / np.abs(places).max(), 9)))


def _in_three_directions(Ms: Any) -> Any:
    from scipy.sparse import kron

    return kron(Ms, np.eye(3)).tocsr()


def _attached_to(
    elements: FiniteElements,
    model: _Solid,
    nodes: Mapping[str, list[int]],
    shapes: np.ndarray,
    first: str,
    stiffening: bool,
) -> ElasticBody:
    """The body in the frame that the shapes refer to, in which the first interface keeps its place."""
    n = shapes.shape[1]
    m = from_scalar_mass(model.mass, model.places, shapes.reshape(-1, 3, n))
    K = shapes.T @ (elements.K @ shapes)
    at = {name: interface_node(elements, which, shapes) for name, which in nodes.items()}
    still = np.zeros((3, n))
    at[first] = Node.of(at[first].r, still)
    made = ElasticBody(
        m.m, m.S, m.P, 0.5 * (K + K.T), np.zeros((n, n)), m.G0, m.H, at, frame=f"attached at node {first}"
    )
    return _stiffened(model, made, nodes, shapes, elements, first) if stiffening else made


def _stiffened(
    model: _Solid,
    body: ElasticBody,
    nodes: Mapping[str, list[int]],
    shapes: np.ndarray,
    elements: FiniteElements,
    first: str,
) -> ElasticBody:
    """The body with G0, H and the nodes' G from the stresses of unit loads."""
    n = shapes.shape[1]
    fixed, _ = elements.rigid(nodes[first], np.zeros(3))
    loads = []
    for b in range(3):
        push = np.zeros((len(model.places), 3))
        push[:, b] = 1.0
        loads.append(model.mass @ push)
    for a in range(3):
        for b in range(3):
            push = np.zeros((len(model.places), 3))
            push[:, b] = model.places[:, a]
            loads.append(model.mass @ push)
    others = [name for name in nodes if name != first]
    for name in others:
        for b in range(3):
            force = np.zeros((len(model.places), 3))
            force[nodes[name], b] = 1.0 / len(nodes[name])
            loads.append(force)
    moved = _static(elements.K, fixed, np.array([x.ravel() for x in loads]).T)
    Kg = np.array([model.geometric(u, shapes) for u in moved.T])
    G0 = -np.moveaxis(Kg[:3], 0, 2)
    H = -np.moveaxis(Kg[3:12].reshape(3, 3, n, n), (0, 1), (2, 3))
    at = dict(body.nodes)
    for i, name in enumerate(others):
        node = at[name]
        G = -np.moveaxis(Kg[12 + 3 * i : 15 + 3 * i], 0, 2)
        at[name] = Node.of(node.r, node.Phi, node.Psi, G)
    return replace(body, G0=G0, H=H, nodes=at, stiffened=True)


def _static(K: Any, fixed: np.ndarray, loads: np.ndarray) -> np.ndarray:
    """Displacements under loads with some freedoms fixed."""
    from scipy.sparse.linalg import splu

    free = np.setdiff1d(np.arange(K.shape[0]), fixed)
    out = np.zeros_like(loads)
    out[free] = splu(K[free][:, free].tocsc()).solve(loads[free])
    return out
