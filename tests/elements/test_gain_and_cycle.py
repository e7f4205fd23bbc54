"""Exact derivatives in a controller's gain, by complex steps; and a limit cycle of friction, from extended precision."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from tests.elements.test_library import stick_slip

KP, KI, KD, FILTER, R, L, K = 10.0, 20.0, 1.0, 0.02, 1.0, 0.01, 0.5


def controlled_arm() -> da.Mechanism:
    s = da.System("arm", gravity=(0, -9.81, 0))
    kp, ki, kd = (s.parameter(name, value) for name, value in (("kp", KP), ("ki", KI), ("kd", KD)))
    s.add_body("arm", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.02))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "arm")
    s.add_element("pid", da.PID(kp, ki, kd, filter=FILTER), reference=0.5, measured=lambda s: s.q["A"])
    s.add_element("motor", da.DCMotor("A", R, L, K), voltage="pid.output")
    return s.build()


def by_hand(gains: np.ndarray) -> np.ndarray:
    """(angle, speed, integral, filtered, current) after 1 s, from rest; gains may be complex."""
    kp, ki, kd = gains

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        q, w, integral, filtered, i = x
        e = 0.5 - q
        voltage = kp * e + integral + kd * (e - filtered) / FILTER
        return np.array(
            [w, (K * i - 0.981 * np.cos(q)) / 0.03, ki * e, (e - filtered) / FILTER, (voltage - R * i - K * w) / L]
        )

    found = solve_ivp(slope, (0.0, 1.0), np.zeros(5, dtype=complex), method="DOP853", rtol=3e-14, atol=1e-14)
    return np.asarray(found.y[:, -1])


def test_sensitivities_to_gains_are_those_of_complex_steps() -> None:
    found = controlled_arm().sensitivities(
        1.0, {"A": 0.0}, parameters=["kp", "ki", "kd"], output=[0.0, 1.0], rtol=1e-12
    )
    h = 1e-30
    for column, unit in enumerate(np.eye(3)):
        wanted = by_hand(np.array([KP, KI, KD]) + 1j * h * unit).imag / h
        got = np.array([found[x][-1, column] for x in ("A", "A'", "pid.integral", "pid.filtered", "motor.current")])
        assert np.abs(got - wanted).max() < 1e-8 * max(1.0, np.abs(wanted).max())


STARTS = (7.5403974630154679, 13.903117284081284, 20.265837105147100)
"""Times, s, at which the slider of Canudas de Wit and others passes 0.05 m/s, slip by slip: Dormand and Prince's method of order 8 in
80 bits, tolerance 3e-17. The cycle lasts 6.362719821065816 s."""


@pytest.mark.parametrize("method", ["radau", "dop853"])
def test_lugre_limit_cycle_is_that_of_extended_precision(method: str) -> None:
    m, _ = stick_slip()
    event = da.Event(lambda s: s.u["A"] - 0.05, direction=1)
    motion = m.simulate(21.0, events=[event], output=[0.0, 21.0], method=method, rtol=1e-11)
    assert np.abs(np.array([e.t for e in motion.events]) - STARTS).max() < 1e-9
