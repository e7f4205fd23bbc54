"""Claims about laws and time: a mechanism does the same in nanoseconds and in years."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints.rest import typical_rate

UNITS = [1.0, 1e9, 3.17e-8]
"""Units of time that make a second: seconds, nanoseconds, years."""


def thrown(T: float) -> da.Mechanism:
    """A block that falls on a slope, bounces, slides and comes to rest, beside a shaft that a brake stops."""
    s = da.System("thrown", gravity=(3.0 / T**2, 0, -9.81 / T**2))
    s.add_body("block", da.box(1.0, (0.1, 0.1, 0.1)))
    s.add_joint("J", da.Translation(), "ground", "block")
    s.add_law("floor", da.Contact("block", mu=0.5, restitution=0.4, stribeck=0.3 / T, mu_static=0.6))
    s.add_body("shaft", da.rod(1.0, 0.5))
    s.add_joint("S", da.Revolute(), "ground", "shaft")
    s.add_law("brake", da.Brake("S", torque=0.3 / T**2))
    s.add_law("end", da.Stop("S", upper=0.4, restitution=0.5))
    return s.build()


def history(T: float, **options: object) -> tuple[list[str], np.ndarray, np.ndarray]:
    start = {"J.z": 0.1}, {"J.x": 1.0 / T, "S": 3.0 / T}
    motion = thrown(T).simulate(1.5 * T, *start, output=0.1 * T, **options)
    states = [str(c.states) for c in motion.modes]
    return states, np.array([c.t for c in motion.modes]) / T, np.asarray(motion.position("block"))


@pytest.mark.parametrize("T", UNITS[1:])
def test_events_do_not_hang_on_the_unit_of_time(T):
    first, found = (history(x, rtol=1e-10) for x in (1.0, T))
    assert found[0] == first[0]
    assert found[1] == pytest.approx(first[1], abs=1e-8)
    assert found[2] == pytest.approx(first[2], abs=1e-8)


def test_steps_do_not_hang_on_the_unit_of_time():
    first, found = (history(T, method="moreau", step=1e-3 * T) for T in UNITS[:2])
    assert found[2] == pytest.approx(first[2], abs=1e-9)


@pytest.mark.parametrize("T", UNITS)
def test_states_do_not_hang_on_the_unit_of_time(T):
    """A speed of a thousandth of its own slides."""
    m = thrown(T)
    assert typical_rate(m) * T == pytest.approx(typical_rate(thrown(1.0)))
    slow = np.array([0.003 / T, 0.0, 0.0, 0.001 / T])
    assert m.laws_at(np.zeros(4), slow)["floor"].state == ("slip",)
    assert m.laws_at(np.zeros(4), slow)["brake"].state == ("slip",)
    assert m.laws_at(np.zeros(4), np.zeros(4))["floor"].state == ("stick",)
