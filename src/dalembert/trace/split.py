"""A computation in two stages: what can be done before some inputs are known, and the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dalembert.trace import ops
from dalembert.trace.expr import Expr
from dalembert.trace.graph import flatten, ordered


def known_before(outputs: Any, late: Iterable[Expr]) -> list[Expr]:
    """The computed values that do not depend on the late symbols but are needed where they do (or are outputs themselves)."""
    waiting: set[Expr] = set(late)
    needed: dict[Expr, None] = {}

    def need(x: Any) -> None:
        if type(x) is Expr and x not in waiting and x.op is not ops.SYMBOL:
            needed[x] = None

    for e in ordered(outputs):
        if e.op is not ops.SYMBOL and any(type(a) is Expr and a in waiting for a in e.args):
            waiting.add(e)
            for a in e.args:
                need(a)
    for x in flatten(outputs):
        need(x)
    return list(needed)
