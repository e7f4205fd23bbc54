"""Inverse dynamics under laws: what actuators must give for a motion, friction included, also friction by what joints transmit.

Friction of what slides opposes the slip, with a load that hangs on the forces sought: both are found in turn. Where something is at
rest and stays so, friction is anything up to its grip, and the forces are a range.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from dalembert.analysis.drives import Drives, drives
from dalembert.constraints.nonsmooth.impact import STILL
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.errors import DriveError
from dalembert.kernels.law_state import law_state_kernel
from dalembert.mechanism import Mechanism
from dalembert.pivoting import least_squares

TURNS = 200
"""Times that loads and forces are found in turn."""
AGREED = 1e-13
"""Part of the largest friction by which it may still change."""
TOUCHES = 1e-9
"""Gap, by its scale, that counts as touching."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LawfulDrives(Drives):
    """Forces of the actuators under laws; of what is at rest, those without its friction, with the range that friction leaves."""

    low: np.ndarray
    """Least force of each actuator with which the motion is the one given, the others being anything that goes with it."""
    high: np.ndarray
    resting: tuple[str, ...]
    """Laws whose friction is at rest in some state."""

    def __str__(self) -> str:
        lines = [super().__str__()]
        if self.resting:
            names = ", ".join(f'"{name}"' for name in self.resting)
            lines.append(f"At rest, friction of {names} leaves a range:")
            low, high = np.atleast_2d(self.low).min(axis=0), np.atleast_2d(self.high).max(axis=0)
            lines += [f"{name}: from {a:.6g} to {b:.6g}" for name, a, b in zip(self.actuated, low, high)]
        return "\n".join(lines)


def lawful_drives(
    m: Mechanism, q: Any, u: Any, udot: Any, actuated: Iterable[str] | None, weights: Any, t: Any, parameters: Any
) -> LawfulDrives:
    """See `Mechanism.drives`."""
    q, u, udot = (np.asarray(x, dtype=float) for x in (q, u, udot))
    one = max(q.ndim, u.ndim, udot.ndim, np.ndim(t) + 1) == 1
    count = max(len(np.atleast_2d(x)) for x in (q, u, udot))
    count = max(count, int(np.size(t)))
    rows = [np.broadcast_to(np.atleast_2d(x), (count, x.shape[-1])) for x in (q, u, udot)]
    times = np.broadcast_to(np.asarray(t, dtype=float), count)
    names = None if actuated is None else list(actuated)
    values = {**m.parameters, **(parameters or {})}
    found = [
        _State(m, rows[0][k], rows[1][k], rows[2][k], names, weights, float(times[k]), values) for k in range(count)
    ]
    parts = [x.solved() for x in found]
    first = parts[0][0]
    forces, low, high = (np.array([x[i] if i else x[0].forces for x in parts]) for i in range(3))
    tau = np.array([x[0].tau for x in parts])
    made = {f.name: getattr(first, f.name) for f in fields(Drives)}
    made |= {"forces": forces[0] if one else forces, "tau": tau[0] if one else tau, "t": times.copy()}
    made |= {
        "determined": np.all([x[0].determined for x in parts], axis=0),
        "surplus": max(x[0].surplus for x in parts),
    }
    resting = tuple(name for name in m.laws if any(name in x.resting for x in found))
    return LawfulDrives(**made, low=low[0] if one else low, high=high[0] if one else high, resting=resting)


