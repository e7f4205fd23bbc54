"""Gradients of whole motions: forward and backward agree with each other and with high-order differences of the same steps."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.gradient import gradient as gradients
from dalembert.errors import ArgumentError, FormulationError, SimulationError
from dalembert.files import gallery
from dalembert.simulation.rollout.rollout import Rollout, rollout_program
from tests.constraints.loops import random_loops
from tests.mechanisms import planar_pendulum, random_state, random_tree

STEPS, STEP = 12, 2e-3


def differences(f, h=1e-3):
    """f'(0) by central differences of sixth order."""
    D = [(f(s * h) - f(-s * h)) / (2 * s * h) for s in (1, 2, 3)]
    return (15 * D[0] - 6 * D[1] + D[2]) / 10


def check(m, q, u, rng, moved, count=1, within=1e-9):
    """Along a random direction of what is `moved`, the change of a random weighing of all states, in three ways."""
    rollout = Rollout(rollout_program(m, q, 0.0), STEP * np.arange(STEPS + 1))
    z = [m.parameters[name] for name in m.states]
    y = np.repeat(np.concatenate([q, u, z])[None], count, axis=0)
    P = np.repeat(np.array(list(m.parameters.values()), dtype=float)[None], count, axis=0)
    x, t = rng.normal(size=(count, STEPS, m.n_u)), np.full(count, 0.1)
    at = {"y": y, "x": x, "P": P, "t": t}
    along = {k: rng.normal(size=v.shape) * (k in moved) for k, v in at.items()}
    along["P"] *= 0.1 * np.abs(P)
    along["P"][:, m.states_at : m.states_at + m.n_z] = 0.0

    def states(d):
        return rollout.march(*(at[k] + d * along[k] for k in ("y", "x", "P", "t")))

    Y = states(0.0)
    W = rng.normal(size=Y.shape)
    back = rollout.weigh(Y, x, P, t, W)
    marched, dY = rollout.change(y, x, P, t, *(along[k] for k in ("y", "x", "P", "t")))
    forward = (W * dY).sum(axis=(1, 2))
    backward = sum((getattr(back, k) * along[k]).reshape(count, -1).sum(axis=1) for k in at)
    expected = differences(lambda d: (W * states(d)).sum(axis=(1, 2)))
    size = 1.0 + np.abs(expected).max()
    assert np.abs(marched - Y).max() < 1e-12 * (1 + np.abs(Y).max())
    assert np.abs(forward - backward).max() < 1e-11 * size
    assert np.abs(backward - expected).max() < within * size


@pytest.mark.parametrize("seed", [1, 2])
def test_of_random_trees_in_everything(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 4, prescribed=True).build()
    q, u, _ = random_state(m, rng)
    check(m, q, u, rng, "yxPt")


def test_of_several_motions_side_by_side():
    m = planar_pendulum(2).build()
    check(m, np.array([0.3, 0.5]), np.array([1.0, -2.0]), np.random.default_rng(0), "yxPt", count=5)


def test_of_random_loops_in_forces_over_time():
    rng = np.random.default_rng(0)
    m, q, u, _ = random_loops(rng, 3, 1)
    check(m, q, u, rng, "x")


def test_with_states_of_elements():
    m = da.load(gallery.files()["quarter_car"])
    start = m.simulate(0.1, output=[0.0])
    check(m, start.q[0], start.u[0], np.random.default_rng(3), "yxP")


def four_bar():
    return da.load(gallery.files()["four_bar"])


OBJECTIVE = {
    "end": lambda s: s.position(("rocker", (0.2, 0.1, 0)))[0] * s.u["A"],
    "integral": lambda s: s.u["A"] ** 2 + s.q["D"],
}


@pytest.mark.parametrize("how, within", [({"step": 2e-3}, 1e-9), ({"rtol": 1e-11}, 1e-8)], ids=["rk4", "dop853"])
def test_of_a_four_bar_in_its_lengths_and_its_start(how, within):
    m = four_bar()
    g = m.gradient(0.4, {"A": 1.0}, {"A": 6.0}, initial_values=["A", "A'"], **OBJECTIVE, **how)

    def value(d, name):
        lengths = {name: m.parameters[name] + d} if name in m.parameters else {}
        start, speeds = {"A": 1.0 + d * (name == "A")}, {"A": 6.0 + d * (name == "A'")}
        return m.with_parameters(**lengths).gradient(0.4, start, speeds, parameters=[], **OBJECTIVE, **how).value

    for name in ("crank", "A'"):
        expected = differences(lambda d: value(d, name))
        assert abs(g[name] - expected) < within * (1.0 + np.abs(g.values).max()), name
    assert f"after {g.steps} steps" in str(g)


def test_agrees_with_sensitivities_and_with_the_simulated_end():
    m = four_bar()
    g = m.gradient(0.4, {"A": 1.0}, {"A": 6.0}, end=lambda s: s.q["D"], rtol=1e-12)
    found = m.sensitivities(0.4, {"A": 1.0}, {"A": 6.0}, outputs={}, output=[0.4])
    assert np.abs(g.values - found["D"][-1]).max() < 1e-8
    steps = m.gradient(0.4, {"A": 1.0}, {"A": 6.0}, end=lambda s: s.q["D"], step=1e-2, parameters=[])
    assert np.abs(steps.q - m.simulate(0.4, {"A": 1.0}, {"A": 6.0}, step=1e-2).q[-1]).max() < 1e-12


def test_of_controls_and_with_few_states_kept(monkeypatch):
    m = four_bar()
    given = {"initial": {"A": 1.0}, "speeds": {"A": 6.0}, "step": 5e-3, "controls": {"A": np.ones(8)}} | OBJECTIVE
    g = m.gradient(0.4, **given)
    monkeypatch.setattr(gradients, "KEPT", 10)
    few = m.gradient(0.4, **given)
    assert np.abs(few.values - g.values).max() < 1e-11 and np.abs(few["A"] - g["A"]).max() < 1e-11
    e = np.eye(8)[3]
    expected = differences(lambda d: m.gradient(0.4, **given | {"controls": {"A": 1.0 + d * e}}).value, 1e-2)
    assert abs(g["A"][3] - expected) < 1e-8


def test_what_cannot_be_done_is_said():
    m = four_bar()
    with pytest.raises(ArgumentError, match="say of what"):
        m.gradient(0.4)
    with pytest.raises(ArgumentError, match="80 steps"):
        m.gradient(0.4, {"A": 1.0}, controls={"A": np.ones(7)}, step=5e-3, **OBJECTIVE)
    with pytest.raises(SimulationError, match="rk4"):
        m.gradient(0.4, {"A": 1.0}, controls={"A": np.ones(7)}, **OBJECTIVE)
    with pytest.raises(ArgumentError, match="one number"):
        m.gradient(0.4, {"A": 1.0}, end=lambda s: s.position("crank"), step=5e-3)
    stopped = da.load(gallery.files()["pendulum_stop"])
    with pytest.raises(FormulationError, match="laws"):
        stopped.gradient(0.4, end=lambda s: s.t)
