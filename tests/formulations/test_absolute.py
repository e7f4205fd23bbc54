"""Claims about Newton–Euler in absolute coordinates and every elimination of it: one motion, whatever is eliminated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.absolute import newton_euler
from dalembert.formulations.tree import kane
from dalembert.kinematics.loads import loads
from dalembert.vectors import turn
from tests.constraints.loops import random_loops
from tests.effort import examples
from tests.mechanisms import frame, matter, planar_pendulum, random_state, random_tree, seeds, unit

ELIMINATIONS = [
    "newton_euler", "newton_euler_forces", "newton_euler_rotations_forces", "newton_euler_rotations", "newton_euler_root",
    "barycentric", "hooker", "gauss",
]  # fmt: skip
PENALTY_ACCURACY = 5e-5


def body_accelerations(s, udot) -> np.ndarray:
    return np.concatenate([[*a.w, *a.v] for a in s.accelerations(udot)[1:]])


def largest_difference(s, names, method="svd") -> dict[str, float]:
    """Of every formulation's body accelerations from Kane's, relative to the largest."""
    expected = body_accelerations(s, METHODS[method](kane.equations(s)).udot)
    scale = max(1.0, np.abs(expected).max())
    out = {}
    for name in names:
        f = FORMULATIONS[name]
        if f.refusal(s.mechanism) is None:
            udot = f.udot(s, METHODS[method](f.equations(s)).udot)
            out[name] = float(np.abs(body_accelerations(s, udot) - expected).max() / scale)
    return out


def well_posed(e) -> bool:
    """No pose next to a singular one, where no method could say more."""
    if not len(e.B):
        return True
    sigma = np.linalg.svd(e.B, compute_uv=False)
    rank = int(np.sum(sigma > 1e-9 * sigma[0]))
    return rank > 0 and bool(sigma[rank - 1] > 1e-2 * sigma[0])


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.integers(1, 7))
def test_all_agree_with_kane_on_random_trees_with_prescribed_joints(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, prescribed=True).build()
    assume(m.n_u)
    found = largest_difference(m.state(*random_state(m, rng)), [*ELIMINATIONS, "gauss_penalty"])
    assert found.pop("gauss_penalty") <= PENALTY_ACCURACY
    assert len(found) == len(ELIMINATIONS)
    assert max(found.values()) <= 1e-9, found


@settings(max_examples=examples(20), deadline=None)
@given(seeds, st.integers(2, 6), st.integers(1, 2), st.booleans())
def test_all_agree_with_kane_on_random_loops_redundant_or_not(seed, n, n_loops, doubled):
    rng = np.random.default_rng(seed)
    m, q, u, t = random_loops(rng, n, n_loops, doubled=doubled)
    s = m.state(q, u, t)
    assume(m.n_u and well_posed(kane.equations(s)))
    found = largest_difference(s, [*ELIMINATIONS, "gauss_penalty"])
    assert found.pop("gauss_penalty") <= PENALTY_ACCURACY
    assert max(found.values()) <= 1e-9, found


def rolling_train(rng) -> tuple[da.Mechanism, np.ndarray, np.ndarray]:
    """A disc that rolls on a table and carries a rod by a ball joint, from which a skate hangs; speeds that do not slip."""
    s = da.System("rolling", gravity=(0, 0, -9.81))
    s.add_body("wheel", matter(rng))
    s.add_joint("float", da.Free(), "ground", "wheel")
    s.add_body("rod", matter(rng))
    s.add_joint("ball", da.Spherical(), "wheel", "rod", at_parent=rng.uniform(-0.3, 0.3, 3))
    s.add_body("skate", matter(rng))
    s.add_joint("pin", da.Revolute(unit(rng)), "rod", "skate", at_parent=rng.uniform(-0.3, 0.3, 3))
    s.add_constraint("roll", da.RollingDisc("wheel", 0.5))
    s.add_constraint("edge", da.KnifeEdge(("skate", (0.2, 0.0, 0.0))))
    s.add_constraint("gear", da.Relation(speed=lambda s: s.u["pin"] - 0.5 * s.u["ball"][0]))
    m = s.build()
    from dalembert.constraints.assembly.assemble import close, consistent_speeds

    q, u, t = random_state(m, rng)
    attempt = close(m, q, (), t)
    return (m, attempt.q, consistent_speeds(m, attempt.q, u)) if attempt.closed else rolling_train(rng)


@settings(max_examples=examples(8), deadline=None)
@given(seeds)
def test_all_agree_with_kane_on_rolling_systems(seed):
    m, q, u = rolling_train(np.random.default_rng(seed))
    s = m.state(q, u)
    if well_posed(kane.equations(s)):
        found = largest_difference(s, ELIMINATIONS)
        assert max(found.values()) <= 1e-9, found


@pytest.mark.parametrize("method", [name for name in METHODS if name != "penalty"])
def test_all_constraint_methods_solve_all_formulations(method):
    rng = np.random.default_rng(4)
    m, q, u, t = random_loops(rng, 4, 1)
    found = largest_difference(m.state(q, u, t), ELIMINATIONS, method)
    assert max(found.values()) <= 1e-8, found


@settings(max_examples=examples(12), deadline=None)
@given(seeds, st.integers(1, 5))
def test_formulation_speeds_and_the_state_are_inverse_to_each_other(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, prescribed=True).build()
    s = m.state(*random_state(m, rng))
    for name in ELIMINATIONS:
        f = FORMULATIONS[name]
        w = f.formulation_speeds(s)
        e = f.equations(s)
        assert len(w) == len(f.speeds(m)) == len(e.f)
        assert f.first_order(m) == m.n_q + len(w) + len(e.B), name
        again = f.state(s.mechanism, s.t, s.coordinates, w)
        assert np.allclose(again.speeds, s.speeds, atol=1e-11), name


@settings(max_examples=examples(6), deadline=None)
@given(seeds, st.integers(1, 3), st.booleans())
def test_floats_and_traces_agree(seed, n, closed):
    rng = np.random.default_rng(seed)
    if closed:
        m, q, u, t = random_loops(rng, n + 1, 1)
    else:
        m = random_tree(rng, n, prescribed=True).build()
        q, u, t = random_state(m, rng)
    for name in [*ELIMINATIONS, "gauss_penalty"]:
        on_floats = FORMULATIONS[name].equations(m.state(q, u, t))
        traced = m.equations(name).evaluate(q, u, t)
        stiff = 1e-13 * np.abs(on_floats.A).max(initial=0.0)  # in f, large stiffness times small differences
        for part in ("A", "f", "B", "gamma"):
            one, two = getattr(on_floats, part), getattr(traced, part)
            allowed = 1e-10 * max(1.0, np.abs(one).max(initial=0.0))
            assert np.abs(one - two).max(initial=0.0) <= max(allowed, stiff), (name, part)


@settings(max_examples=examples(15), deadline=None)
@given(seeds, st.integers(1, 6))
def test_hinge_forces_are_the_reactions_of_the_joints(seed, n):
    """The multipliers of Newton–Euler against Newton's and Euler's laws for all bodies beyond each joint, taken together."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, prescribed=True).build()
    s = m.state(*random_state(m, rng))
    e = newton_euler.equations(s)
    solution = METHODS["augmented"](e)
    udot = newton_euler.udot(s, solution.udot)
    for k, (force, torque) in enumerate(newton_euler.reactions(s, solution.lam), start=1):
        expected = np.array(transmitted(s, udot, k), dtype=float)
        scale = max(1.0, np.abs(expected).max())
        assert np.allclose([*force, *torque], expected, atol=1e-9 * scale), m.joints[k - 1].name