class _State:
    """One state of a motion that is asked for."""

    def __init__(
        self, m: Mechanism, q: np.ndarray, u: np.ndarray, udot: np.ndarray, actuated: list[str] | None, weights: Any, t: float,
        values: dict[str, float],
    ):  # fmt: skip
        self.m, self.q, self.u, self.udot, self.t, self.values = m, q, u, udot, t, values
        self.actuated, self.weights, self.smooth = actuated, weights, m.without_laws()
        self.k = self._kinetics(np.zeros(m.n_u))
        self.a = self.k.J @ udot - self.k.gamma
        self.ways: dict[int, np.ndarray] = {}
        """Directions of slip of what slides, or is about to."""
        self.at_rest: list[int] = []
        for i in range(len(self.k.elements)):
            if self.k.on[i]:
                self._classify(i)

    @property
    def resting(self) -> set[str]:
        return {self.k.elements[i].law for i in self.at_rest}

    def _kinetics(self, tau: np.ndarray) -> Kinetics:
        return law_state_kernel(self.m.kernels).kinetics(self.q, self.u, tau, self.t, self.values)

    def _classify(self, i: int) -> None:
        k, e, size = self.k, self.k.elements[i], self.k.size(i)
        if e.holds:
            raise DriveError(
                f'law "{k.table.title(i)}" is engaged: the motion does not determine how much force it carries. '
                "Leave it off, or make it a joint or constraint of the mechanism"
            )
        if e.normal is not None:
            gap = float(k.gap[e.normal]) if e.has_gap else 0.0
            if gap < -TOUCHES * size:
                raise DriveError(
                    f'the motion goes through law "{k.table.title(i)}" at t = {self.t:g} s: its gap is {gap:.6g}'
                )
            leaves = gap > TOUCHES * size or k.v[e.normal] > STILL * size or self.a[e.normal] > STILL * size
            if not leaves:
                raise DriveError(
                    f'law "{k.table.title(i)}" touches at t = {self.t:g} s: how hard actuators press it is not decided by the motion. '
                    "Ask for a motion that keeps clear of it, or ask m.without_laws()"
                )
            return
        tangents = list(e.tangents)
        for rates in (k.v[tangents], self.a[tangents]):
            fast = float(np.linalg.norm(rates))
            if fast > STILL * size:
                self.ways[i] = rates / fast
                return
        self.at_rest.append(i)

    def solved(self) -> tuple[Drives, np.ndarray, np.ndarray]:
        """The forces, and the least and the largest of each."""
        middle = self._with({})
        low, high = middle.forces.copy(), middle.forces.copy()
        if self.at_rest:
            pulls = np.array([self._per_friction(i) for i in self.at_rest])
            for column in range(len(low)):
                for ends, sign in ((low, -1.0), (high, 1.0)):
                    pushed = {
                        i: sign * np.sign(pulls[j, column]) for j, i in enumerate(self.at_rest) if pulls[j, column]
                    }
                    ends[column] = self._with(pushed).forces[column]
        return middle, low, high

    def _per_friction(self, i: int) -> np.ndarray:
        """Change of the actuators' forces with friction on the first direction of an element."""
        row = self.k.J[self.k.elements[i].tangents[0]]
        return self._driven(row).forces - self._driven(np.zeros(self.m.n_u)).forces

    def _driven(self, besides: np.ndarray) -> Drives:
        return drives(
            self.smooth,
            self.q,
            self.u,
            self.udot,
            self.actuated,
            self.weights,
            self.t,
            self.values or None,
            besides[None, :],
        )

    def _with(self, pushed: dict[int, float]) -> Drives:
        """Forces with friction of what slides, and of what is at rest pushed to its grip along its first direction."""
        loads = dict.fromkeys(self.k.table.loads, 0.0)
        last = np.zeros(len(self.k.J))
        for turn in range(TURNS):
            p = self._friction(loads, pushed)
            found = self._driven(self.k.J.T @ p)
            if not loads or (
                turn and np.abs(p - last).max(initial=0.0) <= AGREED * max(np.abs(p).max(initial=0.0), 1e-300)
            ):
                return found
            loads, last = self._loads(found, p), p
        names = ", ".join(f'"{self.k.table.title(i)}"' for i in loads)
        raise DriveError(
            f"at t = {self.t:g} s no actuator force gives this motion ({names}): friction grows faster than the "
            "force, so the joint locks itself"
        )

    def _friction(self, loads: dict[int, float], pushed: dict[int, float]) -> np.ndarray:
        """Forces of all rows of laws."""
        k, p = self.k, np.zeros(len(self.k.J))
        for i, way in self.ways.items():
            tangents = list(k.elements[i].tangents)
            p[tangents] = -(k.force[i] + k.coefficient[i] * loads.get(i, 0.0)) * way - k.viscous[i] * k.v[tangents]
        for i, sign in pushed.items():
            p[k.elements[i].tangents[0]] = sign * (k.static_force[i] + k.static_coefficient[i] * loads.get(i, 0.0))
        return p

    def _loads(self, found: Drives, p: np.ndarray) -> dict[int, float]:
        """What presses on friction under these forces."""
        k = self._kinetics(found.tau)
        left = k.f + k.J.T @ p - k.A @ self.udot  # Bᵀλ, with the actuators in f
        lam = least_squares(k.B.T, left, None) if len(k.B) else np.zeros(0)
        z = k.loads.z0 + k.loads.Zu @ self.udot + k.loads.Zx @ np.concatenate([lam, -p])
        made = dict.fromkeys(k.table.loads, 0.0)
        for t, term in enumerate(k.table.load_terms):
            size = float(np.linalg.norm(z[term.start : term.start + term.size]))
            made[term.element] += float(k.loads.arms[t]) * size
        return made
