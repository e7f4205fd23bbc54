"""The map of the house leads somewhere: every file it names is there, and so is what it says is in the file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
FILE = re.compile(r"`([a-z_]+(?:/[a-z_]+)*(?:/|\.py))`")
ROW = re.compile(r"^\| [^|]+ \| ([^|]+) \| ([^|]*) \|$", re.MULTILINE)


def place(name: str) -> Path:
    return ROOT / name if name.startswith("tools/") else ROOT / "src" / "dalembert" / name


@pytest.mark.parametrize("name", sorted(set(FILE.findall(MAP))))
def test_what_the_map_names_is_there(name):
    assert place(name).exists()


def test_what_the_map_says_is_in_a_file_is_in_it():
    """The first name of the third column stands in one of the files of the second."""
    rows = [(FILE.findall(files), re.findall(r"`(\w+)`", names)) for files, names in ROW.findall(MAP)]
    rows = [(files, names) for files, names in rows if names and any(f.endswith(".py") for f in files)]
    assert len(rows) > 20
    for files, names in rows:
        text = "".join(place(f).read_text(encoding="utf-8") for f in files if f.endswith(".py"))
        assert all(re.search(rf"\b{name}\b", text) for name in names), (files, names)
