"""Recursive algorithms as sweeps over the bodies, each step traced once per class of bodies.

A step is written against `Step`, which hands it symbols for what it may read and takes what it gives; the mechanics itself is
in `recursive.steps`. Arrays a step may touch: K (constants), C (parameter-dependent constants), q, u, d (the joint's coordinates,
speeds and prescribed accelerations), x (the kernel's extra input on the joint's speeds), r and p (own and parent's record), h and g
(what children hand to the body, and what is handed to the parent), s (sines and cosines), y (output), P (named parameters).
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from dalembert.kernels.tree.body_classes import BodyClass
from dalembert.kernels.tree.body_records import Keeper, Record
from dalembert.kernels.tree.sines_ahead import Turns
from dalembert.recursive.steps import NOTHING, JointValues, Placement, Spatial, place
from dalembert.trace import Expr, free_symbols, symbol
from dalembert.trace.native import Array, Block, Output
from dalembert.vectors import ZERO

ARRAYS = [
    Array("K", uniform=True),
    *(Array(name) for name in ("C", "q", "u", "d", "x", "r", "p", "h", "g", "s", "y", "P")),
]


T = TypeVar("T")


class Step:
    """One class of bodies in one algorithm: what its steps read, and where they put their results."""

    def __init__(self, body: BodyClass, record: Record, handed: Record | None = None, turns: Turns | None = None):
        """Without `handed`, all fields are in the record; with `turns`, sines and cosines are taken ahead."""
        self.body, self.link, self.record = body, body.link, record
        self.handed, self.turns = handed, turns
        self.root, self.leaf = body.root, body.leaf
        self.keeper = Keeper(record.size + record.column_size * len(self.link.source.free), record.free)
        self.later: Any = SimpleNamespace()
        """What earlier steps of this class left for later ones."""
        self._outputs: list[Output] = []

    # -- reading ------------------------------------------------------------------------------------------------------
    @property
    def values(self) -> JointValues:
        joint, law = self.link.joint, self.link.source.law
        driven = [0.0 if given is None else symbol(f"#d{i}") for i, given in enumerate(law.udot)]
        return JointValues(_symbols("q", joint.n_q), _symbols("u", joint.n_u), np.array(driven, dtype=object))

    @property
    def x(self) -> np.ndarray:
        """The extra input (τ or u̇) on the joint's free speeds."""
        return _symbols("x", len(self.link.source.free))

    @property
    def load(self) -> Spatial:
        """Applied force on the link, in link axes."""
        return Spatial.of(self.own("load")[:6]) if self.body.loaded else NOTHING

    @property
    def joint_load(self) -> np.ndarray:
        """The mechanism's own forces on the joint's free speeds."""
        n = len(self.link.source.free)
        return self.own("load")[6 : 6 + n] if self.body.driven else np.zeros(n)

    def place(self) -> Placement:
        """Where the link lies in its parent."""
        at = place(self.link, self.values.q)
        return self.turns.taken(at) if self.turns else at

    def own(self, field: str) -> np.ndarray:
        if self.handed and field in self.handed.fields:
            return self.handed.symbols("h", field)
        return self.record.symbols("r", field)

    def parent(self, field: str) -> np.ndarray:
        """A field of the parent's record; the ground is at rest, accelerated upward instead of being pulled by gravity."""
        if not self.root:
            return self.record.symbols("p", field)
        at_rest = {"a": np.concatenate([ZERO, self.body.ground]), "b": self.body.ground}
        return at_rest.get(field, np.zeros(self.record.fields[field][1]))

    # -- writing ------------------------------------------------------------------------------------------------------
    def keep(self, thing: T) -> T:
        """Leave something to this body's later steps."""
        return self.keeper.keep(thing)

    def drop(self, thing: Any) -> None:
        """Say that no later step needs what was kept of the thing."""
        if self.handed:
            self.keeper.drop(thing)

    def put(self, field: str, values: Any) -> None:
        """Fill a field of the body's own record, or its beginning."""
        self._write("r", self.record, field, values, add=False)

    def put_column(self, i: int, field: str, values: Any) -> None:
        """Fill a field of the joint's i-th free speed."""
        start, n = self.record.columns[field]
        assert len(values) == n
        first = self.record.size + i * self.record.column_size + start
        self._outputs += [Output(x, "r", first + j) for j, x in enumerate(values)]

    def hand(self, field: str, values: Any) -> None:
        """Add to a field that the parent will read."""
        pooled = self.handed and field in self.handed.fields
        array, record = ("g", self.handed) if pooled else ("p", self.record)
        self._write(array, record, field, values, add=not self.body.first)

    def give(self, values: Any, add: bool = False) -> None:
        """Write the kernel's output for this body, or add to it."""
        self._outputs += [Output(x, "y", i, add) for i, x in enumerate(values)]

    def _write(self, array: str, record: Any, field: str, values: Any, add: bool) -> None:
        start, n = record.fields[field]
        assert len(values) <= n
        self._outputs += [Output(x, array, start + i, add) for i, x in enumerate(values)]

    def block(self, name: str, parameters: dict[Expr, int]) -> Block:
        """The straight-line code of the step just traced."""
        outputs = [*self._outputs, *self.keeper.taken()]
        self._outputs = []
        used = free_symbols([o.value for o in outputs])
        inputs = {s: ("P", parameters[s]) if s in parameters else (s.name[1], int(s.name[2:])) for s in used}
        return Block(name, ARRAYS, inputs, outputs, apart=True)


Trace = Callable[[Step], None]


def _symbols(prefix: str, n: int) -> np.ndarray:
    out = np.empty(n, dtype=object)
    out[:] = [symbol(f"#{prefix}{i}") for i in range(n)]
    return out
