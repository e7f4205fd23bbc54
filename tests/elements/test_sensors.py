"""Sensors read what is there: specific force, rates, reactions, distances, attitudes, in steps, with noise and late."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.elements.sensors.random_numbers import RandomNumbers, first_of
from dalembert.elements.sensors.star_tracker import attitude
from tests.elements.energy import sled


def pendulum(loop: bool = False) -> da.System:
    """A double pendulum in space, or a four-bar."""
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("upper", mass=1.0, com=(0.2, 0, 0), inertia=(0.02, 0.1, 0.1))
    s.add_body("lower", mass=0.7, com=(0.3, 0.1, 0), inertia=(0.02, 0.1, 0.1))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "upper")
    s.add_joint("B", da.Revolute((0, 0, 1) if loop else (0, 1, 0)), "upper", "lower", at_parent=(0.5, 0, 0))
    if loop:
        s.add_body("last", mass=0.5, com=(0.3, 0, 0), inertia=(0.01, 0.1, 0.1))
        s.add_joint("C", da.Revolute((0, 0, 1)), "lower", "last", at_parent=(0.8, 0, 0))
        s.add_joint("D", da.Revolute((0, 0, 1)), "last", "ground", at_parent=(0.6, 0, 0), at_child=(0.9, 0, 0))
    return s


@pytest.mark.parametrize(
    ("loop", "way"),
    [
        (False, {}), (False, {"formulation": "hamilton"}), (False, {"formulation": "newton_euler"}), (True, {}),
        (True, {"constraints": "null_space_qr"}), (True, {"method": "rk4", "step": 1e-3}),
    ],
)  # fmt: skip
def test_imu_reads_specific_force_and_rates(loop: bool, way: dict[str, Any]) -> None:
    s = pendulum(loop)
    point = ("lower", (0.4, 0.1, 0.05))
    s.add_element("imu", da.IMU(point, period=0.01))
    motion = s.build().simulate(
        0.3, {"A": 0.3}, {"A": 1.0}, output=0.01, **(way if "step" in way else {"rtol": 1e-10} | way)
    )
    a, R = motion.acceleration(point).linear, motion.pose("lower").rotation
    felt = np.einsum("kij,ki->kj", R, a - [0, -9.81, 0])
    turned = np.einsum("kij,ki->kj", R, motion.evaluate(lambda s: s.angular_velocity("lower")))
    for i, axis in enumerate("xyz"):
        assert np.abs(motion[f"imu.force_{axis}_0"] - felt[:, i])[1:-1].max() < 1e-6
        assert np.abs(motion[f"imu.rate_{axis}_0"] - turned[:, i])[1:-1].max() < 1e-9


def test_imu_at_rest_reads_gravity_and_in_free_fall_nothing() -> None:
    s = da.System("rest", gravity=(0, 0, -9.81))
    s.add_body("box", mass=1.0, inertia=(0.1, 0.2, 0.3))
    s.add_joint("F", da.Free(), "ground", "box")
    s.add_element("imu", da.IMU(("box", (0.1, 0, 0)), 0.1, bias=(0.5, 0, 0)))
    fall = s.build().simulate(0.5, speeds={"F": [0, 0, 0, 1.0, 0, 0]})
    assert abs(fall["imu.force_x_0"][-1] - 0.5) < 1e-12 and abs(fall["imu.force_z_0"][-1]) < 1e-12
    s = da.System("rest", gravity=(0, 0, -9.81))
    s.add_body("box", mass=1.0, inertia=(1, 1, 1))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "box")
    s.add_element("imu", da.IMU("box", 0.1))
    assert abs(s.build().simulate(0.5)["imu.force_z_0"][-1] - 9.81) < 1e-12


def test_force_sensor_reads_the_reaction_of_the_joint() -> None:
    s = pendulum()
    s.add_force("motor", da.Motor("B", lambda s: 0.3 * da.sin(5.0 * s.t)))
    s.add_element("cell", da.ForceSensor("B", period=0.01))
    motion = s.build().simulate(0.3, {"A": 0.3}, {"A": 1.0}, output=0.01, rtol=1e-10)
    wrench = motion.reaction("B", axes="parent").force, motion.reaction("B", axes="child").torque
    for i, axis in enumerate("xyz"):
        assert np.abs(motion[f"cell.force_{axis}_0"] - wrench[0][:, i])[1:-1].max() < 1e-8
        assert np.abs(motion[f"cell.torque_{axis}_0"] - wrench[1][:, i])[1:-1].max() < 1e-8


@pytest.mark.parametrize(
    ("joint", "cut", "way"),
    [
        ("A", None, {}), ("B", None, {}), ("C", ["C"], {}), ("D", ["C"], {"constraints": "null_space_qr"}),
        ("C", ["C"], {"formulation": "newton_euler"}), ("B", None, {"constraints": "partition"}),
        ("C", ["C"], {"formulation": "hamilton"}), ("B", ["A"], {"method": "rk4", "step": 1e-3}),
    ],
)  # fmt: skip
def test_force_sensor_reads_the_reaction_of_a_joint_in_a_loop(joint: str, cut: Any, way: dict[str, Any]) -> None:
    def push(s: Any) -> list[Any]:
        """A force in plain Python where the rows of the joint tell all."""
        return [2.0 * (float(s.t) if cut == ["C"] == [joint] else s.t), 1.0, 0.0]

    s = pendulum(True)
    s.add_force("motor", da.Motor("B", lambda s: 0.3 * da.sin(5.0 * s.t)))
    s.add_force("push", da.Load(("lower", (0.1, 0.2, 0.0)), push))
    s.add_element("cell", da.ForceSensor(joint, period=0.01))
    given = {"D": -0.9} if cut == ["A"] else {"A": 0.3}
    m = s.build(cut=cut) if cut else s.build()
    motion = m.simulate(0.2, given, output=0.01, **(way if "step" in way else {"rtol": 1e-10} | way))
    wrench = motion.reaction(joint, axes="parent").force, motion.reaction(joint, axes="child").torque
    assert np.abs(wrench[0]).max() > 1.0
    for i, axis in enumerate("xyz"):
        assert np.abs(motion[f"cell.force_{axis}_0"] - wrench[0][:, i])[1:-1].max() < 1e-8
        assert np.abs(motion[f"cell.torque_{axis}_0"] - wrench[1][:, i])[1:-1].max() < 1e-8


def test_force_sensor_in_a_loop_weighs_by_closed_form() -> None:
    """A swing at rest, on two ropes of 0.3 kg: each hook bears a rope and half of the seat."""
    s = da.System("swing", gravity=(0, -9.81, 0))
    for name, mass, com in (("rope", 0.3, (0, -1, 0)), ("seat", 2.0, (0.5, 0, 0)), ("other", 0.3, (0, -1, 0))):
        s.add_body(name, mass=mass, com=com, inertia=(0.1, 0.1, 0.1))
    s.add_joint("hook", da.Revolute(), "ground", "rope")
    s.add_joint("end", da.Revolute(), "rope", "seat", at_parent=(0, -2, 0))
    s.add_joint("other_end", da.Revolute(), "other", "seat", at_parent=(0, -2, 0), at_child=(1.0, 0, 0))
    s.add_joint("other_hook", da.Revolute(), "ground", "other", at_parent=(1.0, 0, 0))
    for k, joint in enumerate(("hook", "other_end", "other_hook")):
        s.add_element(f"cell{k}", da.ForceSensor(joint, period=0.01))
    motion = s.build(cut=["other_end"]).simulate(0.05, output=0.01)
    for k, mass in enumerate((1.3, 1.0, 1.3)):
        assert np.abs(motion[f"cell{k}.force_y_0"][1:] - mass * 9.81).max() < 1e-9


def test_force_sensors_where_loads_are_shared_at_will_are_refused_by_name() -> None:
    """A door on two hinges: which of them bears its weight, rigid bodies do not say."""
    s = da.System("door", gravity=(0, 0, -9.81))
    s.add_body("leaf", mass=10.0, com=(0.4, 0, 0), inertia=(1, 1, 1))
    s.add_joint("low", da.Revolute((0, 0, 1)), "ground", "leaf")
    s.add_joint("high", da.Revolute((0, 0, 1)), "ground", "leaf", at_parent=(0, 0, 2), at_child=(0, 0, 2))
    s.add_element("cell", da.ForceSensor("low", period=0.01))
    m = s.build()
    with pytest.raises(da.SimulationError, match=r'element "cell": what joint "low" transmits is not unique'):
        m.simulate(0.1)
    with pytest.raises(da.SimulationError, match=r'element "cell": what joint "low" transmits is not unique'):
        m.simulate_many([{}, {}], 0.1)


def test_force_sensors_beside_laws_and_forces_by_accelerations_are_refused_by_name() -> None:
    s = pendulum(True)
    s.add_law("stop", da.Stop("A", upper=1.0))
    s.add_element("cell", da.ForceSensor("B", period=0.01))
    with pytest.raises(
        da.ModelError, match=r'element "cell": what joint "B" transmits hangs on the forces of law "stop"'
    ):
        s.build()
    s = pendulum()
    s.add_element("pid", da.PID(1.0), measured=lambda s: s.joint_wrench("B")[2])
    with pytest.raises(da.ModelError, match=r'element "pid".*algebraic loop.*sensor that is sampled'):
        s.build()
    s = pendulum()
    s.add_force("push", da.Motor("A", lambda s: s.acceleration("lower", s.udot)[0]))
    with pytest.raises(da.DalembertError, match=r"push.*algebraic loop"):
        s.build().simulate(0.1)


def test_force_may_follow_a_sampled_reaction() -> None:
    """Force control of a hand on a wall of springs: the reading of the sensor settles at what is wanted."""
    s = sled(mass=2.0)
    s.add_body("hand", mass=0.1)
    s.add_joint("H", da.Weld(), "sled", "hand")
    s.add_force("wall", da.Load("hand", lambda s: [-500.0 * s.q["A"] - 60.0 * s.u["A"], 0.0, 0.0]))
    s.add_element("cell", da.ForceSensor("H", period=0.002, delay=0.004))
    s.add_element("pi", da.PID(0.2, 20.0, period=0.002), reference=10.0, measured="cell.force_x")
    s.add_force("push", da.Motor("A", lambda s: s.signal("pi.output")))
    motion = s.build().simulate(3.0, {"A": 0.01})
    assert abs(motion["cell.force_x_2"][-1] - 10.0) < 1e-3


def test_encoder_counts_in_steps_and_late() -> None:
    s = sled()
    s.add_element("e", da.Encoder("A", resolution=0.01, period=0.1, delay=0.2))
    motion = s.build().simulate(2.0, {"A": 0.3}, {"A": 1.0}, output=0.05)
    taken = np.floor((0.3 + 0.1 * np.floor(motion.t / 0.1 + 1e-9)) / 0.01 + 0.5) * 0.01
    assert np.abs(motion["e.position_0"] - taken)[2:].max() < 0.0101
    assert np.all(np.abs(motion["e.position_0"] / 0.01 - np.round(motion["e.position_0"] / 0.01)) < 1e-9)
    assert np.abs(motion["e.position_2"][6:] - motion["e.position_0"][2:-4]).max() < 1e-12  # two samples late
    assert np.abs(motion["e.position_2"][:4] - motion["e.position_0"][0]).max() < 1e-12  # as it stood before
    assert np.abs(motion["e.speed_0"][3:] - 1.0).max() < 0.101


def test_continuous_encoder_and_distance_are_linearised() -> None:
    s = sled()
    s.add_element("e", da.Encoder("A"))
    s.add_element("d", da.DistanceSensor(("ground", (0, 1, 0)), "sled"))
    s.add_element("pid", da.PID(10.0, 0.0, 2.0), reference=0.0, measured="e.position")
    s.add_element("filter", da.LowPass(0.1), input="d.distance")
    s.add_force("push", da.Motor("A", lambda s: s.signal("pid.output") - s.signal("e.speed")))
    lin = s.build().linearise([0.75])
    row = lin.A[list(lin.states).index("filter.value")]
    assert abs(row[0] - 0.75 / 1.25 / 0.1) < 1e-12
    assert abs(lin.A[1, 1] + 1.0) < 1e-12


def test_distance_sensor_reads_distance_and_rate() -> None:
    s = sled()
    s.add_element("d", da.DistanceSensor(("ground", (0, 1, 0)), "sled", period=0.1, bias=0.2))
    motion = s.build().simulate(1.0, {"A": 0.5}, {"A": 2.0}, output=0.1)
    x = 0.5 + 2.0 * motion.t
    assert np.abs(motion["d.distance_0"] - 0.2 - np.hypot(x, 1.0)).max() < 1e-9
    assert np.abs(motion["d.rate_0"] - 2.0 * x / np.hypot(x, 1.0)).max() < 1e-9


def test_star_tracker_reads_any_attitude() -> None:
    rng = np.random.default_rng(0)
    for e in [*rng.normal(size=(200, 4)), *np.eye(4), [1e-9, 1, 1, 1], [0, 1, -1, 0]]:
        e = np.asarray(e, dtype=float) / np.linalg.norm(e)
        e = -e if e[0] < 0.0 else e
        a, b, c, d = e
        R = np.array([
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
        ])  # fmt: skip
        found = np.array(attitude(R))
        assert min(np.abs(found - e).max(), np.abs(found + e).max()) < 1e-12 and found[0] >= 0.0


def test_star_tracker_with_wheels_points_a_satellite() -> None:
    """Sampled attitude control from a star tracker and rate gyros alone, with noise and delay."""
    s = da.System("satellite")
    s.add_body("bus", mass=50.0, inertia=(10.0, 12.0, 8.0))
    s.add_joint("F", da.Free(), "ground", "bus")
    s.add_element("stars", da.StarTracker("bus", period=0.1, delay=0.1, noise=1e-5, seed=3))
    s.add_element("imu", da.IMU("bus", period=0.1, rate_noise=1e-6, seed=4))
    for i, axis in enumerate("xyz"):
        s.add_element(
            f"w{axis}", da.ReactionWheel("bus", tuple(np.eye(3)[i]), 0.05),
            torque=lambda s, a=axis: 2.0 * s.signal(f"stars.{a}") + 8.0 * s.signal(f"imu.rate_{a}"),
        )  # fmt: skip
    angle = 0.4
    start = {"F": [np.cos(angle / 2), *(np.sin(angle / 2) * np.array([1, 2, 2]) / 3), 0, 0, 0]}
    motion = s.build().simulate(60.0, start, output=1.0)
    e = motion.q[-1][:4]
    assert 2.0 * np.linalg.norm(e[1:]) < 1e-3


def test_random_numbers_are_those_published_and_normal() -> None:
    """Against whole numbers in Python, and L'Ecuyer's statement: 10 000 numbers from (1, 1)."""
    random, a, b = RandomNumbers(12345.0, 67890.0), 12345, 67890
    for _ in range(2000):
        found = random.uniform()
        a, b = 40014 * a % 2147483563, 40692 * b % 2147483399
        assert found == (a - b if a - b >= 1 else a - b + 2147483562) / 2147483563
    drawn = RandomNumbers(*first_of(7))
    x = np.array([drawn.normal() for _ in range(20000)])
    assert abs(x.mean()) < 0.03 and abs(x.std() - 1.0) < 0.02 and abs((x**3).mean()) < 0.1


def test_noise_is_the_same_everywhere_and_differs_by_seed() -> None:
    def read(seed: int) -> np.ndarray:
        s = sled()
        s.add_element("e", da.Encoder("A", noise=0.1, period=0.01, seed=seed))
        return s.build().simulate(5.0, output=0.01)["e.position_0"]

    one, again, other = read(1), read(1), read(2)
    drawn = RandomNumbers(*first_of(1))
    wanted = 0.1 * np.array([drawn.normal() for _ in range(len(one))])
    assert np.array_equal(one, again) and np.abs(one - wanted).max() < 1e-12
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.15 and abs(one.std() - 0.1) < 0.01


def test_sensors_refuse_what_they_cannot_do() -> None:
    with pytest.raises(da.ModelError, match="Encoder: noise is drawn at samples: give a period"):
        da.Encoder("A", noise=0.1)
    with pytest.raises(da.ModelError, match="Encoder: a delay is kept by a sensor that is sampled"):
        da.Encoder("A", delay=0.1)
    with pytest.raises(da.ModelError, match=r"IMU: delay=0.15 must be a multiple of period=0.1"):
        da.IMU("box", period=0.1, delay=0.15)
    with pytest.raises(da.ModelError, match="four Euler parameters"):
        da.StarTracker("box", wanted=(0, 0, 0, 0))


def test_imu_beside_laws_feels_what_they_exert() -> None:
    """A mass falls onto a stop and rests there: nothing while it falls, gravity while it rests."""
    s = sled(gravity=(-9.81, 0, 0))
    s.add_law("floor", da.Stop("A", lower=0.0, restitution=0.0))
    s.add_element("imu", da.IMU("sled", 0.05))
    m = s.build()
    motion = m.simulate(1.0, {"A": 1.0}, output=0.05)
    read, falls = motion["imu.force_x_0"], motion.t < np.sqrt(2.0 / 9.81) - 0.05
    assert np.abs(read[falls]).max() < 1e-9 and abs(read[-1] - 9.81) < 1e-9
    with pytest.raises(da.SimulationError, match="reads accelerations or reactions, which jump at impacts"):
        m.simulate(0.1, {"A": 1.0}, method="moreau", step=1e-3)
