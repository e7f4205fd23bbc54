"""Tuning numbers of the package: every one has a name, a sentence and a place. This writes docs/tolerances.md, and finds those without.

    python tools/tolerances.py write      the page anew
    python tools/tolerances.py check      what is missing: names without a sentence, numbers without a name

A tuning number is a constant of a module, in capitals, whose value holds a real number. Within functions no real number stands but
those of formulas (`OF_FORMULAS`) and those that guard (`HARMLESS`); what a parameter or a field is by default has its name there. Whole
numbers count something and are not looked at. Coefficients of published methods and drawing sizes are numbers too, but no tolerances:
they stand in `NO_TOLERANCES`, with the reason. What happened when a number was made ten times larger or smaller is in `tried.json`,
which `tools/try_tolerances.py` writes.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "dalembert"
PAGE = ROOT / "docs" / "tolerances.md"
TRIED = Path(__file__).with_name("tried.json")
"""What came of making a number ten times larger or smaller, by file and name."""

NO_TOLERANCES = {
    "simulation/integrators/dop853_tableau.py": "coefficients of a published method",
    "simulation/integrators/radau_tableau.py": "coefficients of a published method",
    "trace/native/sincos.py": "coefficients of polynomials",
    "trace/derivatives.py": "rules of differentiation",
    "trace/ops.py": "meanings of operations",
    "view/": "sizes of drawings",
}
"""Files whose numbers are no tolerances: the beginning of their path, and why."""

OF_FORMULAS = {0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 12.0, 100.0}
"""Numbers of formulas: halves and quarters, factorials, moments of bodies, per cent."""

HARMLESS = {1e-300, 1e300, 1e100, 1e3, 1e6, 1e9, 1e15}
"""Numbers that may stand without a name: guards against division by zero, beyond every number, factors of units, whole doubles."""


@dataclass(frozen=True)
class Constant:
    """A named number: where it is, what it is called, its value as written, and its sentence."""

    file: str
    line: int
    names: tuple[str, ...]
    value: str
    sentence: str | None

    @property
    def room(self) -> str:
        return self.file.partition("/")[0] if "/" in self.file else "everywhere"

    @property
    def said(self) -> str:
        """What it decides."""
        return " ".join((self.sentence or "").split())


@dataclass(frozen=True)
class Nameless:
    """A real number within a function."""

    file: str
    line: int
    text: str


def constants() -> list[Constant]:
    """All tuning numbers that have a name, in the order of files and lines."""
    return [c for file, tree, source in _modules() for c in _constants(file, tree, source)]


def nameless() -> list[Nameless]:
    """All numbers within functions that have no name and are of no formula."""
    return [n for file, tree, source in _modules() for n in nameless_in(file, tree, source)]


def nameless_in(file: str, tree: ast.Module, source: str) -> list[Nameless]:
    """Those of one file, from top to bottom."""
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    numbers = {x for f in functions for statement in f.body for x in _in_bodies(statement)}
    bare = [x for x in numbers if abs(x.value) not in OF_FORMULAS | HARMLESS]
    every = [Nameless(file, x.lineno, ast.get_source_segment(source, x) or "") for x in bare]
    return sorted(every, key=lambda n: (n.line, n.text))


def _in_bodies(node: ast.AST) -> Iterator[ast.Constant]:
    """Real numbers of a statement, but for what parameters are by default."""
    if isinstance(node, ast.Constant) and isinstance(node.value, float):
        yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.arguments):
            yield from _in_bodies(child)


def page() -> str:
    """The page: a table for every room."""
    lines = [
        "# Tolerances",
        "",
        "Every number that tunes a decision, with its place. `python tools/tolerances.py write` makes this page from the sentences",
        "beside the numbers; the tests hold that it is up to date, that no such number is without a sentence, and that none stands",
        "in a function without a name. The last column says what became of answers and tests that read the number when it was made ten",
        "times larger and smaller (`python -m tools.try_tolerances`): verdicts, motions and equilibria of the gallery and of random",
        "mechanisms, up to twenty, and as many quick tests. A dash says that this was not tried with the present value.",
        "All of them are pure numbers: lengths, masses and times are first measured by the model's own scales.",
        "",
    ]
    every, tried = constants(), json.loads(TRIED.read_text(encoding="utf-8"))
    for room in dict.fromkeys(c.room for c in every):
        lines += [
            f"## {room}",
            "",
            "| number | value | what it decides | ten times larger or smaller |",
            "|---|---|---|---|",
        ]
        for c in (c for c in every if c.room == room):
            where = f"{', '.join(f'`{n}`' for n in c.names)}<br>{c.file}"
            lines.append(f"| {where} | `{_cell(c.value)}` | {_cell(c.said)} | {_cell(_tried(c, tried))} |")
        lines.append("")
    return "\n".join(lines)


def _tried(c: Constant, tried: dict[str, dict[str, str]]) -> str:
    """What was tried with a number, or with each of several; a dash where nothing was, or with another value."""
    found = []
    for name, value in values(c).items():
        of = tried.get(f"{c.file}:{name}", {})
        if of.get("value") != value:
            continue
        ways = [
            (how, of[key]) for how, key in (("× 10: ", "larger"), ("÷ 10: ", "smaller"), ("", "unread")) if key in of
        ]
        if len(ways) == 2 and ways[0][1] == ways[1][1]:
            ways = [("× 10 and ÷ 10: ", ways[0][1])]
        found.append((f"{name} " if len(c.names) > 1 else "") + "; ".join(f"{how}{said}" for how, said in ways))
    return "; ".join(found) or "–"


def values(c: Constant) -> dict[str, str]:
    """What each of its names is, as written; whole numbers are left out, as they count something."""
    each = ast.parse(c.value, mode="eval").body
    parts = each.elts if len(c.names) > 1 and isinstance(each, ast.Tuple) else [each]
    texts = {name: ast.unparse(x) for name, x in zip(c.names, parts)}
    return {name: text for name, text in texts.items() if not text.lstrip("-").isdigit()}


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _modules() -> Iterator[tuple[str, ast.Module, str]]:
    for path in sorted(SOURCE.rglob("*.py")):
        file = path.relative_to(SOURCE).as_posix()
        if not file.startswith(tuple(NO_TOLERANCES)):
            source = path.read_text(encoding="utf-8")
            yield file, ast.parse(source), source


def _names(node: ast.stmt) -> tuple[str, ...]:
    """Names in capitals that a statement of a module gives a value to."""
    if isinstance(node, ast.Assign):
        target: ast.expr = node.targets[0]
    elif isinstance(node, ast.AnnAssign):
        target = node.target
    else:
        return ()
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    names = tuple(part.id for part in parts if isinstance(part, ast.Name))
    return names if names and len(names) == len(parts) and all(n.strip("_").isupper() for n in names) else ()


def _constants(file: str, tree: ast.Module, source: str) -> Iterator[Constant]:
    for node, after in zip(tree.body, [*tree.body[1:], None]):
        names, value = _names(node), getattr(node, "value", None)
        if not names or value is None or not _is_number(value):
            continue
        said = after.value if isinstance(after, ast.Expr) else None
        sentence = said.value if isinstance(said, ast.Constant) and isinstance(said.value, str) else None
        yield Constant(file, node.lineno, names, ast.get_source_segment(source, value) or "", sentence)


def _is_number(value: ast.expr) -> bool:
    """Whether an expression is made of numbers only, one of them real."""
    kinds = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.Load, ast.Name)
    nodes = list(ast.walk(value))
    real = any(isinstance(n, ast.Constant) and isinstance(n.value, float) for n in nodes)
    return real and all(isinstance(n, kinds) for n in nodes)


def main() -> int:
    if sys.argv[1:] == ["write"]:
        PAGE.write_text(page(), encoding="utf-8")
        print(f"written: {PAGE.relative_to(ROOT)}")
        return 0
    if sys.argv[1:] != ["check"]:
        print(__doc__)
        return 2
    silent = [c for c in constants() if not c.sentence]
    bare = nameless()
    for c in silent:
        print(f"{c.file}:{c.line}: {', '.join(c.names)} = {c.value} has no sentence")
    for n in bare:
        print(f"{n.file}:{n.line}: {n.text} has no name")
    return 1 if silent or bare else 0


if __name__ == "__main__":
    sys.exit(main())
