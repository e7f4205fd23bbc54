"""Documents as notebooks: their text as Markdown cells, their Python as code cells, from the same source."""

from __future__ import annotations

import json
import re
from typing import Any

BLOCK = re.compile(r"^```python\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
LIVE = re.compile(r"^<!-- live: (\w+) -->$", re.MULTILINE)


def notebook(markdown: str) -> str:
    """A notebook in the format of Jupyter, without outputs. A mark of a live model becomes a cell that shows it."""
    cells: list[dict[str, Any]] = []
    end = 0
    for block in BLOCK.finditer(markdown):
        cells += _texts(markdown[end : block.start()])
        cells.append(_code(block[1]))
        end = block.end()
    cells += _texts(markdown[end:])
    for k, cell in enumerate(cells):
        cell["id"] = f"cell-{k}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def _texts(markdown: str) -> list[dict[str, Any]]:
    cells, end = [], 0
    for mark in LIVE.finditer(markdown):
        cells += [_text(markdown[end : mark.start()]), _code(mark[1])]
        end = mark.end()
    return [c for c in [*cells, _text(markdown[end:])] if c["source"]]


def _text(markdown: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": _lines(markdown.strip())}


def _code(python: str) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": {},
        "outputs": [],
        "source": _lines(python.strip()),
    }


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
