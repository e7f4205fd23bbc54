"""Where searches for a linkage begin: many are drawn, turned as far as they go, and those nearest to what is wanted are taken."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import numbers, real, refused
from dalembert.errors import ArgumentError, LoopError
from dalembert.mechanism import Mechanism
from dalembert.parts.names import unknown
from dalembert.studies.inputs import Inputs

if TYPE_CHECKING:
    from dalembert.design.synthesise import PoseProblem

DRAWN = 40
"""Linkages that are drawn for each search."""
TURNED = 72
"""Places of the drive at which each is looked at, over a turn."""
JUMP = 0.7
"""Way of a coordinate between two of these places, in rad or lengths, beyond which the linkage went over into another pose."""
OUT_OF_ORDER = 4.0
"""How many times worse a linkage counts that comes to the points in another order, or that breaks a condition on its lengths."""


@dataclass(frozen=True, eq=False)
class LinkageDrive:
    """Which joint is driven, and where to: `values` in the poses, counted from its varied start; or anywhere from `low` to `high`."""

    name: str
    values: np.ndarray | None
    low: float
    high: float
    turns: bool
    offset: int | None
    """Place among the inputs of the drive's own start, where it varies."""

    @classmethod
    def of(cls, m: Mechanism, said: Any, inputs: Inputs) -> LinkageDrive:
        """What a user says of the drive: "A", {"A": (low, high)} or {"A": values}."""
        if isinstance(said, Mapping) and len(said) == 1:
            name, how = next(iter(said.items()))
        else:
            name, how = said, None
        if not isinstance(name, str) or name not in m.coordinates or name not in m.speeds:
            if isinstance(name, str) and not isinstance(said, Mapping):
                raise unknown(name, "coordinate to drive", m.coordinates, "synthesise: drive")
            raise refused("synthesise: drive", 'a coordinate "A", {"A": (low, high)} or {"A": values}', said)
        strange = [i.name for i in inputs.every if (i.kind != "parameter" and i.key != name) or i.kind == "speed"]
        if strange:
            raise ArgumentError(
                f"synthesise: vary {strange[0]!r} is no length; vary parameters, and the start of {name!r} where its values are given"
            )
        offset = next((k for k, i in enumerate(inputs.every) if i.kind == "initial"), None)
        turns = float(m.scales.coordinates[m.coordinates.index(name)]) == 1.0 and _turns(m, name)
        return cls._made(name, how, turns, offset)

    @classmethod
    def _made(cls, name: str, how: Any, turns: bool, offset: int | None) -> LinkageDrive:
        where = f"synthesise: drive {name!r}"
        if how is None or isinstance(how, tuple):
            if offset is not None:
                raise ArgumentError(
                    f"{where} is free in every pose, so its start cannot vary; give its values, or leave it out of vary"
                )
            if how is None and not turns:
                raise ArgumentError(f'{where} slides: say how far, drive={{"{name}": (low, high)}}')
            low, high = (real(x, where) for x in how) if how else (-2.0 * np.pi, 4.0 * np.pi)
            if not low < high:
                raise refused(where, "(low, high) with low below high", how)
            return cls(name, None, low, high, how is None, None)
        return cls(name, np.atleast_1d(numbers(how, where)), 0.0, 0.0, turns, offset)

    def ends(self, poses: int) -> tuple[np.ndarray, np.ndarray]:
        """Ends of what is sought of the drive."""
        if self.values is None:
            return np.full(poses, self.low), np.full(poses, self.high)
        if len(self.values) != poses:
            raise ArgumentError(
                f"synthesise: drive {self.name!r} has {len(self.values)} values, and {poses} poses are wanted"
            )
        return np.zeros(0), np.zeros(0)

    def places(self, inputs: Inputs, x: np.ndarray, poses: int) -> tuple[np.ndarray, np.ndarray]:
        """Where the drive is in every pose, and its derivatives (K, n) by what is sought."""
        slope = np.zeros((poses, len(x)))
        if self.values is None:
            slope[np.arange(poses), len(inputs) + np.arange(poses)] = 1.0
            return x[len(inputs) :], slope
        if self.offset is None:
            return self.values, slope
        slope[:, self.offset] = 1.0
        return self.values + x[self.offset], slope


def _turns(m: Mechanism, name: str) -> bool:
    joint = next(j for j in m.joints if name in [m.coordinates[i] for i in j.q_at if i is not None])
    return not np.any(np.asarray(joint.joint.inner.sliding(joint.joint.inner.reference), dtype=float) != 0.0)


