"""The joint that carries an elastic body: its own coordinates, then the body's.

The joint's frame C sits on a node of the body. What the tree needs is the motion of the body's floating frame F, so that
here C is followed by the way back from the node to F. In an attached frame that way is constant and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.elastic.node import Node
from dalembert.elastic.node_motion import NodeMotion
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint
from dalembert.vectors import Matrix, Vector, cross


@dataclass(frozen=True, eq=False)
class JointWithModes(Joint):
    """`joint` from P to C, with C on the frame `on` of the node; `modes` are the names of the body's coordinates."""

    joint: Joint
    node: Node
    on: Frame
    modes: tuple[str, ...]

    @property
    def inner(self) -> Joint:
        return self.joint

    def carried_frame(self, q: Vector, on_child: Frame) -> tuple[NodeMotion, Frame]:
        return self._at(q), self.on

    @property
    def coordinates(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.joint.coordinates, *self.modes)

    @property
    def speeds(self) -> tuple[str, ...]:  # type: ignore[override]
        return (*self.joint.speeds, *self.modes)

    @property
    def rates_are_speeds(self) -> bool:  # type: ignore[override]
        return self.joint.rates_are_speeds

    @property
    def reference(self) -> np.ndarray:
        return np.concatenate([self.joint.reference, np.zeros(len(self.modes))])

    @property
    def limits(self) -> np.ndarray:
        return np.hstack([self.joint.limits, super().limits[:, self.joint.n_q :]])

    # -- pose: R_PF = R_PC R_CF, p_PF = p_PC − R_PF d with d from F to C ----------------------------------------------------
    def rotation(self, q: Any) -> Matrix:
        return self.joint.rotation(self._own(q)) @ self._R_FC(q).T

    def translation(self, q: Any) -> Vector:
        return self.joint.translation(self._own(q)) - self.rotation(q) @ self._arm(q)

    # -- velocity: ω = R_FC ω_J − W q̇, ṗ = v_J − R_PF (ω × d + ḋ) ----------------------------------------------------------
    def turning(self, q: Any) -> np.ndarray:
        return np.hstack([self._R_FC(q) @ self.joint.turning(self._own(q)), -self._at(q).W])

    def turning_rate(self, q: Any, u: Any) -> np.ndarray:
        at, own, speeds, qd = self._at(q), self._own(q), u[: self.joint.n_u], u[self.joint.n_u :]
        turned = self._R_FC(q) @ self.joint.turning(own)
        rate = cross(at.W @ qd, turned) + self._R_FC(q) @ self.joint.turning_rate(own, speeds)
        return np.hstack([rate, -at.W_rate(qd)])

    def sliding(self, q: Any) -> np.ndarray:
        return self._padded(self.joint.sliding(self._own(q))) - self.rotation(q) @ self._reach(q)

    def sliding_rate(self, q: Any, u: Any) -> np.ndarray:
        own, speeds, qd = self._own(q), u[: self.joint.n_u], u[self.joint.n_u :]
        at, T = self._at(q), self.turning(q)
        w, arm = T @ u, at.R @ self.on.position
        arm_rate = self._arm_columns(q) @ qd
        columns = at.U_rate(qd) + cross(at.W_rate(qd), arm) + cross(at.W, cross(at.W @ qd, arm))
        bent = np.hstack([np.zeros((3, self.joint.n_u)), columns])
        change = cross(w, self._reach(q)) + bent + cross(self.turning_rate(q, u), self._arm(q)) + cross(T, arm_rate)
        return self._padded(self.joint.sliding_rate(own, speeds)) - self.rotation(q) @ change

    def joint_motion(self, q: Any, w: Any, v: Any, qd: Any) -> tuple[Any, Any]:
        """The way back: how C turns (its axes) and moves (P's) where F turns at ω (its axes) and moves at v (P's)."""
        turn = self._R_FC(q).T @ (w + self._at(q).W @ qd)
        return turn, v + self.rotation(q) @ (cross(w, self._arm(q)) + self._arm_columns(q) @ qd)

    # -- coordinates ------------------------------------------------------------------------------------------------------
    def rates(self, q: Any, u: Any) -> np.ndarray:
        n = self.joint.n_u
        return np.concatenate([self.joint.rates(self._own(q), u[:n]), u[n:]])

    def speeds_from_rates(self, q: Any, rates: Any) -> np.ndarray:
        n = self.joint.n_q
        return np.concatenate([self.joint.speeds_from_rates(self._own(q), rates[:n]), rates[n:]])

    def turned_momenta(self, q: Any, u: Any, pi: Any) -> np.ndarray | None:
        n = self.joint.n_u
        own = self.joint.turned_momenta(self._own(q), u[:n], pi[:n])
        return None if own is None else np.concatenate([own, np.zeros(len(self.modes))])

    def admissible(self, q: Any) -> np.ndarray:
        return np.concatenate([self.joint.admissible(self._own(q)), q[self.joint.n_q :]])

    def condition(self, q: Any) -> np.ndarray:
        return self.joint.condition(self._own(q))

    def singularity(self, q: Any) -> str | None:
        return self.joint.singularity(self._own(q))

    # -- parts ------------------------------------------------------------------------------------------------------------
    def _own(self, q: Any) -> Any:
        return q[: self.joint.n_q]

    def _at(self, q: Any) -> NodeMotion:
        return NodeMotion(self.node, q[self.joint.n_q :])

    def _R_FC(self, q: Any) -> Matrix:
        return self._at(q).R @ self.on.rotation

    def _arm(self, q: Any) -> Vector:
        """d, from F's origin to C's, in F's axes."""
        return self._at(q).x + self._at(q).R @ self.on.position

    def _arm_columns(self, q: Any) -> np.ndarray:
        """∂d/∂q of the body's coordinates."""
        at = self._at(q)
        return at.U + cross(at.W, at.R @ self.on.position)

    def _reach(self, q: Any) -> np.ndarray:
        """Columns of ω × d + ḋ."""
        bent = np.hstack([np.zeros((3, self.joint.n_u)), self._arm_columns(q)])
        return cross(self.turning(q), self._arm(q)) + bent

    def _padded(self, columns: np.ndarray) -> np.ndarray:
        return np.hstack([columns, np.zeros((3, len(self.modes)))])
