"""What it means for a mistake to be refused: the right error, naming the culprit and the remedy."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import dalembert as da


@contextmanager
def refused(*words: str, error: type[da.DalembertError] = da.ModelError) -> Iterator[None]:
    """The block raises `error`, and its message holds all the words."""
    with pytest.raises(error) as caught:
        yield
    missing = [w for w in words if w not in str(caught.value)]
    assert not missing, f"{missing} not in: {caught.value}"


def pendulum() -> da.System:
    """One rod on a hinge: a right model, to be spoilt."""
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(mass=1.0, length=1.0))
    s.add_joint("pivot", da.Revolute(), "ground", "rod")
    return s
