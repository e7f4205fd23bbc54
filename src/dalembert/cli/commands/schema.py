"""`dalembert schema`: what editors check model files with."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.model import Json
from dalembert.cli.report import note, say, say_json


def schema(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write to.")] = None,
    json: Json = False,
) -> None:
    """Print the JSON Schema of model files. Editors use it to complete and check them."""
    from dalembert.files.models.schema import json_schema

    text = json_text.dumps(json_schema(), indent=2, ensure_ascii=False)
    if output is None:
        say(text)
        return
    from dalembert.atomic import write_whole

    write_whole(output, (text + "\n").encode(), "schema")
    note(f"written: {output}")
    if json:
        say_json({"written": str(output)})
