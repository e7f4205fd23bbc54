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
