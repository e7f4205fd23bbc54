"""Laws and choices of variables, drawn anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import dalembert as da
from dalembert.system.choices_said import CoordinatesSaid, SpeedsSaid

if TYPE_CHECKING:
    from tests.invariance.redrawing import Drawing

SPEED, FORCE = (1, 0, -1), (1, 1, -2)
OF_POINTS: dict[tuple[str, str], tuple[int, int, int]] = {
    ("Rope", "length"): (1, 0, 0),
    ("Rope", "shortest"): (1, 0, 0),
    ("Contact", "radius"): (1, 0, 0),
    ("Contact", "stribeck"): SPEED,
    ("JointFriction", "radius"): (1, 0, 0),
    ("JointFriction", "ring"): (1, 0, 0),
    ("JointFriction", "length"): (1, 0, 0),
}
"""Length, mass, time of what does not belong to a joint's freedom."""
PLACES = ("lower", "upper", "play", "offset")
TORQUES = ("force", "static_force", "capacity", "static_capacity", "torque", "static_torque")


def law_drawn(x: da.Law, d: Drawing, exponent_of: Callable[[str], int], of_state: Callable[..., Any]) -> da.Law:
    """A law, field by field; what belongs to a freedom is in its unit, a length or an angle."""
    names = [getattr(x, n, None) for n in ("coordinate", "a", "b")] + list(getattr(x, "factors", ()))
    joints = [n for n in names if isinstance(n, str)]
    c = d.unit(exponent_of(joints[0])) if joints else d.length
    energy = d.unit(2, 1, -2)
    changes: dict[str, Any] = {}
    for f in dataclasses.fields(x):
        value, key = getattr(x, f.name), (type(x).__name__, f.name)
        if value is None:
            continue
        if isinstance(value, da.Point):
            changes[f.name] = d.point(value)
        elif isinstance(value, str):
            changes[f.name] = d.joint(value)
        elif f.name == "factors":  # their sum keeps its unit where it is that of an angle
            changes["factors"] = {d.joint(k): v * c / d.unit(exponent_of(k)) for k, v in value.items()}
        elif f.name == "normal":
            changes["normal"] = tuple(float(v) for v in d.vector(x.origin.body, value))
        else:
            factor = _factor(key, c, energy, d)
            changes[f.name] = of_state(value, factor) if callable(value) else _scaled(value, factor)
    return dataclasses.replace(x, **changes)


def _factor(key: tuple[str, str], c: float, energy: float, d: Drawing) -> float:
    name = key[1]
    if key in OF_POINTS:
        return d.unit(*OF_POINTS[key])
    if name in PLACES:
        return c
    if name in TORQUES:
        return energy / c
    if name == "strength":
        return energy / c
    if name == "viscous":
        return energy * d.time / c**2
    return c / d.time if name == "stribeck" else 1.0


def _scaled(value: Any, factor: float) -> Any:
    return value if isinstance(value, bool) or factor == 1.0 else factor * value


def speeds_drawn(said: Any, d: Drawing, of_state: Callable[..., Any], names: Mapping[str, str]) -> Any:
    """Functions in other units give the same number of old units of time; the joints' names in `instead_of` are new ones."""
    if not isinstance(said, SpeedsSaid):
        return said
    made = {names.get(n, n): of_state(f, 1.0 / d.time) for n, f in said.functions.items()}
    return SpeedsSaid(made, tuple(d.joint(n) for n in said.instead_of))


def coordinates_drawn(said: Any, of_state: Callable[..., Any]) -> Any:
    """The same combinations, in the old units."""
    if said is None:
        return None
    return CoordinatesSaid({n: of_state(f, 1.0) for n, f in said.functions.items()}, said.dropped)
