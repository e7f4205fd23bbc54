"""Every docstring can be read by itself: it begins with a noun or a verb, not with a word that leans on its neighbour."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "dalembert"
LEANING = {"Of", "By", "Their", "Its", "So", "With", "From"}
"""Words that need what stands before them: useless in a tooltip."""


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of the docstrings of a module, of its classes, functions and names."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if not isinstance(body, list):
            continue
        documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        before: list[ast.stmt | None] = [None, *body]
        for previous, statement in zip(before, body):
            named = isinstance(previous, ast.Assign | ast.AnnAssign) or (previous is None and documented)
            match statement:
                case ast.Expr(value=ast.Constant(value=str() as text)) if named and text.split():
                    yield statement.lineno, text


def test_no_docstring_leans_on_its_neighbour():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 400
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {text.splitlines()[0]}"
        for path in files
        for line, text in docstrings(ast.parse(path.read_text(encoding="utf-8")))
        if text.split()[0].strip(",.:;") in LEANING
    ]
    assert not found, "\n".join(found)


def test_every_kind_of_docstring_is_seen():
    names = '"""Of a."""\nX = 1\n"""By b."""\n'
    members = 'class C:\n    """So c."""\n    x: int\n    """Its d."""\n    def f(self):\n        """From e."""\n'
    assert [text for _, text in docstrings(ast.parse(names + members))] == [
        "Of a.",
        "By b.",
        "So c.",
        "Its d.",
        "From e.",
    ]
