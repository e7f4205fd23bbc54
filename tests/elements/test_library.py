"""Every part of the library against a closed form or a reference, its energy balanced: stored + dissipated − supplied."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import dalembert as da
from tests.elements.energy import metered, off_balance, sled


def test_dahl_friction_slips_under_its_force() -> None:
    s = sled()
    s.add_element("f", da.Dahl("A", stiffness=1e3, force=2.0))
    motion = metered(s, "f").build().simulate(0.4, speeds={"A": 1.0}, rtol=1e-11, max_step=1e-3)
    # pulled one way, its force is F(1 − e^{−σx/F})
    forces = motion.evaluate(lambda s: s.signal("f.friction"))
    assert np.abs(forces - 2.0 * (1.0 - np.exp(-1e3 * motion["A"] / 2.0))).max() < 1e-9
    assert off_balance(motion) < 1e-9


def stick_slip(viscous: float = 0.4) -> tuple[da.Mechanism, Any]:
    """A mass drawn by a spring whose end moves at 0.1 m/s; parameters of Canudas de Wit and others (1995), section IV."""
    s = sled()
    made = da.LuGre("A", stiffness=1e5, coulomb=1.0, static=1.5, stribeck=1e-3, damping=np.sqrt(1e5), viscous=viscous)
    s.add_element("f", made)
    s.add_force("spring", da.Motor("A", lambda s: 2.0 * (0.1 * s.t - s.q["A"])))

    def slope(t: float, y: np.ndarray) -> list[float]:
        x, v, z = y
        g = 1.0 + 0.5 * np.exp(-((v / 1e-3) ** 2))
        bend = v - 1e5 * abs(v) * z / g
        return [v, 2.0 * (0.1 * t - x) - 1e5 * z - np.sqrt(1e5) * bend - viscous * v, bend]

    return metered(s, "f").build(), slope


def test_lugre_friction_sticks_and_slips() -> None:
    m, slope = stick_slip()
    times = np.linspace(0.0, 20.0, 41)
    motion = m.simulate(20.0, output=times, method="radau", rtol=1e-9)
    reference = solve_ivp(slope, (0.0, 20.0), [0.0, 0.0, 0.0], method="Radau", rtol=1e-10, atol=1e-13, t_eval=times)
    assert np.abs(motion["A"] - reference.y[0]).max() < 1e-6
    fast = motion["A'"] > 0.05
    assert fast.any() and (np.abs(motion["A'"]) < 1e-3).any()  # it slips and it sticks, again and again


def test_lugre_friction_keeps_energy() -> None:
    s = sled()
    s.add_element("f", da.LuGre("A", 1e4, 1.0, 1.5, 0.01, damping=20.0, viscous=0.4))
    s.add_force("spring", da.JointSpring("A", stiffness=50.0))
    motion = metered(s, "f").build().simulate(1.0, initial={"A": 0.2}, rtol=1e-12, max_step=2e-4)
    assert off_balance(motion) < 1e-9


def test_bushing_is_a_spring_that_relaxes() -> None:
    """Held at a stretch, an arm's force decays with its time."""
    s = da.System("held")
    s.add_body("end")
    s.add_joint("P", da.Prismatic((1, 0, 0)), "ground", "end", prescribed=lambda t: 0.01 * (1.0 - da.exp(-1e3 * t)))
    s.add_body("mass", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("A", da.Prismatic((0, 1, 0)), "ground", "mass")
    s.add_element("b", da.Bushing("ground", "end", (1e3, 1e3, 1e3, 10, 10, 10), arms=[(2.0, 0.05)]))
    motion = s.build().simulate(0.5, rtol=1e-11, max_step=1e-3)
    lag = 0.01 * (np.exp(-20.0 * motion.t) - np.exp(-1e3 * motion.t)) * 1e3 / (1e3 - 20.0)
    assert np.abs((0.01 * (1.0 - np.exp(-1e3 * motion.t)) - motion["b.arm1_1"]) - lag).max() < 1e-9


def test_bushing_keeps_energy_in_large_motions() -> None:
    s = da.System("two", gravity=(0, 0, -9.81))
    for name in ("one", "two"):
        s.add_body(name, mass=2.0, com=(0.1, 0.05, -0.2), inertia=(0.1, 0.2, 0.15))
        s.add_joint(name, da.Free(), "ground", name)
    K = np.diag([400.0, 500.0, 600.0, 20.0, 30.0, 25.0])
    K[0, 4] = K[4, 0] = 15.0
    s.add_element(
        "b",
        da.Bushing(
            ("one", (0.1, 0, 0)), ("two", (-0.1, 0, 0)), K, (1.0, 2.0, 1.5, 0.1, 0.2, 0.1), [(0.5, 0.1), (0.3, 0.02)]
        ),
    )
    m = metered(s, "b").build()
    start = {"two": [1.0, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0]}
    motion = m.simulate(
        0.5, start, {"one": [0.4, 1.0, -0.5, 0, 0, 0], "two": [2.0, -1.0, 0.5, 0, 0.3, 0]}, rtol=1e-11, max_step=5e-3
    )
    assert off_balance(motion) < 1e-9
    momentum = motion.momentum()
    assert np.abs(momentum.linear[:, :2] - momentum.linear[0, :2]).max() < 1e-9  # inner forces


def test_reaction_wheel_conserves_momentum_and_turns_the_body() -> None:
    s = da.System("satellite")
    s.add_body("bus", mass=50.0, inertia=(10.0, 12.0, 8.0))
    s.add_joint("F", da.Free(), "ground", "bus")
    s.add_element(
        "w",
        da.ReactionWheel("bus", (0, 0, 1), inertia=0.05, friction=1e-3, initial=0.5),
        torque=lambda s: 0.2 * da.cos(s.t),
    )
    m = metered(s, "w").build()
    motion = m.simulate(5.0, speeds={"F": [0.1, 0.2, -0.05, 0, 0, 0]}, rtol=1e-12, max_step=0.02)
    axis = motion.evaluate(lambda s: s.rotation("bus")[:, 2])
    total = motion.momentum("mass centre").angular + motion["w.momentum"][:, None] * axis
    assert np.abs(total - total[0]).max() < 1e-10
    assert off_balance(motion) < 1e-9
    still = m.simulate(1.0, {"w.momentum": 0.0}, rtol=1e-12, max_step=0.02)
    assert np.abs(8.0 * still.u[:, 2] + still["w.momentum"]).max() < 1e-10  # what the wheel takes up the body gives


def test_hydraulic_cylinder_keeps_energy_and_holds_its_load() -> None:
    s = sled(mass=200.0)
    made = da.HydraulicCylinder(
        "A", bore=2e-3, rod_side=1.2e-3, volume=5e-4, rod_volume=1e-3, flow=2e-7, supply=1e7, tank=1e5, leakage=1e-13,
        initial=3e6, rod_initial=5e6,
    )  # fmt: skip
    s.add_element("c", made, opening=lambda s: 0.5 * da.sin(8.0 * s.t))
    m = metered(s, "c").build()
    motion = m.simulate(1.0, rtol=1e-11, max_step=1e-3)
    assert off_balance(motion) < 1e-9
    s = sled(mass=200.0)
    s.add_element("c", replace(made, leakage=0.0), opening=0.0)
    s.add_force("weight", da.Motor("A", -1000.0))
    s.add_force("damping", da.JointSpring("A", damping=5e3))
    held = s.build().simulate(2.0)
    stiffness = 1.4e9 * (2e-3**2 / 5e-4 + 1.2e-3**2 / 1e-3)
    assert abs(held["A"][-1] * stiffness + 1000.0) < 0.05 * 1000.0  # shut, it is a stiff spring of oil


def test_thruster_pulses_no_shorter_than_it_may() -> None:
    s = da.System("jet")
    s.add_body("bus", mass=2.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "bus")
    s.add_element(
        "jet", da.Thruster("bus", (1, 0, 0), 4.0, 0.01, threshold=0.5, release=0.2, pulse=0.05, flow=0.1),
        command=lambda s: da.select((s.t > 0.195) & (s.t < 0.215), 1.0, 0.0) + da.select((s.t > 0.5) & (s.t < 0.6), 0.3, 0.0),
    )  # fmt: skip
    s.add_element("work", da.Integral(), input="jet.supplied")
    motion = s.build().simulate(1.0, output=0.01, rtol=1e-11)
    on = motion["jet.on"]
    assert (
        np.isclose(on.sum() * 0.01, 0.05) and abs(motion["A'"][-1] - 4.0 * 0.05 / 2.0) < 1e-10
    )  # one least pulse; 0.3 starts none
    assert abs(motion["jet.fuel"][-1] - 0.1 * 0.05) < 1e-12
    e = motion.energy().total - motion["work.value"]
    assert np.abs(e - e[0]).max() < 1e-9


def test_rocket_obeys_its_equation() -> None:
    s = da.System("rocket")
    tank = s.add_element(
        "engine", da.RocketEngine("rocket", (1, 0, 0), exhaust=2500.0, initial=80.0), flow=lambda s: 4.0 + s.t
    )
    s.add_body("rocket", mass=20.0 + tank["fuel"])
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "rocket")
    motion = s.build().simulate(8.0, rtol=1e-12)
    mass = 20.0 + motion["engine.fuel"]
    assert np.abs(motion["engine.fuel"] - (80.0 - 4.0 * motion.t - 0.5 * motion.t**2)).max() < 1e-10
    assert np.abs(motion["A'"] - 2500.0 * np.log(100.0 / mass)).max() < 1e-10 * motion["A'"].max()


def test_air_drag_leads_to_the_final_speed() -> None:
    s = sled(mass=80.0, gravity=(-9.81, 0, 0))
    s.add_element("air", da.AirDrag("sled", area=0.7, coefficient=1.2))
    motion = metered(s, "air").build().simulate(20.0, rtol=1e-12)
    final = np.sqrt(80.0 * 9.81 / (0.5 * 1.225 * 1.2 * 0.7))
    assert np.abs(motion["A'"] + final * np.tanh(9.81 * motion.t / final)).max() < 1e-8
    assert off_balance(motion) < 1e-9
    s = sled(mass=80.0)
    s.add_element("air", da.AirDrag("sled", area=0.7), wind_x=10.0)
    blown = metered(s, "air").build().simulate(20.0, rtol=1e-12)
    assert 0.0 < blown["A'"][-1] < 10.0 and off_balance(blown) < 1e-9
