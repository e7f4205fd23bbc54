"""Sines and cosines taken ahead of the sweeps, many at once.

In a step, a sine would wait for its polynomial before anything else could begin. Nearly all angles are coordinates, known before the
first step: so they are gathered, their sines and cosines are taken side by side (on one state, the lanes run over the joints), and
steps read them. A joint's constant phase is made up for here as well, so that bodies which differ only in it share their code.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from dalembert.kernels.tree.body_records import mapped
from dalembert.recursive.links import Link
from dalembert.trace import Expr, cos, sin, substitute, symbol
from dalembert.trace.graph import ordered
from dalembert.trace.native import WIDEST, Array, Block, Module, Output, Pointer, Signature
from dalembert.trace.ops import COS, SIN, SYMBOL
from dalembert.vectors import IDENTITY

_AT_ONCE = 2
"""Angles of one call where the lanes are states."""


T = TypeVar("T")


class Turns:
    """The angles of one class of bodies, each a coordinate of its joint: the sine of angle i is element i of the array s, its cosine
    lies `apart` elements on."""

    def __init__(self, apart: int):
        self.apart = apart
        self.angles: list[int] = []

    def taken(self, thing: T) -> T:
        """The thing with the sines and cosines known ahead replaced by symbols for them."""
        return mapped(thing, self._replaced)

    def _replaced(self, e: Expr) -> Any:
        known = {x: self._symbol(x) for x in ordered([e]) if x.op in (SIN, COS) and _coordinate(x.args[0])}
        return substitute(e, known) if known else e

    def _symbol(self, x: Expr) -> Expr:
        angle = int(x.args[0].name[2:])
        if angle not in self.angles:
            self.angles.append(angle)
        return symbol(f"#s{self.angles.index(angle) + (self.apart if x.op is COS else 0)}")


def _coordinate(x: Any) -> bool:
    return type(x) is Expr and x.op is SYMBOL and x.name.startswith("#q")


def without_phase(link: Link) -> Link:
    """The link with its constant phase left out, if it is a number: `Ahead` makes up for it."""
    if link.joint.spins_about_z and type(link.phase) is not Expr:
        return link.but(phase=0.0, spin=IDENTITY)
    return link


def phase(link: Link, left_out: Link) -> tuple[float, float]:
    """Cosine and sine of the phase that was left out: those of quarter turns are exact."""
    if left_out is link:
        return 1.0, 0.0
    c, s = float(np.cos(link.phase)), float(np.sin(link.phase))
    quarter = link.spin
    return c * quarter[0, 0] - s * quarter[1, 0], s * quarter[0, 0] + c * quarter[1, 0]


def padded(n: int, at_once: int = WIDEST) -> int:
    """Room for n angles: a multiple of what one call takes, on any target."""
    return -(-n // at_once) * at_once


class Ahead:
    """All angles of a mechanism: where their coordinates lie, and cosine and sine of the phase of each.

    Where all phases are quarter turns, sines and cosines change places and signs; else phases are added to the coordinates.
    """

    def __init__(self, coordinates: Sequence[int], phases: Sequence[tuple[float, float]]):
        self.count = len(coordinates)
        left = padded(self.count) - self.count
        self.coordinates = [*coordinates, *[coordinates[-1]] * left]
        self.phases = [*phases, *[(1.0, 0.0)] * left]

    def compiled(self, module: Module, lanes: int, name: str) -> Signature:
        """`name(q, s, c)`: the sines and cosines of all angles."""
        across = module.target.lanes if lanes == 1 else lanes
        at_once = 1 if lanes == 1 else _AT_ONCE
        quarters = any(b for _, b in self.phases) and all(0.0 in phase for phase in self.phases)
        turn = module.block(_sines_and_cosines(f"{name}_turn", at_once, quarters, uniform=lanes > 1), across)
        places = module.int_table(self.coordinates)
        tables = [module.real_table(values) for values in zip(*self.phases)] if quarters else []
        added = module.real_table([0.0 if quarters else float(np.arctan2(b, a)) for a, b in self.phases])
        parameters: dict[str, Any] = dict.fromkeys(("q", "s", "c"), Pointer)
        first = self.coordinates[0]
        in_order = self.coordinates[: self.count] == list(range(first, first + self.count))
        with module.function(f"{name}_turns", lanes=lanes, public=False, **parameters) as f:
            if in_order:
                for i in f.each(self.count):
                    f.s[i] = f.q[i + first] if quarters else f.q[i + first] + added[i]
            step = across if lanes == 1 else at_once
            end = padded(self.count, step)
            with f.loop(self.count if in_order else 0, end) as i:
                f.s[i] = f.q[places[i]] if quarters else f.q[places[i]] + added[i]
            with f.loop(0, end, step) as i:
                f.call(turn, f.s + i, f.c + i, *(table + i for table in tables))
        return f.signature


def _sines_and_cosines(name: str, n: int, quarters: bool, uniform: bool) -> Block:
    """`name(s, c)`: angles in s become their sines, and their cosines go to c; `name(s, c, a, b)`: of angles further on by phases with
    cosines a and sines b."""
    inputs: dict[Expr, tuple[str, int]] = {}
    outputs = []
    for i in range(n):
        a, b, x = (symbol(f"#{what}{i}") for what in ("cosine", "sine", "angle"))
        inputs |= {x: ("s", i)} | ({a: ("a", i), b: ("b", i)} if quarters else {})
        sine, cosine = (a * sin(x) + b * cos(x), a * cos(x) - b * sin(x)) if quarters else (sin(x), cos(x))
        outputs += [Output(sine, "s", i), Output(cosine, "c", i)]
    arrays = [Array("s"), Array("c"), *([Array("a", uniform), Array("b", uniform)] if quarters else [])]
    return Block(name, arrays, inputs, outputs, apart=True)
