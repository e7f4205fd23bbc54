"""Builder: a straight beam along x by finite elements, reduced to its lowest modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from dalembert.elastic.beam_elements import GAUSS, BeamElements, Material, NodalBody, Points, Section
from dalembert.elastic.body import ElasticBody
from dalembert.elastic.foreshortening import Foreshortening
from dalembert.elastic.frames import buckens
from dalembert.elastic.moments import from_points
from dalembert.elastic.node import Node
from dalembert.elastic.reduction import eigenmodes
from dalembert.elastic.sections import sections
from dalembert.elastic.slices import Slices
from dalembert.elastic.sources import Beam, OnBeam, damped, kept
from dalembert.errors import ModelError
from dalembert.system.bodies import MassProperties
from dalembert.system.numbers import number, positive

MOST = 400
"""Elements of a beam: beyond, its matrices would fill the memory and its modes would change by nothing but rounding."""

STATIONS = 17
"""Points of the axis through which a beam is drawn, and at which its inner loads are known."""

COMPONENTS = {"axial": (0,), "y": (1, 5), "z": (2, 4), "torsion": (3,)}
"""Freedoms of a node that take part in each kind of mode: bending in the planes of y and of z, torsion, stretching."""

SUPPORTS: dict[str, Sequence[tuple[int, int]]] = {
    "clamped": [(0, c) for c in range(6)],
    "pinned": [(0, 0), (0, 1), (0, 2), (0, 3), (-1, 1), (-1, 2)],
    "free": [],
}
"""Held (node, freedom) pairs while the modes are sought; with both ends' deflections held the frame is the chord."""

_FRAMES = {"clamped": "attached at its root", "pinned": "chord through both ends"}

Property = float | tuple[float, float] | Callable[[float], float]
"""A number, the values at the beginning and the end, or a function of x."""


def beam(
    length: float,
    *,
    E: float,
    rho: float,
    A: Property,
    Iy: Property,
    Iz: Property,
    J: Property | None = None,
    G: float | None = None,
    shear: float | None = None,
    rotary: bool = True,
    elements: int = 32,
    modes: int | Mapping[str, int] = 4,
    support: Literal["clamped", "pinned", "free"] = "clamped",
    bodies: Mapping[float, MassProperties] | None = None,
    nodes: Mapping[str, float] | None = None,
    stiffening: bool = True,
    damping: Any = None,
) -> ElasticBody:
    """From x = 0 to `length`, with Young's modulus E, density rho and section A, Iy = ∫z²dA, Iz = ∫y²dA, torsion constant J.

    A section property may taper: a pair of end values, or a function of x. `shear` is Timoshenko's shear factor; without it
    the beam is Euler–Bernoulli's. `bodies` are rigid bodies on the beam by their place x. `modes` is a number, or one per kind
    of "y", "z", "torsion", "axial". `support` says how the frame is tied to the beam: "clamped" at the root, "pinned" through
    both ends, "free" in Buckens' frame. `nodes` are places for joints and forces besides "root" and "tip".
    `damping` is the part of critical damping of every natural mode: one number, or one for each.
    """
    model = _elements(length, elements, E, rho, A, Iy, Iz, J, G, shear, rotary, bodies or {})
    F, names = _modes(model, modes, support)
    places = {"root": 0.0, "tip": float(length), **(nodes or {})}
    made = reduced_beam(model, F, places, names, stiffening)
    made = buckens(made) if support == "free" else replace(made, frame=_FRAMES[support])
    made = damped(made, damping)
    if any(map(callable, (A, Iy, Iz, J))):
        return made
    on = tuple(OnBeam(x, b.mass, b.com, b.inertia) for x, b in (bodies or {}).items())
    return kept(
        made,
        Beam(
            length,
            E,
            rho,
            A,
            Iy,
            Iz,
            J,
            G,
            shear,
            rotary,
            elements,
            modes,
            support,
            on,
            dict(nodes or {}),
            stiffening,
            damping,
        ),
    )


def reduced_beam(
    model: BeamElements, F: np.ndarray, places: Mapping[str, float], names: Sequence[str] = (), stiffening: bool = True
) -> ElasticBody:
    """The body with nodal mode shapes F (N, n), whatever reduction they come from."""
    p, n = model.points, F.shape[1]
    Phi, Psi = np.einsum("kaN,Nn->kan", p.U, F), np.einsum("kaN,Nn->kan", p.T, F)
    short = Foreshortening(model, F) if stiffening else None
    G = np.array([_second_order(model, short, p, Psi, k) for k in range(len(p.m))]) if short else None
    moments = from_points(p.m, p.r, Phi, p.D, Psi, G)
    at = {name: _node(model, F, x, short) for name, x in places.items()}
    K = F.T @ model.stiffness @ F
    stations = np.linspace(model.x[0], model.x[-1], STATIONS)
    return ElasticBody(
        moments.m, moments.S, moments.P, 0.5 * (K + K.T), np.zeros((n, n)), moments.G0, moments.H, at, tuple(names),
        stiffened=stiffening, outline=tuple(_node(model, F, float(x), short) for x in stations),
        sections=sections(model, F, stations), slices=_slices(model, F, p, Phi, Psi, G, short),
    )  # fmt: skip


