"""Uses an installed package as a new user would: README, gallery, command line, page. Run by tools/wheel_check.sh in an empty folder.

python -P tools/wheel_use.py CHECKOUT FOLDER_OF_COMMANDS
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"`(\w+\.yaml)`:?\n\n```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
REPEATS = 5


def run(*command: str) -> str:
    """What a command prints; the check ends here if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def readme(text: str, dalembert: str) -> int:
    """Runs the README's files, Python and commands; the number of commands."""
    for name, content in FILE.findall(text):
        Path(name).write_text(content, encoding="utf-8")
    for kind, code in BLOCK.findall(text):
        if kind == "python":
            run(sys.executable, "-P", "-c", code)
    commands = [
        line.partition("#")[0].split()
        for kind, block in BLOCK.findall(text)
        if not kind
        for line in block.splitlines()
        if line.startswith("dalembert ")
    ]
    for _, command, *rest in commands:
        shown = ["--no-open", "-o", "shown.html"] if command == "view" else []
        run(dalembert, command, *rest, *shown)
    return len(commands)


def gallery(dalembert: str) -> int:
    """Reads and inspects every model that came with the package, and marches those by which something would be missed."""
    models = json.loads(run(dalembert, "gallery", "--json"))
    for model in models:
        run(dalembert, "inspect", model["name"], "--json")
    for name in ("imported_robot", "flexible_four_bar", "press", "bouncing_ball"):
        run(dalembert, "simulate", name, "--duration", "0.2", "-o", f"{name}.nc", "-o", f"{name}.csv")
    return len(models)


def installed() -> tuple[float, float]:
    """Megabytes of the environment's packages without pip; seconds of `import dalembert`, the best of some."""
    folder = Path(sysconfig.get_paths()["purelib"])
    sizes = [
        path.stat().st_size
        for path in folder.rglob("*")
        if path.is_file() and path.relative_to(folder).parts[0] not in ("pip", "setuptools")
    ]
    timed = "import time; t = time.perf_counter(); import dalembert; print(time.perf_counter() - t)"
    return sum(sizes) / 1e6, min(float(run(sys.executable, "-P", "-c", timed)) for _ in range(REPEATS))


def main(root: Path, commands: Path) -> None:
    where = run(sys.executable, "-P", "-c", "import dalembert; print(dalembert.__file__)").strip()
    if Path(where).is_relative_to(root):
        raise SystemExit(f"the checkout was imported, not the wheel: {where}")
    found = [path for path in commands.glob("dalembert*") if path.stem == "dalembert"]
    if not found:
        raise SystemExit(f"the wheel installed no command in {commands}")
    dalembert = str(found[0])
    of_readme = readme((root / "README.md").read_text(encoding="utf-8"), dalembert)
    models = gallery(dalembert)
    run(dalembert, "view", "four_bar", "--no-open", "-o", "four_bar.html")
    if "WebAssembly" not in Path("four_bar.html").read_text(encoding="utf-8"):
        raise SystemExit("the page of the four-bar does not simulate")
    run(dalembert, "doctor", "--seconds", "1")
    megabytes, seconds = installed()
    print(
        f"the wheel works: {of_readme} commands of the README, {models} gallery models, page, doctor; "
        f"{megabytes:.0f} MB with all dependencies, import {seconds:.3f} s"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
