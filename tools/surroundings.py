"""What is recorded besides mechanisms: commands, scripts, imported robots, saved motions and refusals."""

from __future__ import annotations

import io
import os
import re
import runpy
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.cli import main
from tools.answers import Answers
from tools.questions import written_back

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = (
    "--help", "simulate --help", "inspect --help", "equations --help", "analyse --help", "schema", "gallery", "new model.yaml",
    "inspect four_bar", "inspect four_bar --json", "inspect stewart_platform", "inspect bicycle", "inspect flexible_satellite",
    "simulate four_bar -d 1 --json", "simulate four_bar -d 0.5 -f lagrange -c svd --json", "simulate bicycle -d 0.5 -o b.csv",
    "simulate pendulum -d 1 --method rk4 --step 0.01 --json", "simulate pendulum -o p.html", "simulate pendulum --method euler",
    "simulate nothing", "simulate four_bar -i Q=1", "equations double_pendulum", "equations four_bar -f lagrange --format latex",
    "equations pendulum --format c", "equations pendulum --format python --numbers", "equations pendulum -f kanes",
    "analyse double_pendulum --starts 4", "analyse flyball_governor", "linearise double_pendulum --json",
    "locus flyball_governor spin 1:5:3", "stability pendulum --over m=1:2:2", "sweep four_bar A 0:2*pi:13 --json",
    "sensitivities pendulum -d 1 --json", "drives four_bar --move A=2*pi*t -d 0.5 --json", "import robot.urdf -o robot.yaml",
)  # fmt: skip


