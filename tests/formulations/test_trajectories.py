"""Two seconds of motion, integrated in every formulation's own coordinates and speeds, end in the same place."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from benchmarks.loop_models import rhombic_linkage
from dalembert.formulations import FORMULATIONS
from dalembert.kinematics.constraint_rows import constraint_rows

COMPILED = [
    "newton_euler", "newton_euler_forces", "newton_euler_rotations_forces", "newton_euler_rotations", "newton_euler_root",
    "barycentric", "gauss_penalty",
]  # fmt: skip
"""Speeds of all bodies: large systems, marched in machine code below."""


def integrated(m, name, q, u, duration=2.0):
    """q and u at the end, by the Python that the written equations give."""
    eq, n = m.equations(name, parameters="numbers"), m.n_q
    scope: dict = {}
    exec(eq.code("python"), scope)

    def rate(t, x):
        qdot, A, f, *closed = scope["equations"](t, x[:n], x[n:])
        if not closed:
            return np.concatenate([qdot, np.linalg.solve(A, f)])
        B, gamma = closed
        kkt = np.block([[A, B.T], [B, np.zeros((len(B), len(B)))]])
        return np.concatenate([qdot, np.linalg.lstsq(kkt, np.concatenate([f, gamma]), rcond=1e-12)[0][: len(f)]])

    start = np.concatenate([q, eq.method.formulation_speeds(m.state(q, u))])
    end = solve_ivp(rate, (0.0, duration), start, method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    return np.concatenate([end[:n], eq.method.state(m, duration, end[:n], end[n:]).speeds])


def pendulum_on_a_shaker():
    """A prescribed support, damping, and a ball joint in Euler parameters."""
    s = da.System("shaken", gravity=(0, -9.81, 0))
    s.add_body("block", da.box(1.0, (0.1, 0.1, 0.1)))
    s.add_body("bob", da.box(0.8, (0.5, 0.1, 0.2), com=(0.3, 0, 0)))
    s.add_joint("shaker", da.Prismatic((1, 0, 0)), "ground", "block", prescribed=lambda t: 0.05 * da.sin(3 * t))
    s.add_joint("ball", da.Spherical(), "block", "bob")
    s.add_force("air", da.JointSpring("ball", damping=0.02))
    return s.build().numeric, np.array([1.0, 0, 0, 0]), np.array([0.5, 1.0, -0.3])


def rhombus():
    m = rhombic_linkage().mechanism
    q1 = 0.6 - np.pi / 2
    return m, np.array([q1, -q1, q1 + np.pi]), np.array([0.2, -0.2, 0.2])


def rolling_disc():
    s = da.System("coin", gravity=(0, 0, -9.81))
    s.add_body("coin", da.cylinder(0.5, 0.3, 0.01, axis=(0, 1, 0)))
    s.add_joint("free", da.Free("angles"), "ground", "coin")
    s.add_constraint("floor", da.RollingDisc("coin", radius=0.3))
    m = s.build()
    q, _ = m.assemble([0.1, 0.1, 0.2, 0.0, 0.0, 0.3])
    u = np.array([0.2, 1.5, 0.2, 0.0, 0.0, 0.0])
    rows = constraint_rows(m.state(q, u))
    return m, q, u - np.linalg.lstsq(rows.B, rows.B @ u, rcond=None)[0]


@pytest.mark.parametrize(
    ("make", "without"),
    [
        (
            pendulum_on_a_shaker,
            ["dalembert"],
        ),  # the Euler parameter it solves for passes zero: written down, its choice is fixed
        (rhombus, []),
        (rolling_disc, []),
    ],
)
def test_all_formulations_run_the_same_motion(make, without):
    m, q, u = make()
    expected = integrated(m, "kane", q, u)
    for name, formulation in FORMULATIONS.items():
        if name in ("kane", *COMPILED, *without) or formulation.refusal(m) is not None:
            continue
        assert np.abs(integrated(m, name, q, u) - expected).max() <= 1e-6, name


@pytest.mark.parametrize("name", COMPILED)
def test_speeds_of_all_bodies_march_to_the_same_place(name):
    """Two seconds of a block on a sprung rail with a solid pendulum on it."""
    m = crane()
    expected, found = (m.simulate(2.0, {"hook": 0.7}, rtol=1e-9, formulation=by) for by in ("kane", name))
    allowed = 1e-4 if name == "gauss_penalty" else 1e-6
    assert np.abs(found.q[-1] - expected.q[-1]).max() <= allowed
    assert np.abs(found.u[-1] - expected.u[-1]).max() <= 10 * allowed


def crane() -> da.Mechanism:
    s = da.System("crane", gravity=(0, -9.81, 0))
    s.add_body("block", da.box(3.0, (0.2, 0.2, 0.2)))
    s.add_joint("rail", da.Prismatic((1, 0, 0)), "ground", "block")
    s.add_body("bob", da.box(1.0, (0.6, 0.1, 0.1), com=(0.3, 0, 0)))
    s.add_joint("hook", da.Revolute(), "block", "bob")
    s.add_force("buffer", da.JointSpring("rail", stiffness=20.0))
    return s.build()
