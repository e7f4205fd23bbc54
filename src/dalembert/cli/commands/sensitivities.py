"""`dalembert sensitivities`: how a motion depends on parameters and initial values."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.commands.simulate import how_long
from dalembert.cli.model import Json, Model
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Duration, Every, Initial, Kept, Parameter, Speed, model_with
from dalembert.cli.values import numbers_by_name
from dalembert.tables import Columns, write_table


def sensitivities(
    model: Model,
    to: Annotated[
        list[str] | None,
        typer.Option(help="A parameter, or an initial coordinate A or speed A'. All parameters, if none is named."),
    ] = None,
    duration: Duration = None,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    every: Every = None,
    output: Kept = None,
    json: Json = False,
) -> None:
    """Simulate a model together with the exact derivatives of its motion and outputs in parameters and initial values."""
    check_endings(output or [], (".csv", ".html"))
    m = model_with(model, parameter)
    start, speeds = numbers_by_name(initial, "--initial"), numbers_by_name(speed, "--speed")
    named = None if not to else [x for x in to if x in m.parameters]
    values = [x for x in to or [] if x not in m.parameters]
    x = m.sensitivities(
        how_long(m, duration), start or None, speeds or None, parameters=named, initial_values=values, output=every
    )
    quantities = [*x.coordinates, *(f"{c}'" for c in x.speeds), *(k for k, v in x.values.items() if v.ndim == 1)]
    for path in output or []:
        if path.suffix.lower() == ".csv":
            columns = Columns()
            columns.add("time", "t", x.t, "s")
            for name in quantities:
                columns.add("quantity", name, x.value(name))
                for k, p in enumerate(x.to):
                    columns.add("derivative", f"d {name} / d {p}", x[name][:, k])
            write_table(path, columns)
        else:
            from dalembert.view.posed import posed

            posed(m, x.q, "sensitivities", x.t, x.u).page(path, results=[x])
        note(f"written: {path}")
    if json:
        say_json(
            {"model": m.name, "t": x.t, "to": x.to, "values": {k: x.value(k) for k in quantities},
             "derivatives": {k: x[k] for k in quantities},
             "events": [{"t": e.t, "what": e.what, "dt": e.dt} for e in x.events]}
        )  # fmt: skip
        return
    say(str(x))
