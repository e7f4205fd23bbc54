"""`dalembert compare`: the same motion by every formulation."""

from __future__ import annotations

from dalembert.cli.model import Json, Model, opened
from dalembert.cli.report import say, say_json
from dalembert.errors import FormulationError


def compare(model: Model, json: Json = False) -> None:
    """Solve for the accelerations by every method there is, and show that they agree and what each costs."""
    m = opened(model)
    ask = getattr(m, "compare", None)
    if ask is None:
        raise FormulationError("this version writes equations by one method only, so there is nothing to compare")
    found = ask()
    if json:
        say_json(found.record())
    else:
        say(str(found))
