"""Which element reads which signal, what inputs read of the mechanism, and what elements and forces act upon."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from dalembert.elements.placed import PlacedElement
from dalembert.elements.signals import Signals
from dalembert.files.models.records import type_name
from dalembert.mechanism import Mechanism
from dalembert.parts.forces import Force
from dalembert.trace import Expr, tracing

LONG, SHORT = 26, 14
"""Characters of what is written before an input, and before one into which signals come as well."""


@dataclass(frozen=True)
class DiagramBlock:
    """An element, or a force that reads signals."""

    name: str
    kind: str
    inputs: dict[str, str]
    """What is written before each input: what it reads of the mechanism, a number; nothing where only signals come in."""
    acts: str
    """The joints or bodies that it acts upon."""
    sampled: bool
    title: str
    joined: frozenset[str] = frozenset()
    """Inputs into which signals come."""

    @property
    def labels(self) -> dict[str, str]:
        """What is written before inputs, cut to a length; shorter where signals come in as well."""
        most = {name: SHORT if name in self.joined else LONG for name in self.inputs}
        return {k: x if len(x) <= most[k] else x[: most[k] - 1] + "…" for k, x in self.inputs.items() if x}


@dataclass(frozen=True)
class SignalWire:
    """A signal of a block that an input of another reads."""

    source: str
    signal: str
    target: str
    input: str


class _Noted(Signals):
    """Signals that note which of them are asked for, but not those that answers ask for in turn."""

    def __init__(self, s: Any):
        super().__init__(s)
        self.noted: list[str] = []
        self._depth = 0

    def __getitem__(self, name: str) -> Any:
        if not self._depth:
            self.noted.append(name)
        self._depth += 1
        try:
            return super().__getitem__(name)
        finally:
            self._depth -= 1


def signal_flow(m: Mechanism) -> tuple[list[DiagramBlock], list[SignalWire]]:
    """Blocks, in the order in which they were added, and the wires between them; none where there are no elements."""
    blocks: list[DiagramBlock] = []
    wires: list[SignalWire] = []
    if not m.elements:
        return blocks, wires
    for p in m.elements.values():
        inputs: dict[str, str] = {}
        joined: set[str] = set()
        for name, source in p.sources.items():
            if source is p.element.optional.get(name, p):
                continue  # not connected
            reads: list[str] = [source] if isinstance(source, str) else _reads(m, source) if callable(source) else []
            wires += [SignalWire(*_split(x), p.name, name) for x in dict.fromkeys(reads)]
            joined |= {name} if reads else set()
            inputs[name] = "" if isinstance(source, str) else _written(m, source)
        blocks.append(_element(p, inputs, frozenset(joined)))
    for name, force in m.forces.items():
        if isinstance(force, PlacedElement) or name in m.elements:
            continue
        read = dict.fromkeys(_reads(m, partial(_loads, force)))
        if read:
            acts = ", ".join(dict.fromkeys((*force.joints, *force.bodies)))
            kind = type_name(type(force))
            block = DiagramBlock(name, kind, {"": ""}, acts, False, f"force {name}, {kind}, acts upon {acts}")
            blocks.append(block)
            wires += [SignalWire(*_split(x), name, "") for x in read]
    return blocks, wires


def _loads(force: Force, s: Any) -> list[Any]:
    return list(force.loads(s))


def _split(signal: str) -> tuple[str, str]:
    owner, _, name = signal.partition(".")
    return owner, name


def _element(p: PlacedElement, inputs: dict[str, str], joined: frozenset[str]) -> DiagramBlock:
    e = p.element
    kind = "formulas" if type(e).__name__ == "FormulaElement" else type_name(type(e))
    acts = ", ".join(dict.fromkeys((*e.joints, *e.bodies))) if e.exerts else ""
    every = "" if e.period is None else f", every {e.period:g} s"
    title = f"element {p.name}, {kind}{every}" + (f", acts upon {acts}" if acts else "")
    return DiagramBlock(p.name, kind + every.replace("every ", ""), inputs, acts, e.period is not None, title, joined)


def _reads(m: Mechanism, of: Callable[[Any], Any]) -> list[str]:
    """Signals that a function of the state asks for; of one that cannot be traced, those until it fails."""
    with tracing():
        s: Any = m.symbolic_state()
        s._signals = noted = _Noted(s)
        with suppress(Exception):  # a plain Python function raises what it likes
            of(s)
    return noted.noted


def _written(m: Mechanism, source: Any) -> str:
    """A source in words: as it was said, or its expression."""
    texts = getattr(source, "texts", None)
    if texts:
        return str(texts[0])
    if not callable(source):
        return f"{source:g}" if isinstance(source, float) else str(source)
    with tracing():
        value = source(m.symbolic_state())
        return str(value) if isinstance(value, Expr) else f"{float(value):g}"
