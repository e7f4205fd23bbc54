"""Models that live inside the documentation.

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

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^<!-- live: (\w+) -->$", re.MULTILINE)
TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
FRAME = (
    '<iframe class="live" src="{address}" title="{title}, simulated in this page" loading="lazy" '
    'style="width: 100%; height: 640px; border: 1px solid #8884; border-radius: 8px"></iframe>\n\n'
    '<p><a href="{address}">Open it by itself</a></p>'
)


def live_pages(markdown: str) -> dict[str, str]:
    """The page of every motion that a document marks, by name. Its Python runs as one program, up to the last mark."""
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


def with_frames(markdown: str, source: str, site: Path) -> str:
    """A document with frames in place of its marks; `source` is its place among the documents. The pages go into the site."""
    places = {}
    for name, text in live_pages(markdown).items():
        place = f"live/{PurePosixPath(source).stem}-{name}.html"
        target = site / place
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        places[name] = os.path.relpath(place, PurePosixPath(source).parent)
    found = TITLE.search(markdown)
    title = "A model" if found is None else found[1]
    return MARK.sub(lambda mark: FRAME.format(address=places[mark[1]], title=title), markdown)
