"""Sampled elements: what a filter in continuous time becomes where its input is held between samples."""

from __future__ import annotations

from typing import Any

from dalembert.trace import Expr, Scalar, exp


def share(period: float, time: Any) -> Scalar:
    """1 − e^{−period/time}: the part of the way to a constant input that a filter of first order goes between two samples."""
    return 1.0 - exp(-period / time) if type(time) is Expr or time else 1.0
