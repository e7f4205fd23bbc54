"""Random trees and loops with random elements, in any units and under any names."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import dalembert as da
from dalembert.trace import symbol

KINDS = ("motor", "friction", "dahl", "bushing", "drag", "wing", "wheel", "gyro", "gas", "cable", "muscle", "planet")


class Units(NamedTuple):
    """How many of a unit make a metre, a kilogram, a second."""

    m: float = 1.0
    kg: float = 1.0
    s: float = 1.0

    @property
    def N(self) -> float:
        return self.kg * self.m / self.s**2


def random_system(seed: int, loop: bool, U: Units = Units(), prefix: str = "") -> tuple[da.System, list[str]]:  # noqa: B008
    """Three bodies on two hinges and a slide, perhaps held by a rod, with four elements; and the elements' names."""
    rng = np.random.default_rng(seed)
    s = da.System("random", gravity=np.array([0.5, -9.81, 1.0]) * U.m / U.s**2)
    s.parameter(f"{prefix}kp", 4.0 * U.N * U.m / U.s)
    bodies, joints = [f"{prefix}b{i}" for i in range(3)], [f"{prefix}J{i}" for i in range(3)]
    for i, (body, joint) in enumerate(zip(bodies, joints)):
        spread = rng.normal(size=(3, 3)) * 0.15
        spread = spread @ spread.T
        inertia = (np.trace(spread) * np.eye(3) - spread + 0.05 * np.eye(3)) * U.kg * U.m**2
        s.add_body(body, mass=rng.uniform(0.5, 2.0) * U.kg, com=rng.normal(size=3) * 0.1 * U.m, inertia=inertia)
        axis = rng.normal(size=3)
        kind = (da.Prismatic if i == 1 else da.Revolute)(tuple(axis / np.linalg.norm(axis)))
        s.add_joint(joint, kind, bodies[i - 1] if i else "ground", body, at_parent=rng.normal(size=3) * 0.3 * U.m)
    if loop:
        end = (bodies[2], (0.2 * U.m, 0.1 * U.m, 0.0))
        far = s.build().state().position(end) + np.array([0.3, 0.5, -0.2]) * U.m
        s.add_constraint(f"{prefix}rod", da.Distance(("ground", tuple(far)), end, length=float(np.sqrt(0.38)) * U.m))
    chosen = [str(x) for x in rng.choice(KINDS[1:], size=3, replace=False)]
    _add_motor(s, joints[0], U, prefix)
    for kind in chosen:
        element, inputs = _element(kind, bodies, joints, U)
        s.add_element(f"{prefix}{kind}", element, **inputs)
    return s, [f"{prefix}{kind}" for kind in ("motor", *chosen)]


def _add_motor(s: da.System, joint: str, U: Units, prefix: str) -> None:
    volt = U.N * U.m / U.s  # at one ampere
    pid = da.PID(symbol(f"{prefix}kp"), 3.0 * volt / U.s, 0.2 * volt * U.s, filter=0.05 * U.s)
    s.add_element(f"{prefix}encoder", da.Encoder(joint))
    s.add_element(f"{prefix}pid", pid, reference=0.4, measured=f"{prefix}encoder.position")
    motor = da.DCMotor(joint, 2.0 * volt, 0.05 * volt * U.s, 0.5 * volt * U.s, friction=0.01 * U.N * U.m * U.s)
    s.add_element(f"{prefix}motor", motor, voltage=f"{prefix}pid.output")


def _element(kind: str, b: list[str], J: list[str], U: Units) -> tuple[Any, dict[str, Any]]:
    m, kg, s, N = U.m, U.kg, U.s, U.N

    def at(body: str, *place: float) -> Any:
        return (body, tuple(x * m for x in place))

    def both(along: tuple[float, ...], about: tuple[float, ...], unit: float) -> np.ndarray:
        return np.r_[np.array(along) / m, np.array(about) * m] * unit

    match kind:
        case "friction":
            return da.LuGre(J[2], 50 * N * m, 0.2 * N * m, 0.3 * N * m, 0.2 / s, 0.5 * N * m * s, 0.1 * N * m * s), {}
        case "dahl":
            return da.Dahl(J[1], 200 * N / m, 1.0 * N), {}
        case "bushing":
            K, D = both((30, 40, 50), (1, 2, 3), N), both((1, 1, 2), (0.1, 0.1, 0.2), N * s)
            return da.Bushing("ground", at(b[2], 0.1, 0.2, 0), K, D, [(0.5, 0.1 * s)]), {}
        case "drag":
            return da.AirDrag(at(b[1], 0.3, 0, 0), 0.5 * m**2, density=1.2 * kg / m**3), {"wind_x": 2.0 * m / s}
        case "wing":
            return da.Wing(at(b[2], 0.3, 0, 0), 0.2 * m**2, density=1.2 * kg / m**3), {}
        case "wheel":
            made = da.ReactionWheel(b[2], (0.6, 0, 0.8), 0.02 * kg * m**2, None, 0.01 * N * m * s, 0.3 * N * m * s)
            return made, {"torque": 0.2 * N * m}
        case "gyro":
            made = da.ControlMomentGyro(b[1], (0, 0, 1), (1, 0, 0), 0.5 * N * m * s, initial=0.2)
            return made, {"rate": 0.4 / s}
        case "gas":
            Pa = N / m**2
            return da.PneumaticSpring(J[1], 1e-3 * m**2, 2e-3 * m**3, 1.1e5 * Pa, 1e5 * Pa, gas=287 * (m / s) ** 2), {}
        case "cable":
            path = (at("ground", 0, 1, 0), at(b[1], 0, 0.1, 0), at(b[2], 0, 0.2, 0.1))
            return da.Cable(path, (0, 0, 0), 0.5 * m, 40 * N / m, 1.0 * N * s / m), {}
        case "muscle":
            path = (at("ground", 0, 1, 0), at(b[2], 0, 0.1, 0))
            return da.Muscle(path, 20 * N, 0.5 * m, 0.4 * m, 10 / s, 0.015 * s, 0.05 * s), {"excitation": 0.5}
        case _:
            return da.CentralGravity(30 * m**3 / s**2, (3.0 * m, 4.0 * m, 0.0)), {}
