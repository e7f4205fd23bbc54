"""All forces on the mechanism, gathered: on each body about its mass centre, and on each joint's speeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, ForceError, TraceError
from dalembert.kinematics.in_variables import in_joint_variables, on_speeds
from dalembert.kinematics.state import State
from dalembert.parts.forces import BodyLoad, Force
from dalembert.parts.forces.force import Load
from dalembert.trace import Expr
from dalembert.vectors import ZERO, Vector, cross


@dataclass(frozen=True, eq=False)
class Loads:
    """Per body: force and moment about the mass centre, world axes (index 0 is body 1). Per joint: values on its speeds."""

    force: list[Vector]
    moment: list[Vector]
    joint: list[np.ndarray]

    def loaded(self, k: int) -> bool:
        """Whether anything acts on body k."""
        return any(type(x) is Expr or x != 0.0 for x in (*self.force[k - 1], *self.moment[k - 1]))


def generalized(s: State, applied: Loads) -> np.ndarray:
    """The loads' forces on the free speeds: Σ VᵀF + ΩᵀM, and the joints' own."""
    m = s.mechanism
    f = np.zeros(m.n_u, dtype=object if s.traced else float)
    for k in range(1, m.n_bodies + 1):
        if applied.loaded(k):
            P, columns = s.partials[k], list(m.path_columns[k])
            V = P.V + cross(P.W, s.com_arms[k - 1])
            f[columns] = f[columns] + V.T @ applied.force[k - 1] + P.W.T @ applied.moment[k - 1]
    return np.asarray(f + on_joints(s, applied))


def on_joints(s: State, applied: Loads) -> np.ndarray:
    """What acts on the joints' speeds, as forces on the mechanism's."""
    joints = in_joint_variables(s).mechanism
    f = np.zeros(joints.n_u, dtype=object if s.traced else float)
    for j, values in zip(joints.joints, applied.joint):
        f[j.columns] = f[j.columns] + values[j.free]
    return on_speeds(s, f)


def loads(s: State, gravity: bool = True, forces: Mapping[str, Force] | None = None, stiffness: bool = True) -> Loads:
    """Gravity, stiffness and damping of elastic bodies, and every force of the mechanism, or the given forces, in this state."""
    m = s.mechanism
    force = [b.mass * m.gravity if gravity else ZERO for b in m.bodies]
    moment: list[Vector] = [ZERO for _ in m.bodies]
    joint = [_on_modes(s, k, m.gravity if gravity else ZERO, stiffness) for k in range(m.n_bodies)]
    for name, each in (m.forces if forces is None else forces).items():
        for e in effects(s, name, each):
            if e.joint is not None:
                joint[e.body] = joint[e.body] + e.joint
            if e.at is not None:
                arm = e.at - s.poses[e.body + 1].p - s.com_arms[e.body]
                force[e.body] = force[e.body] + e.force
                moment[e.body] = moment[e.body] + e.couple + cross(arm, e.force)
    return Loads(force, moment, joint)


@dataclass(frozen=True, eq=False)
class Effect:
    """Effect of one load on body `body` (from 0): force, couple, and where the force acts (None if there is none), world axes; and
    values on the speeds of its joint."""

    body: int
    force: Vector
    couple: Vector
    at: Vector | None
    joint: np.ndarray | None


def effects(s: State, name: str, force: Force) -> Iterator[Effect]:
    """What a force of this name does, load by load."""
    m = s.mechanism
    for load in _of_force(s, name, force):
        if not isinstance(load, BodyLoad):
            k = s.joint_index(load.joint)
            every = m.joints[k].joint.n_u
            n = every if np.asarray(load.values, dtype=object).shape == (every,) else m.joints[k].joint.inner.n_u
            values = _numbers(s, load.values, (n,), name)
            yield Effect(k, ZERO, ZERO, None, np.concatenate([values, np.zeros(every - n)]))
            continue
        frame = s.body_number(load.body)
        k = m.body_of(frame) - 1
        if k < 0:
            continue  # the ground takes any load
        F, T = (_numbers(s, x, (3,), name) for x in (load.force, load.torque))
        at = s.poses[frame].p if load.at is None else load.at
        modal = _through_node(s, frame, F, T + cross(at - s.poses[frame].p, F), name) if m.bodies[k].modes else None
        yield Effect(k, F, T, at, modal)


def _on_modes(s: State, k: int, gravity: Vector, stiffness: bool) -> np.ndarray:
    """What acts on the joint's speeds before any force does: on the modes of an elastic body its stiffness, damping and gravity."""
    joint, body = s.mechanism.joints[k].joint, s.mechanism.bodies[k]
    if not body.modes:
        return np.zeros(joint.n_u)
    own = body.modal_forces(s.poses[k + 1].R, s.modal_q(k + 1), s.modal_u(k + 1), gravity)
    if stiffness:
        own = own + body.strain_forces(s.modal_q(k + 1))
    return np.concatenate([np.zeros(joint.inner.n_u), own])


def _through_node(s: State, frame: int, F: Vector, T: Vector, name: str) -> np.ndarray:
    """The force and couple at a node, on the modes of its body: UᵀF + WᵀT."""
    m = s.mechanism
    k = m.body_of(frame)
    if frame == k:
        body = m.bodies[k - 1]
        raise ForceError(
            f'force "{name}": body "{body.name}" is elastic, so that a force must act at one of its nodes; '
            f"name one of {', '.join(body.nodes)}"
        )
    node, R = s.node(frame), s.poses[k].R
    return np.concatenate([np.zeros(m.joints[k - 1].joint.inner.n_u), node.U.T @ (R.T @ F) + node.W.T @ (R.T @ T)])


def _of_force(s: State, name: str, force: Force) -> list[Load]:
    """What a force exerts; whatever goes wrong in it is reported with its name."""
    try:
        with np.errstate(all="ignore"):
            return list(force.loads(s))
    except TraceError:
        raise
    except DalembertError as problem:
        raise type(problem)(f'force "{name}": {problem}') from problem
    except Exception as problem:
        raise ForceError(f'force "{name}" cannot be computed here: {type(problem).__name__}: {problem}') from problem


def _numbers(s: State, given: Any, shape: tuple[int, ...], name: str) -> np.ndarray:
    values: np.ndarray = np.asarray(s.settled(given))
    if any(isinstance(x, np.ndarray) and x.ndim == 0 for x in values.ravel()):  # as np.where gives them
        values = np.array([x.item() if isinstance(x, np.ndarray) else x for x in values.ravel()]).reshape(values.shape)
    if values.shape != shape or not all(type(x) is Expr or isinstance(x, (int, float)) for x in values.ravel()):
        raise ForceError(f'force "{name}" must give {shape[0]} numbers for each load, not {given!r}')
    return values
