"""Equilibria of mechanisms whose elements have states: forces, gaps and ż are zero together.

Newton's method on (η, δu of the speeds looked for, δλ, δz) from several starts: r + Bᵀλ = 0, g = 0 and h(q, u, z) = 0. States that
elements integrate, as a controller its error, have no value of their own in a pose; so z is found with the pose and not before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.analysis.equilibrium.equilibrium import Equilibrium
from dalembert.analysis.equilibrium.search_equations import BALANCED, solved
from dalembert.analysis.equilibrium.static_residual import NotFinite, StaticEquations
from dalembert.analysis.linear.can_rest import check_continuous
from dalembert.cached import cached_property
from dalembert.constraints.assembly.assemble import assemble, displaced
from dalembert.errors import DalembertError, EquilibriumError
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import straight_block
from dalembert.kinematics.constraint_rows import row_scales
from dalembert.kinematics.initial import initial_state, named_speeds
from dalembert.mechanism import Mechanism
from dalembert.trace import jacobian, tracing
from dalembert.trace.fingerprint import fingerprint

if TYPE_CHECKING:
    pass


STEPS = 60
"""Steps of Newton's method from one start."""
LONGEST = 0.3
"""Longest step, in rad or sizes of the mechanism."""
HALVINGS = 12
"""How often a step that does not help is halved."""
EXACT = 1e-13
"""Part of the forces that is not worth a further step."""
ALIKE = 1e-6
"""How near, in rad, lengths and sizes of the states, two equilibria are one."""
LATER = 1e-3
"""Seconds after which it is seen whether time changes the equilibrium."""


@dataclass(frozen=True, eq=False)
class StatesPlace:
    """A state on the way, what is left over of all equations, each by its scale, and their Jacobian likewise."""

    q: np.ndarray
    u: np.ndarray
    lam: np.ndarray
    z: np.ndarray
    left: np.ndarray
    J: np.ndarray
    by: np.ndarray
    """Scale of every unknown."""
    r: np.ndarray
    scale: float

    @property
    def size(self) -> float:
        return float(np.linalg.norm(self.left)) if np.isfinite(self.left).all() else np.inf


