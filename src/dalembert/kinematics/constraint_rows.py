"""Constraints at the level of velocities and accelerations: B u = b and B u̇ = γ, exact.

A constraint sees a few bodies and joints. Traced once on symbols of their motion, its velocity φ gives by differentiation its
coefficients C on the bodies' velocities and on the joint speeds, and its rate at given accelerations. In any formulation's speeds,
B is then C times the bodies' partial velocities; in absolute coordinates it is C itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.kinematics.recursion import Pose, Rates
from dalembert.kinematics.state import State
from dalembert.kinematics.state_from_bodies import StateFromBodies, unspecified
from dalembert.mechanism import Mechanism
from dalembert.mechanism.connected import largest_in
from dalembert.mechanism.row_table import RowKind
from dalembert.parts.constraints import Constraint
from dalembert.trace import (
    Expr,
    NumericFunction,
    directional,
    free_symbols,
    jacobian,
    substitute,
    symbol,
    symbols,
    tracing,
)
from dalembert.vectors import ZERO, Vector, cross

ROUNDING = 1e-13
"""Part of its terms' size below which a row is taken for the rounding of their difference."""

DEAD = 1e-8
"""Part of the largest row below which a row counts as nothing."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of one or several constraints in a state: residual g (0 where a row has none), velocity B u − b, rate B u̇ − γ."""

    g: np.ndarray
    B: np.ndarray
    b: np.ndarray
    gamma: np.ndarray

    @staticmethod
    def stacked(parts: Sequence[Rows], n_u: int) -> Rows:
        if not parts:
            return Rows(np.zeros(0), np.zeros((0, n_u)), np.zeros(0), np.zeros(0))
        names = ("g", "B", "b", "gamma")
        return Rows(*(np.concatenate([getattr(p, name) for p in parts]) for name in names))


def constraint_rows(s: State) -> Rows:
    """Rows of all closed loops and constraints of the mechanism, in its order."""
    return s.view(_every_row)


def _every_row(s: State) -> Rows:
    return Rows.stacked([d.rows(s) for d in s.mechanism.constraint_rows.values()], s.mechanism.n_u)


def closure(s: State) -> tuple[np.ndarray, np.ndarray]:
    """(g, B) of all closed loops and constraints: what the pose alone decides, at a third of the cost."""
    every = [d.closure(s) for d in s.mechanism.constraint_rows.values()]
    if not every:
        return np.zeros(0), np.zeros((0, s.mechanism.n_u))
    return np.concatenate([g for g, _ in every]), np.concatenate([B for _, B in every])


def row_scales(s: State) -> np.ndarray:
    """Size of every row: what a large step of the bodies and joints it looks at makes of it: the length of its part for rows that are
    distances, 1 for those that are directions. A row that nothing changes in this pose is taken for a distance."""
    every = [d.scales(s) for d in s.mechanism.constraint_rows.values()]
    return np.concatenate([np.zeros(0), *every])


