"""Workspace of a mechanism along one input: poses, limits of the other joints, dead points, branch points, transmission angle.

Each value is reached from the last along the tangent, in halved steps where the closed pose strays from it: the branch stays
the same. Extremes of the other coordinates are zeros of their rate, found by Brent's method. At a branch point the rows lose
rank: their smallest singular value, which has a sign along the branch, goes through zero, or touches it where several branches cross
at once. Both are sought between poses and confirmed there, so that a verdict hangs on no sample. Steps are measured along the branch,
which goes on where the input is at a dead point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import brentq, minimize_scalar

from dalembert.analysis.finding import Finding, Plot
from dalembert.analysis.linkage.branch import Branch
from dalembert.analysis.linkage.transmission import transmission_angles
from dalembert.analysis.tabular import Tabular, over
from dalembert.arguments import by_name, file_path, takes
from dalembert.constraints.assembly.assemble import assemble
from dalembert.errors import LoopError, StateError
from dalembert.kinematics.initial import initial_state, named_coordinates
from dalembert.mechanism import Mechanism
from dalembert.motion.samples import Samples, evaluate
from dalembert.parts.forces.points import point
from dalembert.parts.names import unknown
from dalembert.simulation.error_sizes import coordinate_units
from dalembert.tables import Columns, check_ending, write_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from dalembert.aliases import JointValues, PointOfBody

STRAY = 0.1
"""Part of a step by which the closed pose may be off the tangent."""
SHORTEST = 1e-7
"""Step along the branch, in radians or lengths of the mechanism, below which there is no going on."""
LARGEST = 0.1
"""Step beyond which changes of sign could be missed."""
CURVED = 0.98
"""Cosine of the angle that the tangent may turn by in a step."""
LEAST_REGULARITY = 1e-6
"""Smallest singular value of scaled rows, beside the largest, that counts as zero: at a branch point, poses are known to the root of
the rounding only."""
APART = 1e-5
"""Distance of two branch points, in radians or lengths of the mechanism, below which they are one."""
STILL = 1e-9
"""Part of the motion that a joint has where it stands still."""
DONE = 1e-12
"""Distance by which the input may miss a value at its very end, in radians or lengths of the mechanism."""
ROUNDED_UP = 1e-12
"""Part of a step by which it may fall short of a value and still be the one to it."""
LOCATED, LEAST_LOCATED = 1e-14, 1e-9
"""How exactly a zero and a least value are located along a step."""


@dataclass(frozen=True, eq=False)
class Special:
    """A pose that is not like its neighbours: the input's value, all coordinates, and what it is in words."""

    value: float
    q: np.ndarray
    what: str
    joint: str
    """The joint it is about: the one at its limit, or the input."""
    coordinate: float
    """Coordinate of that joint."""


