"""Curves that touch in a plane: against brute search, closed forms of cams and gears, holes and rounded profiles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import dalembert as da

from ..effort import examples

su = da.surfaces
G = 9.81


def ellipse(body: str, a: float, b: float, x: float = 0.0, **more: Any) -> da.laws.surfaces.SurfaceCurve:
    return su.curve(body, lambda p: x + a * da.cos(p), lambda p: b * da.sin(p), zero=(1, 0, 0), **more)


def in_a_plane(a: Any, b: Any, **more: Any) -> da.Mechanism:
    s = da.System("pair", gravity=(0, -G, 0))
    for name in "ab":
        s.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        s.add_joint(f"J{name}", da.Planar(), "ground", name)
    s.add_law("c", da.PairContact(a, b, **more))
    return s.build()


def points(at: np.ndarray, pose: np.ndarray) -> np.ndarray:
    c, s = math.cos(pose[2]), math.sin(pose[2])
    return pose[:2] + at @ np.array([[c, s], [-s, c]])


def test_gap_of_ellipses_is_the_least_distance():
    m, rng, p = (
        in_a_plane(ellipse("a", 0.3, 0.12), ellipse("b", 0.25, 0.1)),
        np.random.default_rng(0),
        np.linspace(0, 2 * np.pi, 900),
    )
    for _ in range(examples(15)):
        q = rng.uniform(-3, 3, 6)
        q[3:5] = q[:2] + rng.uniform(0.6, 0.9) * np.array([math.cos(q[5] * 2), math.sin(q[5] * 2)])
        first = points(np.stack([0.3 * np.cos(p), 0.12 * np.sin(p)], axis=-1), q[:3])
        second = points(np.stack([0.25 * np.cos(p), 0.1 * np.sin(p)], axis=-1), q[3:])
        least = np.linalg.norm(first[:, None] - second[None], axis=2).min()
        assert float(m.laws["c"].gap(m.state(q))[0]) == pytest.approx(least, abs=1e-4)


def test_circles_are_spheres_of_the_plane():
    m, rng = in_a_plane(ellipse("a", 0.3, 0.3), ellipse("b", 0.2, 0.2)), np.random.default_rng(1)
    for _ in range(examples(10)):
        q = rng.uniform(-2, 2, 6)
        apart = float(np.hypot(*(q[3:5] - q[:2])))
        if apart > 0.3:
            assert float(m.laws["c"].gap(m.state(q))[0]) == pytest.approx(apart - 0.5, abs=1e-13)


def test_elliptic_gears_touch_in_every_pose():
    """Two equal ellipses turn about foci that are 2a apart: tan(θ₂/2) = −(1 − e)/(1 + e) tan(θ₁/2) keeps them in touch."""
    a, e = 0.2, 0.5
    b = a * math.sqrt(1 - e * e)
    gear = [ellipse(body, a, b, x=-a * e) for body in "ab"]  # the focus at +ae lies in the body's origin
    m = in_a_plane(*gear)
    for first in np.linspace(-2.6, 2.6, 9):
        second = -2 * math.atan((1 - e) / (1 + e) * math.tan(0.5 * first))
        q = np.array([0.0, 0.0, first, 2 * a, 0.0, second])
        assert float(m.laws["c"].gap(m.state(q))[0]) == pytest.approx(0.0, abs=1e-12)


def flank(body: str, base: float) -> da.laws.surfaces.SurfaceCurve:
    """An involute of a base circle from 0.3 to 1.1 rad, closed behind by a cubic with the same tangents."""
    begin, end = 0.3, 1.1

    def involute(u: Any, part: int) -> Any:
        c, s = da.cos(u), da.sin(u)
        return base * (c + u * s) if part == 0 else base * (s - u * c)

    def rate(u: float, part: int) -> float:
        return base * u * (math.cos(u) if part == 0 else math.sin(u)) * (end - begin) / math.pi

    def along(part: int) -> Any:
        p0, p1 = (float(involute(u, part)) for u in (end, begin))
        m0, m1 = (math.pi * rate(u, part) * 3.0 for u in (end, begin))

        def at(p: Any) -> Any:
            u, x = begin + (end - begin) * p / math.pi, p / math.pi - 1.0
            back = (
                (2 * x**3 - 3 * x**2 + 1) * p0
                + (x**3 - 2 * x**2 + x) * m0
                + (3 * x**2 - 2 * x**3) * p1
                + (x**3 - x**2) * m1
            )
            return da.select(p < math.pi, involute(u, part), back)

        return at

    return su.curve(body, along(0), along(1), zero=(1, 0, 0))


def test_involutes_keep_a_constant_ratio():
    """In touch, flanks on base circles r₁ and r₂ turn by angles in the ratio −r₁/r₂."""
    r1, r2, apart = 0.1, 0.15, 0.28
    m = in_a_plane(flank("a", r1), flank("b", r2))

    def gap(first: float, second: float) -> float:
        return float(min(m.laws["c"].gap(m.state(np.array([0.0, 0.0, first, apart, 0.0, math.pi + second])))))

    pressure = math.acos((r1 + r2) / apart)
    middle = math.tan(pressure)  # both flanks at the pitch point: the roll angle is tan of the pressure angle
    start = pressure - middle
    second = brentq(lambda x: gap(start, x), start - 0.05, start + 0.05, xtol=1e-15)
    for turned in (-0.1, 0.05, 0.1):
        found = brentq(
            lambda x: gap(start + turned, x),
            second - r1 / r2 * turned - 0.02,
            second - r1 / r2 * turned + 0.02,
            xtol=1e-15,
        )
        assert found - second == pytest.approx(-r1 / r2 * turned, abs=1e-10)


def follower(method: str | None, step: float | None = None) -> da.Motion:
    """An eccentric disc under a follower with a round foot, pressed by a spring."""
    s = da.System("cam", gravity=(0, -G, 0))
    s.add_body("cam", mass=1.0, inertia=(1, 1, 1))
    s.add_body("foot", mass=0.2, inertia=(1, 1, 1))
    s.add_joint("turn", da.Revolute(), "ground", "cam", prescribed=lambda t: 3.0 * t)
    s.add_joint("lift", da.Prismatic((0, 1, 0)), "ground", "foot")
    s.add_law("cam", da.PairContact(ellipse("foot", 0.02, 0.02), ellipse("cam", 0.05, 0.05, x=0.015)))
    more = {} if method is None else {"method": method, "step": step}
    return s.build().simulate(2.0, {"lift": math.sqrt(0.07**2 - 0.015**2)}, {"lift": 0.045}, output=0.1, **more)


def lift(t: np.ndarray) -> np.ndarray:
    return 0.015 * np.sin(3 * t) + np.sqrt(0.07**2 - (0.015 * np.cos(3 * t)) ** 2)


def test_cam_lifts_its_follower_as_the_closed_form_says():
    motion = follower(None)
    assert motion["lift"] == pytest.approx(lift(motion.t), abs=1e-11)
    assert not motion.impacts and np.ptp(motion.energy().balance) < 1e-9
    off = [np.abs(follower("moreau", h)["lift"] - lift(motion.t)).max() for h in (4e-3, 2e-3)]
    assert off[1] < 0.6 * off[0] < 1e-3


def test_a_disc_rolls_in_a_round_hole():
    """Small swings of a disc that rolls in a hole: T = 2π √(3 (R − r)/(2 g))."""
    s = da.System("bowl", gravity=(0, -G, 0))
    s.add_body("disc", mass=1.0, inertia=(1, 1, 0.5 * 0.1**2))
    s.add_joint("J", da.Planar(), "ground", "disc")
    s.add_law("c", da.PairContact(ellipse("disc", 0.1, 0.1), ellipse("ground", 0.5, 0.5, hole=True), mu=0.8))
    angle, arm = 1e-3, 0.4
    start = {"J.x": arm * math.sin(angle), "J.y": -arm * math.cos(angle)}
    period = 2 * math.pi * math.sqrt(1.5 * arm / G) * (1 + angle**2 / 16)
    motion = s.build().simulate(1.6, start, events={"low": da.Event(lambda s: s.q["J.x"])})
    assert [x.t for x in motion.events[:2]] == pytest.approx([0.25 * period, 0.75 * period], rel=1e-8)
    assert motion.contacts["c"].gap.min() > -1e-12


SIDES = ((-0.1, -0.05, 0.01), (0.1, -0.05, 0.01), (0.1, 0.05, 0.01), (-0.1, 0.05, 0.01))


def test_a_rounded_profile_falls_as_its_corners_do():
    falls = []
    balls = su.corners("b", [(0.09 * x, 0.04 * y, 0.0) for x in (-1, 1) for y in (-1, 1)], 0.01)
    for shape in (su.curve("b", corners=SIDES, zero=(1, 0, 0)), balls):
        s = da.System("box", gravity=(0, -G, 0))
        s.add_body("b", mass=1.0, inertia=(0.01, 0.01, 0.01))
        s.add_joint("J", da.Planar(), "ground", "b")
        s.add_law("floor", da.PairContact(shape, su.plane(normal=(0, 1, 0)), mu=0.5, restitution=0.2))
        falls.append(s.build().simulate(1.0, {"J.y": 0.2, "J.angle": 0.4}, {"J.x": 0.5, "J.angle": 2.0}))
    assert falls[0].q[-1] == pytest.approx(falls[1].q[-1], abs=1e-9) and not falls[0].u[-1].any()


def test_profiles_rest_on_each_other_and_are_counted_once():
    """A block on a wider one: two places bear it; corner on corner is one touch."""
    wide = tuple((2 * x, y, r) for x, y, r in SIDES)
    m = in_a_plane(su.curve("a", corners=SIDES, zero=(1, 0, 0)), su.curve("b", corners=wide, zero=(1, 0, 0)))
    flat = np.sort(np.asarray(m.laws["c"].gap(m.state(np.array([0.02, 0.1, 0.0, 0.0, 0.0, 0.0]))), dtype=float))
    assert flat[:2] == pytest.approx([0.0, 0.0], abs=1e-14) and flat[2] > 1e-3
    turned = m.state(np.array([0.25, 0.12, 0.3, 0.0, 0.0, 0.0]))
    gaps = np.sort(np.asarray(m.laws["c"].gap(turned), dtype=float))
    assert gaps[1] - gaps[0] > 1e-4


def test_a_curve_through_measured_points_is_that_curve():
    """Points of an ellipse, wherever the row begins and whichever way round: the gap errs by the fourth power of their distance."""
    rng, off = np.random.default_rng(3), []
    q = np.array([0.0, 0.0, 0.3, 0.55, 0.1, 1.1])
    exact = in_a_plane(ellipse("a", 0.3, 0.12), ellipse("b", 0.25, 0.1))
    gap = float(exact.laws["c"].gap(exact.state(q))[0])
    for count in (24, 48):
        p = np.linspace(0.0, 2 * math.pi, count, endpoint=False) + rng.uniform(0, 1)
        rows = np.stack([0.3 * np.cos(p), 0.12 * np.sin(p)], axis=-1)
        through = [su.curve("a", points=x, zero=(1, 0, 0)) for x in (rows, rows[::-1])]
        found = [in_a_plane(x, ellipse("b", 0.25, 0.1)) for x in through]
        gaps = [float(min(m.laws["c"].gap(m.state(q)))) for m in found]
        assert gaps[0] == pytest.approx(gaps[1], abs=1e-9)
        off.append(abs(gaps[0] - gap))
    assert off[0] < 2e-3 and off[1] < 1e-4
