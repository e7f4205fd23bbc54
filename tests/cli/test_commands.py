"""The commands: what they say, as words and as JSON, and how they end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import folder as gallery_folder

SRC = Path(da.__file__).parent.parent
COMMANDS = [
    "simulate",
    "inspect",
    "analyse",
    "equations",
    "compare",
    "view",
    "import",
    "gallery",
    "bench",
    "new",
    "schema",
]


def test_help_names_every_command(dalembert):
    ran = dalembert("--help")
    assert ran.code == 0
    assert all(command in ran.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_and_offers_json(dalembert, command):
    ran = dalembert(command, "--help")
    assert ran.code == 0
    assert "--json" in ran.out


def test_the_starter_model_runs(dalembert):
    assert dalembert("new", "first.yaml").code == 0
    assert "purpose" in Path("first.yaml").read_text()
    ran = dalembert("simulate", "first.yaml", "-d", "0.2", "-o", "first.nc", "-o", "first.csv")
    assert ran.code == 0, ran.err
    assert "pivot" in ran.out and "written: first.nc" in ran.err
    motion = da.load_motion("first.nc", mechanism=da.load("first.yaml"))
    assert np.isclose(motion.t[-1], 0.2)
    header = Path("first.csv").read_text().splitlines()[0]
    assert header.startswith('"t [s]","pivot [rad]","pivot\' [rad/s]","ball.x [m]"')
    again = dalembert("new", "first.yaml")
    assert again.code == 1 and "--force" in again.err


def test_values_from_the_command_line_are_used(dalembert):
    ran = dalembert("simulate", "pendulum", "-d", "0.1", "-i", "pivot=0.5", "-u", "pivot=1", "-p", "l=2", "--json")
    data = ran.data
    assert data["coordinates"]["pivot"]["start"] == 0.5
    assert data["speeds"]["pivot"]["start"] == 1.0
    assert np.isclose(data["energy"]["start"], 0.5 * 4 - 9.81 * 2 * np.cos(0.5))


def test_inspect_tells_of_loops(dalembert):
    ran = dalembert("inspect", "four_bar")
    assert ran.code == 0
    assert "Loop" in ran.out and "1 freedom" in ran.out
    data = dalembert("inspect", "four_bar", "--json").data
    assert data["diagnosis"]["mobility"] == 1
    assert data["grubler"] == -2


def test_equations_in_every_form(dalembert):
    for form in ("text", "latex", "python", "numpy", "c"):
        ran = dalembert("equations", "pendulum", "--format", form)
        assert ran.code == 0 and ran.out.strip()
    assert dalembert("equations", "pendulum", "--json").data["coordinates"] == ["pivot"]
    assert dalembert("equations", "pendulum", "-o", "e.txt").out == ""
    assert Path("e.txt").read_text()


def test_formulations_are_compared_and_simulated_by(dalembert):
    data = dalembert("compare", "pendulum", "-f", "kane", "-f", "lagrange", "--states", "2", "--json").data
    assert sorted(e["formulation"] for e in data["entries"]) == ["kane", "lagrange"]
    assert max(e["accelerations"] for e in data["entries"]) < 1e-12
    assert "kane" in dalembert("compare", "pendulum", "-f", "kane").out
    ran = dalembert("simulate", "pendulum", "-d", "0.1", "--formulation", "hamilton", "--json")
    assert ran.code == 0, ran.err


def test_stabilisations_and_formulations_have_settings_on_the_command_line(dalembert):
    short = ("simulate", "four_bar", "--duration", "0.05", "-o", "x.nc")
    ran = dalembert(*short, "--stabilise", "baumgarte:alpha=20,beta=100", "-f", "gauss_penalty:rho=1e7")
    assert ran.code == 0, ran.err
    options = da.load_motion("x.nc").record["options"]
    assert options["stabilise"] == {"alpha": 20.0, "beta": 100.0}
    assert options["formulation"] == {"type": "gauss_penalty", "rho": 1e7} and options["assemble"] is True
    opened = dalembert(*short, "--stabilise", "baumgarte", "--no-assemble")
    assert opened.code == 0 and da.load_motion("x.nc").record["options"]["assemble"] is False
    for wrong, says in {
        "baumgarte:gamma=1": "gamma",
        "projection:alpha=1": "projection",
        "baumgarte:alpha": "alpha",
    }.items():
        ran = dalembert(*short, "--stabilise", wrong)
        assert ran.code == 2 and says in ran.err, ran.err


def test_analyses_are_made_at_the_time_that_is_given(dalembert):
    burning = dalembert("analyse", "flexible_satellite")
    assert burning.code == 1 and "--time" in burning.err
    assert "rest, stable" in dalembert("analyse", "flexible_satellite", "--time", "5").out
    assert dalembert("linearise", "flexible_satellite", "--as-is", "--time", "5", "--json").code == 0


def test_the_schema_is_json(dalembert):
    assert json.loads(dalembert("schema").out)["title"]
    assert dalembert("schema", "-o", "s.json").code == 0
    assert json.loads(Path("s.json").read_text())["$defs"]


def test_the_gallery_is_listed(dalembert):
    assert "four_bar" in dalembert("gallery").out
    names = [one["name"] for one in dalembert("gallery", "--json").data]
    assert "heavy_top" in names


def test_gallery_pages(dalembert):
    ran = dalembert("gallery", "-o", "pages", "--only", "pendulum", "--json")
    assert ran.code == 0, ran.err
    assert Path("pages/index.html").exists() and Path("pages/pendulum.html").exists()


def test_view_writes_a_page(dalembert):
    ran = dalembert("view", "pendulum", "-d", "0.2", "--no-open", "--json")
    assert ran.code == 0, ran.err
    page = Path(ran.data["page"])
    assert page.name == "pendulum.html" and "<html" in page.read_text()[:2000]


def test_bench_measures(dalembert):
    data = dalembert("bench", "pendulum", "--seconds", "0.02", "--json").data
    assert data["bodies"] == 1 and data["simulated seconds per second"] > 0


URDF = """<robot name="arm">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.08" izz="0.08" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="A" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>"""


