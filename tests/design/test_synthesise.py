"""Linkages found again from what they do, published problems, and linkages refused because they cannot go from pose to pose."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.design.circuits import defect
from dalembert.design.four_links import LengthConditions
from dalembert.design.pose_set import PoseSet
from dalembert.studies.studied_quantities import quantity
from tests.design.linkages import coupler_linkage

LINKS = ("crank", "coupler", "rocker", "base")
NEAR = {"crank": (8.0, 12.0), "coupler": (35.0, 45.0), "rocker": (35.0, 45.0), "base": (45.0, 55.0)}


def made_by(m: da.Mechanism, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Poses of a linkage along its turn."""
    swept = m.sweep("A", angles, {"A": float(angles[0])})
    return swept.q, swept.trace(("coupler", (20.0, 20.0, 0.0)))


@pytest.fixture(scope="module")
def published():
    """Lengths, poses, points and rocker angles of a crank-rocker, not at the model's own lengths."""
    m = coupler_linkage(9.3, 41.0, 38.5, 49.0)
    angles = np.linspace(0.4, 5.5, 8)
    q, tip = made_by(m, angles)
    return m, angles, q, tip


def test_derivatives_through_closed_loops_are_exact(published):
    m, angles, q, _ = published
    looked_at = [quantity(m, "tip", ""), quantity(m, "D", "")]
    poses = PoseSet(m, "A", looked_at, LINKS)
    P = dict(m.parameters)
    of_p, of_theta = poses.slopes(poses.seen(q, P))

    def seen(q0, P):
        closed, good = poses.closed(q0, P)
        assert good.all()
        return poses.seen(closed, P).y

    h = 1e-5
    for k, name in enumerate(LINKS):
        two = [seen(q, P | {name: P[name] + e}) for e in (h, -h)]
        assert np.allclose(of_p[:, :, k], (two[0] - two[1]) / (2 * h), atol=1e-6)
    two = [seen(poses.with_drive(q, angles + e), P) for e in (h, -h)]
    assert np.allclose(of_theta, (two[0] - two[1]) / (2 * h), atol=1e-5)


def test_a_linkage_is_found_again_from_its_path(published):
    """Path generation with timing: eight points at given angles of the crank leave no other linkage nearby."""
    m, angles, _, tip = published
    found = coupler_linkage().synthesise({"tip": tip[:, :2]}, NEAR, {"A": angles}, grashof="crank-rocker", starts=2)
    assert found.largest < 1e-7 and all(np.isclose(found[n], m.parameters[n], atol=1e-6) for n in LINKS)
    assert (
        np.allclose(found.drive, angles)
        and "transmission angle at" in str(found)
        and len(found.columns()["drive"]) == 8
    )


def test_a_linkage_is_found_again_from_its_function_and_the_start_of_its_drive(published):
    """Function generation: ratios of lengths decide it, so the base is given; the crank's first angle is sought."""
    m, angles, q, _ = published
    rocker = q[:, m.coordinates.index("D")]
    vary = {k: x for k, x in NEAR.items() if k != "base"} | {"A": (0.2, 0.6)}
    found = coupler_linkage(base=49.0).synthesise({"D": rocker}, vary, {"A": angles - angles[0]}, starts=3)
    assert (
        found.largest < 1e-7
        and np.isclose(found["A"], angles[0], atol=1e-6)
        and np.isclose(found["crank"], 9.3, atol=1e-5)
    )


def test_a_body_is_guided_through_places_and_turns(published):
    """Motion generation, with angles of the crank that are found."""
    m, _, q, tip = published
    turned = q[:3, m.coordinates.index("A")] + q[:3, m.coordinates.index("B")]
    found = coupler_linkage().synthesise({"tip": tip[:3, :2], "turned": turned}, NEAR, "A", starts=3, seed=1)
    assert found.largest < 1e-6


def test_conditions_on_lengths():
    """Grashof: 10 + 50 ≤ 40 + 40. The transmission angle of a full turn lies between those of the crank in line with the frame."""
    m = coupler_linkage()
    values, slopes = LengthConditions(m, "A", "crank-rocker", (0.7, 2.4), LINKS)(m.parameters)
    assert (values <= 0.0).all() and slopes.shape == (7, 4)
    long = dict(m.parameters) | {"crank": 35.0}
    assert LengthConditions(m, "A", "any", None, LINKS)(long)[0].max() > 0.0
    swept = m.sweep("A", np.linspace(0.0, 2 * np.pi, 73), {"A": 0.0})
    (angle,) = swept.transmission.values()
    ends = np.cos([angle.max(), angle.min()])
    at_limits, _ = LengthConditions(m, "A", "crank-rocker", (float(angle.min()), float(angle.max())), LINKS)(
        m.parameters
    )
    assert np.allclose(sorted(at_limits[3:])[-2:], 0.0, atol=1e-9), ends


def test_circuits_and_branches_are_told_apart():
    """The open and the crossed crank-rocker are two circuits; a double rocker has branches of one."""
    m = coupler_linkage()
    q, _ = made_by(m, np.array([0.4, 1.0, 1.6, 3.0]))
    s = m.speeds.index("A")
    assert defect(m, q, s, True) == "" and defect(m, q[::-1], s, True) == ""
    crossed = max(m.branches({"A": 1.0}), key=lambda x: float(np.abs(x - q[1]).max()))
    assert "circuit defect: pose 2" in defect(m, np.array([q[0], crossed]), s, True)
    assert "order defect" in defect(m, q[[0, 2, 1, 3]], s, True) and defect(m, q[[0, 2, 1, 3]], s, False) == ""
    rocker = coupler_linkage(40.0, 12.0, 40.0, 60.0)
    both = rocker.branches({"A": 0.9})
    assert len(both) == 2 and "branch defect" in defect(rocker, np.array(both), s, True)


@pytest.mark.parametrize(
    "asked, said",
    [
        ({"drive": "Q"}, "coordinate to drive"),
        ({"drive": {"A": [0.0, 1.0, 2.0]}}, "has 3 values, and 2 poses are wanted"),
        ({"wanted": {"tip": [(1, 2, 3, 4), (1, 2, 3, 4)]}}, "has 3 numbers in a pose, and 4 were given"),
        ({"wanted": {"tip": [(1, 2), (3, 4)], "D": [1.0]}}, "a row for each pose"),
        ({"wanted": {"A'": [1.0]}}, "no function of the pose"),
        ({"wanted": {}}, "values by output"),
        ({"grashof": "rolling"}, "must be one of 'crank-rocker'"),
        ({"transmission": (2.0, 1.0)}, "between 0 and π"),
        ({"vary": {"crank": "±1%"}}, "must be a range in which to look"),
        ({"vary": {"A'": (0.0, 1.0)}}, "is no length"),
        ({"vary": {"crank": (400.0, 500.0)}, "starts": 1}, "can be assembled"),
    ],
)
def test_wrong_use_is_refused_in_words(asked, said):
    given = {"wanted": {"tip": [(30.0, 20.0), (31.0, 21.0)]}, "vary": NEAR, "drive": "A"} | asked
    with pytest.raises(da.DalembertError, match=said):
        coupler_linkage().synthesise(**given)
