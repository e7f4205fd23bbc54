"""How many random examples a property is tried on: as many as its test says on a desk, where each run tries new ones; a sixth of them
where every run repeats the same ones."""

from __future__ import annotations

import os

FEWER = 6


def examples(count: int) -> int:
    """For `settings(max_examples=…)`."""
    return max(2, count // FEWER) if os.environ.get("CI") else count
