"""Gallery models with elements move as physics says, from their files alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import dalembert as da
from dalembert.files.gallery import files
from dalembert.files.models.read import read_file
from tests.elements.energy import metered, off_balance

G = 9.81


def told(name: str) -> da.System:
    """The system that a gallery file says."""
    return read_file(files()[name])[0]


def test_cart_pendulum_is_swung_up_and_stands() -> None:
    m = da.load(files()["cart_pendulum"])
    motion = m.simulate()
    tilt = motion.outputs()["tilt"]
    assert abs(tilt[0]) == 179.0 and np.abs(tilt[motion.t > 6.0]).max() < 1.0 and np.abs(motion["slide"][-1]) < 0.1
    lin = m.linearise([0.0, 0.0])
    assert lin.states == ("slide", "hinge", "slide'", "hinge'", "balance.integral", "balance.filtered")
    x, h = np.zeros(6, dtype=complex), 1e-30
    A = np.array([_cart_slope(x + 1j * h * e).imag / h for e in np.eye(6)]).T
    assert np.abs(lin.A - A).max() < 1e-10 * np.abs(A).max() and np.linalg.eigvals(A).real.max() < -0.05


def _cart_slope(x: np.ndarray) -> np.ndarray:
    """The closed loop near the upright, by hand: a rod of 0.2 kg and 0.6 m on a cart of 1 kg."""
    q, a, v, w, integral, filtered = x
    error = -(a - 0.05 * q - 0.1 * v)
    force = 40.0 * error + integral + 6.0 * (error - filtered) / 0.01
    m, r = 0.2, 0.3
    M = np.array([[1.2, -m * r * np.cos(a)], [-m * r * np.cos(a), 4.0 / 3.0 * m * r * r + _thick(m)]])
    f = np.array([force - m * r * np.sin(a) * w * w, m * G * r * np.sin(a) - 0.0005 * w])
    return np.array([v, w, *np.linalg.solve(M, f), 2.0 * error, (error - filtered) / 0.01])


def _thick(mass: float) -> float:
    """What the pole's radius of 12 mm adds to its moment of inertia."""
    return 0.25 * mass * 0.012**2


def test_quarter_car_passes_the_bump_as_four_equations_do() -> None:
    motion = da.load(files()["quarter_car"]).simulate(output=0.05, rtol=1e-11, max_step=0.02)
    k, c, sky, K, C, bump, speed = 2e4, 800.0, 1500.0, 1.8e5, 100.0, 0.06, 5.0

    def slope(t: float, x: np.ndarray) -> list[float]:
        z, y, v, w, hook = x
        on = 0.1 < t < 0.1 + 1.0 / speed
        road = bump * np.sin(np.pi * speed * (t - 0.1)) if on else 0.0
        rate = bump * np.pi * speed * np.cos(np.pi * speed * (t - 0.1)) if on else 0.0
        between = k * (y - z) + c * (w - v)
        load = max(K * (road - y) + C * (rate - w), -340.0 * G)
        return [v, w, (between + hook) / 300.0, (load - between - hook) / 40.0, (-sky * v - hook) / 0.005]

    pieces, x = [np.zeros((5, 1))], np.zeros(5)
    for a, b in ((0.1, 0.3), (0.3, 3.0)):
        at = motion.t[(motion.t > a + 1e-9) & (motion.t <= b + 1e-9)]
        found = solve_ivp(slope, (a + 1e-15, b - 1e-15), x, t_eval=np.minimum(at, b - 1e-15), rtol=1e-12, atol=1e-12)
        x = found.y[:, -1]
        pieces.append(found.y)
    wanted = np.hstack(pieces)
    late = motion.t > 0.1 - 1e-9
    sunk = 340.0 * G / K
    got = np.array([motion["rise"] + sunk, motion["hop"] + sunk, motion["rise'"], motion["hop'"]])[:, late]
    assert np.abs(got - wanted[:4]).max() < 1e-7
    assert motion.outputs()["load"].min() > 0.0 and np.abs(motion.outputs()["body"][-1]) < 1e-4


def test_belt_drive_carries_its_load_and_slips_when_jammed() -> None:
    m = da.load(files()["belt_drive"])
    motion = m.simulate()
    out = motion.outputs()
    before = np.searchsorted(motion.t, 1.99)
    pulled = out["pull"] - out["slack"]
    assert abs(pulled[before] - 20.0 / 0.15) < 0.01 * 20.0 / 0.15
    assert 3.0 < out["ratio"][before] < 3.03  # it creeps, so the mill is a little slow
    slip = np.abs(motion.evaluate(lambda s: s.signal("belt.slip1")))
    jammed = (motion.t > 2.05) & (motion.t < 2.3)
    assert slip[jammed].max() > 0.05 > 3.0 * slip[before]  # beyond its creep, on the small pulley
    assert np.abs(out["pull"] + out["slack"] - 800.0).max() < 30.0  # what one span gains the other loses


def test_rocket_has_the_speed_of_its_rocket_equation() -> None:
    """Straight up in a vacuum: v = c ln(m₀/m) − g t."""
    m = da.load(files()["rocket"])
    motion = m.simulate(parameters={"course": 0.0, "drag": 0.0}, rtol=1e-12)
    mass = motion.outputs()["mass"]
    assert np.abs(motion["flight.y'"] - (2500.0 * np.log(152.0 / mass) - G * motion.t)).max() < 1e-10 * 2500.0
    assert np.abs(motion["flight.x"]).max() < 1e-9
    lean = m.simulate().outputs()["lean"]
    assert np.abs(lean[150:] - 10.0).max() < 0.2


