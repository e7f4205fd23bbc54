"""What a notebook shows of a motion and of a mechanism."""

from __future__ import annotations

from html import escape

from dalembert.errors import DalembertError
from dalembert.mechanism import Mechanism
from dalembert.motion.motion import Motion
from dalembert.view.about import counts
from dalembert.view.drawing.topology_svg import topology_svg
from dalembert.view.page import page_html

BUDGET = 2_000_000
"""Bytes of numbers: a notebook keeps every page it has shown."""
DRAWN = 60
"""Bodies up to which a mechanism's graph is drawn."""

_STYLE = """
.dalembert-graph { overflow: auto; max-height: 420px; }
.dalembert-graph path { fill: none; stroke: currentColor; opacity: .55; stroke-width: 1.5; }
.dalembert-graph .cut path { stroke: #d6336c; opacity: 1; stroke-dasharray: 6 4; }
.dalembert-graph { --paper: var(--jp-layout-color1, var(--vscode-editor-background, Canvas)); }
.dalembert-graph rect { fill: var(--paper); stroke: #4c8dff; stroke-width: 1.5; }
.dalembert-graph .ground rect { stroke: #8a95a3; }
.dalembert-graph text { font: 11.5px system-ui, sans-serif; text-anchor: middle; fill: currentColor; }
.dalembert-graph .edge text { font-size: 10.5px; paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
"""


def motion_html(motion: Motion) -> str | None:
    """The page in a frame of its own; None, which makes a notebook print one line, where it cannot be made."""
    try:
        page = page_html(motion, None, (), BUDGET)
    except DalembertError:
        return None
    name = escape(str(motion.record.get("model")))
    look = "width: 100%; height: 600px; border: 1px solid #8884; border-radius: 8px"
    return f'<iframe title="{name}" sandbox="allow-scripts" style="{look}" srcdoc="{escape(page)}"></iframe>'


def mechanism_html(m: Mechanism) -> str:
    """A sentence, and the graph where it is not too large."""
    graph = (
        f'<style>{_STYLE}</style><div class="dalembert-graph">{topology_svg(m)}</div>' if m.n_bodies <= DRAWN else ""
    )
    return f"<p>{escape(counts(m))}</p>{graph}"
