"""Words of fields: from the pages that list forces, constraints, outputs, laws and elements, and from the options of a simulation."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from dalembert.mechanism.simulation_options import options

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("forces", "constraints-outputs", "laws", "elements")
SECTION = re.compile(r"^#+ (\w+)\n\n`da\.(?:outputs\.)?\w+`, in files .*?\n\n((?:\|.*\n)+)", re.MULTILINE)
CELLS = re.compile(r"(?<!\\)\|")
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@cache
def listed() -> dict[tuple[str, str], str]:
    """What is said of each field, by class and field."""
    found = {("SimulationOptions", name): x.help for name, x in options().items()}
    for page in PAGES:
        for cls, table in SECTION.findall((DOCS / f"{page}.md").read_text(encoding="utf-8")):
            for row in table.splitlines()[2:]:
                name, _, said = (cell.strip() for cell in CELLS.split(row)[1:4])
                found[cls, name.strip("`")] = LINK.sub(r"\1", said).replace("\\|", "|")
    return found
