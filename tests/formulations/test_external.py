"""Bodies whose motion is prescribed: right-hand sides of the others, not unknowns, in every elimination [B Remark 3]."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.analysis.comparison.consistent import consistent_states
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.absolute import barycentric, newton_euler
from dalembert.formulations.tree import kane
from tests.effort import examples
from tests.formulations.test_absolute import ELIMINATIONS, largest_difference, transmitted
from tests.mechanisms import add_forces, frame, joint, matter, random_state, seeds, unit

EXAMPLES = Path(__file__).parents[2] / "examples"
MOVING = {
    "position": lambda t: (0.4 * da.sin(1.3 * t), 0.2 * t * t, 0.3 * da.cos(t)),
    "angles": lambda t: (0.5 * da.sin(t), 0.3 * da.cos(0.7 * t), 0.4 * t),
}


def on_a_platform(rng, n, kinds=None, closed=False) -> da.System:
    """A tree of n bodies on a platform that moves, another platform on that one, and with `closed` a bar between tree and platform."""
    s = da.System("platform", gravity=rng.normal(size=3) * 5)
    s.add_external("platform", **MOVING)
    s.add_body("tower", matter(rng))
    slewing = da.Revolute(unit(rng))
    s.add_joint("slew", slewing, "platform", "tower", frame(rng), frame(rng), prescribed=lambda t: da.sin(2 * t))
    carriers = ["platform", "tower"]
    for i in range(n):
        s.add_body(f"b{i}", matter(rng))
        kind = joint(rng) if kinds is None else kinds[i]
        s.add_joint(f"j{i}", kind, str(rng.choice(carriers)), f"b{i}", frame(rng), frame(rng))
        carriers = [*carriers[-2:], f"b{i}"]
    if kinds is None:
        add_forces(s, rng)
    if closed:
        s.add_constraint("bar", da.Distance(("tower", (0.1, 0.2, 0.3)), (f"b{n - 1}", (0.2, -0.1, 0.4)), 0.8))
    return s


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.integers(1, 5))
def test_every_elimination_gives_the_motion_on_a_moving_platform(seed, n):
    rng = np.random.default_rng(seed)
    m = on_a_platform(rng, n).build()
    s = m.state(*random_state(m, rng))
    found = largest_difference(s, [*ELIMINATIONS, "gauss_penalty"])
    assert found.pop("gauss_penalty", 0.0) <= 5e-5
    assert not m.n_u or len(found) == len(ELIMINATIONS)
    assert max(found.values(), default=0.0) <= 1e-9, found


@settings(max_examples=examples(8), deadline=None)
@given(seeds)
def test_loops_may_end_on_the_platform(seed):
    rng = np.random.default_rng(seed)
    m = on_a_platform(rng, 2, [da.Spherical(), da.Spherical()], closed=True).build()
    try:
        states = consistent_states(m, 1, seed % 100)
    except da.DalembertError:
        return  # the bar does not reach
    for s in states:
        found = largest_difference(s, ELIMINATIONS)
        assert len(found) == len(ELIMINATIONS) and max(found.values()) <= 1e-8, found


@settings(max_examples=examples(10), deadline=None)
@given(seeds, st.integers(1, 4))
def test_formulation_speeds_lead_back_to_the_state(seed, n):
    rng = np.random.default_rng(seed)
    m = on_a_platform(rng, n).build()
    s = m.state(*random_state(m, rng))
    for name in ELIMINATIONS:
        f = FORMULATIONS[name]
        w, e = f.formulation_speeds(s), f.equations(s)
        assert len(w) == len(f.speeds(m)) == len(e.f), name
        assert f.first_order(m) == m.n_q + len(w) + len(e.B), name
        assert np.allclose(f.state(s.mechanism, s.t, s.coordinates, w).speeds, s.speeds, atol=1e-11), name


@pytest.mark.parametrize("name", [*ELIMINATIONS, "gauss_penalty"])
def test_floats_and_traces_agree(name):
    rng = np.random.default_rng(8)
    m = on_a_platform(rng, 3, [da.Revolute(unit(rng)), da.Universal(), da.Cylindrical((0, 1, 0))]).build()
    q, u, t = random_state(m, rng)
    on_floats, traced = FORMULATIONS[name].equations(m.state(q, u, t)), m.equations(name).evaluate(q, u, t)
    for part in ("A", "f", "B", "gamma"):
        one, two = getattr(on_floats, part), getattr(traced, part)
        assert np.abs(one - two).max(initial=0.0) <= 1e-10 * max(1.0, np.abs(one).max(initial=0.0)), part


def test_unknowns_are_those_the_source_counts():
    """Pin, universal and ball on an external body: 6n + 3n + Σ n' [B 49], 3n + Σ n' = 9 + 3 [51] and Σ n_j = 6 + 0 [61]."""
    rng = np.random.default_rng(2)
    s = da.System("external")
    s.add_external("ship", **MOVING)
    parent = "ship"
    for name, kind in {"pin": da.Revolute(unit(rng)), "fork": da.Universal(), "ball": da.Spherical()}.items():
        s.add_body(name, matter(rng))
        s.add_joint(name, kind, parent, name, frame(rng), frame(rng))
        parent = name
    m = s.build()
    state = m.state(*random_state(m, rng))
    sizes = {name: FORMULATIONS[name].equations(state).B.shape[::-1] for name in ELIMINATIONS}
    assert sizes == {
        "newton_euler": (18, 12), "newton_euler_forces": (18, 0), "newton_euler_rotations_forces": (18, 0),
        "newton_euler_rotations": (9, 3), "newton_euler_root": (9, 3), "barycentric": (9, 3), "hooker": (6, 0), "gauss": (6, 0),
    }  # fmt: skip
    assert max(largest_difference(state, ELIMINATIONS).values()) <= 1e-10


def test_a_floating_group_has_its_root_velocity_besides():
    """q̇ = (ṙ₁, ω₁ … ω_n) [B 40d]: eliminating r̈₁ from ZᵀJZ leaves the barycentric K [B 69–70]."""
    rng = np.random.default_rng(4)
    s = da.System("afloat", gravity=(0, 0, -9.81))
    for i in range(3):
        s.add_body(f"b{i}", matter(rng))
    s.add_joint("float", da.Free(), "ground", "b0")
    s.add_joint("h1", da.Spherical(), "b0", "b1", frame(rng), frame(rng))
    s.add_joint("h2", da.Spherical(), "b0", "b2", frame(rng), frame(rng))
    m = s.build()
    state = m.state(*random_state(m, rng))
    e = FORMULATIONS["newton_euler_root"].equations(state)
    assert e.A.shape == (12, 12) and len(e.B) == 0
    assert np.allclose(e.A[:3, :3], sum(b.mass for b in m.bodies) * np.eye(3))
    K = e.A[3:, 3:] - e.A[3:, :3] @ np.linalg.solve(e.A[:3, :3], e.A[:3, 3:])
    a = barycentric.augmented(state)
    assert np.abs(K - a.K).max() <= 1e-13 * np.abs(K).max()
    right = e.f[3:] - e.A[3:, :3] @ np.linalg.solve(e.A[:3, :3], e.f[:3])
    assert np.abs(right - a.right).max() <= 1e-12 * np.abs(right).max()


@settings(max_examples=examples(10), deadline=None)
@given(seeds, st.integers(1, 4), st.booleans())
def test_the_drives_of_external_bodies_are_their_reactions(seed, n, closed):
    """Newton's and Euler's laws for all bodies beyond each joint, against multipliers and the balance of the external bodies."""
    rng = np.random.default_rng(seed)
    m = on_a_platform(rng, n, [da.Spherical()] * n if closed else None, closed).build()
    state = m.state(*random_state(m, rng))
    solved = METHODS["augmented"](newton_euler.equations(state))
    udot = newton_euler.udot(state, solved.udot)
    found = newton_euler.reactions(state, solved.lam)
    for k in range(1, m.n_bodies + 1):
        if closed and m.bodies[k - 1].name != "platform":
            continue  # the bar's force goes past this joint
        expected = np.array(transmitted(state, udot, k), dtype=float)
        assert np.allclose(np.concatenate(found[k - 1]), expected, atol=1e-9 * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("name", ["ship_crane"])
def test_examples_with_external_bodies_by_every_elimination(name):
    m = da.load(EXAMPLES / f"{name}.yaml")
    assert [m.bodies[k - 1].name for k in m.external_bodies] == ["ship", "crane"]
    for seed in range(3):
        q, u, t = random_state(m, np.random.default_rng(seed))
        found = largest_difference(m.state(q, u, 5 * t), ELIMINATIONS)
        assert len(found) == len(ELIMINATIONS) and max(found.values()) <= 1e-9, found
    e = {name: FORMULATIONS[name].equations(m.state()) for name in ELIMINATIONS}
    assert e["barycentric"].B.shape == (3, 6) and e["hooker"].B.shape == (0, 3)


@pytest.mark.parametrize("name", [*ELIMINATIONS, "gauss_penalty"])
def test_a_motion_on_a_moving_platform_is_the_same_by_every_elimination(name):
    m = da.load(EXAMPLES / "ship_crane.yaml")
    usual, found = (m.simulate(0.5, formulation=f, output=0.25, rtol=1e-9, atol=1e-10).q for f in ("kane", name))
    assert np.abs(found - usual).max() <= (1e-4 if name == "gauss_penalty" else 1e-7)


def test_a_mechanism_that_moves_only_as_prescribed_has_nothing_to_solve():
    s = da.System("given", gravity=(0, 0, -9.81))
    s.add_external("ship", **MOVING)
    s.add_body("load", mass=2.0, inertia=(1, 1, 1))
    s.add_joint("weld", da.Weld(), "ship", "load", at_parent=(0, 0, 1))
    m = s.build()
    state = m.state(t=0.7)
    for name in ELIMINATIONS:
        assert len(FORMULATIONS[name].equations(state).f) == 0, name
    force, _ = newton_euler.reactions(state, np.zeros(0))[1]
    a = state.acceleration("load", np.zeros(0))
    assert np.allclose(force, 2.0 * (a - m.gravity))
    assert len(kane.equations(state).f) == 0
