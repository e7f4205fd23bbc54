"""Surfaces: gaps against distances found by search, rows against differences, and what is degenerate."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.kinematics.law_rows import law_rows
from dalembert.laws.surfaces import SURFACES

from ..effort import examples

su = da.surfaces
GRID = 60
"""Points along each way in which a brute search looks."""


def two_bodies(a: da.laws.surfaces.Surface, b: da.laws.surfaces.Surface, **friction: float) -> da.Mechanism:
    s = da.System("pair")
    for name in "ab":
        s.add_body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        s.add_joint(f"J{name}", da.Free(), "ground", name)
    s.add_law("c", da.PairContact(a, b, **friction))
    return s.build()


def posed(m: da.Mechanism, rng: np.random.Generator, apart: float) -> da.State:
    q = m.somewhere(rng, 1.0)
    for k, name in enumerate(("x", "y", "z")):
        q[m.coordinates.index(f"Jb.{name}")] = 0.0
        q[m.coordinates.index(f"Ja.{name}")] = rng.uniform(-1.0, 1.0) * apart if k else apart
    return m.state(q, rng.uniform(-1.0, 1.0, m.n_u))


def segment(points: np.ndarray, s: da.State, body: str) -> np.ndarray:
    a, b = (np.asarray(s.position((body, p)), dtype=float) for p in points)
    return a + np.linspace(0.0, 1.0, 400)[:, None] * (b - a)


def of_box(size: tuple[float, ...], s: da.State, body: str) -> np.ndarray:
    ways = [np.linspace(-0.5 * x, 0.5 * x, 40) for x in size]
    inside = np.stack(np.meshgrid(*ways), axis=-1).reshape(-1, 3)
    return inside @ np.asarray(s.rotation(body), dtype=float).T + np.asarray(s.position(body), dtype=float)


def of_cylinder(radius: float, length: float, s: da.State, body: str) -> np.ndarray:
    angle, out, z = np.meshgrid(
        np.linspace(0, 2 * np.pi, 120), np.linspace(0, radius, 20), np.linspace(-0.5, 0.5, 30) * length
    )
    inside = np.stack([out * np.cos(angle), out * np.sin(angle), z], axis=-1).reshape(-1, 3)
    return inside @ np.asarray(s.rotation(body), dtype=float).T + np.asarray(s.position(body), dtype=float)


BAR = ((0.0, 0.0, 0.0), (0.4, 0.1, -0.2))
PAIRS = {
    "spheres": (su.sphere("a", 0.1), su.sphere("b", 0.2), lambda s: np.array([s.position("b")]), 0.3),
    "on capsule": (su.sphere("a", 0.1), su.capsule("b", BAR[1], 0.05), lambda s: segment(BAR, s, "b"), 0.15),
    "on box": (su.sphere("a", 0.1), su.box("b", (0.3, 0.5, 0.2)), lambda s: of_box((0.3, 0.5, 0.2), s, "b"), 0.1),
    "on cylinder": (su.cylinder("b", 0.2, 0.5), su.sphere("a", 0.1), lambda s: of_cylinder(0.2, 0.5, s, "b"), 0.1),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_gap_of_a_sphere_is_the_least_distance(name):
    a, b, points, radius = PAIRS[name]
    m, rng = two_bodies(a, b), np.random.default_rng(1)
    for _ in range(examples(12)):
        s = posed(m, rng, 0.8)
        least = np.linalg.norm(points(s) - np.asarray(s.position("a"), dtype=float), axis=1).min() - radius
        assert m.laws["c"].gap(s)[0] == pytest.approx(least, abs=2e-3)


def test_gap_of_capsules_is_the_least_distance():
    m, rng = two_bodies(su.capsule("a", BAR[1], 0.03), su.capsule("b", (0.0, 0.0, 0.5), 0.05)), np.random.default_rng(2)
    for _ in range(examples(25)):
        s = posed(m, rng, 0.3)
        first, second = segment(BAR, s, "a"), segment(((0, 0, 0), (0, 0, 0.5)), s, "b")
        least = np.linalg.norm(first[:, None] - second[None], axis=2).min() - 0.08
        assert min(m.laws["c"].gap(s)) == pytest.approx(least, abs=1e-4)


def test_a_touch_of_capsules_is_counted_once():
    """Also where ends, an end and a side, or two sides meet: only one gap is near zero, but that of parallel bars."""
    m, rng = two_bodies(su.capsule("a", BAR[1], 0.03), su.capsule("b", (0.0, 0.0, 0.5), 0.05)), np.random.default_rng(3)
    for _ in range(examples(25)):
        gaps = np.sort(m.laws["c"].gap(posed(m, rng, 0.2)))
        assert gaps[1] - gaps[0] > 1e-7


CORNERS = (*BAR, (0.0, 0.3, 0.0))
PLANE = su.plane("b", (0.0, 0.6, 0.8))
ON_PLANE = {
    "box": (su.box("a", (0.3, 0.5, 0.2)), lambda s: of_box((0.3, 0.5, 0.2), s, "a"), 0.0, 2e-2),
    "capsule": (su.capsule("a", BAR[1], 0.05), lambda s: segment(BAR, s, "a"), 0.05, 1e-9),
    "cylinder": (su.cylinder("a", 0.2, 0.5), lambda s: of_cylinder(0.2, 0.5, s, "a"), 0.0, 1e-3),
    "disc": (su.disc("a", 0.2), lambda s: of_cylinder(0.2, 0.0, s, "a"), 0.0, 1e-3),
    "corners": (su.corners("a", CORNERS, 0.02), lambda s: np.array([s.position(("a", p)) for p in CORNERS]), 0.02, 1e-12),
    "cam": (su.cam("a", lambda angle: 0.2 + 0.03 * da.cos(angle)), None, 0.0, 1e-4),
}  # fmt: skip


def of_cam(s: da.State) -> np.ndarray:
    angle = np.linspace(0, 2 * np.pi, 4000)
    r = 0.2 + 0.03 * np.cos(angle)
    inside = np.stack([r * np.cos(angle), r * np.sin(angle), 0 * r], axis=-1)
    return inside @ np.asarray(s.rotation("a"), dtype=float).T + np.asarray(s.position("a"), dtype=float)


@pytest.mark.parametrize("name", ON_PLANE)
def test_gap_over_a_plane_is_that_of_the_lowest_point(name):
    surface, points, radius, exact = ON_PLANE[name]
    m, rng = two_bodies(surface, PLANE), np.random.default_rng(4)
    for _ in range(examples(12)):
        s = posed(m, rng, 0.8)
        normal = np.asarray(s.rotation("b"), dtype=float) @ np.array(PLANE.normal)
        heights = ((of_cam if points is None else points)(s) - np.asarray(s.position("b"), dtype=float)) @ normal
        assert min(m.laws["c"].gap(s)) == pytest.approx(heights.min() - radius, abs=exact)


TERRAIN = su.height_field(height=lambda x, y: 0.1 * da.sin(2.0 * x) * da.cos(y), body="b")


def test_gap_over_terrain_is_the_least_distance():
    m, rng = two_bodies(su.sphere("a", 0.1), TERRAIN), np.random.default_rng(5)
    x, y = np.meshgrid(np.linspace(-3, 3, 1500), np.linspace(-3, 3, 1500))
    ground = np.stack([x, y, 0.1 * np.sin(2 * x) * np.cos(y)], axis=-1).reshape(-1, 3)
    for _ in range(examples(4)):
        s = posed(m, rng, 0.6)
        at = np.asarray(s.rotation("b").T @ (s.position("a") - s.position("b")), dtype=float)
        if at[2] < 0.15:
            s = m.state(m.reference + np.eye(m.n_q)[m.coordinates.index("Ja.z")] * 0.4, np.zeros(m.n_u))
            at = np.array([0.0, 0.0, 0.4])
        least = np.linalg.norm(ground - at, axis=1).min() - 0.1
        assert m.laws["c"].gap(s)[0] == pytest.approx(least, abs=1e-4)


def test_a_table_of_heights_goes_through_its_points_and_is_smooth():
    x, y = np.linspace(-1, 1, 6), np.linspace(-2, 2, 7)
    z = np.random.default_rng(0).uniform(-0.1, 0.1, (7, 6))
    table = su.HeightTable(x, y, z)
    assert [[table(a, b) for a in x] for b in y] == pytest.approx(z, abs=1e-12)
    slopes = [(table(x[2] + h, 0.3) - table(x[2], 0.3)) / h for h in (1e-6, -1e-6)]
    assert slopes[0] == pytest.approx(slopes[1], abs=1e-5)


OVAL = su.curve("a", lambda p: 0.2 * da.cos(p), lambda p: 0.1 * da.sin(p))
TRIANGLE = ((-0.2, -0.1, 0.02), (0.2, -0.1, 0.03), (0.0, 0.2, 0.05))
EVERY_PAIR = {**{k: v[:2] for k, v in PAIRS.items()}, **{k: (v[0], PLANE) for k, v in ON_PLANE.items()}} | {
    "capsules": (su.capsule("a", BAR[1], 0.03), su.capsule("b", (0.0, 0.0, 0.5), 0.05)),
    "terrain": (su.sphere("a", 0.1), TERRAIN),
    "curves": (OVAL, su.curve("b", corners=TRIANGLE)),
    "profiles": (su.curve("a", corners=TRIANGLE), su.curve("b", corners=TRIANGLE)),
    "curve on plane": (OVAL, PLANE),
    "roller": (su.sphere("a", 0.1), su.cam("b", lambda angle: 0.2 + 0.03 * da.cos(2.0 * angle))),
}  # fmt: skip


@pytest.mark.parametrize("name", EVERY_PAIR)
def test_rows_are_the_rates_of_the_gaps(name):
    """J u of gaps against differences along the motion; where they touch, slip has the size of the velocity across the normal."""
    m, rng = two_bodies(*EVERY_PAIR[name], mu=0.3), np.random.default_rng(6)
    s = posed(m, rng, 0.8)
    rows, law = law_rows(s), m.laws["c"]
    count, step = len(law.gap(s)), 1e-6
    moved = [m.state(s.coordinates + sign * step * s.rates, s.speeds) for sign in (1.0, -1.0)]
    slope = (law.gap(moved[0]) - law.gap(moved[1])) / (2 * step)
    speeds = rows.B @ s.speeds - rows.b
    assert np.asarray(speeds[:count], dtype=float) == pytest.approx(np.asarray(slope, dtype=float), abs=1e-7)
    assert np.isfinite(np.asarray(rows.gamma, dtype=float)).all()


@pytest.mark.parametrize("name", ["disc", "cylinder"])
def test_a_rim_that_lies_flat_has_rows(name):
    m = two_bodies(ON_PLANE[name][0], su.plane("b"), mu=0.3)
    q = m.reference.copy()
    q[m.coordinates.index("Ja.z")] = 0.25 if name == "cylinder" else 0.0
    s = m.state(q, np.ones(m.n_u))
    rows = law_rows(s)
    assert all(np.isfinite(np.asarray(x, dtype=float)).all() for x in (rows.g, rows.B, rows.gamma))
    assert sorted(np.abs(np.asarray(m.laws["c"].gap(s), dtype=float)))[3] < 1e-15  # the rim and three points of it


def test_centres_that_coincide_give_numbers():
    m = two_bodies(su.sphere("a", 0.1), su.sphere("b", 0.2), mu=0.1)
    rows = law_rows(m.state(m.reference, np.ones(m.n_u)))
    assert all(np.isfinite(np.asarray(x, dtype=float)).all() for x in (rows.g, rows.B, rows.gamma))
    with pytest.raises(da.SimulationError, match="violated at the start"):
        m.simulate(0.1)


@pytest.mark.parametrize(
    "make, said",
    [
        (lambda: da.PairContact(su.box("a", (1, 1, 1)), su.cylinder("b", 1.0, 1.0)), "not known exactly"),
        (lambda: da.PairContact(su.plane("a"), su.plane("b")), "not known exactly"),
        (lambda: da.PairContact(su.sphere("a"), su.box("b", (1, 1, 1))), "no normal"),
        (lambda: da.PairContact(su.sphere("a"), su.sphere("b")), "no normal"),
        (lambda: da.PairContact(su.sphere("a", 0.1), su.plane("a")), "touch itself"),
        (lambda: da.PairContact("a", su.plane()), "is no surface"),
        (lambda: da.PairContact(su.sphere("a", 0.1), su.plane(), restitution=1.1), "gain energy"),
        (lambda: da.PairContact(su.sphere("a", 0.1), su.plane(), mu=-0.1), "negative"),
        (lambda: su.sphere("a", -0.1), "negative"),
        (lambda: su.capsule("a", (0, 0, 0), 0.1), "one place"),
        (lambda: su.cam("a", lambda angle: 0.1 - 0.2 * da.cos(angle)), "above 0"),
        (lambda: su.height_field(), "give its height"),
        (lambda: su.curve("a"), "give x and y"),
        (lambda: su.curve("a", points=[(0, 0), (1, 0), (1, 1)]), "4 rows"),
        (lambda: su.curve("a", points=[(0, 0), (1, 0), (1, 1), (0, 0)]), "not repeated"),
        (lambda: su.curve("a", points=[(0, 0), (1, 1), (1, 0), (0, 1)]), "crosses itself"),
        (lambda: su.curve("a", lambda p: p, lambda p: da.sin(p)), "not closed"),
        (lambda: su.curve("a", lambda p: da.cos(p) ** 3, lambda p: da.sin(p) ** 3), "corner"),
        (lambda: su.curve("a", lambda p: da.log(p), lambda p: da.sin(p)), "finite"),
        (lambda: su.curve("a", lambda p: da.sin(p), lambda p: da.sin(2 * p)), "crosses itself"),
        (lambda: su.curve("a", corners=((0, 0, 0.01), (1, 1, 0.01), (1, 0, 0.01), (0, 1, 0.01))), "crosses itself"),
        (lambda: su.curve("a", corners=((0, 0, 0.1), (1, 0, 0.1))), "three rows"),
        (lambda: su.curve("a", corners=((0, 0, 0.1), (1, 0, 0.1), (0, 1, 0.0))), "above 0"),
        (lambda: su.curve("a", corners=((0, 0, 0.1), (1, 0, 0.1), (0, 1, 5.0))), "more than its sides"),
        (lambda: su.curve("a", corners=((0, 0, 0.1), (0, 0, 0.1), (0, 1, 0.1))), "neighbour"),
        (lambda: su.HeightTable([0, 1], [0, 1], [[1, 2, 3]]), "a row for each"),
    ],
)
def test_surfaces_that_cannot_be_are_refused(make, said):
    with pytest.raises(da.ModelError, match=said):
        make()


def test_surfaces_are_written_and_read(tmp_path):
    s = da.System("all", gravity=(0, 0, -9.81))
    s.add_body("a", mass=1.0, inertia=(0.1, 0.1, 0.1))
    s.add_joint("J", da.Free(), "ground", "a")
    r = s.parameter("r", 0.1)
    table = su.HeightTable([0, 1, 2, 3], [0, 1, 2, 3, 4], np.zeros((5, 4)))
    every = [
        (su.sphere("a", r), su.plane()), (su.capsule("a", (0.1, 0, 0), r), su.plane()), (su.disc("a", r), su.plane()),
        (su.sphere("a", r), su.box("ground", (1, 1, 1), da.Frame((0, 0, -0.6)))), (su.cylinder("a", r, 0.1), su.plane()),
        (su.sphere("a", r), su.height_field(table=table)), (su.corners("a", [(0, 0, 0.1), (0, 0.1, 0)]), su.plane()),
        (su.sphere("a", r), su.curve("ground", points=np.array([(0.3, 0), (0, 0.1), (-0.3, 0), (0, -0.1)]))),
    ]  # fmt: skip
    for k, pair in enumerate(every):
        s.add_law(f"c{k}", da.PairContact(*pair, mu=0.2))
    s.save(tmp_path / "all.yaml")
    text = (tmp_path / "all.yaml").read_text()
    of_functions = (
        "{type: curve, at: ground, x: 0.3*cos(p), y: 0.1*sin(p)}",
        "{type: curve, at: ground, corners: [[0, 0, 0.1], [1, 0, 0.1], [0, 1, 0.1]]}",
        "{type: cam, at: ground, radius: 0.1 + 0.01*cos(angle)}",
        "{type: height_field, height: 0.1*x*y - 1}",
    )
    for k, b in enumerate(of_functions, start=8):
        text += f"  c{k}: {{type: pair_contact, a: {{type: sphere, at: a, radius: r}}, b: {b}}}\n"
    (tmp_path / "more.yaml").write_text(text)
    back = da.load(tmp_path / "more.yaml")
    assert len({type(x) for law in back.laws.values() for x in (law.a, law.b)}) == len(SURFACES)
    back = back.numeric
    assert back.laws["c11"].gap(back.state(back.reference))[0] == pytest.approx(0.9, abs=1e-6)
    assert da.load(tmp_path / "all.yaml").kernels.fingerprint == s.build().kernels.fingerprint


def test_the_axis_across_which_nothing_moves_is_found():
    """Two discs of one plane have one direction of slip, whichever plane it is."""
    for R in (np.eye(3), da.turn((1, 0, 0), -math.pi / 2), da.turn((0, 1, 0), 0.6)):
        s = da.System("discs")
        for name, at in (("a", (0, 0, 0)), ("b", (1, 0, 0))):
            s.add_body(name, mass=1.0, inertia=(1, 1, 1))
            s.add_joint(f"J{name}", da.Planar(), "ground", name, at_parent=da.Frame(R @ np.array(at), R))
        s.add_law("c", da.PairContact(su.sphere("a", 0.1), su.sphere("b", 0.2), mu=0.1))
        assert [len(e.tangents) for e in s.build().law_table.elements] == [1]
