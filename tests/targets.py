"""The processors that tests compile for: the one at hand, and those it can stand in for."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence

from dalembert.trace.native import Target, executable, target_of
from dalembert.trace.native.target import VARIABLE

LANES = target_of(None).lanes
"""States at once on the target of this process."""

ROOMS = ("kernels", "simulation", "constraints")
"""Tests that run on every target: those of compiled dynamics, of runs and of loops."""


def targets() -> Sequence[Target]:
    """The target of this process, then those with another number of lanes: where only names differ, code does not."""
    first = target_of(None)
    others = [t for t in executable() if t.lanes != first.lanes and VARIABLE not in os.environ]
    return [first, *{t.lanes: t for t in others}.values()]


def for_module(name: str) -> Sequence[Target]:
    """The targets on which the tests of a module run: all on a desk; where CI is set one each, dealt out by the modules' names."""
    every = targets()
    return [every[zlib.crc32(name.encode()) % len(every)]] if os.environ.get("CI") else every
