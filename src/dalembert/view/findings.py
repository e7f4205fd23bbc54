"""What analyses found, as the page reads it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalembert.analysis.finding import Finding, HasFinding, Plot
from dalembert.errors import SimulationError
from dalembert.mechanism import Mechanism
from dalembert.view.encode import array


def findings(results: Iterable[Finding | HasFinding], m: Mechanism) -> list[Finding]:
    """What each result of a mechanism's analyses says of itself; findings made by hand are taken as they are."""
    found = []
    for result in results:
        if not isinstance(result, Finding | HasFinding):
            raise SimulationError(
                "page: results are what analyses return (an Equilibrium, Modes, a Sweep, …: whatever has a `finding`), "
                f"not {result!r}"
            )
        found.append(result if isinstance(result, Finding) else result.finding(m))
    return found


def encoded(found: Iterable[Finding]) -> list[dict[str, Any]]:
    """What `analysis.js` reads."""
    return [
        {"title": f.title, "text": f.text, "tables": [[name, [list(row) for row in rows]] for name, rows in f.tables],
         "plots": [_plot(p) for p in f.plots]}
        for f in found
    ]  # fmt: skip


def _plot(p: Plot) -> dict[str, Any]:
    made: dict[str, Any] = {
        "title": p.title,
        "xName": p.x_name,
        "yName": p.y_name,
        "names": list(p.names),
        "kind": p.kind,
    }
    made |= {"x": array(p.x, "float64"), "y": array(p.y, "float64"), "marks": [list(m) for m in p.marks]}
    return made | ({} if p.rows is None else {"rows": array(p.rows, "float64")})
