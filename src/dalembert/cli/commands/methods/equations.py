"""`dalembert equations`: the equations of motion, written out."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.model import Json, Model, opened
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Symbols, symbols


class WrittenAs(StrEnum):
    text = "text"
    latex = "latex"
    python = "python"
    numpy = "numpy"
    c = "c"


def equations(
    model: Model,
    formulation: Annotated[str, typer.Option("--formulation", "-f", help="Formulation: kane, lagrange, …")] = "kane",
    format: Annotated[WrittenAs, typer.Option("--format", help="Output language.")] = WrittenAs.text,
    numbers: Annotated[bool, typer.Option("--numbers", help="Insert the values of the parameters.")] = False,
    small: Annotated[
        list[str] | None,
        typer.Option(
            "--small", help="A joint, elastic body or coordinate that stays small: the equations become linear in it."
        ),
    ] = None,
    symbol: Symbols = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write to.")] = None,
    json: Json = False,
) -> None:
    """Print the equations of motion A u̇ = f in symbols, by a classical method."""
    m = opened(model)
    written = m.equations(
        formulation, parameters="numbers" if numbers else "symbols", small=small or (), symbols=symbols(symbol)
    )
    texts = {WrittenAs.text: written.text, WrittenAs.latex: written.latex}
    text = texts[format]() if format in texts else written.code(format.value)
    if output is not None:
        from dalembert.atomic import write_whole

        write_whole(output, text.encode(), "equations")
        note(f"written: {output}")
    if json:
        say_json(
            {"model": m.name, "formulation": formulation, "format": format.value, "operations": written.operations.total,
             "coordinates": m.coordinates, "speeds": m.speeds, "equations": text}
        )  # fmt: skip
    elif output is None:
        say(text)
