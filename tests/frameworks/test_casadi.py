"""m.casadi: callbacks with exact Jacobians, and expressions with u̇ solved, against the mechanism's own answers."""

from __future__ import annotations

import casadi
import numpy as np

import dalembert as da
from dalembert.files import gallery


def test_of_a_loop_by_callback_and_by_expressions():
    m = da.load(gallery.files()["four_bar"])
    q, u = m.assemble({"A": 1.0}, {"A": 6.0})
    tau, P = np.array([0.3, -0.2, 0.1]), np.array(list(m.parameters.values()))
    expected = m.forward_dynamics(q, u, tau)
    compiled, written = m.casadi.forward_dynamics(), m.casadi.expressions()
    for f in (compiled, written):
        assert np.abs(np.array(f(q, u, tau, 0.0, P)).ravel() - expected).max() < 1e-9 * np.abs(expected).max()
    x, p = casadi.MX.sym("x", 3), casadi.MX.sym("p", len(P))
    jacobians = []
    for f in (compiled, written):
        y = f(q, x, tau, 0.0, p)
        J = casadi.Function("J", [x, p], [casadi.jacobian(y, x), casadi.jacobian(y, p)])
        jacobians.append(np.hstack([np.array(part) for part in J(u, P)]))
    assert np.abs(jacobians[0] - jacobians[1]).max() < 1e-9 * np.abs(jacobians[1]).max()


def test_ipopt_finds_the_force_that_brings_a_pendulum_where_it_should_be():
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(1.0, 0.8))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    m = s.build()
    march = m.casadi.rollout(2e-2, 50)
    force, start = casadi.MX.sym("force"), [-np.pi / 2]
    end = march(start, [0.0], force, 0.0, [])
    quiet = {
        "ipopt.print_level": 0,
        "print_time": 0,
        "ipopt.hessian_approximation": "limited-memory",
        "ipopt.sb": "yes",
    }
    found = casadi.nlpsol("solver", "ipopt", {"x": force, "f": (end[0] + 1.0) ** 2}, quiet)(x0=0.5)
    motion = m.casadi.rollout(2e-2, 50)(start, [0.0], found["x"], 0.0, [])
    assert abs(float(motion[0]) + 1.0) < 1e-5
