"""Event by event and by time stepping, random mechanisms with loops, stops, friction and contacts move alike as the step shrinks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da

from ..effort import examples

DURATION, STEPS, OUTPUT = 0.6, (2e-3, 1.25e-4), 0.05
Case = tuple[da.Mechanism, dict[str, float], dict[str, float]]


def pendulum(rng: np.random.Generator) -> Case:
    """One or two rods with a stop, dry friction in the last joint and a rough floor under the tip."""
    s, count, lengths = da.System("pendulum", gravity=(0, -9.81, 0)), int(rng.integers(1, 3)), [0.0]
    for k in range(count):
        s.add_body(f"b{k}", da.rod(mass=float(rng.uniform(0.5, 2)), length=float(rng.uniform(0.5, 1))))
        parent, at = ("ground", 0.0) if k == 0 else (f"b{k - 1}", 2 * lengths[-1])
        s.add_joint(f"A{k}", da.Revolute(), parent, f"b{k}", at_parent=(at, 0, 0))
        lengths.append(float(np.asarray(s.bodies[f"b{k}"].com, dtype=float)[0]))
    s.add_law("stop", da.Stop("A0", upper=float(rng.uniform(-1.4, -0.8)), restitution=float(rng.uniform(0, 0.8))))
    s.add_law("dry", da.JointFriction(f"A{count - 1}", force=float(rng.uniform(0.05, 0.5))))
    tip, under = (f"b{count - 1}", (2 * lengths[-1], 0, 0)), ("ground", (0, -0.6 * count - 0.1, 0))
    s.add_law(
        "floor",
        da.Contact(tip, under, (0, 1, 0), mu=float(rng.uniform(0, 0.4)), restitution=float(rng.uniform(0, 0.5))),
    )
    start = {"A0": float(rng.uniform(-2.6, -2.2))} | ({"A1": float(rng.uniform(-0.3, 0.3))} if count > 1 else {})
    m = s.build()
    high = float(m.laws["floor"].gap(m.state([start[c] for c in m.coordinates]))[0]) > 0.0
    return (m, start, {}) if high else pendulum(rng)


def four_bar(rng: np.random.Generator) -> Case:
    """A loop with dry friction in a joint and a stop of the crank."""
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 1.0), ("coupler", 2.5), ("rocker", 1.7)):
        s.add_body(name, da.rod(mass=float(rng.uniform(0.5, 2)), length=length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(2.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.5, 0, 0), at_child=(1.7, 0, 0))
    s.add_law("dry", da.JointFriction(("A", "D")[rng.integers(2)], force=float(rng.uniform(0.1, 1))))
    s.add_law("stop", da.Stop("A", lower=float(rng.uniform(-0.2, 0.3)), restitution=float(rng.uniform(0, 0.7))))
    return s.build(cut=["C"]), {"A": float(rng.uniform(0.6, 1.4))}, {}


def block(rng: np.random.Generator) -> Case:
    """A block that falls on its corners and slides."""
    s = da.System("block", gravity=(0, -9.81, 0))
    s.add_body("b", da.box(mass=1.0, size=(0.2, 0.1, 0.1)))
    s.add_joint("J", da.Planar(), "ground", "b")
    corners = da.surfaces.corners("b", [(0.1 * x, 0.05 * y, 0) for x in (-1, 1) for y in (-1, 1)])
    rough = {"mu": float(rng.uniform(0.1, 0.6)), "restitution": float(rng.uniform(0, 0.3))}
    s.add_law("floor", da.PairContact(corners, da.surfaces.plane(normal=(0, 1, 0)), **rough))
    start = {"J.y": 0.2, "J.angle": float(rng.uniform(-0.3, 0.3))}
    return s.build(), start, {"J.x": float(rng.uniform(-1, 1)), "J.angle": float(rng.uniform(-1, 1))}


def apart(case: Case) -> list[float]:
    """How far the coordinates of both marches lie apart, by step."""
    m, start, speeds = case
    exact = m.simulate(DURATION, start, speeds, output=OUTPUT)
    found = [m.simulate(DURATION, start, speeds, method="moreau", step=h, output=OUTPUT) for h in STEPS]
    return [float(np.abs(x.q - exact.q).max()) for x in found]


@pytest.mark.parametrize("kind", [pendulum, four_bar, block])
@settings(max_examples=examples(3))
@given(seed=st.integers(0, 10_000))
def test_a_mechanism_moves_alike_by_both_marches(kind, seed):
    coarse, fine = apart(kind(np.random.default_rng(seed)))
    assert fine < 1e-2 and fine < max(coarse, 1e-3)


def test_time_stepping_is_of_order_one_over_events():
    """On the average over mechanisms, the distance shrinks with the step: sixteenfold at best, fivefold at least."""
    every = np.array([apart(four_bar(np.random.default_rng(seed))) for seed in range(3)])
    assert every[:, 1].sum() < 0.2 * every[:, 0].sum()
