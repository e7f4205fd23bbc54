"""The state of the house: rooms, names, imports against the order, words, and with `--walks` who is called on four common ways.

python tools/house.py [--json] [--walks]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.source import BASE, TOP, Source

ROOT = Path(__file__).resolve().parents[1]

ORDER = (
    BASE,
    "trace",
    "framed",
    "vectors",
    "parts",
    "elastic",
    "laws",
    "elements",
    "topology",
    "mechanism",
    "kinematics",
    "recursive",
    "system",
    "formulations",
    "constraints",
    "kernels",
    "motion",
    "simulation",
    "analysis",
    "frameworks",
    "importers",
    "files",
    "view",
    "exporters",
    "studies",
    "design",
    "cli",
    TOP,
)
"""A room uses the rooms before it, never those after it. A folder inside a room ("kernels/tree") may have a place of its own."""

FACADES = (
    "aliases.py",
    "mechanism/mechanism.py",
    "mechanism/analyses.py",
    "mechanism/best_values.py",
    "mechanism/compiled_quantities.py",
    "mechanism/description.py",
    "mechanism/connected.py",
    "mechanism/scales.py",
    "system/system.py",
    "motion/motion.py",
    "motion/motion_as_table.py",
    "motion/motion_elsewhere.py",
    "formulations/printing/written_equations.py",
)
"""Files whose methods hand questions on to later rooms: what they import inside functions, or for types only, is no fault."""

ALIKE = {
    "constraints": "methods that solve with them, and what a user can name; both are rooms",
    "dalembert": "the package, and d'Alembert's principle",
    "derivatives": "of traces, and compiled",
    "design": "of mechanisms that do best, a room; and the view in which a page's model is changed",
    "elements": "what has states of its own, a room; and elements of arrays as text",
    "tree": "formulations and kernels of a mechanism's tree",
}
"""Names of files that stand in several rooms, and why."""

ANY = {
    "elastic/placing.py": "a joint's placement, which a later room defines",
    "files/models/": "what a field holds: its kind reads and writes it",
    "formulations/partial_linearisation.py": "nests of numbers and expressions, as they came in",
    "framed.py": "NumPy's own protocol: an array of a kind that depends on what is asked",
    "importers/xml_node.py": "the result of whatever is called",
    "kernels/tree/body_records.py": "nests of numbers and expressions, as they came in",
    "kinematics/state_from_bodies.py": "sequences made on demand in place of a state's lists",
    "mechanism/changed_mechanism.py": "a change of variables of one of three kinds",
    "motion/reactions.py": "numbers or expressions, as the state is",
    "simulation/march/callback.py": "a function of ctypes",
    "trace/": "nests of numbers and expressions, as they came in; objects of NumPy's protocols, LLVM, ctypes and CasADi",
}
"""Where public functions may return `Any`, and what it is."""

LONGEST_FUNCTION, LONGEST_FILE, LARGEST_FOLDER = 60, 400, 20
"""Lines, lines and Python files above which something is listed."""

WORDS = {
    "held": "constrained, fixed or frozen",
    "own speeds": "formulation speeds",
    "speeds are own": "uses mechanism speeds",
    "balance": "EquationChoice, StaticResidual",
    "varied": "Jacobian, Sensitivity",
    "pair": "FormulationKernel",
    "formulated": "FormulationKernel",
    "given": "inputs",
    "seat": "joint base",
    "station": "node frame",
    "matter": "inertia",
    "trouble": "singularity",
    "firmness": "pivot ratio",
    "freed": "with constraint forces",
    "spelled": "as expressions",
    "told": "described",
    "reading": "printing, limited_read",
    "desk": "SingleStateCall",
    "era": "speed-choice interval",
    "looked at": "referenced",
    "carrier": "parent",
    "hand inward": "backward pass",
    "hand outward": "forward pass",
    "handed inward": "backward pass",
    "handed outward": "forward pass",
}
"""Private vocabulary and the field's word for it. Counted wherever the word stands, alone or as a part of a name, in any meaning."""