def _slices(
    model: BeamElements, F: np.ndarray, p: Points, Phi: np.ndarray, Psi: np.ndarray, G: np.ndarray | None,
    short: Foreshortening | None,
) -> Slices:  # fmt: skip
    """Points of quadrature, and rigid bodies where they sit; sections between elements."""
    points = tuple(Node.of(p.r[k], Phi[k], Psi[k], None if G is None else G[k]) for k in range(len(p.m)))
    along = np.array([*p.r[: len(p.m) - len(model.bodies), 0], *(model.x[b.node] for b in model.bodies)])
    axis = tuple(_node(model, F, float(x), short) for x in model.x)
    return Slices(p.m, p.D, along, points, np.array(model.x), axis)


def _second_order(model: BeamElements, short: Foreshortening, p: Points, Psi: np.ndarray, k: int) -> np.ndarray:
    """At mass point k: the foreshortening, and for a body beside the axis the second order of its turning arm."""
    n_gauss = len(p.m) - len(model.bodies)
    if k < n_gauss:
        return short.at(p.r[k, 0])
    b = model.bodies[k - n_gauss]
    half = np.cross(Psi[k].T[:, None], np.cross(Psi[k].T[None, :], b.offset))
    return short.at(model.x[b.node]) + 0.5 * (half + np.swapaxes(half, 0, 1))


def _node(model: BeamElements, F: np.ndarray, x: float, short: Foreshortening | None) -> Node:
    """A frame on the axis at the place x."""
    if not model.x[0] - 1e-12 <= x <= model.x[-1] + 1e-12:
        raise ModelError(f"beam: a node at x = {x:g} lies beyond its ends {model.x[0]:g} and {model.x[-1]:g}")
    e = min(int(np.searchsorted(model.x, x, side="right")) - 1, model.count - 1)
    U, T = model.shapes(e, (x - model.x[e]) / model.length(e))[:2]
    shapes = F[6 * e : 6 * e + 12]
    return Node.of([x, 0.0, 0.0], U @ shapes, T @ shapes, short.at(x) if short else None)


def _modes(model: BeamElements, modes: int | Mapping[str, int], support: str) -> tuple[np.ndarray, list[str]]:
    if support not in SUPPORTS:
        raise ModelError(f'beam: support="{support}" is not known; choose one of {", ".join(SUPPORTS)}')
    held = {(n % (model.count + 1), c) for n, c in SUPPORTS[support]}
    kinds: list[tuple[str, tuple[int, ...], int]] = []
    if isinstance(modes, Mapping):
        unknown = [k for k in modes if k not in COMPONENTS]
        if unknown:
            raise ModelError(f'beam: there are no modes "{unknown[0]}"; choose among {", ".join(COMPONENTS)}')
        kinds = [(kind, COMPONENTS[kind], int(count)) for kind, count in modes.items()]
    else:
        kinds = [("mode", tuple(range(6)), int(modes))]
    shapes, names = [], []
    for kind, components, count in kinds:
        freedoms = [6 * i + c for i in range(model.count + 1) for c in components if (i, c) not in held]
        F = eigenmodes(model.mass, model.stiffness, freedoms, count, f"beam, modes {kind}")[1]
        ends = [6 * model.count + c for c in range(6)]
        largest = F[ends][np.abs(F[ends]).argmax(axis=0), range(F.shape[1])]
        shapes.append(F * np.where(largest < 0.0, -1.0, 1.0))
        names += [f"{kind}{i + 1}" for i in range(count)]
    return np.hstack(shapes), names


def _elements(
    length: Any, elements: int, E: Any, rho: Any, A: Property, Iy: Property, Iz: Property, J: Property | None, G: Any,
    shear: float | None, rotary: bool, bodies: Mapping[float, MassProperties],
) -> BeamElements:  # fmt: skip
    L, young = positive(length, "beam: length"), positive(E, "beam: E")
    if not 1 <= elements <= MOST:
        raise ModelError(f"beam: elements={elements} must be from 1 to {MOST}; a few for each mode are enough")
    material = Material(
        young, young / 2.6 if G is None else positive(G, "beam: G"), positive(rho, "beam: rho"), shear, rotary
    )
    stations = np.unique(np.concatenate([np.linspace(0.0, L, elements + 1), [float(x) for x in bodies]]))
    if stations[0] < 0.0 or stations[-1] > L:
        raise ModelError(f"beam: a body is placed beyond its ends 0 and {L:g}")
    given = {"A": A, "Iy": Iy, "Iz": Iz}

    def section(x: float) -> Section:
        values = {k: _at(p, x, L, f"beam: {k}") for k, p in given.items()}
        return Section(**values, J=values["Iy"] + values["Iz"] if J is None else _at(J, x, L, "beam: J"))

    sections = [
        [section(a + xi * (b - a)) for xi, _ in GAUSS] for a, b in zip(stations[:-1].tolist(), stations[1:].tolist())
    ]
    on = [_nodal_body(int(np.argmin(np.abs(stations - x))), body) for x, body in bodies.items()]
    return BeamElements(stations, material, sections, on)


def _nodal_body(node: int, p: MassProperties) -> NodalBody:
    inertia = p.inertia.astype(float)
    return NodalBody(node, float(p.mass), p.com.astype(float), 0.5 * float(np.trace(inertia)) * np.eye(3) - inertia)


def _at(given: Property, x: float, length: float, what: str) -> float:
    if callable(given):
        return float(positive(given(x), what))
    ends = (given, given) if not isinstance(given, (tuple, list)) else given
    first, last = (number(v, what) for v in ends)
    return float(positive(first + (last - first) * x / length, what))
