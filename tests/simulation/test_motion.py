"""What a `Motion` tells: quantities on demand, labels, files; and what it is made from."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.kinematics import totals
from dalembert.kinematics.loads import generalized, loads
from tests.mechanisms import random_state, random_tree
from tests.simulation.free_bodies import imbalance
from tests.simulation.models import TOP_SPEEDS, chain, heavy_top, oscillator, pendulum


def random_motion(seed: int, n: int = 5, **kinds):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, **kinds).build()
    q, u, _ = random_state(m, rng)
    return m, m.simulate(0.2, q, u, output=0.05)


@pytest.mark.parametrize("seed", range(4))
def test_joint_reactions_balance_every_body(seed):
    """Newton and Euler for each body alone: the joint that carries it, the joints it carries, and the forces applied to it."""
    _, motion = random_motion(seed, prescribed=seed % 2 == 1)
    assert imbalance(motion.samples, list(range(len(motion)))) < 1e-9


def test_a_joint_transmits_along_its_freedoms_only_what_acts_in_it():
    """Projected on the motion of a joint, its reaction is the motor's and spring's force there: nothing for a smooth joint."""
    m, motion = random_motion(7)
    s0 = m.state(motion.q[2], motion.u[2], motion.t[2])
    assert generalized(s0, loads(s0)).shape == (m.n_u,)
    joint_loads = loads(s0).joint
    for j, own, turned in zip(m.joints, joint_loads, m.tree.reversed):
        if turned or not j.joint.n_u:
            continue
        k = m.joint_number[j.name] - 1
        w = motion.reaction(j.name, axes="child")
        q = s0.joint_q[k]
        R = np.asarray(j.joint.rotation(q), dtype=float)
        power = j.joint.turning(q).T @ w.torque[2] + (R.T @ j.joint.sliding(q)).T @ w.force[2]
        np.testing.assert_allclose(power.astype(float), own.astype(float), atol=1e-8 * (1 + abs(w.force[2]).max()))


def test_a_hanging_pendulum_pulls_with_its_weight_in_any_stated_frame():
    m = pendulum()
    motion = m.simulate(0.1, {"A": -np.pi / 2})
    np.testing.assert_allclose(motion.reaction("A").force[-1], (0, 9.81, 0), atol=1e-12)
    np.testing.assert_allclose(motion.reaction("A", axes="child").force[-1], (-9.81, 0, 0), atol=1e-12)
    np.testing.assert_allclose(motion.reaction("A", axes="parent").force[-1], (0, 9.81, 0), atol=1e-12)
    with pytest.raises(da.ModelError, match="no joint or constraint 'B'"):
        motion.reaction("B")
    with pytest.raises(da.SimulationError, match="axes='bob'"):
        motion.reaction("A", axes="bob")


def test_angular_momentum_about_the_mass_centre_is_kept_in_free_fall():
    """H about the mass centre is H about a point, less what the mass centre's own motion has there."""
    m, _ = random_motion(3, floating=True)
    q, u, _ = random_state(m, np.random.default_rng(2))
    free = replace(m, gravity=np.array([0.0, -9.81, 0.0]), forces={})
    motion = free.simulate(0.5, q, u, output=0.1, rtol=1e-10)
    own, about = motion.momentum(about="mass centre"), motion.momentum()
    centre = motion.evaluate(totals.mass_centre)
    np.testing.assert_allclose(own.angular, about.angular - np.cross(centre, about.linear), atol=1e-12)
    np.testing.assert_allclose(own.angular, np.broadcast_to(own.angular[0], own.angular.shape), atol=1e-8)
    with pytest.raises(da.DalembertError, match='a point of three numbers, or "mass centre"'):
        motion.momentum(about="centre")


def test_quantities_are_those_of_single_states():
    m, motion = random_motion(3, floating=True)
    bodies, energy, momentum = motion.body_motion(), motion.energy(), motion.momentum((0.1, 0.2, 0.3))
    for k, (t, q, u) in enumerate(zip(motion.t, motion.q, motion.u)):
        s = m.state(q, u, t)
        for b, body in enumerate(m.bodies):
            np.testing.assert_allclose(bodies.position[k, b], s.position(body.name), atol=1e-12)
            np.testing.assert_allclose(motion.pose(body.name).rotation[k], s.rotation(body.name), atol=1e-12)
        assert energy.kinetic[k] == pytest.approx(totals.kinetic_energy(s), rel=1e-12)
        np.testing.assert_allclose(
            momentum.angular[k], totals.angular_momentum(s, np.array([0.1, 0.2, 0.3])), atol=1e-10
        )
        point = (m.bodies[-1].name, (1, 2, 3))
        np.testing.assert_allclose(motion.velocity(point)[k], s.velocity(point), atol=1e-12)
        np.testing.assert_allclose(motion.angular_velocity(point[0])[k], s.angular_velocity(point[0]), atol=1e-12)
        udot = m.forward_dynamics(q, u, t=t)
        np.testing.assert_allclose(motion.acceleration(point).linear[k], s.acceleration(point, udot), atol=1e-9)
        assert motion.evaluate(lambda s: s.t * 2)[k] == 2 * t
        assert motion.evaluate(lambda s: float(s.t) * 2)[k] == 2 * t  # a plain function works too, sample by sample


