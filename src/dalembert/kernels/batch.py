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
            local = {name: f.array(max(1, sizes[name])) for name in INPUTS}
            result = f.array(max(1, n_output))
            with f.loop(0, f.count, lanes) as i:
                left = f.count - i
                for name in INPUTS:
                    step = getattr(f, f"step_{name}")
                    rows = (getattr(f, name) + i * step).rows(step, left)
                    with f.loop(sizes[name]) as j:
                        local[name][j] = rows[j]
                f.call(run, *local.values(), result, f.work)
                out = (f.y + i * n_output).rows(n_output, left)
                with f.loop(n_output) as j:
                    out[j] = result[j]
    with module.function("work_size", status=True) as f:
        f.return_(work)
