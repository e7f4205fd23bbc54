"""Numbers kept as symbols on request: the same mechanism, with more parameters."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.constraints.loops import random_loops
from tests.mechanisms import random_state, random_tree


def rod() -> da.Mechanism:
    s = da.System("rod", gravity=(0, -9.81, 0))
    s.add_body("rod", mass=2.0, com=(0.25, 0, 0), inertia=(0.03, 0.02, 0.04))
    s.add_joint("A", da.Revolute(), "ground", "rod", at_parent=(0.1, 0, 0))
    s.add_force("spring", da.JointSpring("A", stiffness=3.0))
    return s.build()


def test_gravity_is_a_symbol_with_its_direction():
    assert "f_gravity[u_A] = -0.5*g*cos(q_A)" in rod().equations("kane", symbols=["gravity"]).text()


def test_names_are_by_custom_or_as_said():
    text = rod().equations("kane", symbols=["gravity", "rod.*", "spring.stiffness"]).text()
    assert "A[u_A, u_A] = I_rod_zz + m_rod*c_rod**2" in text
    assert "-g*m_rod*c_rod*cos(q_A)" in text and "-k_spring*q_A" in text
    text = rod().equations("kane", symbols={"gravity": "G", "rod.mass": "m", "rod.inertia": "J"}).text()
    assert "A[u_A, u_A] = Jzz + 0.0625*m" in text or "A[u_A, u_A] = 0.0625*m + Jzz" in text
    assert "-0.25*G*m*cos(q_A)" in text


def test_what_is_not_there_or_taken_is_refused_by_name():
    with pytest.raises(da.ModelError, match=r"no number 'rod.mas'.*rod.mass"):
        rod().equations("kane", symbols=["rod.mas"])
    with pytest.raises(da.ModelError, match="'q_A' already"):
        rod().with_symbols({"gravity": "q_A"})
    with pytest.raises(da.ModelError, match="'x' already"):
        rod().with_symbols({"gravity": "x", "rod.mass": "x"})
    with pytest.raises(da.ModelError, match="gravity is 0"):
        da.load("examples/satellite.yaml").with_symbols(["gravity"])


@pytest.mark.parametrize("seed", range(4))
def test_a_mechanism_with_symbols_moves_as_before(seed):
    """Numbers of a random tree as symbols: the same equations to rounding, and another value is another mechanism."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 3).build()
    q, u, t = random_state(m, rng)
    named = m.with_symbols(["gravity", "*.mass", "*.com", "*.inertia", "*.at_parent", "*.at_child"])
    assert len(named.parameters) > len(m.parameters) + 10
    for name in ("kane", "newton_euler"):
        one, other = m.equations(name).evaluate(q, u, t), named.equations(name).evaluate(q, u, t)
        assert np.allclose(one.A, other.A, rtol=1e-10, atol=1e-10) and np.allclose(one.f, other.f, rtol=1e-9, atol=1e-9)
    body = m.bodies[-1]
    heavier = named.with_parameters(**{f"m_{body.name}": 2.0 * body.mass})
    assert heavier.numeric.bodies[-1].mass == 2.0 * body.mass


def test_loops_keep_their_numbers():
    m, q, u, t = random_loops(np.random.default_rng(1), 3, 1)
    named = m.with_symbols(["*.at_parent", "*.at_child", "gravity"])
    one, other = m.equations("kane").evaluate(q, u, t), named.equations("kane").evaluate(q, u, t)
    assert np.allclose(one.B, other.B, atol=1e-10) and np.allclose(one.f, other.f, atol=1e-9)


def test_an_explanation_takes_symbols():
    assert "m_rod" in rod().explain("lagrange", symbols=["rod.mass"]).text()
