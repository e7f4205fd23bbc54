"""Analyses from the command line: what they tell is what Python's functions return, and their pages and tables hold it."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.cli.model import _complete
from dalembert.cli.report import in_options
from dalembert.files.gallery import find, names


@pytest.fixture(scope="module")
def four_bar():
    return da.load(find("four_bar"))


def table(path: str) -> dict[str, np.ndarray]:
    with open(path) as file:
        head, *rows = list(csv.reader(file))
    return dict(zip(head, np.array(rows, dtype=float).T))


def test_a_sweep_keeps_to_the_models_own_branch_and_writes_coupler_curves(dalembert, four_bar):
    ran = dalembert(
        "sweep", "four_bar", "A", "0:2*pi:13", "--point", "P=coupler,0.5,0.2,0", "-o", "s.csv", "-o", "s.html", "--json"
    )
    assert ran.code == 0, ran.err
    start = four_bar.assemble(dict(four_bar.plan.initial))[0]
    wanted = four_bar.sweep("A", np.linspace(0, 2 * np.pi, 13), start)
    assert np.allclose(ran.data["coordinates"]["D"], wanted.q[:, 2]) and wanted.q[:, 2].min() > 0.0
    assert [x["joint"] for x in ran.data["limits"]] == ["D", "D"]
    found = table("s.csv")
    assert np.allclose(found["P.y [m]"], wanted.trace(("coupler", (0.5, 0.2, 0)))[:, 1])
    assert {"A [rad]", "transmission at C [rad]"} <= set(found)
    assert "Curve of P" in Path("s.html").read_text()
    dead = dalembert("sweep", "four_bar", "D", "1.5:3:7")
    assert "Dead point" in dead.out and "could be reached" in dead.err


def test_drives_put_into_the_model_give_the_motion_they_were_asked_for(dalembert, four_bar):
    """Inverse, then forward, with a loop and with more actuators than freedoms."""
    ran = dalembert(
        "drives", "four_bar", "--move", "A=0.3 + 0.2*sin(3*t)", "-d", "0.5", "--every", "0.1", "-o", "d.csv", "--json"
    )
    assert ran.code == 0, ran.err
    found = table("d.csv")
    t = found["t [s]"]
    assert np.allclose(found["A [rad]"], 0.3 + 0.2 * np.sin(3 * t), atol=1e-9)
    q = np.stack([found[f"{c} [rad]"] for c in four_bar.coordinates], axis=1)
    u = np.stack(
        [four_bar.assemble(dict(zip(four_bar.coordinates, x)), {"A": 0.6 * np.cos(3 * y)})[1] for x, y in zip(q, t)]
    )
    tau = np.zeros_like(u)
    tau[:, four_bar.speeds.index("A")] = found["force on A [N m]"]
    udot = four_bar.forward_dynamics(q, u, tau, t)
    assert np.allclose(udot[:, four_bar.speeds.index("A")], -1.8 * np.sin(3 * t), atol=1e-6)
    both = dalembert("drives", "four_bar", "--motion", "way.csv", "--actuated", "A", "--actuated", "D", "--json")
    assert both.code == 1 and "way.csv" in both.data["error"]
    Path("way.csv").write_text("t,A\n" + "\n".join(f"{x},{0.3 + x * x}" for x in np.linspace(0, 0.5, 6)))
    both = dalembert("drives", "four_bar", "--motion", "way.csv", "--actuated", "A", "--actuated", "D", "--json").data
    assert both["surplus"] == 1 and set(both["forces"]) == {"A", "D"}
    assert dalembert("drives", "four_bar").code == 2


def test_loci_and_maps(dalembert):
    ran = dalembert("locus", "bicycle", "ride.vx", "4:6.5:6", "-o", "l.csv", "-o", "l.html", "--json")
    assert ran.code == 0, ran.err
    assert [x["value"] for x in ran.data["stability_limits"]] == pytest.approx([4.29238253634111, 6.02426201538837])
    assert not ran.data["critical_speeds"], "a speed in m/s meets no frequency"
    assert len(table("l.csv")["ride.vx"]) == 6 and "Root locus" in Path("l.html").read_text()
    told = dalembert("stability", "bicycle", "--over", "ride.vx=4,5,7", "--json").data
    assert told["stable"] == [False, True, False]


def test_linearisations(dalembert):
    data = dalembert("linearise", "double_pendulum", "-o", "x.html", "--json").data
    m = da.load(find("double_pendulum"))
    e = m.equilibrium(dict(m.plan.initial))
    assert np.allclose(data["stiffness"], e.linearisation.stiffness) and data["verdict"] == "stable"
    text = dalembert("linearise", "double_pendulum", "--as-is").out
    assert "M " in text and "shoulder" in text


def test_sensitivities_and_what_they_identify(dalembert):
    ran = dalembert(
        "sensitivities",
        "pendulum",
        "--to",
        "l",
        "--to",
        "pivot",
        "-d",
        "0.3",
        "--every",
        "0.1",
        "-o",
        "x.csv",
        "--json",
    )
    assert ran.code == 0, ran.err
    m = da.load(find("pendulum"))
    wanted = m.sensitivities(0.3, parameters=["l"], initial_values=["pivot"], output=0.1)
    assert np.allclose(ran.data["derivatives"]["pivot"], wanted["pivot"])
    assert "d pivot / d l" in table("x.csv")
    assert dalembert("simulate", "pendulum", "-p", "l=1.1", "-d", "0.5", "--every", "0.1", "-o", "p.csv").code == 0
    ran = dalembert("identify", "pendulum", "p.csv", "--fit", "l", "--json")
    assert ran.data["values"]["l"] == pytest.approx(1.1, abs=1e-6)
    assert "bob.x" in ran.err


def test_inspection_at_other_coordinates(dalembert):
    assert "A = 1," in dalembert("inspect", "four_bar", "-i", "A=1").out
    assert "A = 1.0472" in dalembert("inspect", "four_bar", "-i", "A=60*deg").out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["simulate", "pendulum", "--method", "rk4"], 1, "--method rk4 has a fixed step; give it with --step"),
        (["simulate", "robot.urdf"], 1, "--duration 10"),
        (["sweep", "four_bar", "A", "0:1:x"], 2, "how many"),
        (["sweep", "four_bar", "A", "a:1"], 2, "no number"),
        (["sweep", "four_bar", "E", "0:1"], 1, "no joint or coordinate 'E'"),
        (["drives", "four_bar", "--move", "E=t", "-d", "1"], 1, "E"),
        (["drives", "four_bar", "--move", "A=q.B", "-d", "1"], 1, "only t"),
        (["locus", "pendulum", "x", "0:1"], 1, "x"),
        (["stability", "pendulum", "--over", "l"], 2, "name=from:to"),
        (["identify", "pendulum", "none.csv", "--fit", "l"], 1, "cannot be read"),
        (["simulate", "pendulum", "-i", "pivot=60*grad"], 2, "60*deg"),
    ],
)
def test_mistakes_are_told_in_the_words_of_the_command_line(dalembert, arguments, code, says):
    Path("robot.urdf").write_text((find("pendulum").parent / "robot.urdf").read_text())
    ran = dalembert(*arguments)
    assert ran.code == code and says in " ".join(ran.err.split()), ran.err
    assert "m.simulate" not in ran.err


def test_arguments_become_options():
    assert (
        in_options("method='rk4' wants step=0.1; leave out rtol=") == "--method rk4 wants --step 0.1; leave out --rtol"
    )


def test_completion_knows_files_folders_and_the_gallery(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "four").mkdir()
    for name in ("four/a.yaml", "four.urdf", "four.txt"):
        (tmp_path / name).write_text("")
    assert _complete("four") == ["four/", "four.urdf", *(name for name in names() if name.startswith("four"))]
    assert "four_bar" in _complete("four")
    assert _complete("four/") == ["four/a.yaml"]
