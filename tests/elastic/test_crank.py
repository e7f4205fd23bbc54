"""Flexible slider-crank of the IVP test set (problem CRANK): start accelerations, and the state after 0.1 s.

The rod's frame goes through its two ends; two sine modes across, two quadratic ones along it. The test set's mass of the
longitudinal modes is fifteen times the integral of their squares; to compare with its numbers the same is done here.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import ElasticBody, Node, given_modes

L, H, RHO, E = 0.3, 0.008, 7870.0, 2e11
START = [0.0, 0.0, 0.450016933, 0.0, 0.0, 1.03339863e-5, 1.69327969e-5]
SPEEDS = [150.0, -74.99576703969453, -2.68938672e-6, 0.444896105, 0.00463434311, -1.78591076e-6, -2.68938672e-6]
"""φ1, φ2, x3, q1 … q4 and their rates."""
END = [-0.3311734987910881, 0.1697373326718410, 1.893192460247178e-4, 2.375751865617931e-5, -5.323907988763734e-6,
       -8.363283141616840e-6]  # fmt: skip
END_SPEEDS = [60.25346682645789, -8.753116989887888, -3.005536801092212e-2, -5.500488291932075e-3, 4.978243404809343e-4,
              1.104933470696396e-3]  # fmt: skip


def rod() -> ElasticBody:
    x, w = np.polynomial.legendre.leggauss(30)
    xi, m = 0.5 * (x + 1.0), 0.5 * w * RHO * H * H * L
    shapes = np.zeros((30, 3, 4))
    shapes[:, 1, 0], shapes[:, 1, 1] = np.sin(np.pi * xi), np.sin(2 * np.pi * xi)
    shapes[:, 0, 2], shapes[:, 0, 3] = 4 * xi * (1 - xi), xi * (2 * xi - 1)
    bending, stretching = E * H * H / L * np.pi**4 * (H / L) ** 2, E * H * H / L
    K = np.zeros((4, 4))
    K[0, 0], K[1, 1] = bending / 24.0, bending * 2.0 / 3.0
    K[2:, 2:] = stretching / 3.0 * np.array([[16.0, -8.0], [-8.0, 7.0]])
    end = np.zeros((3, 4))
    end[0, 3] = 1.0
    made = given_modes(
        m, np.outer(xi * L, [1.0, 0.0, 0.0]), shapes, K, turns=np.zeros((30, 3, 4)),
        second_moments=m[:, None, None] * np.diag([0.0, H * H / 12.0, 0.0]),
        nodes={"pin": Node.of(np.zeros(3), np.zeros((3, 4))), "end": Node.of([L, 0.0, 0.0], end)},
        frame="chord through both ends",
    )  # fmt: skip
    P = np.array(made.P)
    P[3:, 3:, 0, 0] *= 15.0
    return replace(made, P=P)


@pytest.fixture(scope="module")
def crank() -> da.Mechanism:
    s = da.System("crank")
    s.add_body("crank", mass=0.36, com=(0.075, 0, 0), inertia=(0, 0.002727, 0.002727))
    s.add_body("rod", elastic=rod())
    s.add_body("slider", da.particle(0.075552))
    s.add_joint("A", da.Revolute(), "ground", "crank", prescribed=lambda t: 150.0 * t)
    s.add_joint("B", da.Revolute(), "crank", "rod", at_parent=(0.15, 0, 0), at_child="pin")
    s.add_joint("slide", da.Prismatic((1, 0, 0)), "ground", "slider")
    s.add_joint("C", da.Revolute(), "rod", "slider", at_parent="end")
    return s.build(cut=["C"])


def test_start_accelerations(crank: da.Mechanism) -> None:
    """Printed: x3 −5062.194923138, q3 −4.268463211, q4 0.209833469."""
    q = {"B": 0.0, "rod": START[3:], "slide": START[2]}
    u = {"B": SPEEDS[1] - 150.0, "rod": SPEEDS[3:], "slide": SPEEDS[2]}
    at = [np.concatenate([np.atleast_1d(v[k]) for k in ("B", "rod", "slide")]) for v in (q, u)]
    assert crank.coordinates == ("B", "rod.mode1", "rod.mode2", "rod.mode3", "rod.mode4", "slide")
    udot = dict(zip(crank.speeds, crank.forward_dynamics(*at)))
    assert udot["slide"] == pytest.approx(-5062.194923138, rel=2e-9)
    assert udot["rod.mode3"] == pytest.approx(-4.268463211, rel=1e-7)
    assert udot["rod.mode4"] == pytest.approx(0.209833469, rel=1e-5)


def test_a_tenth_of_a_second(crank: da.Mechanism) -> None:
    start, speeds = {"B": 0.0, "rod": START[3:]}, {"B": SPEEDS[1] - 150.0, "rod": SPEEDS[3:]}
    motion = crank.simulate(0.1, start, speeds, rtol=1e-10, output=[0.0, 0.1])
    q, u = motion.q[-1], motion.u[-1]
    reached = np.array([q[0] + 15.0, q[5], *q[1:5]])
    rates = np.array([u[0] + 150.0, u[5], *u[1:5]])
    assert np.abs(reached / END - 1.0).max() < 1e-5
    assert np.all(np.abs(reached / END - 1.0) < [1e-7, 1e-7, 1e-6, 1e-6, 1e-5, 1e-5])
    assert np.all(np.abs(rates / END_SPEEDS - 1.0) < [1e-7, 1e-6, 1e-5, 1e-4, 2e-3, 2e-3])