def house() -> Source:
    """The package as it is."""
    return Source(ROOT / "src" / "dalembert", ORDER, FACADES)


def state(source: Source, walks: bool = False) -> dict[str, Any]:
    """Everything there is to say, as plain data."""
    largest = max(source.folders, key=lambda f: source.folders[f]["files"])
    found: dict[str, Any] = {
        "files": len(source.modules),
        "lines": sum(f["lines"] for f in source.folders.values()),
        "folders": source.folders,
        "largest folder": {"folder": largest, "files": source.folders[largest]["files"]},
        "large folders": above(LARGEST_FOLDER, {f: x["files"] for f, x in source.folders.items()}),
        "class names used twice": source.classes_used_twice,
        "file names used twice": accidental(source.files_used_twice),
        "imports": dict(Counter(i.kind for i in source.imports)),
        **imports_against_the_order(source),
        "rooms without a place": source.rooms_without_place,
        "cycles of modules": source.cycles(),
        "cycles of rooms": source.cycles("rooms"),
        "public functions that return Any": source.returning_any,
        "of these offered by import dalembert": source.exported_returning_any,
        "words": words(source),
        "long functions": above(LONGEST_FUNCTION, source.lines_of_functions),
        "long files": above(LONGEST_FILE, source.lines_of_files),
    }
    return found | ({"walks": walked()} if walks else {})


def above(limit: int, sizes: dict[str, int]) -> dict[str, int]:
    return {name: size for name, size in sizes.items() if size > limit}


def accidental(files: dict[str, list[str]]) -> dict[str, list[str]]:
    """Without those that mean one thing: a command and what it asks for, a step of two importers, those that `ALIKE` explains."""
    found = {}
    for name, places in files.items():
        rooms = {p.split("/")[0] if p.startswith("importers/") else p for p in places if not p.startswith("cli/")}
        if len(rooms) > 1 and name not in ALIKE:
            found[name] = places
    return found


def imports_against_the_order(source: Source) -> dict[str, Any]:
    """How many from room to room, by kind (at module level, lazy, for types), and where."""
    crossing: dict[str, Counter[str]] = {kind: Counter() for kind in ("module", "lazy", "types")}
    where = []
    for i in source.against_the_order:
        crossing[i.kind][f"{source.room(i.importer)} → {source.room(i.imported)}"] += 1
        where.append(f"{source.file(i.importer)}:{i.line} {i.kind} → {source.file(i.imported)}")
    return {
        "against the order": {k: dict(sorted(c.items())) for k, c in crossing.items()},
        "against the order, at": where,
    }


def words(source: Source) -> dict[str, dict[str, int]]:
    """How often each word of the private vocabulary is used in the source, in how many files; and in the documents."""
    texts = [m.text for m in source.modules.values()]
    documents = [p.read_text(encoding="utf-8") for p in sorted((ROOT / "docs").rglob("*.md"))]
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for word in WORDS:
        counts = [uses(word, text) for text in texts]
        in_docs = sum(uses(word, text) for text in documents)
        found[word] = {"source": sum(counts), "files": sum(c > 0 for c in counts), "docs": in_docs}
    return dict(found)


def uses(word: str, text: str) -> int:
    stem = word.split()[0][1:]  # most files do not have it at all
    return len(re.findall(pattern_of(word), text)) if stem in text else 0


def pattern_of(word: str) -> str:
    """The word by itself or as a part of a snake_case or CamelCase name, plurals included; of several words, in a row."""
    parts = [f"[{p[0]}{p[0].upper()}]{p[1:]}" for p in word.split()]
    camel = "".join(p.capitalize() for p in word.split())
    return rf"(?<![A-Za-z]){'[ _]?'.join(parts)}s?(?![a-z])|(?<=[a-z]){camel}s?(?![a-z])"


