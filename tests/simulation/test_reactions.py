"""Claims about what joints and constraints transmit: every body is in balance by itself, and what cannot be known is said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import simpson

import dalembert as da
from benchmarks.loop_models import LOOPS, bricard, crank_rocker, four_bar
from dalembert.constraints.assembly.assemble import consistent_speeds
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.initial import initial_state
from dalembert.motion.reactions import reaction
from tests.constraints.loops import random_loops
from tests.effort import examples
from tests.invariance.cases import drawn
from tests.linkages import MEGAMETRE, METRE, MICROMETRE, MILLIMETRE, in_units
from tests.mechanisms import seeds
from tests.simulation.free_bodies import ends, imbalance, samples

BARS = (0.4, 1.0, 0.9, 1.0)
CRANK = lambda t: 0.3 + 2.0 * t + 0.1 * da.sin(5.0 * t)  # noqa: E731


@pytest.mark.parametrize("name", LOOPS)
def test_every_body_of_the_reference_loops_is_in_balance(name):
    m, initial, speeds, _ = LOOPS[name]()
    q, u = initial_state(m, initial, speeds, 0.0)
    x = samples(m, q, consistent_speeds(m, q, u + 0.3), 0.0)
    assert imbalance(x, [0]) < 1e-9


@settings(max_examples=examples(6), deadline=None)
@given(seeds, st.integers(2, 4), st.integers(1, 2), st.booleans())
def test_every_body_of_random_loops_is_in_balance(seed, n, n_loops, doubled):
    m, q, u, t = random_loops(np.random.default_rng(seed), n, n_loops, doubled=doubled)
    sigma = np.linalg.svd(constraint_rows(m.state(q, u, t)).B, compute_uv=False)
    if m.n_u and not np.any((sigma < 1e-2 * sigma[0]) & (sigma > 1e-12 * sigma[0])):  # not next to a singular pose
        assert imbalance(samples(m, q, u, t), [0]) < 1e-9


def test_along_a_motion_cut_and_tree_joints_do_no_work():
    """The power of a smooth joint's wrench on its two bodies, taken together, is nothing."""
    m, initial, speeds, _ = crank_rocker()
    motion = m.simulate(1.0, initial, speeds, output=0.1)
    assert imbalance(motion.samples, [0, 4, 10]) < 1e-9
    for name in ("A", "B", "C", "D"):
        w = motion.reaction(name)
        for k, (q, u) in enumerate(zip(motion.q, motion.u)):
            s = m.state(q, u)
            child, parent, p = ends(m, name, s)
            power = 0.0
            for sign, body in ((1.0, child), (-1.0, parent)):
                v = s.velocities[body].v + np.cross(s.velocities[body].w, p - s.poses[body].p)
                power += sign * (w.force[k] @ v + w.torque[k] @ s.velocities[body].w)
            assert abs(power) < 1e-10 * (1.0 + np.abs(w.force[k]).max() * np.abs(u).max())


def test_a_planar_four_bar_knows_its_in_plane_forces_only():
    """Three closing rows are idle: force across the plane and the torques in it are anyone's guess, at every joint."""
    m, initial, speeds, _ = crank_rocker()
    motion = m.simulate(0.2, initial, speeds, output=0.1)
    for name in ("A", "B", "C", "D"):
        w = motion.reaction(name)
        assert w.determined.tolist() == [[True, True, False], [False, False, True]]
        assert "Not unique" in w.note and "force z, " not in w.note and w.note.count("torque") == 2
        assert np.abs(w.force[:, 2]).max() < 1e-12  # least multipliers: none where none is needed


