"""A named matrix of a method, with the sentence that says what it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.vectors import vector


@dataclass(frozen=True, eq=False)
class Quantity:
    """A number, a column or a matrix as a source prints it, over floats or traced scalars.

    `rows` and `columns` say what its rows and columns belong to, where that is worth saying.
    """

    name: str
    meaning: str
    value: np.ndarray
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", vector(self.value))
        shape = (*self.value.shape, 0, 0)
        for labels, size, what in ((self.rows, shape[0], "rows"), (self.columns, shape[1], "columns")):
            assert len(labels) in (0, size), f"{self.name} has {size} {what} and {len(labels)} names for them"

    @property
    def symbolic(self) -> bool:
        """Whether anything traced is in it."""
        return self.value.dtype == object


def quantity(name: str, meaning: str, value: Any, rows: Iterable[str] = (), columns: Iterable[str] = ()) -> Quantity:
    """A quantity, with labels from any sequence."""
    return Quantity(name, meaning, np.asarray(value), tuple(rows), tuple(columns))


def blocks(vectors: Sequence[Sequence[Any]]) -> np.ndarray:
    """A matrix whose elements are three-vectors, as 3n × m numbers: B writes L and D so."""
    return np.vstack([np.column_stack([np.asarray(v) for v in row]) for row in vectors])
