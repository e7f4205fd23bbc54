"""Every number that tunes a decision has a name, a sentence and a line on the page; a number can be scaled to see what hangs on it."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tools import tolerances
from tools.scaled import DECISIONS, scale
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


def test_the_numbers_that_are_tried_exist():
    assert set(DECISIONS) <= {f"{c.file}:{name}" for c in constants() for name in c.names}
    tried = tolerances.json.loads(tolerances.TRIED.read_text(encoding="utf-8"))
    assert set(tried) <= {f"{c.file}:{name}" for c in constants() for name in c.names}


@pytest.mark.parametrize(
    "source, name, made", [("A = 2.0", "A", 20.0), ("A, B = 1.0, 3.0", "B", 30.0), ("C = 1.0", "A", None)]
)
def test_a_number_is_scaled_where_it_is_given(source, name, made):
    tree = ast.parse(source)
    assert scale(tree.body[0], name, 10.0) == (made is not None)
    values: dict[str, float] = {}
    exec(compile(ast.fix_missing_locations(tree), "", "exec"), values)
    assert made is None or values[name] == made


def test_whoever_imports_a_scaled_number_gets_it():
    code = (
        "import sys; sys.path[:0] = [{root!r}, {src!r}]\n"
        "from tools.scaled import Scaled\n"
        "sys.meta_path.insert(0, Scaled('dalembert.pivoting', 'RANK_TOLERANCE', 10.0))\n"
        "from dalembert.constraints.assembly import assemble\n"
        "print(assemble.RANK_TOLERANCE)"
    ).format(root=str(ROOT), src=str(ROOT / "src"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    from dalembert.pivoting import RANK_TOLERANCE

    assert float(done.stdout) == 10.0 * RANK_TOLERANCE
