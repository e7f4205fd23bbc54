"""Numbers of laws, refused at the door where they cannot be: what is wrong, in a sentence."""

from __future__ import annotations

from typing import Any

from dalembert.errors import ModelError
from dalembert.trace import Expr


def check_restitution(e: Any, where: str) -> None:
    """A part of the speed, from 0 to 1."""
    if type(e) is not Expr and not 0.0 <= e <= 1.0:
        gains = "an impact would gain energy" if e > 1.0 else "it would pass through"
        raise ModelError(f"{where}: restitution={e!r} must lie between 0 and 1: {gains}")


def check_not_negative(where: str, **values: Any) -> None:
    """Coefficients and forces of friction."""
    for name, x in values.items():
        if x is not None and type(x) is not Expr and not callable(x) and x < 0.0:
            raise ModelError(
                f"{where}: {name}={x!r} is negative, and friction would drive what it should resist; give 0 or more"
            )


def check_static(where: str, name: str, at_rest: Any, sliding: Any) -> None:
    """Friction at rest is not below that of sliding: else it would slip and stick without end."""
    numbers = [x for x in (at_rest, sliding) if x is not None and type(x) is not Expr and not callable(x)]
    if len(numbers) == 2 and at_rest < sliding:
        raise ModelError(
            f"{where}: {name}={at_rest!r} is below the friction of sliding, {sliding!r}; friction at rest is at least as large"
        )
