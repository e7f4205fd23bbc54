"""Choices of coordinates and speeds as a user says them, checked as they are given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalembert.errors import ModelError
from dalembert.parts.names import check_new_name, nearest
from dalembert.parts.speeds import PRESETS


@dataclass(frozen=True, eq=False)
class SpeedsSaid:
    """Speeds that a user writes, {name: function of the state}, and the joints or speeds that they replace, where that is said."""

    functions: Mapping[str, Any]
    instead_of: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class CoordinatesSaid:
    """Linear combinations of coordinates, {name: function of the state}, and which of them are dropped."""

    functions: Mapping[str, Any]
    dropped: tuple[str, ...] = ()


def speeds_said(given: Any, instead_of: tuple[str, ...], where: str) -> str | SpeedsSaid:
    """A preset by its name, or functions of the state by theirs."""
    if isinstance(given, str):
        if given not in PRESETS:
            raise ModelError(f"{where}: there is no choice {given!r}; {nearest(given, PRESETS, 'choose one of')}")
        if instead_of:
            raise ModelError(
                f"{where}: {given!r} replaces the speeds of every joint; instead_of is for speeds that you write"
            )
        return given
    return SpeedsSaid(_functions(given, "speed", where), instead_of)


def coordinates_said(given: Any, dropped: tuple[str, ...]) -> CoordinatesSaid:
    """Functions of the state by name, of which some are dropped."""
    return CoordinatesSaid(_functions(given, "coordinate", "choose_coordinates"), dropped)


def _functions(given: Any, what: str, where: str) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not given:
        raise ModelError(f"{where} takes {{name: function of the state}}, at least one, not {given!r}")
    for name, function in given.items():
        check_new_name(name, what, ())
        if not callable(function):
            raise ModelError(f'{where}: "{name}" must be a function of the state, lambda s: …, not {function!r}')
    return dict(given)
