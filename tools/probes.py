"""Short questions to many mechanisms, asked when a tuning number is scaled: verdicts, motions, equilibria and small motions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import dalembert as da
from tools.answers import Answers
from tools.subjects import Subject, subjects

LONGEST = 1.0
"""Seconds of a motion, at most; a fifth of what its model asks for if that is less."""
LEFT_OUT = (
    "gallery human_body",
    "gallery andrews_squeezer",
    "gallery six_body_chains",
    "benchmark floating base + 30 aligned",
)
"""What takes many seconds."""  # fmt: skip


def probes() -> dict[str, Callable[[], Answers]]:
    """Every question by its name."""
    found: dict[str, Callable[[], Answers]] = {}
    for name, made in subjects().items():
        if name in LEFT_OUT:
            continue
        for what, ask in (("verdict", _verdict), ("motion", _motion), ("rest", _rest)):
            found[f"{what} of {name.removeprefix('gallery ')}"] = partial(_asked, f"{what}/{name}", made, ask)
    return found


def _asked(key: str, made: Callable[[], Subject], ask: Callable[[Subject], Any]) -> Answers:
    answers = Answers()
    answers.ask(key, lambda: ask(made()))
    return answers


def _verdict(s: Subject) -> Any:
    d = s.mechanism.diagnose(s.initial)
    return {"text": str(d), "rank": float(d.rank), "mobility": float(d.mobility)}


def _motion(s: Subject) -> Any:
    m = s.mechanism
    planned = s.duration if s.duration is not None else m.plan.duration
    begun = {} if s.start is None else {"start": s.start}
    duration = min(LONGEST, float(planned or LONGEST) / 5)
    x = m.simulate(duration, s.initial, s.speeds, output=duration / 4, **begun)
    return {"q": x.q, "u": x.u, "events": str([e.name for e in x.events]), "steps": float(x.record["steps"])}


def _rest(s: Subject) -> Any:
    m = s.mechanism
    if not (s.small and s.thorough and s.start is None):
        return {}
    e = m.equilibrium(s.initial, starts=1)
    found = {"q": e.q, "text": str(e)}
    if m.laws:
        return found
    return found | {"eigenvalues": np.sort_complex(m.linearise(e.q, e.u, e.t).modes().eigenvalues)}


__all__ = ["da", "probes"]