def test_a_motion_cannot_be_changed():
    motion = pendulum().simulate(0.1)
    with pytest.raises(ValueError, match="read-only"):
        motion.q[0, 0] = 1.0
    with pytest.raises(AttributeError):
        motion.t = np.zeros(3)
    with pytest.raises(TypeError):
        motion.record["model"] = "other"


def test_given_and_computed_initial_values_options_and_version_are_recorded():
    motion = oscillator().simulate(1.0, {"x": 0.5}, parameters={"k": 4.0}, rtol=1e-8)
    record = motion.record
    assert record["given"] == {"initial": {"x": 0.5}, "speeds": None}
    assert record["computed"] == {"initial": {"x": 0.5}, "speeds": {"x": 0.0}}
    assert record["parameters"] == {"k": 4.0} and record["options"]["rtol"] == 1e-8
    assert record["version"] == da.__version__ and record["model"] == "oscillator"
    assert motion["x"][-1] == pytest.approx(0.5 * np.cos(2.0), abs=1e-7)
    json.dumps(dict(record))


@pytest.mark.parametrize(
    "initial, speeds, said",
    [
        ({"B": 1.0}, None, "no joint or coordinate 'B'"),
        ({"A": (1, 2)}, None, 'joint "A" has 1 value,'),
        ({"A": "up"}, None, 'joint "A" must be 1 number,'),
        ({"A": float("nan")}, None, "not finite"),
        (None, {"A.rate": 1.0}, "no joint or speed"),
        ([1.0, 2.0], None, "initial, given as a whole, must be 1 number"),
    ],
)
def test_wrong_initial_values_name_the_joint(initial, speeds, said):
    with pytest.raises(da.StateError, match=said):
        pendulum().simulate(1.0, initial, speeds)


def test_initial_values_by_joint_by_coordinate_and_all_at_once():
    m = heavy_top()
    turned = (np.cos(0.1), 0.0, np.sin(0.1), 0.0)
    for initial in ({"O": turned}, {"O.e0": turned[0], "O.e2": turned[2]}, turned):
        np.testing.assert_array_equal(m.simulate(0.01, initial, output=[0.0]).q[0], turned)
    with pytest.raises(da.StateError, match="Euler parameters have length"):
        m.simulate(1.0, {"O": (1, 1, 0, 0)})
    s = da.System("driven")
    s.add_body("b", da.rod(1.0, 1.0))
    s.add_body("c", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "b", prescribed=lambda t: t)
    s.add_joint("B", da.Revolute((0, 0, 1)), "b", "c")
    with pytest.raises(da.StateError, match="prescribed motion"):
        s.build().simulate(1.0, {"A": 1.0})


@pytest.mark.parametrize(
    "options, said",
    [
        ({"method": "euler"}, "choose one of 'dop853'"),
        ({"method": "midpoint"}, "give it with step="),
        ({"method": "dop853", "step": 0.1}, "leave out step"),
        ({"step": 0.1, "rtol": 1e-6}, "no tolerances"),
        ({"step": -1.0}, "must be a positive number"),
        ({"rtol": 1e-20}, "below what double precision"),
        ({"atol": [1.0, 2.0, 3.0]}, "one for each of the 2"),
        ({"output": [0.5, 0.2]}, "increasing"),
        ({"output": [0.5, 2.0]}, "between 0 and 1 s"),
        ({"parameters": {"k": 1.0}}, "no parameter 'k'"),
    ],
)
def test_wrong_options_are_sentences(options, said):
    with pytest.raises(da.DalembertError, match=said):
        pendulum().simulate(1.0, **options)


