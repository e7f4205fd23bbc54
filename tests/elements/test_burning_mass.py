"""Masses and mass centres made of fuel: by hand, by every kind of formulation, past events, with their energy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from tests.elements.energy import metered, off_balance

EXHAUST, FLOW, FUEL = 2500.0, 12.0, 80.0


def rocket(joint: Any, *, nozzle: bool = True, rod: bool = False) -> da.System:
    """A stage whose mass, mass centre and inertia hang on its fuel, with an engine in a gimbal; a rod may tie it to the ground."""
    s = da.System("rocket", gravity=(0, -9.81, 0))
    where = "nozzle" if nozzle else "rocket"
    tank = s.add_element("engine", da.RocketEngine(where, (0, 1, 0), exhaust=EXHAUST, initial=FUEL), flow=FLOW)
    fuel, shell = tank["fuel"], s.parameter("shell", 20.0)
    s.add_body("rocket", mass=shell + fuel, com=(0.05, 0.5 + 0.01 * fuel, 0), inertia=(30.0 + fuel, 1.0, 30.0 + fuel))
    s.add_joint("F", joint, "ground", "rocket")
    if nozzle:
        s.add_body("nozzle", mass=2.0, com=(0, -0.1, 0), inertia=(0.1, 0.1, 0.1))
        s.add_joint("G", da.Revolute((0, 0, 1)), "rocket", "nozzle")
        s.add_force("hold", da.JointSpring("G", stiffness=500.0))
    if rod:
        s.add_body("rod", da.rod(1.0, 1.0))
        s.add_joint("P", da.Revolute((0, 0, 1)), "rocket", "rod", at_parent=(0, 1.0, 0))
        length = float(np.hypot(0.5, 0.8))
        s.add_constraint("end", da.Distance(("rod", (1.0, 0, 0)), ("ground", (1.5, 0.2, 0)), length=length))
    return s


def test_moving_mass_centre_is_that_by_hand() -> None:
    """In the plane: m(a + α n × c − ω² c) = F and I α + c × m a = M about a point of the shell."""

    def slope(t: float, x: np.ndarray) -> np.ndarray:
        _, _, phi, vx, vy, w, fuel = x
        m, own = 20.0 + fuel, np.array([0.05, 0.5 + 0.01 * fuel])
        R = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
        c = R @ own
        thrust = FLOW * EXHAUST * R @ [0.0, 1.0]
        inertia = 30.0 + fuel + m * (c @ c)
        A = np.array([[m, 0, -m * c[1]], [0, m, m * c[0]], [-m * c[1], m * c[0], inertia]])
        f = np.array([*(thrust + m * w * w * c - [0.0, m * 9.81]), -m * 9.81 * c[0]])
        return np.array([vx, vy, w, *np.linalg.solve(A, f), -FLOW])

    start = np.array([0, 0, 0.1, 3.0, 10.0, 0.2, FUEL])
    wanted = solve_ivp(slope, (0.0, 2.0), start, method="DOP853", rtol=1e-13, atol=1e-12).y[:, -1]
    m = rocket(da.Planar(), nozzle=False).build()
    first = {"F.x": 0.0, "F.y": 0.0, "F.angle": 0.1}
    motion = m.simulate(2.0, first, {"F.x": 3.0, "F.y": 10.0, "F.angle": 0.2}, rtol=1e-12, output=[0.0, 2.0])
    found = [motion[name][-1] for name in ("F.x", "F.y", "F.angle", "F.x'", "F.y'", "F.angle'")]
    assert np.abs(found - wanted[:6]).max() < 1e-8


@pytest.mark.parametrize(
    ("joint", "more", "names"),
    [
        (da.Planar(), {}, ("momentum", "newton_euler")),
        (da.Free(), {}, ("system_tisserand",)),
        (da.Revolute((0, 0, 1)), {"rod": True}, ("hooker", "newton_euler_rotations")),
    ],
    ids=["plane", "space", "loop"],
)
def test_formulations_with_speeds_of_their_own_march_a_mass_that_burns(
    joint: Any, more: dict[str, Any], names: tuple[str, ...]
) -> None:
    """Momenta and speeds of mass centres change with the mass itself; a stage is dropped on the way, and half of the fuel lost."""
    m = rocket(joint, **more).build()
    events = [
        da.Event(lambda s: s.t - 0.1, action=da.SetParameter("engine.fuel", 40.0)),
        da.Event(lambda s: s.t - 0.2, action=da.SetParameter("shell", 10.0)),
    ]
    asked: dict[str, Any] = {"initial": {"G": 0.05}, "events": events, "output": [0.0, 0.15, 0.3], "rtol": 1e-10}
    wanted = m.simulate(0.3, **asked)
    assert np.ptp(wanted.z) > 40.0
    for name in names:
        found = m.simulate(0.3, formulation=name, **asked)
        assert np.abs(found.q - wanted.q).max() < 1e-8, name
        assert np.abs(found.u - wanted.u).max() < 1e-6, name


def test_speeds_that_jump_with_a_sampled_mass_are_refused_by_name() -> None:
    s = da.System("jet")
    jet = s.add_element("jet", da.Thruster("bus", (1, 0, 0), 4.0, 0.01, flow=0.1), command=1.0)
    s.add_body("bus", mass=2.0 - jet["fuel"])
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "bus")
    m = s.build()
    motion = m.simulate(0.5, output=0.01, rtol=1e-12)
    assert np.abs(np.diff(motion["A'"]) - 0.01 * 4.0 / (2.0 - motion["jet.fuel"][:-1])).max() < 1e-12
    with pytest.raises(da.SimulationError, match=r'jump with the state "jet\.fuel" of a sampled element'):
        m.simulate(0.5, formulation="momentum")


def test_energy_of_what_burns_leaves_with_it() -> None:
    s = rocket(da.Free())
    s.add_element("planet", da.CentralGravity(500.0, (0, -20.0, 0)))
    m = metered(s, "engine").build()
    motion = m.simulate(0.3, {"G": 0.05}, {"F": [0.3, 0.2, 0.5, 3.0, 10.0, 0.1]}, rtol=1e-12, max_step=2e-3)
    assert motion["taken.value"][-1] > 1e5 and off_balance(motion) < 1e-9
    with pytest.raises(da.ModelError, match="evaluate it along a motion"):
        m.state().signal("engine.supplied")
