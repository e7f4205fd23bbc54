"""`m.optimal_motion`: from what a user says to a problem, through a solver, to a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis.tabular import Tabular
from dalembert.analysis.trajectory.collocation import Collocation, Formula, NodeStates, formulas
from dalembert.analysis.trajectory.problem import Limited, MotionProblem
from dalembert.analysis.trajectory.solvers import SOLVERS
from dalembert.arguments import numbers
from dalembert.constraints.assembly.assemble import assemble
from dalembert.errors import ArgumentError, LoopError, SimulationError
from dalembert.kernels.products.lane_blocks import check_differentiable
from dalembert.kinematics.initial import named_coordinates
from dalembert.mechanism import Mechanism
from dalembert.parts.names import unknown
from dalembert.simulation.rollout.rollout import Rollout, rollout_program

REPLAYED = 25
"""Steps of rk4 between two nodes by which every interval is marched again."""


@dataclass(frozen=True, eq=False)
class OptimalMotion(Tabular):
    """States and forces at the nodes. Between nodes forces are parabolas through an interval's three."""

    mechanism: Mechanism
    t: np.ndarray
    q: np.ndarray
    u: np.ndarray
    controls: dict[str, np.ndarray]
    """Generalized forces by speed."""
    cost: float
    duration: float
    success: bool
    words: str
    """What the solver said."""
    iterations: int
    violation: float
    """Largest defect, gap of a loop or excess of a bound."""
    replay_error: float
    """How far a march under these forces, from the start of an interval, comes to lie from its end, at most."""

    def control_at(self, t: ArrayLike) -> dict[str, np.ndarray]:
        """The forces at any times."""
        return {name: _parabolas(self.t, x, np.asarray(t, dtype=float)) for name, x in self.controls.items()}

    def columns(self) -> dict[str, np.ndarray]:
        """Time, coordinates, speeds and forces."""
        m = self.mechanism
        named = {**dict(zip(m.coordinates, self.q.T)), **{f"{n}'": x for n, x in zip(m.speeds, self.u.T)}}
        return {"t": self.t, **named, **{f"force {name}": x for name, x in self.controls.items()}}

    def __str__(self) -> str:
        return (
            f"{'optimal' if self.success else 'not optimal'} ({self.words}): cost {self.cost:.9g}, {self.duration:.6g} s, "
            f"{self.iterations} iterations, {len(self.t)} nodes; violation {self.violation:.1e}, intervals marched again "
            f"{self.replay_error:.1e} off"
        )


def optimal_motion(
    m: Mechanism, duration: Any, start: Mapping[str, float], end: Mapping[str, float], controls: Mapping[str, Any],
    integral: Formula | None, end_cost: Formula | None, effort: Any, haste: float, bounds: Mapping[str, Any],
    path: Sequence[Any], at_end: Sequence[Any], guess: Mapping[str, Any] | None, intervals: int, solver: str,
    tolerance: float, most: int,
) -> OptimalMotion:  # fmt: skip
    """See `Mechanism.optimal_motion`."""
    _check(m, solver, intervals)
    low_T, high_T = _pair(duration, "duration")
    if not 0.0 < low_T <= high_T < np.inf:
        raise ArgumentError(f"optimal motion: duration={duration!r} must be positive seconds, or (least, most)")
    for name in controls:
        if name not in m.speeds:
            raise unknown(name, "speed", m.speeds, "optimal motion: controls")
    first = _first_guess(m, start, end, guess, intervals)
    driven = tuple(m.speeds.index(name) for name in controls)
    c = Collocation(m, intervals, driven, 0.0, first[0])
    low, high = np.full((c.count, c.width), -np.inf), np.full((c.count, c.width), np.inf)
    for k, limits in enumerate(controls.values()):
        low[:, c.n_y + k], high[:, c.n_y + k] = _pair(limits, "controls") if np.ndim(limits) else (-limits, limits)
    for name, limits in bounds.items():
        low[:, _place(m, name)], high[:, _place(m, name)] = _pair(limits, f"bounds of {name}")
    for node, values in ((0, start), (-1, end)):
        for name, value in values.items():
            low[node, _place(m, name)] = high[node, _place(m, name)] = float(value)
    weights = [effort.get(n, 0.0) if isinstance(effort, Mapping) else float(effort) for n in controls]
    problem = MotionProblem(
        c, np.append(low.ravel(), low_T), np.append(high.ravel(), high_T), formulas(m, [integral] if integral else []),
        formulas(m, [end_cost] if end_cost else []), np.array(weights, dtype=float), float(haste),
        [*_limited(m, path, slice(None)), *_limited(m, at_end, slice(c.count - 1, c.count))],
    )  # fmt: skip
    T = min(max(1.0 if guess is None else float(guess.get("duration", 1.0)), low_T), high_T)
    u = first[1] / T
    x = c.unknowns(NodeStates(first[0], u, np.zeros((c.count, len(driven))), T))
    found = SOLVERS[solver](problem, np.clip(x, problem.low, problem.high), tolerance, most)
    return _made(problem, list(controls), found)


def _check(m: Mechanism, solver: str, intervals: int) -> None:
    check_differentiable(m, "optimal_motion")
    if solver not in SOLVERS:
        raise unknown(solver, "solver", SOLVERS, "optimal motion")
    if m.n_z or m.variables is not None:
        what = "elements with states" if m.n_z else "chosen speeds or coordinates"
        raise SimulationError(
            f"optimal motion: mechanism {m.name!r} has {what}, which are not among the unknowns here; leave them out"
        )
    if m.n_q != m.n_u:
        raise SimulationError(
            f"optimal motion: mechanism {m.name!r} has joints with more coordinates than speeds, as Euler parameters are; give them an "
            'orientation by angles: da.Spherical("321"), da.Free(orientation="321")'
        )
    if intervals < 2:
        raise ArgumentError(f"optimal motion: intervals={intervals!r} must be at least 2")


