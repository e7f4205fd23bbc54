"""A control loop written with mistakes: each has its sentence, and its place in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

import dalembert as da

LOOP = """
name: arm
gravity: [0, -9.81, 0]
bodies:
  arm: {mass: 1, com: [0.1, 0, 0], inertia: [0.1, 0.1, 0.02]}
joints:
  A: {type: revolute, parent: ground, child: arm}
elements:
  motor: {type: dc_motor, joint: A, resistance: 1, inductance: 0.01, constant: 0.5}
  pid: {type: pid, kp: 10, ki: 5, kd: 1}
connections:
  motor.voltage: pid.output
  pid.measured: q.A
outputs: {}
"""


@pytest.mark.parametrize(
    ("said", "instead", "told"),
    [
        ("motor.voltage:", "motor.volts:", "there is no input 'volts'; did you mean 'voltage'"),
        ("pid.output", "pid", r"'pid' is an element; name one of its signals: .*pid\.output"),
        ("pid.output", "pid.out", r"'pid\.out' is not known; did you mean 'pid\.output'"),
        ("type: pid", "type: PID", "there is no element 'PID'; did you mean 'pid'"),
        ("ki: 5", "kI: 5", "there is no field 'kI' here; did you mean 'ki'"),
        ("joint: A, ", "", "an element of type dc_motor needs the field 'joint'"),
        ("motor.voltage: pid.output", "motor: {voltage: pid.output}", r'as one name: "motor\.voltage: …"'),
        ("constant: 0.5", "constant: 0.5, voltage: 3", r'an input; say it below connections: "motor\.voltage: …"'),
        ("  pid.measured: q.A\n", "", 'its input "measured" is not connected'),
        ("q.A", "pid.output", "depends on itself, .*an algebraic loop"),
        ("outputs: {}", "outputs: {x: {type: value, of: max(q.A, 0)}}", "a comma in it needs quotes"),
        (
            "outputs: {}",
            "forces: {s: {type: joint_spring, joint: A, torque: pid.output - q}}",
            r"'pid\.output' is not known here; forces of type motor and load",
        ),
    ],
)
def test_every_mistake_has_its_sentence(tmp_path: Path, said: str, instead: str, told: str) -> None:
    assert said in LOOP
    (tmp_path / "loop.yaml").write_text(LOOP.replace(said, instead, 1))
    with pytest.raises(da.ModelFileError, match=told) as problem:
        da.load(tmp_path / "loop.yaml")
    assert "loop.yaml:" in str(problem.value)
