"""`dalembert study`: many runs of a model, and what they say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli.model import Json, Model, path_of
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Duration, Initial, Parameter, Speed, model_with
from dalembert.cli.simulation_options import with_simulation_options
from dalembert.cli.values import numbers_by_name
from dalembert.mechanism.simulation_options import SimulationOptions

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism
    from dalembert.studies import Study, StudyResult

Vary = Annotated[
    list[str] | None,
    typer.Option("--vary", help='What varies, and how: "crank=0.4±1%", "A=20..30 deg", "m=1,2,5". May be repeated.'),
]
Want = Annotated[
    list[str] | None,
    typer.Option(
        "--want", "-w", help='What is kept of a run: "max swing", "end A\'", "peak reaction C.norm". May be repeated.'
    ),
]
SHOWN_FAILURES = 5
"""Failed runs that are listed."""


@with_simulation_options
def study(
    model: Model,
    vary: Vary = None,
    want: Want = None,
    runs: Annotated[int | None, typer.Option("--runs", "-n", help="Number of runs; default 1000.")] = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="File for the answers; its ending decides the format: .html, .nc, .csv, .zarr. May be repeated.",
        ),
    ] = None,
    design: Annotated[str | None, typer.Option(help="random, latin_hypercube, sobol, saltelli or grid.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of all random numbers.")] = None,
    levels: Annotated[int | None, typer.Option(help="Number of levels of each input in a grid.")] = None,
    duration: Duration = None,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    folder: Annotated[
        Path | None,
        typer.Option(help="Folder for finished blocks of runs. The same command started again continues from them."),
    ] = None,
    store: Annotated[str | None, typer.Option(help="Format of the folder: netcdf or zarr.")] = None,
    threads: Annotated[int | None, typer.Option(help="Threads of this process.")] = None,
    dask: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler that makes the runs: tcp://host:8786.")
    ] = None,
    memory: Annotated[float | None, typer.Option(help="Memory limit, MB.")] = None,
    json: Json = False,
    *,
    options: SimulationOptions,
) -> None:
    """Run a model many times, or run a study file: --vary says what varies, --want what is kept."""
    from dalembert.cli.output_files import check_endings
    from dalembert.studies.answers.study_files import FORMATS
    from dalembert.studies.study import MEMORY

    check_endings(output or [], tuple(FORMATS))
    said: dict[str, Any] = {
        "runs": runs, "design": design, "seed": seed, "levels": levels, "duration": duration,
        "initial": numbers_by_name(initial, "--initial") or None, "speeds": numbers_by_name(speed, "--speed") or None,
        "vary": _varied(vary), "outputs": want or None, "options": options if options.said else None,
    }  # fmt: skip
    asked = _study(model, {k: x for k, x in said.items() if x is not None}, parameter)
    room = MEMORY if memory is None else memory * 1e6
    found = asked.run(threads=threads, executor=dask, folder=folder, store=store, memory=room)
    for path in output or []:
        found.save(path)
        note(f"written: {path}")
    if json:
        say_json(summary(found) | {"written": [str(p) for p in output or []]})
    else:
        tell(asked, found)


def _study(model: str, said: dict[str, Any], parameter: list[str] | None) -> Study:
    """The study of a file, or of a model and the options."""
    from dalembert.studies import Study
    from dalembert.studies.study_file import is_study_file, read_study

    if is_study_file(path := path_of(model)):
        if parameter:
            raise typer.BadParameter(
                "a study's file says its parameters itself, under parameters:", param_hint="--parameter"
            )
        return read_study(path, **said)
    m = model_with(model, parameter)
    if "vary" not in said:
        raise typer.BadParameter(
            'say what varies, for example --vary "crank.length=0.4±1%"; a file with vary: in it says it itself',
            param_hint="--vary",
        )
    if "runs" not in said and said.get("design") != "grid":
        said["runs"] = 1000
    return Study(m, **({"outputs": usual_outputs(m)} | said))


def _varied(given: list[str] | None) -> dict[str, str] | None:
    """`name=how`."""
    found: dict[str, str] = {}
    for one in given or ():
        name, equals, how = one.partition("=")
        if not equals or not name.strip() or not how.strip():
            raise typer.BadParameter(f"{one!r} is not name=how, as crank=0.4±1% is", param_hint="--vary")
        found[name.strip()] = how.strip()
    return found or None


def usual_outputs(m: Mechanism) -> list[str]:
    """What is kept where nothing is said: extremes of the model's own outputs, or the coordinates at the end."""
    s = m.state()
    import numpy as np

    single = [name for name, x in m.plan.outputs.items() if np.size(s.settled(x.value(s))) == 1]
    return [f"{how} {name}" for name in single for how in ("min", "max")] or [f"end {q}" for q in m.coordinates]


def summary(found: StudyResult) -> dict[str, Any]:
    """What a program would want to know."""
    summarised = found.summary()
    rows = summarised.columns()
    answers = {name: {k: rows[k][i] for k in rows if k != "name"} for i, name in enumerate(summarised.names)}
    return {
        "model": found.about["model"], "runs": found.runs, "made": int(found.done.sum()), "failed": int(found.failed.sum()),
        "ended": found.ended, "answers": answers,
        "failures": [{"run": x.run, "reason": x.reason, "inputs": dict(x.inputs)} for x in found.failures[:100]],
    }  # fmt: skip


def tell(asked: Study, found: StudyResult) -> None:
    """What a person would want to know."""
    say(asked.inputs.described())
    say(str(found.summary()))
    for x in found.failures[:SHOWN_FAILURES]:
        at = ", ".join(f"{name} = {value:.6g}" for name, value in x.inputs.items())
        note(f"run {x.run} failed ({at}): {x.reason}")
    if len(found.failures) > SHOWN_FAILURES:
        note(f"and {len(found.failures) - SHOWN_FAILURES} more failed")
