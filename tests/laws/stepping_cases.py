"""The study's reference problems as calls that both marches take: mechanism, and what `simulate` is asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dalembert as da

from .models import (
    G,
    balls,
    belt,
    block,
    cranks,
    four_bar,
    free_body,
    jack,
    on_left_corner,
    pendulum,
    shafts,
    slider,
    slider_crank,
    sliding_rod,
    thrown_ball,
)

Case = tuple[da.System, dict[str, Any]]


def _oscillator() -> Case:
    s = slider()
    s.add_force("spring", da.JointSpring("x", stiffness=100.0))
    s.add_law("dry", da.JointFriction("x", force=1.0))
    return s, {"duration": 2.0, "initial": {"x": 0.097}}


def _incline(mu: float) -> Case:
    a = math.pi / 6
    s = slider(x=-G * math.sin(a), z=-G * math.cos(a))
    s.add_law("dry", da.JointFriction("x", force=mu * G * math.cos(a)))
    return s, {"duration": 0.7, "speeds": {"x": 3.0}}


def _table() -> Case:
    s = da.System("table", gravity=(0, 0, -G))
    s.add_body("table")
    s.add_body("m", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("T", da.Prismatic((1, 0, 0)), "ground", "table", prescribed=lambda t: 0.05 * da.sin(20 * t))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "table", "m")
    s.add_law("dry", da.JointFriction("x", mu=0.5))
    return s, {"duration": 0.3}


def _puck(pushed: Any, **start: Any) -> Case:
    s = free_body()
    s.add_force("push", da.Load("b", force=pushed))
    return s, start


def _disc(mu: tuple[float, float]) -> Case:
    r = 0.1
    s = da.System("disc", gravity=(0, -G, 0))
    s.add_body("disc", mass=1.0, inertia=(0.0025, 0.0025, 0.005))
    s.add_body("plate", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("J", da.Planar(), "ground", "disc")
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "plate")
    s.add_force("press", da.Motor("x", -20.0))
    s.add_law("1", da.Contact("disc", ("ground", (-r, 0, 0)), (1, 0, 0), mu=mu[0], radius=r))
    s.add_law("2", da.Contact("disc", "plate", (-1, 0, 0), mu=mu[1], radius=r))
    return s, {"duration": 0.1, "initial": {"x": r}}


def _clutch(capacity: Any, torques: tuple[float, float]) -> Case:
    s = shafts(torques=torques)
    s.add_law("clutch", da.Clutch("S0", "S1", capacity=capacity))
    return s, {"duration": 5.0, "speeds": {"S0": 30.0}}


def _backlash() -> Case:
    s = shafts(inertias=(1.0, 3.0))
    s.add_law("play", da.Backlash({"S0": 1.0, "S1": -1.0}, play=0.04, restitution=0.9))
    return s, {"duration": 0.09, "speeds": {"S0": 2.0}}


def _sphere() -> Case:
    speeds = {"J.vx": 3.0, "J.vy": 1.0, "J.wx": -20.0, "J.wy": -30.0, "J.wz": 5.0}
    return free_body(radius=0.1, inertia=0.004), {"duration": 1.0, "initial": {"J.z": 0.1}, "speeds": speeds}


def _latch() -> Case:
    release = da.Event(lambda s: s.t - 0.5, action=da.Switch("latch", on=False))
    start = {"A": 0.7, "D": 0.78569641676583607}
    return four_bar(), {"duration": 1.2, "initial": start, "events": {"go": release}}


def _slider_crank() -> Case:
    psi = math.asin(-0.3 * math.sin(1.0) / 0.8)
    return slider_crank(), {"duration": 0.8, "initial": {"O": 1.0, "P": psi - 1.0}, "speeds": {"O": 12.0}}


def _jack() -> Case:
    return jack(), {"duration": 0.2, "speeds": {"S": 2.0}, "parameters": {"mu": 0.1}}


def _rod() -> Case:
    s, start = sliding_rod(0.5, -3.0)
    return s, {"duration": 0.3, **start}


CASES: dict[str, Callable[[], Case]] = {
    "ball": lambda: (thrown_ball(), {"duration": 6.0, "initial": {"J.y": 1.0}, "speeds": {"J.x": 10.0}}),
    "pendulum and stop": lambda: (pendulum(), {"duration": 3.0, "initial": {"A": -1.0}}),
    "shaken table": _table,
    "incline, sticks": lambda: _incline(0.6),
    "incline, returns": lambda: _incline(0.4),
    "belt": lambda: (belt(), {"duration": 9.0}),
    "Coulomb oscillator": _oscillator,
    "rocking block": lambda: (block(), {"duration": 0.55, "initial": on_left_corner(0.2)}),
    "rocking block to rest": lambda: (block(), {"duration": 3.0, "initial": on_left_corner(0.2)}),
    "sphere, spin": _sphere,
    "puck stops": lambda: _puck((2.0, 0, 0), duration=2.5, speeds={"J.vx": 1.5, "J.vy": 2.0}),
    "puck breaks away": lambda: _puck(
        lambda x: ((2 + x.t) * da.cos(1.5 * x.t), (2 + x.t) * da.sin(1.5 * x.t), 0), duration=2.0
    ),
    "disc between plates": lambda: _disc((0.1, 0.5)),
    "disc between plates, slips": lambda: _disc((0.1, 0.1)),
    "disc between plates, held": lambda: _disc((0.25, 0.25)),
    "cradle, together": lambda: (balls(0.0, 1.0), {"duration": 1.0}),
    "cradle, in turn": lambda: (balls(0.05, 0.9), {"duration": 1.0}),
    "clutch": lambda: _clutch(8.0, (3.0, -1.0)),
    "clutch, pressed": lambda: _clutch(lambda s: 4.0 * s.t, (0.0, 0.0)),
    "screw jack": _jack,
    "Painlevé rod, regular": _rod,
    "backlash": _backlash,
    "four-bar latch": _latch,
    "slider-crank": _slider_crank,
    "redundant cranks": lambda: (
        cranks(da.JointFriction("A0", force=0.5)),
        {"duration": 2.0, "initial": {"A0": 1.0}, "speeds": {"A0": 3.0}},
    ),
}
"""Name → case."""
