"""Tyres: relaxation and steady slip in closed form, published coefficients, energy."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.elements.wheels import magic_tyre
from dalembert.elements.wheels.magic_tyre import MagicTyre, formula
from tests.elements.energy import metered, off_balance

LINEAR = dict(radius=0.3, stiffness=2e5, cornering=6e4, braking=8e4, relaxation=0.5, relaxation_along=0.3)


def towed(angle: float, speed: float = 10.0) -> da.System:
    """A wheel that rolls straight ahead, turned to the side by an angle, on an axle that moves up and down."""
    s = da.System("towed", gravity=(0, 0, -9.81))
    s.add_body("carriage")
    s.add_body("axle", mass=300.0)
    s.add_body("wheel", mass=20.0, inertia=(0.5, 1.0, 0.5))
    s.add_joint("X", da.Prismatic((1, 0, 0)), "ground", "carriage", prescribed=lambda t: speed * t)
    s.add_joint("Z", da.Prismatic((0, 0, 1)), "carriage", "axle", at_parent=(0, 0, 0.3))
    s.add_joint("Y", da.Revolute((0, 1, 0)), "axle", "wheel", at_parent=da.Frame((0, 0, 0), da.turn((0, 0, 1), angle)))
    return s


def test_lateral_force_builds_up_over_the_relaxation_length() -> None:
    angle = 0.02
    s = towed(angle)
    s.add_element("tyre", da.LinearTyre("wheel", damping=2e4, **LINEAR))
    s.add_output("across", lambda s: s.signal("tyre.lateral"))
    motion = s.build().simulate(0.3, {"Z": -320 * 9.81 / 2e5}, {"Y": 10.0 * np.cos(angle) / 0.3}, rtol=1e-11)
    V = 10.0 * np.cos(angle)
    wanted = 6e4 * np.tan(angle) * (1.0 - np.exp(-V * motion.t / 0.5))
    assert np.abs(motion.outputs()["across"] - wanted).max() < 1e-6 * 6e4 * angle


def rolling(tyre: object) -> da.System:
    """A free wheel thrown onto the road: it bounces, spins up, slides to the side, leans."""
    s = da.System("rolling", gravity=(0, 0, -9.81))
    s.add_body("wheel", mass=20.0, inertia=(0.6, 1.0, 0.6))
    s.add_joint("F", da.Free(), "ground", "wheel")
    s.add_element("tyre", tyre)
    return s


@pytest.mark.parametrize(
    "tyre",
    [
        da.LinearTyre("wheel", damping=200.0, **(LINEAR | {"stiffness": 2e4, "cornering": 2e3, "braking": 2e3})),
        da.MagicTyre("wheel", 0.3, 2e4, 0.5, 0.3, damping=200.0),
    ],
    ids=["linear", "magic"],
)
def test_tyres_keep_energy(tyre: object) -> None:
    s = rolling(tyre)
    s.connect("tyre.road", lambda s: 0.01 * da.sin(20.0 * s.t))
    s.connect("tyre.road_rate", lambda s: 0.2 * da.cos(20.0 * s.t))
    m = metered(s, "tyre").build()
    start = {"F": [np.cos(0.05), np.sin(0.05), 0, 0, 0, 0, 0.305]}
    motion = m.simulate(0.6, start, {"F": [0.1, 10.0, 0.2, 4.0, 0.5, 0.0]}, rtol=1e-12, atol=1e-13, max_step=2e-4)
    loads = motion.evaluate(lambda s: s.signal("tyre.load"))
    assert (loads == 0.0).any() and loads.max() > 200.0  # it leaves the road, and comes back
    assert off_balance(motion) < 1e-9


# B, C, D, E at 2, 4, 6 and 8 kN as measured, table 1 of SAE 870421; the coefficients of tables 2 and 3 approximate them
PEAKS = {"across": (1936.0, 3650.0, 5237.0, 6677.0), "along": (2193.0, 4236.0, 6090.0, 7711.0)}
SLOPES = {"across": (0.244 * 1.50 * 1936, 0.239 * 1.19 * 3650, 0.164 * 1.27 * 5237, 0.112 * 1.36 * 6677)}


def test_magic_formula_has_its_published_peaks_and_slopes() -> None:
    tyre = MagicTyre("wheel", 0.3, 2e5, 0.5, 0.3)
    for name, slope in (("across", magic_tyre._slope_across), ("along", magic_tyre._slope_along)):
        for load, peak in zip((2.0, 4.0, 6.0, 8.0), PEAKS[name]):
            forces = [formula(getattr(tyre, name), load, slip, slope) for slip in np.linspace(0.0, 100.0, 2001)]
            assert abs(max(forces) - peak) < 0.015 * peak
    for load, wanted in zip((2.0, 4.0, 6.0, 8.0), SLOPES["across"]):
        found = formula(tyre.across, load, 1e-6, magic_tyre._slope_across) / 1e-6
        assert abs(found - wanted) < 0.06 * wanted


def test_aligning_moment_is_that_of_the_published_coefficients() -> None:
    """The coefficients of SAE 870421, keyed in once more: the curve, and its largest value D."""
    tyre = MagicTyre("wheel", 0.3, 2e5, 0.5, 0.3)
    for N in (2.0, 4.0, 6.0, 8.0):
        D, E = -2.72 * N**2 - 2.28 * N, -0.070 * N**2 + 0.643 * N - 4.04
        B = (-1.86 * N**2 - 2.73 * N) * np.exp(-0.110 * N) / (2.40 * D)
        for slip in (0.5, 3.0, 15.0):
            wanted = D * np.sin(2.40 * np.arctan(B * slip - E * (B * slip - np.arctan(B * slip))))
            found = formula(tyre.moment, N, slip, magic_tyre._slope_along)
            assert abs(found - wanted) < 1e-10 * abs(D)
        most = min(formula(tyre.moment, N, slip, magic_tyre._slope_along) for slip in np.linspace(0.0, 20.0, 2001))
        assert abs(most - D) < 1e-3 * abs(D)


def test_magic_tyre_slips_steadily_by_the_formula() -> None:
    """Towed at an angle for many relaxation lengths, its force is that of the formula."""
    angle = np.radians(6.0)
    s = towed(angle)
    s.add_element("tyre", da.MagicTyre("wheel", 0.3, 2e5, 0.5, 0.3, damping=2e4))
    for name in ("lateral", "aligning", "load"):
        s.add_output(name, lambda s, name=name: s.signal(f"tyre.{name}"))
    motion = s.build().simulate(4.0, {"Z": -320 * 9.81 / 2e5}, {"Y": 10.0 * np.cos(angle) / 0.3}, rtol=1e-10)
    found = {name: x[-1] for name, x in motion.outputs().items()}
    tyre, N = MagicTyre("wheel", 0.3, 2e5, 0.5, 0.3), found["load"] / 1e3
    assert abs(found["load"] - 320 * 9.81) < 1e-4
    assert abs(found["lateral"] - formula(tyre.across, N, 6.0, magic_tyre._slope_across)) < 1e-3
    assert abs(found["aligning"] - formula(tyre.moment, N, 6.0, magic_tyre._slope_along)) < 1e-3
    assert found["aligning"] < 0.0 < found["lateral"]  # it wants to turn back into the way it goes


def test_tyres_refuse_what_they_cannot_use() -> None:
    with pytest.raises(da.ModelError, match="MagicTyre: across must be nine numbers"):
        da.MagicTyre("wheel", 0.3, 2e5, 0.5, 0.3, across=(1.0, 2.0))
    with pytest.raises(da.ModelError, match="LinearTyre: radius must be positive"):
        da.LinearTyre("wheel", **(LINEAR | {"radius": -0.3}))