@dataclass(frozen=True, eq=False)
class Sweep(Tabular):
    """Poses q (K, n_q) at the input's `values` (K,) as far as they could be reached."""

    mechanism: Mechanism
    joint: str
    values: np.ndarray
    q: np.ndarray
    ratios: np.ndarray
    """(K, n_u): rates of all speeds per unit rate of the input."""
    complete: bool
    """Whether all values asked for were reached."""
    dead_points: tuple[Special, ...]
    """Where the input cannot go on."""
    branch_points: tuple[Special, ...]
    """Where another branch of poses could be taken."""
    limits: tuple[Special, ...]
    """Extremes of the other joints."""
    transmission: Mapping[str, np.ndarray]
    """Transmission angle of every loop of four links, by its cut joint: the angle between coupler and follower in radians (K,)."""
    t: float = 0.0
    stops: tuple[Special, ...] = ()
    """Where a law ends the way."""

    def trace(self, at: PointOfBody) -> np.ndarray:
        """(K, 3): the curve of a point, a body's name or ("name", (x, y, z)) — of a coupler's point, the coupler curve."""
        p, m = point(at, "trace"), self.mechanism
        if p.body not in m.number_of:
            raise unknown(p.body, "body", m.number_of, "trace")
        still = np.zeros((len(self.q), m.n_u))
        x = Samples(m, np.full(len(self.q), self.t), self.q, still, still, dict(m.parameters))
        return evaluate(x, lambda s, _: s.position(p))

    def columns(self, points: Mapping[str, Any] | None = None) -> dict[str, np.ndarray]:
        """The coordinates, then x, y, z of the named points and the transmission angles."""
        return self._columns(points).values

    def _columns(self, points: Mapping[str, Any] | None) -> Columns:
        made = Columns()
        for name, unit, x in zip(self.mechanism.coordinates, coordinate_units(self.mechanism), self.q.T):
            made.add("coordinate", name, x, unit)
        for name, at in (points or {}).items():
            for axis, x in zip("xyz", self.trace(at).T):
                made.add("point", f"{name}.{axis}", x, "m")
        for name, x in self.transmission.items():
            made.add("angle", f"transmission at {name}", x, "rad")
        return made

    def plot(self, ax: Axes | None = None) -> Axes:
        """The other coordinates over the input; the axes of matplotlib."""
        others = {name: x for name, x in self.columns().items() if name != self.joint}
        return over(self.values, self.joint, others, "rad or m", ax)

    @takes(path=file_path, points=by_name)
    def save(self, path: str | Path, points: Mapping[str, Any] | None = None) -> None:
        """Write a CSV table: the coordinates, then x, y, z of the named points and the transmission angles."""
        check_ending(path, (".csv",), "table")
        write_table(path, self._columns(points), "table")

    def finding(self, m: Mechanism) -> Finding:
        """What the page shows of it."""
        plots = []
        others = [i for i, name in enumerate(m.coordinates) if name != self.joint]
        for name in self.transmission:
            angle = np.degrees(self.transmission[name])[:, None]
            plots.append(Plot(f"Transmission angle at {name} (°)", self.joint, self.values, (name,), angle))
        if others:
            curves = Plot(
                "Other coordinates", self.joint, self.values, tuple(m.coordinates[i] for i in others), self.q[:, others]
            )
            plots.insert(0, curves)
        rows = [["what", self.joint, "sentence"]]
        for what, some in (
            ("dead point", self.dead_points),
            ("branch point", self.branch_points),
            ("limit", self.limits),
            ("stop", self.stops),
        ):
            rows += [[what, f"{s.value:.10g}", s.what] for s in some]
        return Finding(
            f"Sweep of {self.joint}", str(self).partition("\n")[0], [("", rows)] if len(rows) > 1 else [], plots
        )

    def __str__(self) -> str:
        lines = [f'"{self.joint}" swept from {self.values[0]:.6g} to {self.values[-1]:.6g}.']
        lines += [special.what for special in (*self.dead_points, *self.branch_points, *self.limits, *self.stops)]
        for name, angle in self.transmission.items():
            low, high = np.degrees(angle.min()), np.degrees(angle.max())
            lines.append(
                f'The transmission angle of the loop closed by "{name}" is between {low:.4g}° and {high:.4g}°.'
            )
        return "\n".join(lines)


def _branch(m: Mechanism, q: np.ndarray, s: int, fixed: tuple[int, ...], t: float) -> Branch:
    """Branch with elastic bodies keeping their shape, if it can move so."""
    stiff = tuple(sorted({*fixed, *m.deforming} - {s}))
    if m.deforming:
        with suppress(LoopError):
            return Branch.through(m, q, s, stiff, t)
    return Branch.through(m, q, s, fixed, t)


def sweep(m: Mechanism, joint: str, values: Any, initial: JointValues | None, t: float) -> Sweep:
    """See `Mechanism.sweep`."""
    wanted = np.atleast_1d(np.asarray(values, dtype=float))
    if wanted.ndim != 1 or not len(wanted) or not np.isfinite(wanted).all():
        raise StateError(f'sweep of "{joint}": give at least one finite value, in a list or array')
    s = _input(m, joint)
    walk = _begun(m, joint, s, float(wanted[0]), initial, t)
    reached = [walk.here()]
    complete = True
    for value in wanted[1:]:
        complete = walk.to(float(value))
        if not complete:
            break
        reached.append(walk.here())
    poses, tangents = (np.array([x[i] for x in reached]) for i in range(2))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = tangents / tangents[:, s : s + 1]
    at = wanted[: len(poses)]
    angles = transmission_angles(m, joint, poses, t)
    return Sweep(
        m, joint, at, poses, ratios, complete, tuple(walk.dead), tuple(walk.branching), tuple(walk.limits), angles, t
    )


def _begun(m: Mechanism, joint: str, s: int, first: float, initial: JointValues | None, t: float) -> _Walk:
    """At the first value: assembled there, or walked to from a whole pose, whose branch is kept."""
    if initial is None or isinstance(initial, Mapping):
        start = {**(initial or {}), joint: first}
        fixed = tuple(named_coordinates(m, start))
        q = initial_state(m, start, None, t)[0]
        q = assemble(m, q, fixed, t) if m.constraint_rows else q
        return _Walk(_branch(m, q, s, fixed, t), q)
    q = initial_state(m, initial, None, t)[0]
    q = assemble(m, q, (), t) if m.constraint_rows else q
    branch = _branch(m, q, s, (), t)
    way = _Walk(branch, q)
    if not way.to(first):
        raise LoopError(
            f'the sweep of "{joint}" cannot begin at {first:.6g}: from the initial pose it gets no farther than '
            f"{way.dead[-1].value:.6g}. Begin nearer, or give initial values on another branch"
        )
    return _Walk(branch, way.q)


