"""Reference of the command line, from the commands themselves."""

from __future__ import annotations

import inspect
from typing import Any

import typer
from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from dalembert.cli.app import COMMANDS, app


def page() -> str:
    """Every command with its arguments and options."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    parts = [
        "# Commands",
        "What `dalembert COMMAND --help` prints. [Command line](../command-line.md) shows them at work.",
    ]
    for panel, commands in COMMANDS.items():
        parts.append(f"## {panel}")
        parts += [_command(group.commands[name]) for name in commands]
    return "\n\n".join(parts) + "\n"


def _command(command: Any) -> str:
    context = typer.Context(command, info_name=command.name)
    usage = " ".join(["dalembert", command.name, *command.collect_usage_pieces(context)])
    rows = [_row(p) for p in command.params if not getattr(p, "hidden", False)]
    table = "\n".join(["| option | what | default |", "|---|---|---|", *rows])
    return f"### {command.name}\n\n{inspect.cleandoc(command.help or '')}\n\n```\n{usage}\n```\n\n{table}"


def _row(p: Any) -> str:
    names = [*p.opts, *p.secondary_opts] if isinstance(p, TyperOption) else [p.human_readable_name]
    return f"| {', '.join(f'`{x}`' for x in names)} | {_cell(p.help or '')} | {_cell(_default(p))} |"


def _default(p: Any) -> str:
    if p.required:
        return "required"
    value = p.default() if callable(p.default) else p.default
    if isinstance(value, bool):
        return "on" if value else "off"
    return "" if value is None or value == () else f"`{value}`"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
