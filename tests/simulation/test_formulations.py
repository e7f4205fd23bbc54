"""Claims about marching any formulation: its own speeds inside, the mechanism's own outside, and one motion."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import bricard, change_point, crank_rocker
from dalembert.errors import SlowForceWarning
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.simulation.models import chain, heavy_top

OTHER_SPEEDS = ["lagrange", "hamilton", "newton_euler"]
"""Rates of the coordinates, momenta, and velocities of all bodies."""


@pytest.mark.parametrize("name", [*OTHER_SPEEDS, "kane_minimal", "gauss"])
def test_loops_and_euler_parameters_move_alike(name):
    linkage = crank_rocker().mechanism
    for m, initial, speeds in ((linkage, {"A": 0.5}, {"A": 3.0}), (heavy_top(), None, [0.5, 0.3, 6.0])):
        expected, motion = (m.simulate(0.4, initial, speeds, rtol=1e-9, formulation=by) for by in ("kane", name))
        assert np.abs(motion.q - expected.q).max() < 1e-7
        assert np.abs(motion.u - expected.u).max() < 1e-6 * np.abs(expected.u).max()
        assert motion.speeds == m.speeds and motion.record["options"]["formulation"] == name
        if m.cuts:
            rows = constraint_rows(m.state(motion.q[-1], motion.u[-1], motion.t[-1]))
            assert np.abs(rows.g).max() < 1e-13 and np.abs(rows.B @ motion.u[-1] - rows.b).max() < 1e-11


@pytest.mark.parametrize("constraints", ["sparse_augmented", "zero_eigenvalues"])
def test_a_formulation_takes_every_constraint_method(constraints):
    m, initial, speeds, _ = bricard()
    expected = m.simulate(0.4, initial, speeds, rtol=1e-9)
    motion = m.simulate(0.4, initial, speeds, rtol=1e-9, formulation="newton_euler", constraints=constraints)
    assert np.abs(motion.q - expected.q).max() < 1e-7


def pushed(law) -> da.Mechanism:
    s = da.System("pushed", gravity=(0, -9.81, 0))
    s.add_body("a", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    if law is not None:
        s.add_force("push", da.Motor("A", law))
    return s.build()


@pytest.mark.parametrize("name", OTHER_SPEEDS)
def test_events_controllers_and_opaque_forces_see_the_mechanisms_own_speeds(name):
    """A damped pendulum, its damping by a controller, by a traced force and by a plain function; stopped where it stands still."""
    traced = pushed(lambda s: -0.5 * s.u["A"])
    expected = traced.simulate(3.0, [1.0], until=da.Event(lambda s: s.u["A"], direction=1), rtol=1e-9)
    motion = traced.simulate(3.0, [1.0], until=da.Event(lambda s: s.u["A"], direction=1), rtol=1e-9, formulation=name)
    assert motion.t[-1] == pytest.approx(expected.t[-1], abs=1e-7) and abs(motion.events[0].u[0]) < 1e-6
    with pytest.warns(SlowForceWarning):
        called = pushed(lambda s: -0.5 * math.fsum([float(s.u["A"])])).simulate(1.0, [1.0], rtol=1e-9, formulation=name)
    assert np.abs(called.q - traced.simulate(1.0, [1.0], rtol=1e-9).q).max() < 1e-7
    rule = {"control": lambda s: {"A": -0.5 * s.u["A"]}, "control_rate": 20.0}
    both = [pushed(None).simulate(1.0, [1.0], rtol=1e-9, formulation=by, **rule).q for by in ("kane", name)]
    assert np.abs(both[0] - both[1]).max() < 1e-7


@pytest.mark.parametrize("by", [{"formulation": "hamilton"}, {"constraints": "partition"}])
def test_an_interrupted_run_goes_on_to_the_same_numbers(by):
    m, asked = crank_rocker().mechanism, {"stop": True}

    def law(s):
        if asked["stop"] and s.t > 0.2:
            raise KeyboardInterrupt
        return {"A": 0.3 * float(s.u["A"])}

    call = {"initial": {"A": 0.5}, "speeds": {"A": 3.0}, "control": law, "control_rate": 10.0, "rtol": 1e-9, **by}
    begun = m.simulate(0.4, **call)
    asked["stop"] = False
    assert not begun.complete
    assert np.array_equal(m.simulate(0.4, **call, resume=begun).q, m.simulate(0.4, **call).q)


def test_fixed_steps_march_every_formulation_and_implicit_ones_refuse():
    m = chain(2)
    expected = m.simulate(0.4, speeds=[0.3, -0.5])
    motion = m.simulate(0.4, speeds=[0.3, -0.5], method="rk4", step=1e-3, formulation=OTHER_SPEEDS[0])
    assert np.abs(motion.q - expected.q).max() < 1e-8
    with pytest.raises(da.SimulationError, match="rk4"):
        m.simulate(0.4, method="midpoint", step=1e-3, formulation=OTHER_SPEEDS[0])


@pytest.mark.parametrize("name", ["boltzmann_hamel", "newton_euler", "barycentric", "kane_minimal"])
def test_solve_agrees_for_every_formulation(name):
    """u̇ and the loop's forces Bᵀλ, through the formulation's own speeds and back; λ itself is not unique here."""
    m, initial, speeds, _ = bricard()
    motion = m.simulate(0.2, initial, speeds, output=[0.2])
    q, u = motion.q[-1], motion.u[-1]
    expected, found = m.solve(q, u), m.solve(q, u, formulation=name)
    assert np.allclose(found.udot, expected.udot, rtol=1e-8, atol=1e-8)
    if len(found.lam):
        B = constraint_rows(m.state(q, u)).B
        assert np.allclose(B.T @ found.lam, B.T @ expected.lam, rtol=1e-7, atol=1e-7) and found.rank == 4


def test_an_eliminated_euler_parameter_may_pass_zero():
    """d'Alembert's form solves for one of the four rates; where that one turns poor another is taken, several times on the way."""
    m = heavy_top()
    expected, motion = (
        m.simulate(2.0, None, [0.5, 0.3, 6.0], rtol=1e-9, formulation=by) for by in ("kane", "dalembert")
    )
    assert np.abs(expected.q).min(axis=0).max() < 0.05  # every parameter comes near zero
    assert np.abs(motion.q - expected.q).max() < 1e-7
    assert np.abs(motion.u - expected.u).max() < 1e-6 * np.abs(expected.u).max()


@pytest.mark.parametrize("name", ["kane_minimal", "dalembert"])
def test_independent_speeds_suit_the_start_wherever_it_is(name):
    """Half a turn from the reference, the Euler parameter solved for there is nearly zero."""
    top, half_turn = heavy_top(), [1e-3, 1.0, 0.0, 0.0]
    q = top.admissible(np.array(half_turn))
    expected, motion = (top.simulate(0.2, q, [0.5, 0.3, 6.0], rtol=1e-9, formulation=by) for by in ("kane", name))
    assert np.abs(motion.q - expected.q).max() < 1e-8


def test_a_run_in_speeds_chosen_anew_goes_on_to_the_same_numbers():
    m, asked = heavy_top(), {"stop": True}

    def law(s):
        if asked["stop"] and s.t > 1.2:
            raise KeyboardInterrupt
        return {}

    events = [da.Event(lambda s: s.u["O"][0], name="fast")]
    call = {
        "speeds": [0.5, 0.3, 6.0],
        "control": law,
        "control_rate": 10.0,
        "formulation": "dalembert",
        "events": events,
    }
    begun = m.simulate(2.0, **call)
    asked["stop"] = False
    resumed, whole = m.simulate(2.0, **call, resume=begun), m.simulate(2.0, **call)
    assert not begun.complete and np.array_equal(resumed.q, whole.q) and np.array_equal(resumed.u, whole.u)
    kane = m.simulate(2.0, **call | {"formulation": "kane"})
    assert [e.t for e in whole.events] == pytest.approx([e.t for e in kane.events], abs=1e-5) and whole.events
    assert np.allclose([e.u for e in whole.events], [e.u for e in kane.events], atol=1e-4)


def test_a_singular_pose_ends_a_run_in_independent_speeds_with_its_reason():
    """At the change point two branches cross; speeds that are solved for would have to be guessed."""
    m, initial, speeds, _ = change_point()
    with pytest.raises(da.SimulationError, match=r'singular pose.*formulation="kane"') as raised:
        m.simulate(0.5, initial, speeds, formulation="kane_minimal")
    assert raised.value.motion.t[-1] == pytest.approx(0.4, abs=0.05)
    assert m.simulate(0.5, initial, speeds).complete


@pytest.fixture(scope="module")
def bob() -> da.Mechanism:
    """A mass on a string round which the speed that is kept must change."""
    s = da.System("bob", gravity=(0, 0, 0))
    s.add_body("carriage", mass=0.1, inertia=(0, 0, 0))
    s.add_body("bob", mass=2.0, inertia=(0, 0, 0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "carriage")
    s.add_joint("y", da.Prismatic((0, 1, 0)), "carriage", "bob")
    s.add_constraint("string", da.Distance("bob", "ground", 1.0))
    return s.build()


@pytest.mark.parametrize(
    "asked",
    [
        {"output": [4.5]},
        {"until": da.Event(lambda s: s.t - 3.003)},
        {"events": [da.Event(lambda s: s.q["x"] + 0.5, direction=-1)]},
    ],
    ids=["one sample", "an end", "an event"],
)
def test_speeds_may_be_chosen_anew_with_nothing_written_between(bob, asked):
    """The independent speeds are fewer than the mechanism's, and some choices last for no sample and no event."""
    by = bob.simulate(5.0, [1.0, 0.0], [0.0, 3.0], formulation="kane_minimal", **asked)
    plain = bob.simulate(5.0, [1.0, 0.0], [0.0, 3.0], **asked)
    assert by.u.shape == plain.u.shape and len(by.events) == len(plain.events)
    assert np.allclose(by.q[-1], plain.q[-1], atol=1e-6) and np.allclose(by.u[-1], plain.u[-1], atol=1e-6)
