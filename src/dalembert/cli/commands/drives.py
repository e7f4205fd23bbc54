"""`dalembert drives`: the forces that a motion needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.model import Json, Model, described
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Duration, Every, Initial, Kept, Parameter
from dalembert.cli.values import numbers_by_name, point_of, single_numbers
from dalembert.tables import Columns, write_table

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.system.system import System


def drives(
    model: Model,
    move: Annotated[
        list[str] | None, typer.Option(help="A coordinate as an expression of time: A=2*pi*t. May be repeated.")
    ] = None,
    motion: Annotated[
        Path | None, typer.Option(help="Coordinates from a CSV file: times, then a column named after each of them.")
    ] = None,
    follow: Annotated[
        str | None, typer.Option(help="A point that follows the path in a CSV file t,x,y,z: flange,0.1,0,0=path.csv.")
    ] = None,
    actuated: Annotated[
        list[str] | None, typer.Option(help="A joint that has an actuator. Default: the joints that are moved.")
    ] = None,
    weight: Annotated[
        list[str] | None, typer.Option(help="Cost of an actuator's force where the forces are not unique: D=4.")
    ] = None,
    duration: Duration = None,
    initial: Initial = None,
    parameter: Parameter = None,
    every: Every = None,
    output: Kept = None,
    json: Json = False,
) -> None:
    """Find the forces of the actuators that a prescribed motion needs, loops included (inverse dynamics)."""
    check_endings(output or [], (".csv", ".html"))
    if sum(x is not None and x != [] for x in (move, motion, follow)) != 1:
        raise typer.BadParameter("say how it moves: one of --move, --motion, --follow", param_hint="--move")
    system = described(model)
    system.parameters.update(single_numbers(parameter, "--parameter"))
    m: Mechanism = system.build()
    start = numbers_by_name(initial, "--initial") or dict(m.plan.initial)
    if follow is not None:
        t, q, u, udot, moved = _followed(m, follow, start)
    else:
        t, q, u, udot, moved = _driven(system, m, move, motion, start, duration, every)
    found = m.drives(q, u, udot, actuated or moved, single_numbers(weight, "--weight") or None, t)
    for path in output or []:
        _keep(m, found, (t, q, u), path)
        note(f"written: {path}")
    if json:
        forces = {name: found[name] for name in found.actuated}
        say_json({"model": m.name, "t": t, "forces": forces, "unique": found.unique, "surplus": found.surplus})
        return
    say(f"{m.name}: {len(t)} samples from {t[0]:g} to {t[-1]:g} s")
    say(str(found))


def _driven(
    system: System,
    m: Mechanism,
    move: Any,
    motion: Path | None,
    start: dict[str, Any],
    duration: float | None,
    every: Any,
) -> tuple[Any, Any, Any, Any, list[str] | None]:
    """The model with its moved coordinates driven; what they leave free moves by itself."""
    import numpy as np

    from dalembert.errors import SimulationError
    from dalembert.parts.constraints import Drive

    laws, span = _laws(m, move, motion)
    for k, (name, law) in enumerate(laws.items()):
        system.add_constraint(f"moved_{k + 1}", Drive(name, law))
    end = duration if duration is not None else span if span is not None else m.plan.duration
    if end is None:
        raise SimulationError("say how long: --duration 2")
    driven: Mechanism = system.build()
    q = m.assemble(start or None)[0]
    for name, law in laws.items():
        if name not in m.coordinates:
            raise typer.BadParameter(
                f"{name} is no coordinate; they are {', '.join(m.coordinates)}", param_hint="--move"
            )
        q[m.coordinates.index(name)] = float(law(0.0))
    made = driven.simulate(end, q, np.zeros(m.n_u), output=every)
    return made.t, made.q, made.u, made.udot(), [name for name in laws if name in m.speeds] or None


def _laws(m: Mechanism, move: list[str] | None, motion: Path | None) -> tuple[dict[str, Any], float | None]:
    """Functions of time by coordinate, and how long they go on."""
    if motion is not None:
        from dalembert.trace.csv_samples import read_samples
        from dalembert.trace.table import Table

        samples = read_samples(motion)
        t = samples.times - samples.times[0]
        return {name: Table(t, x) for name, x in zip(samples.columns, samples.values.T)}, float(t[-1])
    from dalembert.files.expressions import Formula

    laws: dict[str, Any] = {}
    for one in move or []:
        name, equals, text = one.partition("=")
        if not equals:
            raise typer.BadParameter(f"{one!r} is not coordinate=expression of t", param_hint="--move")
        laws[name.strip()] = Formula([text.strip()], ("t",), [], True)
    return laws, None


def _followed(m: Mechanism, follow: str, start: dict[str, Any]) -> tuple[Any, Any, Any, Any, None]:
    from dalembert.trace.csv_samples import read_samples

    where, equals, file = follow.rpartition("=")
    if not equals:
        raise typer.BadParameter(f"{follow!r} is not point=file.csv", param_hint="--follow")
    samples = read_samples(file)
    if samples.values.shape[1] != 3:
        raise typer.BadParameter(f"{file} must have four columns: t, x, y, z", param_hint="--follow")
    way = m.follow(point_of(where, "--follow"), samples.values, samples.times, initial=start or None)
    note(str(way))
    return way.t, way.q, way.u, way.udot, None


def _keep(m: Mechanism, found: Any, poses: tuple[Any, Any, Any], path: Path) -> None:
    from dalembert.simulation.error_sizes import coordinate_units, speed_units

    kinds = dict(zip(m.speeds, speed_units(m)))
    units = {name: "N m" if "rad" in kinds[name] else "N" for name in found.actuated}
    t, q, u = poses
    if path.suffix.lower() == ".csv":
        columns = Columns()
        columns.add("time", "t", t, "s")
        for i, (name, unit) in enumerate(zip(m.coordinates, coordinate_units(m))):
            columns.add("coordinate", name, q[:, i], unit)
        for name in found.actuated:
            columns.add("force", f"force on {name}", found[name], units[name])
        write_table(path, columns)
        return
    from dalembert.analysis.finding import Finding, Plot
    from dalembert.view.posed import posed

    plots = [
        Plot(f"Force on {name} ({units[name]})", "t, s", t, (name,), found[name][:, None]) for name in found.actuated
    ]
    posed(m, q, "drives", t, u).page(path, results=[Finding("Drives", str(found), [], plots)])
