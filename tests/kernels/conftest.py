"""Every claim about kernels is made of both ways of driving the steps, and never of code left from an earlier run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dalembert.kernels import catalogue
from dalembert.trace.native import cache

LIMITS = ("LARGEST_STRAIGHT", "LARGEST_STRAIGHT_DERIVATIVES")


@pytest.fixture(scope="module", autouse=True)
def nothing_kept() -> Iterator[None]:
    """Machine code is neither looked for on disk nor left there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DALEMBERT_CACHE_DIR", "off")
        yield


@pytest.fixture(scope="module", params=[1000, 0], ids=["straight line", "loops"])
def driver(request: pytest.FixtureRequest, nothing_kept: None) -> Iterator[None]:
    """Kernels as straight-line code, then as loops over the bodies, whatever the model's size."""
    with pytest.MonkeyPatch.context() as patch:
        for limit in LIMITS:
            patch.setattr(catalogue, limit, request.param)
        cache._loaded.clear()  # the key of a kernel says the mechanism, not the driver
        yield
        cache._loaded.clear()
