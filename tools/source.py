"""What can be read off the source text of a package: its rooms, imports, names and types. Nothing is imported.

A room is a folder, however deep.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

BASE, TOP = "(base)", "(top)"
"""Modules at the root that serve all rooms; and the package's own `__init__` and `__main__`, which use all rooms."""


@dataclass(frozen=True)
class Import:
    """One import of a module of the package: at module level, lazy (inside a function) or for types only."""

    importer: str
    line: int
    imported: str
    kind: str


@dataclass(frozen=True, eq=False)
class Module:
    """One source file."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"


class Source:
    """All modules of a package and what can be read off them."""

    def __init__(self, package: Path, order: tuple[str, ...], facades: tuple[str, ...] = ()):
        self.package, self.order, self.facades = package, order, facades
        self.modules = {m.name: m for m in map(self._read, sorted(package.rglob("*.py")))}

    def _read(self, path: Path) -> Module:
        parts = path.relative_to(self.package.parent).with_suffix("").parts
        text = path.read_text(encoding="utf-8")
        return Module(".".join(parts[:-1] if parts[-1] == "__init__" else parts), path, text, ast.parse(text))

    # -- rooms --------------------------------------------------------------------------------------------------------
    def file(self, module: str) -> str:
        return self.modules[module].path.relative_to(self.package).as_posix()

    def folder(self, module: str) -> str:
        return self.modules[module].path.parent.relative_to(self.package).as_posix()

    def room(self, module: str) -> str:
        """The place in the order: the longest entry the file lies in; without one, its topmost folder."""
        file = self.file(module)
        if "/" not in file:
            stem = file.removesuffix(".py")
            return TOP if stem.startswith("__") else stem if stem in self.order else BASE
        parents = [file.removesuffix(".py"), *(p.as_posix() for p in Path(file).parents)]
        return next((p for p in parents if p in self.order), file.split("/")[0])

    @cached_property
    def folders(self) -> dict[str, dict[str, int]]:
        """Python files and lines of every folder, without those of the folders in it."""
        found: dict[str, dict[str, int]] = defaultdict(lambda: {"files": 0, "lines": 0})
        for name, m in self.modules.items():
            found[self.folder(name)]["files"] += 1
            found[self.folder(name)]["lines"] += len(m.text.splitlines())
        return dict(sorted(found.items()))

    # -- imports ------------------------------------------------------------------------------------------------------
    @cached_property
    def imports(self) -> list[Import]:
        return [found for m in self.modules.values() for found in self._imports_of(m, m.tree, "module")]

    def _imports_of(self, m: Module, node: ast.AST, kind: str) -> Iterator[Import]:
        for child in statements_in(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield from (Import(m.name, child.lineno, name, kind) for name in self._targets(m, child))
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from self._imports_of(m, child, "lazy")
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                yield from self._imports_of(m, ast.Module(child.body, []), "types")
                yield from self._imports_of(m, ast.Module(child.orelse, []), kind)
            else:
                yield from self._imports_of(m, child, kind)

    def _targets(self, m: Module, node: ast.Import | ast.ImportFrom) -> list[str]:
        """The modules of the package that a statement imports from, each once."""
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            above = m.name.split(".") if m.is_package else m.name.split(".")[:-1]
            start = ".".join([*above[: len(above) - node.level + 1], *([node.module] if node.module else [])])
            origin = start if node.level else (node.module or "")
            names = [f"{origin}.{a.name}" if f"{origin}.{a.name}" in self.modules else origin for a in node.names]
        return [name for name in dict.fromkeys(names) if name in self.modules]

    @cached_property
    def against_the_order(self) -> list[Import]:
        """Imports of a later room, but for what façades import when they are asked."""
        place = {room: i for i, room in enumerate(self.order)}
        return [
            i
            for i in self.imports
            if place.get(self.room(i.imported), -1) > place.get(self.room(i.importer), len(place))
            and not (self.file(i.importer) in self.facades and i.kind != "module")
        ]

    @property
    def rooms_without_place(self) -> list[str]:
        return sorted({self.room(name) for name in self.modules} - set(self.order))

    def cycles(self, of: str = "modules") -> list[list[str]]:
        """Modules, or rooms, that import each other at module level."""
        edges: dict[str, set[str]] = defaultdict(set)
        for i in self.imports:
            a, b = (i.importer, i.imported) if of == "modules" else (self.room(i.importer), self.room(i.imported))
            if i.kind == "module" and a != b:
                edges[a].add(b)
        return strongly_connected(edges)

    # -- names --------------------------------------------------------------------------------------------------------
    @cached_property
    def classes_used_twice(self) -> dict[str, list[str]]:
        return _several((node.name, self.file(name)) for name, node in self._nodes(ast.ClassDef))

    @cached_property
    def files_used_twice(self) -> dict[str, list[str]]:
        """Names of files, and folders, that stand in more than one place; a package counts by its folder's name, as does the file
        of that name in it."""
        places = ((name.split(".")[-1], self.file(name)) for name in self.modules)
        return _several((name, place) for name, place in places if not place.endswith(f"{name}/{name}.py"))

    def _nodes(self, *kinds: type[ast.AST]) -> Iterator[tuple[str, Any]]:
        for name, m in self.modules.items():
            yield from ((name, node) for node in every_statement(m.tree) if isinstance(node, kinds))

    @cached_property
    def lines_of_functions(self) -> dict[str, int]:
        return {
            f"{self.file(name)}:{node.lineno} {node.name}": node.end_lineno - node.lineno + 1
            for name, node in self._nodes(ast.FunctionDef, ast.AsyncFunctionDef)
        }

    @cached_property
    def lines_of_files(self) -> dict[str, int]:
        return {self.file(name): len(m.text.splitlines()) for name, m in self.modules.items()}

    @cached_property
    def values_given_twice(self) -> list[str]:
        """Names of a module that get a value at two places: the second takes the first's away from functions between them."""
        found = []
        for name, m in self.modules.items():
            given = (t for node in m.tree.body if isinstance(node, ast.Assign | ast.AnnAssign) for t in _targets(node))
            found += [f"{self.file(name)}: {x}" for x, n in Counter(given).items() if n > 1]
        return found

    # -- types --------------------------------------------------------------------------------------------------------
    @cached_property
    def returning_any(self) -> list[str]:
        """Public functions, and public methods of public classes, anywhere in the package."""
        found = []
        for name, m in self.modules.items():
            for owner, function in public_functions(m.tree):
                if returns_any(function):
                    found.append(f"{self.file(name)}:{function.lineno} {owner}{function.name}")
        return found

    @cached_property
    def exported_returning_any(self) -> list[str]:
        """Those of them that the package's `__all__` offers: functions, and methods of classes, inherited ones too."""
        top = self.modules[self.package.name]
        found: dict[str, None] = {}
        for public in _exported(top.tree):
            module, node = self._defined(top.name, public)
            for where, each in self._family(module, node):
                for owner, f in public_functions(ast.Module([each], [])):
                    if returns_any(f):
                        found[f"{self.file(where)}:{f.lineno} {owner}{f.name}"] = None
        return sorted(found)

    def _family(self, module: str, node: Any) -> list[tuple[str, Any]]:
        """A function; or a class and those it is derived from, as far as the package defines them."""
        found = [] if node is None else [(module, node)]
        for base in getattr(node, "bases", ()):
            found += self._family(*self._defined(module, ast.unparse(base).split("[")[0]))
        return found

    def _defined(self, module: str, name: str) -> tuple[str, Any]:
        """Where a name of a module is defined, imports followed."""
        for node in self.modules[module].tree.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
                return module, node
        for node in every_statement(self.modules[module].tree):
            if isinstance(node, ast.ImportFrom) and any((a.asname or a.name) == name for a in node.names):
                original = next(a.name for a in node.names if (a.asname or a.name) == name)
                alone = ast.ImportFrom(node.module, [ast.alias(original)], node.level)
                for target in self._targets(self.modules[module], alone):
                    if target != module:
                        return self._defined(target, original)
        return module, None


