"""Every method converges at its order and keeps what it promises to keep."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.mechanisms import random_state, random_tree
from tests.simulation.models import TOP_SPEEDS, chain, heavy_top, oscillator, pendulum
from tests.simulation.test_accuracy import elliptic


def error(**options):
    """Of A01's tip after 1 s; and the steps taken."""
    motion = pendulum().simulate(1.0, initial={"A": np.pi}, output=[1.0], **options)
    tip = motion.position(("bob", (1, 0, 0)))[:, :2]
    return abs(tip - elliptic(motion.t)).max(), motion.record["steps"]


@pytest.mark.parametrize("method, order, step", [("rk4", 4, 0.02), ("midpoint", 2, 0.01)])
def test_fixed_steps_converge_at_their_order(method, order, step):
    errors = [error(method=method, step=step / 2**k)[0] for k in range(3)]
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(rates, order, atol=0.3)


def test_dop853_converges_at_order_eight():
    errors = [error(rtol=1.0, atol=1.0, max_step=1.0 / n)[0] for n in (5, 10, 20)]
    rates = np.log2(np.array(errors[:-1]) / errors[1:])
    assert (rates > 7.0).all(), rates


def test_radau_converges_at_order_five():
    found = [error(method="radau", rtol=10.0**-k, atol=10.0**-k) for k in (5, 7, 9)]
    errors, steps = np.log([e for e, _ in found]), np.log([n for _, n in found])
    assert 4.0 < -(errors[-1] - errors[0]) / (steps[-1] - steps[0]) < 6.5


@pytest.mark.parametrize("options", [{}, {"method": "radau"}, {"step": 1e-3}, {"method": "midpoint", "step": 1e-3}])
def test_output_between_steps_is_as_good_as_at_them(options):
    times = np.sort(np.random.default_rng(0).uniform(0, 2, 50))
    motion = pendulum().simulate(2.0, initial={"A": np.pi}, output=times, **options)
    tip = motion.position(("bob", (1, 0, 0)))[:, :2]
    allowed = 1e-5 if options.get("method") == "midpoint" else 1e-7
    assert abs(tip - elliptic(times)).max() < allowed


@pytest.mark.parametrize("seed", range(4))
def test_methods_agree_on_random_trees(seed):
    """Joints of every kind, forces of every kind, prescribed motion, joints given from child to parent."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 4, prescribed=seed % 2 == 1).build()
    q, u, _ = random_state(m, rng)
    allowed = [({"step": 1e-4}, 1e-8), ({"method": "midpoint", "step": 1e-4}, 1e-4)]
    if m.n_u < 10:  # derivatives of many freedoms in unusual joints take long to compile
        allowed.append(({"method": "radau", "rtol": 1e-8}, 1e-6))
    reference = m.simulate(0.2, q, u, output=[0.2])
    scale = 1 + abs(reference.u).max()
    for options, size in allowed:
        end = m.simulate(0.2, q, u, output=[0.2], **options)
        assert abs(end.q - reference.q).max() < size * scale, options
        assert abs(end.u - reference.u).max() < size * scale * 10, options


def test_midpoint_keeps_energy_without_drift_where_rk4_loses_it():
    """A symplectic method's energy error is bounded for all time, in a mechanism whose mass matrix depends on q."""
    s = da.System("double pendulum", gravity=(0, -9.81, 0))
    parent, at = "ground", (0, 0, 0)
    for k in (1, 2):
        s.add_body(f"rod{k}", da.rod(1.0, 1.0))
        s.add_joint(f"A{k}", da.Revolute((0, 0, 1)), parent, f"rod{k}", at_parent=at)
        parent, at = f"rod{k}", (1, 0, 0)
    m = s.build()
    start = {"A1": -1.0, "A2": 0.3}
    long = m.simulate(300.0, start, method="midpoint", step=0.02, output=0.5).energy().total
    assert abs(long[300:] - long[0]).max() < 1.5 * abs(long[:300] - long[0]).max()
    lost = m.simulate(300.0, start, method="rk4", step=0.04, output=0.5).energy().total
    assert abs(lost[300:] - lost[0]).max() > 1.5 * abs(lost[:300] - lost[0]).max()


def test_midpoint_is_symplectic_in_coordinates_and_momenta():
    """The derivative D of a step's map (q, p) → (q', p') obeys Dᵀ J D = J."""
    m = chain(2)
    q0, u0, h = np.array([0.3, -0.4]), np.array([0.7, 1.1]), 0.05

    def step(x):
        q, p = x[:2], x[2:]
        end = m.simulate(h, q, np.linalg.solve(m.mass_matrix(q), p), method="midpoint", step=h, output=[h])
        return np.concatenate([end.q[0], m.mass_matrix(end.q[0]) @ end.u[0]])

    x0, d = np.concatenate([q0, m.mass_matrix(q0) @ u0]), 1e-5
    D = np.array([(step(x0 + d * e) - step(x0 - d * e)) / (2 * d) for e in np.eye(4)]).T
    J = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.eye(2), np.zeros((2, 2))]])
    np.testing.assert_allclose(D.T @ J @ D, J, atol=1e-8)


def test_midpoint_keeps_euler_parameters_and_angular_momentum():
    motion = heavy_top().simulate(1.0, speeds=TOP_SPEEDS, method="midpoint", step=5e-4)
    vertical = motion.momentum().angular[:, 2]  # gravity has no moment about it
    assert abs(vertical - vertical[0]).max() < 1e-9 * np.abs(motion.momentum().angular).max()


def test_radau_takes_a_stiff_spring_in_few_steps_where_the_explicit_method_needs_many():
    m = oscillator(stiffness=1.0, damping=1e6)
    stiff = m.simulate(1.0, initial={"x": 1.0}, method="radau", rtol=1e-7)
    explicit = m.simulate(1e-3, initial={"x": 1.0}, rtol=1e-7)
    assert stiff.record["steps"] < 100 < explicit.record["steps"]
    assert stiff["x"][-1] == pytest.approx(np.exp(-1e-6), rel=1e-6)


def test_radau_solves_many_stiff_freedoms():
    """Beyond sixteen bodies the Jacobian comes from sweeps instead of a formula."""
    for n in (3, 18):
        s = da.System("stiff chain", gravity=(0, -9.81, 0))
        parent, at = "ground", (0, 0, 0)
        for k in range(n):
            s.add_body(f"rod{k}", da.rod(1.0, 0.2))
            s.add_joint(f"A{k}", da.Revolute((0, 0, 1)), parent, f"rod{k}", at_parent=at)
            s.add_force(f"K{k}", da.JointSpring(f"A{k}", stiffness=1e5, damping=1e4))
            parent, at = f"rod{k}", (0.2, 0, 0)
        m = s.build()
        motion = m.simulate(1.0, method="radau", rtol=1e-6)
        assert motion.record["steps"] < 200
        reference = m.simulate(1.0, method="radau", rtol=1e-9)
        assert abs(motion.q[-1] - reference.q[-1]).max() < 1e-6
        assert abs(reference.q[-1]).max() > 1e-5