def test_excavator_keeps_energy_and_carries_its_weight() -> None:
    s = told("excavator")
    motion = metered(s, "boom_cylinder", "stick_cylinder", "bucket_cylinder").build().simulate(duration=3.0, rtol=1e-9)
    assert off_balance(motion) < 1e-7
    m = da.load(files()["excavator"])
    still = m.simulate(duration=0.9, rtol=1e-8)
    end = {name: float(still[name][-1]) for name in ("boom", "stick", "bucket")}
    force = float(np.mean(still.evaluate(lambda s: s.signal("boom_cylinder.force"))[15:]))
    h = 1e-5
    lifted = [_weight_and_stroke(m, end | {"boom": end["boom"] + d}) for d in (-h, h)]
    rise, stroke = np.subtract(lifted[1], lifted[0])
    assert abs(force - rise / stroke) < 0.03 * abs(force)  # virtual work of the weights


def _weight_and_stroke(m: da.Mechanism, pose: dict[str, float]) -> tuple[float, float]:
    """Potential energy of the weights, and how far the boom's cylinder is out."""
    q, _ = m.assemble(pose)
    s = m.state(q)
    every = [float(b.mass) * G * float(s.position((b.name, b.com))[1]) for b in m.numeric.bodies]
    return sum(every), float(q[list(m.coordinates).index("boom_stroke")])


def test_car_changes_lanes_and_its_tyres_carry_it() -> None:
    motion = da.load(files()["car"]).simulate()
    loads = motion.evaluate(lambda s: sum(s.signal(f"tyre_{n}.load") for n in ("fl", "fr", "rl", "rr")))
    weight = (1200.0 + 5.0 + 4 * 39.0) * G
    assert abs(loads[-1] - weight) < 1e-3 * weight
    y, yaw = motion["float.y"], 2.0 * np.arcsin(motion["float.e3"])
    assert abs(y[-1]) > 2.0 and abs(yaw[-1]) < 0.01 and np.abs(yaw).max() > 0.1  # in the other lane, straight ahead
    assert abs(motion["float.vx'"][-1] - 20.0) < 0.1
    mirrored = da.load(files()["car"]).simulate(parameters={"steer": -0.008})
    assert np.abs(mirrored["float.y"] + y).max() < 1e-3 * np.abs(y).max()


def test_double_wishbone_moves_on_its_circles() -> None:
    """Ball joints lie on circles of the arms, and the tie rod's length gives the toe: against their equations."""
    m = da.load(files()["double_wishbone"])
    motion = m.simulate(output=0.1)
    out = motion.outputs()
    axle = out["axle"] - out["centre"]
    assert np.abs(motion["lower"] - 0.25 * np.sin(2.0 * motion.t)).max() < 1e-3
    for lower, along in zip(motion["lower"], axle):
        ball = np.array([0.0, 0.3 + 0.4 * np.cos(lower), -0.1 + 0.4 * np.sin(lower)])
        length = np.hypot(0.02, 0.25)

        def top(a: float) -> np.ndarray:
            return np.array([0.0, 0.38 + 0.3 * np.cos(a), 0.15 + 0.3 * np.sin(a)])

        a = brentq(lambda a: np.linalg.norm(top(a) - ball) - length, -0.8, 0.8, xtol=1e-15)
        R = _upright(ball, top(a))
        assert np.abs(R @ [0.0, 1.0, 0.0] - along).max() < 1e-9
    swept = m.sweep("lower", np.linspace(-0.25, 0.25, 5))  # the same by kinematics alone
    at = np.argmin(np.abs(motion["lower"] - 0.25))
    q = m.assemble({"lower": float(motion["lower"][at])})[0]
    assert np.abs(q - motion.q[at]).max() < 1e-9 and len(swept.q) >= 5


def _upright(ball: np.ndarray, top: np.ndarray) -> np.ndarray:
    """Rotation of the upright: it tilts with the line of its ball joints, and turns about it as the tie rod says."""
    z = (top - ball) / np.linalg.norm(top - ball)
    own = np.array([0.0, -0.02, 0.25]) / np.hypot(0.02, 0.25)
    tilt = np.arctan2(-z[1], z[2]) - np.arctan2(-own[1], own[2])
    c, s = np.cos(tilt), np.sin(tilt)
    tilted = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])

    def turned(a: float) -> np.ndarray:
        K = np.array([[0, -z[2], z[1]], [z[2], 0, -z[0]], [-z[1], z[0], 0]])
        return np.asarray((np.eye(3) + np.sin(a) * K + (1.0 - np.cos(a)) * K @ K) @ tilted)

    def off(a: float) -> float:
        end = ball + turned(a) @ [-0.15, -0.02, 0.05]
        return float(np.linalg.norm(end - [-0.15, 0.32, -0.05]) - 0.36)

    return turned(brentq(off, -0.2, 0.2, xtol=1e-15))


def test_linearised_files_go_into_python_control() -> None:
    """A force on the cart moves it as the transfer function of the file's closed loop says."""
    control = pytest.importorskip("control")
    m = da.load(files()["cart_pendulum"])
    lin = m.linearise([0.0, 0.0], inputs=["slide"])
    loop = control.ss(lin.A, lin.B, np.eye(6)[:1], np.zeros((1, 1)))
    times = np.linspace(0.0, 3.0, 31)
    wanted = control.step_response(loop, times).outputs
    push = 1e-4
    motion = m.simulate(
        3.0,
        {"slide": 0.0, "hinge": 0.0},
        control=lambda s: {"slide": push},
        control_rate=10.0,
        output=times,
        rtol=1e-11,
    )
    assert np.abs(motion["slide"] / push - wanted).max() < 1e-6 * np.abs(wanted).max()
