"""`inspect`: how a mechanism is built, whether it goes together, what moves, and what can be known of its reactions."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.constraints.assembly.assemble import places
from dalembert.constraints.diagnosis.diagnose import diagnose
from dalembert.constraints.diagnosis.verdict import Diagnosis
from dalembert.errors import LoopError
from dalembert.kinematics.initial import initial_state
from dalembert.mechanism import Mechanism
from dalembert.motion.reactions import reaction
from dalembert.motion.samples import Samples
from dalembert.words import counted, listed, shown

if TYPE_CHECKING:
    from dalembert.aliases import JointValues


UNMOVED = 1e-9
"""Part of the mechanism's size by which assembling may move bodies without it being said."""


@dataclass(frozen=True)
class BodyEntry:
    """A body, numbered so that its parent comes before it, and the joint it is carried by."""

    number: int
    name: str
    mass: float
    parent: str
    joint: str
    kind: str
    freedoms: int
    """Freedoms of the joint."""
    prescribed: int
    elastic: str = ""
    """An elastic body in words; nothing for a rigid one."""


@dataclass(frozen=True)
class LoopEntry:
    """A closed loop: the joint at which it is cut, and the bodies round it."""

    cut: str
    kind: str
    rows: int
    bodies: tuple[str, ...]


@dataclass(frozen=True)
class ReactionEntry:
    """A joint or constraint, and which components of its reaction, in world axes, are not unique."""

    name: str
    not_unique: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Inspection:
    """The findings; `str()` describes them in words, `to_dict()` as plain data."""

    name: str
    bodies: tuple[BodyEntry, ...]
    loops: tuple[LoopEntry, ...]
    constraints: dict[str, int]
    """Rows of each constraint besides joints."""
    forces: tuple[str, ...]
    grubler: int
    assembly: str
    diagnosis: Diagnosis | None
    """None where it cannot be assembled."""
    reactions: tuple[ReactionEntry, ...]
    laws: dict[str, str] = field(default_factory=dict)
    """What every law is, by name."""

    @property
    def assembled(self) -> bool:
        return self.diagnosis is not None

    def to_dict(self) -> dict[str, Any]:
        """Nothing but dictionaries, lists, text and numbers, ready for JSON."""
        d = self.diagnosis
        verdict = None
        if d is not None:
            verdict = {
                "mobility": d.mobility,
                "rank": d.rank,
                "rank_here": d.rank_here,
                "redundant": d.redundant,
                "shaky": d.shaky,
                "driven": d.driven,
                "rows": [asdict(row) for row in d.rows],
                "freedoms": [[*freedom.joints, *freedom.bodies] for freedom in d.freedoms],
                "words": str(d),
            }
        return {
            "name": self.name,
            "bodies": [asdict(b) for b in self.bodies],
            "loops": [asdict(loop) | {"bodies": list(loop.bodies)} for loop in self.loops],
            "constraints": dict(self.constraints),
            "forces": list(self.forces),
            "laws": dict(self.laws),
            "grubler": self.grubler,
            "assembled": self.assembled,
            "assembly": self.assembly,
            "diagnosis": verdict,
            "reactions": [asdict(r) | {"not_unique": list(r.not_unique)} for r in self.reactions],
        }

    def __str__(self) -> str:
        return "\n".join([*self._built(), f"Assembly: {self.assembly}", *self._judged()])

    def _built(self) -> list[str]:
        lines = [f'"{self.name}", numbered from the ground outward:']
        for b in self.bodies:
            free = f"{b.freedoms} free" + (f", {b.prescribed} prescribed" if b.prescribed else "")
            lines.append(f"  {b.number} {b.name} ({b.mass:g} kg) on {b.parent} by {b.joint} ({b.kind}, {free})")
            lines += [f"      {line}" for line in b.elastic.splitlines()]
        for loop in self.loops:
            lines.append(f"Loop {'–'.join(loop.bodies)}, cut at {loop.cut} ({loop.kind}, {counted(loop.rows, 'row')}).")
        lines += [f"Constraint {name}: {counted(rows, 'row')}." for name, rows in self.constraints.items()]
        if self.forces:
            lines.append(f"Forces: {', '.join(self.forces)}.")
        lines += [f"Law {name}: {what}." for name, what in self.laws.items()]
        return lines

    def _judged(self) -> list[str]:
        if self.diagnosis is None:
            return [f"Grübler's count gives {self.grubler}; more cannot be said of what does not go together."]
        alike: dict[tuple[str, ...], list[str]] = {}
        for r in self.reactions:
            alike.setdefault(r.not_unique, []).append(r.name)
        described = [
            f"Not unique in this pose, world axes: {', '.join(components)} at {', '.join(names)}."
            for components, names in alike.items()
            if components
        ]
        return [str(self.diagnosis), *(described or ["All reactions are unique."])]


