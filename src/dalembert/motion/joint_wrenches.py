"""What joints transmit in one state, as formulas of its rates and multipliers: the same as `reactions.py` computes over all samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.kinematics.transmitted import carried, needed
from dalembert.motion.body_forces import exerted_wrenches
from dalembert.motion.reactions import constraint_frames, tree_joint_frames
from dalembert.vectors import cross

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


def joint_wrenches(s: State, names: Sequence[str], rates: Any, lam: Any) -> list[list[Any]]:
    """Force and torque, six numbers in world axes, that every joint named exerts on the user's child at its place there; `lam` are the
    multipliers of all rows."""
    m = s.mechanism
    left = [np.array(w, dtype=object) for w in needed(s, rates)]
    exerted: dict[str, dict[int, Any]] = {name: {} for name in m.constraint_rows}
    pairs = [(name, m.body_of(k)) for name, d in m.constraint_rows.items() for k in d.bodies]
    for (name, k), wrench in zip(pairs, exerted_wrenches(s, lam) if pairs else ()):
        exerted[name][k] = exerted[name].get(k, 0.0) + wrench
        if k:
            left[k - 1] = left[k - 1] - wrench
    return [_on_child(s, name, left, exerted) for name in names]


def _on_child(s: State, name: str, left: list[Any], exerted: dict[str, dict[int, Any]]) -> list[Any]:
    m = s.mechanism
    if name in m.joint_number:
        number = m.joint_number[name]
        wrenches = {k: left[k - 1] for k in carried(m, number)}
        about, sign = tree_joint_frames(s, number)[0][:3], -1.0 if m.tree.reversed[number - 1] else 1.0
    else:
        named, bodies = m.constraint_rows[name].constraint.bodies, exerted[name]
        first = m.number_of[named[0]] if named else m.constraint_rows[name].bodies[0]
        wrenches = {first: bodies[first]} if first else bodies
        about, sign = constraint_frames(s, name)[0][:3], 1.0 if first else -1.0
    total: Any = np.zeros(6)
    for k, wrench in wrenches.items():
        arm = s.poses[k].p - np.array(about, dtype=object)
        total = total + np.array([*(wrench[:3] + cross(arm, wrench[3:])), *wrench[3:]], dtype=object)
    return [*(sign * total[3:]), *(sign * total[:3])]
