"""Motion that time alone decides: it is simulated like any other, and everything can be asked of it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import dalembert as da
from benchmarks.loop_models import four_bar
from dalembert.simulation.integrators.integrator import INTEGRATORS
from tests.effort import examples
from tests.mechanisms import random_tree, seeds


def _swinging(k: int):
    return lambda t: 0.3 * k + 0.8 * da.sin((1.0 + 0.2 * k) * t)


def _twins(seed: int) -> tuple[da.Mechanism, da.Mechanism]:
    """A random tree that is free, and the same with every coordinate prescribed."""
    rng = np.random.default_rng(seed)
    free = random_tree(rng, 4, orientation="angles")
    told = da.System("told", free.gravity)
    told.bodies, told.forces = free.bodies, free.forces
    for k, p in enumerate(free.joints.values()):
        law = {c: _swinging(k + i) for i, c in enumerate(p.joint.coordinates)}
        every = (lambda t, law=law: [each(t) for each in law.values()]) if p.joint.n_q else None
        told.add_joint(p.name, p.joint, p.parent, p.child, p.on_parent, p.on_child, prescribed=every)
    return free.build(), told.build()


@settings(max_examples=examples(4))
@given(seeds)
def test_what_holds_a_prescribed_tree_is_inverse_dynamics(seed):
    free, told = _twins(seed)
    assert told.n_q == told.n_u == 0
    motion = told.simulate(0.5, output=0.25)
    assert motion.complete and motion.q.shape == (3, 0) and motion.udot().shape == (3, 0)
    q = np.column_stack([np.zeros((3, 0)), *(motion[c] for c in free.coordinates)])
    u = np.column_stack([np.zeros((3, 0)), *(motion[f"{c}'"] for c in free.speeds)])
    udot = [np.concatenate([np.zeros(0), *told.state(t=t).joint_udot(np.zeros(0))]).astype(float) for t in motion.t]
    energy = motion.energy()
    np.testing.assert_allclose(
        np.column_stack([energy.kinetic, energy.potential]), free.energies(q, u, motion.t), rtol=1e-12, atol=1e-12
    )
    needed = free.inverse_dynamics(q, u, np.array(udot), motion.t)
    moving = [j.name for j in told.joints if j.joint.n_u]
    held = np.column_stack([np.zeros((3, 0)), *(motion.drive(name).force for name in moving)])
    np.testing.assert_allclose(held, needed, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(needed).max(initial=0.0)))


BARS = (0.4, 1.0, 0.9, 1.0)


def test_the_torque_of_a_driven_four_bar_is_inverse_dynamics_of_the_free_one():
    motion = four_bar(*BARS, lambda t: 0.7 + 2.0 * t + 0.3 * da.sin(5.0 * t)).simulate(1.0, output=0.1)
    np.testing.assert_allclose(motion["A"], 0.7 + 2.0 * motion.t + 0.3 * np.sin(5.0 * motion.t), atol=1e-10)
    free = four_bar(*BARS).drives(motion.q, motion.u, motion.udot(), actuated=["A"])
    np.testing.assert_allclose(motion.drive("drive").force, free.forces[:, 0], rtol=1e-8, atol=1e-8)


def _told_arm() -> da.Mechanism:
    s = da.System("arm", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod", prescribed=lambda t: da.sin(20.0 * t))
    return s.build()


def _first_rise(s):
    return da.cos(20.0 * s.t)


@pytest.mark.parametrize("method", INTEGRATORS)
def test_every_method_gives_it_and_sees_its_events(method):
    step = None if INTEGRATORS[method].adaptive else 0.01
    motion = _told_arm().simulate(1.0, method=method, step=step, events=_first_rise, output=0.25)
    np.testing.assert_allclose([e.t for e in motion.events], (np.arange(6) + 0.5) * np.pi / 20.0, atol=1e-12)
    assert list(motion.t) == [0.0, 0.25, 0.5, 0.75, 1.0]


@pytest.mark.parametrize("formulation", ["lagrange", "hamilton", "newton_euler"])
def test_every_formulation_has_nothing_to_add(formulation):
    motion = _told_arm().simulate(0.5, output=0.1, formulation=formulation)
    np.testing.assert_array_equal(motion.position("rod"), np.zeros((6, 3)))
    np.testing.assert_allclose(motion["A"], np.sin(20.0 * motion.t), atol=1e-14)


def test_it_is_kept_and_shown(tmp_path):
    m = _told_arm()
    motion = m.simulate(1.0)
    motion.save(tmp_path / "arm.nc")
    again = da.load_motion(tmp_path / "arm.nc", m)
    np.testing.assert_array_equal(again.drive("A").force, motion.drive("A").force)
    text = motion.page(tmp_path / "arm.html").read_text(encoding="utf-8")
    assert '"Coordinates (rad)"' in text and '"Energy (J)"' in text


def test_a_constraint_that_agrees_with_time_is_redundant_and_one_that_does_not_is_told():
    def arm(length):
        s = da.System("arm")
        s.add_body("rod", da.rod(1.0, 1.0))
        s.add_joint("A", da.Revolute(), "ground", "rod", prescribed=lambda t: 0.3 * t)
        s.add_constraint("rope", da.Distance("ground", ("rod", (1, 0, 0)), length))
        return s.build()

    reaction = arm(1.0).simulate(1.0).reaction("A")
    assert not reaction.determined.all() and "over-constrained" in reaction.note
    with pytest.raises(da.LoopError, match="rope"):
        arm(0.9).simulate(1.0)


def test_a_table_that_ends_before_the_run_is_told():
    times = np.linspace(0.0, 1.0, 9)
    s = da.System("arm")
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod", prescribed=da.Table(times, np.sin(times)))
    m = s.build()
    assert m.simulate(1.0).complete
    with pytest.raises(da.SimulationError, match=r'"A".*no value at t = 2 s.*outside="hold"') as caught:
        m.simulate(2.0)
    assert caught.value.motion is not None