def inspect(m: Mechanism, initial: JointValues | None, t: float) -> Inspection:
    """At the assembled pose nearest the initial values."""
    names = ["ground", *(b.name for b in m.bodies)]
    bodies = tuple(
        BodyEntry(
            k, b.name, float(b.mass), names[m.parent[k - 1]], j.name, j.joint.inner.kind, j.n_own,
            j.joint.inner.n_u - j.n_own, str(b.data) if b.modes else "",
        )
        for k, (b, j) in enumerate(zip(m.numeric.bodies, m.in_joint_variables.joints), start=1)
    )  # fmt: skip
    loops = tuple(
        LoopEntry(c.name, c.joint.kind, len(m.rows.of_owner(c.name)), loop) for c, loop in zip(m.cuts, m.loops)
    )
    rows = {name: len(m.rows.of_owner(name)) for name in m.constraints}
    verdict: Diagnosis | None = None
    reactions: tuple[ReactionEntry, ...] = ()
    try:
        start, _ = initial_state(m, initial, None, t)
        q, u = m.assemble(initial, None, t)
        assembly, verdict = _assembly(m, start, q, t), diagnose(m, q, t)
        reactions = _reactions(m, q, u, t)
    except LoopError as problem:
        assembly = f"it does not go together. {str(problem)[0].upper()}{str(problem)[1:]}."
    return Inspection(m.name, bodies, loops, rows, tuple(m.forces), m.grubler, assembly, verdict, reactions, _laws(m))


def _laws(m: Mechanism) -> dict[str, str]:
    """Every law in words: its kind, its bodies or joints, and how many places can touch, rub or engage."""
    found = {}
    for name, law in m.laws.items():
        elements = [e for e in m.law_table.elements if e.law == name]
        parts = [
            counted(sum(e.normal is not None for e in elements), "gap"),
            counted(sum(len(e.tangents) for e in elements), "direction") + " of slip",
            counted(sum(len(e.holds) for e in elements), "row") + " when engaged",
        ]
        said = [x for x in parts if not x.startswith("0 ")]
        rows = [r for e in elements for r in e.rows]
        idle = int(m.law_table.dead[rows].sum()) if rows else 0
        if rows and idle == len(rows):
            said.append("none of which moves: the joints hold it already, so that it does nothing")
        elif idle:
            said.append(f"{idle} of which the joints hold already")
        on = listed([*law.joints, *dict.fromkeys(law.bodies)])
        found[name] = f"{type(law).__name__} on {on}, {', '.join(said)}" + ("" if law.on else ", off at first")
    return found


def _assembly(m: Mechanism, start: np.ndarray, q: np.ndarray, t: float) -> str:
    if not m.constraint_rows:
        return "a tree, which always goes together."
    moved = np.abs(places(m, q, t) - places(m, start, t)).max() > UNMOVED
    if not moved:
        return "closed as it stands."
    values = listed([f"{name} = {shown(x)}" for name, x in zip(m.coordinates, q)])
    return f"closed at {values}, the nearest found to what was given."


def _reactions(m: Mechanism, q: np.ndarray, u: np.ndarray, t: float) -> tuple[ReactionEntry, ...]:
    """Reactions of all joints, and of constraints that act on bodies, at this pose."""
    if not m.constraint_rows or not m.n_u:
        return tuple(ReactionEntry(name, ()) for name in m.joint_number)
    x = Samples(m, np.array([t]), q[None], u[None], np.zeros((1, m.n_u)), m.parameters)
    asked = [*m.joint_number, *(name for name, d in m.constraint_rows.items() if d.bodies)]
    out = []
    for name in asked:
        known = reaction(x, name, "child", "world").determined
        open_to = [
            f"{kind} {axis}"
            for i, kind in enumerate(("force", "torque"))
            for axis, ok in zip("xyz", known[i])
            if not ok
        ]
        out.append(ReactionEntry(name, tuple(open_to)))
    return tuple(out)