def drawn(problem: PoseProblem, starts: int, seed: int, ordered: bool) -> np.ndarray:
    """A row for each start: values, then the poses (K · n_q) from which loops are closed."""
    rng = np.random.default_rng(seed)
    count = DRAWN * starts
    n = len(problem.inputs)
    x = problem.low[:n] + rng.random((count, n)) * (problem.high - problem.low)[:n]
    own = np.array([i.nominal for i in problem.inputs.every])
    x[0] = np.clip(own, problem.low[:n], problem.high[:n])  # the model as it is
    P = {name: np.full(count, value) for name, value in problem.poses.m.parameters.items()}
    for k, i in enumerate(problem.inputs.every):
        if i.kind == "parameter":
            P[i.key] = x[:, k]
    theta, q, alive = _turned(problem, P, rng)
    found = [
        _begun(problem, x[c], {k: float(v[c]) for k, v in P.items()}, theta[:, c], q[:, c], alive[:, c], ordered)
        for c in range(count)
    ]
    whole = sorted((one for one in found if one is not None), key=lambda one: one[0])
    if not whole:
        raise LoopError(
            f"synthesise: none of {count} linkages drawn from the ranges can be assembled; let vary be lengths that go together, or "
            "give more starts"
        )
    return np.array([row for _, row in whole[:starts]])


def _turned(problem: PoseProblem, P: Mapping[str, np.ndarray], rng: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places of the drive (T, C), poses (T, C, n_q) and (T, C) where they are: each turned both ways from where it closed."""
    poses, drive = problem.poses, problem.drive
    m, count = poses.m, len(next(iter(P.values())))
    span = 2.0 * np.pi if drive.turns or drive.values is not None else drive.high - drive.low
    low = 0.0 if drive.turns or drive.values is not None else drive.low
    begun = low + span * rng.random(count)
    q = np.tile(m.reference, (count, 1))
    free = [at for at in range(m.n_q) if at != poses.at]
    q[:, free] += rng.uniform(-np.pi, np.pi, (count, len(free))) * m.scales.coordinates[free]
    if m.n_q != m.n_u:
        q = np.array([m.admissible(row) for row in q])
    q, good = poses.closed(poses.with_drive(q, begun), P)
    half = TURNED // 2
    every, alive = np.zeros((2 * half + 1, count, m.n_q)), np.zeros((2 * half + 1, count), dtype=bool)
    every[half], alive[half] = q, good
    step = span / (2 * half)
    for sign in (1, -1):
        here, going = q.copy(), good.copy()
        for k in range(1, half + 1):
            at = np.flatnonzero(going)
            if not len(at):
                break
            some = {name: v[at] for name, v in P.items()}
            moved, closed = poses.closed(poses.with_drive(here[at], begun[at] + sign * k * step), some)
            near = np.abs((moved - here[at]) / m.scales.coordinates).max(axis=1) < JUMP
            here[at] = moved
            going[at] = closed & near
            every[half + sign * k], alive[half + sign * k] = here, going
    theta = begun + step * np.arange(-half, half + 1)[:, None]
    return theta, every, alive


def _begun(
    problem: PoseProblem, x: np.ndarray, P: Mapping[str, float], theta: np.ndarray, q: np.ndarray, alive: np.ndarray, ordered: bool
) -> tuple[float, np.ndarray] | None:  # fmt: skip
    """How far a linkage is off at best, and the start that it gives; None where it cannot be assembled."""
    at = np.flatnonzero(alive)
    K = len(problem.wanted)
    if not len(at) or (problem.drive.values is None and len(at) < K):
        return None
    width = problem.wanted.shape[1]
    y = problem.poses.seen(q[at], P).y[:, :width]
    off = np.nansum((y[:, None] - problem.wanted[None]) ** 2, axis=2)  # (poses turned to, K)
    drive = problem.drive
    if drive.values is None:
        nearest = off.argmin(axis=0)
        angles = theta[at[nearest]]
        values = np.concatenate([x, angles])
    else:
        start = x[drive.offset] if drive.offset is not None else 0.0
        apart = np.abs(np.mod(theta[at][:, None] - (drive.values + start) + np.pi, 2.0 * np.pi) - np.pi)
        if not drive.turns:
            apart = np.abs(theta[at][:, None] - (drive.values + start))
        nearest = apart.argmin(axis=0)
        values = x
        if np.any(apart[nearest, np.arange(K)] > 2.0 * np.abs(np.diff(theta)).max(initial=0.0)):
            return None
    error = float(off[nearest, np.arange(K)].sum())
    if ordered and drive.values is None and K > 2 and not _one_way(nearest, len(at)):
        error *= OUT_OF_ORDER
    if problem.conditions is not None and problem.conditions(P)[0].max(initial=0.0) > 0.0:
        error *= OUT_OF_ORDER
    return error, np.concatenate([values, q[at[nearest]].ravel()])


def _one_way(places: np.ndarray, around: int) -> bool:
    """Whether places round a turn come one after the other."""
    return any(np.mod(sign * np.diff(places), around).sum() <= around for sign in (1, -1))
