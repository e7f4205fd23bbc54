"""Rows of laws at the level of velocities and accelerations, and which of them belong together.

The rows of a law are traced and differentiated as those of a constraint are. An element is what touches, sticks or holds as one: a gap
with its directions of slip, friction without a gap, or what a latch holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.kinematics.constraint_rows import Differentiated, Rows
from dalembert.kinematics.law_mode import DIRECTIONS
from dalembert.laws import Law
from dalembert.laws.law import RESISTANCES, Friction, ReactionLoad
from dalembert.mechanism.row_table import RowKind, RowTable
from dalembert.parts.constraints import Constraint

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.state import State
    from dalembert.mechanism import Mechanism


POSES = 3
"""Random poses in which it is tried whether anything moves rows."""


class LawRows(Constraint):
    """All rows that a law may ask for, as a constraint states its own: coordinates first, then speeds."""

    def __init__(self, law: Law):
        self.law = law

    @property
    def measures_differences(self) -> bool:
        return bool(vars(type(self.law)).get("of_differences", False))

    @property
    def bodies(self) -> tuple[str, ...]:
        return self.law.bodies

    @property
    def joints(self) -> tuple[str, ...]:
        return self.law.joints

    def residual(self, s: State) -> np.ndarray:
        return _joined(self.law.gap(s), self.law.way(s), self.law.hold(s))

    def velocity(self, s: State) -> np.ndarray:
        law = self.law
        return _joined(law.approach(s), law.slip(s), law.hold_speed(s), law.rolling(s), law.drilling(s))


def _joined(*parts: Any) -> np.ndarray:
    return np.concatenate([np.atleast_1d(np.asarray(x, dtype=object)) for x in parts])


class DifferentiatedLaw(Differentiated):
    """A law of a mechanism, traced on the motion of the bodies it looks at."""

    constraint: LawRows

    def _trace(self) -> None:
        super()._trace()
        law, given = self.constraint.law, self.symbolic
        parts = (law.gap, law.way, law.hold, law.approach, law.slip, law.hold_speed, law.rolling, law.drilling)
        self.counts = {part.__name__: len(np.atleast_1d(part(given))) for part in parts}
        kinds = {
            "gap": RowKind.UNILATERAL,
            "approach": RowKind.UNILATERAL,
            "way": RowKind.FRICTION,
            "slip": RowKind.FRICTION,
            **dict.fromkeys(RESISTANCES, RowKind.RESISTED),
        }
        self.kinds = tuple(kinds.get(name, RowKind.SWITCHED) for name, n in self.counts.items() for _ in range(n))

    @property
    def law(self) -> Law:
        return self.constraint.law

    def places(self, part: str) -> range:
        """Places of its gaps, ways, … among its rows."""
        names = list(self.counts)
        start = sum(self.counts[name] for name in names[: names.index(part)])
        return range(start, start + self.counts[part])


@dataclass(frozen=True)
class LawElement:
    """What touches, sticks or holds as one. Rows are numbered among those of all laws."""

    law: str
    number: int
    """Place of the element among those of the law."""
    normal: int | None = None
    """Row of the gap, or of the speed that cannot be negative."""
    has_gap: bool = True
    """Whether its normal row is a gap, with a place where it touches."""
    tangents: tuple[int, ...] = ()
    """Rows along which friction acts."""
    holds: tuple[int, ...] = ()
    """Rows that hold while it is on."""

    partner: int | None = None
    """Place among the law's elements of the gap whose force resists its turning."""
    pressed: int | None = None
    """Row of that gap."""
    resists: str = ""
    """"rolling" or "drilling" where it is a turning."""

    @property
    def load_row(self) -> int | None:
        """Row of the gap whose force loads its friction: its own, or that of its partner."""
        return self.normal if self.pressed is None else self.pressed

    @property
    def rows(self) -> tuple[int, ...]:
        """All of them: the normal one first."""
        return (*(() if self.normal is None else (self.normal,)), *self.tangents, *self.holds)


class LoadPlace(NamedTuple):
    """A term of the load of an element: the first of its components among those of all loads, and how many it has."""

    element: int
    start: int
    size: int


