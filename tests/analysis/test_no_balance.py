"""Where there is no balance it is said after a stated effort: at once where a force is the same everywhere, or after so many steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.analysis.equilibrium import find_equilibrium
from dalembert.analysis.equilibrium.search import MOST_STEPS, Search
from dalembert.kinematics.loads import loads
from tests.constraints.test_undefined_rows import CAM, cam

EXAMPLES = Path(__file__).parents[2] / "examples"


def _lift(links: int, floor: float | None = None) -> da.Mechanism:
    """A slider that falls, with a chain on it; above a soft floor, if there is one."""
    s = da.System("lift", gravity=(0, 0, -9.81))
    s.add_body("car", da.box(1.0, (1, 1, 1)))
    s.add_joint("z", da.Prismatic((0, 0, 1)), "ground", "car")
    carrier = "car"
    for i in range(links):
        s.add_body(f"b{i}", da.rod(1.0, 1.0))
        s.add_joint(f"j{i}", da.Revolute((0, 1, 0)), carrier, f"b{i}", at_parent=(0.5, 0, 0))
        carrier = f"b{i}"
    if floor is not None:
        s.add_force("floor", da.Motor("z", lambda s: 1000.0 * da.maximum(floor - s.q["z"], 0.0)))
    m: da.Mechanism = s.build()
    return m


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many steps each start took."""
    taken: list[int] = []
    run = Search.run

    def counted(self: Search, start: object) -> object:
        found = run(self, start)
        taken.append(found.took)
        return found

    monkeypatch.setattr(Search, "run", counted)
    return taken


def test_forces_that_change_with_time_are_told_of() -> None:
    """Thrusters that burn for four seconds: no balance while they do, rest afterwards."""
    m = da.load(EXAMPLES / "flexible_satellite.yaml")
    with pytest.raises(da.EquilibriumError, match=r"forces change with time and were taken at t = 0 s; .* t="):
        m.equilibrium(starts=1)
    later = m.equilibrium(t=5.0, starts=1)
    assert later.linearisation.verdict == "stable"
    with pytest.raises(da.EquilibriumError) as problem:
        _lift(0).equilibrium()
    assert "time" not in str(problem.value)


def test_thrusters_turn_with_the_hub() -> None:
    """Their torque about the hub's own axes, whichever way it points."""
    m = da.load(EXAMPLES / "flexible_satellite.yaml")
    motion = m.simulate(1.5, output=1.5)
    s = m.state(motion.q[-1], motion.u[-1], motion.t[-1])
    given = loads(s).moment[m.number_of["hub"] - 1]
    assert np.allclose(s.rotation("hub").T @ given, (6.0, 0.0, 12.0), atol=1e-12)
    assert np.abs(s.rotation("hub") - np.eye(3)).max() > 0.1


@pytest.mark.parametrize("links", [0, 3])
def test_what_falls_is_said_at_once(links: int, steps: list[int]) -> None:
    with pytest.raises(da.EquilibriumError, match='acts on "z" wherever it goes'):
        _lift(links).equilibrium()
    with pytest.raises(da.EquilibriumError, match='acts on "z" wherever it goes'):
        _lift(links).equilibria()
    assert not steps


def test_a_loop_afloat_that_falls_is_said_at_once(steps: list[int]) -> None:
    s = da.System("falling four-bar", gravity=(0, 0, -9.81))
    s.add_body("base", da.box(1.0, (1, 1, 1)))
    s.add_joint("free", da.Free(), "ground", "base")
    for name in "abd":
        s.add_body(name, da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "base", "a")
    s.add_joint("B", da.Revolute(), "a", "b", (1, 0, 0))
    s.add_joint("C", da.Revolute(), "b", "d", (1, 0, 0))
    s.add_joint("D", da.Revolute(), "d", "base", (1, 0, 0), (1.2, 0, 0))
    with pytest.raises(da.EquilibriumError, match=r'acts on "free\.vz" wherever it goes'):
        s.build().equilibrium()
    assert not steps


def test_a_motor_that_nothing_resists_is_said_at_once(steps: list[int]) -> None:
    s = da.System("spindle")
    s.add_body("rotor", da.cylinder(1.0, 0.2, 0.5))
    s.add_joint("A", da.Revolute(), "ground", "rotor")
    s.add_force("motor", da.Motor("A", 2.5))
    with pytest.raises(da.EquilibriumError, match=r'2\.5 acts on "A" wherever it goes'):
        s.build().equilibrium()
    assert not steps


@pytest.mark.parametrize("floor", [-0.3, -3.0, -40.0])
def test_a_floor_below_is_found(floor: float) -> None:
    """The force is the same near the start, but not everywhere."""
    found = _lift(0, floor).equilibrium()
    assert found.coordinates["z"] == pytest.approx(floor - 9.81 / 1000.0)


def test_that_there_is_none_is_not_said_where_a_floor_is_far_below() -> None:
    with pytest.raises(da.EquilibriumError, match="finds no equilibrium from"):
        _lift(0, floor=-1e4).equilibrium()


def test_a_start_that_is_stuck_is_given_up(steps: list[int]) -> None:
    """Downhill lies the end of a table, beyond which nothing is defined."""
    with pytest.raises(da.EquilibriumError, match="finds no equilibrium"):
        cam(CAM).equilibrium({"Ja": 0.3}, starts=1)
    assert sum(steps) < 0.3 * MOST_STEPS


def test_the_effort_is_bounded_and_said(steps: list[int]) -> None:
    """A force that pulls ever less, and never nothing."""
    s = da.System("repelled")
    s.add_body("car", da.box(1.0, (1, 1, 1)))
    s.add_joint("z", da.Prismatic((0, 0, 1)), "ground", "car")
    s.add_force("charge", da.Motor("z", lambda s: 1.0 / (1.0 + s.q["z"] ** 2) + 1.0))
    with pytest.raises(da.EquilibriumError, match=r"ended after \d+ steps"):
        s.build().equilibrium(starts=50)
    assert find_equilibrium.EFFORT <= sum(steps) <= find_equilibrium.EFFORT + MOST_STEPS
