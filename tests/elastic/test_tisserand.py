"""Tisserand's frame as a choice of speeds, on C's Fig. 4: one motion, and energy, momentum and equations that fall apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import ElasticBody, given_modes
from dalembert.elastic.central import Central
from dalembert.elastic.inertia import Deformed
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.tree import kane, tisserand

from .particles import random_tree

SHAPE = 0.04 * np.array([1.0, -0.4, 0.6, 0.3])


@pytest.fixture(scope="module")
def bar() -> ElasticBody:
    ends = {0.0: da.box(2.0, (0.2, 1.5, 0.3)), 4.0: da.box(3.0, (0.2, 1.2, 0.4))}
    return da.beam(
        4.0, E=7e10, rho=2700.0, A=2e-4, Iy=4e-10, Iz=3e-10, modes={"y": 2, "z": 2}, bodies=ends, support="free",
        elements=12,
    )  # fmt: skip


@pytest.fixture(scope="module")
def flying(bar: ElasticBody) -> da.Mechanism:
    """The joint holds the root's own frame, which moves with the modes."""
    s = da.System("bar")
    s.add_body("bar", elastic=bar)
    s.add_joint("free", da.Free(), "ground", "bar", at_child="root")
    return s.build()


def somewhere(m: da.Mechanism) -> Any:
    rng = np.random.default_rng(2)
    return m.state(m.somewhere(rng, 0.5), rng.normal(size=m.n_u))


def test_one_motion(flying: da.Mechanism) -> None:
    spin = np.array([0.0, 0.0, 3.0])
    speeds = {"free": [*spin, *np.cross(spin, [-2.0, 0.0, 0.0])]}
    runs = [
        flying.simulate(1.0, {"bar": SHAPE}, speeds, rtol=1e-12, output=0.05, formulation=f)
        for f in ("kane", "tisserand")
    ]
    for node in ("root", "tip"):
        a, b = (r.position(("bar", node)) for r in runs)
        assert np.abs(a - b).max() < 1e-9
    H = runs[1].evaluate(lambda s: _angular_momentum(s))
    assert np.abs(H - H[0]).max() < 1e-9 * np.abs(H).max()


def _angular_momentum(s: Any) -> Any:
    """J ω_T and nothing else: no momentum is left inside."""
    own = tisserand.Floating(s, 1)
    return s.poses[1].R @ (own.central.J @ own.own[:3])


def test_no_momentum_in_its_own_frame_and_three_energies(flying: da.Mechanism) -> None:
    s = somewhere(flying)
    at, own = s.instants[0], tisserand.Floating(s, 1)
    c, (w_T, v_c, qd) = own.central, np.split(own.own, [3, 6])
    body = flying.bodies[0]
    assert np.allclose(at.R @ (c.J @ w_T), body.spin(at), rtol=1e-13)  # ∫ρ × ρ̇ dm is all outside
    inside = c.J @ (at.R.T @ at.w - w_T) + c.Cr.T @ qd
    assert np.abs(inside).max() < 1e-13 * np.abs(c.J @ w_T).max()
    parts = [0.5 * body.mass * v_c @ v_c, 0.5 * w_T @ c.J @ w_T, 0.5 * qd @ c.own_mass @ qd]
    assert sum(parts) == pytest.approx(body.kinetic_energy(at), rel=1e-13)


def test_equations_fall_apart_exactly(flying: da.Mechanism) -> None:
    """Not to rounding: the entries between the three parts are no expressions at all."""
    A = flying.equations("tisserand").A
    parts = [range(3), range(3, 6), range(6, 10)]
    assert all(A[i, j] == 0.0 for a in parts for b in parts if a is not b for i in a for j in b)
    assert (
        flying.equations("tisserand").operations.multiplications
        < 0.6 * flying.equations("kane").operations.multiplications
    )


def test_with_other_bodies_loads_and_a_loop(bar: ElasticBody) -> None:
    s = da.System("bar", gravity=(0.1, -1.0, 0.3))
    s.add_body("bar", elastic=bar)
    s.add_body("arm", da.box(1.0, (0.5, 0.2, 0.1)))
    s.add_joint("free", da.Free(orientation="angles"), "ground", "bar", at_child="root")
    s.add_joint("hinge", da.Universal(), "bar", "arm", at_parent="tip")
    s.add_force("push", da.Load(("bar", "tip"), force=(0.0, 1.0, 0.0)))
    s.add_force("spring", da.JointSpring("hinge", stiffness=2.0, coordinate="1"))
    s.add_constraint("stay", da.Distance(("arm", (0.2, 0, 0)), "ground", 4.5))
    m = s.build()
    found = m.compare(["kane", "tisserand"], ["range_space"], states=2)
    assert len(found.entries) == 2 and max(e.accelerations for e in found.entries) < 1e-10


@pytest.mark.parametrize("seed", [18, 38])
def test_on_random_trees(seed: int) -> None:
    """Any modes in any frame, whose mass centre moves in it; joints on moving nodes."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 3, second_order=True)[0].build()
    s = m.state(m.somewhere(rng, 0.3), rng.normal(size=m.n_u))
    assert tisserand.refusal(m) is None
    e, k = tisserand.equations(s), kane.equations(s)
    expected = np.linalg.solve(k.A, k.f)
    found = tisserand.udot(s, np.linalg.solve(e.A, e.f))
    assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()


def test_formulation_speeds_lead_back(flying: da.Mechanism) -> None:
    s = somewhere(flying)
    w = tisserand.formulation_speeds(s)
    again = tisserand.state(flying.numeric, 0.0, s.coordinates, w)
    assert np.allclose(again.speeds, s.speeds, rtol=1e-13, atol=1e-14)
    e, k = tisserand.equations(s), kane.equations(s)
    udot = tisserand.udot(s, np.linalg.solve(e.A, e.f))
    assert np.allclose(udot, np.linalg.solve(k.A, k.f), rtol=1e-9)


def test_what_it_refuses() -> None:
    x = np.outer([0.0, 1.0, 2.0], [1.0, 0.0, 0.0])
    shapes = np.zeros((3, 3, 1))
    shapes[:, 1, 0] = [1.0, -1.0, 1.0]
    line = given_modes([1.0, 1.0, 1.0], x, shapes, [[5.0]])
    s = da.System("line")
    s.add_body("line", elastic=line)
    s.add_joint("free", da.Free(), "ground", "line", at_child="frame")
    assert 'body "line" lies on a line' in str(FORMULATIONS["tisserand"].refusal(s.build()))
    s = da.System("held")
    s.add_body("line", elastic=line)
    s.add_joint("hinge", da.Revolute(), "ground", "line", at_child="frame")
    assert "no elastic body floats" in str(FORMULATIONS["tisserand"].refusal(s.build()))


def test_rate_of_the_central_inertia(bar: ElasticBody) -> None:
    rng = np.random.default_rng(3)
    q, qd, h = SHAPE, rng.normal(size=4), 1e-6
    before, after = (Central(Deformed(bar, q + sign * h * qd)).J for sign in (-1.0, 1.0))
    assert np.allclose(Central(Deformed(bar, q)).J_rate(qd), (after - before) / (2 * h), atol=1e-7)
