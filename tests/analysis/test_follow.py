"""Inverse kinematics: points on their paths, loops closed, speeds and accelerations the rates of what they should be."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import dalembert as da
from benchmarks.loop_models import four_bar


def arm(links):
    s = da.System("arm", gravity=(0, -9.81, 0))
    parent = "ground"
    for k, length in enumerate(links):
        s.add_body(f"b{k}", da.rod(1.0, length))
        s.add_joint(f"j{k}", da.Revolute(), parent, f"b{k}", at_parent=(links[k - 1] if k else 0.0, 0, 0))
        parent = f"b{k}"
    return s.build()


def circle(t):
    return [0.9 + 0.3 * da.cos(2 * t), 0.2 + 0.3 * da.sin(2 * t), 0.0]


def test_two_links_have_the_closed_form_angles():
    m, t = arm([1.0, 0.8]), np.linspace(0.0, 3.0, 61)
    found = m.follow(("b1", (0.8, 0, 0)), circle, t, initial={"j0": -0.4, "j1": 1.0})
    x, y = 0.9 + 0.3 * np.cos(2 * t), 0.2 + 0.3 * np.sin(2 * t)
    elbow = np.arccos((x**2 + y**2 - 1.0 - 0.64) / 1.6)
    shoulder = np.arctan2(y, x) - np.arctan2(0.8 * np.sin(elbow), 1.0 + 0.8 * np.cos(elbow))
    assert np.allclose(found.q, np.column_stack([shoulder, elbow]), atol=1e-10)
    spline = CubicSpline(t, found.q)
    assert np.allclose(found.u[5:-5], spline(t[5:-5], 1), atol=1e-3)
    assert not found.redundancy and "determines" in str(found)
    # exact: the velocity of the point is that of the path, and so is its acceleration
    for k in (0, 20, 60):
        s = m.state(found.q[k], found.u[k])
        tip = ("b1", (0.8, 0, 0))
        assert np.allclose(s.velocity(tip), [-0.6 * np.sin(2 * t[k]), 0.6 * np.cos(2 * t[k]), 0], atol=1e-10)
        expected = [-1.2 * np.cos(2 * t[k]), -1.2 * np.sin(2 * t[k]), 0]
        assert np.allclose(s.acceleration(tip, found.udot[k]), expected, atol=1e-9)


@pytest.mark.slow
def test_redundant_links_move_with_the_least_energy_and_consistently():
    m, t = arm([0.6, 0.5, 0.4, 0.3]), np.linspace(0.0, 1.0, 201)
    found = m.follow(("b3", (0.3, 0, 0)), circle, t, initial={"j0": -0.5, "j1": 0.6, "j2": 0.5, "j3": 0.2})
    assert found.redundancy == 2 and "2 freedoms open" in str(found)
    spline, rate = CubicSpline(t, found.q), CubicSpline(t, found.u)
    assert np.allclose(found.u[10:-10], spline(t[10:-10], 1), atol=1e-5)  # u is q̇, not only on average
    assert np.allclose(found.udot[10:-10], rate(t[10:-10], 1), atol=1e-5)
    A, J = m.mass_matrix(found.q[50]), m.point_jacobian(("b3", (0.3, 0, 0)), found.q[50])[3:5]
    _, _, Vt = np.linalg.svd(J)
    assert np.abs(Vt[2:] @ A @ found.u[50]).max() < 1e-9  # no motion that leaves the point in place has any momentum


def test_a_loop_stays_closed_and_the_drives_of_the_motion_follow():
    m = four_bar(0.4, 1.0, 0.9, 1.0)
    q, t = m.assemble({"A": 1.0})[0], np.linspace(0.0, 1.0, 21)
    height = m.state(q).position(("crank", (0.4, 0, 0)))[0]
    found = m.follow(
        ("crank", (0.4, 0, 0)), lambda t: [height - 0.1 * da.sin(t), None, None], t, initial=dict(zip(m.coordinates, q))
    )
    for k in (0, 10, 20):
        s = m.state(found.q[k], found.u[k])
        assert s.position(("crank", (0.4, 0, 0)))[0] == pytest.approx(height - 0.1 * np.sin(t[k]), abs=1e-11)
    drives = m.drives(found.q, found.u, found.udot, ["A"], t=t)  # which checks that all loops keep closed
    again = m.forward_dynamics(found.q, found.u, drives.tau, t)
    assert np.allclose(again, found.udot, atol=1e-10)


def test_a_frame_is_carried_with_its_orientation():
    m, t = arm([1.0, 0.8, 0.3]), np.linspace(0.0, 1.0, 11)
    found = m.follow(
        ("b2", (0, 0, 0)), circle, t, orientation=lambda t: da.turn((0, 0, 1), 0.5 * t), initial={"j0": -0.4, "j1": 1.0}
    )
    assert np.allclose(found.q.sum(axis=1), 0.5 * t, atol=1e-10)
    assert np.allclose(found.u.sum(axis=1), 0.5, atol=1e-9)


@pytest.mark.slow
def test_sampled_paths_and_paths_out_of_reach():
    m, t = arm([1.0, 0.8]), np.linspace(0.0, 2.0, 41)
    samples = np.column_stack([1.0 + 0.5 * t, 0.0 * t, 0.0 * t])
    tip = ("b1", (0.8, 0, 0))
    near = m.follow(tip, samples[:20], t[:20], initial={"j0": -0.6, "j1": 1.6})
    assert np.allclose(m.body_motion(near.q).position[:, 1, 0] + 0.8 * np.cos(near.q.sum(axis=1)), samples[:20, 0])
    with pytest.raises(da.PathError, match=r"leaves the workspace at t = 1\.6") as refusal:
        m.follow(tip, samples, t, initial={"j0": -0.6, "j1": 1.6})
    assert refusal.value.t == pytest.approx(1.6, abs=1e-6)  # 1 + t/2 = 1.8, both links in line
    assert 0.0 < refusal.value.distance < 0.051
    with pytest.raises(da.PathError, match=r"misses it by 1\.2 m"):
        m.follow(tip, lambda t: [3.0 + t, 0.0, 0.0], t, initial={"j0": -0.6, "j1": 1.6})
