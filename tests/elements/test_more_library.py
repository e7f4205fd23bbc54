"""Gas, wings, muscles and gears: closed forms and published curves, with energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.elements import ELEMENTS
from dalembert.elements.drawn.muscle import _speed_of
from dalembert.parts.conform import checks_of
from tests.elements.energy import metered, off_balance, sled


def test_fields_of_every_element_are_checked() -> None:
    """Types that cannot be read where an element is defined would leave its fields unchecked."""
    for cls in ELEMENTS:
        assert checks_of(cls), cls.__name__


def test_enclosed_gas_keeps_p_v_to_the_kappa() -> None:
    s = sled(mass=5.0)
    s.add_element("gas", da.PneumaticSpring("A", area=2e-3, volume=1e-3, initial=2e5))
    m = metered(s, "gas").build()
    motion = m.simulate(0.5, {"A": -0.05}, rtol=1e-12, max_step=1e-3)
    V = 1e-3 + 2e-3 * motion["A"]
    kept = motion["gas.pressure"] * V**1.4
    assert np.ptp(V) > 1e-4 and np.ptp(kept) < 1e-9 * kept[0]
    assert off_balance(motion) < 1e-9
    small = m.linearise([0.0])
    assert abs(small.A[1, 2] - 2e-3 / 5.0) < 1e-12  # force for each pascal
    assert abs(small.A[2, 1] + 1.4 * 2e5 * 2e-3 / 1e-3) < 1e-6  # p V̇ κ/V


def test_gas_let_in_and_out_keeps_energy() -> None:
    s = sled(mass=5.0)
    s.add_element("gas", da.PneumaticSpring("A", 2e-3, 1e-3, 2e5), flow=lambda s: 1e-3 * da.sin(20.0 * s.t))
    s.add_force("wall", da.JointSpring("A", stiffness=1e4))
    motion = metered(s, "gas").build().simulate(0.6, rtol=1e-12, max_step=5e-4)
    assert np.ptp(motion["gas.mass"]) > 5e-5 and off_balance(motion) < 1e-9


def test_glider_sinks_by_its_drag_over_lift() -> None:
    s = da.System("glider", gravity=(0, 0, -9.81))
    s.add_body("glider", mass=400.0, inertia=(1, 1, 1))
    s.add_joint("T", da.Translation(), "ground", "glider")
    s.add_element("wing", da.Wing("glider", area=12.0, lift=5.5, drag=0.015, induced=0.02))
    m = metered(s, "wing").build()
    motion = m.simulate(400.0, speeds={"T": [25.0, 0.0, -2.0]}, rtol=1e-12, atol=1e-12)
    v = motion.u[-1]
    angle = np.arctan2(-v[2], v[0])
    lift = 5.5 * np.sin(angle) * np.cos(angle)
    drag = 0.015 + 0.02 * lift**2
    assert abs(drag / lift - np.tan(angle)) < 1e-6
    push = 0.5 * 1.225 * 12.0 * (v @ v) * np.hypot(lift, drag)
    assert abs(push - 400.0 * 9.81) < 1e-2
    assert off_balance(motion) < 1e-9


def test_wing_in_wind_keeps_energy() -> None:
    s = sled(mass=3.0)
    s.add_element("wing", da.Wing("sled", 0.5, up=(0, 1, 0)), wind_x=-3.0, wind_y=2.0)
    motion = metered(s, "wing").build().simulate(5.0, speeds={"A": 4.0}, rtol=1e-12)
    assert off_balance(motion) < 1e-9


def elbow(**more: float) -> da.System:
    """A forearm held by a muscle over a pulley-like point."""
    s = da.System("elbow", gravity=(0, -9.81, 0))
    s.add_body("forearm", mass=1.5, com=(0.15, 0, 0), inertia=(0.01, 0.02, 0.02))
    s.add_joint("E", da.Revolute((0, 0, 1)), "ground", "forearm")
    points = (("ground", (0.0, 0.3, 0)), ("ground", (0.03, 0.05, 0)), ("forearm", (0.05, 0, 0)))
    s.add_element(
        "biceps", da.Muscle(points, force=600.0, fibre=0.12, tendon=0.17, **more),
        excitation=lambda s: 0.5 + 0.4 * da.sin(6.0 * s.t),
    )  # fmt: skip
    return s


def test_muscle_keeps_energy() -> None:
    motion = metered(elbow(), "biceps").build().simulate(0.5, {"E": 0.2}, rtol=1e-12, max_step=1e-3)
    assert motion["taken.value"][-1] > 0.1 and off_balance(motion) < 1e-9


def test_muscle_at_rest_pulls_with_its_isometric_force() -> None:
    """Fibres held at a length at full activation: tendon and fibres balance, active curve and passive one as published."""
    s = da.System("held")
    s.add_body("mass", mass=1.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "mass", prescribed=lambda t: 0.32)
    s.add_body("free", mass=1.0)
    s.add_joint("B", da.Prismatic((0, 1, 0)), "ground", "free")
    s.add_element("m", da.Muscle(("ground", "mass"), 800.0, 0.12, 0.18), excitation=1.0)
    s.add_output("T", lambda s: s.signal("m.tension"))
    motion = s.build().simulate(2.0, rtol=1e-11, output=[0.0, 1.0, 2.0])
    a, stretch = motion["m.activation"][-1], motion["m.length"][-1] / 0.12
    wanted = a * np.exp(-((stretch - 1.0) ** 2) / 0.45)
    wanted += (np.exp(5.0 * (stretch - 1.0) / 0.6) - 1.0) / (np.exp(5.0) - 1.0)
    assert abs(a - 1.0) < 1e-6 and stretch > 1.0
    assert abs(motion.outputs()["T"][-1] - 800.0 * wanted) < 1e-5 * 800.0


@pytest.mark.parametrize(
    ("strain", "wanted"),
    # OpenSim's Thelen2003Muscle: toe at 99 e³/(166 e³ − 67) of the strain 0.04 of the largest isometric force
    [
        (-0.01, 0.0), (0.01, 0.33 * (math.exp(0.75 / 0.60861)) / (math.exp(3) - 1) - 0.33 / (math.exp(3) - 1)),
        (99 * math.exp(3) * 0.04 / (166 * math.exp(3) - 67), 0.33), (0.04, 1.0),
        (0.05, 1.0 + 0.01 * 0.67 / (0.04 - 99 * math.exp(3) * 0.04 / (166 * math.exp(3) - 67))),
    ],
)  # fmt: skip
def test_tendon_pulls_by_thelens_curve(strain: float, wanted: float) -> None:
    s = da.System("held")
    s.add_body("mass", mass=1.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "mass")
    s.add_element("m", da.Muscle(("ground", "mass"), 800.0, 0.12, 0.18), excitation=1.0)
    s.add_output("T", lambda s: s.signal("m.tension"))
    start = {"A": 0.12 + 0.18 * (1.0 + strain)}
    found = s.build().simulate(1e-9, start, output=[0.0, 1e-9]).outputs()["T"][0]
    assert abs(found - 800.0 * wanted) < 1e-3


def test_curve_of_force_over_speed_is_thelens() -> None:
    """No force at the largest speed of shortening, the isometric force at rest, 1.4 times it while lengthening; one smooth curve."""
    assert _speed_of(0.0) == -1.0 and _speed_of(1.0) == 0.0
    assert abs(_speed_of(0.5) + 0.5 / (1.0 + 0.5 / 0.25)) < 1e-15
    assert abs(_speed_of(1.2) - 0.2 * 0.4 / (10.0 * 0.2)) < 1e-15
    slope = 0.16 / (10.0 * 0.07**2)  # straight beyond 0.95 · 1.4
    assert abs(_speed_of(2.0) - (0.33 * 0.4 / (10.0 * 0.07) + slope * (2.0 - 1.33))) < 1e-12
    for r in (0.0, 1.0, 1.33):
        h = 1e-7
        assert abs((_speed_of(r + h) - _speed_of(r)) - (_speed_of(r) - _speed_of(r - h))) < 0.6 * h


def shafts(**joints: float) -> da.System:
    """Wheels on the ground, by name, with their moments of inertia."""
    s = da.System("shafts")
    for i, (name, J) in enumerate(joints.items()):
        s.add_body(name, mass=1.0, inertia=(J, J, J))
        s.add_joint(name, da.Revolute((0, 0, 1)), "ground", name, at_parent=(0, 0, 0.1 * i))
    return s


def test_worm_gear_has_its_ratio_and_inertia() -> None:
    s = shafts(worm=0.01, wheel=2.0)
    s.add_constraint("gear", da.WormGear("worm", "wheel", teeth=40, starts=2, hand="left"))
    s.add_force("motor", da.Motor("worm", 0.5))
    motion = s.build().simulate(2.0, rtol=1e-11)
    assert np.abs(motion["wheel"] + motion["worm"] / 20.0).max() < 1e-12
    assert abs(motion["worm'"][-1] - 2.0 * 0.5 / (0.01 + 2.0 / 400.0)) < 1e-8
    work = 0.5 * motion["worm"]
    assert np.abs(motion.energy().total - work).max() < 1e-9 * work[-1]


def test_planetary_gear_obeys_willis() -> None:
    s = shafts(sun=0.02, ring=0.3, carrier=0.1)
    s.add_body("planet", mass=0.5, inertia=(0.01, 0.01, 0.001))
    s.add_joint("planet", da.Revolute((0, 0, 1)), "carrier", "planet", at_parent=(0.06, 0, 0))
    s.add_constraint("gear", da.PlanetaryGear(30, 90, "sun", "ring", "carrier", "planet"))
    s.add_force("motor", da.Motor("sun", 0.5))
    s.add_force("load", da.JointSpring("carrier", damping=0.2))
    s.add_element("heat", da.Integral(), input=lambda s: 0.2 * s.u["carrier"] ** 2)
    motion = s.build().simulate(2.0, rtol=1e-12)
    work = 0.5 * motion["sun"]
    assert np.abs(motion.energy().total + motion["heat.value"] - work).max() < 1e-9 * work[-1]
    sun, ring, carrier, planet = (motion[f"{x}'"] for x in ("sun", "ring", "carrier", "planet"))
    assert np.abs(30.0 * (sun - carrier) + 90.0 * (ring - carrier)).max() < 1e-9 * np.abs(sun).max() * 90.0
    assert np.abs(planet - 90.0 / 30.0 * (ring - carrier)).max() < 1e-9 * np.abs(sun).max()
    held = shafts(sun=0.02, carrier=0.1)
    held.add_constraint("gear", da.PlanetaryGear(30, 90, sun="sun", carrier="carrier"))
    fixed = held.build().simulate(1.0, speeds={"sun": 8.0, "carrier": 2.0})
    assert abs(fixed["sun'"][-1] / fixed["carrier'"][-1] - (1.0 + 90.0 / 30.0)) < 1e-12
    with pytest.raises(da.ModelError, match="two at least of sun, ring and carrier"):
        da.PlanetaryGear(30, 90, sun="sun")
    with pytest.raises(da.ModelError, match="planets lie between"):
        da.PlanetaryGear(90, 30, "sun", "ring")


def test_cam_lifts_by_function_and_by_table() -> None:
    def moved(lift: object) -> da.Motion:
        s = shafts(cam=0.05)
        s.add_body("valve", mass=0.1)
        s.add_joint("V", da.Prismatic((0, 1, 0)), "ground", "valve")
        s.add_constraint("lift", da.CamFollower("cam", "V", lift))
        s.add_force("spring", da.JointSpring("V", stiffness=100.0))
        return s.build().simulate(2.0, {"cam": 0.3}, {"cam": 10.0}, rtol=1e-12)

    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    by_function = moved(lambda q: 0.01 * (1.0 - da.cos(q)))
    assert by_function["cam"][-1] > 15.0
    assert np.abs(by_function["V"] - 0.01 * (1.0 - np.cos(by_function["cam"]))).max() < 1e-12
    e = by_function.energy().total
    assert np.ptp(e) < 1e-9 * e[0]
    by_table = moved(da.Table(angles, 0.01 * (1.0 - np.cos(angles))))
    assert np.abs(by_table["V"] - np.interp(by_table["cam"], by_function["cam"], by_function["V"])).max() < 1e-4
