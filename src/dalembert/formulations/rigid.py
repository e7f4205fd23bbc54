"""For formulations whose unknowns are the motions of rigid bodies."""

from __future__ import annotations

from dalembert.mechanism import Mechanism


def bending(m: Mechanism) -> str | None:
    """The sentence where a body has coordinates of its own."""
    found = next((b.name for b in m.bodies if b.modes), None)
    if found is None:
        return None
    return f'body "{found}" is elastic, and this method balances rigid bodies; choose "kane", "lagrange" or "articulated_body"'
