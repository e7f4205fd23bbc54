"""`dalembert inspect`: what a mechanism is, in plain words."""

from __future__ import annotations

from dalembert.cli.model import Json, Model
from dalembert.cli.report import say, say_json
from dalembert.cli.shared_options import Initial, Parameter, model_with, started


def inspect(model: Model, initial: Initial = None, parameter: Parameter = None, json: Json = False) -> None:
    """Describe a model in words: bodies, loops, freedoms, redundant constraints, reactions, assembly."""
    m = model_with(model, parameter)
    found = m.inspect(started(m, initial))
    if json:
        say_json({"purpose": m.purpose, "coordinates": m.coordinates, "speeds": m.speeds} | found.to_dict())
        return
    if m.purpose:
        say(m.purpose)
    say(str(found))
