"""From a description to a numbered mechanism: the same for any order of saying it, loops cut and named."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.formulations.tree import kane
from tests.effort import examples
from tests.mechanisms import planar_pendulum, random_state, random_tree, seeds
from tests.system.wrong import refused


def four_bar() -> da.System:
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 1.0), ("coupler", 2.0), ("rocker", 2.0)):
        s.add_body(name, da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2, 0, 0), at_child=(2, 0, 0))
    s.add_joint("D", da.Revolute(), "rocker", "ground", at_child=(2, 0, 0))
    return s


def ring(n: int) -> da.System:
    """n bodies and the ground in one loop of hinges with axes turning by a right angle each, as in Bricard's linkage."""
    s = da.System("ring")
    names = ["ground", *(f"link{i}" for i in range(1, n + 1))]
    for name in names[1:]:
        s.add_body(name, da.rod(1.0, 1.0))
    for i, (a, b) in enumerate(zip(names, [*names[1:], "ground"])):
        s.add_joint(f"J{i}", da.Revolute([(1, 0, 0), (0, 1, 0)][i % 2]), a, b, at_parent=(1, 0, 0))
    return s


def stewart() -> da.System:
    """Six legs, each universal–prismatic–spherical, between the ground and a platform."""
    s = da.System("Stewart platform")
    s.add_body("platform", da.cylinder(5.0, 1.0, 0.1))
    for i in range(6):
        s.add_body(f"lower{i}", da.rod(1.0, 1.0, axis=(0, 0, 1)))
        s.add_body(f"upper{i}", da.rod(1.0, 1.0, axis=(0, 0, 1)))
        at = (np.cos(i), np.sin(i), 0.0)
        s.add_joint(f"U{i}", da.Universal(), "ground", f"lower{i}", at_parent=at)
        s.add_joint(f"P{i}", da.Prismatic((0, 0, 1)), f"lower{i}", f"upper{i}")
        s.add_joint(f"S{i}", da.Spherical(), f"upper{i}", "platform", at_parent=(0, 0, 1), at_child=at)
    return s


def test_grueblers_count():
    """A planar four-bar denied in space, Bricard's 6R ring just rigid, Stewart's platform free six ways."""
    assert four_bar().build().grubler == -2
    assert ring(5).build().grubler == 0
    assert stewart().build().grubler == 6
    assert planar_pendulum(4).build().grubler == 4


def test_mobility_is_what_moves():
    """Redundant rows take no freedom, whatever Grübler counts."""
    assert four_bar().build().mobility == 1
    assert stewart().build().mobility == 6
    assert planar_pendulum(4).build().mobility == 4
    with pytest.raises(da.DalembertError, match=r'"J\d".*without moving any mass'):
        _ = ring(5).build().mobility  # rods hinged about themselves


def test_prescribed_freedoms_are_not_counted():
    s = da.System()
    s.add_external("cart", position=lambda t: (da.sin(t), 0, 0))
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("hinge", da.Planar(), "cart", "rod", prescribed={"x": lambda t: 0.1 * t})
    m = s.build()
    assert m.mobility == m.grubler == m.n_u == 2
    assert m.coordinates == m.speeds == ("hinge.y", "hinge.angle")


def test_a_loop_is_cut_where_the_tree_stays_shallow():
    m = four_bar().build()
    assert m.parent == (0, 1, 0)
    assert [c.name for c in m.cuts] == ["C"]
    assert m.loops == (("coupler", "crank", "ground", "rocker"),)


@pytest.mark.parametrize("joint", list("ABCD"))
def test_any_joint_of_the_loop_can_be_cut_instead(joint):
    m = four_bar().build(cut=[joint])
    assert [c.name for c in m.cuts] == [joint]
    assert set(m.loops[0]) == {"ground", "crank", "coupler", "rocker"}
    assert m.grubler == -2 and m.n_u == 3


def test_stewarts_loops_go_through_two_legs_each():
    m = stewart().build()
    assert len(m.cuts) == 5 and len(m.loops) == 5
    for loop in m.loops:
        assert {"ground", "platform"} < set(loop)
        assert len(loop) == 6
    assert m.n_bodies == 13


def test_cut_joints_keep_the_users_direction():
    m = four_bar().build(cut=["D"])
    (cut,) = m.cuts
    assert (cut.parent, cut.child) == (m.number_of["rocker"], 0)


def test_a_joint_that_closes_a_loop_has_no_coordinates():
    m = four_bar().build(cut=["C"])
    with refused('joint "C"', "closes a loop", "cut another joint"):
        m.state().q["C"]


def test_names_of_coordinates_and_speeds():
    s = da.System()
    for i, joint in enumerate([da.Revolute(), da.Cylindrical(), da.Spherical(), da.General()]):
        s.add_body(f"b{i}", da.box(1.0, (1, 2, 3)))
        s.add_joint(f"j{i}", joint, "ground", f"b{i}")
    m = s.build()
    assert m.coordinates == (
        *("j0", "j1.angle", "j1.slide", "j2.e0", "j2.e1", "j2.e2", "j2.e3"),
        *("j3.a1", "j3.a2", "j3.a3", "j3.x", "j3.y", "j3.z"),
    )
    assert m.speeds == (
        *("j0", "j1.angle", "j1.slide", "j2.wx", "j2.wy", "j2.wz"),
        *("j3.wx", "j3.wy", "j3.wz", "j3.vx", "j3.vy", "j3.vz"),
    )
    assert (m.n_q, m.n_u) == (13, 12)
    assert m.reference.tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.integers(2, 8))
