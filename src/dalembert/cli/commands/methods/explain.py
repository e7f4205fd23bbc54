"""`dalembert explain`: the matrices that a method makes of a mechanism."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.model import Json, Model
from dalembert.cli.report import note, say, say_json
from dalembert.cli.shared_options import Initial, Parameter, Speed, Symbols, model_with, started, symbols
from dalembert.cli.values import numbers_by_name


class ExplainedAs(StrEnum):
    text = "text"
    latex = "latex"
    html = "html"


def explain(
    model: Model,
    method: Annotated[
        str, typer.Argument(help="A formulation or a constraint method: path_matrix, zero_eigenvalues, …")
    ],
    formulation: Annotated[
        str, typer.Option("--formulation", "-f", help="Formulation whose equations the constraint method solves.")
    ] = "kane",
    numbers: Annotated[bool, typer.Option("--numbers", help="Numbers at the start instead of symbols.")] = False,
    initial: Initial = None,
    speed: Speed = None,
    parameter: Parameter = None,
    format: Annotated[ExplainedAs, typer.Option("--format", help="Output language.")] = ExplainedAs.text,
    symbol: Symbols = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write to.")] = None,
    json: Json = False,
) -> None:
    """Show the matrices of a formulation or constraint method, in symbols or as numbers at the start."""
    m = model_with(model, parameter)
    at_start = numbers or initial is not None or speed is not None
    q, u = None, None
    if at_start:
        q, u = m.assemble(started(m, initial), numbers_by_name(speed, "--speed") or dict(m.plan.speeds) or None)
    found = m.explain(method, q, u, formulation=formulation, symbols=symbols(symbol))
    text = {ExplainedAs.text: found.text, ExplainedAs.latex: found.latex, ExplainedAs.html: found.page}[format]()
    if output is not None:
        from dalembert.atomic import write_whole

        write_whole(output, text.encode(), "explanation")
        note(f"written: {output}")
    if json:
        say_json({"model": m.name} | found.to_dict())
    elif output is None:
        say(text)