def transmitted(s, udot, number) -> list[float]:
    """F = Σ (m a − f), M = Σ (Iα + ω × Iω − n + r × (m a − f)) over the bodies that a joint carries, at its point on the first."""
    m, acc, applied = s.mechanism, s.accelerations(udot), loads(s)
    joint = m.joints[number - 1]
    p = s.poses[number].p + s.poses[number].R @ joint.on_child.position
    F, M = np.zeros(3), np.zeros(3)
    for k in range(1, m.n_bodies + 1):
        if number not in m.tree.path(k):
            continue
        b, w, arm, R, alpha = m.bodies[k - 1], s.velocities[k].w, s.com_arms[k - 1], s.poses[k].R, acc[k].w
        f = b.mass * (acc[k].v + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))) - applied.force[k - 1]
        I = R @ b.inertia @ R.T
        F = F + f
        M = M + I @ alpha + np.cross(w, I @ w) - applied.moment[k - 1] + np.cross(s.poses[k].p + arm - p, f)
    return [*F, *M]


@pytest.mark.slow
def test_hinge_forces_are_those_a_motion_reports():
    s = da.System("pair", gravity=(0, 0, -9.81))
    s.add_body("upper", da.box(2.0, (0.1, 0.2, 0.6)))
    s.add_body("lower", da.box(1.0, (0.1, 0.3, 0.4)))
    s.add_joint("ball", da.Spherical(), "ground", "upper", at_child=(0, 0.1, 0.3))
    s.add_joint("pin", da.Revolute((1, 0, 0)), "upper", "lower", at_parent=(0, 0, -0.3), at_child=(0, 0, 0.2))
    m = s.build()
    motion = m.simulate(0.1, speeds={"ball": [0.5, 1.0, -0.3], "pin": 2.0})
    state = m.state(motion.q[-1], motion.u[-1], motion.t[-1])
    found = newton_euler.reactions(state, METHODS["augmented"](newton_euler.equations(state)).lam)
    for joint, (force, torque) in zip(("ball", "pin"), found):
        reported = motion.reaction(joint)
        assert np.allclose(reported.force[-1], force, atol=1e-9)
        assert np.allclose(reported.torque[-1], torque, atol=1e-9)


