"""Stribeck's curve: friction that falls from its value at rest to that of sliding."""

from __future__ import annotations

from typing import Any

from dalembert.trace import Scalar, exp


def stribeck(sliding: Any, at_rest: Any, speed: Any, v: Any) -> Scalar:
    """sliding + (at rest − sliding) exp(−(v/speed)²); without a speed, that of sliding."""
    return sliding if speed is None else sliding + (at_rest - sliding) * exp(-((v / speed) * (v / speed)))
