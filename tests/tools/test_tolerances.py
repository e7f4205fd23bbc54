"""Every number that tunes a decision has a name, a sentence and a line on the page; a number can be scaled to see what hangs on it."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tools import tolerances
from tools.scaled import scale
from tools.tolerances import PAGE, ROOT, constants, nameless, nameless_in, page


def test_no_number_in_a_function_is_without_a_name():
    assert [f"{n.file}:{n.line}: {n.text}" for n in nameless()] == []


def test_every_number_has_a_sentence():
    assert [f"{c.file}:{c.line}: {c.names}" for c in constants() if not c.sentence] == []


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "python tools/tolerances.py write"


def test_numbers_are_found_where_they_have_no_name():
    source = "LIMIT = 1e-3\ndef f(x, small=1e-6):\n    half = 0.5 * x\n    return lambda y=0.3: x > 1e-9 and y < -0.7\n"
    found = nameless_in("f.py", ast.parse(source), source)
    assert [(n.line, n.text) for n in found] == [(4, "0.7"), (4, "1e-9")]


def test_the_numbers_that_were_tried_exist():
    tried = tolerances.json.loads(tolerances.TRIED.read_text(encoding="utf-8"))
    assert set(tried) <= {f"{c.file}:{name}" for c in constants() for name in c.names}


@pytest.mark.parametrize(
    "source, name, made",
    [
        ("A = 2.0", "A", 20.0),
        ("A, B = 1.0, 3.0", "B", 30.0),
        ("C = 1.0", "A", None),
        ("A: Final = (1.0, 2.0)", "A", (10.0, 20.0)),
    ],
)
def test_a_number_is_scaled_where_it_is_given(source, name, made):
    tree = ast.parse(source)
    assert scale(tree.body[0], name, 10.0) == (made is not None)
    values: dict[str, object] = {"Final": None}
    exec(compile(ast.fix_missing_locations(tree), "", "exec"), values)
    assert made is None or values[name] == made


def test_whoever_imports_a_scaled_number_gets_it():
    code = (
        "import sys; sys.path[:0] = [{root!r}, {src!r}]\n"
        "from tools.scaled import install\n"
        "install('pivoting.py:RANK_TOLERANCE', 10.0)\n"
        "from dalembert.constraints.assembly import assemble\n"
        "print(assemble.RANK_TOLERANCE)"
    ).format(root=str(ROOT), src=str(ROOT / "src"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    from dalembert.pivoting import RANK_TOLERANCE

    assert float(done.stdout) == 10.0 * RANK_TOLERANCE


def in_a_process(code):
    """What a program prints that is told where the tools are."""
    head = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'src')!r}]\n"
    return subprocess.run([sys.executable, "-c", head + code], capture_output=True, text=True, check=True).stdout


MARCH = """
import dalembert as da
s = da.System("crank")
for name, length in (("a", 0.3), ("b", 0.9)):
    s.add_body(name, mass=1.0, com=(length / 2, 0, 0), inertia=(0.0, 0.1, 0.1))
s.add_joint("A", da.Revolute(), "ground", "a")
s.add_joint("B", da.Revolute(), "a", "b", at_parent=(0.3, 0, 0))
s.add_constraint("rail", da.OnPlane(("b", (0.9, 0, 0)), "ground", (0, 1, 0)))
m = s.build()
from dalembert.simulation.march import program
kept = program.Program._module
program.Program._module = lambda self: (made := kept(self), print(hash(made.source)))[0]
m.simulate(0.1, {"A": 0.5}, {"A": 1.0})
"""


@pytest.mark.parametrize(
    "where", ["kernels/rhs/projection.py:SLOW", "simulation/integrators/step_control.py:LEAST_REMEMBERED"]
)
def test_a_scaled_number_reaches_compiled_code(where, monkeypatch):
    """Code is kept by the hash of its text."""
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    scaled = f"from tools.scaled import install\ninstall({where!r}, 10.0)\n"
    first, again, other = (in_a_process(code + MARCH) for code in ("", "", scaled))
    assert first and first == again != other


def test_what_a_piece_of_work_reads_is_noted():
    code = """
from tools import reached
seen = set()
reached.install(seen)
import dalembert as da
s = da.System("pendulum")
s.add_body("bob", mass=1.0)
s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "bob")
axes = set(seen)
print("parts/joints/axis.py:UNIT" in axes, "pivoting.py:RANK_TOLERANCE" in axes)
"""
    assert in_a_process(code).strip() == "True False"