def alive(m: Mechanism, norms: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Which rows are something: measured by their scales, distances and directions can be compared with the largest of their part."""
    own = norms / sizes
    return np.asarray(own > DEAD * largest_in(m.row_parts, own))


def slid(m: Any, q: np.ndarray, sliding: np.ndarray) -> float:
    """The furthest that any of the speeds marked must go from a pose to close a row by itself; 0 where none can."""
    if not m.constraint_rows:
        return 0.0
    g, B = closure(State(m, 0.0, q, np.zeros(m.n_u)))
    slope = np.abs(B[:, sliding]).max(axis=1, initial=0.0)
    way = np.abs(g) / np.where(slope > 0.0, slope, np.inf)
    return float(way[np.isfinite(way)].max(initial=0.0))


class Differentiated:
    """A constraint of a mechanism, traced on the motion of the bodies it looks at."""

    def __init__(self, m: Mechanism, constraint: Constraint):
        self.mechanism, self.constraint = m, constraint
        with tracing():
            self._trace()

    def _trace(self) -> None:
        m, constraint = self.mechanism, self.constraint
        self.origin = self._beside() if constraint.measures_differences else ZERO
        self.symbolic = state = StateFromBodies(m, unspecified, origin=self.origin)
        residual, slip = (np.asarray(part(state), dtype=object) for part in (constraint.residual, constraint.velocity))
        self.bodies = state.referenced
        now = _motion(state, self.bodies)
        self.g = np.concatenate([residual, np.zeros(len(slip))])
        self.n_residual = len(residual)
        self.kinds: tuple[RowKind, ...] = (RowKind.HOLONOMIC,) * len(residual) + (RowKind.NONHOLONOMIC,) * len(slip)
        self.phi = np.concatenate([directional(residual, now.rates), slip])
        self.C = jacobian(self.phi, [*now.velocities, *state.speeds])
        self.rate = np.asarray(directional(self.phi, now.rates | now.accelerations), dtype=object)
        self._symbols = now

    def _beside(self) -> Vector:
        """A place of the ground near the part that it belongs to."""
        named = [self.mechanism.number_of.get(name, 0) for name in self.constraint.bodies]
        beside: Vector = self.mechanism.scales.origins[max(named, default=0)]
        return beside

    @cached_property
    def part_body(self) -> int:
        """A body of the part that it belongs to; the ground where it depends on nothing."""
        m = self.mechanism
        seen = [m.body_of(frame) for frame in self.bodies]
        if m.variables is not None:  # of one part
            return next(iter(seen), 1 if self.coordinates else 0)
        coordinates = set(self.coordinates)
        carried = [k for k, j in enumerate(m.joints, start=1) if coordinates & set(j.q_at)]
        return next(iter([*seen, *carried]), 0)

    @cached_property
    def _on_numbers(self) -> NumericFunction:
        return self._function(g=self.g, phi=self.phi, C=self.C, rate=self.rate)

    @cached_property
    def _closure_on_numbers(self) -> NumericFunction:
        return self._function(g=self.g, C=self.C)

    def _function(self, **outputs: np.ndarray) -> NumericFunction:
        every: dict[str, Any] = {"t": symbol("t"), "P": [symbol(p) for p in self.mechanism.parameters]}
        every |= self._symbols.arguments
        return NumericFunction({k: v for k, v in every.items() if isinstance(v, Expr) or v}, outputs)

    @cached_property
    def coordinates(self) -> list[int]:
        """Places in q of what it depends on."""
        m, seen = self.mechanism, set(free_symbols([self.g, self.phi]))
        direct = [i for i, x in enumerate(self._symbols.arguments["q"]) if x in seen]
        if m.variables is not None:
            return list(range(m.n_q)) if self.bodies else direct
        columns = {i for k in self.bodies for i in m.path_columns[k]}
        carrying = [i for j in m.joints if columns & set(j.u_at) for i in j.q_at if i is not None]
        return sorted({*direct, *carrying})

    def rows(self, s: State) -> Rows:
        """In the free speeds of the state's mechanism."""
        g, phi, C, rate = self.values(s)
        B = self._in_speeds(s, C)
        return Rows(g, B, B @ s.speeds - phi, -rate)

    def closure(self, s: State) -> tuple[np.ndarray, np.ndarray]:
        """(g, B) at numbers."""
        g, C = self._placed(s)
        return np.asarray(g), self._in_speeds(s, np.asarray(C))

    def scales(self, s: State) -> np.ndarray:
        """See `row_scales`: turning counts only where nothing else does, for it is measured about the bodies' origins."""
        C, own = np.asarray(self._placed(s)[1], dtype=float), s.mechanism.scales
        C = np.where(np.isfinite(C), C, 0.0)  # at a pole, or where a table has ended, nothing is measured
        bodies = np.linalg.norm(C[:, : 6 * len(self.bodies)].reshape(len(C), len(self.bodies), 2, 3), axis=3)
        turning, shifting = (bodies[:, :, i].max(axis=1, initial=0.0) for i in (0, 1))
        joints = (np.abs(C[:, 6 * len(self.bodies) :]) * own.speeds).max(axis=1, initial=0.0)
        length = own.lengths[self.part_body]
        size = np.maximum(length * shifting, joints)
        size = np.where(size > 0.0, size, turning)
        return np.where(size > 0.0, size, length)

    def gap(self, s: State) -> np.ndarray:
        """g at numbers, from the poses alone."""
        return np.asarray(self._placed(s)[0])

    def _placed(self, s: State) -> tuple[Any, Any]:
        """(g, C) at numbers, once for a state."""
        return s.view(self._at_poses)

    def _at_poses(self, s: State) -> tuple[Any, Any]:
        poses = s.poses_from(self.origin)
        motion = [x for k in self.bodies for x in (*poses[k].R.ravel(), *poses[k].p, *[0.0] * 12)]
        g, C = self._closure_on_numbers(*self._given(s, [list(s.coordinates), [0.0] * len(s.speeds), motion]))
        return g, C

    def _in_speeds(self, s: State, C: np.ndarray) -> np.ndarray:
        """C on the joint speeds, and on the bodies' velocities times their partial velocities."""
        B = np.array(C[:, 6 * len(self.bodies) :], dtype=object if s.traced else float)
        terms = None if s.traced else np.abs(B)
        for i, k in enumerate(self.bodies):
            columns, own, P = list(s.mechanism.path_columns[k]), C[:, 6 * i : 6 * i + 6], s.view(_stacked)[k]
            if columns:
                B[:, columns] += own @ P
            if terms is not None and columns:
                terms[:, columns] += _sizes_of(own) @ s.view(_stacked_sizes)[k]
        if terms is None:
            return B
        # where the bodies' motions cancel completely, what is left is rounding, not a row
        B[~(np.abs(B).max(axis=1, initial=0.0) > ROUNDING * terms.max(axis=1, initial=0.0))] = 0.0
        return B

    def coefficients(self, s: State) -> np.ndarray:
        """C in a traced state: on (ω, v) of each body it looks at, then on the joint speeds."""
        known: dict[Expr, Any] = {symbol("t"): s.t, **dict(zip(self._symbols.arguments["q"], s.coordinates))}
        for k in self.bodies:
            here, there = unspecified(k)[0], s.poses_from(self.origin)[k]
            known |= dict(zip(here.R.ravel(), there.R.ravel())) | dict(zip(here.p, there.p))
        return np.asarray(substitute(self.C, known))

    def values(self, s: State, accelerations: Sequence[Rates] | None = None) -> tuple[np.ndarray, ...]:
        """(g, φ, C, rate of φ at u̇ = 0) in a state; with the bodies' accelerations given, the rate of φ at those."""
        a0 = s.bias_accelerations if accelerations is None else accelerations
        groups = self._symbols.values(s, s.poses_from(self.origin), self.bodies, a0)
        if s.traced:
            known = {
                a: b for names, values in zip(self._symbols.arguments.values(), groups) for a, b in zip(names, values)
            }
            known[symbol("t")] = s.t
            return tuple(substitute([self.g, self.phi, self.C, self.rate], known))
        return tuple(np.asarray(x) for x in self._on_numbers(*self._given(s, groups)))

    def _given(self, s: State, groups: list[list[Any]]) -> list[Any]:
        """Arguments on numbers; groups without a symbol are no arguments."""
        parameters = [list(s.mechanism.parameters.values())] if s.mechanism.parameters else []
        return [s.t, *parameters, *(v for v in groups if len(v))]


def _sizes_of(pairs: np.ndarray) -> np.ndarray:
    """Lengths of the two vectors in every row: a component by itself may be rounding, where the vector lies along the others."""
    return np.asarray(np.linalg.norm(np.asarray(pairs, dtype=float).reshape(len(pairs), 2, 3), axis=2))


def _stacked(s: State) -> list[np.ndarray]:
    """Ω over V of the ground, every body and every node frame."""
    return [np.vstack([P.W, P.V]) for P in s.partials]


def _stacked_sizes(s: State) -> list[np.ndarray]:
    """Lengths of their columns, Ω's over V's."""
    return [np.stack([np.linalg.norm(P.W, axis=0), np.linalg.norm(P.V, axis=0)]) for P in s.partials]


@dataclass(frozen=True, eq=False)
class _Motion:
    """The symbols a constraint is traced on, by argument; their rates; the velocities that C multiplies."""

    arguments: dict[str, list[Expr]]
    rates: dict[Expr, Any]
    accelerations: dict[Expr, Any]
    velocities: list[Expr]

    def values(self, s: State, poses: Sequence[Pose], bodies: list[int], a0: Sequence[Rates]) -> list[list[Any]]:
        """What the symbols stand for in a state, in the order of the arguments."""
        motion = [
            x
            for k in bodies
            for x in (*poses[k].R.ravel(), *poses[k].p, *s.velocities[k].w, *s.velocities[k].v, *a0[k].w, *a0[k].v)
        ]
        return [list(s.coordinates), list(s.speeds), motion]


def _motion(state: StateFromBodies, bodies: list[int]) -> _Motion:
    """dR = ω × R, dp = v; dω, dv are the bias accelerations, in symbols of their own."""
    rates: dict[Expr, Any] = {symbol("t"): 1.0, **dict(zip(state.coordinates, state.rates))}
    accelerations: dict[Expr, Any] = {}
    arguments: list[Expr] = []
    velocities: list[Expr] = []
    for k in bodies:
        pose, rate = state.body(k)
        a, e = symbols(f"A{k}.", range(3)), symbols(f"E{k}.", range(3))
        rates |= dict(zip(pose.R.ravel(), cross(rate.w, pose.R).ravel())) | dict(zip(pose.p, rate.v))
        accelerations |= dict(zip(rate.w, e)) | dict(zip(rate.v, a))
        arguments += [*pose.R.ravel(), *pose.p, *rate.w, *rate.v, *e, *a]
        velocities += [*rate.w, *rate.v]
    groups = {"q": list(state.coordinates), "u": list(state.speeds), "motion": arguments}
    return _Motion(groups, rates, accelerations, velocities)
