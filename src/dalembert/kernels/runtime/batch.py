"""A kernel over many states: rows of row-major arrays go through the kernel as many at a time as it takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dalembert.trace.native import FunctionBuilder, Int, Module, Signature, UniformPointer

INPUTS = ("t", "q", "u", "x", "P")


def add_batch(
    module: Module, run: Signature, lanes: int, sizes: Mapping[str, int], n_output: int, work: int,
    check: Signature | None = None,
) -> None:  # fmt: skip
    """`batch(count, t, …, P, steps of t … P, y, work)`: a step is the distance between rows, 0 to use one row for all.

    Its status, and that of `single_state`, is not 0 if `check(t, q, u, x)` gave that for any state, or for memory that no state filled.
    With `lanes` = 1, `run` takes one state at a time in plain arrays, whatever it does with its lanes inside.
    """
    parameters: dict[str, Any] = {"count": Int}
    parameters |= dict.fromkeys(INPUTS, UniformPointer)
    parameters |= {f"step_{name}": Int for name in INPUTS}
    parameters |= {"y": UniformPointer, "work": UniformPointer}
    if lanes == 1:
        with module.function("batch", lanes=run.lanes, status=True, **parameters) as f:
            found = f.variables(off=0)
            with f.loop(f.count) as i:
                rows = [getattr(f, name) + i * getattr(f, f"step_{name}") for name in INPUTS]
                _checked(f, check, rows, found)
                f.call(run, *rows, f.y + i * n_output, f.work)
            f.return_(found.off)
        _add_single_state(module, run, sizes, n_output, check)
        end = work
    else:
        end = _add_wide(module, run, parameters, sizes, n_output, work, check)
    with module.function("work_size", status=True) as f:
        f.return_(end)


def _checked(f: FunctionBuilder, check: Signature | None, inputs: Sequence[Any], found: Any) -> None:
    """What the check says of t, q, u and x, added to what was found before."""
    if check is not None:
        found.off = found.off + f.status_of(check, *inputs[:4])


def _add_wide(
    module: Module, run: Signature, parameters: dict[str, Any], sizes: Mapping[str, int], n_output: int, work: int,
    check: Signature | None,
) -> int:  # fmt: skip
    """The batch of a kernel whose lanes are states; how many elements of memory it needs."""
    lanes, width = run.lanes, min(run.lanes, module.target.lanes)
    gather, scatter = _add_gather(module, lanes, width), _add_scatter(module, lanes, width)
    with module.function("batch", lanes=width, status=True, **parameters) as f:
        found = f.variables(off=0)
        local, at = {}, work
        for name in INPUTS:
            local[name] = f.work + at * lanes
            at += sizes[name]
        result = f.work + at * lanes
        with f.loop(0, f.count, lanes) as i:
            for lane, left in _parts(f, i, lanes, width):
                for name in INPUTS:
                    if sizes[name]:
                        step = getattr(f, f"step_{name}")
                        rows = getattr(f, name) + (i + lane) * step
                        f.call(gather, rows, step, left, local[name] + lane, sizes[name])
            _checked(f, check, [*local.values()], found)
            f.call(run, *local.values(), result, f.work)
            for lane, left in _parts(f, i, lanes, width):
                f.call(scatter, f.y + (i + lane) * n_output, n_output, left, result + lane, n_output)
        f.return_(found.off)
    return at + n_output


def _parts(f: FunctionBuilder, i: Int, lanes: int, width: int) -> Iterator[tuple[int, Int]]:
    """States from i on, as many at a time as a register holds: their first lane, and how many states are left."""
    for lane in range(0, lanes, width):
        left = f.count - i - lane
        if lane:
            with f.if_(left > 0):
                yield lane, left
        else:
            yield lane, left


def _add_single_state(
    module: Module, run: Signature, sizes: Mapping[str, int], n_output: int, check: Signature | None
) -> None:
    """`single_state(memory)`: one state whose inputs, output and working memory lie side by side."""
    with module.function("single_state", lanes=run.lanes, status=True, memory=UniformPointer) as f:
        pointers, at = [], 0
        for size in [*sizes.values(), n_output, 0]:
            pointers.append(f.memory + at)
            at += size
        found = f.variables(off=0)
        _checked(f, check, pointers, found)
        f.call(run, *pointers)
        f.return_(found.off)


_MOVE: dict[str, Any] = {"rows": UniformPointer, "step": Int, "left": Int, "elements": UniformPointer, "n": Int}


def _add_gather(module: Module, lanes: int, width: int) -> Signature:
    """`gather(rows, step, left, elements, n)`: rows of n numbers into lanes of n elements."""
    with module.function("gather", lanes=width, public=False, **_MOVE) as f:
        rows = f.rows.rows(f.step, f.left)
        for j in _squares(f, width):
            for i, column in enumerate(rows.read_square(j)):
                (f.elements + (j + i) * lanes).lanes[0] = column
        with f.if_(f.n < width), f.loop(f.n) as j:
            (f.elements + j * lanes).lanes[0] = rows[j]
    return f.signature


def _add_scatter(module: Module, lanes: int, width: int) -> Signature:
    """`scatter(rows, step, left, elements, n)`: the inverse."""
    with module.function("scatter", lanes=width, public=False, **_MOVE) as f:
        rows = f.rows.rows(f.step, f.left)
        for j in _squares(f, width):
            rows.write_square(j, [(f.elements + (j + i) * lanes).lanes[0] for i in range(width)])
        with f.if_(f.n < width), f.loop(f.n) as j:
            rows[j] = (f.elements + j * lanes).lanes[0]
    return f.signature


def _squares(f: FunctionBuilder, width: int) -> Iterator[Int]:
    """Where squares begin that cover the columns; the last may cover some once more. None if there are too few for one."""
    v = f.variables(next=0)
    with f.if_(f.n >= width), f.while_(lambda: v.next < f.n):
        at = f.variables(j=v.next)
        with f.if_(at.j > f.n - width):
            at.j = f.n - width
        yield at.j
        v.next = v.next + width
