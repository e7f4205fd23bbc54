"""What is held stands still to the last digit, and is let go in time when forces on it change."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da

from .models import G, slider


def block(mu: float = 0.6) -> da.System:
    """A cube on four corners, one more than are needed: forces on it are not unique."""
    s = da.System("block", gravity=(0, 0, -G))
    s.add_body("block", da.box(mass=1.0, size=(0.2, 0.2, 0.2)))
    s.add_joint("J", da.Free(), "ground", "block")
    for k, (x, y) in enumerate(((-1, -1), (-1, 1), (1, -1), (1, 1))):
        s.add_law(f"corner{k}", da.Contact(("block", (0.1 * x, 0.1 * y, -0.1)), mu=mu))
    return s


def test_a_block_on_four_corners_does_not_move_at_all():
    s = block()
    s.add_force("push", da.Load(("block", (0, 0, -0.1)), force=(2.0, 1.0, 0)))
    motion = s.build().simulate(1000.0, {"J.z": 0.1})
    assert (motion.q[-1] == motion.q[0]).all() and (motion.u[-1] == 0.0).all()
    assert set(motion.modes[-1].states.values()) == {"stick"} and motion.record["steps"] < 1000


def test_a_push_that_grows_moves_it_in_time():
    """0.05 t newtons along x, at the height of the floor: it slips where they are μ m g."""
    s = block()
    s.add_force("push", da.Load(("block", (0, 0, -0.1)), force=lambda state: (0.05 * state.t, 0, 0)))
    motion = s.build().simulate(125.0, {"J.z": 0.1})
    begins = next(x.t for x in motion.modes if "slip" in x.states.values())
    assert begins == pytest.approx(0.6 * G / 0.05, abs=1e-6)


def test_a_short_push_in_a_long_rest_is_felt():
    """6 N against 5 N of friction for ten of a thousand seconds."""
    s = slider()
    s.add_law("dry", da.JointFriction("x", force=5.0))
    s.add_force("push", da.Load("m", force=lambda state: (6.0 * da.select(abs(state.t - 505.0) < 5.0, 1.0, 0.0), 0, 0)))
    motion = s.build().simulate(1000.0)
    assert motion["x"][-1] == pytest.approx(60.0, abs=0.1) and motion.u[-1, 0] == 0.0 and np.isfinite(motion.q).all()


def test_laws_that_leave_no_room_are_told_with_the_part_before():
    """A wall that time moves presses a slider against its stop."""
    s = slider()
    s.add_body("wall")
    s.add_joint("w", da.Prismatic((1, 0, 0)), "ground", "wall", prescribed=lambda t: 1.0 - t)
    s.add_law("right", da.Limit({"w": 1.0, "x": -1.0}, lower=0.0))
    s.add_law("left", da.Stop("x", lower=0.0))
    with pytest.raises(da.SimulationError, match="contradict each other") as told:
        s.build().simulate(3.0, {"x": 0.5})
    assert told.value.motion.t[-1] == pytest.approx(1.0, abs=0.02)
