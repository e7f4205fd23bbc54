"""Numbers of a model file may be made of states of elements: they are read, written and refused by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da

ROCKET = """
name: rocket
bodies:
  rocket: {mass: 20 + MADE, com: [0.01*engine.fuel, 0, 0]}
joints:
  A: {type: prismatic, axis: [1, 0, 0], parent: ground, child: rocket}
elements:
  engine: {type: rocket_engine, at: rocket, direction: [1, 0, 0], exhaust: 2500, initial: 80}
connections: {engine.flow: 4}
simulation: {duration: 8, rtol: 1e-12}
"""


def test_a_mass_that_burns_is_read_and_written(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(ROCKET.replace("MADE", "engine.fuel"))
    system = da.System.load(tmp_path / "a.yaml")
    system.save(tmp_path / "b.yaml")
    for name in ("a", "b"):
        motion = da.load(tmp_path / f"{name}.yaml").simulate(8.0, rtol=1e-12)
        mass = 20.0 + motion["engine.fuel"]
        assert np.abs(motion["A'"] - 2500.0 * np.log(100.0 / mass)).max() < 1e-10 * motion["A'"].max()


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ("engine.thrust", r"'engine\.thrust' is no state"),
        ("engine.fule", r"'engine\.fule' is no state; did you mean 'engine\.fuel'"),
        ("motor.fuel", r"'motor\.fuel' is not known here, only parameters and states of elements"),
    ],
)
def test_what_is_no_state_is_told(tmp_path: Path, made: str, told: str) -> None:
    (tmp_path / "a.yaml").write_text(ROCKET.replace("MADE", made))
    with pytest.raises(da.ModelFileError, match=told):
        da.load(tmp_path / "a.yaml")
