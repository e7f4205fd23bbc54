"""Pieces welded one to the next are one beam, whatever builder made them; loops of elastic bodies converge with modes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy.linalg import block_diag

import dalembert as da
from dalembert.elastic import ElasticBody, FiniteElements, from_matrices, nodal_bodies
from dalembert.elastic.builders.straight_beam import _elements
from dalembert.formulations.tree import kane

L, E, I = 0.5, 7e10, 5e-10


def model_of(length: float):
    return _elements(length, 6, E, 2700.0, 4e-5, I, I, 3e10, 2e-10, None, True, {})


def by_beam(length: float) -> ElasticBody:
    return da.beam(length, E=E, rho=2700.0, A=4e-5, Iy=I, Iz=I, modes={"y": 2}, elements=6)


def by_matrices(length: float) -> ElasticBody:
    model = model_of(length)
    whole = FiniteElements(model.mass, model.stiffness, [[x, 0.0, 0.0] for x in model.x])
    return from_matrices(whole, {"root": [0], "tip": [6]}, modes=2, frame="root")


def by_nodal_bodies(length: float) -> ElasticBody:
    """Small boxes where the elements meet."""
    model = model_of(length)
    bodies = [da.box(2700.0 * 4e-5 * length / 6, (length / 6, 0.01, 0.01)) for _ in model.x]
    places = [[x, 0.0, 0.0] for x in model.x]
    return nodal_bodies(places, bodies, model.stiffness, modes=2, fixed=0, nodes={"root": 0, "tip": 6})


@pytest.mark.parametrize("build", [by_beam, by_matrices, by_nodal_bodies])
@pytest.mark.parametrize("load", ["force", "moment"])
def test_welded_pieces_are_as_soft_as_the_whole(build: Callable[[float], ElasticBody], load: str) -> None:
    """Within 1e-3 of F L³/3EI, and of M L²/2EI, with two modes each."""
    s = da.System("cantilever")
    parent, at = "ground", (0, 0, 0)
    piece = build(L / 3)
    for k in range(3):
        s.add_body(f"p{k}", elastic=piece)
        s.add_joint(f"w{k}", da.Weld(), parent, f"p{k}", at_parent=at, at_child="root")
        parent, at = f"p{k}", "tip"
    acting = {"force": (0, 1e-3, 0)} if load == "force" else {"torque": (0, 0, 1e-3)}
    s.add_force("load", da.Load((parent, "tip"), **acting))
    m = s.build()
    at_rest = m.state(np.zeros(m.n_q))
    stiffness = block_diag(*(b.data.Ke for b in m.bodies))  # all that moves are the pieces' own coordinates
    found = m.state(np.linalg.solve(stiffness, kane.equations(at_rest).f)).position((parent, "tip"))[1]
    expected = 1e-3 * L**3 / (3 * E * I) if load == "force" else 1e-3 * L**2 / (2 * E * I)
    assert found == pytest.approx(expected, rel=1e-3)


def test_without_static_shapes_nodal_bodies_say_that_they_are_too_stiff() -> None:
    model = model_of(L)
    bodies, places = [da.box(0.01, (0.08, 0.01, 0.01)) for _ in model.x], [[x, 0.0, 0.0] for x in model.x]
    made = [
        nodal_bodies(places, bodies, model.stiffness, modes=2, fixed=0, nodes={"tip": 6}, static=static)
        for static in (True, False)
    ]
    assert made[0].static_share["tip"] == pytest.approx((1.0,) * 6)
    assert made[0].n == 2 + 6 and made[1].n == 2
    assert made[0].frequencies[:2] == pytest.approx(made[1].frequencies, rel=1e-9)  # natural modes stay what they are
    assert all(share < 0.99 for share in made[1].static_share["tip"][1:3])
    s = da.System("too stiff")
    s.add_body("strut", elastic=made[1])
    s.add_body("ball", da.sphere(1.0, 0.1))
    s.add_joint("wall", da.Weld(), "ground", "strut", at_child="frame")
    s.add_joint("end", da.Weld(), "strut", "ball", at_parent="tip")
    with pytest.warns(da.StiffnessWarning, match='"end" can load body "strut"'):
        s.build()


def test_a_free_structure_carries_loads_at_its_nodes_by_its_own_inertia() -> None:
    model = model_of(L)
    bodies, places = [da.box(0.01, (0.08, 0.01, 0.01)) for _ in model.x], [[x, 0.0, 0.0] for x in model.x]
    few, many = (
        nodal_bodies(places, bodies, model.stiffness, modes=n, nodes={"tip": 6}, static=static)
        for n, static in ((3, True), (36, False))
    )
    for row in range(6):
        of = [np.vstack([b.nodes["tip"].Phi, b.nodes["tip"].Psi])[row] for b in (few, many)]
        soft = [x @ np.linalg.solve(b.Ke, x) for x, b in zip(of, (few, many))]
        assert soft[0] == pytest.approx(soft[1], rel=1e-6)


# -- loops ------------------------------------------------------------------------------------------------------------------
def four_bar(modes: int, loaded: bool = True, **options: object) -> da.Mechanism:
    """Crank, coupler and rocker all bend; a weight on the coupler's middle, a motor that drives the crank, gravity. The crank is
    clamped to its shaft; the others are hinged at both ends, and their frames follow the chord."""
    s = da.System("elastic four-bar", gravity=(0, -9.81 * loaded, 0))

    def link(length: float, support: str) -> ElasticBody:
        return da.beam(
            length, E=2e9, rho=1500.0, A=3e-4, Iy=4e-9, Iz=4e-9, modes={"y": modes}, elements=12, support=support,
            nodes={"middle": length / 2}, **options,
        )  # fmt: skip

    z = da.Revolute()
    for name, length, support in (("crank", 0.3, "clamped"), ("coupler", 0.9, "pinned"), ("rocker", 0.7, "pinned")):
        s.add_body(name, elastic=link(length, support))
    s.add_joint("A", z, "ground", "crank", at_child="root", prescribed=lambda t: 1.0 + 0.8 * t**3)
    s.add_joint("B", z, "crank", "coupler", at_parent="tip", at_child="root")
    s.add_joint("D", z, "ground", "rocker", at_parent=(1.0, 0, 0), at_child="root")
    s.add_joint("C", z, "coupler", "rocker", at_parent="tip", at_child="tip")
    if loaded:
        s.add_force("weight", da.Load(("coupler", "middle"), force=(0, -5.0, 0)))
    return s.build(cut=["C"])


def sag(modes: int, **options: object) -> np.ndarray:
    """How far the middle of the coupler and the end of the rocker give way to the weights: one step of linear statics in the loop."""
    m = four_bar(modes, **options)
    start = dict.fromkeys(m.coordinates, 0.0) | {"B": -0.482, "D": 1.65}
    q, _ = m.assemble(start)
    s = m.state(q)
    stiffness = block_diag(np.zeros((0, 0)), *(b.data.Ke for b in m.bodies))
    modal = [at for k in range(m.n_bodies) for at in m.modal_places(k)]
    K, e = np.zeros((m.n_u, m.n_u)), kane.equations(s)
    K[np.ix_(modal, modal)] = stiffness
    system = np.block([[K, e.B.T], [e.B, np.zeros((len(e.B), len(e.B)))]])
    moved = np.linalg.lstsq(system, [*e.f, *np.zeros(len(e.B))], rcond=1e-12)[0][: m.n_u]
    points = [("coupler", "middle"), ("rocker", "tip")]
    return np.concatenate([s.jacobian(point)[1] @ moved for point in points])


def test_a_loop_of_elastic_links_converges_with_modes_at_rest() -> None:
    reference = sag(11)
    errors = [np.abs(sag(n) - reference).max() / np.abs(reference).max() for n in (1, 3, 5, 7)]
    assert all(a > 2.0 * b for a, b in pairwise(errors)) and errors[-1] < 1e-3


@pytest.mark.slow
def test_a_loop_of_elastic_links_converges_with_modes_as_it_moves() -> None:
    def moved(modes: int) -> np.ndarray:
        m = four_bar(modes, loaded=False)
        motion = m.simulate(1.0, {"B": -0.482, "D": 1.65}, rtol=1e-7, output=0.1)
        gap = motion.evaluate(lambda s: s.position(("coupler", "tip")) - s.position(("rocker", "tip")))
        assert np.abs(gap).max() < 1e-9
        return motion.position(("coupler", "middle"))

    reference = moved(4)
    errors = [np.abs(moved(n) - reference).max() for n in (1, 2, 3)]
    assert errors[0] > errors[1] > errors[2] and errors[2] < 1e-4


def test_inertia_spent_by_the_second_order_is_named_as_the_cause() -> None:
    """Clamped frames of links that are hinged at both ends bend far in them."""
    s = da.System("clamped frames", gravity=(0, -9.81, 0))
    z = da.Revolute()
    for name, length in (("crank", 0.3), ("coupler", 0.9), ("rocker", 0.7)):
        made = da.beam(
            length,
            E=2e9,
            rho=1500.0,
            A=3e-4,
            Iy=4e-9,
            Iz=4e-9,
            modes={"y": 4},
            elements=12,
            nodes={"middle": length / 2},
        )
        s.add_body(name, elastic=made)
    s.add_joint("A", z, "ground", "crank", prescribed=lambda t: 1.0 + 0.4 * da.sin(2.0 * t))
    s.add_joint("B", z, "crank", "coupler", at_parent="tip", at_child="root")
    s.add_joint("D", z, "ground", "rocker", at_parent=(1.0, 0, 0), at_child="root")
    s.add_joint("C", z, "coupler", "rocker", at_parent="tip", at_child="tip")
    s.add_force("weight", da.Load(("coupler", "middle"), force=(0, -5.0, 0)))
    with pytest.raises(da.SimulationError, match=r"taken nearly all inertia .* \"coupler\""):
        s.build(cut=["C"]).simulate(0.4, {"B": -0.482, "D": 1.65}, rtol=1e-7)
