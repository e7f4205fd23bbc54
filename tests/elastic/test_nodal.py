"""Newton and Euler's laws for every nodal body: Propositions 1–4 of C, against all that moments of mode shapes give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import ElasticBody, Node, attached, buckens, given_modes, nodal_bodies
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.absolute import nodal
from dalembert.formulations.formulation import approximation
from dalembert.formulations.partial_linearisation import SmallCoordinates
from dalembert.formulations.tree import kane
from dalembert.kinematics.state import State
from dalembert.trace import directional, evaluate, symbol, tracing

METHODS = ["kane", "boltzmann_hamel", "articulated_body", "newton_euler_nodal"]


def lumped(rng: np.random.Generator, n: int, turning: bool = False) -> ElasticBody:
    """Nodal bodies anywhere, with any displacements."""
    K = 3
    m, r, Phi = rng.uniform(0.2, 1.0, K), 0.5 * rng.normal(size=(K, 3)), 0.3 * rng.normal(size=(K, 3, n))
    Psi = 0.3 * rng.normal(size=(K, 3, n))
    D = np.array([np.diag(rng.uniform(0.01, 0.05, 3)) for _ in range(K)])
    stiffness = rng.normal(size=(n, n))
    nodes = {"a": Node.of(r[0], Phi[0], Psi[0]), "b": Node.of(r[1], Phi[1])}
    turns: dict[str, Any] = {"turns": Psi, "second_moments": D} if turning else {}
    K_e = stiffness @ stiffness.T
    return given_modes(m, r, Phi, K_e + np.eye(n), damping=0.1 * K_e, nodes=nodes, **turns)


def tree(rng: np.random.Generator) -> da.System:
    s = da.System("tree", gravity=(1.0, 2.0, -9.0))
    s.add_body("inner", elastic=lumped(rng, 2))
    s.add_body("middle", da.box(1.0, (0.2, 0.3, 0.4)))
    s.add_body("outer", elastic=lumped(rng, 1))
    s.add_joint("A", da.Universal(), "ground", "inner", at_child="a")
    s.add_joint("B", da.Revolute((0.6, 0.0, 0.8)), "inner", "middle", at_parent="b")
    s.add_joint("C", da.Spherical(), "middle", "outer", at_parent=(0.1, 0.2, 0.3), at_child="b")
    s.add_force("push", da.Load(("outer", "a"), force=(0.0, 1.0, 0.0)))
    s.add_force("spring", da.JointSpring("B", stiffness=3.0))
    return s


@pytest.mark.slow
def test_the_same_motion_on_a_tree() -> None:
    found = tree(np.random.default_rng(1)).build().compare(METHODS, ["range_space"], states=2)
    assert sorted(e.formulation for e in found.entries) == sorted(METHODS)
    assert max(e.accelerations for e in found.entries) < 1e-10


def test_the_same_motion_on_a_loop() -> None:
    s = tree(np.random.default_rng(2))
    s.add_constraint("tie", da.Distance(("outer", "a"), "ground", 1.0))
    found = s.build().compare(["kane", "newton_euler_nodal"], ["augmented"], states=2)
    assert len(found.entries) == 2
    assert max(e.accelerations for e in found.entries) < 1e-10


def chain(turning: bool) -> ElasticBody:
    """Three nodal bodies held by springs along all six freedoms of their differences; free, in Buckens' frame."""
    rng = np.random.default_rng(3)
    K = np.zeros((18, 18))
    for i, j in ((0, 1), (1, 2), (0, 2)):
        k = rng.normal(size=(6, 6))
        d = np.zeros((6, 18))
        d[:, 6 * i : 6 * i + 6], d[:, 6 * j : 6 * j + 6] = np.eye(6), -np.eye(6)
        K += d.T @ (k @ k.T + np.eye(6)) @ d
    bodies = [da.box(1.0, (0.3, 0.4, 0.5)) if turning else da.particle(1.0) for _ in range(3)]
    places = [[0, 0, 0], [1, 0, 0.2], [0.3, 1, 0]]
    kept = {"freedoms": range(6)} if turning else {"freedoms": range(3)}
    return nodal_bodies(places, bodies, K, modes=3, fixed=0, nodes={"tip": 2}, **kept)


def test_bodies_made_of_springs_and_particles() -> None:
    s = da.System("lumps", gravity=(0.0, 0.0, -9.81))
    s.add_body("lumps", elastic=chain(turning=False))
    s.add_joint("free", da.Spherical(), "ground", "lumps", at_child="frame")
    found = s.build().compare(["kane", "lagrange", "newton_euler_nodal"], ["range_space"], states=2)
    assert len(found.entries) == 3 and max(e.accelerations for e in found.entries) < 1e-10


