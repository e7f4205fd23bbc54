"""The page's words: the model's inspection, how the motion came about, and its equations where they can be read."""

from __future__ import annotations

import json
from typing import Any

from dalembert.errors import DalembertError
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.trace.text.mathml import mathml

WRITTEN = 8
"""Speeds up to which the equations are written out."""
COUNTED = 24
"""Speeds up to which their operations are counted."""
READABLE = 40_000
"""Characters of LaTeX that a reader may still look at."""
_KINDS = {"trigonometric": "sines and cosines", "other": "other operations"}
INSPECTED = 60
"""Speeds up to which the mechanism is inspected."""


def inspection(motion: Motion) -> str:
    """Plain words about the mechanism, at the start of the motion."""
    m = motion.mechanism
    assert m is not None
    if m.n_u > INSPECTED:
        return f"{counts(m)} m.inspect() says more."
    return str(m.with_parameters(**motion.record["parameters"]).inspect(motion.q[0], float(motion.t[0])))


def counts(m: Mechanism) -> str:
    """How much there is of everything, in a sentence."""
    parts = [
        _count(m.n_bodies, "body", "bodies"),
        _count(len(m.joints) + len(m.cuts), "joint"),
        _count(m.n_q, "coordinate"),
        _count(m.n_u, "speed"),
        *([_count(len(m.cuts), "closed loop")] if m.cuts else []),
        *([_count(len(m.constraints), "constraint")] if m.constraints else []),
        *([_count(len(m.forces), "force")] if m.forces else []),
        *([_count(len(m.laws), "law")] if m.laws else []),
        *([_count(len(m.parameters), "parameter")] if m.parameters else []),
    ]
    return f'"{m.name}" has {", ".join(parts)}.'


def _count(n: int, one: str, many: str | None = None) -> str:
    return f"{n} {one if n == 1 else many or one + 's'}"


def facts(motion: Motion) -> list[list[str]]:
    """Rows of a table: how the motion was computed."""
    record: Any = motion.record
    rows = [[name, _shown(value)] for name, value in record["options"].items() if name != "atol" and value is not None]
    rows += [[name, _shown(record[name])] for name in ("ended", "steps", "reached") if name in record]
    rows += [[f"parameter {name}", _shown(value)] for name, value in record["parameters"].items()]
    given = record.get("given", {})
    rows += [[f"given {name}", _shown(value)] for name, value in given.items() if value]
    rows += [[f"event {e.name}", f"{e.t:.9g} s"] for e in motion.events[:50]]
    return [[a, b] for a, b in rows]


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.9g}"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:299] + "…"


def equations(m: Mechanism) -> dict[str, str]:
    """`html` (MathML) and `latex` of Kane's equations where they are short, `text` about them in any case."""
    about = (
        f"{_count(m.n_u, 'speed')}; A u̇ + Bᵀλ = f, B u̇ = γ"
        if m.cuts or m.constraints
        else f"{_count(m.n_u, 'speed')}; A u̇ = f"
    )
    if m.n_u > COUNTED:
        return {"text": f"{about}. Too many to write out here; m.equations() gives them as text, LaTeX or source code."}
    try:
        written = m.equations("kane")
    except DalembertError as problem:
        return {"text": f"{about}. They could not be written out: {problem}"}
    operations = vars(written.operations)
    words = ", ".join(f"{n} {_KINDS.get(kind, kind)}" for kind, n in operations.items() if n)
    about = f"Kane's equations: {about}. All of them together take {words}."
    latex = written.latex() if m.n_u <= WRITTEN else ""
    if not latex or len(latex) > READABLE:
        return {
            "text": f"{about} Written out they are too long to read here; m.equations() gives them as text, LaTeX or source code."
        }
    return {"text": about, "html": mathml(latex), "latex": latex}
