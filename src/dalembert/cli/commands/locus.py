"""`dalembert locus`: eigenvalues over a parameter or a speed."""

from __future__ import annotations

from typing import Annotated

import typer

from dalembert.cli.model import Json, Model
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Find, Hold, Initial, Kept, Parameter, Steady, Time, model_with, started
from dalembert.cli.values import numbers_by_name, values_of
from dalembert.tables import Columns, write_table


def locus(
    model: Model,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A parameter, or a speed that is kept constant.")],
    values: Annotated[str, typer.Argument(metavar="VALUES", help="from:to, from:to:count, or 1,2,5.")],
    initial: Initial = None,
    speed: Steady = None,
    parameter: Parameter = None,
    hold: Hold = None,
    find: Find = None,
    time: Time = 0.0,
    order: Annotated[
        float, typer.Option(help="Order of critical speeds: a frequency is this many times the speed.")
    ] = 1.0,
    output: Kept = None,
    json: Json = False,
) -> None:
    """Follow the eigenvalues of small motions over a parameter or speed: root locus, Campbell's diagram, limits, critical speeds."""
    from dalembert.simulation.error_sizes import speed_units

    check_endings(output or [], (".csv", ".html"))
    m = model_with(model, parameter)
    speeds, looked_for = numbers_by_name(speed, "--speed"), numbers_by_name(find, "--find")
    start = started(m, initial)
    found = m.root_locus(
        name, values_of(values, "VALUES"), start, speeds, find=looked_for, hold=tuple(hold or ()), t=time
    )
    turning = name in m.speeds and speed_units(m)[m.speeds.index(name)] == "rad/s"
    critical = found.critical_speeds(order) if turning else []
    for path in output or []:
        if path.suffix.lower() == ".csv":
            roots = found.eigenvalues
            columns = Columns()
            columns.add("parameter", name, found.values)
            for k in range(roots.shape[1]):
                columns.add("eigenvalue", f"real {k}", roots[:, k].real, "1/s")
                columns.add("eigenvalue", f"imaginary {k}", roots[:, k].imag, "1/s")
            write_table(path, columns)
        else:
            from dalembert.view.posed import posed

            posed(m, m.assemble(start)[0], f"locus over {name}").page(path, results=[found])
        note(f"written: {path}")
    limits = found.stability_limits()
    if json:
        rows = {"stability_limits": limits, "critical_speeds": critical}
        say_json(
            {"model": m.name, "name": name, "values": found.values, "stable": found.stable,
             "eigenvalues": [[[x.real, x.imag] for x in row] for row in found.eigenvalues]}
            | {k: [{"value": c.value, "eigenvalue": [c.eigenvalue.real, c.eigenvalue.imag]} for c in v] for k, v in rows.items()}
        )  # fmt: skip
        return
    say(str(found))
    for c in critical:
        say(f"critical speed {c.value:.8g} rad/s")