def residual(s: Any, form: Any, udot: np.ndarray) -> np.ndarray:
    """What is left of the mechanism's equations at these accelerations, on u."""
    if form is kane:
        e = kane.equations(s)
        return np.asarray(e.f - e.A @ udot)
    e, n = nodal.equations(s), s.mechanism.n_u
    H, h = e.B, e.gamma
    wdot = np.concatenate([udot, h - H[:, :n] @ udot])
    left = e.f - e.A @ wdot
    return np.asarray(left[:n] - H[:, :n].T @ left[n:])  # the constraint forces do no work


def test_turning_nodal_bodies_agree_to_first_order() -> None:
    """Their exact rigid motion against the modal data, which keep it to second order: as C's small deformations, equal to first."""
    rng = np.random.default_rng(4)
    s = da.System("turning", gravity=(1.0, 2.0, -9.0))
    s.add_body("body", elastic=lumped(rng, 2, turning=True))
    s.add_joint("free", da.Free(), "ground", "body", at_child="frame")
    m = s.build()
    q, u, udot = m.somewhere(rng, 0.3), rng.normal(size=m.n_u), rng.normal(size=m.n_u)
    off = []
    for eps in (1e-2, 5e-3):
        at = [x * np.where(np.arange(len(x)) < len(x) - 2, 1.0, 0.0) + y for x, y in
              zip((q, u, udot), (eps * np.eye(len(x))[-2:].T @ [0.7, -0.4] for x in (q, u, udot)))]  # fmt: skip
        state = m.state(at[0], at[1])
        off.append(np.abs(residual(state, kane, at[2]) - residual(state, nodal, at[2])).max())
    assert 1e-9 < off[0] < 1e-2
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.1)


def turning_body() -> da.Mechanism:
    s = da.System("turning", gravity=(1.0, 2.0, -9.0))
    s.add_body("body", elastic=lumped(np.random.default_rng(4), 2, turning=True))
    s.add_body("hub", da.box(1.0, (0.2, 0.3, 0.4)))
    s.add_joint("free", da.Free(), "ground", "hub")
    s.add_joint("hinge", da.Universal(), "hub", "body", at_parent=(0.3, 0, 0), at_child="a")
    return s.build()


def test_turning_nodal_bodies_give_kanes_equations_to_first_degree_exactly() -> None:
    """Propositions 1 and 4 for nodal bodies with inertia: what is left over on u, truncated, is the same to rounding."""
    m = turning_body()
    small = SmallCoordinates.named(m, ["body"])
    rng = np.random.default_rng(1)
    at, u0, udot0 = m.somewhere(rng, 0.5), rng.normal(size=m.n_u), rng.normal(size=m.n_u)
    with tracing():
        eps = symbol("eps")
        q, u, udot = (np.array(x, dtype=object) for x in (at, u0, udot0))
        for place, _ in small.nominal:
            q[place] = eps * at[place]
        for place in small.speeds:
            u[place], udot[place] = eps * u0[place], eps * udot0[place]
        s = State(m, 0.0 * eps, q, u)
        left = [residual(s, form, udot) for form in (kane, nodal)]
        degrees = [evaluate(list(x), {eps: 0.0}) for x in left] + [
            evaluate(list(directional(x, {eps: 1.0})), {eps: 0.0}) for x in left
        ]
    for one, other in (degrees[:2], degrees[2:]):
        assert np.allclose(np.array(one, float), np.array(other, float), rtol=1e-11, atol=1e-11 * np.abs(one).max())


def test_turning_nodal_bodies_run_and_say_what_is_approximate() -> None:
    m = turning_body()
    found = m.compare(["kane", "newton_euler_nodal"], ["range_space"], states=1)
    off = {e.formulation: e.accelerations for e in found.entries}
    assert 1e-10 < off["newton_euler_nodal"] < 1e-2
    assert "agree to first degree in the deformation" in str(found)
    assert approximation(FORMULATIONS["newton_euler_nodal"], m) is not None
    assert approximation(FORMULATIONS["kane"], m) is None


def test_what_it_refuses() -> None:
    form, rng = FORMULATIONS["newton_euler_nodal"], np.random.default_rng(5)

    def why(body: ElasticBody) -> str:
        s = da.System("one")
        s.add_body("one", elastic=body)
        s.add_joint("A", da.Revolute(), "ground", "one", at_child="frame")
        return str(form.refusal(s.build()))

    beam = da.beam(1.0, E=2e9, rho=1000.0, A=1e-4, Iy=1e-9, Iz=1e-9, modes={"y": 1}, elements=4)
    assert 'nodal bodies of elastic body "one" are not known' in why(beam)
    assert "displaced in more than the first order" in why(attached(lumped(rng, 2), "a"))
    assert why(buckens(chain(turning=False))) != "None" and why(chain(turning=False)) == "None"
    s = da.System("rigid")
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    assert 'choose "newton_euler"' in str(form.refusal(s.build()))
