"""Poses and velocities of all links in world axes, as one sweep."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.tree.algorithm import Algorithm
from dalembert.kernels.tree.body_records import Record
from dalembert.kernels.tree.sweeps import Step
from dalembert.kinematics.recursion import Pose, Rates
from dalembert.parts.frames import Frame
from dalembert.vectors import IDENTITY, cross

FIELDS = {"R": 9, "P": 3, "W": 3, "V": 3}
"""Axes and origin of the link frame, its angular velocity and velocity, all in world axes."""


def world(s: Step) -> None:
    """R = R_J X, P = P_J + R_J p;  W = W_J + R ω̂, V = V_J + W_J × R_J p + R v̂."""
    at, u = s.place(), s.values.u
    R_J = IDENTITY if s.root else s.parent("R").reshape(3, 3)
    arm = R_J @ at.p
    R = np.array([at.X.back(row) for row in R_J])  # rows of R_J X
    own = at.S @ u
    s.put("R", R.ravel())
    s.put("P", s.parent("P") + arm)
    s.put("W", s.parent("W") + R @ own[:3])
    s.put("V", s.parent("V") + cross(s.parent("W"), arm) + R @ own[3:])


def body_frame(R: Any, P: Any, W: Any, V: Any, frame: Any) -> tuple[Any, Any, Any, Any]:
    """Pose and velocity of the body's own frame from those of its link frame."""
    R_B = R @ frame.rotation.T
    arm = -(R_B @ frame.position)
    return R_B, P + arm, W, V + cross(W, arm)


def in_record(frame: Frame, record: Record, start: int) -> tuple[Pose, Rates]:
    """Pose and velocity of a body whose link frame's motion lies in a record; the symbol of element i of the memory is #r<i>."""
    R, P, W, V = (record.symbols("r", name, start) for name in FIELDS)
    R, P, W, V = body_frame(R.reshape(3, 3), P, W, V, frame)
    return Pose(R, P), Rates(W, V)


def give_body(s: Step) -> None:
    """The body's own frame: R (9), p (3), ω (3), v (3)."""
    R, P, W, V = (s.own(name) for name in FIELDS)
    R, P, W, V = body_frame(R.reshape(3, 3), P, W, V, s.link.frame)
    s.give([*R.ravel(), *P, *W, *V])


N_MOTION = 18
ALGORITHM = Algorithm(
    "body_motion",
    lambda m: FIELDS,
    [(world, False), (give_body, False)],
    lambda m: [N_MOTION * k for k in range(m.n_bodies)],
    lambda m: N_MOTION * m.n_bodies,
    loaded=False,
)
