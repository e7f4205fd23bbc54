"""Every claim about kernels is made of both ways of driving the steps, and never of code left from an earlier run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dalembert.kernels import catalogue
from dalembert.trace.native import cache, x86

LIMITS = ("LARGEST_STRAIGHT", "LARGEST_STRAIGHT_DERIVATIVES")


@pytest.fixture(scope="module", autouse=True)
def nothing_kept() -> Iterator[None]:
    """Machine code is neither looked for on disk nor left there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DALEMBERT_CACHE_DIR", "off")
        yield


WAYS = {"straight line": 1000, "loops": 0}
DRIVERS = [(way, own) for own in ((True, False) if x86.available() else (False,)) for way in WAYS]


@pytest.fixture(scope="module", params=DRIVERS, ids=[f"{way}, {'own code' if own else 'LLVM'}" for way, own in DRIVERS])
def driver(request: pytest.FixtureRequest, nothing_kept: None) -> Iterator[None]:
    """Kernels as straight-line code and as loops over the bodies, whatever the model's size; arithmetic by own code and by LLVM."""
    way, own = request.param
    with pytest.MonkeyPatch.context() as patch:
        for limit in LIMITS:
            patch.setattr(catalogue, limit, WAYS[way])
        if not own:
            patch.setattr(x86, "takes", lambda *_: False)
        cache._loaded.clear()  # the key of a kernel says the mechanism, not the driver
        yield
        cache._loaded.clear()
