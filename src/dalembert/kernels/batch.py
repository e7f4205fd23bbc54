"""A kernel over many states: rows of row-major arrays go through the kernel W at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.trace.native import Int, Module, Pointer, Signature, UniformPointer

INPUTS = ("t", "q", "u", "x", "P")


def add_batch(module: Module, run: Signature, lanes: int, sizes: Mapping[str, int], n_output: int, work: int) -> None:
    """`batch(count, t, …, P, steps of t … P, y, work)`: a step is the distance between rows, 0 to use one row for all.

    With `lanes` = 1, `run` takes one state at a time in plain arrays, whatever it does with its lanes inside.
    """
    parameters: dict[str, Any] = {"count": Int}
    parameters |= dict.fromkeys(INPUTS, UniformPointer)
    parameters |= {f"step_{name}": Int for name in INPUTS}
    parameters |= {"y": UniformPointer, "work": Pointer}
    with module.function("batch", lanes=run.lanes, **parameters) as f:
        if lanes == 1:
            with f.loop(f.count) as i:
                rows = [getattr(f, name) + i * getattr(f, f"step_{name}") for name in INPUTS]
                f.call(run, *rows, f.y + i * n_output, f.work)
        else:
            local, at = {}, work
            for name in INPUTS:
                local[name] = f.work + at
                at += sizes[name]
            result = f.work + at
            with f.loop(0, f.count, lanes) as i:
                left = f.count - i
                for name in INPUTS:
                    step = getattr(f, f"step_{name}")
                    rows = (getattr(f, name) + i * step).rows(step, left)
                    _read(f, rows, local[name], sizes[name], lanes)
                f.call(run, *local.values(), result, f.work)
                out = (f.y + i * n_output).rows(n_output, left)
                _write(f, out, result, n_output, lanes)
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


def _read(f: Any, rows: Any, into: Pointer, n: int, lanes: int) -> None:
    """W rows of n elements into lanes, in squares as far as they go."""
    whole = n - n % lanes
    with f.loop(0, whole, lanes) as j:
        for i, column in enumerate(rows.read_square(j)):
            into[j + i] = column
    for i in range(whole, n):
        into[i] = rows[i]


def _write(f: Any, rows: Any, source: Pointer, n: int, lanes: int) -> None:
    """The inverse of `_read`."""
    whole = n - n % lanes
    with f.loop(0, whole, lanes) as j:
        rows.write_square(j, [source[j + i] for i in range(lanes)])
    for i in range(whole, n):
        rows[i] = source[i]