def _pair(limits: Any, what: str) -> tuple[float, float]:
    if np.ndim(limits) == 0:
        return float(limits), float(limits)
    low, high = (float(x) for x in limits)
    if not low <= high:
        raise ArgumentError(f"optimal motion: {what}: {low:g} is above {high:g}")
    return low, high


def _place(m: Mechanism, name: str) -> int:
    """Place of a coordinate "A" or a speed "A'" among a node's unknowns."""
    if name in m.coordinates:
        return m.coordinates.index(name)
    if name.endswith("'") and name[:-1] in m.speeds:
        return m.n_q + m.speeds.index(name[:-1])
    raise unknown(name, "coordinate or speed", [*m.coordinates, *(f"{s}'" for s in m.speeds)], "optimal motion")


def _limited(m: Mechanism, every: Sequence[Any], where: slice) -> list[Limited]:
    """(function of the state, least, largest), several."""
    if not every:
        return []
    of = formulas(m, [f for f, _, _ in every])
    assert of is not None
    limits = [_pair((low, high), "limits of a function") for _, low, high in every]
    low, high = np.array(limits, dtype=float).T
    return [Limited(of, low, high, where)]


def _first_guess(
    m: Mechanism, start: Mapping[str, float], end: Mapping[str, float], guess: Mapping[str, Any] | None, intervals: int
) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates at the nodes, loops closed, and speeds per duration. What is named goes straight from its start to its end, or as
    `guess` has it."""
    phase = np.linspace(0.0, 1.0, 2 * intervals + 1)
    known = {n: float(v) for n, v in {**end, **start}.items() if n in m.coordinates}
    ways = {n: v + phase * (float(end.get(n, v)) - v) for n, v in known.items()}
    for name, values in (guess or {}).items():
        if name == "duration":
            continue
        _place(m, name)
        given = numbers(values, f"optimal motion: guess of {name}")
        ways[name] = (
            np.interp(phase, np.linspace(0.0, 1.0, len(given)), given) if np.ndim(given) else np.full(len(phase), given)
        )
    kept = {n: ways[n] for n in known}
    beside = {n: way for n, way in ways.items() if n in m.coordinates and n not in kept}
    Q = np.zeros((len(phase), m.n_q))
    for k in range(len(phase)):
        named = {name: float(way[k]) for name, way in kept.items()}
        try:
            if k == 0 and not beside:
                Q[k] = m.assemble(named)[0]
                continue
            near = Q[k - 1].copy() if k else np.array(m.reference, dtype=float)
            for name, way in {**beside, **kept}.items():
                near[_place(m, name)] = way[k]
            Q[k] = assemble(m, near, named_coordinates(m, named), 0.0) if m.constraint_rows else near
        except LoopError as problem:
            raise SimulationError(
                f"optimal motion: the first guess cannot be assembled at {phase[k]:.0%} of the way; say guess= with coordinates that "
                f"close the loops ({problem})"
            ) from problem
    return Q, np.asarray(np.gradient(Q, phase, axis=0))


def _made(p: MotionProblem, names: list[str], found: Any) -> OptimalMotion:
    c, nodes = p.c, p.c.nodes(found.x)
    rows, (low, high) = p.rows(found.x), p.row_bounds
    over = [low - rows, rows - high, p.low - found.x, found.x - p.high]
    t = c.times(nodes.duration)
    controls = {name: nodes.tau[:, k] for k, name in enumerate(names)}
    return OptimalMotion(
        c.m, t, nodes.q, nodes.u, controls, p.cost(found.x), nodes.duration, found.success, found.words, found.iterations,
        float(max(x.max() for x in over)), _replay_error(c, nodes, t),
    )  # fmt: skip


def _replay_error(c: Collocation, nodes: NodeStates, t: np.ndarray) -> float:
    """Every interval by rk4 in short steps, each under the force of its middle."""
    m, steps = c.m, 2 * REPLAYED
    times = np.linspace(0.0, t[2] - t[0], steps + 1)
    begin = t[:-1:2]
    x = np.zeros((c.intervals, steps, m.n_u))
    for k, place in enumerate(c.driven):
        at = begin[:, None] + 0.5 * (times[1:] + times[:-1])
        x[:, :, place] = _parabolas(t, nodes.tau[:, k], at)
    rollout = Rollout(rollout_program(m, nodes.q[0], float(t[0])), times)
    y = np.hstack([nodes.q, nodes.u])
    P = np.tile(np.array(list(m.parameters.values()), dtype=float), (c.intervals, 1))
    Y = rollout.march(np.ascontiguousarray(y[:-1:2]), x, P, np.ascontiguousarray(begin))
    return float(np.abs(Y[:, -1] - y[2::2]).max())


def _parabolas(t: np.ndarray, values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Through the three nodes of every interval."""
    h = t[2] - t[0]
    k = np.clip(((at - t[0]) / h).astype(int), 0, len(t) // 2 - 1)
    s = (at - t[0]) / h - k
    a, c, b = values[2 * k], values[2 * k + 1], values[2 * k + 2]
    return np.asarray(a * (1 - s) * (1 - 2 * s) + 4 * c * s * (1 - s) + b * s * (2 * s - 1))
