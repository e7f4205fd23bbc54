"""Every formulation that can take elastic bodies, on trees and on a loop, in NumPy and in machine code; the others say why not."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.formulation import settled
from dalembert.formulations.tree import kane, lagrangian
from dalembert.trace import Expr, evaluate

from ..mechanisms import unit
from .particles import lumps, random_tree

SOME = ["tisserand", "newton_euler_nodal"]
"""For floating bodies, and for lumped ones."""
RELATIVE = ["kane", "kane_minimal", "dalembert", "lagrange", "boltzmann_hamel", "momentum", "hamilton",
            "recursive_newton_euler", "composite_body", "articulated_body"]  # fmt: skip
ABSOLUTE = ["newton_euler", "newton_euler_forces", "newton_euler_rotations_forces", "newton_euler_rotations",
            "newton_euler_root", "barycentric", "hooker", "gauss"]  # fmt: skip
ELASTIC = RELATIVE + ABSOLUTE


def test_all_agree_on_a_tree() -> None:
    rng = np.random.default_rng(4)
    system, _ = random_tree(rng, 2, second_order=True, joints=lambda rng: da.Revolute(unit(rng)))
    found = system.build().compare(ELASTIC, ["range_space"], states=1)
    assert sorted(e.formulation for e in found.entries) == sorted(ELASTIC)
    assert max(e.accelerations for e in found.entries) < 1e-8


def test_all_agree_on_bodies_carried_by_joints_with_euler_parameters() -> None:
    """At numbers, without compiling: an elastic body on a ball joint on an elastic body that floats."""
    rng, carried = np.random.default_rng(8), iter([da.Free(), da.Spherical()])
    bodies = [lumps(rng, n).body(rng, second_order=True) for n in (1, 2)]
    s = da.System("two", gravity=(1.0, 2.0, -9.0))
    for name, parent, body in (("a", "ground", bodies[0]), ("b", "a", bodies[1])):
        s.add_body(name, elastic=body)
        s.add_joint(
            name + "0", next(carried), parent, name, at_parent=(0, 0, 0) if name == "a" else "n1", at_child="n0"
        )
    m = s.build()
    at = m.state(m.somewhere(rng, 0.4), rng.normal(size=m.n_u))
    found = {}
    for name in [f for f in ELASTIC if f not in ("hamilton", "gauss")] + ["tisserand"]:
        form = settled(FORMULATIONS[name], m, [(at.coordinates, 0.0)])
        own = form.state(m.numeric, 0.0, at.coordinates, form.formulation_speeds(at))
        e = form.equations(own)
        K = np.block([[e.A, e.B.T], [e.B, np.zeros((len(e.B), len(e.B)))]])
        found[name] = form.udot(own, np.linalg.solve(K, [*e.f, *e.gamma])[: len(e.f)])
    size = np.abs(found["kane"]).max()
    assert all(np.abs(x - found["kane"]).max() < 1e-10 * size for x in found.values())


def test_all_agree_on_a_loop() -> None:
    """A four-bar whose coupler bends, and stretches stiffly."""
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    coupler = da.beam(
        1.0, E=2e9, rho=1000.0, A=1e-4, Iy=1e-9, Iz=1e-9, modes={"y": 2, "axial": 1}, elements=4, support="pinned"
    )
    s.add_body("crank", da.rod(0.5, 0.4))
    s.add_body("coupler", elastic=coupler)
    s.add_body("rocker", da.rod(0.5, 0.8))
    z = da.Revolute()
    s.add_joint("A", z, "ground", "crank")
    s.add_joint("B", z, "crank", "coupler", at_parent=(0.4, 0, 0), at_child="root")
    s.add_joint("C", z, "coupler", "rocker", at_parent="tip", at_child=(0.8, 0, 0))
    s.add_joint("D", z, "ground", "rocker", at_parent=(1.0, 0, 0))
    m = s.build()
    names = [*(f for f in RELATIVE if f != "articulated_body"), "newton_euler", "barycentric", "hooker"]
    found = m.compare(names, ["range_space"], states=2)
    assert len(found.entries) == len(names), found
    assert max(e.accelerations for e in found.entries) < 1e-8


def spacecraft() -> da.Mechanism:
    """A hub, a gimbal, and two booms of four modes, one welded to the platform and one hinged to the hub."""
    s = da.System("spacecraft", gravity=(0.1, 0.2, -0.3))
    s.add_body("hub", da.box(100.0, (1.0, 1.2, 0.8)))
    s.add_body("platform", da.box(10.0, (0.5, 0.4, 0.3)))
    s.add_joint("free", da.Free(), "ground", "hub")
    s.add_joint("gimbal", da.Universal(), "hub", "platform", at_parent=(0, 0, 0.5), at_child=(0, 0, -0.2))
    tip = {5.0: da.box(0.5, (0.1, 0.1, 0.2))}
    boom = da.beam(5.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 2, "z": 2}, bodies=tip, elements=8)
    s.add_body("boom1", elastic=da.elastic.modal(boom, 0.005))
    s.add_body("boom2", elastic=boom)
    s.add_joint("root1", da.Weld(), "platform", "boom1", at_parent=(0.3, 0, 0), at_child="root")
    away = da.Frame((-0.5, 0, 0), da.turn((0, 0, 1), np.pi))
    s.add_joint("root2", da.Revolute((0, 1, 0)), "hub", "boom2", at_parent=away, at_child="root")
    s.add_force("latch", da.JointSpring("root2", stiffness=30.0))
    s.add_force("thruster", da.Load(("boom1", "tip"), force=(0, 1.0, 0.3)))
    return s.build()


@pytest.mark.parametrize("name", ["hooker", "barycentric"])
def test_hooker_and_margulies_with_elastic_appendages_are_kane(name: str) -> None:
    """The program that C's conclusions hold up as the standard: hub, gimbal and two booms about the mass centre of all."""
    m, form = spacecraft(), FORMULATIONS[name]
    assert form.refusal(m) is None
    rng = np.random.default_rng(1)
    for _ in range(3):
        s = m.state(m.somewhere(rng, 0.5), rng.normal(size=m.n_u))
        k, e = kane.equations(s), form.equations(s)
        n, rows = len(e.f), len(e.B)
        solved = np.linalg.solve(np.block([[e.A, e.B.T], [e.B, np.zeros((rows, rows))]]), [*e.f, *e.gamma])
        expected = np.linalg.solve(k.A, k.f)
        assert np.abs(form.udot(s, solved[:n]) - expected).max() <= 1e-12 * np.abs(expected).max()
        assert np.abs(e.A[:3, 3:]).max() == 0.0  # the mass centre of the whole stands apart
        weight = 110.0 + sum(b.mass for b in m.bodies[2:])
        assert np.allclose(e.A[:3, :3], weight * np.eye(3))