def test_a_ball_in_place_of_a_hinge_makes_everything_unique():
    """Two of the four hinges replaced: 6·3 − 2·5 − 4 − 3 = 1 freedom, no redundancy."""
    s = da.System("four-bar with a ball and a universal joint", gravity=(0, -9.81, 0))
    for name, length in (("crank", 1.0), ("coupler", 2.5), ("rocker", 1.7)):
        s.add_body(name, da.cylinder(1.0, 0.05, length, axis=(1, 0, 0), com=(length / 2, 0, 0)))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Universal((0, 0, 1), (0, 1, 0)), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("C", da.Spherical(), "coupler", "rocker", at_parent=(2.5, 0, 0), at_child=(1.7, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(2.0, 0, 0))
    motion = s.build(cut=["C"]).simulate(0.1, {"A": 0.7}, {"A": 2.0}, output=0.1)
    assert all(motion.reaction(name).determined.all() for name in "ABCD")
    assert motion.reaction("C").note == "All components are unique."
    assert np.abs(motion.reaction("C").torque).max() < 1e-9


def test_no_reaction_of_the_bricard_hinges_but_the_smooth_direction_is_unique():
    m, initial, speeds, _ = bricard()
    motion = m.simulate(0.4, initial, speeds, output=0.1)
    own = motion.reaction("J6", axes="parent")
    assert own.determined.tolist() == [[False] * 3, [True, False, False]]  # turning about x is free: no torque
    assert np.abs(own.torque[:, 0]).max() < 1e-9


def test_the_cut_may_be_anywhere():
    """Reactions in the plane do not depend on which joint was cut."""
    motions = []
    s = _four_bar_system()
    for cut in ("C", "D"):
        m = s.build(cut=[cut])
        motions.append(m.simulate(0.5, {"A": 0.7}, {"A": 1.0}, output=0.1, rtol=1e-12))
    for name in "ABCD":
        a, b = (motion.reaction(name) for motion in motions)
        np.testing.assert_allclose(a.force[:, :2], b.force[:, :2], atol=1e-7)
        np.testing.assert_allclose(a.torque[:, 2], b.torque[:, 2], atol=1e-7)


def _four_bar_system(prescribed=None) -> da.System:
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9)):
        s.add_body(name, da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "crank", prescribed=prescribed)
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(1.0, 0, 0), at_child=(0.9, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1.0, 0, 0))
    return s


def test_a_prescribed_crank_and_a_driven_one_need_the_same_torque():
    """As a function of time in the joint, or as a constraint on it; and the torque's work is the change of energy."""
    motions = [
        m.simulate(1.0, output=0.005, rtol=1e-11)
        for m in (_four_bar_system(CRANK).build(cut=["C"]), four_bar(*BARS, CRANK))
    ]
    torques = [motions[0].drive("A"), motions[1].drive("drive")]
    np.testing.assert_allclose(torques[0].force, torques[1].force, rtol=1e-7, atol=1e-7)
    assert torques[0].determined.all() and torques[1].speeds == ("A",)
    np.testing.assert_allclose(motions[1].reaction("A").torque[:, 2], torques[1].force, atol=1e-9)
    t = motions[0].t
    rate = 2.0 + 0.5 * np.cos(5.0 * t)
    power = torques[0].force * rate
    energy = motions[0].energy().total
    assert simpson(power, x=t) == pytest.approx(energy[-1] - energy[0], abs=1e-6)


def test_the_drive_of_a_tree_is_inverse_dynamics():
    """A prescribed joint, either way round, needs what inverse dynamics asks for with the same joint left free."""
    for ends_of in ({"parent": "a", "child": "b"}, {"parent": "b", "child": "a"}):
        made = []
        for law in (lambda t: 0.5 * da.sin(3.0 * t), None):
            s = da.System("arm", gravity=(0, -9.81, 0))
            s.add_body("a", da.box(1.0, (1.0, 0.2, 0.1), com=(0.5, 0, 0)))
            s.add_body("b", da.box(0.7, (0.8, 0.2, 0.3), com=(0.4, 0.1, 0)))
            s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "a")
            s.add_joint("B", da.Revolute((0, 0.6, 0.8)), **ends_of, at_parent=(1.0, 0, 0), prescribed=law)
            s.add_force("friction", da.JointSpring("B", damping=0.3))
            made.append(s.build())
        motion = made[0].simulate(1.0, {"A": 0.2}, output=0.1)
        t = motion.t
        q = np.stack([motion.q[:, 0], 0.5 * np.sin(3 * t)], axis=1)
        u = np.stack([motion.u[:, 0], 1.5 * np.cos(3 * t)], axis=1)
        udot = np.stack([motion.udot()[:, 0], -4.5 * np.sin(3 * t)], axis=1)
        needed = made[1].inverse_dynamics(q, u, udot)
        np.testing.assert_allclose(motion.drive("B").force, needed[:, 1], rtol=1e-10, atol=1e-10)
        assert np.abs(needed[:, 0]).max() < 1e-9


