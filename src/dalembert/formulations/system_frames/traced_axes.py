"""Frames that the configuration decides: how fast they turn is differentiated by the trace, once for each mechanism."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from dalembert.formulations.system_frames.floating_tree import TreeMotion, floating_trees, with_roots_at_rest
from dalembert.formulations.system_frames.kane_in_frame import KaneInFrame, Slip
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import TracedSource
from dalembert.mechanism import Mechanism
from dalembert.trace import directional, jacobian
from dalembert.vectors import Vector


class TracedAxes(KaneInFrame):
    """A subclass says how the frame turns relative to the root in a traced state."""

    def __init__(self) -> None:
        self._traced = TracedSource(self._make, lambda m: m.speeds)

    def turning(self, x: TreeMotion, along: dict[Any, Any]) -> Vector:
        """x, the frame's angular velocity relative to the root; `along` are the rates of all symbols of the state."""
        raise NotImplementedError

    def slip(self, x: TreeMotion) -> Slip:
        names = [f"{part}{x.tree.root}" for part in ("X", "x", "rate")]
        found = self._traced.functions(*names)(x.s, x.s.speeds)
        return Slip(*(getattr(found, name) for name in names))

    def _make(self, m: Mechanism, t: Any, q: np.ndarray, u: np.ndarray) -> SimpleNamespace:
        s = State(m, t, q, u)
        relative = with_roots_at_rest(s)
        out: dict[str, Any] = {}
        along = {t: 1.0} | dict(zip(q, s.rates))
        for tree in floating_trees(m):
            x = self.turning(TreeMotion(s, relative, tree), along)
            X = jacobian(x, [u[at] for at in tree.internal]).reshape(3, len(tree.internal))
            out |= {f"X{tree.root}": X, f"x{tree.root}": x, f"rate{tree.root}": directional(x, along)}
        return SimpleNamespace(**out)