def test_hooker_counts_3_and_a_rate_for_each_freedom() -> None:
    """3 for the mass centre, 3 for the root, the gimbal's two, the hinge's one, and four modes for each boom; no multiplier."""
    m = spacecraft()
    e = m.equations("hooker")
    assert len(e.u) == 3 + 3 + 2 + 1 + 8 == m.n_u and not len(e.gamma)
    assert FORMULATIONS["hooker"].first_order(m) == m.n_q + m.n_u
    assert FORMULATIONS["barycentric"].first_order(m) == m.n_q + 3 + 4 * 3 + 8 + 1 + 3 + 2


def afloat(seed: int) -> tuple[da.Mechanism, Any]:
    """A random tree on the ground or on a ship, perhaps tied to the ground, and a state; second-order fields are anything."""
    rng = np.random.default_rng(seed)
    s, _ = random_tree(rng, int(rng.integers(1, 6)), second_order=seed % 2 == 1)
    last = list(s.bodies)[-1]
    if seed % 3 == 0:
        s.add_constraint("tie", da.Distance((last, "n0") if s.bodies[last].modes else last, "ground", 1.0))
    if seed % 4 == 1:
        s.add_external("ship", lambda t: (0.3 * da.sin(t), 0.1 * t, 0.0), lambda t: (0.2 * da.sin(t), 0.1 * t, 0.0))
        for name, j in list(s.joints.items()):
            if j.parent == "ground" and name != "ship":
                s.joints[name] = dataclasses.replace(j, parent="ship")
    m = s.build()
    return m, m.state(m.somewhere(rng, 0.3), rng.normal(size=m.n_u), 0.7)