def test_constraints_tell_their_force_where_it_acts():
    """A pendulum on a massless rod: the constraint's force pulls along it, and is that of a circular motion."""
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("bob", da.sphere(2.0, 0.1))
    s.add_joint("float", da.Free(), "ground", "bob")
    s.add_constraint("rod", da.Distance("bob", "ground", 1.5))
    m = s.build()
    motion = m.simulate(1.0, {"float": (1, 0, 0, 0, 1.5, 0, 0)}, {"float": (0, 0, 0, 0, 1.0, 0)}, output=0.1)
    place, v = motion.position("bob"), motion.velocity("bob")
    w = motion.reaction("rod")
    outward = place / 1.5
    tension = 2.0 * (np.sum(v * v, axis=1) / 1.5 - 9.81 * outward[:, 1])
    np.testing.assert_allclose(w.force, -tension[:, None] * outward, atol=1e-8)
    assert np.abs(w.torque).max() < 1e-12
    assert imbalance(motion.samples, [0, 5, 10]) < 1e-9
    np.testing.assert_allclose(motion.reaction("float").force, 0.0, atol=1e-9)


def test_a_constraint_named_from_the_ground_tells_the_force_on_the_ground():
    """And a relation of the user's own, which names no bodies, the force on the body it looks at."""
    forces = {}
    for name, constraint in (
        ("from bob", da.OnPlane("bob", "ground", (0, 0, 1))),
        ("from ground", da.OnPlane("ground", "bob", (0, 0, 1))),
        ("own", da.Relation(position=lambda s: s.position("bob")[2])),
    ):
        s = da.System("on a table", gravity=(0, 0, -9.81))
        s.add_body("bob", da.sphere(2.0, 0.1))
        s.add_joint("float", da.Free(), "ground", "bob")
        s.add_constraint("table", constraint)
        m = s.build()
        forces[name] = reaction(samples(m, m.reference, np.zeros(6), 0.0), "table", "child", "world").force[0]
    np.testing.assert_allclose(forces["from bob"], (0, 0, 2 * 9.81), atol=1e-12)
    np.testing.assert_allclose(forces["from ground"], (0, 0, -2 * 9.81), atol=1e-12)
    np.testing.assert_allclose(forces["own"], (0, 0, 2 * 9.81), atol=1e-12)


def test_a_gear_gives_each_joint_its_share():
    """Σ factor · coordinate = 0 acts with −λ times its factor on each joint: the torques are as the factors."""
    s = da.System("gears", gravity=(0, -9.81, 0))
    for name in ("a", "b"):
        s.add_body(name, da.rod(1.0, 1.0))
        s.add_joint(name.upper(), da.Revolute(), "ground", name)
    s.add_constraint("gear", da.Coupling({"A": 1.0, "B": 2.5}))
    m = s.build()
    motion = m.simulate(0.5, {"A": 0.3}, output=0.1)
    share = motion.drive("gear")
    assert share.speeds == ("A", "B") and share.determined.all()
    np.testing.assert_allclose(share.force[:, 1], 2.5 * share.force[:, 0], rtol=1e-12)
    for k, name in enumerate("AB"):
        np.testing.assert_allclose(motion.reaction(name).torque[:, 2], share.force[:, k], atol=1e-9)


