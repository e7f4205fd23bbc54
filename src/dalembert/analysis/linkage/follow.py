"""Inverse kinematics: coordinates, speeds and accelerations with which a point, or a frame, goes along a path, loops kept closed.

The path is a constraint like any other, with exact rows B u = b and B u̇ = γ. Speeds that the path leaves open are those of the least
kinetic energy, A u + Bᵀμ = 0; their rate obeys A u̇ + Bᵀμ̇ = −Ȧ u − Ḃᵀμ. Elastic bodies deform only where they must: in A their modes
weigh far more than anything else. Coordinates follow q̇ = N u by a Runge–Kutta step from sample to
sample, and Newton's method then puts the point on the path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.sensitivity.constraint_variation import Factors, compiled
from dalembert.analysis.tabular import Tabular, over
from dalembert.arguments import numbers, refused
from dalembert.constraints.assembly.assemble import assemble, close, close_stiffly
from dalembert.errors import LoopError, PathError, StateError
from dalembert.formulations.tree import kane
from dalembert.kinematics.constraint_rows import constraint_rows, row_scales
from dalembert.kinematics.initial import initial_state
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.parts.constraints import Relation
from dalembert.parts.forces.points import point
from dalembert.parts.names import unknown
from dalembert.trace import directional, symbol
from dalembert.trace.table import Table
from dalembert.vectors import twist
from dalembert.words import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PATH = "the path"
LARGEST_STEP = 0.1
"""Largest change of a coordinate by its speed between two points of the path, in radians or lengths of the mechanism."""
STUCK = 1e-6
"""Part of the path's own speed that may be missing; slow paths count as one radian, or length of the mechanism, a second."""
STIFF = 1e8
"""Factor by which the modes of elastic bodies weigh more than the heaviest freedom, a slight deformation counting as a radian."""
HALVINGS = 40
"""Halvings with which the time is found at which the path leaves the workspace."""
AT_CENTRE = 1e-9
"""Distance from the axis, by the part's length, below which a point does not say how a body is turned."""


@dataclass(frozen=True, eq=False)
class Followed(Tabular):
    """The motion along the path: t (K,), q (K, n_q), u and u̇ (K, n_u)."""

    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    udot: np.ndarray
    redundancy: int
    """How many freedoms the path leaves open."""
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]

    def columns(self) -> dict[str, np.ndarray]:
        """Time, coordinates, speeds (marked ') and their rates (marked '')."""
        out = {"t": self.t, **dict(zip(self.coordinates, self.q.T))}
        out |= {f"{name}'": x for name, x in zip(self.speeds, self.u.T)}
        return out | {f"{name}''": x for name, x in zip(self.speeds, self.udot.T)}

    def plot(self, ax: Axes | None = None) -> Axes:
        """The coordinates over time; the axes of matplotlib."""
        return over(self.t, "t, s", dict(zip(self.coordinates, self.q.T)), "rad or m", ax)

    def __str__(self) -> str:
        span = f"{counted(len(self.t), 'sample')} from {self.t[0]:g} to {self.t[-1]:g} s on the path"
        if not self.redundancy:
            return f"{span}; the path determines the motion."
        return f"{span}; it leaves {counted(self.redundancy, 'freedom')} open, moving with the least kinetic energy."


def follow(
    m: Mechanism,
    at: Any,
    path: Any,
    times: Any,
    orientation: Callable[[Any], Any] | None,
    initial: Mapping[str, Any] | None,
) -> Followed:
    """See `Mechanism.follow`."""
    t = np.atleast_1d(np.asarray(times, dtype=float))
    if t.ndim != 1 or not np.isfinite(t).all() or np.any(np.diff(t) <= 0.0):
        raise StateError("follow: the times must be finite and increase")
    course = _Course(m, at, _function(path, t), orientation)
    q = course.start(initial_state(m, initial, None, float(t[0]))[0], float(t[0]))
    found = [q]
    for begin, end in pairwise(t):
        q = course.carry(float(begin), q, float(end))
        found.append(q)
    every = [course.motion(float(now), pose) for now, pose in zip(t, found)]
    u, udot = (np.array([x[i] for x in every]) for i in range(2))
    return Followed(t, np.array(found), u, udot, min(x[2] for x in every), m.coordinates, m.speeds)


def _function(path: Any, t: np.ndarray) -> Callable[[Any], Any]:
    """The path as a function of time: itself, or a spline through one row for each time."""
    if callable(path):
        first = path(float(t[0]))
        if np.shape(first) != (3,) or not all(x is None or isinstance(x, (int, float, np.number)) for x in first):
            raise refused("follow: what path(t) gives", "x, y, z, each a number or None", first)
        made: Callable[[Any], Any] = path
        return made
    rows = numbers(path, "follow: path")
    if rows.shape != (len(t), 3):
        raise StateError(f"follow: the path must be a function of time or ({len(t)}, 3) numbers, not {rows.shape}")
    return Table(t, rows)


