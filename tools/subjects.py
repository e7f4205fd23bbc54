"""The mechanisms that are asked when answers are recorded: the gallery, random ones of every kind, benchmarks and linkages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import dalembert as da
from benchmarks import loop_models
from benchmarks import models as trees
from tests import linkages
from tests.invariance import cases

ROOT = Path(__file__).resolve().parents[1]
SEEDS = (0, 1)
"""Of the random mechanisms of each kind; the first is asked everything."""
LOOPS = ("change-point four-bar", "six bodies")
"""Of the benchmarks with loops those that are not in the gallery."""
TREES = ("chain 6", "chain 24", "floating base + 30 aligned")
LINKAGES = {
    "Bricard, rounded": partial(linkages.rounded_bricard, 6),
    "Bennett": linkages.bennett,
    "seven hinges": linkages.seven_hinges,
    "taut chain": partial(linkages.taut_chain, 1e-6),
}


@dataclass(frozen=True, eq=False)
class Subject:
    """A mechanism with where it begins, as `simulate` takes it; what is None, its plan says."""

    mechanism: da.Mechanism
    duration: float | None = None
    initial: Any = None
    speeds: Any = None
    start: float | None = None
    system: da.System | None = None
    thorough: bool = True
    """Whether every integrator and analysis is asked, or only the usual ones."""

    @property
    def constrained(self) -> bool:
        return bool(self.mechanism.cuts or self.mechanism.constraints)

    @property
    def small(self) -> bool:
        return self.mechanism.n_u <= 9


def subjects() -> dict[str, Callable[[], Subject]]:
    """By name, each made when it is called."""
    found: dict[str, Callable[[], Subject]] = {}
    for path in sorted((ROOT / "examples").glob("*.yaml")):
        found[f"gallery {path.stem}"] = partial(_of_gallery, path)
    for kind in cases.KINDS:
        for seed in SEEDS:
            found[f"{kind} {seed}"] = partial(_random, kind, seed)
    for name in LOOPS:
        found[f"benchmark {name}"] = partial(_loop, name)
    for name in TREES:
        found[f"benchmark {name}"] = partial(_tree, name)
    for name, made in LINKAGES.items():
        found[f"linkage {name}"] = partial(_linkage, made)
    return found


def _of_gallery(path: Path) -> Subject:
    return Subject(da.load(path), system=da.System.load(path))


def _random(kind: str, seed: int) -> Subject:
    case = cases.drawn(kind, seed)
    return Subject(case.mechanism, 0.3, case.q, case.u, case.t, case.system, thorough=seed == SEEDS[0])


def _loop(name: str) -> Subject:
    m, initial, speeds, duration = loop_models.LOOPS[name]()
    return Subject(m, duration / 4, initial, speeds, thorough=False)


def _tree(name: str) -> Subject:
    model = trees.named(name)
    q, u, _ = model.states(1)
    return Subject(trees.mechanism(model), 0.5, q[0], u[0], thorough=False)


def _linkage(made: Callable[[], da.Mechanism]) -> Subject:
    return Subject(made(), 0.5, thorough=False)
