"""Every claim about kernels is made of both ways of driving the steps, and never of code left from an earlier run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dalembert.kernels import catalogue

LIMITS = ("LARGEST_STRAIGHT", "LARGEST_STRAIGHT_DERIVATIVES")


@pytest.fixture(scope="module", autouse=True)
def nothing_kept() -> Iterator[None]:
    """Machine code is neither looked for on disk nor left there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DALEMBERT_CACHE_DIR", "off")
        yield


WAYS = {"straight line": 1000, "loops": 0}


@pytest.fixture(scope="module", params=WAYS.values(), ids=WAYS.keys())
def driver(request: pytest.FixtureRequest, nothing_kept: None, target: None) -> Iterator[None]:
    """Kernels as straight-line code and as loops over the bodies, whatever the model's size."""
    with pytest.MonkeyPatch.context() as patch:
        for limit in LIMITS:
            patch.setattr(catalogue, limit, request.param)
        yield
