"""Bodies that need the same code: same joint, same pattern of 0 and ±1 among their constants, same place in the tree.

Each class is traced once, with the other constants read from a table; a loop then runs over all bodies. So the time to compile does not
grow with the number of bodies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.parts.frames import Frame
from dalembert.recursive.links import Link
from dalembert.recursive.spatial_inertia import RigidInertia
from dalembert.trace import Expr, symbol

_LOWER = [(0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)]
_N_FRAME = 12
N_CONSTANTS = 9 + 3 + 1 + 1 + 1 + 3 + 6 + 3 + 1 + _N_FRAME
"""E, p, along, phase, m, h, lower triangle of I, ground acceleration, armature; and the link frame in body axes, for outputs alone."""


def constants(links: tuple[Link, ...], gravity: np.ndarray) -> np.ndarray:
    """A row of constants per body; objects where any is an expression."""
    rows = [i * 3 + j for i, j in _LOWER]
    parts = [
        np.array([link.E for link in links]).reshape(-1, 9),
        np.array([link.p for link in links]),
        np.array([link.along for link in links])[:, None],
        np.array([link.phase for link in links])[:, None],
        np.array([link.inertia.m for link in links])[:, None],
        np.array([link.inertia.h for link in links]),
        np.array([link.inertia.I for link in links]).reshape(-1, 9)[:, rows],
        np.broadcast_to(-gravity, (len(links), 3)),
        np.array([link.armature for link in links])[:, None],
        np.array([link.frame.rotation for link in links]).reshape(-1, 9),
        np.array([link.frame.position for link in links]),
    ]
    return np.hstack(parts)


def link_of(link: Link, row: list[Any]) -> tuple[Link, np.ndarray]:
    """The inverse of `constants`: the link with these constants, and the ground's acceleration."""
    ends = np.cumsum([9, 3, 1, 1, 1, 3, 6, 3, 1, 9, 3])
    E, p, along, phase, m, h, lower, ground, J, rotation, position = np.split(np.array(row, dtype=object), ends[:-1])
    I = np.empty((3, 3), dtype=object)
    for (i, j), x in zip(_LOWER, lower):
        I[i, j] = I[j, i] = x
    inertia, frame = RigidInertia(m[0], h, I), Frame(position, rotation.reshape(3, 3))
    made = replace(
        link, E=E.reshape(3, 3), p=p, along=along[0], phase=phase[0], inertia=inertia, frame=frame, armature=J[0]
    )
    return made, ground


@dataclass(frozen=True)
class BodyClass:
    """What bodies of one class have in common. The link's constants are numbers where 0 or ±1, else symbols read from a table."""

    link: Link
    ground: np.ndarray
    root: bool
    leaf: bool
    first: bool
    """Whether it is the first of its parent's children to pass something backward."""
    loaded: bool
    """Whether forces of the mechanism act on the body."""
    driven: bool
    """Whether forces of the mechanism act on its joint."""


@dataclass(frozen=True)
class Classes:
    """The classes, the class of each body, and the table of constants (n × N_CONSTANTS)."""

    classes: tuple[BodyClass, ...]
    of_body: tuple[int, ...]
    table: np.ndarray


def classify(m: Mechanism, links: tuple[Link, ...], acted_on: Callable[[int], tuple[bool, bool]]) -> Classes:
    """Group the bodies; `acted_on(k)` says whether forces act on body k (from 0) and on its joint."""
    table = constants(links, m.gravity)
    known, numbers = _known(table)
    fixed = np.where(known, numbers, np.nan)
    last_child = {link.parent: k for k, link in enumerate(links)}
    found: dict[Any, int] = {}
    classes: list[BodyClass] = []
    of_body = []
    for k, link in enumerate(links):
        place = (link.parent == 0, (k + 1) not in last_child, last_child[link.parent] == k, *acted_on(k))
        prescribed = tuple(law is not None for law in link.source.law.u)
        key = (link.joint, prescribed, link.spin.tobytes(), fixed[k].tobytes(), np.isnan(numbers[k]).tobytes(), place)
        if key not in found:
            found[key] = len(classes)
            row = [float(x) if here else _read(i, x) for i, (here, x) in enumerate(zip(known[k], table[k]))]
            body, ground = link_of(link, row)
            classes.append(BodyClass(body, ground, *place))
        of_body.append(found[key])
    return Classes(tuple(classes), tuple(of_body), table)


def _known(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which constants the code may know: 0 and ±1, except in what only outputs need; and the numbers, nan for expressions."""
    numbers = (
        table
        if table.dtype != object
        else np.array([x if isinstance(x, float) else np.nan for x in table.ravel()]).reshape(table.shape)
    )
    known = (numbers == 0.0) | (np.abs(numbers) == 1.0)
    known[:, N_CONSTANTS - _N_FRAME :] = False
    return known, numbers


def _read(i: int, x: Any) -> Expr:
    """A parameter's expression is read per state, any other number from the table."""
    return symbol(f"#C{i}" if type(x) is Expr else f"#K{i}")
