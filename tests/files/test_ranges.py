"""Parameters with the range in which they are set by hand: said in Python or in a file, kept, checked."""

from __future__ import annotations

import pytest

import dalembert as da
from dalembert.errors import ModelError, ModelFileError
from dalembert.files.models import load_system

TEXT = """
name: pendulum
parameters: {length: {value: 0.4, min: 0.2, max: 0.6}, mass: 2, angle: {value: 10*deg, max: 90*deg}}
bodies:
  bob: {mass: mass, com: [length, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  pivot: {type: revolute, parent: ground, child: bob}
"""


def written(tmp_path, text: str):
    path = tmp_path / "model.yaml"
    path.write_text(text)
    return path


def test_a_range_is_read_kept_and_written(tmp_path) -> None:
    s = load_system(written(tmp_path, TEXT))
    assert s.parameters["length"] == 0.4 and s.ranges["length"] == (0.2, 0.6)
    assert s.ranges["angle"] == (None, pytest.approx(1.5707963267948966)) and "mass" not in s.ranges
    assert s.build().plan.ranges == s.ranges
    again = tmp_path / "again.yaml"
    s.save(again)
    other = load_system(again)
    assert other.ranges == s.ranges and other.parameters == s.parameters


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("{value: 1, min: 2}", r"its value 1.0 must lie between min=2.0 and max=None"),
        ("{value: 1, min: 1, max: 1}", "which differ"),
        ("{min: 1, max: 2}", "needs its value"),
        ("{value: 1, least: 0}", "least"),
        ("{value: 1, max: .inf}", "finite"),
    ],
)
def test_a_range_that_says_nothing_is_refused_with_its_line(tmp_path, said: str, words: str) -> None:
    with pytest.raises(ModelFileError, match=words) as problem:
        load_system(written(tmp_path, TEXT.replace("mass: 2", f"mass: {said}")))
    assert "3" in str(problem.value)


def test_a_range_is_checked_where_it_is_given() -> None:
    s = da.System("x")
    s.parameter("a", 1.0, min=0.0, max=2.0)
    with pytest.raises(ModelError, match=r'parameter "b": its value 3.0 must lie between min=0 and max=2'):
        s.parameter("b", 3.0, min=0, max=2)
    assert "b" not in s.parameters and s.ranges == {"a": (0.0, 2.0)}