class StatesSearch:
    """The search of one mechanism."""

    def __init__(self, m: Mechanism, speeds: Any, find: Any, hold: Sequence[str], t: float):
        check_continuous(m)
        self.m, self.t = m, t
        self.find = named_speeds(m, find or {})
        self.moving = sorted({*named_speeds(m, speeds or {}), *self.find})
        if self.moving and m.constraint_rows:
            raise EquilibriumError(
                f'mechanism "{m.name}" has loops or constraints and elements with states: its equilibrium is found at rest, and not in '
                "steady motion; leave out speeds and find, or simulate it"
            )
        fixed = named_speeds(m, dict.fromkeys(hold, 0.0))
        self.free = [i for i in range(m.n_u) if i not in {*fixed, *self.moving}]
        self.rows = [i for i in range(m.n_u) if i not in self.moving]
        self.statics = StaticEquations(m, t, at_rest=False)

    @cached_property
    def _rates(self) -> Kernel:
        """ż, and how it changes along displacements, speeds and states."""
        m = self.m
        with tracing():
            s = m.symbolic_state()
            h = np.array(m.state_rates(s), dtype=object)
            along = jacobian(h, list(s.coordinates)) @ jacobian(s.rates, list(s.speeds))
            every = np.hstack([h[:, None], along, jacobian(h, list(s.speeds)), jacobian(h, m.state_symbols)])

        def emit(module: Any, lanes: int) -> Any:
            return module.block(straight_block(m, every, []), lanes), 0

        return Kernel("state_rates", m, 0, every.shape, emit, of=(fingerprint(list(every.ravel())),))

    def at(self, q: np.ndarray, u: np.ndarray, lam: np.ndarray, z: np.ndarray, t: float | None = None) -> StatesPlace:
        """What is left over there; raises `NotFinite`."""
        m, t = self.m, self.t if t is None else t
        values = dict(zip(m.states, z.tolist()))
        statics = StaticEquations(m, t, False, values, self.statics)
        b, R_z = statics.at(q, u, lam), self._forces_of_states(statics, q, u, lam, t)
        found = self._rates(q, u, None, t, values)
        n, free, rows, find = m.n_u, self.free, self.rows, self.find
        h, H_q, H_u, H_z = found[:, 0], found[:, 1 : n + 1], found[:, n + 1 : 2 * n + 1], found[:, 2 * n + 1 :]
        holonomic = statics.holonomic
        B_h, k, c = b.B[holonomic], len(find), len(b.B)
        J = np.block(
            [
                [b.R_q[np.ix_(rows, free)], b.R_u[np.ix_(rows, find)], b.B[:, rows].T, R_z[rows]],
                [B_h[:, free], np.zeros((len(B_h), k + c + m.n_z))],
                [H_q[:, free], H_u[:, find], np.zeros((m.n_z, c)), H_z],
            ]
        )
        steps, sizes = m.scales.speeds, row_scales(statics.m.state(q, u, t)) if c else np.zeros(0)
        work = max(
            1e-300, float((np.abs(b.R_q) * np.outer(steps, steps)).max(initial=0.0)), self._weight(b.r, b.B, lam)
        )
        of_z = np.maximum(np.abs(z), 1.0)
        by = np.concatenate([steps[free], np.ones(k), work / sizes, of_z])
        fast = np.abs(H_z) @ of_z + np.abs(H_q) @ steps + np.abs(H_u) @ np.abs(u) + 1e-300
        scaled = np.concatenate([steps[rows] / work, 1.0 / sizes[holonomic], 1.0 / fast])
        left = scaled * np.concatenate([b.r[rows], b.g[holonomic], h])
        return StatesPlace(q, u, lam, z, left, scaled[:, None] * J * by, by, b.r, work)

    def _weight(self, r: np.ndarray, B: np.ndarray, lam: np.ndarray) -> float:
        """The size of the forces that cancel, by their work along a large step."""
        on_rows = B.T @ lam if len(lam) else np.zeros(self.m.n_u)
        return float((np.maximum(np.abs(on_rows), np.abs(r - on_rows)) * self.m.scales.speeds).max(initial=0.0))

    def _forces_of_states(self, statics: StaticEquations, q: Any, u: Any, lam: np.ndarray, t: float) -> np.ndarray:
        m = self.m
        values = statics.values | dict(zip(statics.multipliers, lam.tolist()))
        d = statics.tree.inverse_dynamics_derivatives(q, u, np.zeros(m.n_u), t, values)
        at = list(statics.tree.parameters).index(m.states[0])
        return d.parameters[:, at : at + m.n_z]

    def run(self, q: np.ndarray, u: np.ndarray, z: np.ndarray) -> StatesPlace | None:
        """Where one start leads; None where it leads nowhere."""
        try:
            here = self.at(q, u, np.zeros(len(self.statics.multipliers)), z)
            for _ in range(STEPS):
                if here.size <= EXACT:
                    break
                new = self._better(here)
                if new is None:
                    break
                here = new
        except (NotFinite, DalembertError, np.linalg.LinAlgError):
            return None
        return here if np.abs(here.left).max(initial=0.0) <= BALANCED else None

    def _better(self, here: StatesPlace) -> StatesPlace | None:
        x = here.by * solved(here.J, -here.left)
        n, k, c = len(self.free), len(self.find), len(here.lam)
        eta, du = np.zeros(self.m.n_u), np.zeros(self.m.n_u)
        eta[self.free], du[self.find] = x[:n], x[n : n + k]
        part = min(1.0, LONGEST / max(self.m.scales.of_step(eta), 1e-300))
        for _ in range(HALVINGS):
            q = displaced(self.m, here.q, part * eta, self.t)
            lam, z = here.lam + part * x[n + k : n + k + c], here.z + part * x[n + k + c :]
            try:
                new = self.at(q, here.u + part * du, lam, z)
            except NotFinite:
                new = None
            if new is not None and new.size < here.size:
                return new
            part *= 0.5
        return None

    def starts(
        self, initial: Any, speeds: Any, find: Any, count: int, seed: int
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        m, rng = self.m, np.random.default_rng(seed)
        q, u = initial_state(m, initial, {**(speeds or {}), **(find or {})}, self.t)
        for i in range(max(1, count)):
            step = rng.uniform(-1.0, 1.0, m.n_u) * np.pi * m.scales.speeds if i else np.zeros(m.n_u)
            step[[k for k in range(m.n_u) if k not in self.free]] = 0.0
            start = displaced(m, q, step, self.t)
            try:
                yield assemble(m, start, [], self.t) if m.constraint_rows else start, u
            except DalembertError:
                if not i:
                    raise


def equilibria_with_states(
    m: Mechanism,
    initial: Any,
    speeds: Any,
    find: Any,
    hold: Sequence[str],
    t: float,
    starts: int,
    seed: int,
    most: int,
) -> list[Equilibrium]:
    """Equilibria that differ, at most so many."""
    initial, states = m.without_states(initial)
    m = m.with_parameters(**states) if states else m
    search = StatesSearch(m, speeds, find, hold, t)
    z = np.array([m.parameters[name] for name in m.states])
    found: list[StatesPlace] = []
    for q, u in search.starts(initial, speeds, find, starts, seed):
        place = search.run(q, u, z)
        if place is not None and not any(_same(m, place, other) for other in found):
            found.append(place)
        if len(found) >= most:
            break
    if not found:
        raise EquilibriumError(
            f'mechanism "{m.name}" finds no equilibrium with its elements from {starts} starts: forces and rates of the states '
            f"({', '.join(m.states)}) do not vanish together. Start elsewhere with initial=, or simulate it until it rests"
        )
    return [_made(search, place) for place in found]


def _same(m: Mechanism, a: StatesPlace, b: StatesPlace) -> bool:
    far = (m.joint_coordinates(a.q) - m.joint_coordinates(b.q)) / m.in_joint_variables.scales.coordinates
    turned = np.where(m.in_joint_variables.angles, np.angle(np.exp(1j * far)), far)
    apart = (a.z - b.z) / np.maximum(np.abs(a.z), 1.0)
    return bool(np.allclose(turned, 0.0, atol=ALIKE) and np.allclose(apart, 0.0, atol=ALIKE))


def _made(search: StatesSearch, place: StatesPlace) -> Equilibrium:
    m = search.m
    there = m.with_parameters(**dict(zip(m.states, place.z.tolist())))
    tau = np.zeros(m.n_u)
    tau[search.moving] = place.r[search.moving]
    later = search.at(place.q, place.u, place.lam, place.z, search.t + LATER)
    names = tuple(m.speeds[i] for i in search.moving)
    lasting = bool(np.abs(later.left).max(initial=0.0) <= BALANCED)
    return Equilibrium(there, search.t, place.q, place.u, tau, place.lam, names, np.full(m.n_u, place.scale), lasting)
