"""The graph of bodies and joints as an SVG: the tree from top to bottom, cut joints as dashed arcs across it."""

from __future__ import annotations

from html import escape

from dalembert.mechanism import Mechanism

ROW, COLUMN, MARGIN = 64.0, 96.0, 40.0


def topology_svg(m: Mechanism) -> str:
    """Bodies carry `data-body`, joints `data-joint`; colours come from the page's style sheet."""
    at = layout(m.parent)
    width = max(x for x, _ in at) + 2 * MARGIN + 40.0
    height = max(y for _, y in at) + 2 * MARGIN
    names = ["ground", *(b.name for b in m.bodies)]
    lines, nodes = [], []
    for k, j in enumerate(m.joints, start=1):
        lines.append(_edge(at[m.parent[k - 1]], at[k], j.name, "tree"))
    for c in m.cuts:
        lines.append(_edge(at[c.parent], at[c.child], c.name, "cut"))
    for k, name in enumerate(names):
        x, y = at[k]
        kind = "ground" if k == 0 else "body"
        nodes.append(
            f'<g class="node {kind}" data-body="{k}" tabindex="0" role="button" aria-label="body {escape(name)}">'
            f'<title>{escape(name)}</title><rect x="{x - 38:.1f}" y="{y - 14:.1f}" width="76" height="28" rx="{4 if k == 0 else 14}"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}">{escape(_short(name, 11))}</text></g>'
        )
    return (
        f'<svg class="topology" xmlns="http://www.w3.org/2000/svg" viewBox="{-MARGIN:.0f} {-MARGIN:.0f} {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="bodies and joints of {escape(m.name)}">'
        f"{''.join(lines)}{''.join(nodes)}</svg>"
    )


def layout(parent: tuple[int, ...]) -> list[tuple[float, float]]:
    """Leaves side by side in the order a walk meets them, every parent above the middle of what it carries."""
    n = len(parent)
    children: list[list[int]] = [[] for _ in range(n + 1)]
    depth = [0] * (n + 1)
    for k, p in enumerate(parent, start=1):
        children[p].append(k)
        depth[k] = depth[p] + 1
    x = [0.0] * (n + 1)
    leaves, walk = 0, [0]
    order: list[int] = []
    while walk:
        k = walk.pop()
        order.append(k)
        walk += reversed(children[k])
    for k in order:
        if not children[k]:
            x[k], leaves = leaves * COLUMN, leaves + 1
    for k in reversed(order):
        if children[k]:
            x[k] = 0.5 * (x[children[k][0]] + x[children[k][-1]])
    return [(x[k] + 20.0, depth[k] * ROW) for k in range(n + 1)]


def _edge(a: tuple[float, float], b: tuple[float, float], name: str, kind: str) -> str:
    (x1, y1), (x2, y2) = a, b
    if kind == "tree":
        cx, cy = 0.5 * (x1 + x2), 0.5 * (y1 + y2)
        bend, tx, ty = f"C{x1:.1f} {cy:.1f} {x2:.1f} {cy:.1f}", cx, cy
    else:  # round the outside of the corner that the two bodies make
        cx = max(x1, x2) + (112.0 if abs(x1 - x2) < 1.0 else 0.0)
        cy = 0.5 * (y1 + y2) if abs(x1 - x2) < 1.0 else max(y1, y2) + (64.0 if abs(y1 - y2) < 1.0 else 16.0)
        cx = 0.5 * (x1 + x2) if abs(y1 - y2) < 1.0 else cx
        bend, tx, ty = f"Q{cx:.1f} {cy:.1f}", 0.25 * (x1 + 2.0 * cx + x2), 0.25 * (y1 + 2.0 * cy + y2)
    line = f'<path d="M{x1:.1f} {y1:.1f}{bend} {x2:.1f} {y2:.1f}"/>'
    label = f'<text x="{tx:.1f}" y="{ty + 3:.1f}">{escape(_short(name, 14))}</text>'
    return f'<g class="edge {kind}" data-joint="{escape(name)}"><title>joint {escape(name)}</title>{line}{label}</g>'


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
