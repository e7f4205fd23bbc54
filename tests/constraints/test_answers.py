"""Claims about mechanisms that do not work as they were meant to: each gets its own answer in plain words, and none hangs."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import LOOPS, bricard, crank_rocker, flyball_governor, four_bar, n_four_bar
from dalembert.constraints import METHODS
from dalembert.constraints.diagnosis.diagnose import diagnose
from dalembert.formulations.tree import kane
from dalembert.vectors import turn
from tests.mechanisms import matter, unit

BARS = (1.0, 2.5, 1.7, 2.0)


def door(axis=(0, 0, 1), height: float = 2.0) -> da.Mechanism:
    """On two hinges; the upper one may be askew, or set at another height on the door than on the frame."""
    s = da.System("door")
    s.add_body("door", da.box(10.0, (1.0, 0.05, 2.0), com=(0.5, 0, 1.0)))
    s.add_joint("low", da.Revolute((0, 0, 1)), "ground", "door")
    s.add_joint("high", da.Revolute(axis), "ground", "door", at_parent=(0, 0, 2), at_child=(0, 0, height))
    return s.build(cut=["high"])


def two_drives(first, second) -> da.Mechanism:
    s = da.System("two drives")
    s.add_body("arm", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "arm")
    s.add_constraint("motor", da.Drive("A", first))
    s.add_constraint("brake", da.Drive("A", second))
    return s.build()


def truss(span: float) -> da.Mechanism:
    """Two rods of 1 m, hinged to the ground `span` apart and to each other."""
    s = da.System("truss", gravity=(0, -9.81, 0))
    for name in ("a", "b"):
        s.add_body(name, da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_joint("B", da.Revolute(), "ground", "b", at_parent=(span, 0, 0))
    s.add_joint("C", da.Revolute(), "a", "b", at_parent=(1, 0, 0), at_child=(1, 0, 0))
    return s.build(cut=["C"])


def test_hinges_askew_lock_each_other():
    d = door(axis=(0, 0.6, 0.8)).diagnose()
    assert d.mobility == 0 and "is locked: nothing can move" in str(d)
    with pytest.raises(da.LoopError, match="nothing to simulate"):
        door(axis=(0, 0.6, 0.8)).simulate(1.0)


def test_hinges_at_different_heights_cannot_be_closed():
    with pytest.raises(da.LoopError, match=r'cannot be closed: best gap 0\.1 m at "high"'):
        door(height=1.9).assemble()


def test_constraints_that_contradict_each_other_are_both_named():
    with pytest.raises(da.LoopError, match=r'"motor" and "brake" contradict each other.*0\.1 at "motor"'):
        two_drives(0.3, 0.5).simulate(1.0)


def test_speeds_that_contradict_each_other_are_told_as_such():
    """They agree on where to be at t = 0, not on where to go."""
    with pytest.raises(da.LoopError, match='"motor" and "brake" contradict each other at t = 0 s: no speeds'):
        two_drives(lambda t: 0.3 + t, lambda t: 0.3 + 2.0 * t).simulate(1.0)


@pytest.mark.parametrize("later", [lambda t: 0.3 + t**4, lambda t: 0.3 + 0.5 * t * t])
def test_drives_that_agree_only_at_the_start_are_told_to_contradict(later):
    """One row is left out as redundant; that it is not kept later on must not pass unnoticed."""
    with pytest.raises(da.LoopError, match="agree at the start but contradict each other by t =") as raised:
        two_drives(0.3, later).simulate(1.0)
    assert len(raised.value.motion) == 201


def test_doubled_but_agreeing_drives_are_redundant_only():
    d = two_drives(lambda t: 0.3 + t, lambda t: 0.3 + t).diagnose()
    assert (d.mobility, d.redundant, d.grubler) == (0, 1, -1)
    assert "time moves it" in str(d)


def test_given_values_that_do_not_close_are_not_called_an_impossible_loop():
    with pytest.raises(da.LoopError, match=r'"A", "B" and "D" cannot all be kept.*"C" stays open.*fewer'):
        four_bar(*BARS).simulate(1.0, {"A": 0.7, "B": 0.0, "D": 0.0})


def test_an_impossible_loop_is_inspected_without_an_error():
    i = four_bar(1.0, 2.5, 1.7, 6.0).inspect()
    assert not i.assembled and i.reactions == () and i.grubler == -2
    assert "does not go together" in str(i) and "best gap 0.8 m" in str(i)
    assert json.loads(json.dumps(i.to_dict()))["diagnosis"] is None


def test_a_locked_truss_and_a_shaky_one():
    """At 2 m the rods lie in one line: it gives way by nothing but a first order."""
    firm = truss(1.2).diagnose(np.array([0.9, 2.2]))
    assert firm.mobility == 0 and not firm.shaky and "locked" in str(firm)
    shaky = truss(2.0).diagnose({"A": 0.0, "B": np.pi})
    assert shaky.mobility == 0 and shaky.shaky and "shaky" in str(shaky)
    with pytest.raises(da.LoopError, match=r"nothing to simulate.*locked"):
        truss(2.0).simulate(1.0, {"A": 0.0, "B": np.pi})


@pytest.mark.parametrize("speed", [0.0, 1.0])
def test_a_singular_start_is_told_at_rest_or_moving(speed):
    """All links of the 1-four-bar flat on the ground line: parallelogram and antiparallelogram meet."""
    m = n_four_bar(1).mechanism
    flat = dict.fromkeys(m.coordinates, 0.0)
    d = m.diagnose(flat)
    assert d.mobility == 1 and d.rank_here == d.rank - 1 and "pose is singular" in str(d)
    assert "pose is singular" in str(m.inspect(flat))
    with pytest.raises(da.LoopError, match="singular pose"):
        m.simulate(1.0, flat, np.array([speed, speed, -speed]))


def test_grubler_counts_constraints_besides_joints():
    s = da.System("ball on a plane")
    s.add_body("ball", da.sphere(1.0, 0.1))
    s.add_joint("float", da.Free(), "ground", "ball")
    s.add_constraint("floor", da.RollingBall("ball", 0.1))
    d = s.build().diagnose({"float": (1, 0, 0, 0, 0, 0, 0.1)})
    assert (d.grubler, d.mobility) == (3, 3)


@pytest.mark.parametrize("name", LOOPS)
def test_every_reference_loop_can_be_inspected(name):
    m, initial, _, _ = LOOPS[name]()
    i = m.inspect(initial)
    told = json.loads(json.dumps(i.to_dict()))
    assert i.assembled and told["assembled"] and len(told["bodies"]) == m.n_bodies
    assert all(c.name in str(i) for c in m.cuts) and all(j.name in str(i) for j in m.joints)
    redundant = told["diagnosis"]["redundant"] > 0
    assert redundant == any(r["not_unique"] for r in told["reactions"])
    assert redundant == ("Not unique" in str(i))


def test_inspection_agrees_with_what_a_motion_says_of_its_reactions():
    """At the two hinges on the ground, whose axes stay where they are."""
    m, initial, speeds, _ = bricard()
    told = {r.name: r.not_unique for r in m.inspect(initial).reactions}
    motion = m.simulate(0.01, initial, speeds, output=0.01)
    for name, free in (("J1", "torque y"), ("J6", "torque x")):
        assert motion.reaction(name).determined.sum() == 6 - len(told[name]) == 1
        assert free not in told[name]


def test_a_tree_is_inspected_too():
    m, initial, _, _ = flyball_governor()
    i = m.inspect(initial)
    assert i.assembled and "a tree" in i.assembly and "All reactions are unique" in str(i) and i.diagnosis.mobility == 4


def test_the_facade_assembles_and_lists_branches():
    m, initial, _, _ = crank_rocker()
    q, u = m.assemble({"A": initial["A"]}, {"A": 2.0})
    assert q[0] == initial["A"] and u[0] == 2.0
    assert len(m.branches({"A": initial["A"]})) == 2
    assert m.diagnose(initial).mobility == 1


def parallelogram(n: int) -> da.Mechanism:
    """A platform on n equal, parallel links: one freedom whatever n is; flat as it stands."""
    s = da.System("parallelogram", gravity=(0, -9.81, 0))
    s.add_body("platform", da.rod(3.0, 2.0))
    for i in range(n):
        s.add_body(f"link{i}", da.rod(1.0, 0.7))
        s.add_joint(f"g{i}", da.Revolute(), "ground", f"link{i}", at_parent=(0.5 * i, 0, 0))
        s.add_joint(f"p{i}", da.Revolute(), f"link{i}", "platform", at_parent=(0.7, 0, 0), at_child=(0.5 * i, 0, 0))
    return s.build()


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_flat_links_are_singular_not_locked(n):
    m = parallelogram(n)
    d = m.diagnose()
    assert d.mobility == 1 and "singular" in str(d)
    with pytest.raises(da.LoopError, match="singular pose"):
        m.simulate(0.1)
    assert m.diagnose({"g0": 1.0}).mobility == 1


@pytest.mark.parametrize("n", range(2, 10))
def test_flat_links_are_followed_where_they_go(n):
    """Two directions are open to first order, one to second: it is found whatever random direction is tried first."""
    m = parallelogram(n)
    for seed in range(3):
        d = diagnose(m, np.zeros(m.n_u), seed=seed)
        assert d.mobility == 1 and d.rank_here == d.rank - 1 and d.poses > 3


def test_what_was_asked_before_changes_no_answer():
    """Rows found sufficient at a flat pose, or on a branch with more freedoms, are not those of another pose."""
    q, u = np.array([1.0, -1.0, 1.0, 1.0]), np.zeros(4)
    fresh, used = parallelogram(3), parallelogram(3)
    used.forward_dynamics(np.zeros(4), u)
    assert np.allclose(used.forward_dynamics(q, u), fresh.forward_dynamics(q, u), rtol=1e-12)
    with pytest.raises(da.LoopError):
        used.simulate(0.1)
    moved = used.simulate(0.5, {"g0": 1.0})
    assert np.allclose(moved.q[-1], fresh.simulate(0.5, {"g0": 1.0}).q[-1], atol=1e-10)


def test_a_misspelt_joint_is_not_called_a_loop_that_does_not_close():
    with pytest.raises(da.DalembertError, match="no joint or coordinate 'Z'"):
        four_bar(*BARS).inspect({"Z": 1.0})


def test_a_flat_pose_found_by_assembly_is_singular_too():
    """At g0 = π two solutions fall together, so that angles are found to 1e-8 only: the rank must not be taken from that."""
    d = parallelogram(3).diagnose({"g0": np.pi})
    assert d.mobility == 1 and "singular" in str(d)


JOINED = [da.Prismatic((0.6, 0.0, 0.8)), da.Translation(), da.Revolute((0, 0, 1)), da.Universal((1, 0, 0), (0, 1, 0))]


@pytest.mark.parametrize("joint", JOINED)
@pytest.mark.parametrize("seed", range(6))
def test_loops_between_parts_that_move_as_one_say_nothing(joint, seed):
    """Bodies welded to what turns about an axis of the world, and joined once more: what rounding leaves of those rows is no row."""
    rng = np.random.default_rng(seed)
    s = da.System("carried", gravity=(1.0, -9.81, 2.0))
    s.add_body("hub", matter(rng))
    s.add_body("part", matter(rng))
    s.add_joint("shaft", da.Revolute(tuple(np.eye(3)[seed % 3])), "ground", "hub")
    weld, here = (da.Frame(rng.uniform(-1, 1, 3), turn(np.array(unit(rng)), rng.uniform(-3, 3))) for _ in range(2))
    s.add_joint("weld", da.Weld(), "hub", "part", weld)
    q, u = rng.uniform(-3, 3, 1), rng.uniform(-3, 3, 1)
    free = kane.equations(s.build().state(q, u))
    there = da.Frame(weld.rotation.T @ (here.position - weld.position), weld.rotation.T @ here.rotation)
    s.add_joint("again", joint, "hub", "part", here, there)
    m = s.build(cut=["again"])
    assert m.diagnose(q).rank == 0
    e = kane.equations(m.state(q, u))
    for by, solve in METHODS.items():
        assert solve(e).udot == pytest.approx(free.f / free.A[0, 0], rel=1e-11), by
