"""Events that act, and outputs that fall upon them."""

from __future__ import annotations

import pytest

import dalembert as da

MARCHES = {
    "in steps": {"method": "moreau", "step": 4e-4},
    "from event to event": {},
    "rk4": {"method": "rk4", "step": 4e-4},
}


@pytest.mark.parametrize("march", MARCHES)
def test_outputs_at_the_instant_of_an_action_have_numbers(march):
    """Wherever an event acts within the step that ends at an output, and exactly there."""
    s = da.System("slide")
    s.add_body("mass", da.particle(1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "mass")
    s.add_law("stop", da.Stop("x", -1.0, 1.0))
    when = s.parameter("when", 0.01)
    event = da.Event(lambda s: s.t - when, action=da.Switch("stop", on=False))
    m = s.build()
    asked = {"initial": {"x": 0.0}, "speeds": {"x": 3.0}, "output": 0.01, "events": {"off": event}, **MARCHES[march]}
    for at in (0.01, 0.0099, 0.00961, 0.0096, 0.02, 0.0301, 0.04):
        motion = m.simulate(0.04, parameters={"when": at}, **asked)
        assert motion["x"] == pytest.approx(3.0 * motion.t, abs=1e-12)


@pytest.mark.parametrize("apart", [0.0, 1e-7, 1e-4, 3e-4])
@pytest.mark.parametrize("march", MARCHES)
def test_events_of_one_step_all_act(march, apart):
    """Two blows within a step, and a third event that only is recorded: none is lost, whatever is between them."""
    s = da.System("slide")
    s.add_body("mass", da.particle(2.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "mass")
    s.add_law("stop", da.Stop("x", -10.0, 10.0))
    m = s.build()
    first = 0.00402
    blows = {
        "one": da.Event(lambda s: s.t - first, action=da.JointImpulse("x", 1.0)),
        "two": da.Event(lambda s: s.t - (first + apart), action=da.JointImpulse("x", 4.0)),
        "seen": da.Event(lambda s: s.t - (first + 1.5e-4)),
    }
    asked = {"initial": {"x": 0.0}, "speeds": {"x": 1.0}, "output": 1e-4, "events": blows, **MARCHES[march]}
    motion = m.simulate(0.02, **asked)
    assert motion.u[-1] == pytest.approx(3.5, abs=1e-12)
    found = {e.name: e.t for e in motion.events}
    assert found == pytest.approx({"one": first, "two": first + apart, "seen": first + 1.5e-4}, abs=1e-9)
    assert [e.t for e in motion.events] == sorted(e.t for e in motion.events)
    before = motion.t < first
    assert motion["x"][before] == pytest.approx(motion.t[before], abs=1e-12)


def test_an_event_that_ends_the_run_does_so_after_one_that_acts_in_the_same_step():
    s = da.System("slide")
    s.add_body("mass", da.particle(2.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "mass")
    s.add_law("stop", da.Stop("x", -10.0, 10.0))
    blow = da.Event(lambda s: s.t - 0.00402, action=da.JointImpulse("x", 1.0))
    motion = s.build().simulate(
        0.02, events={"blow": blow}, until={"end": lambda s: s.t - 0.0042}, speeds={"x": 1.0}, **MARCHES["in steps"]
    )
    assert [e.name for e in motion.events] == ["blow", "end"]
    assert motion.t[-1] == pytest.approx(0.0042, abs=1e-9)
