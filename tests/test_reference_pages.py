"""The pages that list forces, constraints, outputs and formulations say what the code has, no more and no less."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from dalembert.elements import ELEMENTS
from dalembert.files.models.records import fields_of, type_name
from dalembert.formulations import FORMULATIONS
from dalembert.laws import LAWS
from dalembert.parts.constraints import CONSTRAINTS
from dalembert.parts.forces import FORCES
from dalembert.parts.forces.points import Point
from dalembert.parts.frames import Frame
from dalembert.parts.outputs import OUTPUTS

ROOT = Path(__file__).parent.parent
SECTION = re.compile(r"^#+ (\w+)\n\n`da\.(?:outputs\.)?(\w+)`, in files `(\w+)`:.*?\n\n((?:\|.*\n)+)", re.MULTILINE)
NUMBERS = {
    19: "nineteen",
    20: "twenty",
    21: "twenty-one",
    22: "twenty-two",
    23: "twenty-three",
    24: "twenty-four",
    25: "twenty-five",
    26: "twenty-six",
    27: "twenty-seven",
}


def sections(name: str) -> dict[str, tuple[str, list[list[str]]]]:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    return {
        title: (kind, [[cell.strip(" `") for cell in row.split("|")[1:-1]] for row in rows.splitlines()[2:]])
        for title, cls, kind, rows in SECTION.findall(text)
        if title == cls
    }


def shown(field) -> str:
    """A default as the pages write it."""
    if field.required:
        return "required"
    value = field.default
    if value is None or (isinstance(value, str) and not value):
        return "none"
    if isinstance(value, Frame):
        return "the body's"
    if isinstance(value, Point):
        return value.body
    if isinstance(value, (tuple, np.ndarray)):
        return ", ".join(f"{x:g}" for x in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


@pytest.mark.parametrize(
    ("page", "classes"),
    [
        ("forces.md", FORCES),
        ("constraints-outputs.md", (*CONSTRAINTS, *OUTPUTS)),
        ("laws.md", LAWS),
        ("elements.md", ELEMENTS),
    ],
)
def test_every_class_is_listed_with_its_fields_and_defaults(page, classes):
    found = sections(page)
    assert list(found) == [c.__name__ for c in classes]
    for cls in classes:
        kind, rows = found[cls.__name__]
        assert kind == type_name(cls)
        assert [row[:2] for row in rows] == [[f.name, shown(f)] for f in fields_of(cls)], cls.__name__


def test_formulations_are_listed_and_counted():
    table = re.findall(r"^\| \[`(\w+)`\]", (ROOT / "docs" / "equations.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(table) == sorted(FORMULATIONS)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert (
        f"{NUMBERS[len(FORMULATIONS)].capitalize()} formulations" in readme
        and f"by {len(FORMULATIONS)} methods" in readme
    )


def test_every_option_and_section_of_model_files_is_told():
    from dalembert.files.models.layout import SECTIONS, SIMULATION

    text = (ROOT / "docs" / "model-files.md").read_text(encoding="utf-8")
    for name in (*SECTIONS, *(f.name for f in SIMULATION)):
        assert f"`{name}`" in text, name


def test_every_command_is_told():
    from dalembert.cli.app import COMMANDS

    text = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    for commands in COMMANDS.values():
        for name in commands:
            assert re.search(rf"^\| `{name}[ `]", text, re.MULTILINE), name


def test_sources_are_those_that_are_cited():
    text = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| ([A-Z]) \|", text, re.MULTILINE)
    assert listed == ["A", "B", "C", "D", "E"]


def test_options_of_a_simulation_are_told_with_what_is_usual():
    """The table in simulation.md is that of the fields of `SimulationOptions`."""
    from dalembert.mechanism.simulation_options import options

    rows = [f"| `{name}` | {x.help} | {x.usual or 'none'} |" for name, x in options().items()]
    text = (ROOT / "docs" / "simulation.md").read_text(encoding="utf-8")
    assert "\n".join(["| option | what | default |", "|---|---|---|", *rows]) in text
