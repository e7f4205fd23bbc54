"""Several poses of one mechanism at once: closed while the drive stands where it should, with exact derivatives by lengths and drive.

In every pose g(q, p) = 0. With the drive at θ the others follow: B_f δq_f = −g_p δp − B_s δθ, and so does what is looked at, y(q, p).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.analysis.sensitivity.constraint_variation import compiled
from dalembert.cached import cached_property
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kinematics.constraint_rows import constraint_rows, row_scales
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.pivoting import RANK_TOLERANCE
from dalembert.portable import Portable
from dalembert.studies.studied_quantities import StudyQuantity
from dalembert.trace import jacobian, symbol

MOST_STEPS = 40
"""Steps of Newton's method after which a pose counts as one that cannot be closed."""
CLOSED = 1e-11
"""What is left open of a closed pose, by the rows' scales."""
LONGEST = 0.5
"""Step of Newton's method, in rad and lengths, beyond which it is shortened."""


@dataclass(frozen=True, eq=False)
class Seen:
    """What is seen of K poses: residuals and their derivatives, what is looked at and its derivatives."""

    g: np.ndarray
    B: np.ndarray
    g_p: np.ndarray
    y: np.ndarray
    Y: np.ndarray
    y_p: np.ndarray


class PoseSet(Portable):
    """Poses of `m` with the speed `drive` given, what is looked at in them, and the parameters that change."""

    def __init__(self, m: Mechanism, drive: str, looked_at: Sequence[StudyQuantity], varied: Sequence[str]):
        self.m, self.varied, self.looked_at = m, tuple(varied), tuple(looked_at)
        self.s = m.speeds.index(drive)
        self.at = m.coordinates.index(drive)
        self.free = [i for i in range(m.n_u) if i != self.s]

    @cached_property
    def sizes(self) -> np.ndarray:
        """Scales of the rows, at the model's own lengths."""
        m = self.m.numeric
        found: np.ndarray = row_scales(m.state(m.reference, np.zeros(m.n_u), 0.0))[m.rows.holonomic]
        return np.where(found > 0.0, found, 1.0)

    @cached_property
    def _shapes(self) -> tuple[int, int]:
        return int(np.sum(self.m.rows.holonomic)), self.width

    @cached_property
    def width(self) -> int:
        """Numbers that are looked at in a pose."""
        m = self.m.numeric
        s = m.state(m.reference, np.zeros(m.n_u), 0.0)
        return sum(int(np.size(self._value(x, s))) for x in self.looked_at)

    @staticmethod
    def _value(x: StudyQuantity, s: Any) -> Any:
        assert x.of_state is not None
        return x.parted_value(np.ravel(np.asarray(x.of_state(s), dtype=object)))

    @cached_property
    def _kernel(self) -> Kernel:
        def formula(s: State, _: Any) -> Any:
            rows = constraint_rows(s)
            holonomic = s.mechanism.rows.holonomic
            g, B = rows.g[holonomic] / self.sizes, rows.B[holonomic] / self.sizes[:, None]
            y = np.concatenate([self._value(x, s) for x in self.looked_at])
            along = jacobian(np.asarray(s.rates, dtype=object), [*s.speeds])
            Y = jacobian(y, [*s.coordinates]) @ along
            p = [symbol(name) for name in self.varied]
            return [g, B, jacobian(g, p), y, Y, jacobian(y, p)]

        return compiled(self.m, 0, formula)

    def seen(self, q: np.ndarray, P: Mapping[str, Any]) -> Seen:
        """At poses q (K, n_q), with values of all parameters, one for all or (K,)."""
        K, n, p = len(q), self.m.n_u, len(self.varied)
        r, w = self._shapes
        rows = self._kernel(np.ascontiguousarray(q), np.zeros((K, n)), None, 0.0, P)
        ends = np.cumsum([r, r * n, r * p, w, w * n])
        g, B, g_p, y, Y, y_p = np.split(rows.reshape(K, -1), ends, axis=1)
        return Seen(g, B.reshape(K, r, n), g_p.reshape(K, r, p), y, Y.reshape(K, w, n), y_p.reshape(K, w, p))

    def with_drive(self, q: np.ndarray, theta: np.ndarray) -> np.ndarray:
        """The same poses with the drive at other places."""
        moved = q.copy()
        moved[:, self.at] = theta
        return moved

    def closed(self, q: np.ndarray, P: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """The poses closed with the drive where it is, and (K,) which of them could be."""
        q, good = q.copy(), np.zeros(len(q), dtype=bool)
        going = np.arange(len(q))
        for _ in range(MOST_STEPS):
            some = {k: x[going] if np.ndim(x) else x for k, x in P.items()}
            seen = self.seen(q[going], some)
            left = np.abs(seen.g).max(axis=1, initial=0.0)
            done = left <= CLOSED
            good[going[done]] = True
            keep = ~done & np.isfinite(left) & np.isfinite(seen.B).all(axis=(1, 2))
            if not keep.any():
                break
            going = going[keep]
            step = np.zeros((len(going), self.m.n_u))
            by = self.m.scales.speeds[self.free]
            inverse = np.linalg.pinv(seen.B[keep][:, :, self.free] * by, rcond=RANK_TOLERANCE)
            step[:, self.free] = -by * np.einsum("kij,kj->ki", inverse, seen.g[keep])
            longest = np.abs(step / self.m.scales.speeds).max(axis=1, keepdims=True)
            q[going] = self.displaced(q[going], step * np.minimum(1.0, LONGEST / np.maximum(longest, LONGEST)))
        return q, good

    def displaced(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Moved along the speeds' directions."""
        m, rates = self.m, self.m.kernels.rates
        moved: np.ndarray = q + rates(q, step, None, 0.0) - rates(q, np.zeros_like(step), None, 0.0)
        return moved if m.n_q == m.n_u else np.array([m.admissible(row) for row in moved])

    def slopes(self, seen: Seen) -> tuple[np.ndarray, np.ndarray]:
        """dy/dp (K, width, parameters) and dy/dθ (K, width), along closed poses."""
        by = self.m.scales.speeds[self.free]
        inverse = by[:, None] * np.linalg.pinv(seen.B[:, :, self.free] * by, rcond=RANK_TOLERANCE)
        Y = seen.Y[:, :, self.free]
        of_p = seen.y_p - Y @ (inverse @ seen.g_p)
        of_theta = seen.Y[:, :, self.s] - np.einsum("kwf,kfr,kr->kw", Y, inverse, seen.B[:, :, self.s])
        return of_p, of_theta
