"""Single states under laws: accelerations as in a run, refusals in words, loads of friction that are unique or not."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .models import G, block, cranks, free_body, on_left_corner, pendulum, slider, thrown_ball
from .random_laws import random_system


@pytest.mark.parametrize(("loops", "seed"), [(0, 3), (1, 100)])
def test_accelerations_of_states_are_those_of_the_run(loops, seed):
    s, q, u = random_system(np.random.default_rng(seed), loops)
    m = s.build()
    motion = m.simulate(0.3, q, u, max_events=2000, output=0.02)
    own = m.forward_dynamics(motion.q, motion.u, None, motion.t)
    assert own == pytest.approx(motion.udot(), abs=1e-8 * max(1.0, np.abs(own).max()))


def test_a_law_is_felt_in_a_single_state():
    m = pendulum(upper=0.3).build()
    pushed = np.array([100.0])
    assert m.forward_dynamics([0.3], [0.0], pushed) == pytest.approx([0.0], abs=1e-12)  # the stop bears it
    assert m.laws_at([0.3], [0.0], pushed)["stop"].state == ("closed",)
    assert m.forward_dynamics([0.3], [0.0])[0] == pytest.approx(-1.5 * G * math.sin(0.3), abs=1e-12)  # it falls off
    assert m.solve([0.3], [0.0], pushed).udot == pytest.approx([0.0], abs=1e-12)
    free = m.without_laws().forward_dynamics([0.3], [0.0], pushed)
    assert free[0] == pytest.approx(300.0 - 1.5 * G * math.sin(0.3), rel=1e-12)
    assert m.smooth_dynamics([0.3], [0.0], pushed) == pytest.approx(free, rel=1e-14)


def test_states_without_accelerations_are_refused():
    m = pendulum(upper=0.3).build()
    with pytest.raises(da.StateError, match='"stop" touches and approaches'):
        m.forward_dynamics([0.3], [1.0])
    with pytest.raises(da.StateError, match='"stop" is violated in this state'):
        m.solve([0.5], [0.0])
    s = slider()
    s.add_law("pin", da.Latch("x"))
    with pytest.raises(da.StateError, match="holds what moves"):
        s.build().forward_dynamics([0.0], [1.0])


def test_forces_of_a_state():
    m = free_body(mu=0.3).build()
    q = m.reference
    found = m.laws_at(q, None, np.array([0, 0, 0, 2.0, 0, 0]))
    assert found["floor"].state == ("stick",) and found.determined
    assert found["floor"].normal == pytest.approx([G], abs=1e-12)
    assert np.linalg.norm(found["floor"].friction) == pytest.approx(2.0, abs=1e-12)
    assert str(found) == "floor stick"
    m = block().build()
    q, _ = m.assemble(on_left_corner(0.0))
    standing = m.laws_at(q)
    assert not standing.determined and np.abs(standing.udot).max() < 1e-12
    assert standing["left"].normal[0] + standing["right"].normal[0] == pytest.approx(G, abs=1e-11)
    with pytest.raises(da.ModelError, match="has no laws"):
        m.without_laws().laws_at(q)


def test_what_does_not_know_laws_refuses_them():
    m = thrown_ball().build()
    q, u = m.reference, np.zeros(3)
    for ask in (m.forward_dynamics_derivatives, lambda q, u: m.inverse_dynamics_derivatives(q, u, u)):
        with pytest.raises(da.ModelError, match="does not take laws into account"):
            ask(q, u)


def press(offset: float = 0.0, tilt: float = 0.0) -> da.System:
    """A planar press in space, friction by what its guide transmits; pins `offset` beside the plane of its loads, the guide's axes
    turned about it."""
    s = da.System("press", gravity=(0, -G, 0))
    s.add_body("crank", da.rod(mass=1.0, length=0.1))
    s.add_body("rod", da.rod(mass=1.5, length=0.4))
    s.add_body("ram", da.box(mass=5.0, size=(0.1, 0.2, 0.1)))
    s.add_joint("shaft", da.Revolute(), "ground", "crank")
    s.add_joint("pin", da.Revolute(), "crank", "rod", at_parent=(0.1, 0, offset))
    turned = da.turn((0, 1, 0), tilt)
    s.add_joint("wrist", da.Revolute(), "rod", "ram", at_parent=(0.4, 0, offset))
    guide = da.Frame((0, 0, 2 * offset), turned)
    s.add_joint(
        "guide", da.Prismatic((0, 1, 0)), "ground", "ram", at_parent=guide, at_child=da.Frame((0, 0, 0), turned)
    )
    s.add_force("motor", da.Motor("shaft", lambda state: 20.0 - state.u["shaft"]))
    s.add_law("dry", da.JointFriction("guide", mu=0.1))
    return s


@pytest.mark.parametrize("cut", ["guide", "pin", "wrist"])
@pytest.mark.parametrize("tilt", [0.0, 0.7])
def test_a_planar_press_has_one_friction_whatever_rows_are_redundant(cut, tilt):
    """Its redundant rows bear nothing, as long as all loads lie in its plane; whichever joint closes it, and however its axes lie."""
    rod = -math.acos(-0.1 * math.cos(1.0) / 0.4)
    drop = -0.1 * math.sin(1.0) + 0.4 * math.sin(rod)
    every = {"shaft": -1.0, "pin": rod + 1.0, "wrist": -rod, "guide": drop}
    start = {name: x for name, x in every.items() if name != cut}
    if (cut, tilt) == ("guide", 0.7):
        with pytest.raises(da.SimulationError, match="at another joint"):
            press(tilt=tilt).build(cut=[cut]).simulate(0.1, start)
        return
    motion = press(tilt=tilt).build(cut=[cut]).simulate(0.1, start)
    usual = press().build(cut=["wrist"]).simulate(0.1, {name: x for name, x in every.items() if name != "wrist"})
    assert motion["shaft"][-1] == pytest.approx(usual["shaft"][-1], abs=1e-9)
    without = press()
    without.laws.clear()
    free = without.build(cut=["wrist"]).simulate(0.1, {name: x for name, x in every.items() if name != "wrist"})
    assert usual["shaft"][-1] < free["shaft"][-1] - 1e-3


def test_a_press_with_its_pins_beside_the_plane_shares_its_load_by_stiffness():
    with pytest.raises(da.SimulationError, match='"guide" transmits is not unique'):
        press(offset=0.05).build().simulate(0.1, {"shaft": -1.0})
    m = cranks(da.JointFriction("A0", mu=0.1, radius=0.02)).build()
    q, u = m.assemble({"A0": 1.0})
    with pytest.raises(da.StateError, match='"A0" transmits is not unique'):
        m.forward_dynamics(q, u)


@pytest.mark.parametrize("options", [{}, {"method": "moreau", "step": 1e-3}], ids=["from event to event", "in steps"])
def test_a_load_that_is_not_unique_later_is_refused_too(options):
    """Across the plane of the press a force comes at half time: how its redundant rows share that, nobody knows."""
    start = {"shaft": -1.0}
    s = press()
    s.add_force("across", da.Load("ram", force=lambda state: (0.0, 0.0, 50.0 * da.maximum(state.t - 0.05, 0.0))))
    with pytest.raises(
        da.SimulationError, match=r'at t = 0.0.*though not at the start: .*"guide" transmits is not unique'
    ) as e:
        s.build().simulate(0.1, start, **options)
    assert len(e.value.motion) > 10
    s.build().simulate(0.04, start, **options)


def test_viscous_friction_takes_part_in_what_follows_an_event():
    """A cart is pulled beyond its grip, but for a load that drags on it while it slides: it sticks as long as the load is fast."""
    s = da.System("cart")
    for name, parent in (("cart", "ground"), ("load", "cart")):
        s.add_body(name, mass=1.0, inertia=(1.0, 1.0, 1.0))
        s.add_joint(name, da.Prismatic((1, 0, 0)), parent, name)
    s.add_force("pull", da.Motor("cart", -3.0))
    s.add_law("grip", da.JointFriction("cart", force=2.0))
    s.add_law("drag", da.JointFriction("load", viscous=1.0))
    m = s.build()
    assert m.laws_at([0, 0], [0, 2.0])["grip"].state == ("stick",)
    motion = m.simulate(2.0, speeds={"load": 2.0})
    assert motion.modes[0].states["grip"] == "stick"
    assert motion.modes[1].t == pytest.approx(math.log(2.0), abs=1e-10)  # where 2 exp(−t) = 1
    assert np.ptp(motion.energy().balance + 3.0 * motion["cart"]) < 1e-9


def test_friction_under_a_load_that_redundant_laws_share_is_told():
    """A bar on a slide, whose friction is by the slide's own force; two props bear the bar beside it, one of them for nothing."""
    s = da.System("bar", gravity=(0, 0, -G))
    s.add_body("bar", da.rod(mass=1.0, length=1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "bar")
    s.add_law("prop", da.Contact(("bar", (0.5, 0, 0)), normal=(0, 0, 1)))
    s.add_law("dry", da.JointFriction("x", mu=0.2))
    with pytest.warns(da.SimulationWarning, match='presses on law "dry" is not unique'):
        s.build().simulate(0.1, speeds={"x": 1.0})


def test_whether_friction_has_a_load_does_not_hang_on_what_was_asked_before():
    """A planar linkage in space bears nothing across its plane, as long as no force goes there."""
    s = da.System("four-bar")
    s.gravity = np.array([0.0, -9.81, s.parameter("across", 0.0)], dtype=object)
    for name, length in (("crank", 0.4), ("coupler", 1.0), ("rocker", 0.9)):
        s.add_body(name, da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(1, 0, 0), at_child=(0.9, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1, 0, 0))
    s.add_law("worn", da.JointFriction("B", mu=0.2, radius=0.01, ring=0.02))
    m = s.build()
    q, u = m.assemble({"A": 1.0}, {"A": 1.0})
    for across in (0.0, 1.0, 0.0, 1.0):
        if across:
            with pytest.raises(da.StateError, match="not unique"):
                m.laws_at(q, u, parameters={"across": across})
        else:
            assert m.laws_at(q, u, parameters={"across": across})["worn"].state == ("slip",)
