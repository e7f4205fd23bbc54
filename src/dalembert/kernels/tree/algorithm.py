"""What a recursive algorithm says about itself, so that it can be run as sweeps over the bodies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.kernels.tree.sweeps import Trace
from dalembert.mechanism import Mechanism

Sweeps = Sequence[tuple[Trace, bool]]
"""Steps in order, each with whether it runs from the tips to the root."""


@dataclass(frozen=True)
class Algorithm:
    """Sweeps, the record fields they use, and where every body's output begins."""

    name: str
    fields: Callable[[Mechanism], dict[str, int]]
    sweeps: Sweeps
    output_at: Callable[[Mechanism], list[int]]
    n_output: Callable[[Mechanism], int]
    columns: Mapping[str, int] = field(default_factory=dict)
    """Fields that every free speed of a joint has."""
    passed: Mapping[str, int] = field(default_factory=dict)
    """Fields that children pass backward, which nothing needs after the step that reads them."""
    late: Sequence[str] = ()
    """Fields that only a body's last step fills."""
    grouped: bool = False
    """Whether only equations of motion come of it, so that inertia may be moved to parents (see `recursive.grouping`)."""
    loaded: bool = True
    """Whether the mechanism's forces enter."""
    sums: bool = False
    """Whether the output must be 0 to begin with."""
    finish: Callable[[Any, Any, Any], None] | None = None
    """(the sweep kernel, module, function being written): driver code after the sweeps."""


def joint_columns(m: Mechanism) -> list[int]:
    """Where every joint's free speeds begin in u."""
    return [next(iter(j.columns), 0) for j in m.joints]
