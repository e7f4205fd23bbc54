"""A motion as unknowns: states and forces at nodes, joined by the rule of Hermite and Simpson, loops closed at every node.

Of an interval h between nodes a and b with c in the middle, and for y of the independent coordinates and speeds,

    y_c = (y_a + y_b)/2 + h/8 (ẏ_a − ẏ_b),    y_b = y_a + h/6 (ẏ_a + 4 ẏ_c + ẏ_b).

The dependent ones follow from the rows g(q) = 0 and B u = b at all nodes, so that loops stay closed whatever the interval. Which these
are is settled at the first guess. Accelerations and their Jacobians come from one compiled call for all nodes and directions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from dalembert.cached import cached_property
from dalembert.errors import ArgumentError, SimulationError
from dalembert.kernels.compiled_solution import rows_at
from dalembert.kernels.products.acceleration_products import AccelerationProducts
from dalembert.kernels.products.value_products import ValueProducts, Weights
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism

Formula = Callable[[State], Any]
DEPENDENT = 1e-8
"""Pivot, relative to the largest, below which a row of the first guess decides no coordinate or speed."""


class NodeStates(NamedTuple):
    """States and forces of all nodes, and the duration."""

    q: np.ndarray
    u: np.ndarray
    tau: np.ndarray
    duration: float


class NodeRates(NamedTuple):
    """(q̇, u̇) at every node, and their derivatives in (q, u, τ of the controls, t): (nodes, n_q + n_u, directions)."""

    values: np.ndarray
    slopes: np.ndarray


@dataclass(frozen=True, eq=False)
class Collocation:
    """The unknowns are (q, u, τ) of node after node, then the duration."""

    m: Mechanism
    intervals: int
    driven: tuple[int, ...]
    """Places of the speeds on which controls act."""
    begin: float
    at: np.ndarray
    """Coordinates of the first guess, a row for each node."""

    @property
    def count(self) -> int:
        """How many nodes there are, those in the middle of intervals among them."""
        return 2 * self.intervals + 1

    @property
    def n_y(self) -> int:
        return self.m.n_q + self.m.n_u

    @property
    def width(self) -> int:
        """How many unknowns a node has."""
        return self.n_y + len(self.driven)

    @property
    def size(self) -> int:
        return self.count * self.width + 1

    @property
    def phase(self) -> np.ndarray:
        """Times of the nodes, as parts of the duration."""
        return np.linspace(0.0, 1.0, self.count)

    def nodes(self, x: np.ndarray) -> NodeStates:
        table = x[:-1].reshape(self.count, self.width)
        q, u, tau = np.split(table, [self.m.n_q, self.n_y], axis=1)
        return NodeStates(np.ascontiguousarray(q), np.ascontiguousarray(u), np.ascontiguousarray(tau), float(x[-1]))

    def unknowns(self, nodes: NodeStates) -> np.ndarray:
        return np.append(np.hstack([nodes.q, nodes.u, nodes.tau]).ravel(), nodes.duration)

    def times(self, duration: float) -> np.ndarray:
        return np.asarray(self.begin + duration * self.phase)

    # -- rates ----------------------------------------------------------------------------------------------------------
    def rates(self, x: np.ndarray, slopes: bool = True) -> NodeRates:
        """All directions of all nodes in one compiled call; without slopes along none."""
        m, nodes = self.m, self.nodes(x)
        tau = np.zeros((self.count, m.n_u))
        tau[:, self.driven] = nodes.tau
        every = np.eye(self.width + 1) if slopes else np.zeros((1, self.width + 1))
        n = len(every)
        q, u, tau = (np.repeat(z, n, axis=0) for z in (nodes.q, nodes.u, tau))
        t = np.repeat(self.times(nodes.duration), n)
        d = self._direction(np.tile(every, (self.count, 1)))
        udot, moved = self._accelerations.unexamined(q, u, tau, t, self._P(len(t)), d)
        values = np.hstack([self._turns.values(q, u, t, self._P(len(t))), udot])[::n]
        turned = self._turns.change(q, u, t, self._P(len(t)), d._replace(x=np.zeros((len(t), 0))))
        found = np.hstack([turned, moved]).reshape(self.count, n, self.n_y)
        return NodeRates(values, found.transpose(0, 2, 1))

    def _direction(self, every: np.ndarray) -> Weights:
        m = self.m
        dq, du, dc, dt = np.split(every, [m.n_q, self.n_y, self.width], axis=1)
        dx = np.zeros((len(every), m.n_u))
        dx[:, self.driven] = dc
        return Weights(
            np.ascontiguousarray(dt[:, 0]),
            np.ascontiguousarray(dq),
            np.ascontiguousarray(du),
            self._no_P(len(every)),
            dx,
        )

    def _P(self, count: int) -> np.ndarray:
        return np.tile(np.array(list(self.m.parameters.values()), dtype=float), (count, 1))

    def _no_P(self, count: int) -> np.ndarray:
        return np.zeros((count, len(self.m.parameters)))

    @cached_property
    def _accelerations(self) -> AccelerationProducts:
        return AccelerationProducts(self.m, self._rows)

    @cached_property
    def _turns(self) -> ValueProducts:
        return ValueProducts(self.m, lambda s: list(s.rates))

    # -- loops ----------------------------------------------------------------------------------------------------------
    @cached_property
    def _rows(self) -> tuple[int, ...]:
        return tuple(rows_at(self.m.kernels, self.at[0], self.begin, None))

    @cached_property
    def closures(self) -> tuple[ValueProducts, ...]:
        """Rows that coordinates obey, and those that speeds obey."""
        kept = list(self._rows)
        of_place = [k for k in kept if self.m.rows.holonomic[k]]

        def places(s: State) -> list[Any]:
            return list(constraint_rows(s).g[of_place])

        def speeds(s: State) -> list[Any]:
            rows = constraint_rows(s)
            return list(rows.B[kept] @ s.speeds - rows.b[kept])

        every = ((places, of_place), (speeds, kept))
        return tuple(ValueProducts(self.m, formula) for formula, rows in every if rows)

    @cached_property
    def independent(self) -> list[int]:
        """Places in (q, u) of what no row decides."""
        m, found = self.m, np.ones(self.n_y, dtype=bool)
        middle = self.at[self.count // 2]
        for p in self.closures:
            J = self.slopes(p, middle[None], np.zeros((1, m.n_u)), np.array([self.begin]))[0]
            first = m.n_q if J[:, m.n_q : self.n_y].any() else 0
            own = J[:, first : self.n_y] if first else J[:, : m.n_q]
            R, order = scipy.linalg.qr(own, mode="r", pivoting=True)
            rank = int((np.abs(np.diag(R)) > DEPENDENT * abs(R[0, 0])).sum())
            if rank < len(J):
                raise SimulationError(
                    f"optimal motion: {len(J) - rank} of the {len(J)} rows that close the loops decide nothing in the middle of the "
                    "first guess: it is a singular pose; give another guess="
                )
            found[first + order[:rank]] = False
        return [int(k) for k in np.flatnonzero(found)]

    def slopes(self, p: ValueProducts, q: np.ndarray, u: np.ndarray, t: np.ndarray) -> np.ndarray:
        """Derivatives of formulas in (q, u, t): (nodes, formulas, n_q + n_u + 1)."""
        n, count = self.n_y + 1, len(q)
        every = np.tile(np.eye(n), (count, 1))
        dq, du, dt = np.split(every, [self.m.n_q, self.n_y], axis=1)
        t_, q_, u_ = (np.ascontiguousarray(x) for x in (dt[:, 0], dq, du))
        d = Weights(t_, q_, u_, self._no_P(len(every)), np.zeros((len(every), 0)))
        given = (np.repeat(q, n, axis=0), np.repeat(u, n, axis=0), np.repeat(t, n))
        moved = p.change(*given, self._P(len(every)), d)
        return moved.reshape(count, n, p.count).transpose(0, 2, 1)

    # -- the rows of the problem ------------------------------------------------------------------------------------------
    def defects(self, x: np.ndarray) -> np.ndarray:
        """What is missing to the rule, then to the closures."""
        nodes, f = self.nodes(x), self.rates(x, False).values[:, self.independent]
        y, h = np.hstack([nodes.q, nodes.u])[:, self.independent], nodes.duration / self.intervals
        a, c, b = y[:-1:2], y[1::2], y[2::2]
        fa, fc, fb = f[:-1:2], f[1::2], f[2::2]
        middle = c - 0.5 * (a + b) - h / 8.0 * (fa - fb)
        whole = b - a - h / 6.0 * (fa + 4.0 * fc + fb)
        return np.concatenate([middle.ravel(), whole.ravel(), *(self.values(p, x).ravel() for p in self.closures)])

    def values(self, p: ValueProducts, x: np.ndarray) -> np.ndarray:
        """Formulas at all nodes."""
        nodes = self.nodes(x)
        return p.values(nodes.q, nodes.u, self.times(nodes.duration), self._P(self.count))

    def jacobian(self, x: np.ndarray) -> sp.csr_matrix:
        """Jacobian of the defects in all unknowns."""
        nodes, rates, ind = self.nodes(x), self.rates(x), self.independent
        h = nodes.duration / self.intervals
        F, f = rates.slopes[:, ind], rates.values[:, ind]
        I = np.eye(self.width)[ind][None]
        a, c, b = (slice(k, self.count - 2 + k, 2) for k in range(3))
        J = F[:, :, : self.width]
        in_time = F[:, :, -1] * self.phase[:, None]
        middle = {0: -0.5 * I - h / 8.0 * J[a], 1: I + 0.0 * J[c], 2: -0.5 * I + h / 8.0 * J[b]}
        whole = {0: -I - h / 6.0 * J[a], 1: -4.0 * h / 6.0 * J[c], 2: I - h / 6.0 * J[b]}
        n = self.intervals
        ends = -(f[a] - f[b]) / (8.0 * n) - h / 8.0 * (in_time[a] - in_time[b])
        wholes = -(f[a] + 4.0 * f[c] + f[b]) / (6.0 * n) - h / 6.0 * (in_time[a] + 4.0 * in_time[c] + in_time[b])
        parts = [self._blocks(middle, 2), self._blocks(whole, 2)]
        last = [ends, wholes]
        for p in self.closures:
            own, time = self.of_nodes(p, x)
            parts.append(own)
            last.append(time)
        return sp.csr_matrix(sp.hstack([sp.vstack(parts), column(np.concatenate([z.ravel() for z in last]))]))

    def of_nodes(self, p: ValueProducts, x: np.ndarray, which: slice = slice(None)) -> tuple[sp.csr_matrix, np.ndarray]:
        """Jacobian of formulas at nodes in all nodes' unknowns, and in the duration."""
        nodes = self.nodes(x)
        D = self.slopes(p, nodes.q[which], nodes.u[which], self.times(nodes.duration)[which])
        padded = np.concatenate([D[:, :, :-1], np.zeros((*D.shape[:2], len(self.driven)))], axis=2)
        first = range(self.count)[which][0]
        return self._blocks({0: padded}, 1, first), (D[:, :, -1] * self.phase[which][:, None]).ravel()

    def _blocks(self, blocks: dict[int, np.ndarray], stride: int, first: int = 0) -> sp.csr_matrix:
        """Rows of blocks: that of key k in row i stands at node first + i·stride + k."""
        rows, columns, values = [], [], []
        for k, B in blocks.items():
            count, height, width = B.shape
            i, r, c = np.meshgrid(np.arange(count), np.arange(height), np.arange(width), indexing="ij")
            rows.append((i * height + r).ravel())
            columns.append(((first + i * stride + k) * self.width + c).ravel())
            values.append(B.ravel())
        shape = (max(len(B) * B.shape[1] for B in blocks.values()), self.count * self.width)
        made = sp.coo_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape)
        return made.tocsr()

    @property
    def weights(self) -> np.ndarray:
        """Weights of the nodes in an integral over the phase, by Simpson's rule."""
        found = np.full(self.count, 2.0)
        found[1::2] = 4.0
        found[[0, -1]] = 1.0
        return found / (6.0 * self.intervals)


def column(values: np.ndarray) -> sp.csr_matrix:
    """A column with all its entries, zeros too: the pattern must not hang on values."""
    n = len(values)
    return sp.csr_matrix((values, np.zeros(n, dtype=int), np.arange(n + 1)), (n, 1))


def formulas(m: Mechanism, every: Sequence[Formula]) -> ValueProducts | None:
    """Several functions of the state, one number each."""
    if not every:
        return None
    made = ValueProducts(m, lambda s: [f(s) for f in every])
    if made.count != len(every):
        raise ArgumentError(
            f"optimal motion: {len(every)} functions of the state give {made.count} numbers; each must give one, say s.position(…)[0]"
        )
    return made
