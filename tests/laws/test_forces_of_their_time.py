"""Forces at a sample are those of its own time, whatever events and controllers have changed since."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from tests.effort import examples

MASS, G, END = 2.0, 10.0, 1.0


def pressed(force=None) -> tuple[da.System, da.Expr]:
    """A block on a floor with a parameter that presses it down, and at will another force that reads it."""
    s = da.System("block", gravity=(0, 0, -G))
    load = s.parameter("load", 1.0)
    s.add_body("block", mass=MASS, inertia=(0.1, 0.1, 0.1))
    s.add_joint("z", da.Prismatic((0, 0, 1)), "ground", "block")
    s.add_law("floor", da.Stop("z", lower=0.0))
    s.add_force("press", da.Motor("z", -load) if force is None else da.Motor("z", force(load)))
    return s, load


@settings(max_examples=examples(18), deadline=None)
@given(st.lists(st.floats(0.0, 50.0), min_size=2, max_size=5))
def test_a_contact_bears_what_the_controller_pressed_with_then(pushes):
    s, _ = pressed()
    rate = len(pushes) / END
    push = lambda s: {"z": -pushes[min(int(s.t * rate + 1e-9), len(pushes) - 1)]}  # noqa: E731
    motion = s.build().simulate(END, {"z": 0.0}, control=push, control_rate=rate, output=END / 20)
    expected = MASS * G + 1.0 - motion.forces[:, 0]
    assert np.abs(motion.contacts["floor"].normal[:, 0] - expected).max() < 1e-11 * expected.max()
    assert np.abs(motion.udot()).max() < 1e-11


@pytest.mark.parametrize("options", [{}, {"method": "moreau", "step": 0.01}], ids=["events", "steps"])
def test_a_contact_bears_the_parameter_that_held_then(options):
    s, _ = pressed()
    change = {"more": da.Event(lambda s: s.t - 0.55, action=da.SetParameter("load", 5.0))}
    motion = s.build().simulate(END, {"z": 0.0}, events=change, output=0.1, **options)
    expected = MASS * G + np.where(motion.t > 0.55, 5.0, 1.0)
    assert np.abs(motion.contacts["floor"].normal[:, 0] - expected).max() < 1e-10
    assert np.abs(motion.reaction("z").force[:, 2] - MASS * G).max() < 1e-10  # the motor is part of the joint
    assert np.abs(motion.udot()).max() < 1e-10


def test_a_python_function_and_a_controller_see_the_parameter_that_an_event_has_set():
    def not_traced(load):
        return lambda s: load * math.exp(0.0 * float(s.t))

    s, load = pressed(not_traced)
    change = {"more": da.Event(lambda s: s.t - 0.5, action=da.SetParameter("load", 5.0 + MASS * G))}
    seen = []

    def watch(s):
        seen.append(float(s.settled(load)))
        return {}

    with pytest.warns(match="Python function"):
        m = s.build()
        motion = m.simulate(END, {"z": 1.0}, {"z": 20.0}, events=change, control=watch, control_rate=4.0, output=0.25)
    fallen = (1.0 - MASS * G) / MASS
    speed = np.where(motion.t <= 0.5, 20.0 + fallen * motion.t, 20.0 + fallen * 0.5 + 5.0 / MASS * (motion.t - 0.5))
    assert np.abs(motion.u[:, 0] - speed).max() < 1e-9
    assert seen == [1.0, 1.0, 1.0, 25.0] or seen == [1.0, 1.0, 25.0, 25.0]
