"""What the package requires is explained, and nothing is required that nobody imports."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

from dalembert import __version__
from tools.floors import floors
from tools.release import notes

ROOT = Path(__file__).parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MODULES = {"pyyaml": "yaml"}
"""Packages that are imported under another name."""
ENGINES = {"h5py", "h5netcdf"}
"""Packages that xarray and h5netcdf import by name."""


def name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def test_every_dependency_has_its_reason_in_the_documents():
    text = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    required, optional = text.split("## What you may add")
    assert re.findall(r"^\| `([\w-]+)` \|", required, re.MULTILINE) == [name(x) for x in PROJECT["dependencies"]]
    extras = {k: v for k, v in PROJECT["optional-dependencies"].items() if k != "dev"}
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", optional, re.MULTILINE))
    assert rows == {k: ", ".join(f"`{name(x)}`" for x in v) for k, v in extras.items()}


def test_every_dependency_is_imported():
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    for package in {name(x) for x in PROJECT["dependencies"]} - ENGINES:
        module = MODULES.get(package, package)
        assert re.search(rf"^\s*(import|from) {module}\b", source, re.MULTILINE), package


def test_the_citation_has_the_version_and_the_licence():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__ and cited["license"] == PROJECT["license"]


def test_the_recipe_of_conda_asks_for_what_the_package_asks_for():
    recipe = yaml.safe_load((ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == __version__
    asked = [x.replace(" ", "") for x in recipe["requirements"]["run"]]
    assert asked == [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]


def test_every_reference_of_the_paper_is_in_its_list():
    text, listed = ((ROOT / "paper" / f"paper.{x}").read_text(encoding="utf-8") for x in ("md", "bib"))
    assert set(re.findall(r"@(\w+\d{4}\w+|drake)", text)) == set(re.findall(r"^@\w+\{(\w+),", listed, re.MULTILINE))


def test_workflows_run_make_targets_that_exist():
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        steps = [s for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values() for s in job["steps"]]
        called = [s["run"].split()[1] for s in steps if "run" in s]
        assert called and set(called) <= targets


def test_the_changelog_has_this_version_with_its_date():
    assert "### Added" in notes() and "## [" not in notes()


def test_every_dependency_has_an_oldest_version():
    assert [x.partition("==")[0] for x in floors()] == [name(x) for x in PROJECT["dependencies"]]