class LawTable:
    """The rows and elements of all laws of a mechanism, numbered in its order."""

    def __init__(self, m: Mechanism):
        self.mechanism = m
        self.laws: tuple[str, ...] = tuple(m.law_rows)
        self.rows = RowTable.of({name: d.kinds for name, d in m.law_rows.items()})

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def elements(self) -> tuple[LawElement, ...]:
        found: list[LawElement] = []
        for name, d in self.mechanism.law_rows.items():
            start = self.rows.of_owner(name).start if len(d.kinds) else 0
            found += _elements(name, d, start, self.dead)
        return tuple(found)

    @cached_property
    def dead(self) -> np.ndarray:
        """Which rows nothing moves in any pose, as the slip across a plane in which everything moves."""
        m, rng = self.mechanism.numeric, np.random.default_rng(0)
        found = np.ones(len(self), dtype=bool)
        for _ in range(POSES):
            B = law_rows(m.state(m.somewhere(rng, 1.0), np.zeros(m.n_u))).B
            found &= ~np.asarray(B, dtype=float).any(axis=1)
        return found

    @cached_property
    def placed(self) -> np.ndarray:
        """Which rows are coordinates: they have a place at which they are engaged."""
        every = [np.arange(len(d.kinds)) < d.n_residual for d in self.mechanism.law_rows.values()]
        return np.concatenate([np.zeros(0, dtype=bool), *every])

    @cached_property
    def law_of(self) -> np.ndarray:
        """The number of the law that each row belongs to."""
        return np.array([self.laws.index(owner) for owner in self.rows.owners], dtype=int)

    @cached_property
    def element_of(self) -> np.ndarray:
        """The number of the element that each row belongs to; rows that nothing moves count with the first of their law."""
        found = np.array([self.of_law(self.laws[k])[0] for k in self.law_of], dtype=int)
        for i, e in enumerate(self.elements):
            found[list(e.rows)] = i
        return found

    @cached_property
    def loads(self) -> dict[int, ReactionLoad]:
        """For elements whose friction is loaded by what a joint transmits, how."""
        found = {}
        for i, e in enumerate(self.elements):
            load = (
                self.mechanism.laws[e.law].load(self.mechanism.symbolic_state())
                if e.load_row is None and e.tangents
                else None
            )
            if load is not None:
                found[i] = load
        return found

    @cached_property
    def load_terms(self) -> list[LoadPlace]:
        """Every term of every load, and where its components lie among those of all."""
        found, start = [], 0
        for i, load in self.loads.items():
            for term in load.terms:
                found.append(LoadPlace(i, start, len(term.rows)))
                start += len(term.rows)
        return found

    @property
    def n_components(self) -> int:
        """How many components of what joints transmit press on friction."""
        return sum(term.size for term in self.load_terms)

    def of_law(self, name: str) -> tuple[int, ...]:
        """Numbers of a law's elements."""
        return tuple(i for i, e in enumerate(self.elements) if e.law == name)

    @cached_property
    def partners(self) -> tuple[int | None, ...]:
        """For every element, the one whose force resists its turning; None where it is no turning."""
        firsts = {name: self.of_law(name)[0] for name in self.laws if self.of_law(name)}
        return tuple(None if e.partner is None else firsts[e.law] + e.partner for e in self.elements)

    def with_turning(self, which: Iterable[int]) -> list[int]:
        """Elements, and those whose turning they resist."""
        found = list(which)
        known = set(found)
        return [*found, *(i for i, p in enumerate(self.partners) if p in known and i not in known)]

    def friction(self, s: State, e: LawElement, slip: Scalar) -> tuple[Friction, Friction, Any]:
        """Friction of an element at a slip, at rest, and its force per speed."""
        law = s.mechanism.laws[e.law]
        if e.resists:
            arm = Friction(0.0, law.rolling_arm if e.resists == "rolling" else law.drilling_arm)
            return arm, arm, 0.0
        return law.friction(s, slip), law.static_friction(s), law.viscous

    def title(self, i: int) -> str:
        """LawElement i in words: its law, numbered where that has several; a turning by what resists it."""
        e, partner = self.elements[i], self.partners[i]
        if partner is not None:
            return f"{self.title(partner)} {e.resists}"
        alone = sum(1 for k in self.of_law(e.law) if self.partners[k] is None) == 1
        return e.law if alone else f"{e.law}[{e.number}]"


def _elements(name: str, d: DifferentiatedLaw, start: int, dead: np.ndarray) -> list[LawElement]:
    normals = [(k, True) for k in d.places("gap")] + [(k, False) for k in d.places("approach")]
    tangents, holds = [*d.places("way"), *d.places("slip")], [*d.places("hold"), *d.places("hold_speed")]
    if d.counts["way"] and d.counts["slip"]:
        raise ModelError(
            f'law "{name}": it gives way(s) and slip(s); the slips are the rates of the ways, give one of them'
        )
    each = len(tangents) // max(1, len(normals))
    if each * max(1, len(normals)) != len(tangents) or each > (2 if normals else DIRECTIONS):
        raise ModelError(
            f'law "{name}": it has {len(normals)} gaps and {len(tangents)} slips; give none, one or two slips for every gap'
        )

    def alive(rows: list[int]) -> tuple[int, ...]:
        return tuple(start + x for x in rows if not dead[start + x])

    made = [
        LawElement(name, i, start + k, gap, alive(tangents[each * i : each * (i + 1)]))
        for i, (k, gap) in enumerate(normals)
    ]
    made += _turnings(name, d, made, alive)
    if tangents and not normals:
        made.append(LawElement(name, 0, tangents=alive(tangents)))
    if holds:
        made.append(LawElement(name, len(made), holds=tuple(start + x for x in holds)))
    return made


def _turnings(
    name: str, d: DifferentiatedLaw, gaps: list[LawElement], alive: Callable[[list[int]], tuple[int, ...]]
) -> list[LawElement]:
    """Turnings that the forces of gaps resist."""
    found: list[LawElement] = []
    for word, each in RESISTANCES.items():
        rows = [*d.places(word)]
        if len(rows) not in (0, each * len(gaps)):
            raise ModelError(
                f'law "{name}": it has {len(gaps)} gaps and {len(rows)} rows of {word}; give {each} for every gap'
            )
        for i, e in enumerate(gaps[: len(rows)]):
            turning = alive(rows[each * i : each * (i + 1)])
            if turning:
                number = len(gaps) + len(found)
                found.append(LawElement(name, number, tangents=turning, partner=i, pressed=e.normal, resists=word))
    return found


def law_rows(s: State) -> Rows:
    """Rows of all laws of the mechanism, in its order, whether they hold or not."""
    return Rows.stacked([d.rows(s) for d in s.mechanism.law_rows.values()], s.mechanism.n_u)


def law_row_scales(s: State) -> np.ndarray:
    """Size of every row of the laws, as `row_scales` of those of constraints."""
    return np.concatenate([np.zeros(0), *(d.scales(s) for d in s.mechanism.law_rows.values())])
