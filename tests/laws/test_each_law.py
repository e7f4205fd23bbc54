"""Laws one by one, event by event, against closed forms."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

import dalembert as da

from .models import G, shafts, slider, slider_crank, thrown_ball


def test_a_rope_goes_taut():
    """A particle falls beside its anchor; when the rope is taut, the speed along it is lost, that across it is kept."""
    s = da.System("rope", gravity=(0, -G, 0))
    s.add_body("b", mass=2.0, inertia=(1, 1, 1))
    s.add_joint("J", da.Planar(), "ground", "b")
    s.add_law("rope", da.Rope("ground", "b", length=1.0))
    motion = s.build().simulate(0.6, initial={"J.x": 0.6})
    hit, v = motion.impacts[0], math.sqrt(2 * G * 0.8)
    assert hit.t == pytest.approx(math.sqrt(1.6 / G), abs=1e-11)
    assert hit.loss == pytest.approx(0.5 * 2.0 * (0.8 * v) ** 2, rel=1e-10)
    assert np.hypot(*hit.u_after[:2]) == pytest.approx(0.6 * v, rel=1e-10)
    assert motion.modes[0].states == {"rope": "open"} and motion.modes[-1].states == {"rope": "closed"}


def test_friction_falls_with_speed_as_stribeck_says():
    s = slider()
    s.add_law("dry", da.JointFriction("x", force=1.0, static_force=1.6, stribeck=0.4))
    motion = s.build().simulate(3.0, speeds={"x": 2.0})
    v = motion.u[:, 0]
    slides = v > 0.0
    expected = 1.0 + 0.6 * np.exp(-((v / 0.4) ** 2))
    assert -motion.contacts["dry"].friction[slides, 0] == pytest.approx(expected[slides], rel=1e-9)
    assert motion.u[-1, 0] == 0.0


def test_a_coupling_on_one_side_pushes_and_lets_go():
    """A cart runs into another, both go on together, and part where a spring holds the first back."""
    s = da.System("carts")
    for k, mass in enumerate((1.0, 3.0)):
        s.add_body(f"c{k}", mass=mass, inertia=(1, 1, 1))
        s.add_joint(f"x{k}", da.Prismatic((1, 0, 0)), "ground", f"c{k}")
    s.add_force("spring", da.JointSpring("x0", stiffness=4.0, rest=1.0))
    s.add_law("push", da.Limit({"x1": 1.0, "x0": -1.0}, lower=0.0))
    motion = s.build().simulate(4.0, initial={"x0": 0.0, "x1": 0.5})
    assert [x.states["push"] for x in motion.modes] == ["open", "closed", "open"]
    met = math.sqrt(4.0 * (1.0 - 0.25))  # of the first, by the spring's energy
    together = met / 4.0
    parted = math.sqrt(together**2 + 4.0 / 4.0 * 0.25)  # where the spring is at rest
    assert motion.u[-1, 1] == pytest.approx(parted, abs=1e-10)


def test_a_freewheel_drives_and_overruns():
    s = shafts(inertias=(2.0, 1.0))
    s.add_force("drive", da.Motor("S1", lambda state: da.select(state.t < 1.0, 3.0, -3.0)))
    s.add_law("free", da.OneWay("S0", "S1"))
    s.add_event("turns", da.Event(lambda state: state.t - 1.0))
    motion = s.build().simulate(2.0)
    assert motion["S0'"][-1] == pytest.approx(1.0, abs=1e-8)
    assert motion["S1'"][-1] == pytest.approx(1.0 - 3.0, abs=1e-8)


@pytest.mark.parametrize(("part", "jams"), [(1.1, True), (0.9, False)])
def test_a_drawer_jams_by_its_own_couple(part, jams):
    """A force beside a guide of length L jams it where its arm is above L / (2 μ)."""
    arm = part * 0.3 / (2 * 0.25)
    s = da.System("drawer")
    s.add_body("d", mass=1.0, inertia=(1, 1, 1))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "d")
    s.add_force("pull", da.Load(("d", (0, arm, 0)), force=(10.0, 0, 0)))
    s.add_law("guide", da.JointFriction("x", mu=0.25, length=0.3))
    motion = s.build().simulate(0.5)
    assert motion.modes[-1].states == {"guide": "stick" if jams else "slip"}
    assert motion.u[-1, 0] == (0.0 if jams else pytest.approx(0.5 * 10.0 * (1.0 - part), rel=1e-9))


def test_an_event_switches_a_controller():
    """A controller by force until the cart passes 0.3, then another that stops it: switched by one parameter."""
    s = slider()
    a = s.parameter("holds", 0.0)
    s.add_force("push", da.Motor("x", lambda state: (1.0 - a) * 2.0))
    s.add_force("hold", da.JointSpring("x", stiffness=a * 50.0, damping=a * 15.0, rest=0.3))
    s.add_law("end", da.Stop("x", upper=5.0))
    there = da.Event(lambda state: state.q["x"] - 0.3, direction=1, action=da.SetParameter("holds", 1.0))
    motion = s.build().simulate(4.0, events={"there": there})
    assert next(e.t for e in motion.events) == pytest.approx(math.sqrt(0.3), abs=1e-10)
    assert motion["x"][-1] == pytest.approx(0.3, abs=1e-6)


def test_laws_that_contradict_are_told():
    """A driven wall presses a cart against its stop: no motion obeys both."""
    s = da.System("press")
    for name in ("wall", "cart"):
        s.add_body(name, mass=1.0, inertia=(1, 1, 1))
    s.add_joint("w", da.Prismatic((1, 0, 0)), "ground", "wall", prescribed=lambda t: t)
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "cart")
    s.add_law("push", da.Limit({"x": 1.0, "w": -1.0}, lower=0.2))
    s.add_law("stop", da.Stop("x", upper=1.0))
    s.add_law("aside", da.Stop("x", lower=-1.0))
    with pytest.raises(
        da.SimulationError, match=r'at t = 0\.8 s no motion obeys all laws: laws "push", "stop" contradict'
    ):
        s.build().simulate(2.0, initial={"x": 0.5})
    s.add_law("dry", da.JointFriction("x", force=1.0))  # which is not to blame
    with pytest.raises(da.SimulationError, match=r'laws "push", "stop" contradict'):
        s.build().simulate(2.0, initial={"x": 0.5})


def test_a_law_against_a_prescribed_motion_is_told_with_friction_about():
    s = da.System("driven")
    for name in ("wall", "cart"):
        s.add_body(name, mass=1.0, inertia=(1, 1, 1))
    s.add_joint("w", da.Prismatic((1, 0, 0)), "ground", "wall", prescribed=lambda t: t)
    s.add_joint("x", da.Prismatic((1, 0, 0)), "wall", "cart")
    s.add_law("dry", da.JointFriction("x", force=1.0))
    s.add_law("end", da.Limit({"w": 1.0}, upper=0.5))
    with pytest.raises(
        da.SimulationError, match=r'at t = 0\.5 s no motion obeys all laws: law "end" contradicts'
    ) as told:
        s.build().simulate(1.0)
    assert "Painlevé" not in str(told.value)


def test_a_latch_on_what_joints_hold_already_is_told():
    s = da.System("latched")
    s.add_body("cart", mass=1.0, inertia=(1, 1, 1))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "cart")
    s.add_law("pin", da.Latch(a="ground", b="cart"))
    s.add_body("base", mass=1.0, inertia=(1, 1, 1))
    s.add_joint("weld", da.Weld(), "ground", "base")
    s.add_law("idle", da.Latch(a="ground", b="base"))
    m = s.build()
    told = m.inspect().laws
    assert "2 of which the joints hold already" in told["pin"] and "it does nothing" in told["idle"]
    motion = m.simulate(1.0, speeds={"x": 1.0})
    assert np.abs(motion["x"]).max() < 1e-12 and np.isfinite(motion.contacts["idle"].hold).all()


def test_laws_are_columns_of_a_table(tmp_path):
    motion = thrown_ball().build().simulate(6.0, {"J.y": 1.0}, {"J.x": 10.0}, output=0.5)
    motion.save(tmp_path / "ball.csv")
    with open(tmp_path / "ball.csv", newline="") as file:
        head, *lines = csv.reader(file)
    columns = {name.partition(" ")[0]: values for name, values in zip(head, np.array(lines, dtype=float).T)}
    assert np.array_equal(columns["floor.normal"], motion.contacts["floor"].normal[:, 0])
    assert columns["floor.state"][-1] == 3.0 and columns["floor.loss"][-1] == pytest.approx(50.0 + 9.81)


def beam(free: bool, restitution: float, modes: int) -> da.Mechanism:
    """A beam of 1 m on a slide, or clamped, whose tip may touch the floor."""
    s = da.System("beam", gravity=(0, 0, -G))
    made = da.beam(1.0, E=7e10, rho=2700.0, A=1e-3, Iy=2e-8, Iz=3e-8, modes={"z": modes}, elements=10)
    s.add_body("b", elastic=made)
    s.add_joint("J", da.Prismatic((0, 0, 1)), "ground", "b", prescribed=None if free else 0.0)
    s.add_law("tip", da.Contact(("b", "tip"), restitution=restitution))
    return s.build()


def test_contact_at_a_node_of_a_beam():
    """The tip of a beam that falls hits the floor: the node bounces by the impulse that its row and the mass matrix give, the beam
    bends and swings, and energy is balanced."""
    m = beam(True, 0.2, 2)
    motion = m.simulate(0.25, initial={"J": 0.1})
    assert motion.contacts["tip"].gap.min() > -1e-12
    assert np.ptp(motion.energy().balance) < 1e-7
    h = motion.history
    for k in range(3):
        q, before, after = h.impact_q[k], h.impact_u_before[k], h.impact_u_after[k]
        n = np.asarray(m.state(q).jacobian(("b", "tip"))[1], dtype=float)[2]
        give = np.linalg.solve(m.mass_matrix(q), n)
        assert n @ before < 0.0
        assert after == pytest.approx(before - 1.2 * (n @ before) / (n @ give) * give, abs=1e-11)


def test_a_clamped_beam_is_propped_by_its_contact():
    """Of its weight w per length, 3/8 w L rests on the prop under its tip."""
    m = beam(False, 0.0, 6)
    rest = m.equilibrium()
    assert "tip closed" in str(rest)
    assert m.laws_at(rest.q, np.zeros(m.n_u))["tip"].normal[0] == pytest.approx(0.375 * 2.7 * G, rel=2e-4)


FADING = {
    "joint_friction": lambda fades: da.JointFriction("x", force=fades),
    "brake": lambda fades: da.Brake("x", torque=fades),
    "clutch": lambda fades: da.Clutch("x", capacity=fades),
}


@pytest.mark.parametrize("kind", FADING)
@pytest.mark.parametrize("march", [{}, {"method": "moreau", "step": 1e-3}])
def test_friction_that_fades_below_nothing_is_none(kind, march):
    """A function of the state that falls below 0 does not drive: v = v₀ − (t − t²) until t = ½, then it goes on."""
    s = slider()
    s.add_law("dry", FADING[kind](lambda state: 1.0 - 2.0 * state.t))
    motion = s.build().simulate(1.5, speeds={"x": 3.0}, **march)
    assert motion.u[-1, 0] == pytest.approx(2.75, abs=1e-5)
    assert np.diff(motion.energy().lost).min() > -1e-12
    assert motion.energy().lost[-1] == pytest.approx(0.5 * (9 - 2.75**2), abs=1e-4)


def test_an_event_sets_no_friction_below_nothing():
    s = slider(x=1.0)
    s.add_law("dry", da.JointFriction("x", force=s.parameter("F", 0.5)))
    wrong = da.Event(lambda state: state.t - 0.3, action=da.SetParameter("F", -0.5))
    with pytest.raises(da.DalembertError, match="negative"):
        s.build().simulate(1.0, events={"wrong": wrong})


@pytest.mark.parametrize("restitution", ["newton", "poisson", "stronge"])
def test_a_table_that_moves_gives_the_energy_of_its_blows(restitution):
    """A ball on a table that swings: what the table supplies, in impacts too, is what the ball has and has lost."""
    s = da.System("table", gravity=(0, 0, -G))
    s.add_body("t")
    s.add_body("b", mass=1.0, inertia=(1.0, 1.0, 1.0))
    s.add_joint("T", da.Prismatic((0, 0, 1)), "ground", "t", prescribed=lambda t: 0.01 * da.sin(30.0 * t))
    s.add_joint("J", da.Free(), "ground", "b")
    s.add_law("c", da.Contact("b", "t", restitution=0.6, mu=0.3))
    motion = s.build().simulate(0.7, {"J.z": 0.05}, {"J.vx": 0.1}, restitution=restitution)
    assert len(motion.impacts) > 3 and np.ptp(motion.energy().supplied) > 0.01
    assert np.ptp(motion.energy().balance) < 1e-9


@pytest.mark.parametrize("field", ["mu", "force"])
def test_friction_whose_parameter_is_zero_is_none(field):
    """A coefficient that is a parameter may be put to zero: the motion is that without friction."""
    s = da.System("rod", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod")
    x = s.parameter("x", 0.1)
    law = da.JointFriction("A", mu=x, radius=0.02) if field == "mu" else da.JointFriction("A", force=x)
    s.add_law("dry", law)
    m = s.build()
    without = m.without_laws().simulate(0.5, initial={"A": 0.3})
    found = m.simulate(0.5, initial={"A": 0.3}, parameters={"x": 0.0})
    assert abs(found.q[-1, 0] - without.q[-1, 0]) < 1e-9 and found.energy().lost[-1] == 0.0
    assert abs(m.simulate(0.5, initial={"A": 0.3}).q[-1, 0] - without.q[-1, 0]) > 1e-3


@pytest.mark.parametrize("how", [{}, {"method": "moreau", "step": 1e-3}], ids=["events", "steps"])
def test_an_oil_film_slows_a_contact_by_its_speed(how):
    """2 kg on a film of 3 N s/m: the speed falls as exp(−1.5 t); nothing sticks without dry friction."""
    s = da.System("puck", gravity=(0, 0, -G))
    s.add_body("b", mass=2.0, inertia=(1, 1, 1))
    s.add_joint("J", da.Free(), "ground", "b")
    s.add_law("floor", da.Contact("b", viscous=3.0))
    motion = s.build().simulate(1.0, {"J.z": 0.0}, {"J.vx": 1.0, "J.vy": 2.0}, **how)
    assert motion.u[-1, 3:5] == pytest.approx(np.array([1.0, 2.0]) * math.exp(-1.5), rel=1e-9 if not how else 1e-5)
    assert np.ptp(motion.energy().balance) < 1e-10
    with pytest.raises(da.ModelError, match="viscous"):
        da.Contact("b", viscous=-1.0)


@pytest.mark.parametrize("short", [0.0, 1e-9, 1e-6])
def test_a_stop_met_at_a_dead_centre(short):
    """The slider's stop is where crank and rod are in line, or just before: the slider is next to at rest there, its row depends on the
    loop, and the crank goes on or comes back."""
    s = slider_crank(mu=0.0, restitution=0.5)
    s.laws.clear()
    s.add_law("end", da.Stop("guide", upper=1.1 - short, restitution=0.5))
    motion = s.build().simulate(0.6, {"O": -1.0}, {"O": 12.0})
    assert motion.contacts["end"].gap.min() > -1e-12 and np.isfinite(motion.u).all()
    assert np.ptp(motion.energy().balance) < 2e-6  # the stop's row is 3e-5 of its usual size there
