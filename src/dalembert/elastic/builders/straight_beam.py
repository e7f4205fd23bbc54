"""Builder: a straight beam along x by finite elements, reduced to its lowest modes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.builders.beam_elements import GAUSS, BeamElements, Material, NodalBody, Points, Section
from dalembert.elastic.builders.beam_modes import SUPPORTS, beam_modes
from dalembert.elastic.builders.data import (
    above_zero,
    array,
    by_name,
    computed,
    mass_properties,
    plain,
    whole,
    yes_or_no,
)
from dalembert.elastic.builders.foreshortening import Foreshortening
from dalembert.elastic.builders.moments import from_points
from dalembert.elastic.builders.sources import Beam, OnBeam, damped, kept
from dalembert.elastic.floating_frames import buckens
from dalembert.elastic.node import Node
from dalembert.elastic.sections import sections
from dalembert.elastic.slices import Slices
from dalembert.errors import ModelError
from dalembert.parts.bodies import MassProperties

MOST = 400
"""Elements of a beam: beyond, its matrices would fill the memory and its modes would change by nothing but rounding."""

STATIONS = 17
"""Points of the axis through which a beam is drawn, and at which its inner loads are known."""

_NEXT = 1e-6
"""Part of an element within which a body counts as being at its end."""

_FRAMES = {"clamped": "attached at its root", "pinned": "chord through both ends"}

Property = float | tuple[float, float] | Callable[[float], float]
"""A number, the values at the beginning and the end, or a function of x."""
BEYOND = 1e-12
"""Metres beyond its ends that a place may be on the beam by rounding."""
SHEAR_OF_METAL = 2.6
"""E/G = 2 (1 + ν) of metals, ν = 0.3, where no shear modulus is given."""


@computed
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
    static: bool | None = None,
    bodies: Mapping[float, MassProperties] | None = None,
    nodes: Mapping[str, float] | None = None,
    stiffening: bool = True,
    damping: ArrayLike | None = None,
) -> ElasticBody:
    """A beam from x = 0 to `length`, with Young's modulus E, density rho and section A, Iy = ∫z²dA, Iz = ∫y²dA, torsion constant J.

    A section property may taper: a pair of end values, or a function of x. `shear` is Timoshenko's shear factor; without it
    the beam is Euler–Bernoulli's. `bodies` are rigid bodies on the beam by their place x. `modes` is a number, or one per kind
    of "y", "z", "torsion", "axial". `support` says how the frame is tied to the beam: "clamped" at the root, "pinned" through
    both ends, "free" in Buckens' frame. `static` says whether static shapes of loads at its ends are among the modes, as they
    are in a clamped beam unless said otherwise (`elastic.beam_modes`); with static=False all are natural modes. `nodes` are places
    for joints and forces besides "root" and "tip".
    `damping` is the part of critical damping of every natural mode: one number, or one for each.
    """
    if not isinstance(support, str) or support not in SUPPORTS:
        raise ModelError(f'beam: support="{support}" is not known; choose one of {", ".join(SUPPORTS)}')
    on = {plain(x, "beam: place of a body"): body for x, body in _mapping(bodies, "beam: bodies").items()}
    model = _elements(length, elements, E, rho, A, Iy, Iz, J, G, shear, yes_or_no(rotary, "beam: rotary"), on)
    with_static = support == "clamped" if static is None else yes_or_no(static, "beam: static")
    chosen = beam_modes(model, _counts(modes), support, with_static)
    more = {name: plain(x, f'beam: node "{name}"') for name, x in by_name(nodes, "beam: nodes").items()}
    places = {"root": 0.0, "tip": model.x[-1], **more}
    made = reduced_beam(model, chosen.F, places, chosen.names, yes_or_no(stiffening, "beam: stiffening"))
    made = buckens(made) if support == "free" else replace(made, frame=_FRAMES[support])
    made = damped(replace(made, static_share=chosen.static_share, remarks=(chosen.said,)), damping)
    if any(map(callable, (A, Iy, Iz, J))):
        return made
    carried = tuple(OnBeam(x, b.mass, b.com, b.inertia) for x, b in on.items())
    said = Beam(
        length, E, rho, A, Iy, Iz, J, G, shear, rotary, elements, modes, support, static, carried, more, stiffening, damping,
    )  # fmt: skip
    return kept(made, said)


def reduced_beam(
    model: BeamElements, F: np.ndarray, places: Mapping[str, float], names: Sequence[str] = (), stiffening: bool = True
) -> ElasticBody:
    """The body with nodal mode shapes F (N, n), whatever reduction they come from."""
    p, n = model.points, F.shape[1]
    Phi, Psi = np.einsum("kaN,Nn->kan", p.U, F), np.einsum("kaN,Nn->kan", p.T, F)
    short = Foreshortening(model, F) if stiffening else None
    G = _second_order(model, short, p, Psi) if short else None
    moments = from_points(p.m, p.r, Phi, p.D, Psi, G)
    at = dict(zip(places, _nodes(model, F, list(places.values()), short)))
    K = F.T @ model.stiffness @ F
    stations = np.linspace(model.x[0], model.x[-1], STATIONS)
    return ElasticBody(
        moments.m, moments.S, moments.P, 0.5 * (K + K.T), np.zeros((n, n)), moments.G0, moments.H, at, tuple(names),
        stiffened=stiffening, outline=_nodes(model, F, stations, short),
        sections=sections(model, F, stations), slices=_slices(model, F, p, Phi, Psi, G, short),
    )  # fmt: skip


def _slices(
    model: BeamElements, F: np.ndarray, p: Points, Phi: np.ndarray, Psi: np.ndarray, G: np.ndarray | None,
    short: Foreshortening | None,
) -> Slices:  # fmt: skip
    """Points of quadrature, and rigid bodies where they sit; sections between elements."""
    points = tuple(Node.of(p.r[k], Phi[k], Psi[k], None if G is None else G[k]) for k in range(len(p.m)))
    along = np.array([*p.r[: len(p.m) - len(model.bodies), 0], *(model.x[b.node] for b in model.bodies)])
    axis = _nodes(model, F, model.x, short)
    return Slices(p.m, p.D, along, points, np.array(model.x), axis)


def _second_order(model: BeamElements, short: Foreshortening, p: Points, Psi: np.ndarray) -> np.ndarray:
    """At every mass point: the foreshortening, and for a body beside the axis the second order of its turning arm."""
    n_gauss = len(p.m) - len(model.bodies)
    G = short.at(np.concatenate([p.r[:n_gauss, 0], model.x[[b.node for b in model.bodies]]]))
    for k, b in enumerate(model.bodies, start=n_gauss):
        half = np.cross(Psi[k].T[:, None], np.cross(Psi[k].T[None, :], b.offset))
        G[k] += 0.5 * (half + np.swapaxes(half, 0, 1))
    return G


def _nodes(
    model: BeamElements, F: np.ndarray, x: Sequence[float] | np.ndarray, short: Foreshortening | None
) -> tuple[Node, ...]:
    """Frames on the axis at the places x."""
    beyond = [at for at in x if not model.x[0] - BEYOND <= at <= model.x[-1] + BEYOND]
    if beyond:
        raise ModelError(f"beam: a node at x = {beyond[0]:g} lies beyond its ends {model.x[0]:g} and {model.x[-1]:g}")
    if not len(x):
        return ()
    e, part = model.element(x)
    U, T = model.shapes(e, part)[:2]
    modes = F[6 * e[:, None] + np.arange(12)]
    G = short.at(x) if short else [None] * len(x)
    return tuple(Node.of([at, 0.0, 0.0], *rest) for at, *rest in zip(x, U @ modes, T @ modes, G))


def _mapping(given: Any, what: str) -> Mapping[Any, Any]:
    if given is not None and not isinstance(given, Mapping):
        raise ModelError(f"{what} must be given by their places, {{x: da.particle(…)}}, not {given!r}")
    return given or {}


def _counts(modes: Any) -> int | dict[str, int]:
    if not isinstance(modes, Mapping):
        return whole(modes, "beam: modes")
    return {kind: whole(count, f'beam: modes "{kind}"') for kind, count in by_name(modes, "beam: modes").items()}


def _elements(
    length: Any, elements: int, E: Any, rho: Any, A: Property, Iy: Property, Iz: Property, J: Property | None, G: Any,
    shear: float | None, rotary: bool, bodies: Mapping[float, MassProperties],
) -> BeamElements:  # fmt: skip
    L, young = above_zero(length, "beam: length"), above_zero(E, "beam: E")
    if not 1 <= whole(elements, "beam: elements") <= MOST:
        raise ModelError(f"beam: elements={elements} must be from 1 to {MOST}; a few for each mode are enough")
    material = Material(
        young,
        young / SHEAR_OF_METAL if G is None else above_zero(G, "beam: G"),
        above_zero(rho, "beam: rho"),
        None if shear is None else above_zero(shear, "beam: shear"),
        rotary,
    )
    if any(not 0.0 <= x <= L for x in bodies):
        raise ModelError(f"beam: a body is placed beyond its ends 0 and {L:g}")
    stations = _stations(L, int(elements), list(bodies))
    given = {"A": A, "Iy": Iy, "Iz": Iz}

    def section(x: float) -> Section:
        values = {k: _at(p, x, L, f"beam: {k}") for k, p in given.items()}
        return Section(**values, J=values["Iy"] + values["Iz"] if J is None else _at(J, x, L, "beam: J"))

    sections = [
        [section(a + xi * (b - a)) for xi, _ in GAUSS] for a, b in zip(stations[:-1].tolist(), stations[1:].tolist())
    ]
    on = [_nodal_body(int(np.argmin(np.abs(stations - x))), x, body) for x, body in bodies.items()]
    return BeamElements(stations, material, sections, on)


def _stations(length: float, elements: int, bodies: list[float]) -> np.ndarray:
    """Ends of the elements, one at every body; a body next to another end shares it."""
    stations = np.linspace(0.0, length, elements + 1)
    near = _NEXT * length / elements
    return np.sort(np.concatenate([stations, [x for x in bodies if np.abs(stations - x).min() > near]]))


def _nodal_body(node: int, x: float, given: MassProperties) -> NodalBody:
    mass, com, inertia = mass_properties(given, f"beam: body at x = {x:g}")
    return NodalBody(node, mass, com, 0.5 * float(np.trace(inertia)) * np.eye(3) - inertia)


def _at(given: Property, x: float, length: float, what: str) -> float:
    if callable(given):
        try:
            value = given(x)
        except Exception as problem:
            raise ModelError(f"{what} is a function that fails at x = {x:g}: {problem}") from problem
        return above_zero(value, what)
    if not isinstance(given, (tuple, list, np.ndarray)):
        return above_zero(given, what)
    first, last = array(given, (2,), f"{what}, at both ends,")
    return above_zero(first + (last - first) * x / length, what)
