"""One tuning number of the package, scaled: the module that holds it is read anew, before anything imports it.

Whoever imports the number, takes it as what a parameter is by default or writes it into compiled code gets the scaled one: compiled
code is kept by the hash of its text, in which numbers stand. `tools/try_tolerances.py` uses this.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

Change = Callable[[str, ast.Module], ast.Module]
"""What is made of a module: its file within the package, its tree, and the tree to be compiled instead."""


class Changed(MetaPathFinder):
    """Finds the modules of the package that are to be read otherwise than they are written."""

    def __init__(self, change: Change, only: str | None = None):
        self.change, self.only = change, only

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name.partition(".")[0] != "dalembert" or self.only not in (None, name):
            return None
        spec = PathFinder.find_spec(name, path)
        assert spec is not None and spec.origin is not None
        spec.loader = ChangedLoader(name, spec.origin, self.change)
        return spec


class ChangedLoader(SourceFileLoader):
    """Compiles the source itself, as kept byte code knows nothing of the change."""

    def __init__(self, name: str, path: str, change: Change):
        super().__init__(name, path)
        self.change = change

    def get_code(self, fullname: str) -> CodeType:
        parts = Path(self.path).parts
        file = "/".join(parts[len(parts) - parts[::-1].index("dalembert") :])
        tree = self.change(file, ast.parse(Path(self.path).read_bytes()))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")


def module_of(file: str) -> str:
    """The module that a file of the package is."""
    return ".".join(["dalembert", *file.removesuffix(".py").split("/")]).removesuffix(".__init__")


def install(where: str, factor: float) -> None:
    """From now on a number, "file.py:NAME", is read scaled; its module must not have been imported."""
    file, _, name = where.partition(":")
    module = module_of(file)
    assert module not in sys.modules, f"{module} was imported before"

    def change(_: str, tree: ast.Module) -> ast.Module:
        if not any([scale(node, name, factor) for node in tree.body]):
            raise SystemExit(f"{file} has no number {name}")
        return tree

    sys.meta_path.insert(0, Changed(change, module))


def scale(node: ast.stmt, name: str, factor: float) -> bool:
    """Multiply the value that a statement gives to a name, alone or with others."""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None:
        return False
    target, value = node.targets[0] if isinstance(node, ast.Assign) else node.target, node.value
    if isinstance(target, ast.Name) and target.id == name:
        node.value = scaled(value, factor)
        return True
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for i, part in enumerate(target.elts):
            if isinstance(part, ast.Name) and part.id == name:
                value.elts[i] = scaled(value.elts[i], factor)
                return True
    return False


def scaled(value: ast.expr, factor: float) -> ast.expr:
    """A number times the factor; of several, each."""
    if isinstance(value, ast.Tuple):
        return ast.Tuple([scaled(x, factor) for x in value.elts], ast.Load())
    return ast.BinOp(value, ast.Mult(), ast.Constant(factor))
