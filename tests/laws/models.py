"""Mechanisms with laws whose motions are known."""

from __future__ import annotations

import math
from typing import Any

import dalembert as da

G = 9.81


def slider(**gravity: float) -> da.System:
    """A mass of 1 kg on a slide along x."""
    s = da.System("slider", gravity=(gravity.get("x", 0.0), 0, gravity.get("z", 0.0)))
    s.add_body("m", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "m")
    return s


def pendulum(upper: float = 0.3, restitution: float = 0.7) -> da.System:
    """A uniform rod of 1 m, its angle from straight down, with a stop."""
    s = da.System("pendulum", gravity=(0, -G, 0))
    s.add_body("rod", da.rod(mass=1.0, length=1.0))
    down = da.Frame((0, 0, 0), da.turn((0, 0, 1), -math.pi / 2))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod", at_parent=down)
    s.add_law("stop", da.Stop("A", upper=upper, restitution=restitution))
    return s


def belt() -> da.System:
    """A mass on a spring of 4 N/m, on a belt that moves at 0.1 m/s: friction 1.5 N at rest, 1 N sliding."""
    s = da.System("belt")
    s.add_body("belt")
    s.add_body("m", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("belt", da.Prismatic((1, 0, 0)), "ground", "belt", prescribed=lambda t: 0.1 * t)
    s.add_joint("x", da.Prismatic((1, 0, 0)), "belt", "m")
    s.add_force("spring", da.Load("m", force=lambda state: (-4.0 * state.position("m")[0], 0, 0)))
    s.add_law("dry", da.JointFriction("x", force=1.0, static_force=1.5))
    return s


def thrown_ball(mu: float = 0.2, restitution: float = 0.8) -> da.System:
    """A particle over a floor, in a plane."""
    s = da.System("ball", gravity=(0, -G, 0))
    s.add_body("ball", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("J", da.Planar(), "ground", "ball")
    s.add_law("floor", da.Contact("ball", normal=(0, 1, 0), mu=mu, restitution=restitution))
    return s


def free_body(radius: float = 0.0, inertia: float = 1.0, mu: float = 0.3, restitution: float = 0.0) -> da.System:
    """A body of 1 kg in space over a floor z = 0."""
    s = da.System("puck", gravity=(0, 0, -G))
    s.add_body("b", mass=1.0, inertia=(inertia,) * 3)
    s.add_joint("J", da.Free(), "ground", "b")
    s.add_law("floor", da.Contact("b", mu=mu, radius=radius, restitution=restitution))
    return s


def block(b: float = 0.1, h: float = 0.2, mu: float = 10.0, restitution: float = 0.0) -> da.System:
    """A block of half sizes b and h, with contacts at its lower corners."""
    s = da.System("block", gravity=(0, -G, 0))
    s.add_body("block", mass=1.0, inertia=((b * b + h * h) / 3,) * 3)
    s.add_joint("J", da.Planar(), "ground", "block")
    for name, x in (("left", -b), ("right", b)):
        s.add_law(name, da.Contact(("block", (x, -h, 0)), normal=(0, 1, 0), mu=mu, restitution=restitution))
    return s


def on_left_corner(tilt: float, b: float = 0.1, h: float = 0.2) -> dict[str, float]:
    """Coordinates of the tilted block, its left corner at the origin."""
    c, s = math.cos(tilt), math.sin(tilt)
    return {"J.angle": tilt, "J.x": c * b - s * h, "J.y": s * b + c * h}


def balls(gap: float, restitution: float) -> da.System:
    """Three equal balls in a line, 0.1 m from centre to centre where they touch; the last `gap` away from the second."""
    s = da.System("cradle")
    for k in range(3):
        s.add_body(f"b{k}", mass=1.0, inertia=(1.0, 1.0, 1.0))
        s.add_joint(f"x{k}", da.Prismatic((1, 0, 0)), "ground", f"b{k}")
    for k in range(2):
        touch = da.Limit({f"x{k + 1}": 1.0, f"x{k}": -1.0}, lower=0.1, restitution=restitution)
        s.add_law(f"c{k}", touch)
    s.initial, s.speeds = {"x0": -0.2, "x2": 0.1 + gap}, {"x0": 1.0}
    return s


def shafts(inertias: tuple[float, float] = (2.0, 1.0), torques: tuple[float, float] = (0.0, 0.0)) -> da.System:
    """Two shafts S0 and S1."""
    s = da.System("shafts")
    for k in range(2):
        s.add_body(f"b{k}", mass=1.0, inertia=(inertias[k],) * 3)
        s.add_joint(f"S{k}", da.Revolute(), "ground", f"b{k}")
        if torques[k]:
            s.add_force(f"T{k}", da.Motor(f"S{k}", torques[k]))
    return s


def jack() -> da.System:
    """A load of 50 kg on a screw of 4 mm lead and 10 mm radius; parameters mu and the torque M."""
    s = da.System("jack", gravity=(0, 0, -G))
    s.add_body("load", mass=50.0, inertia=(0.002, 0.002, 0.002))
    s.add_joint("S", da.Screw((0, 0, 1), pitch=0.004), "ground", "load")
    s.add_law("thread", da.JointFriction("S", mu=s.parameter("mu", 0.05), radius=0.01))
    s.add_force("M", da.Motor("S", s.parameter("M", 0.0)))
    return s


def slider_crank(mu: float = 0.2, restitution: float = 0.6) -> da.System:
    """Crank, rod and slider; friction by the guide's own force; a wall that the slider hits."""
    s = da.System("slider-crank", gravity=(0, -G, 0))
    s.add_body("crank", mass=1.0, com=(0.15, 0, 0), inertia=(0, 0.0075, 0.0075))
    s.add_body("rod", mass=1.0, com=(0.4, 0, 0), inertia=(0, 0.64 / 12, 0.64 / 12))
    s.add_body("slider", mass=2.0, inertia=(0.01, 0.01, 0.01))
    s.add_joint("O", da.Revolute(), "ground", "crank")
    s.add_joint("P", da.Revolute(), "crank", "rod", at_parent=(0.3, 0, 0))
    s.add_joint("Q", da.Revolute(), "rod", "slider", at_parent=(0.8, 0, 0))
    s.add_joint("guide", da.Prismatic((1, 0, 0)), "ground", "slider")
    s.add_law("dry", da.JointFriction("guide", mu=mu))
    s.add_law("wall", da.Stop("guide", upper=1.0, restitution=restitution))
    return s


def four_bar() -> da.System:
    """Bars 1, 2.5, 1.7 m on a ground of 2 m, a spring on the rocker, a latch on the crank and a stop for it."""
    s = da.System("four-bar")
    for name, length in (("crank", 1.0), ("coupler", 2.5), ("rocker", 1.7)):
        s.add_body(name, da.rod(mass=1.0, length=length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.5, 0, 0), at_child=(1.7, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(2.0, 0, 0))
    s.add_force("spring", da.JointSpring("D", stiffness=20.0, rest=-0.014303583234163929))
    s.add_law("latch", da.Latch("A"))
    s.add_law("stop", da.Stop("A", lower=0.2, restitution=0.5))
    return s


def cranks(friction: da.JointFriction) -> da.System:
    """Three equal cranks under one platform, one row of their loops redundant; the first crank has stops."""
    s = da.System("cranks", gravity=(0, -G, 0))
    for k in range(3):
        s.add_body(f"c{k}", da.rod(mass=1.0, length=0.5))
    s.add_body("p", mass=2.0, inertia=(0.01, 1 / 6, 1 / 6))
    for k in range(3):
        s.add_joint(f"A{k}", da.Revolute(), "ground", f"c{k}", at_parent=(0.5 * k, 0, 0))
        s.add_joint(f"B{k}", da.Revolute(), f"c{k}", "p", at_parent=(0.5, 0, 0), at_child=(0.5 * k - 0.5, 0, 0))
    s.add_law("dry", friction)
    s.add_law("stop", da.Stop("A0", upper=2.0, lower=0.4, restitution=0.5))
    return s


def sliding_rod(mu: float, speed: float) -> tuple[da.System, dict[str, Any]]:
    """A slender rod of 2 m that slides on its end, 1 rad from the floor and turning at 2 rad/s."""
    s = da.System("rod", gravity=(0, -G, 0))
    s.add_body("rod", mass=1.0, inertia=(0.01, 1 / 3, 1 / 3))
    s.add_joint("J", da.Planar(), "ground", "rod")
    s.add_law("floor", da.Contact(("rod", (-1.0, 0, 0)), normal=(0, 1, 0), mu=s.parameter("mu", 0.5)))
    x, y = speed - 2.0 * math.sin(1.0), 2.0 * math.cos(1.0)
    start = {"initial": {"J.angle": 1.0, "J.y": math.sin(1.0)}, "speeds": {"J.x": x, "J.y": y, "J.angle": 2.0}}
    return s, start | {"parameters": {"mu": mu}}
