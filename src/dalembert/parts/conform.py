"""What forces, constraints and outputs are made of, checked as they are made: every field by the kind of value that its type names."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from dalembert.errors import ModelError
from dalembert.parts.fields import Function, Holds
from dalembert.parts.names import text
from dalembert.parts.numbers import number, numbers, positive

Check = Callable[[Any, str], Any]
"""(what was given, where) → the value in its proper form, or a ModelError."""


class Described:
    """A base for dataclasses whose fields say by types of `fields.py` what they hold; those of other types are left as they are."""

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, check in checks_of(kind).items():
            object.__setattr__(self, name, check(getattr(self, name), f"{kind.__name__}: {name}"))


@cache
def checks_of(cls: type) -> dict[str, Check]:
    """For every field whose type says what it holds."""
    if not dataclasses.is_dataclass(cls):
        return {}
    try:
        hints = get_type_hints(cls, include_extras=True)
    except NameError:  # types known only where a user's own class was written
        return {}
    found = {f.name: (_check_of(hints[f.name]), f.default is None) for f in dataclasses.fields(cls) if f.init}
    return {
        name: partial(_optional, check) if optional else check
        for name, (check, optional) in found.items()
        if check is not None
    }


@cache
def marks_of(cls: type) -> dict[str, Holds | Function]:
    """For every field whose type says it, what it holds."""
    if not checks_of(cls):
        return {}
    hints = get_type_hints(cls, include_extras=True)
    marks = {name: [x for x in get_args(hints[name])[1:] if isinstance(x, Holds | Function)] for name in checks_of(cls)}
    return {name: found[0] for name, found in marks.items() if found}


def _check_of(hint: Any) -> Check | None:
    if get_origin(hint) is Annotated:
        for mark in get_args(hint)[1:]:
            if isinstance(mark, Holds):
                return positive if mark.positive else _held(mark.what)
            if isinstance(mark, Function):
                return partial(_function, mark)
    if get_origin(hint) is Literal:
        return partial(_one_of, get_args(hint))
    if get_origin(hint) in (Union, types.UnionType):
        inner = [x for x in get_args(hint) if x is not type(None)]
        return _check_of(inner[0]) if len(inner) == 1 else None
    each = get_args(hint)
    if get_origin(hint) is Mapping and (check := _check_of(each[1])) is not None:
        return partial(_by_name, check)
    if get_origin(hint) is tuple and each[1:] == (Ellipsis,) and (check := _check_of(each[0])) is not None:
        return partial(_several, check)
    return text if hint is str else None


def _held(what: str) -> Check | None:
    from dalembert.parts.forces.points import point
    from dalembert.parts.frames import as_frame
    from dalembert.parts.joints.axis import unit

    known: dict[str, Check] = {
        "number": number, "vector": lambda x, where: numbers(x, (3,), where), "axis": unit, "point": point,
        "frame": as_frame, "body": text, "joint": text,
    }  # fmt: skip
    return known.get(what)


def _optional(check: Check, given: Any, where: str) -> Any:
    return None if given is None else check(given, where)


def _function(kind: Function, given: Any, where: str) -> Any:
    if callable(given):
        return given
    of = {"s": "of the state", "t": "of time"}.get(kind.arguments[0], f"of {' and '.join(kind.arguments)}")
    if not kind.constant:
        raise ModelError(f"{where} must be a function {of}, lambda {', '.join(kind.arguments)}: …, not {given!r}")
    try:
        return number(given, where) if kind.size == 1 else numbers(given, (kind.size,), where)
    except ModelError as problem:
        raise ModelError(f"{problem}; or give a function {of}") from None


def _one_of(choices: tuple[Any, ...], given: Any, where: str) -> Any:
    if given not in choices:
        raise ModelError(f"{where}={given!r} is not known; choose {' or '.join(map(_quoted, choices))}")
    return given


def _quoted(choice: Any) -> str:
    return f'"{choice}"' if isinstance(choice, str) else repr(choice)


def _by_name(check: Check, given: Any, where: str) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f'{where} must name at least one value, {{"name": value}}, not {given!r}')
    return {text(name, f"{where}: {name!r}"): check(value, f"{where} of {name}") for name, value in given.items()}


def _several(check: Check, given: Any, where: str) -> tuple[Any, ...]:
    if isinstance(given, str) or (
        not isinstance(given, Sequence | types.GeneratorType) and not hasattr(given, "__len__")
    ):
        raise ModelError(f"{where} must be several values, not {given!r}")
    made = tuple(check(value, where) for value in given)
    if not made:
        raise ModelError(f"{where} must hold at least one value")
    return made
