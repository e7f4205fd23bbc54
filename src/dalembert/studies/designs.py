"""Designs: which numbers between 0 and 1 each run is given. A run's numbers hang on the seed and its own number alone."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import ArgumentError
from dalembert.portable import Portable
from dalembert.studies.spreads import Spread

LEVELS = 11
"""Levels of a grid, of inputs that are no lists."""
MOST_RUNS = 10**12
"""Beyond, a number of runs is a slip of the pen."""
MOST_SOBOL = 2**30
"""Points of Sobol's sequence as SciPy has it."""
_WORDS = 4
"""Numbers that Philox gives for each count of its counter."""


class RunDesign(Protocol):
    """`points(a, b)` are those of runs a … b − 1, (b − a, inputs)."""

    @property
    def runs(self) -> int: ...

    def points(self, a: int, b: int) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Random:
    """Independent runs, by a generator that counts: run k is drawn without those before it."""

    inputs: int
    runs: int
    seed: int

    def points(self, a: int, b: int) -> np.ndarray:
        wide = -(-self.inputs // _WORDS) * _WORDS
        bits = np.random.Philox(key=self.seed)
        bits.advance(a * wide // _WORDS)
        return np.random.Generator(bits).random((b - a, wide))[:, : self.inputs]


@dataclass(frozen=True, eq=False)
class LatinHypercube(Portable):
    """Every input's range in as many strips as there are runs, one run in each. It is drawn whole."""

    inputs: int
    runs: int
    seed: int

    @cached_property
    def _whole(self) -> np.ndarray:
        from scipy.stats import qmc

        return np.asarray(qmc.LatinHypercube(self.inputs, **_seeded(qmc.LatinHypercube, self.seed)).random(self.runs))

    def points(self, a: int, b: int) -> np.ndarray:
        return self._whole[a:b]


@dataclass(frozen=True, eq=False)
class Sobol:
    """Sobol's sequence, scrambled by the seed: best where the number of runs is a power of two."""

    inputs: int
    runs: int
    seed: int

    def points(self, a: int, b: int) -> np.ndarray:
        from scipy.stats import qmc

        sequence = qmc.Sobol(self.inputs, scramble=True, **_seeded(qmc.Sobol, self.seed))
        if a:
            sequence.fast_forward(a)
        return _quietly(sequence, b - a)


def _quietly(sequence: Any, n: int) -> np.ndarray:
    """The next n; that n is no power of two is no fault where a sequence is asked piece by piece."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return np.asarray(sequence.random(n))


@dataclass(frozen=True, eq=False)
class Saltelli:
    """Two samples A and B of Sobol's sequence, and A with each column taken from B in turn: what Sobol indices are made from.

    Runs go point by point: A, B, then one for each input.
    """

    inputs: int
    runs: int
    seed: int

    @property
    def group(self) -> int:
        """Runs of one point."""
        return self.inputs + 2

    def points(self, a: int, b: int) -> np.ndarray:
        first, last = a // self.group, -(-b // self.group)
        both = Sobol(2 * self.inputs, last, self.seed).points(first, last)
        A, B = both[:, : self.inputs], both[:, self.inputs :]
        every = np.repeat(A[:, None], self.group, axis=1)
        every[:, 1] = B
        for i in range(self.inputs):
            every[:, 2 + i, i] = B[:, i]
        flat = every.reshape(-1, self.inputs)
        return flat[a - first * self.group : b - first * self.group]


@dataclass(frozen=True, eq=False)
class Grid:
    """Every combination of levels, the last input fastest."""

    inputs: int
    runs: int
    seed: int
    levels: tuple[np.ndarray, ...] = field(default=())

    def points(self, a: int, b: int) -> np.ndarray:
        places = np.unravel_index(np.arange(a, b), tuple(len(x) for x in self.levels))
        return np.stack([x[k] for x, k in zip(self.levels, places)], axis=1)


def _seeded(made: Callable[..., Any], seed: int) -> dict[str, Any]:
    """The seed by the name that this version of SciPy has for it."""
    name = "rng" if "rng" in inspect.signature(made).parameters else "seed"
    return {name: np.random.default_rng(seed)}


DESIGNS: dict[str, Any] = {
    "random": Random, "latin_hypercube": LatinHypercube, "sobol": Sobol, "saltelli": Saltelli, "grid": Grid,
}  # fmt: skip
"""The designs by name."""


def design_of(name: str, spreads: tuple[Spread, ...], runs: int | None, seed: int, levels: int | None) -> RunDesign:
    """The design of a study; refused where the number of runs does not suit it."""
    if name not in DESIGNS:
        raise ArgumentError(f"study: design={name!r} is not known; choose one of {', '.join(map(repr, DESIGNS))}")
    inputs = sum(s.size for s in spreads)
    if name == "grid":
        return _grid(spreads, runs, seed, levels)
    if levels is not None:
        raise ArgumentError(f'study: levels={levels!r} belong to design="grid", not to {name!r}; leave them out')
    if runs is None:
        raise ArgumentError(
            f'study: say how many runs design={name!r} makes: runs=1000; only design="grid" knows by itself'
        )
    if runs > MOST_RUNS:
        raise ArgumentError(f"study: runs={runs} are too many; at most {MOST_RUNS:.0e} are taken")
    if name in ("sobol", "saltelli") and runs > MOST_SOBOL:
        raise ArgumentError(
            f'study: design={name!r} has at most {MOST_SOBOL} runs, and runs={runs} were asked; choose "random"'
        )
    if name == "saltelli":
        if any(s.size > 1 for s in spreads):
            raise ArgumentError(
                'study: design="saltelli" needs independent inputs, and some are correlated; choose another'
            )
        points = runs // (inputs + 2)
        if runs % (inputs + 2) or points < 2 or points & (points - 1):
            better = (inputs + 2) * 2 ** max(1, round(np.log2(max(points, 2))))
            raise ArgumentError(
                f'study: design="saltelli" of {inputs} inputs makes {inputs + 2} runs for each of 2, 4, 8, … points; runs={runs} does '
                f"not: give runs={better}"
            )
    made: RunDesign = DESIGNS[name](inputs, runs, seed)
    return made


def _grid(spreads: tuple[Spread, ...], runs: int | None, seed: int, levels: int | None) -> RunDesign:
    of_each = tuple(s.levels(levels or LEVELS) for s in spreads)
    count = int(np.prod([len(x) for x in of_each], dtype=float))
    if count > MOST_RUNS:
        raise ArgumentError(f"study: this grid has {count:.1e} runs; give fewer inputs, levels or values")
    if runs is not None and runs != count:
        raise ArgumentError(
            f"study: this grid has {count} runs, and runs={runs} were asked; leave runs out, or say levels="
        )
    return Grid(len(spreads), count, seed, of_each)
