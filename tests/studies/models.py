"""Mechanisms that studies are made of, and functions that other processes can find."""

from __future__ import annotations

import dalembert as da


def pendulum() -> da.Mechanism:
    """A mathematical pendulum of length l and mass m."""
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    l, m = s.parameter("l", 1.0), s.parameter("m", 1.0)
    s.add_body("bob", da.particle(m, at=(0, -l, 0)))
    s.add_joint("A", da.Revolute(), "ground", "bob")
    s.add_output("height", lambda s: s.position(("bob", (0, -l, 0)))[1])
    return s.build()


def four_bar() -> da.Mechanism:
    """A planar four-bar with its lengths as parameters."""
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    a, b, c, d = (s.parameter(n, x) for n, x in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9), ("base", 1.0)))
    s.add_body("crank", da.rod(1.0, a))
    s.add_body("coupler", da.rod(1.0, b))
    s.add_body("rocker", da.rod(1.0, c))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(a, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(b, 0, 0), at_child=(c, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(d, 0, 0))
    return s.build()


def hits_bottom(s):
    """Zero where a pendulum passes its lowest point."""
    return da.sin(s.q["A"])


def drift(motion):
    """A function of a whole motion."""
    return float(motion["A"][-1] - motion["A"][0])
