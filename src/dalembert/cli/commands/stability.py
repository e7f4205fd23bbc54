"""`dalembert stability`: a map of where small motions grow."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.model import Json, Model
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Find, Hold, Initial, Kept, Parameter, Steady, Time, model_with, started
from dalembert.cli.values import numbers_by_name, values_of
from dalembert.tables import Columns, write_table


def stability(
    model: Model,
    over: Annotated[
        list[str], typer.Option(help="A parameter or constant speed and its values: k=0:10:21. One or two of them.")
    ],
    initial: Initial = None,
    speed: Steady = None,
    parameter: Parameter = None,
    hold: Hold = None,
    find: Find = None,
    time: Time = 0.0,
    output: Kept = None,
    json: Json = False,
) -> None:
    """Map where the equilibrium is stable, over one or two parameters or speeds."""
    check_endings(output or [], (".csv", ".html"))
    ranges = {}
    for one in over:
        name, equals, text = one.partition("=")
        if not equals:
            raise typer.BadParameter(f"{one!r} is not name=from:to:count", param_hint="--over")
        ranges[name.strip()] = values_of(text, "--over")
    m = model_with(model, parameter)
    start = started(m, initial)
    speeds, looked_for = numbers_by_name(speed, "--speed"), numbers_by_name(find, "--find")
    found = m.stability_map(ranges, start, speeds, find=looked_for, hold=tuple(hold or ()), t=time)
    for path in output or []:
        if path.suffix.lower() == ".csv":
            import numpy as np

            places = np.meshgrid(*found.values, indexing="ij")
            columns = Columns()
            for name, x in zip(found.names, places):
                columns.add("parameter", name, x.ravel())
            columns.add("stability", "growth", found.growth.ravel(), "1/s")
            write_table(path, columns)
        else:
            from dalembert.view.posed import posed

            posed(m, m.assemble(start)[0], "stability map").page(path, results=[found])
        note(f"written: {path}")
    if json:
        values = dict(zip(found.names, found.values))
        say_json({"model": m.name, "values": values, "growth": found.growth, "stable": found.stable})
        return
    say(str(found))
    if len(found.names) == 2:
        say(f"{found.names[1]} upward, {found.names[0]} to the right; + is stable")
        for row in found.stable.T[::-1]:
            say("  " + "".join("+" if x else "·" for x in row))
