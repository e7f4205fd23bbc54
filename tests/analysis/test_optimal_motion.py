"""Best motions: known answers, exact derivatives of the whole problem, loops closed at every node."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.trajectory.collocation import Collocation, NodeStates, formulas
from dalembert.analysis.trajectory.problem import Limited, MotionProblem
from dalembert.analysis.trajectory.solvers import SOLVERS
from dalembert.kinematics.constraint_rows import constraint_rows

casadi = pytest.importorskip("casadi")


def cart(gravity=(0, -9.81, 0), pole=True) -> da.Mechanism:
    s = da.System("cart", gravity=gravity)
    s.add_body("cart", da.box(1.0, (0.3, 0.2, 0.2)))
    s.add_joint("slide", da.Prismatic((1, 0, 0)), "ground", "cart")
    if pole:
        s.add_body("pole", da.rod(0.3, 1.0))
        s.add_joint("A", da.Revolute(), "cart", "pole")
    return s.build()


def press() -> da.Mechanism:
    s = da.System("press", gravity=(0, -9.81, 0))
    for name, length, mass in (("crank", 0.2, 2.0), ("coupler", 0.5, 3.0), ("rocker", 0.45, 4.0)):
        s.add_body(name, da.rod(mass, length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.2, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(0.55, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(0.5, 0, 0), at_child=(0.45, 0, 0))
    s.add_force("load", da.Motor("A", lambda s: 0.4 * da.sin(3.0 * s.t)))
    s.guess = {"D": 1.5}
    return s.build(cut=["C"])


REST = {"slide": 0.0, "slide'": 0.0}


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_cart_from_rest_to_rest_takes_the_least_effort_or_time_there_is(solver):
    m = cart(pole=False)
    there = {"slide": 1.0, "slide'": 0.0}
    least = m.optimal_motion(2.0, REST, there, {"slide": 50.0}, effort=1.0, intervals=6, solver=solver)
    assert least.success and least.cost == pytest.approx(12.0 / 2.0**3, rel=1e-7)  # 12 m² d² / T³
    np.testing.assert_allclose(least.control_at(least.t)["slide"], 1.5 * (1.0 - least.t), atol=2e-3)
    quickest = m.optimal_motion((0.1, 5.0), REST, there, {"slide": 4.0}, haste=1.0, intervals=20, solver=solver)
    assert quickest.success and quickest.duration == pytest.approx(1.0, abs=2e-3)  # 2 √(d m / F), bang and bang


def test_a_body_turns_about_its_centre_with_the_least_effort():
    """Angles whose rates are not the speeds."""
    s = da.System("ball", gravity=(0, 0, 0))
    s.add_body("ball", da.sphere(mass=5.0, radius=0.5))
    s.add_joint("J", da.Spherical("321"), "ground", "ball")
    m, angle = s.build(), 1.2
    still = {f"{name}'": 0.0 for name in m.speeds}
    ends = [dict(zip(m.coordinates, (0.3, a, 0.0))) for a in (0.0, angle)]
    found = m.optimal_motion(
        2.0, {**ends[0], **still}, {**ends[1], **still}, {name: 9.0 for name in m.speeds}, effort=1.0, intervals=8
    )
    inertia = 0.4 * 5.0 * 0.5**2
    assert found.success and found.cost == pytest.approx(12 * (inertia * angle) ** 2 / 2.0**3, rel=1e-4)
    s = da.System("ball", gravity=(0, 0, 0))
    s.add_body("ball", da.sphere(mass=5.0, radius=0.5))
    s.add_joint("J", da.Spherical(), "ground", "ball")
    with pytest.raises(da.DalembertError, match="orientation by angles"):
        s.build().optimal_motion(2.0, {}, {}, {"J.x": 9.0}, effort=1.0)


def test_a_swing_up_is_a_motion_of_the_mechanism():
    m = cart()
    found = m.optimal_motion(
        2.0, {**REST, "A": -np.pi / 2, "A'": 0.0}, {"slide": 0.8, "slide'": 0.0, "A": np.pi / 2, "A'": 0.0}, {"slide": 20.0},
        effort=1.0, bounds={"slide": (-2.0, 2.0)}, intervals=25,
    )  # fmt: skip
    assert found.success and found.violation < 1e-6 and found.replay_error < 2e-3
    assert np.abs(found.controls["slide"]).max() <= 20.0 + 1e-6
    assert set(found.columns()) == {"t", "slide", "A", "slide'", "A'", "force slide"}
    halves = m.optimal_motion(
        2.0, {**REST, "A": -np.pi / 2, "A'": 0.0}, {"slide": 0.8, "slide'": 0.0, "A": np.pi / 2, "A'": 0.0}, {"slide": 20.0},
        effort=1.0, bounds={"slide": (-2.0, 2.0)}, intervals=50,
    )  # fmt: skip
    assert halves.replay_error < found.replay_error / 8.0  # of fourth order, at least of third where limits are met


def test_all_derivatives_of_a_problem_with_a_loop_are_exact():
    m, N = press(), 3
    at = np.array([m.assemble({"A": a})[0] for a in np.linspace(0.3, 1.5, 2 * N + 1)])
    c = Collocation(m, N, (0,), 0.2, at)
    path = formulas(m, [lambda s: s.position("rocker")[0] * s.u["A"], lambda s: da.sin(s.t) * s.q["D"]])
    p = MotionProblem(
        c, np.full(c.size, -1e9), np.full(c.size, 1e9), formulas(m, [lambda s: s.u["B"] ** 2 * s.t]),
        formulas(m, [lambda s: da.cos(s.q["A"]) * s.t]), np.array([0.3]), 0.7,
        [Limited(path, np.zeros(2), np.ones(2), slice(2, None))],
    )  # fmt: skip
    rng = np.random.default_rng(1)
    x = c.unknowns(
        NodeStates(
            at + 1e-3 * rng.normal(size=at.shape), rng.normal(size=(c.count, 3)), rng.normal(size=(c.count, 1)), 0.8
        )
    )
    d, h = rng.normal(size=c.size), 1e-3

    def slope(f):
        D = [(f(x + s * h * d) - f(x - s * h * d)) / (2 * s * h) for s in (1, 2, 3)]
        return (15 * D[0] - 6 * D[1] + D[2]) / 10

    rows = slope(p.rows)
    np.testing.assert_allclose(p.jacobian(x) @ d, rows, rtol=0, atol=1e-8 * np.abs(rows).max())
    assert p.gradient(x) @ d == pytest.approx(slope(p.cost), rel=1e-9)
    assert p.jacobian(x).nnz == p.pattern.nnz and p.pattern.nnz < 0.35 * np.prod(p.pattern.shape)


def test_a_loop_stays_closed_and_a_press_is_quick():
    m = press()
    found = m.optimal_motion(
        (0.1, 2.0), {"A": 0.3, "A'": 0.0}, {"A": 0.3 + np.pi, "A'": 0.0}, {"A": 30.0}, haste=1.0, intervals=12,
        path=[(lambda s: s.u["A"], -1.0, 20.0)],
    )  # fmt: skip
    assert found.success and 0.2 < found.duration < 0.3
    gaps = [np.abs(constraint_rows(m.numeric.state(q, u)).g).max() for q, u in zip(found.q, found.u)]
    assert max(gaps) < 1e-6 and found.violation < 1e-6 and found.u[:, 0].max() < 20.0 + 1e-5
    full = np.abs(found.controls["A"]) > 29.0
    assert full.mean() > 0.8  # the quickest way is at the limits nearly all the time


def test_wrong_problems_are_refused_in_words():
    m = cart()
    ends = {"slide": 1.0}
    with pytest.raises(da.DalembertError, match="did you mean"):
        m.optimal_motion(1.0, REST, ends, {"slidee": 1.0})
    with pytest.raises(da.DalembertError, match="coordinate or speed"):
        m.optimal_motion(1.0, {"sly": 0.0}, ends, {"slide": 1.0})
    with pytest.raises(da.DalembertError, match="positive seconds"):
        m.optimal_motion((-1.0, 1.0), REST, ends, {"slide": 1.0})
    with pytest.raises(da.DalembertError, match="above"):
        m.optimal_motion(1.0, REST, ends, {"slide": (2.0, 1.0)})
    with pytest.raises(da.DalembertError, match="each must give one"):
        m.optimal_motion(1.0, REST, ends, {"slide": 1.0}, integral=lambda s: s.position("pole"))
    with pytest.raises(da.DalembertError, match="solver"):
        m.optimal_motion(1.0, REST, ends, {"slide": 1.0}, solver="snopt")
    with pytest.raises(da.DalembertError, match="too many for solver"):
        m.optimal_motion(1.0, REST, ends, {"slide": 1.0}, intervals=200, solver="scipy")
