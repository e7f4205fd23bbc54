"""Over-constrained linkages of any size, and the same mechanism in other units."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import dalembert as da
from dalembert.vectors import turn
from tests.mechanisms import in_length

METRE, MILLIMETRE, MICROMETRE, MEGAMETRE = (1.0, 1.0, 1.0), (1e3, 1e3, 1e3), (1e6, 1e9, 1.0), (1e-6, 1e-12, 1.0)
"""(length, mass, time): how many of the unit make a metre, a kilogram, a second; the second is mm–g–ms."""


def in_units(m: da.Mechanism, units: tuple[float, float, float]) -> da.Mechanism:
    """A mechanism of rigid bodies without forces but gravity, its numbers in other units."""
    length, mass, time = units

    def frame(on: Any) -> Any:
        return replace(on, position=on.position * length)

    def joint(j: Any) -> Any:
        return replace(j, joint=in_length(j.joint, length), on_parent=frame(j.on_parent), on_child=frame(j.on_child))

    bodies = [
        replace(b, mass=b.mass * mass, com=b.com * length, inertia=b.inertia * mass * length**2) for b in m.bodies
    ]
    joints, cuts = (tuple(joint(j) for j in each) for each in (m.joints, m.cuts))
    gravity = m.gravity * length / time**2
    return replace(m, bodies=tuple(bodies), joints=joints, cuts=cuts, gravity=gravity)


def coordinates_in(m: da.Mechanism, q: np.ndarray, units: tuple[float, float, float]) -> np.ndarray:
    """The same pose in other units."""
    return q * np.where([unit == "m" for unit in units_of_coordinates(m)], units[0], 1.0)


def units_of_coordinates(m: da.Mechanism) -> tuple[str, ...]:
    from dalembert.simulation.error_sizes import coordinate_units

    return coordinate_units(m)


def ring(
    points: Any, axes: Any, gravity: Any = (0.0, -9.81, 0.0), name: str = "ring", digits: int = 17
) -> da.Mechanism:
    """Hinges at the points along the axes, drawn closed; a rod of 1 kg from each point to the next, the last of them the ground.

    With few `digits` the places of the hinges on the rods before them are rounded.
    """
    P, n = np.asarray(points, dtype=float), len(points)
    s = da.System(name, gravity=gravity)
    names = ["ground", *(f"b{i}" for i in range(n - 1)), "ground"]
    for i in range(n - 1):
        d = P[i + 1] - P[i]
        inertia = (1.01 * (d @ d) * np.eye(3) - 0.99 * np.outer(d, d)) / 12
        s.add_body(f"b{i}", mass=1.0, com=(P[i] + P[i + 1]) / 2, inertia=inertia)
    for i in range(n):
        s.add_joint(
            f"J{i}",
            da.Revolute(tuple(axes[i])),
            names[i],
            names[i + 1],
            at_parent=np.round(P[i], digits),
            at_child=P[i],
        )
    return s.build()


CUBE = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
CUBE_AXES = np.array([(0, 1, 0), (0, 0, 1), (1, 0, 0)] * 2, dtype=float)


def bricard(gravity: Any = (0.0, -9.81, 0.0)) -> da.Mechanism:
    """The rectangular Bricard linkage: six hinges along the edges of a cube; one freedom."""
    return ring(CUBE, CUBE_AXES, gravity, "Bricard")


def rounded_bricard(digits: int) -> da.Mechanism:
    """The same in a turned frame, half of its places written with few digits, as in a file."""
    R = turn(np.array([0.6, 0.48, 0.64]), 0.7)
    return ring(CUBE @ R.T, CUBE_AXES @ R.T, R @ (0.0, -9.81, 0.0), "rounded Bricard", digits)


def bennett(gravity: Any = (0.0, -9.81, 0.0)) -> da.Mechanism:
    """Bennett's linkage, a / sin α = b / sin β; one freedom."""
    a, alpha, beta = 1.0, 0.6, 1.2
    b = a * np.sin(beta) / np.sin(alpha)
    s = da.System("Bennett", gravity=gravity)
    links, parent, at = [(a, alpha), (b, beta), (a, alpha), (b, beta)], "ground", da.Frame()
    for i, (length, twist) in enumerate(links[:3]):
        s.add_body(f"b{i}", da.box(1.0, (length, 0.1, 0.1), com=(length / 2, 0, 0)))
        s.add_joint(f"J{i}", da.Revolute(), parent, f"b{i}", at_parent=at)
        parent, at = f"b{i}", da.Frame((length, 0, 0), turn(np.array([1.0, 0, 0]), twist))
    end = da.Frame((-links[3][0], 0, 0), turn(np.array([1.0, 0, 0]), -links[3][1]))
    s.add_joint("J3", da.Revolute(), parent, "ground", at_parent=at, at_child=end)
    return s.build()


def seven_hinges() -> da.Mechanism:
    """A loop of seven hinges at random, drawn closed; one freedom, nothing redundant."""
    rng = np.random.default_rng(7)
    turns = 2 * np.pi * np.arange(7) / 7
    axes = rng.normal(size=(7, 3))
    points = np.column_stack([np.cos(turns), np.sin(turns), 0.3 * rng.normal(size=7)])
    return ring(points, axes / np.linalg.norm(axes, axis=1, keepdims=True), (0.0, 0.0, -9.81), "7R")


def taut_chain(slack: float) -> da.Mechanism:
    """Three rods of 1 m in a plane between points 3 m − slack apart, drawn stretched."""
    s = da.System("taut chain", gravity=(0, -9.81, 0))
    parent = "ground"
    for k in range(3):
        s.add_body(f"b{k}", da.rod(1.0, 1.0))
        s.add_joint(f"J{k}", da.Revolute(), parent, f"b{k}", at_parent=(1.0 if k else 0.0, 0, 0))
        parent = f"b{k}"
    s.add_joint("end", da.Revolute(), parent, "ground", at_parent=(1.0, 0, 0), at_child=(3.0 - slack, 0, 0))
    return s.build()
