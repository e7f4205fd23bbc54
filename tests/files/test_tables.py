"""Tables and motions in files: the ending says the format, no column is lost, nothing in a table is computed by whoever opens it."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.files.motion_formats import FORMATS, motion_columns
from dalembert.tables import Columns, write_table


def pendulum(joint: str = "A") -> da.System:
    s = da.System("pendulum")
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint(joint, da.Revolute(), "ground", "rod")
    return s


def columns(path: Path) -> dict[str, list[float]]:
    with open(path, newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    assert len(set(head)) == len(head)
    return {name: [float(row[i]) for row in rows] for i, name in enumerate(head)}


def test_an_output_with_a_coordinates_name_leaves_the_coordinate_alone(tmp_path):
    """Rule: the first to have a name keeps it, a later column says what it is."""
    s = pendulum()
    s.add_output("A", da.outputs.Value(lambda s: s.q["A"] * 180.0, unit="deg"))
    s.add_output("kinetic", da.outputs.Value(lambda s: 2.0 * s.t))
    motion = s.build().simulate(0.1, {"A": 0.3})
    with pytest.warns(da.FileWarning, match='output "A" is the column "A \\(output\\)".* energy "kinetic"'):
        motion.save(tmp_path / "m.csv")
    found = columns(tmp_path / "m.csv")
    assert found["A [rad]"] == list(motion["A"])
    assert found["A (output) [deg]"] == list(180.0 * motion["A"])
    assert found["kinetic"] == list(2.0 * motion.t)
    assert found["kinetic (energy) [J]"] == list(motion.energy().kinetic)


def test_a_joint_called_t_leaves_the_time_alone(tmp_path):
    with pytest.warns(da.FileWarning, match='coordinate "t" is the column "t \\(coordinate\\)"'):
        pendulum("t").build().simulate(0.1, {"t": 0.3}).save(tmp_path / "m.csv")
    found = columns(tmp_path / "m.csv")
    assert found["t [s]"][-1] == 0.1 and found["t (coordinate) [rad]"][0] == 0.3


def test_many_columns_of_one_name_all_stay():
    made = Columns()
    for k in range(4):
        made.add("output", "x", [k])
    assert list(made.values) == ["x", "x (output)", "x (output 2)", "x (output 3)"]


@pytest.mark.filterwarnings("error")
def test_the_ending_says_the_format(tmp_path):
    motion = pendulum().build().simulate(0.1, {"A": 0.3})
    first = {".nc": b"\x89HDF", ".csv": b'"t [s', ".html": b"<!doc", ".glb": b"glTF", ".mcap": b"\x89MCAP"}
    assert set(first) == set(FORMATS)
    for ending, begin in first.items():
        path = tmp_path / f"m{ending}"
        motion.save(path)
        assert path.read_bytes()[: len(begin)].lower() == begin.lower()
    assert np.array_equal(da.load_motion(tmp_path / "m.nc").q, motion.q)


@pytest.mark.parametrize("name", ["m", "m.txt", "m.nc.gz", ".csv", "m.xlsx"])
def test_unknown_endings_are_refused_in_words(tmp_path, name):
    with pytest.raises(da.DalembertError, match=r"must end in \.nc or \.csv or \.html"):
        pendulum().build().simulate(0.1).save(tmp_path / name)
    assert not (tmp_path / name).exists()


def test_the_command_line_has_the_same_endings(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "dalembert", "simulate", "four_bar", "-o", str(tmp_path / "m.txt")],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 2 and ".nc" in done.stderr and not (tmp_path / "m.txt").exists()


def test_a_loaded_motion_without_its_mechanism_becomes_a_table(tmp_path):
    pendulum().build().simulate(0.1, {"A": 0.3}).save(tmp_path / "m.nc")
    motion = da.load_motion(tmp_path / "m.nc")
    assert list(motion_columns(motion).values) == ["t", "A", "A'"]


@pytest.mark.parametrize("name", ["=1+1", "+A1", "-A1", "@SUM(A1)", "=HYPERLINK(A1)", "＝1", "\n=1"])
def test_no_name_is_a_formula(tmp_path, name):
    """Spreadsheets compute cells that begin like this."""
    made = Columns()
    made.add("coordinate", name, [1.0], "rad")
    write_table(tmp_path / "m.csv", made)
    with open(tmp_path / "m.csv", newline="", encoding="utf-8") as file:
        assert next(csv.reader(file)) == [f"'{name} [rad]"]


@pytest.mark.parametrize("name", ["k;=1+1", "k\t=1+1", "k,=1+1", 'k";=1+1', "k|=1+1"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_no_name_falls_apart_into_a_formula(tmp_path, name, separator):
    """Whoever opens a table chooses what separates its cells."""
    made = Columns()
    made.add("output", name, [1.0])
    write_table(tmp_path / "m.csv", made)
    with open(tmp_path / "m.csv", newline="", encoding="utf-8") as file:
        assert next(csv.reader(file, delimiter=separator)) == [name]
