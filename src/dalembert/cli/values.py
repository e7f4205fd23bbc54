"""Numbers on the command line: 0.3, 60*deg, 0:2*pi:73, A=0.3, coupler,0.5,0.2,0."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    import numpy as np

    from dalembert.parts.forces.points import Point

COUNT = 51
"""Values of a range that does not say how many."""


def number(text: str, option: str) -> float:
    """A number, or an expression of constants as in model files."""
    try:
        return float(text)
    except ValueError:
        pass
    from dalembert.errors import ModelError
    from dalembert.files.models.place import Entry
    from dalembert.files.models.scope import Scope

    try:
        return Scope().plain(Entry(text.strip(), "", 1, 1))
    except ModelError:
        raise typer.BadParameter(
            f"{text!r} is no number, nor an expression such as 60*deg", param_hint=option
        ) from None


def numbers_by_name(given: list[str] | None, option: str) -> dict[str, list[float] | float]:
    """`A=0.3`, `A=60*deg`, `foot=0,150,-4.6` as {name: value or values}."""
    found: dict[str, list[float] | float] = {}
    for one in given or []:
        name, equals, text = one.partition("=")
        if not equals or not text.strip() or not name.strip():
            raise typer.BadParameter(f"{one!r} is not name=number or name=number,number,…", param_hint=option)
        values = [number(x, option) for x in text.split(",")]
        found[name.strip()] = values[0] if len(values) == 1 else values
    return found


def single_numbers(given: list[str] | None, option: str) -> dict[str, float]:
    """`m=2`: one number each."""
    found = numbers_by_name(given, option)
    for name, value in found.items():
        if not isinstance(value, float):
            raise typer.BadParameter(f"{name} takes one number", param_hint=option)
    return {name: value for name, value in found.items() if isinstance(value, float)}


def values_of(text: str, option: str) -> np.ndarray:
    """`from:to`, `from:to:how many`, or `1,2,5`."""
    import numpy as np

    parts = text.split(":")
    if len(parts) == 1:
        return np.array([number(x, option) for x in text.split(",")])
    count = COUNT
    if len(parts) == 3:
        if not parts[2].strip().isdigit() or int(parts[2]) < 2:
            raise typer.BadParameter(f"{parts[2]!r} is not how many values there are to be", param_hint=option)
        count = int(parts[2])
    if len(parts) > 3:
        raise typer.BadParameter(f"{text!r} is not from:to or from:to:count", param_hint=option)
    return np.linspace(number(parts[0], option), number(parts[1], option), count)


def point_of(text: str, option: str) -> Point:
    """`coupler`, `coupler,0.5,0.2,0` or `boom,tip`."""
    import numpy as np

    from dalembert.parts.forces.points import Point

    body, *rest = (x.strip() for x in text.split(","))
    if not rest:
        return Point(body)
    if len(rest) == 1:
        return Point(body, node=rest[0])
    if len(rest) != 3:
        raise typer.BadParameter(f"{text!r} is not body, body,x,y,z or body,node", param_hint=option)
    return Point(body, np.array([number(x, option) for x in rest]))
