"""Makes the site: gathers all texts in one folder, then calls Sphinx. A warning is an error.

python -m tools.site.build [FOLDER]
"""

from __future__ import annotations

import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.site import command_reference, concept_pictures, file_reference, gallery_page, python_reference
from tools.site.links import broken_links
from tools.site.live import with_frames
from tools.site.notebooks import notebook

ROOT = Path(__file__).resolve().parents[2]
OUTSIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
"""Documents at the root that are part of the site, in a folder `project`."""
OUTWARD = re.compile(r"\]\((?:\.\./)+(benchmarks/results/|CHANGELOG|CONTRIBUTING|SECURITY)")
"""Links from the documents to what stands beside them in the project."""
INWARD = re.compile(r"\]\((?:\.\./)*docs/")
ELSEWHERE = re.compile(r"\[([^\]\[]+)\]\((?!\w+:)(?![^)]*\.(?:md|png|gif|txt|ipynb)(?:#[^)]*)?\))[^)#][^)]*\)")
"""Links to files that the site does not have: folders, examples, programs."""


def gather(folder: Path) -> Path:
    """All sources of the site, in a folder; what is to be copied as it is stands in `extra` beside them."""
    shutil.rmtree(folder, ignore_errors=True)
    sources, extra = folder / "sources", folder / "extra"
    shutil.copytree(ROOT / "docs", sources)
    extra.mkdir()
    with ThreadPoolExecutor() as pool:  # every live page is made by a process of its own
        list(pool.map(lambda file: _prepare(file, sources, extra), sorted(sources.rglob("*.md"))))
    for file in (ROOT / "benchmarks" / "results").glob("*.md"):
        _write(sources / "benchmarks" / file.name, _from_project(file.read_text(encoding="utf-8")))
    for name in OUTSIDE:
        _write(sources / "project" / name, _from_project((ROOT / name).read_text(encoding="utf-8")))
    for name, text in python_reference.pages().items():
        _write(sources / "reference" / f"{name}.md", text)
    _write(sources / "reference" / "commands.md", command_reference.page())
    _write(sources / "reference" / "model-file-sections.md", file_reference.page())
    _write(sources / "gallery.md", gallery_page.page())
    for name, drawn in gallery_page.pictures().items():
        _write(sources / "images" / "gallery" / f"{name}.svg", drawn)
    for name in concept_pictures.PICTURES:
        _write(sources / "images" / "concepts" / f"{name}.svg", concept_pictures.drawn(name))
    return sources


def _prepare(file: Path, sources: Path, extra: Path) -> None:
    """A document as the site has it: with its notebook, its pictures and its live pages."""
    place = file.relative_to(sources).as_posix()
    text = file.read_text(encoding="utf-8")
    if place.startswith("tutorials/") or place == "start.md":
        _write(extra / "notebooks" / f"{file.stem}.ipynb", notebook(text))
        text = _with_notebook(text, place)
    depth = "../" * place.count("/")
    text = concept_pictures.MARK.sub(rf"![\1]({depth}images/concepts/\1.svg)", text)
    text = OUTWARD.sub(lambda found: f"]({depth}{_moved(found[1])}", text)
    _write(file, ELSEWHERE.sub(r"\1", with_frames(text, place, extra)))


def _moved(target: str) -> str:
    return "benchmarks/" if target.startswith("benchmarks") else f"project/{target}"


def _from_project(text: str) -> str:
    """A document of the project's root or of its benchmarks, one folder deep in the site."""
    text = INWARD.sub("](../", text)
    text = re.sub(r"\]\((?:\.\./)*benchmarks/results/", "](../benchmarks/", text)
    return ELSEWHERE.sub(r"\1", text)


def _with_notebook(text: str, place: str) -> str:
    """A document with a link to itself as a notebook, below its title."""
    title, _, rest = text.partition("\n")
    address = "../" * place.count("/") + f"notebooks/{Path(place).stem}.ipynb"
    return f'{title}\n\n<p><a href="{address}" download>This page as a notebook</a></p>\n{rest}'


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def build(site: Path) -> int:
    """The exit code of Sphinx."""
    from sphinx.cmd.build import build_main

    sources = gather(site.parent / "docs-sources")
    shutil.rmtree(site, ignore_errors=True)
    failed = int(build_main(["-q", "-W", "--keep-going", "-b", "html", str(sources), str(site)]))
    broken = broken_links(site)
    print("".join(f"broken link: {x}\n" for x in broken), end="", file=sys.stderr)
    return failed or int(bool(broken))


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "docs"))