def _input(m: Mechanism, joint: str) -> int:
    """The place in u of the input."""
    if joint in m.coordinates and joint in m.speeds:
        place = m.speeds.index(joint)
        if m.rate_place(m.coordinates.index(joint)) == place:
            return place
    if joint in m.joint_number or joint in m.coordinates:
        raise StateError(
            f'"{joint}" cannot be swept: name one coordinate whose rate is a speed, such as a revolute joint'
        )
    if any(c.name == joint for c in m.cuts):
        raise StateError(
            f'joint "{joint}" closes a loop, so it has no coordinate to be swept; build with cut=[…] another joint'
        )
    raise unknown(joint, "joint or coordinate", m.coordinates, "sweep")


class _Walk:
    """Goes along a branch, noting what it passes; `v` points the way it goes."""

    def __init__(self, branch: Branch, q: np.ndarray):
        self.branch, self.q = branch, q
        forward = np.zeros(branch.m.n_u)
        forward[branch.s] = branch.steps[branch.s]
        self.v = branch.tangent(q, forward)
        rates = {
            branch.m.rate_place(at) for at in range(branch.m.n_q)
        }  # other speeds, as of a ball joint, have no limits
        self.turning = {k: self._way(self.v, k) for k in branch.free if k in rates}
        self.regular = branch.regularity(q, self.v)
        self.before: tuple[np.ndarray, np.ndarray, float, float] | None = None
        """The pose before, its tangent, how regular it was, and the step from there; None where the way begins or turns back."""
        self.dead: list[Special] = []
        self.branching: list[Special] = []
        self.limits: list[Special] = []
        if not abs(self.regular) > LEAST_REGULARITY:
            self._note_branch(q)

    def _way(self, v: np.ndarray, k: int) -> float:
        """The sign of a speed along the branch, 0 where it stands still."""
        return 0.0 if abs(v[k] / self.branch.steps[k]) < STILL else float(np.sign(v[k]))

    def _apart(self, q: np.ndarray, other: np.ndarray) -> float:
        return float(np.abs((q - other) / self.branch.m.scales.coordinates).max())

    def here(self) -> tuple[np.ndarray, np.ndarray]:
        return self.q, self.v

    def to(self, value: float) -> bool:
        """Whether the input reaches a value."""
        b = self.branch
        while (left := value - b.coordinate(self.q)) != 0.0:
            if left * self.v[b.s] < 0.0:
                self.v, self.turning = -self.v, {k: -x for k, x in self.turning.items()}
                self.regular, self.before = -self.regular, None
            length = min(abs(left / self.v[b.s]) if self.v[b.s] else np.inf, LARGEST)
            while (next_pose := self._step(value, length)) is None:
                length /= 2.0
                if length < SHORTEST:
                    raise LoopError(
                        f'the sweep of "{b.m.speeds[b.s]}" cannot go on beyond {b.coordinate(self.q):.6g}: the loops do not close '
                        "there. Start elsewhere, or choose another branch with initial values"
                    )
            q, reached = next_pose, b.coordinate(next_pose)
            if b.tangent(q, self.v)[b.s] * left < 0.0:
                dead = self._zero(length, lambda x: b.tangent(x, self.v)[b.s])
                if abs(b.coordinate(dead) - value) > DONE * b.steps[b.s] and (b.coordinate(dead) - value) * left < 0.0:
                    self._note_dead(dead)
                    return False
            if reached != value and (reached - value) * left > 0.0:
                raise LoopError(f'the sweep of "{b.m.speeds[b.s]}" lost its branch at {b.coordinate(self.q):.6g}')
            self._pass(q, length)
        return True

    def _step(self, value: float, length: float) -> np.ndarray | None:
        """A pose about so far along the branch, with the input at its value if that is nearer; None if it strays."""
        b = self.branch
        left = value - b.coordinate(self.q)
        if abs(self.v[b.s]) * length >= abs(left) * (1.0 - ROUNDED_UP) or not b.rows:
            end = value if abs(self.v[b.s]) * length >= abs(left) * (1.0 - ROUNDED_UP) else None
            found = b.at(self.q, self.v, b.coordinate(self.q) + self.v[b.s] * length if end is None else end)
            return found[0] if found is not None and found[1] < STRAY else None
        beyond = b.along(self.q, self.v, length)
        if beyond is None or (b.coordinate(beyond) - value) * left > 0.0:
            return None
        return beyond if (b.tangent(beyond, self.v) / b.steps) @ (self.v / b.steps) > CURVED else None

    def _pass(self, q: np.ndarray, length: float) -> None:
        """Note what lies between here and the next pose, and go there."""
        b = self.branch
        v = b.tangent(q, self.v)
        regular = b.regularity(q, v)
        self._look_for_branches(q, regular, length)
        for k, before in self.turning.items():
            now = self._way(v, k)
            if now * before < 0.0:
                at_start = self._way(self.v, k) == 0.0
                self._note_limit(k, self.q if at_start else self._zero(length, self._rate_of(k)), rising=before > 0.0)
            self.turning[k] = now or before
        self.before = (self.q, self.v, self.regular, length)
        self.q, self.v, self.regular = q, v, regular

    def _look_for_branches(self, q: np.ndarray, regular: float, length: float) -> None:
        """On the step just made, and about the pose before it, where both neighbours are more regular."""
        b = self.branch
        if not abs(regular) > LEAST_REGULARITY:
            self._note_branch(q)
            return
        if abs(self.regular) > LEAST_REGULARITY and regular * self.regular < 0.0:
            self._confirm(self._zero(length, lambda x: b.regularity(x, b.tangent(x, self.v))))
            return
        if self.before is None or not abs(self.before[2]) > abs(self.regular) < abs(regular):
            return
        if self.before[2] * self.regular < 0.0:  # that zero was looked for
            return
        ahead = self._least(self.q, self.v, length)
        behind = self._least(self.before[0], self.before[1], self.before[3])
        self._confirm(min((ahead, behind), key=lambda x: abs(b.regularity(x, self.v))))

    def _least(self, q: np.ndarray, v: np.ndarray, length: float) -> np.ndarray:
        """The least regular pose within so far along the branch."""

        def pose(x: float) -> np.ndarray:
            found = self.branch.along(q, v, x)
            return q if found is None else found

        def size(x: float) -> float:
            return abs(self.branch.regularity(pose(x), v))

        return pose(
            float(minimize_scalar(size, bounds=(0.0, length), method="bounded", options={"xatol": LEAST_LOCATED}).x)
        )

    def _confirm(self, q: np.ndarray) -> None:
        """Note a branch point if the rows do lose rank in this pose."""
        if not abs(self.branch.regularity(q, self.v)) > LEAST_REGULARITY:
            self._note_branch(q)

    def _rate_of(self, k: int) -> Callable[[np.ndarray], float]:
        return lambda q: float(self.branch.tangent(q, self.v)[k])

    def _zero(self, length: float, of: Callable[[np.ndarray], float]) -> np.ndarray:
        """The pose within so far along the branch at which a function of the pose vanishes."""

        def pose(x: float) -> np.ndarray:
            found = self.branch.along(self.q, self.v, x) if x else None
            return self.q if found is None else found

        length *= 1.0 + STRAY  # a step to a value of the input may be a little longer than its tangent
        if of(self.q) * of(pose(length)) >= 0.0:
            return min((self.q, pose(length)), key=lambda q: abs(of(q)))
        return pose(float(brentq(lambda x: of(pose(x)), 0.0, length, xtol=LOCATED)))

    def _note_dead(self, q: np.ndarray) -> None:
        name, value = self.branch.m.speeds[self.branch.s], self.branch.coordinate(q)
        what = f'Dead point: "{name}" cannot go beyond {value:.9g}; the mechanism goes on only by turning it back.'
        self.dead.append(Special(value, q, what, name, value))

    def _note_branch(self, q: np.ndarray) -> None:
        if self.branching and self._apart(q, self.branching[-1].q) < APART:
            return
        name, value = self.branch.m.speeds[self.branch.s], self.branch.coordinate(q)
        what = f'Branch point: at "{name}" = {value:.9g} the mechanism can go over into another branch of poses.'
        self.branching.append(Special(value, q, what, name, value))

    def _note_limit(self, k: int, q: np.ndarray, rising: bool) -> None:
        name, of, value = self.branch.m.speeds[k], self.branch.m.speeds[self.branch.s], self.branch.coordinate(q)
        here, word = self.branch.coordinate(q, k), "largest" if rising else "smallest"
        what = f'"{name}" turns back at its {word} value {here:.9g}, at "{of}" = {value:.9g}.'
        self.limits.append(Special(value, q, what, name, here))