@contextmanager
def in_new_folder() -> Iterator[Path]:
    """A folder of its own to work in, with the robot in it."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("robot.urdf").write_bytes((ROOT / "examples" / "robot.urdf").read_bytes())
        try:
            yield Path(folder)
        finally:
            os.chdir(here)


def commands(answers: Answers) -> None:
    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    for line in COMMANDS:
        answers.ask(f"command/{line.replace('/', ':')}/said", lambda line=line: _command(line))


def _command(line: str) -> dict[str, str]:
    """Exit code, what was said, and the text of every file written."""
    said, complained = io.StringIO(), io.StringIO()
    with in_new_folder() as folder:
        before = set(folder.iterdir())
        with redirect_stdout(said), redirect_stderr(complained):
            code = main(line.split())
        files = {p.name: p.read_text(encoding="utf-8") for p in sorted(set(folder.iterdir()) - before)}
    out = re.sub(r'(?<="wall": )[0-9.e-]+|(?<= s in )[0-9.e-]+(?= s,)', "…", said.getvalue())  # how long it took
    return {"code": str(code), "out": out, "err": complained.getvalue(), **files}


def scripts(answers: Answers) -> None:
    """The examples in Python: what they print, and every motion and mechanism they make."""
    for path in sorted((ROOT / "examples").glob("*.py")):
        made = answers.ask(f"script/{path.stem}/printed", lambda path=path: _script(path), lambda x: x[0])
        for name, thing in (made[1] if made else {}).items():
            key = f"script/{path.stem}/{name}"
            if isinstance(thing, da.Motion):
                answers.ask(key, lambda x=thing: {"t": x.t, "q": x.q, "u": x.u})
            if isinstance(thing, da.Mechanism):
                answers.ask(key, lambda x=thing: str(x.inspect()))


def _script(path: Path) -> tuple[str, dict[str, Any]]:
    said = io.StringIO()
    with in_new_folder(), redirect_stdout(said):
        found = runpy.run_path(str(path))
    return said.getvalue(), found


def robots(answers: Answers) -> None:
    folder = ROOT / "benchmarks" / "robots"
    for path in (ROOT / "examples" / "robot.urdf", folder / "everything.urdf", folder / "everything.xml"):
        read = answers.ask(f"robot/{path.name}/notes", lambda path=path: da.load_robot(path), lambda x: _lines(x.notes))
        if read is not None:
            answers.ask(f"robot/{path.name}/yaml", lambda read=read: written_back(read.system))
            m = answers.ask(f"robot/{path.name}/inspection", read.build, lambda m: str(m.inspect()))
            if m is not None:
                answers.ask(f"robot/{path.name}/acceleration", lambda m=m: m.forward_dynamics(*m.assemble()))


def _lines(things: Any) -> str:
    return "\n".join(map(str, things)).replace(str(ROOT), "")


def saved(answers: Answers) -> None:
    """A motion written and read back; runs that are stopped, steered and gone on with."""
    m = da.load(ROOT / "examples" / "four_bar.yaml")
    with in_new_folder():
        motion = m.simulate(1.0)
        motion.save("m.nc")
        motion.save("m.csv")
        answers.ask("file/four_bar/csv", lambda: Path("m.csv").read_text(encoding="utf-8"))
        answers.ask("file/four_bar/nc", lambda: da.load_motion("m.nc", mechanism=m), lambda x: {"q": x.q, "u": x.u})
        answers.ask("file/four_bar/labels", lambda: str(motion.to_xarray()))
        rate = {"control": lambda s: {"A": -2.0 * s.u["A"]}, "control_rate": 50.0}
        answers.ask(
            "motion/four_bar/controlled", lambda: m.simulate(1.0, **rate), lambda x: {"q": x.q, "forces": x.forces}
        )
        answers.ask(
            "motion/four_bar/until", lambda: m.simulate(5.0, until=lambda s: s.u["A"] - 3.0), lambda x: {"q": x.q}
        )
        answers.ask("motion/four_bar/given up", lambda: m.simulate(5.0, max_steps=20))
        answers.ask(
            "sweep/four_bar/crank", lambda: m.sweep("A", np.linspace(0, 6, 13)), lambda x: {"q": x.q, "text": str(x)}
        )
        answers.ask(
            "branches/four_bar/0.7", lambda: m.branches({"A": 0.7}), lambda x: {"q": np.array(list(x)), "text": str(x)}
        )
        disc = da.load(ROOT / "examples" / "flyball_governor.yaml")
        answers.ask("locus/flyball_governor/spin", lambda: disc.root_locus("spin", [2.0, 4.0]), lambda x: str(x))


def _shut(coupler: float) -> da.System:
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 0.4), ("coupler", coupler), ("rocker", 0.9)):
        s.add_body(name, da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(coupler, 0, 0), at_child=(0.9, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1.0, 0, 0))
    return s


def refusals(answers: Answers) -> None:
    """Mistakes, and what is said of them."""
    m, short = _shut(1.0).build(), _shut(0.05)
    q, u = m.assemble({"A": 1.0}, {"A": 2.0})
    asked: dict[str, Callable[[], Any]] = {
        "a loop that cannot be closed": lambda: short.build().assemble({"A": 3.0}),
        "simulate what cannot be closed": lambda: short.build().simulate(1.0, {"A": 3.0}),
        "inspect what cannot be closed": lambda: str(short.build().inspect({"A": 3.0})),
        "two values that do not fit": lambda: m.simulate(1.0, {"A": 1.0, "B": 1.0}),
        "speeds that do not fit": lambda: m.simulate(1.0, {"A": 1.0}, {"A": 1.0, "B": 7.0}),
        "no such joint": lambda: m.simulate(1.0, {"E": 1.0}),
        "no such method": lambda: m.simulate(1.0, method="euler"),
        "no step": lambda: m.simulate(1.0, method="rk4"),
        "a step too many": lambda: m.simulate(1.0, method="dop853", step=0.1),
        "no duration": lambda: m.simulate(),
        "no such formulation": lambda: m.simulate(1.0, formulation="kanes"),
        "no such constraint method": lambda: m.simulate(1.0, constraints="svdd"),
        "no such stabilisation": lambda: m.simulate(1.0, stabilise="glue"),
        "hooker": lambda: m.equations("hooker").text(),
        "derivatives of a loop": lambda: m.forward_dynamics_derivatives(q, u),
        "a state of the wrong size": lambda: m.forward_dynamics(q[:-1], u),
        "not a number": lambda: m.forward_dynamics(q * np.nan, u),
        "no body of this name": lambda: m.state(q, u).position("wheel"),
        "no such cut": lambda: _shut(1.0).build(cut=["Z"]),
        "no such reaction": lambda: m.simulate(0.1, {"A": 1.0}).reaction("Z"),
        "a mass below zero": lambda: _shut(1.0).add_body("weight", mass=-1.0),
        "a name twice": lambda: _shut(1.0).add_body("crank", mass=1.0),
        "branches of many": lambda: str(m.branches({"A": 1.0})),
        "equilibria": lambda: "\n".join(map(str, m.equilibria({"A": 1.0}, starts=6))),
    }
    for name, question in asked.items():
        answers.ask(
            f"refusal/{name}/said", question, lambda found: found if isinstance(found, str) else type(found).__name__
        )


SURROUNDINGS: dict[str, Callable[[Answers], None]] = {
    f.__name__: f for f in (commands, scripts, robots, saved, refusals)
}
