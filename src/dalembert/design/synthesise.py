"""Dimensional synthesis: lengths and pose of a linkage with which it passes points, turns as a function, or guides a body.

In every pose that is wanted the loops are closed with the drive at θ_k, which is given or sought as well, and what is wanted is
compared with what is there: least squares, with exact derivatives through the closed loops. Searches begin with the linkages that come
nearest over a whole turn, of many that are drawn. What passes the poses only on other circuits or branches is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.arguments import array, real, refused
from dalembert.cached import cached_property
from dalembert.design.circuits import defect
from dalembert.design.four_links import GRASHOF, LengthConditions, cosine_of_transmission, loop_of
from dalembert.design.linkages_drawn import LinkageDrive, drawn
from dalembert.design.multi_start import searched
from dalembert.design.optimise import LEAST_SIZE, ranges
from dalembert.design.pose_set import PoseSet
from dalembert.design.synthesis import Refused, Synthesis
from dalembert.design.trust_region import Evaluated, SearchEnd, squares
from dalembert.errors import ArgumentError, LoopError
from dalembert.mechanism import Mechanism
from dalembert.portable import Portable
from dalembert.studies.inputs import Inputs, inputs_of
from dalembert.studies.studied_quantities import StudyQuantity, quantity

SAME = 1e-5
"""Distance of values, in their ranges, at which two linkages are one."""
Limits = Sequence[tuple[int, float, float, float]]
"""(place among what is looked at, sign, end, size): sign · (y − end) / size must not be positive, in any pose."""


class PoseProblem(Portable):
    """Lengths, and drive angles where they are free, with which what is looked at comes nearest to what is wanted in every pose."""

    squares = True

    def __init__(
        self, inputs: Inputs, poses: PoseSet, drive: LinkageDrive, wanted: np.ndarray, limits: Limits,
        conditions: LengthConditions | None,
    ):  # fmt: skip
        self.inputs, self.poses, self.drive = inputs, poses, drive
        self.wanted, self.limits, self.conditions = wanted, tuple(limits), conditions
        low, high = ranges(inputs, "synthesise")
        ends = drive.ends(len(wanted))
        self.low, self.high = np.concatenate([low, ends[0]]), np.concatenate([high, ends[1]])
        self.names = (*inputs.names, *(f"{drive.name} {k + 1}" for k in range(len(ends[0]))))
        self._q = self._last = np.zeros((0, 0))

    @cached_property
    def asked(self) -> np.ndarray:
        """(K, width): which numbers are wanted."""
        return np.isfinite(self.wanted)

    def begun(self, start: np.ndarray) -> tuple[PoseProblem, np.ndarray]:
        """See `Sought`: a start is values, and then the poses from which loops are closed."""
        n = len(self.low)
        made = PoseProblem.__new__(PoseProblem)
        made.__dict__.update(self.__dict__)
        made._q = made._last = start[n:].reshape(len(self.wanted), -1)
        return made, start[:n]

    def keep(self) -> None:
        """See `Sought`: loops are closed from the best poses so far, so that the same values give the same poses."""
        self._q = self._last

    def reached(self) -> np.ndarray:
        """See `Sought`: the poses."""
        return self._q

    def parameters(self, x: np.ndarray) -> dict[str, float]:
        """Values of all parameters."""
        own = {i.key: v for i, v in zip(self.inputs.every, x.tolist()) if i.kind == "parameter"}
        return dict(self.poses.m.parameters) | own

    def evaluate(self, x: np.ndarray) -> Evaluated:
        """See `Sought`."""
        theta, of_theta = self.drive.places(self.inputs, x, len(self.wanted))
        P = self.parameters(x)
        q, good = self.poses.closed(self.poses.with_drive(self._q, theta), P)
        if not good.all():
            raise LoopError(f"the loops cannot be closed in pose {int(np.flatnonzero(~good)[0]) + 1}")
        self._last = q
        seen = self.poses.seen(q, P)
        by_p, by_theta = self.poses.slopes(seen)
        slope = np.einsum("kw,kn->kwn", by_theta, of_theta)
        at = [k for k, i in enumerate(self.inputs.every) if i.kind == "parameter"]
        slope[:, :, at] += by_p
        width = self.wanted.shape[1]
        residual = (seen.y[:, :width] - self.wanted)[self.asked]
        over, of_over = self._over(seen.y, slope, P, at)
        return squares(residual, slope[:, :width][self.asked], over, of_over)

    def _over(
        self, y: np.ndarray, slope: np.ndarray, P: dict[str, float], at: list[int]
    ) -> tuple[np.ndarray, np.ndarray]:
        rows = [sign * (y[:, k] - end) / size for k, sign, end, size in self.limits]
        slopes = [sign * slope[:, k] / size for k, sign, _, size in self.limits]
        if self.conditions is not None:
            value, by_p = self.conditions(P)
            whole = np.zeros((len(value), slope.shape[2]))
            whole[:, at] = by_p
            rows, slopes = [*rows, value], [*slopes, whole]
        if not rows:
            return np.zeros(0), np.zeros((0, slope.shape[2]))
        return np.concatenate(rows), np.vstack(slopes)


def synthesise(
    m: Mechanism, wanted: Mapping[str, Any], vary: Any, drive: Any, subject_to: Mapping[str, Any], outputs: Mapping[str, Any],
    grashof: str | None, transmission: Any, ordered: bool, starts: int, seed: int, threads: int | None, executor: Any,
) -> Synthesis:  # fmt: skip
    """See `Mechanism.synthesise`."""
    inputs = inputs_of(m, vary, {}, {})
    m = inputs.mechanism
    turned = LinkageDrive.of(m, drive, inputs)
    looked_at, targets = _wanted(m, wanted, outputs)
    limits: list[tuple[int, float, float, float]] = []
    if transmission is not None:
        transmission = _angles(transmission)
        _, ring = loop_of(m, turned.name, "transmission=")
        least, largest = (float(np.cos(x)) for x in reversed(transmission))
        limits += [(targets.shape[1], -1.0, least, 1.0), (targets.shape[1], 1.0, largest, 1.0)]
        looked_at.append(StudyQuantity("transmission", "", of_state=cosine_of_transmission(ring)))
    for name, ends in subject_to.items():
        at = targets.shape[1] + len(looked_at) - len(wanted)
        looked_at.append(quantity(m, outputs.get(name, name), f"synthesise: subject_to {name!r}"))
        limits += [(at, sign, end, max(abs(end), LEAST_SIZE)) for sign, end in _ends(name, ends)]
    varied = [i.key for i in inputs.every if i.kind == "parameter"]
    conditions = _conditions(m, turned.name, grashof, transmission, varied)
    poses = PoseSet(m, turned.name, looked_at, varied)
    _check_widths(poses, len(looked_at) - len(wanted), targets, looked_at)
    problem = PoseProblem(inputs, poses, turned, targets, limits, conditions)
    begun = drawn(problem, starts, seed, ordered)
    ends_found = searched(problem, begun, threads, executor, "synthesise")
    return _judged(problem, ends_found, ordered)


def _judged(problem: PoseProblem, ends: list[SearchEnd], ordered: bool) -> Synthesis:
    """The best that can go through its poses; the others with what is wrong."""
    good: list[SearchEnd] = []
    wrong: list[Refused] = []
    seen: list[np.ndarray] = []
    for end in sorted(ends, key=lambda x: x.value):
        if not end.good:
            why = end.problem or f"a limit is exceeded by {end.exceeded:.3g} of its size"
            wrong.append(Refused(_named(problem, end), end.value, why))
            continue
        if any(np.all(np.abs(end.x - x) <= SAME * (problem.high - problem.low)) for x in seen):
            continue
        seen.append(end.x)
        model = problem.poses.m.with_parameters(**problem.parameters(end.x))
        why = defect(model, end.reached, problem.poses.s, ordered)
        if why:
            wrong.append(Refused(_named(problem, end), end.value, why))
        else:
            good.append(end)
    if not good:
        best = f" The nearest: {wrong[0].reason}." if wrong else ""
        raise LoopError(
            f"synthesise: none of {len(ends)} searches came to a linkage that goes through the poses.{best} Give more starts, wider "
            "ranges, or let ordered=False where the order does not matter"
        )
    return Synthesis.of(problem, good, wrong)


def _named(problem: PoseProblem, end: SearchEnd) -> dict[str, float]:
    return dict(zip(problem.names, end.x.tolist()))


def _wanted(
    m: Mechanism, wanted: Mapping[str, Any], outputs: Mapping[str, Any]
) -> tuple[list[StudyQuantity], np.ndarray]:
    """What is looked at, and (K, width) what it shall be; nan where nothing is said."""
    if not isinstance(wanted, Mapping) or not wanted:
        raise refused("synthesise: wanted", 'values by output, {"tip": points}, a row for each pose', wanted)
    looked_at, columns = [], []
    for name, values in wanted.items():
        found = quantity(m, outputs.get(name, name), f"synthesise: wanted {name!r}")
        if found.of_state is None:
            raise ArgumentError(
                f"synthesise: {name!r} is no function of the pose; give a coordinate, an output or a function of the state"
            )
        rows = array(values, f"synthesise: what {name!r} shall be")
        rows = rows.reshape(len(rows), -1) if rows.ndim else rows.reshape(1, 1)
        looked_at.append(found)
        columns.append(_padded(m, found, rows, name))
    if len({len(x) for x in columns}) > 1:
        counts = ", ".join(f"{name!r} {len(x)}" for name, x in zip(wanted, columns))
        raise ArgumentError(f"synthesise: every output needs a row for each pose; these have {counts}")
    targets = np.hstack(columns)
    if not np.isfinite(targets).any() or np.isinf(targets).any():
        raise ArgumentError(
            "synthesise: what is wanted must be numbers, nan where anything will do, and some must be said"
        )
    return looked_at, targets


def _padded(m: Mechanism, x: StudyQuantity, rows: np.ndarray, name: str) -> np.ndarray:
    """As many columns as the output has numbers: points (x, y) leave z open."""
    s = m.numeric.state(m.reference, np.zeros(m.n_u), 0.0)
    width = int(np.size(PoseSet._value(x, s)))
    if rows.shape[1] > width:
        raise ArgumentError(f"synthesise: {name!r} has {width} numbers in a pose, and {rows.shape[1]} were given")
    return np.hstack([rows, np.full((len(rows), width - rows.shape[1]), np.nan)])


def _check_widths(poses: PoseSet, further: int, targets: np.ndarray, looked_at: list[StudyQuantity]) -> None:
    if poses.width != targets.shape[1] + further:
        names = ", ".join(repr(x.said) for x in looked_at[len(looked_at) - further :])
        raise ArgumentError(
            f"synthesise: subject_to needs outputs with one number each, and one of {names} has several"
        )


def _ends(name: str, given: Any) -> list[tuple[float, float]]:
    where = f"synthesise: subject_to {name!r}"
    if not isinstance(given, tuple) or len(given) != 2 or given == (None, None):
        raise refused(where, "(least, largest), with None where there is none", given)
    return [(sign, real(x, where)) for sign, x in zip((-1.0, 1.0), given) if x is not None]


def _angles(given: Any) -> tuple[float, float]:
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise refused("synthesise: transmission", "(least, largest) in rad, such as (0.7, 2.44)", given)
    low, high = (real(x, "synthesise: transmission") for x in given)
    if not 0.0 <= low < high <= np.pi:
        raise refused("synthesise: transmission", "(least, largest) in rad between 0 and π", given)
    return low, high


def _conditions(
    m: Mechanism, drive: str, grashof: str | None, transmission: tuple[float, float] | None, varied: Sequence[str]
) -> LengthConditions | None:
    if grashof is None:
        return None
    if grashof not in GRASHOF:
        raise refused("synthesise: grashof", f"one of {', '.join(map(repr, GRASHOF))}", grashof)
    return LengthConditions(m, drive, grashof, transmission, varied)
