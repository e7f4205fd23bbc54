"""Sensitivities through events: against closed forms by complex steps, and against central differences."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import dalembert as da

from . import models
from .random_laws import random_system

G = 9.81


def by_complex_step(formula: Callable[..., Any], at: Mapping[str, float]) -> np.ndarray:
    """Derivatives of a formula in all of its arguments, to rounding: (values, arguments)."""
    h = 1e-30
    columns = [np.imag(formula(**{**at, name: complex(x, h)})) / h for name, x in at.items()]
    return np.array(columns).T


def by_differences(
    m: da.Mechanism, x: Any, duration: float, q: Any, u: Any, name: str, events: Any = None, d: float = 1e-6,
    restitution: str | None = None,
) -> np.ndarray:  # fmt: skip
    """Central differences of (q, u) at the samples of `x` in a parameter, or in a value that is named in q or u."""
    found = []
    for sign in (d, -d):
        p, at, speeds = {}, q, u
        if name in m.parameters:
            p = {name: m.parameters[name] + sign}
        elif name.endswith("'"):
            speeds = {**u, name[:-1]: u[name[:-1]] + sign}
        else:
            at = {**q, name: q[name] + sign}
        y = m.simulate(
            duration, at, speeds, parameters=p, output=x.t, rtol=1e-12, events=events, restitution=restitution
        )
        found.append(np.hstack([y.q, y.u]))
    return np.asarray(found[0] - found[1]) / (2.0 * d)


def agree(x: Any, k: int, expected: np.ndarray, to: float) -> None:
    got = np.hstack([x.dq[:, :, k], x.du[:, :, k]])
    assert np.abs(got - expected).max() <= to * (1.0 + np.abs(expected).max())


def test_times_heights_and_speeds_of_a_bouncing_ball_are_those_of_the_closed_form() -> None:
    s = da.System("ball")
    g = s.parameter("g", G)
    s.gravity = (0, 0, -g)
    s.add_body("ball", mass=1.0, inertia=(1, 1, 1))
    s.add_joint("z", da.Prismatic((0, 0, 1)), "ground", "ball")
    s.add_law("floor", da.Stop("z", lower=0.0, restitution=s.parameter("e", 0.8)))
    x = s.build().sensitivities(
        2.0, {"z": 1.0}, {"z": 1.0}, parameters=["g", "e"], initial_values=["z", "z'"], output=0.25
    )

    def landing(g: Any, e: Any, z: Any, v: Any) -> np.ndarray:
        fast = (v * v + 2.0 * g * z) ** 0.5
        times, t = [], (v + fast) / g
        for n in range(1, 5):
            times.append(t)
            t = t + 2.0 * e**n * fast / g
        return np.array(times)

    def end(g: Any, e: Any, z: Any, v: Any) -> np.ndarray:
        n, t = 3, landing(g, e, z, v)[2]  # three bounces before t = 2
        up = e**n * (v * v + 2.0 * g * z) ** 0.5
        return np.array([up * (2.0 - t) - 0.5 * g * (2.0 - t) ** 2, up - g * (2.0 - t)])

    at = {"g": G, "e": 0.8, "z": 1.0, "v": 1.0}
    assert len(x.events) == 3 and all(event.what == 'law "floor" closes' for event in x.events)
    assert np.allclose([event.dt for event in x.events], by_complex_step(landing, at)[:3], rtol=1e-11, atol=1e-12)
    assert np.allclose([x["z"][-1], x["z'"][-1]], by_complex_step(end, at), rtol=1e-10, atol=1e-11)


def test_what_accumulating_bounces_come_to() -> None:
    m = models.thrown_ball(mu=0.2, restitution=0.8).build()
    x = m.sensitivities(6.0, {"J.y": 1.0}, {"J.x": 10.0}, initial_values=["J.y", "J.x'"], output=1.0)

    def stops(y: Any, v: Any) -> Any:
        """Where it stops: friction takes μ(1 + e) of the normal speed at every bounce, then μ g."""
        e, mu, fall = 0.8, 0.2, (2.0 * G * y) ** 0.5
        place, w, up = v * fall / G, v, fall
        for _ in range(400):
            w, up = w - mu * (1.0 + e) * up, e * up
            place = place + w * 2.0 * up / G
        return np.array([place + w * w / (2.0 * mu * G)])

    assert np.allclose(x["J.x"][-1], by_complex_step(stops, {"y": 1.0, "v": 10.0})[0], rtol=1e-9)
    assert np.abs(x["J.y"][-1]).max() < 1e-12 and np.abs(x["J.x'"][-1]).max() < 1e-12


def test_stick_and_slip_of_a_block_on_a_belt() -> None:
    s = da.System("belt")
    k, kinetic, static, fast = (s.parameter(n, v) for n, v in (("k", 4.0), ("F", 1.0), ("S", 1.5), ("v", 0.1)))
    s.add_body("belt")
    s.add_body("m", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("belt", da.Prismatic((1, 0, 0)), "ground", "belt", prescribed=lambda t: fast * t)
    s.add_joint("x", da.Prismatic((1, 0, 0)), "belt", "m")
    s.add_force("spring", da.Load("m", force=lambda state: (-k * state.position("m")[0], 0, 0)))
    s.add_law("dry", da.JointFriction("x", force=kinetic, static_force=static))
    x = s.build().sensitivities(9.0, parameters=["k", "F", "S", "v"], outputs={"x": lambda s: s.position("m")[0]})

    def times(k: Any, F: Any, S: Any, v: Any) -> np.ndarray:
        begins, rate = S / (k * v), k**0.5
        half = cmath.atan(
            (S - F) * rate / (k * v)
        )  # x − F/k = a cos ωt + (v/ω) sin ωt is at speed v again at 2π − 2 half
        slips = (2.0 * math.pi - 2.0 * half) / rate
        again = 2.0 * (S - F) / (k * v)
        return np.array([begins, begins + slips, begins + slips + again])

    expected = by_complex_step(times, {"k": 4.0, "F": 1.0, "S": 1.5, "v": 0.1})
    assert [event.what for event in x.events[:3]] == [
        'law "dry" begins to slip',
        'law "dry" stops slipping',
        'law "dry" begins to slip',
    ]
    assert np.allclose([event.dt for event in x.events[:3]], expected, rtol=1e-8, atol=1e-9)
    stuck = np.flatnonzero((x.t > 6.0) & (x.t < 8.0))
    assert np.abs(x["x'"][stuck]).max() < 1e-12


def test_what_is_left_of_the_energy_of_a_pendulum_at_its_stop() -> None:
    x = (
        models.pendulum(upper=0.3, restitution=0.7)
        .build()
        .sensitivities(3.0, {"A": -1.0}, initial_values=["A", "A'"], output=0.5)
    )
    assert len(x.events) == 3
    angle, rate = x.q[-1, 0], x.u[-1, 0]
    change = 0.5 * G * math.sin(angle) * x["A"][-1] + rate / 3.0 * x["A'"][-1]  # of the energy, which three impacts cut
    assert np.allclose(change, [0.7**6 * 0.5 * G * math.sin(-1.0), 0.0], rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("seed", [1, 2, 107])
def test_random_mechanisms_with_loops_and_laws(seed: int) -> None:
    s, q, u = random_system(np.random.default_rng(seed), 1 + seed % 2)
    g = s.parameter("g", G)
    s.gravity = (0.3 * g, 0.2 * g, -g)
    m = s.build()
    x = m.sensitivities(0.314, q, u, parameters=["g"], output=0.05, rtol=1e-11)
    assert x.events
    agree(x, 0, by_differences(m, x, 0.314, q, u, "g"), 1e-6)


def test_friction_by_a_joints_reaction_with_impacts_in_a_loop() -> None:
    m = models.slider_crank().build()
    q, u = {"O": 1.0}, {"O": 12.0}
    x = m.sensitivities(3.0, q, u, initial_values=["O'"], output=0.37, rtol=1e-11)
    assert len(x.events) >= 5
    agree(x, 0, by_differences(m, x, 3.0, q, u, "O'"), 1e-6)


@pytest.mark.parametrize("law", ["poisson", "stronge"])
@pytest.mark.parametrize("seed", [0, 3, 4])
def test_a_rod_that_hits_with_friction_by_other_laws_of_impacts(law: str, seed: int) -> None:
    """Sliding on, sticking, and turning round."""
    rng = np.random.default_rng(seed)
    s = da.System("rod")
    s.add_body("rod", mass=1.0, inertia=(0.01, 1 / 3, 1 / 3))
    s.add_joint("J", da.Planar(), "ground", "rod")
    mu, e = s.parameter("mu", rng.uniform(0.1, 1.0)), s.parameter("e", rng.uniform(0.2, 0.9))
    s.add_law("floor", da.Contact(("rod", (-1.0, 0, 0)), normal=(0, 1, 0), mu=mu, restitution=e))
    m, angle = s.build(), rng.uniform(0.2, 1.4)
    q = {"J.angle": angle, "J.y": math.sin(angle) + 0.1}
    u = {"J.x": rng.uniform(-2, 2), "J.y": -1.0, "J.angle": rng.uniform(-1, 1)}
    start = ["J.y", "J.x'"]
    x = m.sensitivities(0.3, q, u, parameters=["mu", "e"], initial_values=start, output=0.1, restitution=law)
    assert len(x.events) == 1
    for k, name in enumerate(x.to):
        agree(x, k, by_differences(m, x, 0.3, q, u, name, restitution=law), 1e-8)


@pytest.mark.parametrize("law", ["poisson", "stronge"])
def test_a_body_that_tumbles_on_a_floor_by_other_laws_of_impacts(law: str) -> None:
    """The slip turns in the plane while it lasts; loops are closed besides."""
    s = da.System("uneven", gravity=(0, 0, -G))
    s.add_body("b", mass=1.0, inertia=(0.02, 0.05, 0.06))
    s.add_joint("J", da.Free(), "ground", "b")
    corners = da.surfaces.corners("b", [[0.1, 0.05, -0.2], [-0.1, 0.02, -0.15], [0.03, -0.1, -0.2]])
    ends = {"mu": s.parameter("mu", 0.3), "restitution": s.parameter("e", 0.6)}
    s.add_law("floor", da.PairContact(corners, da.surfaces.plane(), **ends))
    m, q = s.build(), {"J.z": 0.4}
    u = {"J.vx": 0.3, "J.vy": -0.9, "J.vz": -1.0, "J.wx": 1.2, "J.wy": 1.3, "J.wz": 0.4}
    x = m.sensitivities(0.3, q, u, parameters=["mu", "e"], initial_values=["J.wy'"], output=0.1, restitution=law)
    assert x.events
    for k, name in enumerate(x.to):
        agree(x, k, by_differences(m, x, 0.3, q, u, name, d=1e-5, restitution=law), 1e-7)
    loop = models.cranks(da.JointFriction("A0", force=0.5)).build()
    q, u = {"A0": 1.0}, {"A0": 3.0}
    x = loop.sensitivities(1.0, q, u, initial_values=["A0'"], output=0.2, restitution=law)
    assert any("closes" in event.what for event in x.events)
    agree(x, 0, by_differences(loop, x, 1.0, q, u, "A0'", restitution=law), 1e-7)


def test_impulses_that_are_not_unique_have_no_derivative_by_poissons_law() -> None:
    """The wall of a slide, whose friction stops with it: any share of both is a compression."""
    m = models.slider_crank().build()
    with pytest.raises(da.SimulationError, match=r'law "wall" closes: by Poisson.* not unique'):
        m.sensitivities(1.0, {"O": 1.0}, {"O": 12.0}, initial_values=["O'"], restitution="poisson")


def test_a_slip_that_begins_in_a_plane() -> None:
    s = models.free_body(mu=0.3)
    a = s.parameter("a", 2.0)
    s.add_force("push", da.Load("b", force=lambda s: ((a + s.t) * da.cos(1.5 * s.t), (a + s.t) * da.sin(1.5 * s.t), 0)))
    m = s.build()
    x = m.sensitivities(2.0, {"J.z": 0.0}, parameters=["a"], output=0.4)
    assert np.allclose(x.events[0].dt, -1.0, rtol=1e-9)  # it slips where a + t = μ g
    agree(x, 0, by_differences(m, x, 2.0, {"J.z": 0.0}, {}, "a", d=1e-5), 1e-6)


def test_events_that_act() -> None:
    s = models.shafts((2.0, 1.0))
    p = s.parameter("p", 3.0)
    s.add_force("T", da.Motor("S0", p))
    s.add_law("hold", da.Latch("S1", on=False))
    events = {
        "hit": da.Event(
            lambda s: s.q["S1"] + 0.1 * p - 0.5, direction=1, action=da.JointImpulse("S0", lambda s: -2.0 * s.u["S1"])
        ),
        "set": da.Event(lambda s: s.t - 0.7, action=da.SetParameter("p", lambda s: 5.0 + s.q["S0"])),
        "on": da.Event(lambda s: s.t - 1.33, action=da.Switch("hold", on=True)),
        "off": da.Event(lambda s: s.t - 1.61, action=da.Switch("hold", on=False)),
    }
    m = s.build()
    q, u = {"S0": 0.0, "S1": 0.0}, {"S0": 0.1, "S1": 0.5}
    x = m.sensitivities(
        2.03, q, u, parameters=["p"], initial_values=["S1'"], events=events, output=0.29,
        outputs={"torque": lambda s: p * s.q["S0"]},
    )  # fmt: skip
    assert [event.what for event in x.events] == [f'event "{name}"' for name in ("hit", "set", "on", "off")]
    assert np.allclose(x.events[0].dt, [-0.1 / 0.5, -0.2 / 0.5**2], rtol=1e-10)
    for k, name in enumerate(x.to):
        agree(x, k, by_differences(m, x, 2.03, q, u, name, events), 1e-7)
    late = x.t > 0.8  # p is what it was set to, 5 + S0 at that time
    set_to = x.value("torque")[late] / x.value("S0")[late]
    assert np.ptp(set_to) < 1e-12 and not np.allclose(set_to, 3.0)


def test_a_pin_that_breaks_by_its_strength() -> None:
    s = models.slider()
    k, strength = s.parameter("k", 2.0), s.parameter("S", 1.0)
    s.add_force("pull", da.Motor("x", lambda s: k * s.t))
    s.add_law("pin", da.Latch("x", strength=strength))
    x = s.build().sensitivities(2.0, output=2.0)

    def end(k: Any, S: Any) -> np.ndarray:
        t = S / k
        return np.array([t, k * (8.0 - t**3) / 6.0 - k * t * t / 2.0 * (2.0 - t)])

    expected = by_complex_step(end, {"k": 2.0, "S": 1.0})
    assert np.allclose(x.events[0].dt, expected[0], rtol=1e-11) and np.allclose(x["x"][-1], expected[1], rtol=1e-10)


def test_restitution_and_friction_are_identified_from_a_motion_with_impacts() -> None:
    s = da.System("ball", gravity=(0, -G, 0))
    s.add_body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("J", da.Planar(), "ground", "ball")
    law = da.Contact("ball", normal=(0, 1, 0), mu=s.parameter("mu", 0.3), restitution=s.parameter("e", 0.7))
    s.add_law("floor", law)
    m, t = s.build(), np.linspace(0.0, 1.5, 7)
    start = {"J.y": 1.0}, {"J.x": 5.0}
    seen = m.simulate(1.5, *start, output=t, parameters={"mu": 0.2, "e": 0.8})
    found = m.identify(t, {"J.x": seen["J.x"], "J.y": seen["J.y"]}, ["mu", "e"], *start)
    assert abs(found["mu"] - 0.2) < 1e-7 and abs(found["e"] - 0.8) < 1e-7


# -- where there is no derivative ----------------------------------------------------------------------------------------------
def test_grazing_is_said() -> None:
    s = models.slider(x=-2.0)
    s.add_law("wall", da.Stop("x", upper=1.0, restitution=0.5))
    with pytest.raises(da.SimulationError, match="only grazed"):
        s.build().sensitivities(3.0, speeds={"x": 2.0 * (1.0 + 2e-15)}, initial_values=["x'"])


def test_what_a_change_would_part_is_said() -> None:
    s = models.shafts()
    for k in range(2):
        s.add_law(f"stop{k}", da.Stop(f"S{k}", upper=1.0, restitution=0.5))
    m = s.build()
    with pytest.raises(da.SimulationError, match="would part what happens together"):
        m.sensitivities(3.0, speeds={"S0": 1.0, "S1": 1.0}, initial_values=["S0'"])
    x = m.sensitivities(3.0, speeds={"S0": 1.0, "S1": 0.9}, initial_values=["S0'"], output=1.5)
    assert np.allclose(x.events[0].dt, [-1.0]) and np.allclose(x["S1"], 0.0)


def test_a_start_in_touch_or_at_the_edge_of_slipping_is_said() -> None:
    s = models.slider(x=-2.0)
    s.add_law("floor", da.Stop("x", lower=0.0))
    with pytest.raises(da.SimulationError, match="touches at the start"):
        s.build().sensitivities(1.0, initial_values=["x"])
    assert np.abs(s.build().sensitivities(1.0, initial_values=["x'"])["x"][1:]).max() < 1e-12
    s = models.slider(x=-2.0)
    s.add_law("dry", da.JointFriction("x", force=1.0))
    with pytest.raises(da.SimulationError, match="has a kink"):
        s.build().sensitivities(1.0, initial_values=["x'"])
