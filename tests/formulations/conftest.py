"""KaTeX, asked in a real browser whether LaTeX is well formed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

KATEX = Path(__file__).parent / "vendor" / "katex.min.js"


@pytest.fixture(scope="session")
def katex(browser) -> Callable[[str], str]:
    """KaTeX's complaint about a text, "" if it has none."""
    page = browser.new_page()
    page.add_script_tag(path=KATEX)
    verdict = """text => {
        try { katex.renderToString(text, {displayMode: true, strict: "error", maxExpand: 100000}); return ""; }
        catch (problem) { return problem.message; }
    }"""
    return lambda text: page.evaluate(verdict, text)
