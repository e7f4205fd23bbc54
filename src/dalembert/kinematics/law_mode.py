"""The mode of a run as numbers that compiled code reads: which rows of laws hold, where, and which way what slides goes.

A change of mode changes these numbers alone; nothing is compiled anew.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from dalembert.trace import Expr, symbol

if TYPE_CHECKING:
    from dalembert.kinematics.law_rows import LawTable

DIRECTIONS = 3
"""Most directions of slip that an element has, and components of a term of its load."""


SLOTS = 3
"""Margins of an element: across, along, of what is engaged."""


class ElementState(IntEnum):
    """State of an element of a law."""

    OFF = 0
    """Switched off."""
    OPEN = 1
    """It does not touch, or a one-way clutch runs free."""
    SLIP = 2
    """It touches and slides, or could without friction."""
    STICK = 3
    """It touches and sticks, or friction without a gap sticks."""
    ENGAGED = 4
    """A latch that is on."""
    CLOSED = 5
    """It touches, and nothing can rub; in results only, where a run says `SLIP`."""

    @property
    def word(self) -> str:
        """The state in a word, for results."""
        return self.name.lower()


def known_states(numbers: np.ndarray) -> bool:
    """Whether all of these are states of elements."""
    return bool(np.isin(numbers, list(ElementState)).all())


class ModeLayout:
    """Named parts of the numbers, one after the other."""

    def __init__(self, table: LawTable):
        n, e = len(table), len(table.elements)
        sizes = {
            "active": n,  # rows that are solved for: an independent set of those that hold
            "enforced": n,  # rows that hold, which a projection keeps
            "anchor": n,  # place at which a coordinate is engaged
            "state": e,  # of every element
            "slides": e,  # whether it slides
            "direction": DIRECTIONS * e,  # of slip
            "pressed": DIRECTIONS * len(table.load_terms),  # which way terms of loads point
            "loose": 1,  # rows that hold depend on each other: single forces are not unique
            "forces": 1,  # whether margins need forces
            "watched": 1,  # whether Python looks at every step
            "trigger": SLOTS * e
            + len(table.load_terms)
            + 1,  # margins whose violation ends the stretch; last, that no forces exist
        }
        self.parts: dict[str, slice] = {}
        self.size = 0
        for name, count in sizes.items():
            self.parts[name] = slice(self.size, self.size + count)
            self.size += count

    def symbol(self, name: str, i: int) -> Expr:
        """A number of the mode in traced code."""
        return symbol(f"#mode.{self.parts[name].start + i}")

    def symbols(self, start: int) -> dict[Expr, tuple[str, int]]:
        """Where all of them are found behind the parameters."""
        return {symbol(f"#mode.{k}"): ("P", start + k) for k in range(self.size)}

    def fits(self, numbers: np.ndarray) -> bool:
        """Whether these are numbers of a mode, or of many: every element is in a state that there is."""
        return bool(np.isfinite(numbers).all() and known_states(numbers[..., self.parts["state"]]))

    def view(self, numbers: np.ndarray, name: str) -> np.ndarray:
        """A part of them."""
        return numbers[self.parts[name]]


class LawMode:
    """The mode of a run, on the numbers that compiled code reads."""

    def __init__(self, layout: ModeLayout, table: LawTable, numbers: np.ndarray):
        self.layout, self.table, self.numbers = layout, table, numbers

    def copy(self) -> LawMode:
        return LawMode(self.layout, self.table, self.numbers.copy())

    def part(self, name: str) -> np.ndarray:
        return self.layout.view(self.numbers, name)

    def state(self, i: int) -> ElementState:
        """State of element i."""
        return ElementState(int(self.part("state")[i]))

    @property
    def states(self) -> list[ElementState]:
        return [ElementState(int(x)) for x in self.part("state")]

    @property
    def loose(self) -> bool:
        """Whether rows that hold depend on each other, so that single forces are not unique."""
        return bool(self.part("loose")[0])

    @property
    def redundant(self) -> bool:
        """Whether more rows hold than are solved for: one share of the forces is taken."""
        return bool(self.part("enforced").sum() > self.part("active").sum())

    def loaded(self, i: int) -> bool:
        """Whether what loads the friction of element i bears; also where that is no gap."""
        row = self.table.elements[i].load_row
        return row is None or bool(self.part("active")[row])

    def direction(self, i: int) -> np.ndarray:
        """Unit vector of the slip of element i."""
        return self.part("direction")[DIRECTIONS * i : DIRECTIONS * i + len(self.table.elements[i].tangents)]

    def set(self, i: int, state: ElementState, direction: np.ndarray | None = None) -> None:
        """Put element i into a state, sliding that way."""
        self.part("state")[i] = state
        if direction is not None:
            self.part("direction")[DIRECTIONS * i : DIRECTIONS * i + len(direction)] = direction

    def switch_on(self, i: int, gaps: np.ndarray) -> None:
        """Element i as it begins: open, or sticking or engaged where it is. `gaps` are the residuals of all laws' rows."""
        e = self.table.elements[i]
        self.set(
            i, ElementState.ENGAGED if e.holds else ElementState.STICK if e.load_row is None else ElementState.OPEN
        )
        for r in (*e.tangents, *e.holds):
            self.part("anchor")[r] = gaps[r] if self.table.placed[r] else 0.0

    def enforced_rows(self) -> list[int]:
        """Rows that hold: of what is closed the normal one, of what sticks those of slip, of a latch its own."""
        rows: list[int] = []
        for e, state in zip(self.table.elements, self.states):
            if state in (ElementState.SLIP, ElementState.STICK) and e.normal is not None:
                rows.append(e.normal)
            if state is ElementState.STICK:
                rows += e.tangents
            if state is ElementState.ENGAGED:
                rows += e.holds
        return rows

    def settle(self, active: list[int], loose: bool) -> None:
        """Make the masks follow the states; `active` are independent rows among those that hold."""
        enforced, states = self.enforced_rows(), self.states
        for name, rows in (("enforced", enforced), ("active", active)):
            self.part(name)[:] = 0.0
            self.part(name)[rows] = 1.0
        self.part("slides")[:] = [float(s is ElementState.SLIP) for s in states]
        self.part("loose")[:] = float(loose)
        planar = any(s is ElementState.SLIP and len(e.tangents) > 1 for s, e in zip(states, self.table.elements))
        self.part("watched")[:] = float(loose or planar)
        self.part("forces")[:] = float(any(s >= ElementState.SLIP for s in states))
