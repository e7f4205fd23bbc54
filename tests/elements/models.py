"""Mechanisms with elements, for the tests."""

from __future__ import annotations

from typing import Any

import numpy as np

import dalembert as da

RESISTANCE, INDUCTANCE, CONSTANT, FRICTION, INERTIA, VOLTAGE = 1.0, 0.01, 0.05, 0.001, 0.02, 12.0


def motor() -> da.System:
    """A motor that starts a flywheel from rest, with meters of its heat and of what it takes from the line."""
    s = da.System("motor")
    s.add_body("wheel", mass=1.0, inertia=(0.1, 0.1, INERTIA))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "wheel")
    made = da.DCMotor("A", RESISTANCE, INDUCTANCE, CONSTANT, friction=FRICTION)
    s.add_element("motor", made, voltage=s.parameter("V", VOLTAGE))
    s.add_element("heat", da.Integral(), input="motor.dissipated")
    s.add_element("taken", da.Integral(), input="motor.supplied")
    return s


def motor_start(t: np.ndarray) -> np.ndarray:
    """(current, speed) of that motor: two exponentials, by the eigenvalues of its 2 × 2 matrix."""
    A = np.array([[-RESISTANCE / INDUCTANCE, -CONSTANT / INDUCTANCE], [CONSTANT / INERTIA, -FRICTION / INERTIA]])
    end = -np.linalg.solve(A, [VOLTAGE / INDUCTANCE, 0.0])
    values, vectors = np.linalg.eig(A)
    weights = np.linalg.solve(vectors, -end)
    return np.real(end + (np.exp(np.outer(t, values)) * weights) @ vectors.T)


def driven_arm(loop: bool = False, **more: Any) -> da.System:
    """An arm under gravity, or a four-bar, driven through a filter by a motor."""
    s = da.System("driven", gravity=(0, -9.81, 0))
    k, R = s.parameter("k", 0.05), s.parameter("R", 1.0)
    s.add_body("arm", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.02))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "arm")
    s.add_element("filter", da.LowPass(0.05), input=lambda s: 12.0 - s.u["A"] - s.q["A"])
    s.add_element("motor", da.DCMotor("A", R, 0.01, k, friction=0.001), voltage="filter.output")
    if loop:
        s.add_body("rod", da.rod(1.0, 1.0))
        s.add_body("rocker", da.rod(1.0, 0.6))
        s.add_joint("B", da.Revolute((0, 0, 1)), "arm", "rod", at_parent=(0.3, 0, 0))
        s.add_joint("C", da.Revolute((0, 0, 1)), "rod", "rocker", at_parent=(1.0, 0, 0))
        s.add_joint("D", da.Revolute((0, 0, 1)), "rocker", "ground", at_parent=(0.6, 0, 0), at_child=(1.0, 0, 0))
    s.add_output("torque", lambda s: s.signal("motor.torque"))
    return s
