"""`dalembert identify`: parameters from a measured motion."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.model import Json, Model
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Initial, Parameter, Speed, model_with
from dalembert.cli.values import numbers_by_name
from dalembert.errors import ModelError


def identify(
    model: Model,
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="A CSV file: times, then columns named after coordinates or outputs.")
    ],
    fit: Annotated[list[str], typer.Option(help="A parameter to find, or an initial coordinate A or speed A'.")],
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    sigma: Annotated[float | None, typer.Option(help="Standard deviation of the measurements.")] = None,
    json: Json = False,
) -> None:
    """Find the parameters with which the motion comes nearest to what was measured."""
    from dalembert.trace.csv_samples import read_samples

    m = model_with(model, parameter)
    samples = read_samples(data)
    known = {*m.coordinates, *(f"{c}'" for c in m.speeds), *m.plan.outputs}
    measured = {name: x for name, x in zip(samples.columns, samples.values.T) if name in known}
    if not measured:
        raise ModelError(
            f"{data}: none of its columns is a coordinate or an output of the model: {', '.join(sorted(known))}"
        )
    if unused := [name for name in samples.columns if name not in known]:
        note(f"columns not used: {', '.join(unused)}")
    start, speeds = numbers_by_name(initial, "--initial"), numbers_by_name(speed, "--speed")
    found = m.identify(
        samples.times, measured, [x for x in fit if x in m.parameters], start or None, speeds or None,
        initial_values=[x for x in fit if x not in m.parameters], sigma=sigma,
    )  # fmt: skip
    if json:
        say_json({"model": m.name, "values": {name: found[name] for name in fit}, "text": str(found)})
        return
    say(str(found))