def thin_chain() -> da.Mechanism:
    """Thin rods, and a massless fork between two crossed pins."""
    s = da.System("thin", gravity=(0, 0, -9.81))
    s.add_body("rod1", da.rod(1.0, 0.8))
    s.add_joint("A", da.Revolute((0, 1, 0)), "ground", "rod1")
    s.add_body("fork", mass=0.0, com=(0, 0, 0), inertia=(0, 0, 0))
    s.add_joint("B", da.Revolute((0, 1, 0)), "rod1", "fork", at_parent=(0.8, 0, 0))
    s.add_body("rod2", da.rod(1.5, 0.6))
    s.add_joint("C", da.Revolute((0, 0, 1)), "fork", "rod2", at_parent=(0.1, 0, 0))
    return s.build()


def test_bodies_without_inertia_are_held_by_their_joints():
    m = thin_chain()
    s = m.state([0.3, 0.5, -0.4], [1.0, -2.0, 0.7])
    found = largest_difference(s, ELIMINATIONS, "range_space")
    assert set(found) == {"newton_euler", "newton_euler_root", "barycentric", "hooker", "gauss"}
    assert max(found.values()) <= 1e-9, found


@pytest.mark.parametrize("name", ["newton_euler_forces", "newton_euler_rotations_forces", "newton_euler_rotations"])
def test_eliminations_that_divide_by_inertia_say_so(name):
    with pytest.raises(da.FormulationError, match=r'body "(rod1|fork)" has no'):
        thin_chain().equations(name)


def test_a_group_without_mass_has_no_barycentre():
    s = da.System("empty")
    s.add_body("frame", mass=0.0, com=(0, 0, 0), inertia=(0, 0, 0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "frame")
    s.add_body("block", da.box(1.0, (1, 1, 1)))
    s.add_joint("y", da.Prismatic((0, 1, 0)), "frame", "block")
    m = s.build()
    with pytest.raises(da.FormulationError, match='body "frame" and what is hinged to it have no mass'):
        m.equations("barycentric")
    assert largest_difference(m.state([0.1, 0.2], [1.0, 2.0]), ["newton_euler"])["newton_euler"] <= 1e-10


def test_equations_of_all_bodies_can_be_read():
    text = planar_pendulum(1).build().equations("newton_euler").text()
    assert "link1.vx" in text and "link1.wz" in text


def test_a_loop_that_only_repeats_a_weld_says_nothing():
    """Eliminating the joints leaves rounding of its rows, and no more; a row made of rounding would hold the swing still."""
    rng = np.random.default_rng(3)
    s = da.System("welded twice", gravity=(1.0, -9.81, 2.0))
    for name in ("a", "b"):
        s.add_body(name, matter(rng))
    s.add_joint("swing", da.Revolute(unit(rng)), "ground", "a", frame(rng), frame(rng))
    on_a, on_b = frame(rng), frame(rng)
    s.add_joint("weld", da.Weld(), "a", "b", on_a, on_b)
    middle = da.Frame((0.3, -0.2, 0.5), turn(np.array(unit(rng)), 0.7))
    again = [da.Frame(x.position + x.rotation @ middle.position, x.rotation @ middle.rotation) for x in (on_a, on_b)]
    s.add_joint("again", da.Cylindrical((0, 1, 0)), "a", "b", *again)
    m = s.build(cut=["again"])
    state = m.state([0.4], [1.3])
    for by in ("svd", "range_space", "augmented", "proximal"):
        found = largest_difference(state, ELIMINATIONS, by)
        assert len(found) == len(ELIMINATIONS) and max(found.values()) <= 1e-9, (by, found)
