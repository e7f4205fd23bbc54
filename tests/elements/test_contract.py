"""States of elements are part of the state (q, u, z) everywhere: marches, formulations, loops, batches, events, files, analyses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.elements.signals import ElementAt
from tests.elements.models import driven_arm, motor, motor_start

START = {"A": 0.3, "motor.current": 0.2}


@pytest.mark.parametrize(
    "options",
    [{"rtol": 1e-12, "max_step": 0.005}, {"method": "rk4", "step": 5e-5}, {"method": "radau", "rtol": 1e-12}],
    ids=["dop853", "rk4", "radau"],
)
def test_motor_starts_with_its_two_time_constants(options: Mapping[str, Any]) -> None:
    motion = motor().build().simulate(1.0, **options)
    found = np.c_[motion["motor.current"], motion["A'"]]
    assert np.abs(found - motor_start(motion.t)).max() < 1e-10 * 12.0


def test_energy_is_kept_stored_dissipated_and_supplied() -> None:
    motion = motor().build().simulate(1.0, rtol=1e-12, max_step=0.005)
    total = motion.energy().total + motion["heat.value"] - motion["taken.value"]
    assert np.abs(total).max() < 1e-9 * motion["taken.value"].max()


def test_midpoint_carries_states_with_order_two() -> None:
    m = driven_arm().build()
    times = np.linspace(0.0, 0.5, 6)
    fine = m.simulate(0.5, START, output=times, rtol=1e-11, max_step=0.005)
    off = []
    for step in (1e-3, 5e-4):
        motion = m.simulate(0.5, START, output=times, method="midpoint", step=step)
        off.append([np.abs(motion.q - fine.q).max(), np.abs(motion.z - fine.z).max()])
    ratio = np.divide(*off)
    assert (np.abs(ratio - 4.0) < 0.2).all() and max(off[1]) < 1e-5 * np.abs(fine.z).max()


def test_midpoint_refuses_masses_that_change() -> None:
    s = da.System("rocket")
    tank = s.add_element("engine", da.RocketEngine("rocket", (1, 0, 0), exhaust=2500.0, initial=80.0), flow=4.0)
    s.add_body("rocket", mass=20.0 + tank["fuel"])
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "rocket")
    with pytest.raises(da.SimulationError, match=r'masses depend on the state "engine\.fuel"'):
        s.build().simulate(1.0, method="midpoint", step=0.01)


@pytest.mark.parametrize("loop", [False, True], ids=["tree", "loop"])
def test_every_way_of_marching_gives_one_motion(loop: bool) -> None:
    m = driven_arm(loop).build()
    times = np.linspace(0.0, 0.5, 11)
    reference = m.simulate(0.5, START, output=times, rtol=1e-11, max_step=0.005)
    ways: list[dict[str, Any]] = [{"method": "rk4", "step": 2e-4}, {"method": "radau"}]
    ways += [
        {"formulation": name} for name in (("newton_euler",) if loop else ("lagrange", "newton_euler", "hamilton"))
    ]
    ways += [{"constraints": "null_space_qr"}, {"constraints": "partition"}] if loop else []
    for way in ways:
        tolerance = {} if way.get("method") == "rk4" else {"rtol": 1e-10, "max_step": 0.005}
        motion = m.simulate(0.5, START, output=times, **tolerance, **way)
        assert np.abs(motion.q - reference.q).max() < 1e-7, way
        assert np.abs(motion.z - reference.z).max() < 1e-6, way


def test_many_motions_are_those_marched_alone() -> None:
    m = driven_arm().build()
    starts = [START, {"A": -0.4, "filter.value": 3.0}, {"A": 0.1}]
    many = m.simulate_many(starts, 0.2, method="rk4", step=1e-3)
    for k, start in enumerate(starts):
        alone = m.simulate(0.2, start, method="rk4", step=1e-3)
        assert np.abs(many[k].z - alone.z).max() < 1e-12 and np.abs(many[k].q - alone.q).max() < 1e-12
        assert np.abs(many[k].energy().total - alone.energy().total).max() < 1e-12


@pytest.mark.parametrize("loop", [False, True], ids=["tree", "loop"])
def test_sensitivities_are_differences_of_motions(loop: bool) -> None:
    m = driven_arm(loop).build()
    found = m.sensitivities(0.5, START, parameters=["k"], initial_values=["motor.current"], output=[0.0, 0.5])

    def end(k: float, current: float) -> np.ndarray:
        start = START | {"motor.current": current}
        motion = m.simulate(0.5, start, parameters={"k": k}, rtol=1e-12, max_step=0.005, output=[0.0, 0.5])
        return np.array(
            [motion[x][-1] for x in ("A", "A'", "motor.current", "filter.value")] + [motion.outputs()["torque"][-1]]
        )

    names = ("A", "A'", "motor.current", "filter.value", "torque")
    for column, (dk, di) in enumerate(((1e-4, 0.0), (0.0, 1e-3))):
        h = dk + di
        one, two = (end(0.05 + n * dk, 0.2 + n * di) - end(0.05 - n * dk, 0.2 - n * di) for n in (1, 2))
        wanted = (8.0 * one - two) / (12.0 * h)
        got = np.array([found[name][-1, column] for name in names])
        assert np.abs(got - wanted).max() < 1e-8 * max(1.0, np.abs(wanted).max())


def test_linearisation_has_states_of_elements() -> None:
    m = driven_arm().build().with_parameters(**{"motor.current": 0.3, "filter.value": 0.4})
    lin = m.linearise([0.2], [0.5], inputs=["k", "A"])
    J, L = 0.02 + 0.01, 0.01

    def slope(x: Any, k: Any) -> Any:
        q, w, y, i = x
        turned = (k * i - 0.001 * w - 9.81 * 0.1 * np.cos(q)) / J
        return np.array([w, turned, (12.0 - w - q - y) / 0.05, (y - i - k * w) / L])

    x, h = np.array([0.2, 0.5, 0.4, 0.3], dtype=complex), 1e-30
    A = np.array([slope(x + 1j * h * e, 0.05).imag / h for e in np.eye(4)]).T
    assert lin.states == ("A", "A'", "filter.value", "motor.current")
    assert np.abs(lin.A - A).max() < 1e-10
    assert np.abs(lin.B[:, 0] - slope(x, 0.05 + 1j * h).imag / h).max() < 1e-10
    assert np.allclose(lin.B[:, 1], [0.0, 1.0 / J, 0.0, 0.0], atol=1e-12)
    assert np.allclose(lin.C, [[0.0, -0.001, 0.0, 0.05]], atol=1e-12) and np.allclose(lin.D, [[0.3, 0.0]], atol=1e-12)


def test_modes_within_elements_are_named_by_their_states() -> None:
    s = motor()
    s.add_element("slow", da.LowPass(2.0), input=0.0)
    lin = s.build().linearise()
    with np.errstate(all="raise"):
        found = lin.modes()
    told = [str(mode) for mode in found]
    assert any("decays at -0.5 1/s: slow.value 1" in x for x in told), told
    assert any("heat.value" in x for x in told) and not any("nan" in x for x in told)


def test_linearisation_along_a_loop_predicts_a_neighbour() -> None:
    m = driven_arm(True).build()
    motion = m.simulate(0.2, START, rtol=1e-12, max_step=0.005, output=[0.0, 0.1, 0.1001, 0.2])
    lin = m.linearise_along(motion, [0.1])[0]
    near = m.simulate(
        0.2, START | {"motor.current": 0.2001}, rtol=1e-12, max_step=0.005, output=[0.0, 0.1, 0.1001, 0.2]
    )
    names = [m.speeds.index(name) for name in lin.displacements], [m.speeds.index(name) for name in lin.speeds]
    d = [
        np.concatenate([(near.q - motion.q)[k][names[0]], (near.u - motion.u)[k][names[1]], (near.z - motion.z)[k]])
        for k in (1, 2)
    ]
    assert np.allclose((d[1] - d[0]) / 1e-4, lin.A @ (0.5 * (d[0] + d[1])), rtol=2e-3, atol=1e-7)


def test_events_controllers_and_checkpoints_see_states(tmp_path: Path) -> None:
    m = motor().build()
    motion = m.simulate(1.0, until=lambda s: s.signal("motor.current") - 5.0)
    assert motion.record["ended"] == "event" and abs(motion["motor.current"][-1] - 5.0) < 1e-9
    assert abs(motion.events[0].z[0] - 5.0) < 1e-9
    seen: list[float] = []
    m.simulate(0.1, control=lambda s: seen.append(float(s.signal("motor.current"))) or {"A": 0.0}, control_rate=100.0)
    assert seen[0] == 0.0 and seen[-1] > 1.0
    reset = da.Event(lambda s: s.t - 0.05, action=da.SetParameter("motor.current", 0.0))
    after = m.simulate(0.1, events=[reset], output=[0.0, 0.04, 0.0501, 0.1])
    assert after["motor.current"][1] > 5.0 > after["motor.current"][2]


def test_files_keep_states(tmp_path: Path) -> None:
    m = motor().build()
    motion = m.simulate(0.2)
    motion.save(tmp_path / "x.nc")
    again = da.load_motion(tmp_path / "x.nc", mechanism=m)
    assert again.states == motion.states == ("motor.current", "heat.value", "taken.value")
    assert again.state_units[0] == "A" and np.array_equal(again.z, motion.z)
    assert np.array_equal(again.energy().total, motion.energy().total)
    motion.save(tmp_path / "x.csv")
    assert "motor.current [A]" in (tmp_path / "x.csv").read_text().partition("\n")[0]


def test_laws_and_states_go_together() -> None:
    """A motor drives an arm against a stop; by impacts one after the other, and in steps."""
    s = motor()
    s.add_law("stop", da.Stop("A", upper=1.0, restitution=0.5))
    m = s.build()
    motion = m.simulate(0.5, rtol=1e-11, max_step=0.005)
    e = motion.energy()
    total = e.balance + motion["heat.value"] - motion["taken.value"]
    assert motion.impacts and np.abs(total).max() < 1e-8 * motion["taken.value"].max()
    stepped = m.simulate(0.3, method="moreau", step=2e-5, output=[0.0, 0.1, 0.2])
    fine = m.simulate(0.3, rtol=1e-11, max_step=0.005, output=[0.0, 0.1, 0.2])
    assert np.abs(stepped.z - fine.z)[:, 0].max() < 2e-3 * np.abs(fine.z[:, 0]).max()


@dataclass(frozen=True, eq=False)
class Bristle(da.Element):
    """A user's own: Dahl's friction in a joint."""

    joint: str
    stiffness: float
    force: float

    @property
    def states(self) -> Mapping[str, float]:
        return {"bend": 0.0}

    def rates(self, x: ElementAt) -> Mapping[str, Any]:
        v = x.s.u[self.joint]
        return {"bend": v - abs(v) * x["bend"] * self.stiffness / self.force}

    @da.output("N m")
    def friction(self, x: ElementAt) -> Any:
        return self.stiffness * x["bend"]

    def loads(self, x: ElementAt) -> Iterable[da.JointLoad]:
        yield da.JointLoad(self.joint, [-self.friction(x)])


def test_elements_of_ones_own_need_a_dozen_lines() -> None:
    s = da.System("sled")
    s.add_body("sled", mass=1.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "sled")
    s.add_element("ground", Bristle("A", 1e4, 2.0))
    motion = s.build().simulate(2.0, speeds={"A": 1.0}, output=0.01)
    assert abs(motion["A'"][10] - (1.0 - 2.0 * 0.1)) < 1e-3  # slides under the full force
    assert abs(motion.evaluate(lambda s: s.signal("ground.friction"))[10] - 2.0) < 1e-6
