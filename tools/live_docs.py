"""Models that live inside the documentation: a hook of MkDocs, listed in mkdocs.yml.

Where a document says `<!-- live: motion -->`, its Python up to there is run, the motion of that name is written as a page that
simulates, and a frame with it stands in the text. The text stays the only source: what a reader drags is what is printed above.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^<!-- live: (\w+) -->$", re.MULTILINE)
FRAME = (
    '<iframe class="live" src="{address}" title="{title}, simulated in this page" loading="lazy" '
    'style="width: 100%; height: 640px; border: 1px solid #8884; border-radius: 8px"></iframe>\n\n'
    '<p><a href="{address}">Open it by itself</a></p>'
)

_made: dict[str, str] = {}
"""Pages of this build, by their place in the site."""


def live_pages(markdown: str) -> dict[str, str]:
    """The page of every motion that a document marks, by name: its Python is run as one program, page by page as it comes to a mark."""
    names = MARK.findall(markdown)
    if not names:
        return {}
    ends = [found.start() for found in MARK.finditer(markdown)]
    program, begin = [], 0
    for name, end in zip(names, ends):
        program += [*BLOCK.findall(markdown[begin:end]), f'{name}.page("{name}.live.html", live=True)\n']
        begin = end
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", "\n".join(program)], cwd=folder, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return {name: (Path(folder) / f"{name}.live.html").read_text(encoding="utf-8") for name in names}


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """MkDocs calls this for every document: frames in place of marks."""
    places = {}
    for name, text in live_pages(markdown).items():
        place = f"live/{PurePosixPath(page.file.src_uri).stem}-{name}.html"
        _made[place] = text
        places[name] = os.path.relpath(place, PurePosixPath(page.file.dest_uri).parent)
    return MARK.sub(lambda found: FRAME.format(address=places[found[1]], title=page.title), markdown)


def on_post_build(config: Any) -> None:
    """MkDocs calls this at the end: the pages go into the site."""
    for place, text in _made.items():
        target = Path(config.site_dir) / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    _made.clear()