def test_the_order_of_saying_it_does_not_matter(seed, n):
    """Shuffle bodies, joints and forces: the same accelerations by name, at the same named state."""
    rng = np.random.default_rng(seed)
    one = random_tree(rng, n, prescribed=True)
    other = da.System(one.name, one.gravity)
    for kind in ("bodies", "joints", "forces"):
        parts = getattr(one, kind)
        getattr(other, kind).update({k: parts[k] for k in rng.permutation(list(parts))})
    a, b = one.build(), other.build()
    q, u, t = random_state(a, rng)
    named_q, named_u = dict(zip(a.coordinates, q)), dict(zip(a.speeds, u))
    sa, sb = a.state(q, u, t), b.state([named_q[c] for c in b.coordinates], [named_u[c] for c in b.speeds], t)
    for body in one.bodies:
        assert np.allclose(sa.position(body), sb.position(body), rtol=1e-12, atol=1e-12)
        assert np.allclose(sa.rotation(body), sb.rotation(body), rtol=1e-12, atol=1e-12)
    ea, eb = kane.equations(sa), kane.equations(sb)
    places = [a.speeds.index(c) for c in b.speeds]
    assert np.allclose(ea.A[np.ix_(places, places)], eb.A, rtol=1e-10, atol=1e-10)
    assert np.allclose(ea.f[places], eb.f, rtol=1e-10, atol=1e-10)


def test_a_regular_order_is_kept():
    m = planar_pendulum(5).build()
    assert [b.name for b in m.bodies] == [f"link{i}" for i in range(1, 6)]
    assert m.parent == (0, 1, 2, 3, 4)


def test_a_joint_said_from_child_to_parent_gives_the_same_motion():
    """Its coordinates still describe what the user said: child relative to parent."""

    def built(turned: bool) -> da.Mechanism:
        s = da.System(gravity=(0, -9.81, 0))
        s.add_body("rod", da.rod(1.0, 1.0))
        ends = ("rod", "ground") if turned else ("ground", "rod")
        s.add_joint("A", da.Revolute(), *ends)
        return s.build()

    straight, turned = built(False).state([0.3], [0.5]), built(True).state([-0.3], [-0.5])
    assert np.allclose(straight.rotation("rod"), turned.rotation("rod"))
    assert np.allclose(straight.angular_velocity("rod"), turned.angular_velocity("rod"))


def test_named_frames_are_the_places_they_name():
    def built(by_name: bool) -> da.Mechanism:
        R = da.turn(np.array([1.0, 0.0, 0.0]), 0.4)
        s = da.System()
        s.add_body("rod", da.rod(1.0, 1.0))
        s.add_frame("hook", "ground", (1, 2, 3), R)
        s.add_frame("eye", "rod", (0.5, 0, 0))
        places = ("hook", "eye") if by_name else (da.Frame((1, 2, 3), R), (0.5, 0, 0))
        s.add_joint("A", da.Revolute(), "ground", "rod", *places)
        return s.build()

    one, two = (built(x).state([0.7]) for x in (True, False))
    assert np.array_equal(one.position("rod"), two.position("rod"))
    assert np.allclose(one.position(("rod", (0.5, 0, 0))), (1, 2, 3))


def test_parameters_take_new_values():
    m = planar_pendulum(2).build()
    heavier = m.with_parameters(m2=10.0)
    assert heavier.parameters["m2"] == 10.0 and m.parameters["m2"] == 1.2
    assert heavier.numeric.bodies[1].mass == 10.0
    assert m.numeric.bodies[1].mass == 1.2
    e, f = (kane.equations(x.state([0.1, 0.2])) for x in (m, heavier))
    assert f.A[1, 1] > e.A[1, 1]


def test_numeric_puts_numbers_for_all_names():
    m = planar_pendulum(3).build()
    assert m.numeric is m.numeric
    for body in m.numeric.bodies:
        assert type(body.mass) is float and body.inertia.dtype == float and body.com.dtype == float
    for joint in m.numeric.joints:
        assert joint.on_parent.position.dtype == float
    plain = four_bar().build()
    assert plain.numeric is plain


def test_a_mechanism_cannot_be_changed():
    s = four_bar()
    m = s.build()
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.name = "other"
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.bodies[0].mass = 2.0
    for change in (
        lambda: m.gravity.__setitem__(0, 1.0),
        lambda: m.bodies[0].com.__setitem__(0, 1.0),
        lambda: m.bodies[0].inertia.__setitem__((0, 0), 1.0),
        lambda: m.joints[0].on_parent.position.__setitem__(0, 1.0),
        lambda: m.parameters.__setitem__("g", 1.0),
        lambda: m.forces.__setitem__("new", da.Load("crank")),
        lambda: m.reference.__setitem__(0, 1.0),
        lambda: m.number_of.__setitem__("crank", 3),
    ):
        with pytest.raises((ValueError, TypeError, AttributeError)):
            change()


def test_changing_the_system_later_leaves_the_mechanism_alone():
    s = four_bar()
    m = s.build()
    s.add_body("late", da.particle(1.0))
    s.add_force("late", da.Load("crank", force=(1, 0, 0)))
    s.parameter("late", 1.0)
    assert m.n_bodies == 3 and not m.forces and not m.parameters
