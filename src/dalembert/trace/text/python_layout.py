"""What Python functions on floats and on NumPy arrays have in common: the module around them, and their compilation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from dalembert.trace.text.notation import Notation, Piece, signed
from dalembert.trace.text.routine import Place, Routine


def number(x: float) -> Piece:
    """The shortest text that gives the same float again."""
    return signed(repr(x)) if abs(x) < float("inf") else Piece(f"float('{x}')")


def module(wanted: Routine, head: Iterable[str], body: Iterable[str], decorator: str = "") -> str:
    """A module with this one function."""
    arguments = ", ".join(wanted.inputs)
    results = ", ".join(wanted.outputs)
    lines = ['"""Written by dalembert."""', "", *head, "", ""]
    lines += [decorator] if decorator else []
    lines += [f"def {wanted.name}({arguments}):", *(f"    {line}" for line in body), f"    return {results}", ""]
    return "\n".join(lines)


def assigned(wanted: Routine, notation: Notation) -> Iterable[str]:
    """The lines of the named intermediates."""
    return (f"{name} = {text}" for name, _, text in wanted.assignments(notation))


def read(p: Place, value: str) -> str:
    """The line that gives a symbol its value, with its name where the identifier differs."""
    return f"{p.identifier} = {value}" + (f"  # {p.remark}" if p.remark else "")


def compiled(name: str, source: str) -> Callable[..., Any]:
    """The function of this name in the source."""
    scope: dict[str, Any] = {}
    exec(compile(source, f"<{name}, written by dalembert>", "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function
