"""Answers known to hang on how a mechanism is said, with the reason: to be emptied, entry by entry."""

from __future__ import annotations

SIGN = "the sign of a beam's mode is that of its end's largest entry, slope or deflection, which depends on the unit of length"
REACH = "steps to other poses, and what counts as closed, are measured in metres"
FAR = "rows are differences of arms from the world's origin, whose rounding passes for rank"
DEAD = "rows of lengths and of directions are compared by size, and the smaller ones taken for nothing"

KNOWN: dict[tuple[str, str], str] = {
    ("elastic tree", "mm, g, ms"): SIGN,
    ("elastic tree", "µm, mg, ms"): SIGN,
    ("elastic tree", "inches, pounds, minutes"): SIGN,
    ("elastic loop", "µm, mg, ms"): REACH,
    ("redundant loops", "µm, mg, ms"): REACH,
    ("loops", "µm, mg, ms"): DEAD,
    ("loops", "km, t, h"): REACH,
    ("redundant loops", "km, t, h"): REACH,
    ("loops", "world shifted 1000 km"): FAR,
}
"""(kind, way) → why."""


def known(kind: str, how: str) -> str | None:
    return KNOWN.get((kind, how))