def test_output_times():
    m = pendulum()
    assert len(m.simulate(1.0)) == 201
    np.testing.assert_allclose(m.simulate(1.0, output=0.25).t, [0, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_allclose(m.simulate(1.0, output=0.3).t, [0, 0.3, 0.6, 0.9, 1.0])
    np.testing.assert_allclose(m.simulate(1.0, output=0.25, start=2.0).t, [2, 2.25, 2.5, 2.75, 3.0])
    times = [0.1, 0.11, 0.9]
    np.testing.assert_array_equal(m.simulate(1.0, output=times).t, times)


def test_labelled_arrays_have_names_and_units():
    data = heavy_top().simulate(0.1, speeds=TOP_SPEEDS, output=0.05).to_xarray()
    assert list(data.coordinate.values) == ["O.e0", "O.e1", "O.e2", "O.e3"] and set(data.coordinate_unit.values) == {
        "1"
    }
    assert set(data.speed_unit.values) == {"rad/s"} and data.time.attrs["units"] == "s"
    assert data.position.sel(body="top", axis="z").shape == (3,) and data.position.attrs["units"] == "m"
    total = data.kinetic_energy + data.potential_energy
    assert abs(total - total[0]).max() < 1e-6


def test_a_saved_motion_comes_back_with_everything(tmp_path):
    m = oscillator()
    motion = m.simulate(4.0, {"x": 1.0}, events={"zero": lambda s: s.q["x"]}, parameters={"k": 2.0})
    motion.save(tmp_path / "motion.nc")
    back = da.load_motion(tmp_path / "motion.nc", m)
    for name in ("t", "q", "u", "forces"):
        np.testing.assert_array_equal(getattr(back, name), getattr(motion, name))
    assert (
        dict(back.record) == {**motion.record, "fingerprint": m.kernels.fingerprint}
        and back.coordinates == motion.coordinates
    )
    assert [(e.name, e.t) for e in back.events] == [(e.name, e.t) for e in motion.events]
    np.testing.assert_array_equal(back.energy().total, motion.energy().total)
    alone = da.load_motion(tmp_path / "motion.nc")
    np.testing.assert_array_equal(alone["x"], motion["x"])
    with pytest.raises(da.SimulationError, match="loaded without its mechanism"):
        alone.energy()
    with pytest.raises(da.MotionFileError, match="another mechanism"):
        da.load_motion(tmp_path / "motion.nc", pendulum())


def test_a_motion_of_another_version_is_known_by_its_names(tmp_path, monkeypatch):
    """Fingerprints change with the package; a motion is not lost with them."""
    with monkeypatch.context() as earlier:
        earlier.setattr(da, "__version__", "0.0.1")
        oscillator().simulate(1.0, {"x": 1.0}).save(tmp_path / "motion.nc")
    stiffer = oscillator(stiffness=3.0)
    assert len(da.load_motion(tmp_path / "motion.nc", stiffer).energy().total)
    with pytest.raises(da.MotionFileError, match="another mechanism"):
        da.load_motion(tmp_path / "motion.nc", pendulum())


def test_every_kind_of_motion_comes_back_to_its_mechanism(tmp_path):
    m = oscillator()
    made = [m.simulate_many(np.array([[0.1], [0.2]]), 1.0)[1], m.linearise().modes()[0].motion()]
    for motion in made:
        motion.save(tmp_path / "motion.nc")
        np.testing.assert_array_equal(da.load_motion(tmp_path / "motion.nc", m).q, motion.q)
        with pytest.raises(da.MotionFileError, match="another mechanism"):
            da.load_motion(tmp_path / "motion.nc", pendulum())


def test_a_damaged_file_is_said(tmp_path):
    path = tmp_path / "motion.nc"
    pendulum().simulate(1.0, {"A": 0.3}).save(path)
    content = path.read_bytes()
    for damaged in (content[: len(content) // 2], b"nothing", b""):
        path.write_bytes(damaged)
        with pytest.raises(da.MotionFileError, match="damaged"):
            da.load_motion(path)
    motion = pendulum().simulate(1.0, {"A": 0.3})
    where = content.find(motion.t.tobytes())
    assert where > 0
    path.write_bytes(content[: where + 100] + b"\x01" + content[where + 101 :])
    with pytest.raises(da.MotionFileError, match="damaged"):
        da.load_motion(path)
    with pytest.raises(da.MotionFileError, match="cannot be read"):
        da.load_motion(tmp_path / "nothing.nc")


def test_large_mechanisms_tell_everything_too():
    m = chain(14)
    motion = m.simulate(0.05, np.full(14, 0.2), output=0.05)
    force = motion.reaction("j0").force[-1]
    total = motion.acceleration("b0").linear.shape, motion.momentum().linear.shape
    assert np.isfinite(force).all() and total == ((2, 3), (2, 3))


def test_a_loop_is_not_taken_for_its_tree_that_was_marched_before():
    """The machine code of the tree alone is in the cache then; it must not be taken for the mechanism with its loop."""

    def bars(closed: bool) -> da.Mechanism:
        s = da.System("bars", gravity=(0, -9.81, 0))
        parent, at = "ground", (0.0, 0.0, 0.0)
        for k in range(3):
            s.add_body(f"bar{k}", da.rod(1.0, 1.0))
            s.add_joint(f"A{k}", da.Revolute((0, 0, 1)), parent, f"bar{k}", at_parent=at)
            parent, at = f"bar{k}", (1.0, 0.0, 0.0)
        if closed:
            s.add_joint("B", da.Revolute((0, 0, 1)), "bar2", "ground", at_parent=at, at_child=(1.5, 0, 0))
        return s.build(cut=["B"] if closed else [])

    bars(closed=False).simulate(0.1)
    motion = bars(closed=True).simulate(0.1)
    assert np.abs(motion.position(("bar2", (1.0, 0, 0))) - [1.5, 0, 0]).max() < 1e-12
    several = bars(closed=True).simulate_many(np.array([motion.q[0]] * 2), 0.1, step=0.01)
    assert np.abs(several[1].position(("bar2", (1.0, 0, 0))) - [1.5, 0, 0]).max() < 1e-12


def test_results_introduce_themselves_in_a_line():
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    m = s.build()
    assert repr(m) == "<Mechanism 'pendulum': 1 body, 1 coordinate, 1 speed>"
    assert repr(m.simulate(0.1, output=0.05)).startswith("<Motion of 'pendulum': 3 samples from 0 to 0.1 s")
