"""What all frameworks share: a compiled function of arrays, with its derivatives times vectors from the right and from the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Arrays = Sequence[np.ndarray]


@dataclass(frozen=True, eq=False)
class ArrayFunction:
    """Arrays come as they are, or with one further axis in front, of the same length for all that have it."""

    name: str
    arguments: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    """Shapes of the arguments for one state."""
    shape: tuple[int, ...]
    """Shape of the result."""

    def value(self, *arguments: np.ndarray) -> np.ndarray:
        """The result, with the further axis if any argument has it."""
        count, full = self.spread(arguments)
        found = self.values(*full)
        return found if count is not None else found[0]

    def change(self, *arguments: np.ndarray) -> np.ndarray:
        """How it changes: the arguments, then their changes."""
        count, full = self.spread(arguments)
        n = len(self.shapes)
        found = self.changes(full[:n], full[n:])
        return found if count is not None else found[0]

    def weigh(self, *arguments: np.ndarray) -> tuple[np.ndarray, ...]:
        """The gradient of Σ w · result in every argument: the arguments, then w."""
        count, full = self.spread(arguments, (*self.shapes, self.shape))
        n = len(self.shapes)
        found = [
            np.asarray(g).reshape(count or 1, *shape) for g, shape in zip(self.weights(full[:n], full[n]), self.shapes)
        ]
        return tuple(g if count is not None else g[0] for g in found)

    def spread(
        self, arguments: Arrays, shapes: tuple[tuple[int, ...], ...] | None = None
    ) -> tuple[int | None, list[np.ndarray]]:
        """All with the further axis, and its length; None where no argument had it."""
        shapes = shapes or self.shapes * (len(arguments) // len(self.shapes))
        arrays = [np.asarray(x, dtype=float) for x in arguments]
        counts = {len(x) for x, shape in zip(arrays, shapes) if x.ndim > len(shape)}
        count = counts.pop() if counts else None
        full = [
            x if x.ndim > len(shape) else np.broadcast_to(x, (count or 1, *shape)) for x, shape in zip(arrays, shapes)
        ]
        return count, full

    # -- for those who compute; every array has the further axis ---------------------------------------------------------
    def values(self, *arguments: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def changes(self, arguments: Arrays, changes: Arrays) -> np.ndarray:
        raise NotImplementedError

    def weights(self, arguments: Arrays, w: np.ndarray) -> Sequence[np.ndarray]:
        raise NotImplementedError
