"""The equations in the documents are those the package prints."""

from __future__ import annotations

import subprocess
import sys

from tests.test_docs import ROOT, program

PAGE = ROOT / "docs" / "formulations" / "printed.md"


def test_the_printed_equations_are_up_to_date(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", program(PAGE)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    page = PAGE.read_text(encoding="utf-8")
    robot = done.stdout[: done.stdout.rindex("Operations(")].strip()
    assert f"```text\n{robot}\n```" in page
    made = (tmp_path / "eight-body-tree.txt").read_text(encoding="utf-8")
    assert made == (PAGE.parent / "eight-body-tree.txt").read_text(encoding="utf-8")
    assert "\n".join(made.rstrip().splitlines()[-12:]) in page
