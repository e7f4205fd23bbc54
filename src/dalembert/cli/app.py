"""The commands. To add one: write its file and add it here."""

from __future__ import annotations

from collections.abc import Callable

import typer

from dalembert.cli.commands.analyse import analyse
from dalembert.cli.commands.bench import bench
from dalembert.cli.commands.doctor import doctor
from dalembert.cli.commands.drives import drives
from dalembert.cli.commands.export import export
from dalembert.cli.commands.identify import identify
from dalembert.cli.commands.importing import import_
from dalembert.cli.commands.inspect import inspect
from dalembert.cli.commands.linearise import linearise
from dalembert.cli.commands.locus import locus
from dalembert.cli.commands.methods.compare import compare
from dalembert.cli.commands.methods.equations import equations
from dalembert.cli.commands.methods.explain import explain
from dalembert.cli.commands.modes import modes
from dalembert.cli.commands.new import new
from dalembert.cli.commands.schema import schema
from dalembert.cli.commands.sensitivities import sensitivities
from dalembert.cli.commands.showing.gallery import gallery
from dalembert.cli.commands.showing.video import video
from dalembert.cli.commands.showing.view import view
from dalembert.cli.commands.simulate import simulate
from dalembert.cli.commands.stability import stability
from dalembert.cli.commands.studies.study import study
from dalembert.cli.commands.sweep import sweep
from dalembert.version import __version__

app = typer.Typer(
    help="Equations of motion of multibody systems: describe a mechanism in a file, then simulate, inspect and look at it.",
    epilog="MODEL is a model file (YAML, JSON), a robot (URDF, MJCF), or the name of a gallery model such as four_bar.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    show_version: bool = typer.Option(
        False, "--version", callback=version, is_eager=True, help="Say which version this is."
    ),
) -> None:
    """Equations of motion of multibody systems: describe a mechanism in a file, then simulate, inspect and look at it."""


LOOK, ASK, FILES = "To simulate and look at", "To ask about it", "Files and the rest"
COMMANDS: dict[str, dict[str, Callable[..., None]]] = {
    LOOK: {"simulate": simulate, "view": view, "video": video, "inspect": inspect, "gallery": gallery},
    ASK: {
        "analyse": analyse, "linearise": linearise, "locus": locus, "stability": stability, "sweep": sweep, "drives": drives,
        "sensitivities": sensitivities, "identify": identify, "equations": equations, "explain": explain, "compare": compare,
        "modes": modes, "study": study,
    },
    FILES: {"new": new, "import": import_, "export": export, "schema": schema, "bench": bench, "doctor": doctor},
}  # fmt: skip

for panel, commands in COMMANDS.items():
    for name, command in commands.items():
        app.command(name, rich_help_panel=panel)(command)