def test_a_robot_is_imported_and_simulated(dalembert):
    Path("arm.urdf").write_text(URDF)
    ran = dalembert("import", "arm.urdf")
    assert ran.code == 0, ran.err
    assert "written: arm.yaml" in ran.err
    by_file, by_robot = (dalembert("simulate", name, "-d", "0.1", "--json").data for name in ("arm.yaml", "arm.urdf"))
    assert by_file["coordinates"] == by_robot["coordinates"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["simulate", "nosuch"], 1, "gallery model"),
        (["simulate", "pendulm"], 1, "did you mean 'pendulum'"),
        (["simulate", "nosuch.yaml"], 1, "cannot be read"),
        (["simulate"], 2, "Usage"),
        (["simulate", "pendulum", "-o", "x.txt"], 2, ".nc"),
        (["simulate", "pendulum", "-i", "pivot"], 2, "name=number"),
        (["simulate", "pendulum", "-i", "pivo=1"], 1, "did you mean 'pivot'"),
        (["simulate", "pendulum", "-p", "x=1"], 1, "no parameter"),
        (["simulate", "pendulum", "--method", "euler"], 1, "not known"),
        (["equations", "pendulum", "--formulation", "kan"], 1, "kan"),
        (["gallery", "--only", "x"], 2, "no gallery model"),
        (["new", "x.txt"], 2, ".yaml"),
        (["nonsense"], 2, "Usage"),
    ],
)
def test_mistakes_end_with_their_code_and_a_line(dalembert, arguments, code, says):
    ran = dalembert(*arguments)
    assert ran.code == code
    assert says in ran.err
    if code == 1:
        assert ran.err.startswith("error: ") and ran.err.count("\n") == 1
        as_json = dalembert(*arguments, "--json")
        assert as_json.code == 1 and says in as_json.data["error"]


def test_mistakes_in_a_file_say_where_in_json(dalembert):
    Path("x.yaml").write_text("name: x\nbodys: {}\n")
    data = dalembert("inspect", "x.yaml", "--json").data
    assert (data["file"], data["line"], data["column"]) == ("x.yaml", 2, 1)


def test_colour_is_for_terminals_that_want_it(tmp_path):
    """A pipe gets none; `python -m dalembert` is the command."""
    done = subprocess.run(
        [sys.executable, "-m", "dalembert", "inspect", "nosuch"],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(SRC), "NO_COLOR": "1"},
    )  # fmt: skip
    assert done.returncode == 1
    assert "\033" not in done.stderr and done.stderr.startswith("error: ")


def test_starting_a_command_is_light(tmp_path):
    """What takes long to import is not imported to simulate what has been compiled before."""
    heavy = ("scipy", "xarray", "sympy", "h5py", "rich.console", "matplotlib")
    code = (
        "import sys; from dalembert.cli import main; main(['simulate', 'four_bar', '-d', '0.1', '--json']); "
        f"print([x for x in {heavy} if x in sys.modules], file=sys.stderr)"
    )
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    for _ in range(2):  # the first compiles, if nobody has
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, env=env)
    assert done.stderr.strip().endswith("[]"), done.stderr


def test_analyse_tells_balance_and_modes(dalembert):
    data = dalembert("analyse", "pendulum", "--initial", "pivot=0.5", "--json").data
    (found,) = data["equilibria"]
    assert found["verdict"] == "stable" and abs(found["coordinates"]["pivot"]) < 1e-10
    assert found["modes"][0]["frequency"] > 0.0
    ran = dalembert("analyse", "pendulum", "--mode", "0", "-o", "mode.html")
    assert ran.code == 0 and "Hz" in ran.out
    assert Path("mode.html").stat().st_size > 10_000
    assert dalembert("analyse", "pendulum", "--mode", "7").code == 2


@pytest.mark.parametrize(
    "command",
    [
        ("simulate", "{}"),
        ("inspect", "{}.yaml"),
        ("inspect", "{}.urdf"),
        ("import", "{}.xml"),
        ("import", str(gallery_folder() / "robot.urdf"), "-o", "{}.yaml"),
        ("new", "{}.yaml"),
        ("gallery", "-o", "{}", "pendulum"),
        *(("simulate", "pendulum", "-d", "0.01", "-o", "{}" + ending) for ending in (".csv", ".nc", ".html")),
        ("identify", "pendulum", "{}.csv", "--fit", "l"),
    ],
    ids=" ".join,
)
def test_impossible_names_of_files_are_refused_in_words(dalembert, tmp_path, command):
    """No command ends with a traceback, and nothing is left behind."""
    ran = dalembert(*(part.format("n" * 5000) for part in command))
    assert ran.code in (1, 2) and ran.err.strip() and "Traceback" not in ran.err
    assert not list(tmp_path.iterdir())
