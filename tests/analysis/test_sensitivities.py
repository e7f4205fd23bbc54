"""Sensitivities against closed forms by complex steps, and against high-order differences of accurate simulations."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.analysis.sensitivity.constraint_variation import Variation
from dalembert.constraints.methods.svd import solve
from dalembert.files import gallery
from dalembert.formulations.tree import kane
from dalembert.mechanism.simulation_options import Projection, SimulationOptions
from dalembert.simulation.constrained_start import kept_at
from dalembert.simulation.march.sensitivity_march import SensitivityProgram, SensitivityRun
from dalembert.simulation.run_options import options
from tests.constraints.loops import random_loops


def differences(f, h):
    """df/dx at 0 by central differences of sixth order."""
    D = [(f(s * h) - f(-s * h)) / (2 * s * h) for s in (1, 2, 3)]
    return (15 * D[0] - 6 * D[1] + D[2]) / 10


def end(m, values, initial, speeds, duration):
    motion = m.with_parameters(**values).simulate(duration, initial, speeds, output=[duration], rtol=1e-13)
    return np.concatenate([motion.q[-1], motion.u[-1]])


def check(m, initial, speeds, duration, parameters, initial_values=(), h=1e-3, within=1e-8):
    found = m.sensitivities(
        duration, initial, speeds, parameters=parameters, initial_values=initial_values, outputs={}, output=[duration]
    )
    for i, name in enumerate(found.to):

        def moved(d):
            if name in parameters:
                return end(m, {name: m.parameters[name] + d}, initial, speeds, duration)
            if name.endswith("'"):
                return end(m, {}, initial, {**speeds, name[:-1]: speeds[name[:-1]] + d}, duration)
            return end(m, {}, {**initial, name: initial[name] + d}, speeds, duration)

        expected = differences(moved, h)
        got = np.concatenate([found.dq[-1, :, i], found.du[-1, :, i]])
        assert np.abs(got - expected).max() < within * (1.0 + np.abs(expected).max()), name
    return found


def test_an_oscillator_has_the_derivatives_of_its_closed_form():
    s = da.System("oscillator", gravity=(0, 0, 0))
    mass, k = s.parameter("m", 2.0), s.parameter("k", 5.0)
    s.add_body("b", da.particle(mass))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "b")
    s.add_force("spring", da.JointSpring("x", stiffness=k))
    m = s.build()
    energy = {"energy": lambda s: 0.5 * mass * s.u["x"] ** 2 + 0.5 * k * s.q["x"] ** 2}
    found = m.sensitivities(
        3.0, {"x": 0.7}, {"x": 0.3}, initial_values=["x", "x'"], outputs=energy, output=[0.0, 1.0, 3.0]
    )

    def closed(m, k, x0, v0):
        w = np.sqrt(k / m)
        return x0 * np.cos(w * found.t) + v0 / w * np.sin(w * found.t)

    at, step = np.array([2.0, 5.0, 0.7, 0.3]), 1e-30
    for i in range(4):
        expected = closed(*(at + 1j * step * np.eye(4)[i])).imag / step
        assert np.abs(found["x"][:, i] - expected).max() < 1e-9
    # the energy is constant, so its sensitivities are those at the start
    assert np.allclose(found["energy"], [0.5 * 0.3**2, 0.5 * 0.7**2, 5.0 * 0.7, 2.0 * 0.3], atol=1e-8)
    assert "change per unit of m, k, x, x'" in str(found)


def test_a_double_pendulum_against_complex_steps_of_its_textbook_equations():
    """Integrated in complex numbers by another program: no difference is taken, so the derivatives are as exact as the integration."""
    s = da.System("double pendulum", gravity=(0, -9.81, 0))
    l1, l2, m2 = s.parameter("l1", 0.8), s.parameter("l2", 0.6), s.parameter("m2", 1.3)
    s.add_body("upper", da.particle(1.0))
    s.add_body("lower", da.particle(m2))
    s.add_joint("A", da.Revolute(), "ground", "upper", at_child=(0, l1, 0))
    s.add_joint("B", da.Revolute(), "upper", "lower", at_child=(0, l2, 0))
    found = s.build().sensitivities(2.0, {"A": 0.9, "B": -0.4}, {"A": 1.0}, initial_values=["A", "A'"], output=[2.0])

    def end(l1, l2, m2, A, rate):
        def slope(t, y):
            a, b = y[0], y[0] + y[1]  # absolute angles
            va, vb = y[2], y[2] + y[3]
            M = np.array([[(1 + m2) * l1, m2 * l2 * np.cos(a - b)], [l1 * np.cos(a - b), l2]])
            f = np.array([-m2 * l2 * vb**2 * np.sin(a - b) - (1 + m2) * 9.81 * np.sin(a),
                          l1 * va**2 * np.sin(a - b) - 9.81 * np.sin(b)])  # fmt: skip
            da, db = np.linalg.solve(M, f)
            return np.array([y[2], y[3], da, db - da])

        start = np.array([A, -0.4, rate, 0.0], dtype=complex)
        return solve_ivp(slope, (0, 2.0), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]

    at, h = np.array([0.8, 0.6, 1.3, 0.9, 1.0]), 1e-30
    for i in range(5):
        expected = end(*(at + 1j * h * np.eye(5)[i])).imag / h
        got = np.concatenate([found.dq[-1, :, i], found.du[-1, :, i]])
        assert np.abs(got - expected).max() < 1e-8 * (1.0 + np.abs(expected).max()), found.to[i]


def test_through_a_redundant_loop_whose_lengths_move_the_constraint():
    m = da.load(gallery.files()["four_bar"])
    found = check(m, {"A": 1.0}, {"A": 6.0}, 0.8, ["crank", "base"], ["A", "A'"])
    assert np.all(found.dq[-1, m.coordinates.index("B")] != 0.0)


def test_of_the_assembled_start_where_nothing_is_fixed():
    """Coordinates by the least change, speeds by the least in the metric of the mass matrix, which itself changes."""
    m = da.load(gallery.files()["four_bar"])
    q = m.assemble({"A": 1.0})[0]
    given = np.array([6.0, 1.0, -2.0])
    found = m.sensitivities(0.1, q, given, parameters=["crank", "rocker"], outputs={}, output=[0.0])
    for i, name in enumerate(found.to):
        expected = differences(
            lambda d: np.concatenate(m.with_parameters(**{name: m.parameters[name] + d}).assemble(q, given)), 1e-3
        )
        assert np.abs(np.concatenate([found.dq[0, :, i], found.du[0, :, i]]) - expected).max() < 1e-8


def top():
    s = da.System("top", gravity=(0, 0, -9.81))
    height, mass = s.parameter("h", 0.3), s.parameter("m", 1.2)
    s.add_body("top", da.MassProperties(mass, (0, 0, height), np.diag([0.02, 0.025, 0.01])))
    s.add_joint("pivot", da.Spherical(), "ground", "top")
    return s.build()


def test_with_euler_parameters():
    check(top(), {"pivot": [np.cos(0.2), np.sin(0.2), 0, 0]}, {"pivot": [0.1, 0.2, 9.0]}, 0.6, ["h", "m"])


def test_under_rolling():
    s = da.System("disc", gravity=(0, 0, -9.81))
    radius, mass = s.parameter("r", 0.4), s.parameter("m", 1.5)
    s.add_body("disc", da.cylinder(mass, radius, 0.02))
    s.add_joint("free", da.Free(), "ground", "disc")
    s.add_constraint("roll", da.RollingDisc("disc", radius, axis=(0, 0, 1)))
    m = s.build()
    tilt = [np.cos(0.7), np.sin(0.7), 0, 0, 0, 0, 0.35]
    q, u = m.assemble(np.array(tilt), np.array([0.2, 0.1, 4.0, 0, 0, 0]))
    found = m.sensitivities(0.5, q, u, parameters=["r"], outputs={}, output=[0.5])
    expected = differences(lambda d: end(m, {"r": 0.4 + d}, q, u, 0.5), 1e-3)
    got = np.concatenate([found.dq[-1, :, 0], found.du[-1, :, 0]])
    assert np.abs(got - expected).max() < 1e-8 * (1 + np.abs(expected).max())


def test_a_parameter_that_would_open_a_loop_is_named():
    m = da.load(gallery.files()["four_bar"])
    q = m.assemble({"A": 1.0})[0]
    every = dict(zip(m.coordinates, q))
    with pytest.raises(da.LoopError, match=r'"crank" cannot be varied alone.*"C" would open'):
        m.sensitivities(0.1, every, {}, parameters=["crank"])
    with pytest.raises(da.StateError, match="it depends on other coordinates"):
        top().sensitivities(0.1, initial_values=["pivot.e0"])


def test_a_chain_of_twenty_takes_the_compiled_sweeps():
    s = da.System("chain", gravity=(0, -9.81, 0))
    length, parent = s.parameter("l", 0.2), "ground"
    for k in range(20):
        s.add_body(f"b{k}", da.rod(1.0, length))
        s.add_joint(f"j{k}", da.Revolute(), parent, f"b{k}", at_parent=(length if k else 0.0, 0, 0))
        parent = f"b{k}"
    check(s.build(), {"j0": 0.3}, {"j3": 0.5}, 0.1, ["l"], h=1e-3)


def test_accelerations_in_random_loops_are_varied_exactly():
    """In any direction, also one that opens the loops: the equations are varied as they stand."""
    rng = np.random.default_rng(5)
    m, q, u, t = random_loops(rng, 4, 1)
    n_q, o = m.n_q, options(m, 1.0, SimulationOptions(start=t))
    turns, speeds = rng.normal(size=(m.n_u, 3)), rng.normal(size=(m.n_u, 3))
    moves = Variation(m).moved(t, q, u, m.parameters, turns)
    program = SensitivityProgram(m.kernels, o.method, kept=kept_at(m, q, t, Projection()), along=3)
    X = np.vstack([moves, speeds])
    run = SensitivityRun(program, m, o, X, np.zeros((len(m.parameters), 3)), np.ones(X.shape))
    run.begin(q, u, np.array(list(m.parameters.values())))
    rates, changes = np.split(run.part("dy"), [n_q + m.n_u])

    def moved(h, k):
        s = m.state(m.admissible(q + h * moves[:, k]), u + h * speeds[:, k], t)
        return np.concatenate([s.rates, solve(kane.equations(s)).udot])

    assert np.allclose(rates, moved(0.0, 0), rtol=1e-9, atol=1e-9 * np.abs(rates).max())
    for k, change in enumerate(program.unpacked(changes[None])[0].T):
        expected = differences(lambda h: moved(h, k), 1e-3)[n_q:]  # q̇ is taken where Euler parameters have unit length
        assert np.abs(change[n_q:] - expected).max() < 1e-8 * np.abs(expected).max()
