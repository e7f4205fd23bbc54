"""Packages that need not be there are asked for in one way, and named where they are missing."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.optional import PACKAGES

ASKED = {
    "sympy": lambda m: m.equations("kane").sympy(),
    "casadi": lambda m: m.equations("kane").casadi(),
    "matplotlib": lambda m: m.root_locus(*LOCUS(m)).plot(),
    "control": lambda m: m.linearise().to_control(),
    "anywidget": lambda m: m.simulate(0.1, output=0.05).widget(),
    "pandas": lambda m: m.linearise().to_dataframe(),
    "zarr": lambda m: study(m).run(folder="never made", store="zarr"),
    "distributed": lambda m: study(m).run(executor="tcp://127.0.0.1:1"),
}


def LOCUS(m):
    name = next(iter(m.parameters), None)
    return (name, np.linspace(1.0, 2.0, 2))


def study(m):
    return da.Study(m, {"l": "±1%"}, ["end A"], 2, duration=0.1)


def pendulum():
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    length = s.parameter("l", 1.0)
    s.add_body("bob", da.particle(1.0, at=(0, -length, 0)))
    s.add_joint("A", da.Revolute(), "ground", "bob")
    return s.build()


@pytest.mark.parametrize("package", ASKED)
def test_a_missing_package_is_named_with_what_to_install(package, monkeypatch):
    for name in [n for n in sys.modules if n.partition(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    title, wanted = PACKAGES[package]
    with pytest.raises(
        da.DalembertError, match=rf"(?s){title}.*pip install {wanted.replace('[', '.').replace(']', '.')}"
    ):
        ASKED[package](pendulum())


def _run(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes of a module, but for what is there for types only."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from _run(node)


def test_nothing_else_imports_them():
    source = Path(da.__file__).parent
    found = []
    for file in source.rglob("*.py"):
        for node in _run(ast.parse(file.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            found += [(file.name, name) for name in names if name.partition(".")[0] in PACKAGES]
    assert {name for _, name in found} <= {
        "skfem.models.elasticity",
        "skfem.models.poisson",
        "skfem.helpers",
    }  # after skfem itself
