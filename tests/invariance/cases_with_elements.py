"""Mechanisms with elements in a random state, and elements drawn anew."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import dalembert as da
from dalembert.trace import symbol
from dalembert.trace.bind import bind
from tests.constraints.loops import consistent
from tests.elements.drawn_at_random import Units, random_system
from tests.invariance.cases import Case

if TYPE_CHECKING:
    from tests.invariance.redrawing import Drawing

SPAN = 0.1
"""Of the motion of mechanisms with elements: their states come in from rest."""


def _said(seed: int, loop: bool, length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> da.System:
    """In units of which so many make a metre, a kilogram, a second; nothing is said in axes of the world: neither winds nor a bushing's
    rest."""
    s, _ = random_system(seed, loop, Units(length, mass, time))
    for name, x in s.elements.items():
        if isinstance(x, da.Bushing):
            s.elements[name] = dataclasses.replace(x, a=next(iter(s.bodies)))
    s.connections = {to: source for to, source in s.connections.items() if ".wind_" not in to}
    return s


def _with_elements(rng: np.random.Generator, small: bool, loop: bool = False) -> Case:
    seed = int(rng.integers(2**31))
    s = _said(seed, loop)
    m = s.build()
    q = m.reference if loop else rng.uniform(-0.4, 0.4, m.n_q)
    u = rng.uniform(-0.5, 0.5, m.n_u)
    return Case(
        "", 0, s, q, consistent(m, q, u, 0.0) if loop else u, 0.0, duration=SPAN, said=partial(_said, seed, loop)
    )


EQUIPPED: dict[str, Callable[[np.random.Generator, bool], Case]] = {
    "elements on a tree": _with_elements,
    "elements in loops": lambda rng, small: _with_elements(rng, small, loop=True),
}
"""Kinds with elements: motors with encoders and controllers, friction, gas, cables, muscles, wheels."""


def draw_elements(s: da.System, made: da.System, d: Drawing) -> None:
    """Elements and what their inputs are connected to, in new units by `d.said`, under new names, the world turned and shifted."""
    values: dict[Any, Any] = {}
    if s.elements and not d.same_units:
        assert d.said is not None, "elements are said in other units by whoever drew them"
        s = d.said(d.length, d.mass, d.time)
        values = {symbol(name): x for name, x in s.parameters.items()}
    for name, element in s.elements.items():
        made.elements[d.other(name)] = _drawn(bind(element, values) if values else element, d)
    for to, source in s.connections.items():
        made.connections[_signal(to, d)] = _signal(source, d) if isinstance(source, str) else source


def _signal(name: str, d: Drawing) -> str:
    owner, dot, what = name.partition(".")
    return d.other(owner) + dot + what


def _drawn(x: Any, d: Drawing) -> Any:
    """An element that is said in new units already."""
    changes: dict[str, Any] = {}
    for f in dataclasses.fields(x):
        value = getattr(x, f.name)
        if isinstance(value, da.Point):
            changes[f.name] = _point(value, d)
        elif isinstance(value, tuple) and value and all(isinstance(p, da.Point) for p in value):
            changes[f.name] = tuple(_point(p, d) for p in value)
        elif f.name == "centre":
            changes[f.name] = d.R @ np.asarray(value) + d.length * d.p
        elif isinstance(x, da.Cable) and f.name == "axis":
            changes[f.name] = tuple(float(c) for c in d.vector(x.pulleys[0].body, value))
        elif f.name in ("joint", "body"):
            changes[f.name] = d.joint(value) if f.name == "joint" else d.body(value)
    return dataclasses.replace(x, **changes)


def _point(at: da.Point, d: Drawing) -> da.Point:
    place = d.R @ np.asarray(at.at) + d.length * d.p if at.body == "ground" else at.at
    return da.Point(d.body(at.body), place, at.node)
