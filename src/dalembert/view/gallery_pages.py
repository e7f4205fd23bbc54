"""Many motions: a page of each, and an index with a moving thumbnail of each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dalembert.atomic import make_folder, write_whole
from dalembert.errors import FileError
from dalembert.motion.motion import Motion
from dalembert.view.bundle import document
from dalembert.view.drawing.thumbnail import thumbnail
from dalembert.view.page import write_page

MODULES = ("decode", "theme", "gallery")


@dataclass(frozen=True, eq=False)
class GalleryEntry:
    """One model of a gallery: the name of its file (letters, digits, - and _), a line about its purpose, its motion."""

    name: str
    purpose: str
    motion: Motion


def gallery(entries: Iterable[GalleryEntry], folder: str | Path, title: str = "Gallery", live: bool = False) -> Path:
    """Write `<name>.html` for every entry, one after the other as they come, then `index.html`, whose place is returned. With `live`
    the pages simulate, wherever that is possible."""
    place = Path(folder)
    make_folder(place, "gallery")
    cards = []
    for entry in entries:
        if not re.fullmatch(r"[\w-]+", entry.name) or entry.name == "index":
            raise FileError(f"gallery: {entry.name!r} cannot name a page; use letters, digits, - and _, and not index")
        write_page(entry.motion, place / f"{entry.name}.html", live=None if live else False)
        m = entry.motion.mechanism
        assert m is not None
        loops = f", {len(m.cuts)} loop{'s' * (len(m.cuts) != 1)}" if m.cuts else ""
        drawing = thumbnail(entry.motion)
        bend = f", bending × {drawing['bending']:g}" if drawing["wires"] and drawing["bending"] > 1.0 else ""
        cards.append(
            {
                "page": f"{entry.name}.html",
                "title": m.name,
                "purpose": entry.purpose,
                "counts": f"{m.n_bodies} bod{'ies' if m.n_bodies != 1 else 'y'}{loops}{bend}",
                "drawing": drawing,
            }
        )
    text = document("gallery.html", "gallery.css", (), MODULES, {"cards": cards}, title=title)
    write_whole(place / "index.html", text.encode("utf-8"), "gallery")
    return place / "index.html"