def test_a_rolling_ball_is_carried_by_its_contact_point():
    s = da.System("ball", gravity=(0, 0, -9.81))
    s.add_body("ball", da.sphere(1.0, 0.1, com=(0.02, 0.0, 0.0)))
    s.add_joint("float", da.Free(), "ground", "ball")
    s.add_constraint("floor", da.RollingBall("ball", 0.1))
    m = s.build()
    q = np.array([1.0, 0, 0, 0, 0, 0, 0.1])
    x = samples(m, q, consistent_speeds(m, q, np.array([0.5, 3.0, 1.0, 0, 0, 0]), fixed=[0, 1, 2]), 0.0)
    w = reaction(x, "floor", "child", "world")
    assert np.abs(w.torque).max() < 1e-12 and w.force[0, 2] > 5.0 and np.abs(w.force[0, :2]).max() > 1e-3
    assert imbalance(x, [0]) < 1e-9


def test_asking_for_what_does_not_exist_says_what_does():
    motion = four_bar(*BARS, CRANK).simulate(0.1, output=0.1)
    with pytest.raises(da.ModelError, match="no joint or constraint 'E'"):
        motion.reaction("E")
    with pytest.raises(da.SimulationError, match=r'motion\.drive\("drive"\)'):
        motion.reaction("drive")
    with pytest.raises(da.SimulationError, match=r'not prescribed.*motion\.drive\("drive"\)'):
        motion.drive("A")
    with pytest.raises(da.SimulationError, match="acts on bodies"):
        motion.drive("C")


@pytest.mark.parametrize("axes", ["world", "child", "parent"])
@pytest.mark.parametrize("length", [1.0, 1e-3, 1e3])
def test_a_joint_that_carries_a_whole_redundant_loop_is_known(axes, length):
    """What the loop leaves open is exchanged within it; the boom that carries it all feels nothing of it."""
    s = da.System("ring on a boom", gravity=(1.0, -9.81, 2.0))
    tilted = da.Frame((0.3 * length, 0.1 * length, 0.2 * length), da.turn((0.0, 0.6, 0.8), 0.7))
    s.add_body("boom", da.box(2.0, (0.7 * length, 0.2 * length, 0.1 * length)))
    s.add_joint("root", da.Revolute((0.6, 0.0, 0.8)), "ground", "boom", at_child=tilted)
    parent, at = "boom", tilted
    for i in range(3):
        s.add_body(f"bar{i}", da.rod(1.0, length))
        s.add_joint(f"h{i}", da.Revolute(), parent, f"bar{i}", at)
        parent, at = f"bar{i}", (length, 0, 0)
    last = da.Frame(tilted.position + tilted.rotation @ np.array([0.0, -length, 0.0]), tilted.rotation)
    s.add_joint("closing", da.Revolute(), parent, "boom", at, last)
    m = s.build(cut=["closing"])
    rhombus = [0.4, -np.pi / 2 - 0.4, 0.4 - np.pi / 2]
    time = 0.02 * np.sqrt(length)
    motion = m.simulate(time, np.array([0.3, *rhombus]), output=time / 2)
    assert motion.reaction("root", axes=axes).determined.all()
    assert not motion.reaction("h1", axes="child").determined.all()


@pytest.mark.parametrize("name", ["crank_rocker", "bricard"])
def test_what_is_unique_does_not_hang_on_units(name):
    """Rows that are nothing are distances or directions too, and what they leave open is measured as such."""
    m, initial, speeds, _ = (crank_rocker if name == "crank_rocker" else bricard)()
    q, u = initial_state(m, initial, speeds, 0.0)
    q = m.assemble(q)[0]
    every = [METRE, MILLIMETRE, MICROMETRE, MEGAMETRE, (1e6, 1e6, 1e3)]
    for joint in [j.name for j in m.joints] + [c.name for c in m.cuts]:
        found = [
            reaction(
                samples(in_units(m, units), q, consistent_speeds(m, q, u), 0.0), joint, "child", "child"
            ).determined
            for units in every
        ]
        assert all(np.array_equal(x, found[0]) for x in found), joint


def test_a_loop_round_one_rigid_piece_leaves_all_its_reactions_open():
    """Every row is the rounding of its terms: none is large beside the others, and no multiplier is made of it."""
    case = drawn("loops", 5)
    x = samples(case.mechanism, np.tile(case.q, (9, 1)), np.tile(case.u, (9, 1)), np.full(9, case.t))
    assert x.solved.rank.max() == 0 and not x.solved.lam.any()
