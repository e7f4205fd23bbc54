"""`dalembert gallery`: the models that come with the package, as a list or as pages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dalembert.cli.model import Json
from dalembert.cli.report import note, say, say_json


def gallery(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="Folder for a page of each model and an index. Without it the models are listed."
        ),
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="Only this model. May be repeated.")] = None,
    live: Annotated[bool, typer.Option("--live/--no-live", help="Pages that simulate, or that play back.")] = True,
    open_it: Annotated[bool, typer.Option("--open/--no-open", help="Open the index in the browser.")] = False,
    json: Json = False,
) -> None:
    """List the gallery, or simulate all of it and write an index page with a moving picture of each."""
    from dalembert.files.gallery import files
    from dalembert.files.models import load_system

    chosen = {name: path for name, path in files().items() if not only or name in only}
    if not chosen:
        raise typer.BadParameter(f"there is no gallery model {', '.join(only or [])}", param_hint="--only")
    if output is None:
        found = {name: load_system(path).purpose for name, path in chosen.items()}
        if json:
            say_json([{"name": name, "purpose": purpose, "file": str(chosen[name])} for name, purpose in found.items()])
            return
        for name, purpose in found.items():
            say(f"{name:<18} {purpose}")
        note("\nlook at one with `dalembert view NAME`, at all of them with `dalembert gallery -o pages`")
        return
    index = _pages(chosen, output, live)
    if json:
        say_json({"index": str(index.resolve()), "models": list(chosen)})
    if open_it:
        import webbrowser

        webbrowser.open(index.resolve().as_uri())


def _pages(chosen: dict[str, Path], folder: Path, live: bool) -> Path:
    from dalembert.files import load
    from dalembert.view import GalleryEntry, gallery

    entries = []
    for k, (name, path) in enumerate(chosen.items(), start=1):
        note(f"[{k}/{len(chosen)}] {name}")
        m = load(path)
        entries.append(GalleryEntry(name, m.purpose, m.simulate()))
    made: Path = gallery(entries, folder, title="Gallery of dalembert", live=live)
    note(f"written: {made}")
    return made
