"""Elements as a block diagram in SVG: a block for each, a line for each signal that one reads of another.

Blocks stand in columns, those that are read before those that read; what goes back runs below all blocks, what passes over a column
above them. What an input reads of the mechanism is written before it, what a block acts upon behind it. Colours are the page's.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from dalembert.mechanism import Mechanism
from dalembert.view.drawing.signal_flow import DiagramBlock, SignalWire, signal_flow

CHARACTER, LINE = 6.2, 16.0
"""Width of a character and height of a line of text, px."""
HEAD, BETWEEN, MARGIN = 38.0, 22.0, 14.0
"""Height of a block's title; least distance of blocks; margin."""
NARROW, LANE = 30.0, 9.0
"""Least distance between columns; distance of lines that run side by side."""
SMALLEST = 0.75
"""Part of its size to which it shrinks where the page has no room; then it is moved."""


@dataclass
class _Drawn:
    """A block in its place."""

    block: DiagramBlock
    column: int
    x: float = 0.0
    y: float = 0.0
    inputs: dict[str, float] = field(default_factory=dict)

    @property
    def width(self) -> float:
        b = self.block
        longest = max(len(b.name) + 1, len(b.kind), *(len(name) + 3 for name in (*b.inputs, "")))
        return max(84.0, CHARACTER * longest + 18.0)

    @property
    def height(self) -> float:
        return HEAD + LINE * max(1, len(self.block.inputs)) + 4.0

    @property
    def before(self) -> float:
        """Width of what is written before it."""
        return max((CHARACTER * len(x) + 14.0 for x in self.block.labels.values()), default=0.0)

    @property
    def behind(self) -> float:
        return CHARACTER * len(self.block.acts) + 26.0 if self.block.acts else 0.0

    def port(self, name: str) -> float:
        return self.y + HEAD + LINE * (list(self.block.inputs).index(name) + 0.5)

    @property
    def exit(self) -> float:
        return self.y + HEAD * 0.5


def block_diagram(m: Mechanism) -> str:
    """The diagram; nothing for a mechanism without elements."""
    blocks, wires = signal_flow(m)
    if not blocks:
        return ""
    drawn = {b.name: _Drawn(b, c) for b, c in zip(blocks, _columns(blocks, wires))}
    return _Sheet(drawn, wires).svg(m.name)


def _columns(blocks: list[DiagramBlock], wires: list[SignalWire]) -> list[int]:
    """Longest ways from what reads no other block; a wire that closes a circle does not count."""
    reads: dict[str, list[str]] = {b.name: [] for b in blocks}
    for w in wires:
        if w.source != w.target:
            reads[w.target].append(w.source)
    column: dict[str, int] = {}

    def depth(name: str, way: tuple[str, ...]) -> int:
        if name not in column:
            open_ = [x for x in reads[name] if x not in way]
            found = 1 + max((depth(x, (*way, name)) for x in open_), default=-1)
            column.setdefault(name, found)
        return column[name]

    return [depth(b.name, (b.name,)) for b in blocks]


