"""Which tuning numbers a piece of work reads: the package is imported with a note taken wherever one is read.

A number counts as read where an expression within a function is evaluated in which its name stands, or that of a number made from it.
What a parameter is by default counts as read when the function is called; what stands in the body of a class, when any function of that
module is.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tools.scaled import Changed
from tools.tolerances import SOURCE, constants

NOTE = "_tuning_number_is_read"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def install(seen: set[str]) -> None:
    """From now on, "file.py:NAME" of every number that is read is put into `seen`."""
    setattr(builtins, NOTE, seen.update)
    sys.meta_path.insert(0, Changed(noted))


def noted(file: str, tree: ast.Module) -> ast.Module:
    """A module that takes notes."""
    numbers = {name: keys for name, keys in names_in(file).items() if keys}
    modules = modules_in(file)
    everywhere = set(_in_classes(tree, numbers))
    return Noting(numbers, modules, everywhere).visit(tree)


class Noting(ast.NodeTransformer):
    """Puts a note before each reading of a number within functions."""

    def __init__(self, numbers: dict[str, set[str]], modules: dict[str, str], everywhere: set[str]):
        self.numbers, self.modules, self.everywhere, self.depth = numbers, modules, everywhere, 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: Function) -> ast.AST:
        read = {k for x in [*node.args.defaults, *node.args.kw_defaults] if x for k in self._keys_within(x)}
        self.depth += 1
        node.body = [self.visit(x) for x in node.body]
        self.depth -= 1
        first = node.body[0] if node.body else None
        at = 1 if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) else 0
        if read | self.everywhere:
            node.body.insert(at, ast.Expr(_note(read | self.everywhere)))
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self._read(node, self.numbers.get(node.id, set()))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in self.modules:
            return self._read(node, names_in(self.modules[node.value.id]).get(node.attr, set()))
        return self.generic_visit(node)

    def _read(self, node: ast.Name | ast.Attribute, keys: set[str]) -> ast.AST:
        if not (keys and self.depth and isinstance(node.ctx, ast.Load)):
            return node
        return ast.BoolOp(ast.Or(), [_note(keys), node])

    def _keys_within(self, x: ast.AST) -> set[str]:
        return {k for n in ast.walk(x) if isinstance(n, ast.Name) for k in self.numbers.get(n.id, ())}


def _note(keys: set[str]) -> ast.expr:
    names: list[ast.expr] = [ast.Constant(k) for k in sorted(keys)]
    return ast.Call(ast.Name(NOTE, ast.Load()), [ast.Tuple(names, ast.Load())], [])


def _in_classes(tree: ast.Module, numbers: dict[str, set[str]]) -> Iterator[str]:
    """Numbers that stand in the bodies of classes, outside methods."""
    for c in (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)):
        for statement in (s for s in c.body if not isinstance(s, Function)):
            for n in ast.walk(statement):
                yield from numbers.get(n.id, ()) if isinstance(n, ast.Name) else ()


# -- what names stand for ---------------------------------------------------------------------------------------------
@cache
def _known() -> frozenset[str]:
    return frozenset(f"{c.file}:{name}" for c in constants() for name in c.names)


@cache
def _parsed(file: str) -> ast.Module:
    return ast.parse((SOURCE / file).read_bytes())


@cache
def names_in(file: str) -> dict[str, set[str]]:
    """Names of a module that stand for a number, imported ones and those made from others too."""
    found: dict[str, set[str]] = {}
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.ImportFrom):
            source = _file_of(node.module or "")
            for a in node.names if source and source != file else ():
                if a.name.strip("_").isupper() and source:
                    found[a.asname or a.name] = names_in(source).get(a.name, set())
    for node in _parsed(file).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            used = {k for n in ast.walk(node.value) if isinstance(n, ast.Name) for k in found.get(n.id, ())}
            for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                if isinstance(part, ast.Name):
                    found[part.id] = ({f"{file}:{part.id}"} & _known()) | used
    return {name: keys for name, keys in found.items() if keys}


@cache
def modules_in(file: str) -> dict[str, str]:
    """Names of a module that stand for another module: its file."""
    found = {}
    for node in ast.walk(_parsed(file)):
        if isinstance(node, ast.ImportFrom):
            for a in node.names:
                source = _file_of(f"{node.module}.{a.name}")
                if source:
                    found[a.asname or a.name] = source
    return found


@cache
def _file_of(module: str) -> str | None:
    """The file of a module of the package."""
    first, _, rest = module.partition(".")
    if first != "dalembert":
        return None
    base = rest.replace(".", "/")
    for file in (f"{base}.py", f"{base}/__init__.py" if base else "__init__.py"):
        if (Path(SOURCE) / file).is_file():
            return file
    return None
