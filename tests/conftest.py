"""Random tests: new examples at every run on a desk, the same ones where a run decides whether work lands."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

settings.register_profile("desk", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where every run repeats the same random cases, half of them will do; on a desk each run tries new ones."""
    if not os.environ.get("CI"):
        return
    seen = set()
    for item in items:
        test = getattr(item, "obj", None)
        chosen = getattr(test, "_hypothesis_internal_use_settings", None)
        if chosen is not None and id(chosen) not in seen:
            fewer = settings(chosen, max_examples=max(2, chosen.max_examples // 2))
            test._hypothesis_internal_use_settings = fewer
            seen.add(id(fewer))