class _Sheet:
    """Blocks and wires in their places."""

    def __init__(self, drawn: dict[str, _Drawn], wires: list[SignalWire]):
        self.drawn, self.wires = drawn, wires
        self.count = 1 + max(d.column for d in drawn.values())
        signals = list(dict.fromkeys((w.source, w.signal) for w in wires))
        self.above = [s for s in signals if any(self._kind(w) == "over" for w in self._of(s))]
        self.below = [s for s in signals if any(self._kind(w) == "back" for w in self._of(s))]
        self.top = MARGIN + LANE * len(self.above) + 8.0
        self._place()

    def _of(self, signal: tuple[str, str]) -> list[SignalWire]:
        return [w for w in self.wires if (w.source, w.signal) == signal]

    def _kind(self, w: SignalWire) -> str:
        ahead = self.drawn[w.target].column - self.drawn[w.source].column
        return "next" if ahead == 1 else "over" if ahead > 1 else "back"

    def _place(self) -> None:
        """Columns one after the other, with room for the lines and words between them."""
        self.rises: list[list[tuple[str, str]]] = [[] for _ in range(self.count + 1)]
        for w in self.wires:
            source, target, key = self.drawn[w.source], self.drawn[w.target], (w.source, w.signal)
            for gap in {source.column + 1, target.column}:
                if key not in self.rises[gap]:
                    self.rises[gap].append(key)
        x, self.gap_at = MARGIN, []
        self.bottom = 0.0
        for column in range(self.count + 1):
            own = [d for d in self.drawn.values() if d.column == column]
            before = max((d.before for d in own), default=0.0)
            behind = max((d.behind for d in self.drawn.values() if d.column == column - 1), default=0.0)
            named = [len(s) for o, s in self.rises[column] if self.drawn[o].column == column - 1]
            words = max(behind, max((CHARACTER * n + 10.0 for n in named), default=0.0))
            self.gap_at.append(x + words + 8.0)
            lanes = LANE * len(self.rises[column])
            x += words + lanes + before + (NARROW if 0 < column < self.count else 0.0)
            y = self.top
            for d in sorted(own, key=self._rank):
                d.x, d.y = x, y
                y += d.height + BETWEEN
            self.bottom = max(self.bottom, y)
            x += max((d.width for d in own), default=0.0)
        self.width, self.height = x + MARGIN, self.bottom + LANE * len(self.below) + MARGIN

    def _rank(self, d: _Drawn) -> float:
        """Order in a column: beside what it reads; first what others read, last what stands alone."""
        read = [self.drawn[w.source].y for w in self.wires if w.target == d.block.name and w.source != w.target]
        alone = not any(d.block.name in (w.source, w.target) for w in self.wires)
        return float("inf") if alone else sum(read) / len(read) if read else 0.0

    def _rise(self, gap: int, key: tuple[str, str]) -> float:
        return self.gap_at[gap] + LANE * self.rises[gap].index(key)

    def _line(self, w: SignalWire) -> str:
        """Straight lines that lead from the right of a block to an input of another."""
        a, b, key = self.drawn[w.source], self.drawn[w.target], (w.source, w.signal)
        start, end, x1, x2 = a.exit + self._slot(key), b.port(w.input), a.x + a.width, b.x
        first, last = self._rise(a.column + 1, key), self._rise(b.column, key)
        if self._kind(w) == "next":
            points = [(x1, start), (first, start), (first, end), (x2, end)]
        else:
            over = self._kind(w) == "over"
            y = MARGIN + LANE * self.above.index(key) if over else self.bottom + LANE * self.below.index(key)
            points = [(x1, start), (first, start), (first, y), (last, y), (last, end), (x2, end)]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        tip = f'<path class="tip" d="M{x2:.1f} {end:.1f}l-6 -3.5v7z"/>'
        title = f"{w.source}.{w.signal} → {w.target}.{w.input}"
        return f'<g class="wire"><title>{escape(title)}</title><path d="{path}"/>{tip}</g>'

    def _slot(self, key: tuple[str, str]) -> float:
        """Signals of one block leave it below each other."""
        own = [s for s in dict.fromkeys((w.source, w.signal) for w in self.wires) if s[0] == key[0]]
        return LINE * own.index(key)

    def svg(self, name: str) -> str:
        lines = "".join(self._line(w) for w in self.wires)
        blocks = "".join(self._block(d) for d in self.drawn.values())
        style = f"width: {self.width:.0f}px; min-width: {SMALLEST * self.width:.0f}px"
        size = f'viewBox="0 0 {self.width:.0f} {self.height:.0f}" style="{style}"'
        title = f"elements of {escape(name)} and their connections"
        return f'<svg class="blocks" xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{title}">{lines}{blocks}</svg>'

    def _block(self, d: _Drawn) -> str:
        b, right = d.block, d.x + d.width
        made = [
            f'<g class="block{" sampled" if b.sampled else ""}" data-element="{escape(b.name)}"><title>{escape(b.title)}</title>',
            f'<rect x="{d.x:.1f}" y="{d.y:.1f}" width="{d.width:.1f}" height="{d.height:.1f}" rx="6"/>',
            _text(d.x + d.width / 2, d.y + 16, b.name, "name"),
            _text(d.x + d.width / 2, d.y + 30, b.kind, "kind"),
        ]
        for each, reads in b.inputs.items():
            y = d.port(each)
            made.append(_text(d.x + 8, y + 4, each, "port"))
            joined = each in b.joined  # then words stand above the line
            if reads and not joined:
                made.append(
                    f'<path class="stub" d="M{d.x - 10:.1f} {y:.1f}h10"/><path class="tip" d="M{d.x:.1f} {y:.1f}l-6 -3.5v7z"/>'
                )
            if reads:
                words = _text(d.x - 13, y - 3 if joined else y + 4, b.labels[each], "reads")
                made.append(f"<g><title>{escape(reads)}</title>{words}</g>")
        for signal in dict.fromkeys(w.signal for w in self.wires if w.source == b.name):
            y = d.exit + self._slot((b.name, signal))
            made.append(_text(right + 5, y - 3, signal, "signal"))
        if b.acts:
            y = d.y + d.height - 9.0
            made.append(
                f'<path class="act" d="M{right:.1f} {y:.1f}h14"/><path class="tip act" d="M{right + 18:.1f} {y:.1f}l-6 -3.5v7z"/>'
            )
            made.append(_text(right + 22, y + 4, b.acts, "acts"))
        return "".join(made) + "</g>"


def _text(x: float, y: float, words: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(words)}</text>'
