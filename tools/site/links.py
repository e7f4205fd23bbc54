"""Links of the built site: whatever a page points at within the site must exist, with its place on the page."""

from __future__ import annotations

from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

NOT_OURS = ("_static/", "genindex.html", "search.html")
"""Made by Sphinx."""


class Page(HTMLParser):
    """What a page points at, and the places that may be pointed at on it."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.places |= {given[x] for x in ("id", "name") if x in given}
        self.links += [given[x] for x in ("href", "src") if x in given]


@cache
def read(file: Path) -> Page:
    """A page of the site."""
    page = Page()
    page.feed(file.read_text(encoding="utf-8"))
    return page


def has_place(file: Path, name: str) -> bool:
    """Whether a place may be pointed at. What stands after the # of a live page is its own affair."""
    return file.suffix != ".html" or file.parent.name == "live" or name in read(file).places


def broken_links(site: Path) -> list[str]:
    """Page and link, for every link that leads nowhere. Pages that simulate are whole in themselves and not looked into."""
    found = []
    for file in sorted(site.rglob("*.html")):
        place = file.relative_to(site).as_posix()
        if place.startswith(("live/", *NOT_OURS)):
            continue
        for link in dict.fromkeys(read(file).links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file.resolve()
            if target.is_dir():
                target /= "index.html"
            if not target.is_file() or (parts.fragment and not has_place(target, unquote(parts.fragment))):
                found.append(f"{place}: {link}")
    return found
