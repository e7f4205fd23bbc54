"""`dalembert modes`: which modes of elastic bodies matter, and how many are enough."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.model import Json, Model, described
from dalembert.cli.output_files import check_endings
from dalembert.cli.report import note, say, say_json
from dalembert.errors import ModelError


def modes(
    model: Model,
    body: Annotated[
        list[str] | None, typer.Option("--body", help="An elastic body; all if none is named. May be repeated.")
    ] = None,
    study: Annotated[
        bool, typer.Option("--study", help="Natural frequencies of the whole system with fewer and fewer modes.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A picture (.png, .svg or .pdf) of the study.")
    ] = None,
    json: Json = False,
) -> None:
    """List the modes of elastic bodies: frequencies, effective masses, and how many are needed."""
    from dalembert.analysis.truncation import truncation_study
    from dalembert.elastic.mode_participation import participation

    check_endings([output] if output else [], (".png", ".svg", ".pdf"))
    system = described(model)
    every = [name for name, b in system.bodies.items() if b.modes]
    chosen = list(body or every)
    wrong = [name for name in chosen if name not in every]
    if wrong or not every:
        what = f'there is no elastic body "{wrong[0]}"' if wrong else "no body is elastic"
        raise ModelError(f'"{system.name}": {what}; it has {", ".join(every) or "none"}')
    found = {name: participation(system.bodies[name].data) for name in chosen}
    result = truncation_study(system, bodies=chosen) if study or output is not None else None
    if output is not None and result is not None:
        result.picture(output)
        note(f"written: {output}")
    if json:
        bodies = {
            name: {"frequencies": x.frequencies.tolist(), "effective": x.effective.tolist()}
            for name, x in found.items()
        }
        say_json({"model": system.name, "bodies": bodies, "study": None if result is None else result.to_dict()})
        return
    say("\n\n".join([*(f"{name}: {x}" for name, x in found.items()), *([str(result)] if result is not None else [])]))
