"""`Synthesis`: the linkage that was found, its poses, what it misses; the others, and those refused with their defects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.linkage.transmission import transmission_angles
from dalembert.analysis.tabular import Tabular
from dalembert.mechanism import Mechanism
from dalembert.parts.names import unknown
from dalembert.words import counted

if TYPE_CHECKING:
    from dalembert.design.synthesise import PoseProblem
    from dalembert.design.trust_region import SearchEnd


@dataclass(frozen=True)
class Refused:
    """A linkage that a search came to and that cannot be used: its values, Σ of squared misses, and why."""

    values: Mapping[str, float]
    error: float
    reason: str


@dataclass(frozen=True, eq=False)
class Synthesis(Tabular):
    """The linkage: `mechanism` with its `values`, the poses `q` (K, n_q), the `drive` there (K,), what it `got` (K, width) of what was
    `wanted`, and the sum of squared misses as `error`. `others` are further linkages, worse; `refused` those with defects."""

    mechanism: Mechanism
    values: Mapping[str, float]
    q: np.ndarray
    drive: np.ndarray
    wanted: np.ndarray
    got: np.ndarray
    error: float
    transmission: Mapping[str, np.ndarray]
    """Transmission angles in the poses, rad, of every loop of four links, by its cut joint."""
    others: tuple[Synthesis, ...] = ()
    refused: tuple[Refused, ...] = ()

    @classmethod
    def of(cls, problem: PoseProblem, good: list[SearchEnd], wrong: list[Refused]) -> Synthesis:
        """The first of the linkages, best first."""
        made = [cls._one(problem, x) for x in good]
        first = made[0]
        return cls(
            first.mechanism, first.values, first.q, first.drive, first.wanted, first.got, first.error, first.transmission,
            tuple(made[1:]), tuple(wrong),
        )  # fmt: skip

    @classmethod
    def _one(cls, problem: PoseProblem, end: SearchEnd) -> Synthesis:
        poses, width = problem.poses, problem.wanted.shape[1]
        P = problem.parameters(end.x)
        m = poses.m.with_parameters(**P)
        got = poses.seen(end.reached, P).y[:, :width]
        values = dict(zip(problem.inputs.names, end.x.tolist()))
        angles = transmission_angles(m, problem.drive.name, end.reached, 0.0)
        return cls(m, values, end.reached, end.reached[:, poses.at], problem.wanted, got, end.value, angles)

    def __getitem__(self, name: str) -> float:
        if name not in self.values:
            raise unknown(name, "value", self.values, "synthesis")
        return self.values[name]

    @property
    def largest(self) -> float:
        """The largest miss of any number that was wanted."""
        return float(np.nanmax(np.abs(self.got - self.wanted)))

    @property
    def initial(self) -> dict[str, float]:
        """The first pose, as `initial` of `simulate` and `sweep` takes it."""
        return dict(zip(self.mechanism.coordinates, self.q[0].tolist()))

    def columns(self) -> dict[str, Any]:
        """A row for every pose: the drive, what was wanted and what is there, and all coordinates."""
        found: dict[str, Any] = {"drive": self.drive}
        for k in range(self.wanted.shape[1]):
            found |= {f"wanted {k + 1}": self.wanted[:, k], f"got {k + 1}": self.got[:, k]}
        return found | dict(zip(self.mechanism.coordinates, self.q.T))

    def __str__(self) -> str:
        n = int(np.isfinite(self.wanted).sum())
        lines = [
            f"{counted(len(self.q), 'pose')}: largest miss {self.largest:.3g}, sum of squares {self.error:.3g} over "
            f"{counted(n, 'number')}."
        ]
        lines += [f"  {name} = {x:.8g}" for name, x in self.values.items()]
        for name, angle in self.transmission.items():
            low, high = np.degrees([angle.min(), angle.max()])
            lines.append(f"  transmission angle at {name}: {low:.1f}° to {high:.1f}° in the poses")
        if self.others:
            lines.append(
                f"{counted(len(self.others), 'other linkage')} found, the next with {self.others[0].error:.3g}."
            )
        if self.refused:
            lines.append(f"{counted(len(self.refused), 'linkage')} refused; the nearest: {self.refused[0].reason}.")
        return "\n".join(lines)
