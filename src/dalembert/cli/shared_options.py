"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalembert.cli import simulation_options
from dalembert.cli.model import opened
from dalembert.cli.values import numbers_by_name, single_numbers

if TYPE_CHECKING:
    from dalembert.mechanism import Mechanism

Duration = Annotated[float | None, typer.Option("--duration", "-d", help="Seconds; the model's own if not given.")]
Initial = Annotated[
    list[str] | None,
    typer.Option("--initial", "-i", help="Coordinates at the start: A=0.3, A=60*deg. May be repeated."),
]
Speed = Annotated[list[str] | None, typer.Option("--speed", "-u", help="Speeds at the start: A=1. May be repeated.")]
Parameter = Annotated[
    list[str] | None, typer.Option("--parameter", "-p", help="A parameter's value: m=2. May be repeated.")
]
Symbols = Annotated[
    list[str] | None,
    typer.Option("--symbol", help="A number kept as a symbol: gravity, rod.mass, gravity=g0. May be repeated."),
]
Every = Annotated[float | None, typer.Option(simulation_options.FLAGS["output"], help="Seconds between outputs.")]
Hold = Annotated[list[str] | None, typer.Option(help="A joint whose coordinates stay fixed. May be repeated.")]
Find = Annotated[
    list[str] | None, typer.Option(help="A constant speed to solve for, with a first guess: A=1. May be repeated.")
]
Steady = Annotated[
    list[str] | None, typer.Option("--speed", "-u", help="A speed that is constant: A=1. May be repeated.")
]
Time = Annotated[
    float,
    typer.Option("--time", "-t", help="Time at which forces and prescribed motion are evaluated, s."),
]
Kept = Annotated[
    list[Path] | None,
    typer.Option("--output", "-o", help="File for the result: .csv (a table) or .html (a page). May be repeated."),
]

FLAGS = simulation_options.FLAGS | {
    "duration": "--duration", "initial": "--initial", "speeds": "--speed", "parameters": "--parameter", "starts": "--starts",
    "hold": "--hold", "find": "--find", "actuated": "--actuated", "weights": "--weight", "t": "--time",
    "symbols": "--symbol",
}  # fmt: skip
"""Arguments of Python functions as the command line names them."""


def model_with(model: str, parameter: list[str] | None) -> Mechanism:
    """The mechanism with the parameters that the command gives."""
    m = opened(model)
    values = single_numbers(parameter, "--parameter")
    return m.with_parameters(**values) if values else m


def started(m: Mechanism, initial: list[str] | None) -> dict[str, Any] | None:
    """Coordinates of the command, or the model's own."""
    return numbers_by_name(initial, "--initial") or dict(m.plan.initial) or None


def symbols(given: list[str] | None) -> dict[str, str]:
    """Numbers to be kept as symbols, with the names that the command gives them."""
    return {number.strip(): name.strip() for number, _, name in (each.partition("=") for each in given or ())}
