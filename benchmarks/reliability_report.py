"""The report on reliability: sections, each written by the gate it belongs to and replaced whole when that gate runs again."""

from __future__ import annotations

import fcntl
import os
import re
from pathlib import Path

REPORT = Path(__file__).parent / "results" / "reliability.md"
TITLE = "# Reliability\n\nEach gate of `make bench` writes its own section; the other sections stay as they were.\n"


def replace_section(heading: str, body: str, report: Path = REPORT) -> None:
    """Put `body` under "## heading", in place of what stood there, or at the end where there was no such section.

    Gates may run at the same time: the folder is locked from reading to writing.
    """
    report.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(report.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        text = report.read_text(encoding="utf-8") if report.exists() else TITLE
        temporary = report.with_suffix(".part")
        temporary.write_text(with_section(text, heading, body), encoding="utf-8")
        os.replace(temporary, report)
    finally:
        os.close(folder)


def with_section(text: str, heading: str, body: str) -> str:
    """A report with one section replaced."""
    section = f"## {heading}\n\n{body.strip()}\n"
    parts = re.split(r"(?m)^(?=## )", text)
    places = [k for k, part in enumerate(parts) if part.partition("\n")[0] == f"## {heading}"]
    if places:
        parts[places[0]] = section
    else:
        parts.append(section)
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"
