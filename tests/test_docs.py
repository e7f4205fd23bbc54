"""The Python of the documents runs as it stands: the blocks of one document, in order, are one program."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tools.site.live import MARK
from tools.site.notebooks import notebook

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")


def program(document: Path) -> str:
    return "\n".join(BLOCK.findall(document.read_text(encoding="utf-8")))


def name(document: Path) -> str:
    return str(document.relative_to(ROOT))


NOTEBOOKS = [*sorted((ROOT / "docs" / "tutorials").glob("*.md")), ROOT / "docs" / "start.md"]


@pytest.mark.parametrize("document", NOTEBOOKS, ids=name)
def test_notebooks_run_and_show_their_motion(document, tmp_path):
    text = document.read_text(encoding="utf-8")
    made = nbformat.reads(notebook(text), as_version=4)
    place = {"metadata": {"path": str(tmp_path)}}
    NotebookClient(made, timeout=600, startup_timeout=600, kernel_name="python3", resources=place).execute()
    shown = [c for c in made.cells if c.cell_type == "code" and c.source in MARK.findall(text)]
    assert shown
    for cell in shown:
        assert any("<iframe" in x.get("data", {}).get("text/html", "") for x in cell.outputs)


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if program(d) and d not in NOTEBOOKS], ids=name)
def test_python_in_documents_runs(document, tmp_path):
    done = subprocess.run([sys.executable, "-c", program(document)], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_between_documents_lead_somewhere(document):
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (document.parent / target).exists(), target


MODEL_FILE = re.compile(r"`(\w+\.yaml)`:?\n\n```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
SHOWN = re.compile(r"^```\n(.*?)^```", re.MULTILINE | re.DOTALL)
LONG = ("gallery -o", "doctor", "compare", "study", "identify")
"""Commands of many seconds, or with data that the text does not hold. They have tests of their own; here they are only known."""


def commands(document: Path) -> list[str]:
    """The command lines that a document shows, without their remarks."""
    lines = (line for block in SHOWN.findall(document.read_text(encoding="utf-8")) for line in block.splitlines())
    return [line.partition("  #")[0].strip() for line in lines if line.startswith("dalembert ")]


@pytest.mark.parametrize("document", [d for d in DOCUMENTS if commands(d)], ids=name)
def test_command_lines_in_documents_run(document, tmp_path, monkeypatch, capsys):
    from dalembert.cli import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda *_: True)
    for file, text in MODEL_FILE.findall(document.read_text(encoding="utf-8")):
        (tmp_path / file).write_text(text, encoding="utf-8")
    for line in commands(document):
        words = shlex.split(line)[1:]
        if line.removeprefix("dalembert ").startswith(LONG):
            words = [words[0], "--help"]
        assert main(words) == 0, f"{line}\n{capsys.readouterr().err}"
