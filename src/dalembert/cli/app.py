"""The commands. To add one: write its file and add it here."""

from __future__ import annotations

from collections.abc import Callable

import typer

from dalembert.cli.analyse import analyse
from dalembert.cli.bench import bench
from dalembert.cli.compare import compare
from dalembert.cli.equations import equations
from dalembert.cli.gallery import gallery
from dalembert.cli.importing import import_
from dalembert.cli.inspect import inspect
from dalembert.cli.new import new
from dalembert.cli.schema import schema
from dalembert.cli.simulate import simulate
from dalembert.cli.view import view

app = typer.Typer(
    help="Equations of motion of multibody systems: describe a mechanism in a file, then simulate, inspect and look at it.",
    epilog="MODEL is a model file (YAML, JSON), a robot (URDF, MJCF), or the name of a gallery model such as four_bar.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def version(wanted: bool) -> None:
    if wanted:
        import dalembert

        typer.echo(dalembert.__version__)
        raise typer.Exit


@app.callback()
def options(
    show_version: bool = typer.Option(
        False, "--version", callback=version, is_eager=True, help="Say which version this is."
    ),
) -> None:
    """Equations of motion of multibody systems: describe a mechanism in a file, then simulate, inspect and look at it."""


COMMANDS: dict[str, Callable[..., None]] = {
    "simulate": simulate,
    "inspect": inspect,
    "analyse": analyse,
    "equations": equations,
    "compare": compare,
    "view": view,
    "import": import_,
    "gallery": gallery,
    "bench": bench,
    "new": new,
    "schema": schema,
}

for name, command in COMMANDS.items():
    app.command(name)(command)
