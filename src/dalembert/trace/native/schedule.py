"""In which order, and in how many functions, the nodes of a block are computed.

Three wishes shape the order: few values waiting for their use (there are 16 registers), sines and cosines in few groups (each group
has one test), and functions of bounded length (LLVM's time grows faster than the length). Values that outlive their function pass
through a work array.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.trace.expr import Expr
from dalembert.trace.ops import (
    ACOS,
    ASIN,
    ATAN,
    ATAN2,
    COS,
    COSH,
    EXP,
    FMOD,
    LOG,
    POW,
    SIN,
    SINH,
    SYMBOL,
    TAN,
    TANH,
    Op,
)  # fmt: skip

TRIGONOMETRIC = frozenset({SIN, COS})
_WEIGHT: dict[Op, int] = {SIN: 25, COS: 25} | dict.fromkeys(
    (TAN, ASIN, ACOS, ATAN, ATAN2, SINH, COSH, TANH, EXP, LOG, POW, FMOD), 5
)


@dataclass
class Stage:
    """Nodes to compute one after the other, then the sines and cosines (`turned`) of some arguments all together."""

    nodes: list[Expr] = field(default_factory=list)
    angles: list[Any] = field(default_factory=list)
    turned: list[Expr] = field(default_factory=list)


@dataclass
class Chunk:
    """The nodes of one function: computed in stages; those in `saved` go to slots of the work array at the end."""

    nodes: list[Expr]
    saved: dict[Expr, int] = field(default_factory=dict)

    def stages(self) -> list[Stage]:
        return _stages(self.nodes)


@dataclass
class Schedule:
    """Chunks in order, the slot of every value that crosses from one to another, and how many slots there are.

    `whole`: everything, the storing of the values included, fits into one function.
    """

    chunks: list[Chunk]
    slots: dict[Expr, int]
    slot_count: int
    whole: bool


def schedule(nodes: list[Expr], late: Sequence[Any], largest: int) -> Schedule:
    """Chunks of at most about `largest` operations that compute all nodes; `late` values are still needed after the last chunk."""
    if sum(_WEIGHT.get(e.op, 1) for e in nodes) <= largest and len(late) <= largest:
        return Schedule([Chunk(_pair_sines_with_cosines(nodes))], {}, 0, whole=True)
    nodes = _pair_sines_with_cosines(sorted(nodes, key=lambda e: e.serial))
    chunks = [Chunk(piece) for piece in _split(nodes, largest)]
    slots, count = _assign_slots(chunks, late)
    return Schedule(chunks, slots, count, whole=False)


def result_by_result(values: Sequence[Any], known: Iterable[Expr] = ()) -> list[Expr]:
    """What the first value needs, then what the second needs besides, and so on: each node as late as it can be, but the known ones."""
    order: list[Expr] = []
    begun = set(known)
    for value in values:
        stack: list[tuple[Any, bool]] = [(value, False)]
        while stack:
            e, ready = stack.pop()
            if ready:
                order.append(e)
            elif type(e) is Expr and e.op is not SYMBOL and e not in begun:
                begun.add(e)
                stack.append((e, True))
                stack.extend((a, False) for a in reversed(e.args))
    return order


def _pair_sines_with_cosines(nodes: list[Expr]) -> list[Expr]:
    """Cosine right after sine of the same argument, so that they are computed together."""
    partners: dict[Any, list[Expr]] = {}
    for e in nodes:
        if e.op in TRIGONOMETRIC:
            partners.setdefault(e.args[0], []).append(e)
    if not partners:
        return nodes
    paired: list[Expr] = []
    for e in nodes:
        if e.op in TRIGONOMETRIC:
            paired.extend(partners.pop(e.args[0], ()))
        else:
            paired.append(e)
    return paired


def _split(nodes: list[Expr], largest: int) -> list[list[Expr]]:
    """Pieces of about equal weight, none much above the largest."""
    weights = [_WEIGHT.get(e.op, 1) for e in nodes]
    total = sum(weights)
    if total <= largest:
        return [nodes]
    share = total / -(-total // largest)
    pieces: list[list[Expr]] = [[]]
    weight = 0
    for e, w in zip(nodes, weights, strict=True):
        if weight >= share * len(pieces) and not (e.op in TRIGONOMETRIC and _same_angle(pieces[-1][-1], e)):
            pieces.append([])
        pieces[-1].append(e)
        weight += w
    return pieces


def _same_angle(before: Expr, e: Expr) -> bool:
    return before.op in TRIGONOMETRIC and before.args[0] is e.args[0]


def _assign_slots(chunks: list[Chunk], values: Sequence[Any]) -> tuple[dict[Expr, int], int]:
    """A slot for every value used after its own chunk; saving comes last there, so slots read in it may be used again.

    Inputs that are to be stored as they are get a slot too: when storing has begun, their array may be overwritten.
    """
    last_use: dict[Any, int] = {}
    for k, chunk in enumerate(chunks):
        for e in chunk.nodes:
            for a in e.args:
                last_use[a] = k
    for value in values:
        last_use[value] = len(chunks)
    passed_on = [value for value in dict.fromkeys(values) if type(value) is Expr and value.op is SYMBOL]
    slots: dict[Expr, int] = {}
    free: list[int] = []
    ending: list[list[int]] = [[] for _ in range(len(chunks) + 1)]
    count = 0
    for k, chunk in enumerate(chunks):
        free.extend(ending[k])
        for e in chunk.nodes if k else [*passed_on, *chunk.nodes]:
            last = last_use.get(e, k)
            if last > k:
                if not free:
                    free.append(count)
                    count += 1
                slots[e] = chunk.saved[e] = free.pop()
                ending[last].append(slots[e])
    return slots, count


def _stages(nodes: list[Expr]) -> list[Stage]:
    """Group sines and cosines by how many others lie below them; a node comes early only if a group waits for it."""
    if not any(e.op in TRIGONOMETRIC for e in nodes):
        return [Stage(nodes)]
    below: dict[Any, int] = {}  # how many groups must be done before what uses this node
    for e in nodes:
        groups = max([below.get(a, 0) for a in e.args])
        below[e] = groups + 1 if e.op in TRIGONOMETRIC else groups
    last = max(below.values())
    stage_of = dict.fromkeys(nodes, last)
    for e in reversed(nodes):
        if e.op in TRIGONOMETRIC:
            stage_of[e] = below[e] - 1
        needed = stage_of[e]
        for a in e.args:
            if stage_of.get(a, 0) > needed:
                stage_of[a] = needed
    stages = [Stage() for _ in range(last + 1)]
    for e in nodes:
        stage = stages[stage_of[e]]
        if e.op not in TRIGONOMETRIC:
            stage.nodes.append(e)
            continue
        stage.turned.append(e)
        if not stage.angles or stage.angles[-1] is not e.args[0]:
            stage.angles.append(e.args[0])
    return stages