def walked() -> dict[str, Any]:
    """What `tools/walks.py` counts, in processes of their own."""
    script = Path(__file__).with_name("walks.py")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    if "ModuleNotFoundError" in done.stderr:
        missing = done.stderr.strip().splitlines()[-1].split(": ", 1)[-1]
        raise SystemExit(
            f"the walks run the package, and {sys.executable} lacks something it needs ({missing}): run this with a Python in which "
            'the package is installed (pip install -e ".[dev]"), or leave out --walks'
        )
    if done.returncode:
        raise SystemExit(f"the walks failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# -- for people -------------------------------------------------------------------------------------------------------
def text_of(found: dict[str, Any]) -> str:
    parts = (_rooms, _names, _imports, _types, _words, _sizes, _walks)
    return "\n\n".join("\n".join(lines) for part in parts if (lines := part(found)))


def _rooms(found: dict[str, Any]) -> list[str]:
    lines = [f"{found['files']} files, {found['lines']} lines", "", f"{'room':28}{'files':>6}{'lines':>8}"]
    lines += [f"{folder:28}{x['files']:6}{x['lines']:8}" for folder, x in found["folders"].items()]
    largest = found["largest folder"]
    lines += [f"largest folder: {largest['folder']}, {largest['files']} Python files"]
    return [*lines, f"folders above {LARGEST_FOLDER} Python files: {_listed(found['large folders'])}"]


def _names(found: dict[str, Any]) -> list[str]:
    lines = []
    for title in ("class names used twice", "file names used twice"):
        lines += [f"{title}: {len(found[title])}"]
        lines += [f"  {name}: {', '.join(places)}" for name, places in found[title].items()]
    return lines


def _imports(found: dict[str, Any]) -> list[str]:
    lines = [f"imports: {_listed(found['imports'])}", "against the order:"]
    lines += [f"  {kind}: {sum(x.values())} ({_listed(x)})" for kind, x in found["against the order"].items()]
    lines += [f"    {where}" for where in found["against the order, at"]]
    lines += [f"rooms without a place in the order: {', '.join(found['rooms without a place']) or 'none'}"]
    for title in ("cycles of modules", "cycles of rooms"):
        lines += [f"{title}: {'; '.join(' – '.join(c) for c in found[title]) or 'none'}"]
    return lines


def _types(found: dict[str, Any]) -> list[str]:
    every, offered = found["public functions that return Any"], found["of these offered by import dalembert"]
    title = f"public functions that return Any: {len(every)}; offered by import dalembert: {len(offered)}"
    return [title, *(f"  {where}" for where in offered)]


def _words(found: dict[str, Any]) -> list[str]:
    lines = [f"{'word':18}{'source':>7}{'files':>6}{'docs':>6}  instead"]
    return lines + [f"{w:18}{x['source']:7}{x['files']:6}{x['docs']:6}  {WORDS[w]}" for w, x in found["words"].items()]


def _sizes(found: dict[str, Any]) -> list[str]:
    functions, files = found["long functions"], found["long files"]
    return [
        f"functions above {LONGEST_FUNCTION} lines: {len(functions)} ({_listed(functions)})",
        f"files above {LONGEST_FILE} lines: {len(files)} ({_listed(files)})",
    ]


def _walks(found: dict[str, Any]) -> list[str]:
    walks = found.get("walks", {})
    lines = [f"{'walk':36}{'calls':>8}{'functions':>10}{'files':>6}{'rooms':>6}{'changes':>8}  files by room"]
    for name, x in walks.items():
        counts = f"{x['calls']:8}{x['functions']:10}{x['files']:6}{x['rooms']:6}{x['changes of room']:8}"
        lines.append(f"{name:36}{counts}  {_listed(x['files by room'])}")
    return lines if walks else []


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items()) or "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print as JSON")
    parser.add_argument("--walks", action="store_true", help="follow the four walks, too (half a minute)")
    chosen = parser.parse_args()
    found = state(house(), chosen.walks)
    print(json.dumps(found, indent=1, ensure_ascii=False) if chosen.json else text_of(found))


if __name__ == "__main__":
    main()
