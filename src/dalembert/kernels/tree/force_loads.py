"""What one force does to the links of a tree, traced on symbols that are the same for all forces of its kind.

The bodies it looks at are numbered as it looks at them, so that the springs of a net all give one graph, on other bodies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from dalembert.errors import DalembertError
from dalembert.kernels.tree import body_motion
from dalembert.kernels.tree.body_records import Record
from dalembert.kinematics.loads import effects
from dalembert.kinematics.recursion import Pose, Rates
from dalembert.kinematics.state import State
from dalembert.kinematics.state_from_bodies import StateFromBodies
from dalembert.mechanism import Mechanism
from dalembert.parts.frames import Frame
from dalembert.recursive.links import Link
from dalembert.trace import Expr, symbol, tracing
from dalembert.trace.bind import lift
from dalembert.vectors import cross

T = TypeVar("T")


@dataclass(frozen=True)
class BodyReferences:
    """A state for one force, or for whatever else looks at bodies; `places` says which body and element a symbol stands for."""

    m: Mechanism
    links: Sequence[Link]
    record: Record
    places: dict[Expr, tuple[int, int]] = field(default_factory=dict)
    constants: dict[Expr, float] = field(default_factory=dict)
    _start: dict[int, int] = field(default_factory=dict)

    def lifted(self, thing: T) -> T:
        """A description with symbols in place of its numbers other than 0 and ±1: with numbers, signs alone would make other graphs."""
        return lift(thing, self._constant)

    def _constant(self, x: float) -> Any:
        if x in (0.0, 1.0, -1.0):
            return x
        made = symbol(f"#constant{len(self.constants)}")
        self.constants[made] = x
        return made

    def motion(self, k: int) -> tuple[Pose, Rates]:
        """Motion of body k (from 1), from what its record holds of its link frame."""
        start = self._start[k] = len(self._start) * self.record.size
        for name in body_motion.FIELDS:
            first, _ = self.record.fields[name]
            for i, s in enumerate(self.record.symbols("r", name, start)):
                self.places[s] = (k - 1, first + i)
        frame = self.links[k - 1].frame
        lifted = Frame.trusted(self.lifted(frame.position), self.lifted(frame.rotation))
        return body_motion.in_record(lifted, self.record, start)

    def link_frame(self, k: int) -> tuple[Any, Any]:
        """Axes and origin of the link frame of a body referenced."""
        R, P = (self.record.symbols("r", name, self._start[k]) for name in ("R", "P"))
        return R.reshape(3, 3), P

    def state(self, whole: State) -> StateFromBodies:
        return StateFromBodies(self.m, self.motion, whole)


@dataclass(frozen=True)
class Applied:
    """Values, and for each the body (from 0) and the element it belongs to: 0–5 force and couple on the link, from 6 on its joint."""

    values: list[Any]
    to: list[tuple[int, int]]
    references: BodyReferences


def applied(m: Mechanism, links: Sequence[Link], record: Record, whole: State, name: str) -> Applied:
    """Loads of a force of the mechanism: with its numbers lifted, unless it decides by them."""
    try:
        return _applied(BodyReferences(m, links, record), whole, name, lifted=True)
    except (DalembertError, TypeError, ValueError):
        return _applied(BodyReferences(m, links, record), whole, name, lifted=False)


def _applied(references: BodyReferences, whole: State, name: str, lifted: bool) -> Applied:
    m = references.m
    on_link: dict[tuple[int, int], Any] = {}

    def add(k: int, first: int, values: Any) -> None:
        for i, x in enumerate(values, start=first):
            if type(x) is Expr or x != 0.0:
                on_link[k, i] = on_link[k, i] + x if (k, i) in on_link else x

    with tracing():
        s = references.state(whole)
        force = m.forces[name]
        for e in effects(s, name, references.lifted(force) if lifted else force):
            if e.at is not None:
                s.body(e.body + 1)
                R, P = references.link_frame(e.body + 1)
                add(e.body, 0, [*(R.T @ (e.couple + cross(e.at - P, e.force))), *(R.T @ e.force)])
            if e.joint is not None:
                add(e.body, 6, [e.joint[i] for i in m.joints[e.body].free])
    return Applied(list(on_link.values()), list(on_link), references)