@pytest.mark.parametrize("seed", range(16))
def test_absolute_coordinates_give_kanes_motion(seed: int) -> None:
    m, s = afloat(seed)
    sound = all(b.sound(s.modal_q(k)) for k, b in enumerate(m.bodies, start=1) if b.modes)
    if not m.n_u or not sound or np.linalg.eigvalsh(kane.mass_matrix(s))[0] <= 0.0:
        pytest.skip("bent so far that it has no inertia left")
    expected = METHODS["svd"](kane.equations(s)).udot
    for name in ABSOLUTE:
        form = FORMULATIONS[name]
        assert form.refusal(m) is None
        own = form.state(s.mechanism, s.t, s.coordinates, form.formulation_speeds(s))
        assert np.abs(own.speeds - s.speeds).max() < 1e-11
        udot = form.udot(own, METHODS["svd"](form.equations(own)).udot)
        assert np.abs(udot - expected).max() <= 1e-9 * np.abs(expected).max(), name


def test_the_path_matrix_is_for_rigid_bodies() -> None:
    system, _ = random_tree(np.random.default_rng(5), 2)
    assert "is elastic, and the path matrix describes rigid chains" in str(
        FORMULATIONS["path_matrix"].refusal(system.build())
    )


def arm(**forces: da.Force) -> da.Mechanism:
    body = da.beam(1.0, E=2e9, rho=1000.0, A=1e-4, Iy=1e-9, Iz=1e-9, modes={"y": 2}, elements=4)
    s = da.System("arm")
    s.add_body("arm", elastic=da.elastic.modal(body, 0.02))
    s.add_joint("A", da.Revolute(), "ground", "arm")
    for name, force in forces.items():
        s.add_force(name, force)
    return s.build()


def test_strain_energy_is_in_the_potential() -> None:
    """T + V of Lagrange's energies is that of the motion; stiffness is among what is applied, not among velocity terms."""
    m = arm()
    q, u = [0.3, 0.02, -0.01], [0.4, 0.5, 0.6]
    V = float(lagrangian.potential(m.state(q, u)))
    assert pytest.approx(0.5 * np.array(q[1:]) @ m.bodies[0].data.Ke @ q[1:]) == V
    s = lagrangian.structure(m)
    assert evaluate([s.V], dict(zip(s.q, q)))[0] == pytest.approx(V)
    for name in ("kane", "lagrange", "hamilton"):
        applied = m.equations(name).applied
        assert applied[0] == 0.0 and all(type(x) is Expr for x in applied[1:])
    free = dataclasses.replace(m, bodies=tuple(b.slack() for b in m.bodies))
    assert lagrangian.potential(free.state(q, u)) == 0.0


def test_stiffness_counts_once_beside_forces_that_cannot_be_compiled() -> None:
    def nothing(s: Any) -> tuple[float, float, float]:
        return (0.0, 0.0 * np.sign(float(s.q["A"])), 0.0)

    with pytest.warns(da.SlowForceWarning):
        other = arm(odd=da.Load(("arm", "tip"), force=nothing))
        found = other.forward_dynamics([0.1, 0.004, 0.001], [0.1, 0.2, 0.3])
    assert np.allclose(found, arm().forward_dynamics([0.1, 0.004, 0.001], [0.1, 0.2, 0.3]), rtol=1e-13)
