"""The site of the documentation: live models from its own text, a whole reference, notebooks that hold the text's programs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest

import dalembert as da
from dalembert.cli.app import COMMANDS
from dalembert.files.gallery import files
from dalembert.files.models.layout import SECTIONS
from tests.view.conftest import Watched
from tools.site import build, command_reference, concept_pictures, file_reference, gallery_page, live, python_reference
from tools.site.links import broken_links
from tools.site.notebooks import notebook

DOCS = Path(__file__).parents[2] / "docs"
TOCTREE = re.compile(r"^```\{toctree\}\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_a_reader_of_closed_loops_moves_the_four_bar_of_the_text(browser, tmp_path) -> None:
    text = (DOCS / "constraints.md").read_text(encoding="utf-8")
    first = text[: live.MARK.search(text).end() + 1]
    made = live.with_frames(first, "constraints.md", tmp_path)
    assert '<iframe class="live" src="live/constraints-swing.html"' in made and "<!-- live" not in made
    holder = tmp_path / "index.html"
    holder.write_text(
        f"<!doctype html><title>x</title><body>{made[made.index('<iframe') :].replace('loading', 'data-x')}",
        encoding="utf-8",
    )
    opened = browser.new_page(viewport={"width": 800, "height": 900})
    opened.set_default_timeout(120_000)  # a busy machine
    opened.goto(f"file://{holder}")
    frame = next(f for f in opened.frames if f != opened.main_frame)
    Watched.until(_Asking(frame), "window.dalembert?.live !== undefined && dalembert.live !== null")
    frame.evaluate("dalembert.live.realTime.switch(true)")
    assert frame.evaluate("dalembert.data.bodies.map(b => b.name)") == ["ground", "crank", "coupler", "rocker"]
    opened.close()


class _Asking:
    """What `Watched.until` asks."""

    def __init__(self, frame) -> None:
        self.frame = frame

    def __call__(self, script: str):
        return self.frame.evaluate(script)


def test_documents_without_marks_stay_as_they_are(tmp_path) -> None:
    text = (DOCS / "joints.md").read_text(encoding="utf-8")
    assert live.with_frames(text, "joints.md", tmp_path) == text and not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def reference() -> dict[str, str]:
    return python_reference.pages()


def test_every_public_name_is_in_the_reference_once(reference) -> None:
    every = "\n".join(reference.values())
    found = re.findall(r"^:+\{py:(?:class|function|exception)\} dalembert\.(\w+)\b(?!\.)", every, re.MULTILINE)
    modules = {"shapes", "surfaces", "outputs", "studies"}
    assert sorted(found) == sorted(set(da.__all__) - modules)
    for method in ("simulate", "linearise", "equilibrium", "forward_dynamics", "diagnose"):
        assert f"{{py:method}} {method}(" in reference["mechanism"]
    assert "Annotated[" not in every and "{py:method} _" not in every


def test_fences_of_the_reference_match(reference) -> None:
    for page in reference.values():
        opened: list[str] = []
        for fence, name in re.findall(r"^(:{3,})(\{.*)?$", page, re.MULTILINE):
            if name:
                assert not opened or len(opened[-1]) > len(fence)
                opened.append(fence)
            else:
                assert opened.pop() == fence
        assert not opened


def test_every_command_and_section_is_in_the_reference() -> None:
    commands, sections = command_reference.page(), file_reference.page()
    for name in (name for group in COMMANDS.values() for name in group):
        assert f"\n### {name}\n" in commands
    for name in SECTIONS:
        assert f"\n## {name}\n" in sections
    assert "### type: revolute" in sections and "ss |" not in sections


def test_every_model_is_on_the_page_of_the_gallery_once_with_a_test_that_exists() -> None:
    said = [entry for group in gallery_page.words().values() for entry in group.items()]
    assert sorted(name for name, _ in said) == sorted(f.stem for f in (DOCS.parent / "examples").glob("*.yaml"))
    text = gallery_page.page()
    for name, words in said:
        assert text.count(f"\n### {name}\n") == 1
        file, _, test = words["test"].partition("::")
        assert f"def {test}(" in (DOCS.parent / file).read_text(encoding="utf-8"), name


@pytest.mark.parametrize("name", ["four_bar", "imported_robot", "flexible_satellite"])
def test_the_picture_of_a_model_is_a_drawing_of_its_bodies(name) -> None:
    drawn = ElementTree.fromstring(gallery_page.picture(files()[name]))
    solids = drawn.findall("{http://www.w3.org/2000/svg}polygon")
    assert len(solids) >= da.load(files()[name]).n_bodies
    assert all(len(x.get("points").split()) > 1 for x in solids)


def test_notebooks_hold_the_programs_of_their_documents() -> None:
    for file in [*(DOCS / "tutorials").glob("*.md"), DOCS / "start.md"]:
        text = file.read_text(encoding="utf-8")
        made = notebook(text)
        nbformat.validate(nbformat.reads(made, as_version=4))
        code = ["".join(c["source"]) for c in json.loads(made)["cells"] if c["cell_type"] == "code"]
        shown = live.MARK.findall(text)
        assert shown and [x for x in code if x not in shown] == [x.strip() for x in live.BLOCK.findall(text)]


def test_every_document_is_in_a_list_of_pages_and_every_tutorial_ends_alive() -> None:
    listed = [
        line for block in TOCTREE.findall((DOCS / "index.md").read_text(encoding="utf-8"))
        for line in block.splitlines() if line and not line.startswith(":")
    ]  # fmt: skip
    assert len(listed) == len(set(listed))
    documents = {f.relative_to(DOCS).with_suffix("").as_posix() for f in DOCS.rglob("*.md")} - {"index"}
    made = {f"reference/{page.file}" for page in python_reference.PAGES}
    made |= {
        "reference/commands",
        "reference/model-file-sections",
        "gallery",
        *(f"project/{x[:-3]}" for x in build.OUTSIDE),
    }
    made |= {f"benchmarks/{f.stem}" for f in (DOCS.parent / "benchmarks" / "results").glob("*.md")}
    assert set(listed) == documents | made
    for tutorial in (DOCS / "tutorials").glob("*.md"):
        assert live.MARK.search(tutorial.read_text(encoding="utf-8").rstrip().splitlines()[-1])


def test_every_concept_has_one_picture_that_is_drawn_alike_every_time() -> None:
    marked = [
        concept_pictures.MARK.findall(f.read_text(encoding="utf-8")) for f in sorted((DOCS / "concepts").glob("*.md"))
    ]
    assert all(len(x) == 1 for x in marked) and sorted(x for [x] in marked) == sorted(concept_pictures.PICTURES)
    for name in ("frames", "loops"):
        drawn = concept_pictures.drawn(name)
        assert ElementTree.fromstring(drawn) is not None and drawn == concept_pictures.drawn(name)


def test_links_that_lead_nowhere_are_found(tmp_path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="a/b.html#here">x</a> <a href="https://elsewhere">y</a> <img src="no.svg">'
    )
    (tmp_path / "a" / "b.html").write_text('<p id="here"><a href="../index.html">x</a> <a href="#there">y</a>')
    assert broken_links(tmp_path) == ["a/b.html: #there", "index.html: no.svg"]


@pytest.mark.parametrize("page", ["joints", "elements", "outputs", "events", "mechanism"])
def test_every_field_of_the_reference_has_words(reference, page) -> None:
    rows = [x for x in reference[page].splitlines() if x.startswith("| `")]
    assert rows and not [x for x in rows if re.search(r"\|\s*\|$", x)]