class _Course:
    """A mechanism with the path as a further constraint."""

    def __init__(self, m: Mechanism, at: Any, path: Callable[[Any], Any], orientation: Callable[[Any], Any] | None):
        p = point(at, "follow")
        if p.body not in m.number_of or p.body == "ground":
            raise unknown(p.body, "body", [b.name for b in m.bodies], "follow")
        self.free, self.body, self.at = m.numeric, p.body, p
        self.path, self.orientation = path, orientation

        def off(s: State) -> Any:
            gap = [x - y for x, y in zip(s.position(p), path(s.t)) if y is not None]
            turn = [] if orientation is None else [*twist(np.asarray(orientation(s.t)).T @ s.rotation(p.body))]
            return [*gap, *turn]

        bound = {**self.free.constraints, PATH: Relation(position=off)}
        self.m: Mechanism = replace(self.free, constraints=bound, forces={})
        self.n_rows = len(self.m.rows)
        n, rows = m.n_u, self.n_rows

        def written(s: State, _: Any) -> Any:
            closed = constraint_rows(s)
            return [kane.mass_matrix(s), closed.B, closed.b]

        def changing(s: State, frozen: Any) -> Any:
            closed = constraint_rows(s)
            momentum = kane.mass_matrix(s) @ frozen[:n] + closed.B.T @ frozen[n:]
            along = {symbol("t"): 1.0, **dict(zip(s.coordinates, s.rates))}
            return [directional(momentum, along), closed.gamma]

        self._written, self._changing = compiled(self.m, 0, written), compiled(self.m, n + rows, changing)

    def start(self, q: np.ndarray, t: float) -> np.ndarray:
        """On the path, from the pose nearest to the one given."""
        try:
            found = assemble(self.m, q, (), t)
        except LoopError as problem:
            raise self._outside(t, close(self.m, q, (), t).q, t) from problem
        if self._turned_over(found, t):
            raise PathError(
                f'body "{self.body}" was found half a turn from its orientation; give initial values nearer to it', t
            )
        return found

    def speeds(self, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, Factors, np.ndarray, np.ndarray]:
        """u, μ, the factors of A and B, b, and what of it is left."""
        n, rows = self.m.n_u, self.n_rows
        A, B, b = np.split(self._written(q, np.zeros(n), None, t), np.cumsum([n * n, rows * n]))
        A, B = A.reshape(n, n), B.reshape(rows, n)
        stiff = list(self.m.deforming)
        A[stiff, stiff] += STIFF * np.diag(A).max() / self.m.scales.speeds[stiff] ** 2
        factors = Factors.of(A, B)
        u, mu = (x[:, 0] for x in factors.solve(np.zeros((n, 1)), b[:, None]))
        return u, mu, factors, b, B @ u - b

    def motion(self, t: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
        """u, u̇, and the number of freedoms left open."""
        n = self.m.n_u
        u, mu, factors, b, left = self.speeds(t, q)
        sizes = row_scales(self.m.state(q, np.zeros(n), t))
        if not np.abs(left / sizes).max(initial=0.0) <= STUCK * (1.0 + np.abs(b / sizes).max(initial=0.0)):
            raise PathError(
                f"at t = {t:g} s the mechanism is in a singular pose and cannot move along the path there; choose a path beside it, or "
                "other initial values",
                t,
                0.0,
            )
        rest = self._changing(q, u, np.concatenate([u, mu]), t)
        udot = factors.solve(-rest[:n, None], rest[n:, None])[0][:, 0]
        return u, udot, n - len(factors.sigma)

    def carry(self, t: float, q: np.ndarray, end: float) -> np.ndarray:
        """Advance from a pose on the path to one at a later time."""
        fastest = np.abs(self.speeds(t, q)[0] / self.m.scales.speeds).max(initial=0.0)
        count = int(np.clip(np.ceil(fastest * (end - t) / LARGEST_STEP), 1, 1000))
        times = np.linspace(t, end, count + 1)
        for now, then in pairwise(times):
            found = self._next(float(now), q, float(then))
            if found is None:
                raise self._outside(*self._edge(float(now), q, float(then)), float(then))
            q = found
        return q

    def _next(self, t: float, q: np.ndarray, end: float) -> np.ndarray | None:
        h = end - t

        def rate(now: float, x: np.ndarray) -> np.ndarray:
            x = self.m.admissible(x)
            return np.asarray(self.m.kernels.rates(x, self.speeds(now, x)[0], None, now))

        k1 = rate(t, q)
        k2 = rate(t + h / 2, q + h / 2 * k1)
        k3 = rate(t + h / 2, q + h / 2 * k2)
        k4 = rate(end, q + h * k3)
        step = h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        longest = np.abs(step / self.m.scales.coordinates).max(initial=0.0)
        if not longest < 5 * LARGEST_STEP:  # past a singular pose the speeds say nothing
            step = np.zeros_like(step)
        found = close_stiffly(self.m, self.m.admissible(q + step), (), end)
        return found.q if found.closed and not self._turned_over(found.q, end) else None

    def _edge(self, t: float, q: np.ndarray, end: float) -> tuple[float, np.ndarray]:
        """The last time, and the pose, at which the path is within reach."""
        for _ in range(HALVINGS):
            middle = (t + end) / 2.0
            found = self._next(t, q, middle)
            if found is None:
                end = middle
            else:
                t, q = middle, found
        return t, q

    def _outside(self, t: float, q: np.ndarray, end: float) -> PathError:
        """Error with how far the nearest pose found, with every loop closed, misses the point wanted at `end`."""
        best = close(self.m, q, (), end).q
        if self.free.constraint_rows:
            best = close(self.free, best, (), end).q
        here = self.free.state(best, None, end).position(self.at)
        apart = [float(x - y) for x, y in zip(here, self.path(end)) if y is not None]
        distance = float(np.linalg.norm(apart))
        far = distance > AT_CENTRE * self.m.scales.lengths[self.m.number_of[self.body]]
        miss = f"misses it by {distance:.4g} m" if far else "cannot be turned as asked"
        return PathError(
            f'the path leaves the workspace at t = {t:.9g} s: at t = {end:.6g} s the point of "{self.body}" {miss}. Shorten the path, '
            "or start from initial values of another branch",
            t,
            distance,
        )

    def _turned_over(self, q: np.ndarray, t: float) -> bool:
        if self.orientation is None:
            return False
        R = np.asarray(self.orientation(t), dtype=float).T @ self.free.state(q, None, t).rotation(self.body)
        return bool(np.trace(R) < 1.0)
