"""One direction in each lane: the state is the same in all of them, so that one pass of the code gives W columns of a matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dalembert.trace.native import FunctionBuilder, Int, UniformPointer


class LaneMemory:
    """Named arrays one after the other in a function's working memory, every element of them in W lanes."""

    def __init__(self, f: FunctionBuilder, work: UniformPointer, sizes: Mapping[str, int], first: int = 0):
        self.f, self.sizes, self._at = f, sizes, {}
        end = first
        for name, size in sizes.items():
            self._at[name] = work.lanes + end
            end += size + 1
        self.end = end
        """The first element behind them."""

    def __getitem__(self, name: str) -> Any:
        return self._at[name]

    def arguments(self, names: Iterable[str], missing: Any = None) -> list[Any]:
        """The arrays of these names."""
        return [self._at.get(name, missing) for name in names]

    def fill(self, *names: str) -> None:
        """The function's own arguments of these names, in all lanes."""
        for name in names:
            with self.f.loop(self.sizes[name]) as i:
                self._at[name][i] = getattr(self.f, name)[i]


@dataclass(frozen=True)
class UnitDirections:
    """Unit vectors of `size` elements in `seeds`, a different one in each lane."""

    f: FunctionBuilder
    seeds: Any
    size: int
    lanes: int

    @contextmanager
    def along(self, places: range) -> Iterator[DirectionColumns]:
        """Code that runs for W of the places at a time, until all have had their turn."""
        f, lanes = self.f, self.lanes
        with f.loop(places.start, places.stop, lanes) as first:
            with f.loop(self.size) as i:
                self.seeds[i] = 0.0
            for lane in range(lanes):
                with f.if_(first + lane < places.stop):
                    self.seeds.uniform[(first + lane) * lanes + lane] = 1.0
            yield DirectionColumns(f, lanes, first, places)


@dataclass(frozen=True)
class DirectionColumns:
    """What the lanes have found: columns of a matrix, as many as there are directions left."""

    f: FunctionBuilder
    lanes: int
    first: Int
    places: range

    def put(self, matrix: Any, width: int, rows: int, value: Callable[[Int], Any], column: int = 0) -> None:
        """`value(i)`, for each row i, into a plain `matrix` of this width, beginning with the column of the first place."""
        f = self.f
        with f.loop(rows) as i:
            found = value(i)
            for lane in range(self.lanes):
                with f.if_(self.first + lane < self.places.stop):
                    matrix[i * width + self.first + (lane + column - self.places.start)] = found.lane(lane)
