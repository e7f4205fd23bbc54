"""What a page shows of laws in a motion that it marches: forces and states, which time stepping writes behind (q, u, z)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert.kinematics.law_rows import LawTable
from dalembert.kinematics.state import State
from dalembert.mechanism.row_table import RowKind
from dalembert.simulation.march.memory import Layout
from dalembert.simulation.march.program import Program
from dalembert.simulation.time_stepping.stepping_program import SteppingProgram
from dalembert.view.contact_arrows import drawn_laws, forces_of_units, rows_of_places
from dalembert.view.live.live_model import LiveModel

PLACES, GAPS = "places ", "gaps "
"""What names of formulas of a law begin with."""
KINDS = {"presses": RowKind.UNILATERAL, "friction": RowKind.FRICTION, "holds": RowKind.SWITCHED}
"""Rows of a law by the word for their force."""


def law_formulas(live: LiveModel) -> dict[str, Callable[[State], Any]]:
    """Where every law may act, and its gaps, by name."""
    m = live.mechanism
    made: dict[str, Callable[[State], Any]] = {}
    for name in drawn_laws(live.motion, m, every=True):
        made[PLACES + name] = lambda s, name=name: forces_of_units(m.laws[name], s)  # type: ignore[misc]
    for name in {e.law for e in m.law_table.elements if e.normal is not None and e.has_gap}:
        made[GAPS + name] = lambda s, name=name: list(m.laws[name].gap(s))  # type: ignore[misc]
    return dict(sorted(made.items()))


def places_drawn(live: LiveModel, program: Program, shown: Layout) -> list[dict[str, Any]]:
    """Every place that is drawn: where it and the forces of its rows' units stand in a sample, and its rows behind the state."""
    if not isinstance(program, SteppingProgram):
        return []
    found: list[dict[str, Any]] = []
    for name in drawn_laws(live.motion, live.mechanism, every=True):
        rows = rows_of_places(live.mechanism, name)
        first, last = shown.parts[PLACES + name].start, shown.parts[PLACES + name].stop
        size = (last - first) // len(rows)
        found += [
            {"at": first + i * size, "rows": [_forces_at(program.table) + r for r in own]} for i, own in enumerate(rows)
        ]
    return found


def law_source(kind: str, name: str, table: LawTable, shown: Layout) -> dict[str, Any] | None:
    """Where a curve of a law comes from: forces and states behind the state of the mechanism, or gaps in a sample."""
    if kind == "law_gap":
        at = shown.parts.get(GAPS + name)
        return None if at is None else {"least": [at.start, at.stop]}
    if kind == "law_state":
        number = [table.title(i) for i in range(len(table.elements))].index(name)
        return {"law": [_forces_at(table) + len(table) + number]}
    law, _, word = name.rpartition(" ")
    rows = [r for r, row in enumerate(table.rows) if table.laws[table.law_of[r]] == law and row.kind is KINDS[word]]
    return {"law": [_forces_at(table) + r for r in rows]}


def _forces_at(table: LawTable) -> int:
    """Losses and works of laws stand first."""
    return 2 * len(table.laws)
