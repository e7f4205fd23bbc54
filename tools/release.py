"""What the changelog says of this version: the text of its release. The version must stand there with its date.

python tools/release.py > notes.md
"""

from __future__ import annotations

import re
from pathlib import Path

from dalembert import __version__

ROOT = Path(__file__).resolve().parent.parent


def notes() -> str:
    """The section of this version, without its heading."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"^## \[{re.escape(__version__)}\] - \d{{4}}-\d{{2}}-\d{{2}}\n(.*?)(?=^## |\Z)"
    found = re.search(heading, text, re.MULTILINE | re.DOTALL)
    if found is None:
        raise SystemExit(f"CHANGELOG.md has no dated section for {__version__}")
    return found[1].strip() + "\n"


if __name__ == "__main__":
    print(notes(), end="")
