"""Types where users stand: every public function says what it takes and returns, and mypy sees a user's program as it is."""

from __future__ import annotations

import importlib
import inspect
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import dalembert as da
from dalembert.cached import cached_property
from dalembert.mechanism.analyses import Analyses
from dalembert.mechanism.mechanism import Mechanism

ROOT = Path(__file__).parent.parent
BARE = re.compile(r"Any( \| None)?")
EXCEPTIONS = {
    "State.settled": "any value, numbers or traced, in arrays or alone; the same comes back",
    "Cylinder.between": "**look: fields of the shape itself",
    "Capsule.between": "**look: fields of the shape itself",
}
INNER = ("Catalogue", "Differentiated")
"""What the package keeps with a mechanism for itself: compiled code, differentiated rows."""
RESULT = re.compile(r"from (dalembert\.[\w.]+) import ([\w, ]+)")


def results() -> Iterator[type]:
    """Classes that methods of a mechanism return, as its modules import them for their types."""
    for cls in (Mechanism, Analyses):
        source = Path(inspect.getfile(cls)).read_text(encoding="utf-8")
        block = source.partition("if TYPE_CHECKING:\n")[2].partition("\n\n")[0]
        for module, names in RESULT.findall(block):
            found = [name.strip() for name in names.split(",")]
            try:
                inside = importlib.import_module(module)
            except da.DalembertError:  # a framework that is not installed
                continue
            yield from (getattr(inside, name) for name in found if name not in INNER)


def functions(thing: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Public functions of a module, public methods and properties of a class."""
    if inspect.ismodule(thing):
        for name, x in vars(thing).items():
            if not name.startswith("_") and getattr(x, "__module__", "") == thing.__name__:
                yield from functions(x)
    elif inspect.isclass(thing):
        for name in dir(thing):
            x = inspect.getattr_static(thing, name)
            if isinstance(x, property):
                x = x.fget
            elif isinstance(x, cached_property):
                x = x.func
            elif isinstance(x, classmethod | staticmethod):
                x = x.__func__
            if inspect.isfunction(x) and (not name.startswith("_") or name == "__init__"):
                yield f"{thing.__name__}.{name}", inspect.unwrap(x)
    elif inspect.isfunction(thing):
        yield thing.__name__, inspect.unwrap(thing)


def unsaid(name: str, f: Callable[..., Any]) -> list[str]:
    """Arguments without a type, or with a bare Any; likewise the return value."""
    said = f.__annotations__
    missing = [p for p in inspect.signature(f).parameters if p not in ("self", "cls") and p not in said]
    bare = [p for p, hint in said.items() if BARE.fullmatch(hint if isinstance(hint, str) else repr(hint))]
    return [*missing, *bare, *(["return"] if "return" not in said and not name.endswith("__init__") else [])]


@pytest.mark.parametrize(
    "thing", [*(getattr(da, name) for name in da.__all__), *dict.fromkeys(results())], ids=lambda x: x.__name__
)
def test_public_functions_say_what_they_take_and_return(thing):
    found = {name: unsaid(name, f) for name, f in functions(thing) if f.__module__.startswith("dalembert.")}
    assert {name: x for name, x in found.items() if x and name not in EXCEPTIONS} == {}


def test_exceptions_are_needed():
    every = dict(x for name in da.__all__ for x in functions(getattr(da, name)))
    every |= dict(functions(da.State))
    every |= dict(x for shape in (da.shapes.Cylinder, da.shapes.Capsule) for x in functions(shape))
    assert all(unsaid(name, every[name]) for name in EXCEPTIONS)


def test_a_user_s_program_has_the_types_it_should():
    """`tests/typed_user.py`, checked strictly, as in the editor of someone who uses the package."""
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--follow-imports",
        "silent",
        str(ROOT / "tests" / "typed_user.py"),
    ]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
