"""Elastic bodies bent further than their modes hold are told so, by every way in."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import dalembert as da
from dalembert.elastic.deflection import FAR, STEEP, deflection
from tests.effort import examples

from ..mechanisms import seeds


def hinged(**modes: int) -> da.Mechanism:
    made = da.beam(2.0, E=7e9, rho=2700.0, A=1e-3, Iy=2e-8, Iz=3e-8, modes=modes, elements=6)
    s = da.System("hinged", gravity=(0, -9.81, 0))
    s.add_body("boom", elastic=made)
    s.add_joint("A", da.Revolute(), "ground", "boom", at_child="root")
    return s.build()


def cantilever(Iy: float) -> da.Mechanism:
    s = da.System("cantilever", gravity=(0, 0, -9.81))
    s.add_body("plank", elastic=da.beam(4.0, E=7e10, rho=2700.0, A=4e-4, Iy=Iy, Iz=3e-7, modes={"z": 2}, elements=8))
    s.add_joint("wall", da.Weld(), "ground", "plank", at_child="root")
    return s.build()


ENTRIES: dict[str, Callable[[da.Mechanism, np.ndarray, np.ndarray], Any]] = {
    "forward_dynamics": lambda m, q, u: m.forward_dynamics(q, u),
    "a batch": lambda m, q, u: m.forward_dynamics(np.array([0.0 * q, q]), np.array([u, u])),
    "forward_dynamics_derivatives": lambda m, q, u: m.forward_dynamics_derivatives(q, u),
    "mass_matrix": lambda m, q, u: m.mass_matrix(q),
    "solve": lambda m, q, u: m.solve(q, u),
    "solve by Lagrange": lambda m, q, u: m.solve(q, u, formulation="lagrange"),
    "written equations": lambda m, q, u: m.equations("kane").solve(q, u),
    "linearise": lambda m, q, u: m.linearise(q, u),
    "simulate": lambda m, q, u: m.simulate(0.1, q, u),
    "simulate_many": lambda m, q, u: m.simulate_many([q], 0.1),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_mass_matrix_that_is_not_positive_is_refused(entry: str) -> None:
    m = hinged(y=2, z=1)
    with pytest.raises(
        da.StateError, match=r'body "boom" is bent by 0\.897 m, 44\.9 % of its length .* not positive.* welded'
    ):
        ENTRIES[entry](m, np.array([0.1, 1.0, 0.0, 0.0]), np.array([0.2, 0.1, 0.0, 0.0]))


def test_the_state_of_a_batch_is_named() -> None:
    with pytest.raises(da.StateError, match="forward_dynamics: state 1: elastic body"):
        ENTRIES["a batch"](hinged(y=2), np.array([0.1, 1.0, 0.0]), np.zeros(3))


@pytest.fixture(scope="module")
def rich() -> da.Mechanism:
    return hinged(y=3, z=3, torsion=2)


@settings(max_examples=examples(60), deadline=None)
@given(seeds)
def test_an_answer_is_right_or_refused(rich: da.Mechanism, seed: int) -> None:
    """Also with many modes, whose slopes are steep at slight deflections."""
    rng, m = np.random.default_rng(seed), rich
    scales = m.bodies[0].data.modal_scales
    q = np.concatenate([rng.normal(size=1), 10.0 ** rng.uniform(-3.0, 0.0) * rng.normal(size=8) * scales])
    u = rng.normal(size=9)
    A = m.kernels.mass_matrix(q)
    if np.linalg.eigvalsh(A)[0] <= 1e-9 * np.trace(A):
        with pytest.raises(da.StateError, match='body "boom" is bent'):
            m.forward_dynamics(q, u)
        return
    right = np.linalg.solve(A, -m.inverse_dynamics(q, u, np.zeros(9)))
    for found in (m.forward_dynamics(q, u), m.solve(q, u).udot):
        assert np.abs(found - right).max() < 1e-8 * np.abs(right).max() * np.linalg.cond(A) ** 0.5


def test_coordinates_that_are_not_finite_are_not_taken_for_bent() -> None:
    m = hinged(y=2)
    with pytest.raises(da.StateError, match=r'"boom.y1" in coordinates q is nan'):
        m.mass_matrix(np.array([0.0, np.nan, 0.0]))


def test_a_large_deflection_is_told_once_and_recorded() -> None:
    with pytest.warns(
        da.BendingWarning, match=r'body "plank" is bent by 3.* m, .* % of its length .* at t = 1'
    ) as said:
        motion = cantilever(3e-9).simulate(2.0)
    assert len(said) == 1
    found = motion.record["overbent"]["plank"]
    assert found["deflection"] > 0.8 and 0.0 < found["t"] <= 2.0
    assert json.loads(json.dumps(dict(motion.record)))["overbent"] == motion.record["overbent"]  # as in files


def test_many_motions_tell_it_too() -> None:
    with pytest.warns(da.BendingWarning, match='body "plank"'):
        many = cantilever(3e-9).simulate_many([{}, {"plank": [0.1, 0.0]}], 1.0)
    assert "plank" in many.record["overbent"]


def test_an_equilibrium_far_away_is_told() -> None:
    with pytest.warns(da.BendingWarning, match=r'equilibrium: elastic body "plank" is bent by 1\.'):
        cantilever(3e-9).equilibrium()


def test_slight_deflections_are_not_spoken_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        m = cantilever(1e-7)
        assert m.simulate(0.5).record["overbent"] == {}
        m.equilibrium()


def test_a_run_that_fails_names_the_bent_body() -> None:
    m = hinged(y=2)
    with pytest.warns(da.BendingWarning), pytest.raises(da.SimulationError, match='elastic body "boom" is bent by'):
        m.simulate(1.0, {"boom": [0.2, 0.0]}, {"boom": [60.0, 0.0]})


def test_fixed_steps_do_not_march_across() -> None:
    m = hinged(y=2)
    with pytest.warns(da.BendingWarning), pytest.raises(da.SimulationError, match='elastic body "boom" is bent by'):
        m.simulate(0.02, {"boom": [0.2, 0.0]}, {"boom": [100.0, 0.0]}, method="rk4", step=0.005)


@pytest.mark.parametrize("support", ["clamped", "pinned", "free"])
def test_a_tenth_of_the_length_is_slight(support: Any) -> None:
    made = da.beam(2.0, E=7e9, rho=2700.0, A=1e-3, Iy=2e-8, Iz=3e-8, modes={"y": 1}, elements=6, support=support)
    most = max(float(np.abs(node.Phi[1, 0])) for node in made.points) / 2.0
    how = deflection(made, np.array([0.09 / most]))
    assert how.moved == pytest.approx(0.09, rel=0.05) and how.moved < FAR
    assert how.slight or how.turned > STEEP
    assert not deflection(made, np.array([0.12 / most])).slight


@pytest.mark.parametrize("modes", [4, 6])
def test_steep_modes_are_not_taken_for_freedoms_without_mass(modes: int) -> None:
    """At the random pose in which freedoms are looked at they were bent so far that their inertia was spent."""
    tip = {2.0: da.box(0.5, (0.1, 0.1, 0.1))}
    body = da.beam(2.0, E=1e7, rho=2700.0, A=1e-3, Iy=2e-8, Iz=3e-8, modes={"y": 1, "z": modes}, elements=8, bodies=tip)
    s = da.System("steep")
    s.add_body("boom", elastic=body)
    s.add_joint("A", da.Revolute((0, 1, 0)), "ground", "boom", at_child="root")
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("B", da.Revolute((0, 1, 0)), "boom", "rod", at_parent="tip")
    assert s.build().n_u == modes + 3
