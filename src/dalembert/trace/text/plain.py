"""A computation as plain lines a person can read: `name = expression`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.trace.text.intermediates import program
from dalembert.trace.text.python import TRACED


def plain_text(outputs: Mapping[str, Any]) -> str:
    """A line for every named intermediate, then one for every output."""
    steps = program(list(outputs.values()), taken=outputs)
    names = {s: s.name for s in steps.inputs}
    write = TRACED.writer(names)
    lines = []
    for name, e in steps.assignments:
        lines.append(f"{name} = {TRACED.define(e, write).text}")
        names[e] = name
    lines += [f"{name} = {write(e).text}" for name, e in outputs.items()]
    return "\n".join(lines)