def statements_in(node: ast.AST) -> Iterator[ast.AST]:
    """The statements right inside another, with cases and handlers, which hold statements."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        inner = getattr(node, part, ())
        yield from inner if isinstance(inner, list) else ()


def every_statement(node: ast.AST) -> Iterator[ast.AST]:
    """All of them, however deep."""
    for child in statements_in(node):
        yield child
        yield from every_statement(child)


def public_functions(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    """(class with a dot, function) for all that have no underscore in front."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from ((f"{node.name}.", f) for f in node.body if isinstance(f, ast.FunctionDef) and f.name[0] != "_")
        elif isinstance(node, ast.FunctionDef) and node.name[0] != "_":
            yield "", node


def returns_any(function: ast.FunctionDef) -> bool:
    return function.returns is None or ast.unparse(function.returns) == "Any"


def _exported(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def _targets(node: ast.Assign | ast.AnnAssign) -> Iterator[str]:
    """Names that an assignment gives a value to; not those of which it changes a part."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        parts = target.elts if isinstance(target, ast.Tuple) else [target]
        yield from (part.id for part in parts if isinstance(part, ast.Name))


def _several(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for name, where in pairs:
        found[name].append(where)
    return {name: places for name, places in sorted(found.items()) if len(places) > 1}


def strongly_connected(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of more than one node, each reachable from each."""

    def reached(start: str, steps: dict[str, set[str]]) -> set[str]:
        seen, waiting = {start}, [start]
        while waiting:
            new = steps.get(waiting.pop(), set()) - seen
            seen |= new
            waiting += new
        return seen

    back: dict[str, set[str]] = defaultdict(set)
    for a, targets in edges.items():
        for b in targets:
            back[b].add(a)
    left, groups = sorted(edges), []
    while left:
        group = reached(left[0], edges) & reached(left[0], back)
        groups += [sorted(group)] if len(group) > 1 else []
        left = [x for x in left if x not in group]
    return groups
