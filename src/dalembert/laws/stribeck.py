"""How large friction is: given by a number or a function of the state; and by Stribeck's curve, on which it falls from its value at
rest to that of sliding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.trace import Scalar, exp, maximum

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


def friction_in(s: State, given: Any) -> Scalar:
    """A number, or what its function gives in a state; none where that is below 0, as it would drive what it should resist."""
    return maximum(given(s), 0.0) if callable(given) else given


def stribeck(sliding: Any, at_rest: Any, speed: Any, v: Any) -> Scalar:
    """sliding + (at rest − sliding) exp(−(v/speed)²); without a speed, that of sliding."""
    return sliding if speed is None else sliding + (at_rest - sliding) * exp(-((v / speed) * (v / speed)))
