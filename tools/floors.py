"""The oldest version that the package asks for of every dependency, as constraints for pip.

python tools/floors.py > floors.txt
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def floors() -> list[str]:
    """`name==version` for every dependency."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = [re.match(r"([\w.-]+)(?:\[\w+\])?>=([\w.]+)", x) for x in project["dependencies"]]
    if not all(found):
        raise SystemExit("a dependency in pyproject.toml has no oldest version")
    return [f"{x[1]}=={x[2]}" for x in found if x]


if __name__ == "__main__":
    print("\n".join(floors()))
