"""A kernel over many states: rows of row-major arrays go through the kernel W at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dalembert.trace.native import Int, Module, Real, Signature, UniformPointer, native_lanes

INPUTS = ("t", "q", "u", "x", "P")


def add_batch(module: Module, run: Signature, lanes: int, sizes: Mapping[str, int], n_output: int, work: int) -> None:
    """`batch(count, t, …, P, steps of t … P, y, work)`: a step is the distance between rows, 0 to use one row for all.

    With `lanes` = 1, `run` takes one state at a time in plain arrays, whatever it does with its lanes inside.
    """
    parameters: dict[str, Any] = {"count": Int}
    parameters |= dict.fromkeys(INPUTS, UniformPointer)
    parameters |= {f"step_{name}": Int for name in INPUTS}
    parameters |= {"y": UniformPointer, "work": UniformPointer}
    width = min(run.lanes, native_lanes())
    with module.function("batch", lanes=width, **parameters) as f:
        if lanes == 1:
            with f.loop(f.count) as i:
                rows = [getattr(f, name) + i * getattr(f, f"step_{name}") for name in INPUTS]
                f.call(run, *rows, f.y + i * n_output, f.work)
        else:
            local, at = {}, work
            for name in INPUTS:
                local[name] = f.work + at * lanes
                at += sizes[name]
            result = f.work + at * lanes
            with f.loop(0, f.count, lanes) as i:
                for lane, first, left in _parts(f, i, lanes, width):
                    for name in INPUTS:
                        step = getattr(f, f"step_{name}")
                        rows = (getattr(f, name) + first * step).rows(step, left)
                        _read(f, rows, Columns(local[name] + lane, lanes), sizes[name], width)
                f.call(run, *local.values(), result, f.work)
                for lane, first, left in _parts(f, i, lanes, width):
                    out = (f.y + first * n_output).rows(n_output, left)
                    _write(f, out, Columns(result + lane, lanes), n_output, width)
    if lanes == 1:
        _add_desk(module, run, sizes, n_output)
    with module.function("work_size", status=True) as f:
        f.return_(work if lanes == 1 else work + sum(sizes.values()) + n_output)


def _add_desk(module: Module, run: Signature, sizes: Mapping[str, int], n_output: int) -> None:
    """`desk(memory)`: one state whose inputs, output and working memory lie side by side."""
    with module.function("desk", lanes=run.lanes, memory=UniformPointer) as f:
        pointers, at = [], 0
        for size in [*sizes.values(), n_output, 0]:
            pointers.append(f.memory + at)
            at += size
        f.call(run, *pointers)


def _parts(f: Any, i: Int, lanes: int, width: int) -> Iterator[tuple[int, Int, Int]]:
    """From state i on, as many at a time as a register holds: their first lane, the first state, and how many states are left."""
    for lane in range(0, lanes, width):
        left = f.count - i - lane
        if lane:
            with f.if_(left > 0):
                yield lane, i + lane, left
        else:
            yield lane, i, left


class Columns:
    """Some lanes of an array whose elements have more."""

    def __init__(self, first: UniformPointer, lanes: int):
        self.first, self.lanes = first, lanes

    def __getitem__(self, i: Int | int) -> Real:
        return (self.first + i * self.lanes).lanes[0]

    def __setitem__(self, i: Int | int, value: Real) -> None:
        (self.first + i * self.lanes).lanes[0] = value


def _read(f: Any, rows: Any, into: Columns, n: int, lanes: int) -> None:
    """W rows of n elements into lanes, in squares as far as they go."""
    whole = n - n % lanes
    with f.loop(0, whole, lanes) as j:
        for i, column in enumerate(rows.read_square(j)):
            into[j + i] = column
    for i in range(whole, n):
        into[i] = rows[i]


def _write(f: Any, rows: Any, source: Columns, n: int, lanes: int) -> None:
    """The inverse of `_read`."""
    whole = n - n % lanes
    with f.loop(0, whole, lanes) as j:
        rows.write_square(j, [source[j + i] for i in range(lanes)])
    for i in range(whole, n):
        rows[i] = source[i]
