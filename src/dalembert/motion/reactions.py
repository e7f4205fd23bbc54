"""What joints and constraints transmit, at all samples of a motion.

A constraint exerts its own force. What a joint of the tree transmits follows from Newton's and Euler's laws for all bodies it carries,
taken together, with the constraints' forces among those that act on them. Everything is linear in the multipliers, so that where these
are not unique, those components of a wrench are that do not change with what the multipliers leave open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import SimulationError
from dalembert.kinematics.loads import loads
from dalembert.kinematics.transmitted import carried
from dalembert.motion.samples import Samples, evaluate, evaluate_with_loads
from dalembert.parts.names import text, unknown

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


OPEN = 1e-7
"""Part of its dependence on λ by which a component may change with what λ leaves open, and still counts as unique."""
COMPONENTS = ("torque x", "torque y", "torque z", "force x", "force y", "force z")


@dataclass(frozen=True, eq=False)
class Wrenches:
    """Force and torque, (K, 3) each; `determined` (2, 3): which components of the force and of the torque are unique."""

    force: np.ndarray
    torque: np.ndarray
    determined: np.ndarray
    note: str
    """The same in a sentence."""


@dataclass(frozen=True, eq=False)
class JointForces:
    """Generalized forces along the named speeds: (K,) for one, (K, n) for several; `determined` (n,): which are unique."""

    force: np.ndarray
    speeds: tuple[str, ...]
    determined: np.ndarray
    note: str


@dataclass(frozen=True, eq=False)
class _Wrench:
    """(K, 6), torque first, and its dependence on λ at the samples taken: (S, 6, rows)."""

    value: np.ndarray
    dependence: np.ndarray
    terms: np.ndarray
    """(S, 6, rows): the sizes of what the dependence was summed from; where loops lie within what is summed, it cancels."""

    @property
    def opposite(self) -> _Wrench:
        return _Wrench(-self.value, -self.dependence, self.terms)

    def turned(self, R: np.ndarray, sampled: np.ndarray) -> _Wrench:
        """In the axes R."""
        there = R[sampled]
        return _Wrench(_in_axes(R, self.value), _in_axes(there, self.dependence), _in_axes(np.abs(there), self.terms))

    def sizes(self, x: Samples, length: float) -> np.ndarray:
        """(S, 6): what a torque and a force are measured by, where either stands for the other at the length of the part."""
        scaled = np.linalg.norm(self.terms / x.solved.scale, axis=2)
        force = np.maximum(scaled[:, 3:].max(axis=1), scaled[:, :3].max(axis=1) / length)
        return np.repeat(np.stack([length * force, force], axis=1), 3, axis=1)


@dataclass(frozen=True, eq=False)
class _Ends:
    """Places (K, 3) and axes (K, 3, 3) of a joint or constraint: on its child, on its parent."""

    places: tuple[np.ndarray, np.ndarray]
    axes: tuple[np.ndarray, np.ndarray]


def reaction(x: Samples, name: str, at: str, axes: str) -> Wrenches:
    """Reaction of a joint of the tree, a joint that closes a loop, or a constraint between bodies; see `Motion.reaction`."""
    for what, given, known in (("at", at, ("child", "parent")), ("axes", axes, ("world", "child", "parent"))):
        if not isinstance(given, str) or given not in known:
            raise SimulationError(
                f"reaction: {what}={given!r} is not known; choose one of {', '.join(map(repr, known))}"
            )
    m = x.mechanism
    if text(name, "reaction") in m.joint_number:
        ends = joint_ends(x, m.joint_number[name])
        made = _transmitted(x, m.joint_number[name], ends.places[at == "parent"])
        body = m.joint_number[name]
    elif name in m.constraint_rows:
        ends = _constraint_ends(x, name)
        made = _exerted(x, name, ends.places[at == "parent"])
        body = m.constraint_rows[name].part_body
    else:
        raise unknown(name, "joint or constraint", [*m.joint_number, *m.constraint_rows], "reaction")
    if axes != "world":
        made = made.turned(ends.axes[axes == "parent"], _sampled(x))
    determined = _determined(x, made.dependence, lambda x: made.sizes(x, m.scales.lengths[body]))
    sides = determined[[3, 4, 5, 0, 1, 2]].reshape(2, 3)
    return Wrenches(made.value[:, 3:], made.value[:, :3], sides, _note(x, determined, COMPONENTS))


def drive(x: Samples, name: str) -> JointForces:
    """Force of the prescribed speeds of a joint, or of a constraint on joint coordinates."""
    m = x.mechanism
    if text(name, "drive") in m.joint_number:
        return _prescribed(x, m.joint_number[name])
    if name not in m.constraint_rows:
        raise unknown(name, "joint or constraint", [*m.joint_number, *m.constraint_rows], "drive")
    d, rows = m.constraint_rows[name], list(m.rows.of_owner(name))
    on_joints = evaluate(x, lambda s, _: d.values(s)[2][:, 6 * len(d.bodies) :])
    acted_on = np.flatnonzero(np.abs(on_joints).max(axis=(0, 1)))
    if not len(acted_on):
        raise SimulationError(
            f'"{name}" acts on bodies, not along coordinates of joints; ask for motion.reaction("{name}")'
        )
    C = on_joints[:, :, acted_on]
    force = -np.einsum("kr,krs->ks", x.solved.lam[:, rows], C)
    dependence = np.zeros((len(_sampled(x)), len(acted_on), x.solved.lam.shape[1]))
    dependence[:, :, rows] = -C[_sampled(x)].transpose(0, 2, 1)
    names = tuple(m.speeds[i] for i in acted_on)
    return _joint_forces(x, force, names, dependence, lambda x: np.linalg.norm(dependence / x.solved.scale, axis=2))


def transmitted(x: Samples, number: int, about: np.ndarray) -> np.ndarray:
    """(K, 6), torque first: what tree joint `number` exerts on the body it carries, whichever the user calls its child."""
    made = _transmitted(x, number, about)
    return made.opposite.value if x.mechanism.tree.reversed[number - 1] else made.value


def _transmitted(x: Samples, number: int, about: np.ndarray) -> _Wrench:
    """On the user's child of a tree joint: the sum of what is left to the joints over the carried bodies."""
    b = x.body_forces
    made = _summed(x, {k: b.left[:, k - 1] for k in carried(x.mechanism, number)}, -b.dependence, about)
    return made.opposite if x.mechanism.tree.reversed[number - 1] else made


def _exerted(x: Samples, name: str, about: np.ndarray) -> _Wrench:
    """Wrench exerted by a constraint on its first body; on the ground, the opposite of what it exerts on the other."""
    m, d, b = x.mechanism, x.mechanism.constraint_rows[name], x.body_forces
    named, rows = d.constraint.bodies, list(m.rows.of_owner(name))
    first = m.number_of[named[0]] if named else d.bodies[0]
    own = np.zeros_like(b.dependence)
    own[..., rows] = b.dependence[..., rows]
    if first:
        return _summed(x, {first: b.exerted[name][first]}, own, about)
    return _summed(x, b.exerted[name], own, about).opposite


def _summed(x: Samples, wrenches: dict[int, np.ndarray], dependence: np.ndarray, about: np.ndarray) -> _Wrench:
    """The wrenches on some bodies' origins, taken together about one point."""
    value, change = np.zeros((len(x), 6)), np.zeros((len(dependence), 6, dependence.shape[-1]))
    terms = np.zeros_like(change)
    for k, wrench in wrenches.items():
        arm = x.body_motion.position[:, k - 1] - about
        value += _moved(arm, wrench)
        moved = _moved(arm[_sampled(x)], dependence[:, k - 1])
        change += moved
        terms += np.abs(moved)
    return _Wrench(value, change, terms)


def _prescribed(x: Samples, number: int) -> JointForces:
    """What the joint transmits along its prescribed speeds, less what springs and motors give there, and what its armature takes."""
    m = x.mechanism
    j = m.joints[number - 1]
    given = [i for i, law in enumerate(j.law.u) if law is not None]
    if not given:
        acting = [f'motion.drive("{name}")' for name, c in m.constraints.items() if j.name in c.joints]
        hint = f"; ask for {' or '.join(acting)}" if acting else ""
        raise SimulationError(f'joint "{j.name}" is not prescribed, so nothing is needed to drive it{hint}')

    def motion(s: State, _: Any) -> Any:
        link, q = s.links[number - 1], s.joint_q[number - 1]
        return np.vstack([link.R_C @ j.joint.turning(q), link.R_P @ j.joint.sliding(q)])[:, given]

    turned = m.tree.reversed[number - 1]
    made = _transmitted(x, number, joint_ends(x, number).places[turned])
    columns = evaluate(x, motion) * (-1.0 if turned else 1.0)

    def own_forces(s: State, _: Any) -> Any:
        """Springs and motors there, less what the joint's armature takes."""
        rates = s.joint_udot(np.zeros(m.n_u))[number - 1][given]
        return loads(s).joint[number - 1][given] - j.armature * rates

    own = evaluate_with_loads(x, own_forces)
    force = np.einsum("kij,ki->kj", columns, made.value) - own
    there = columns[_sampled(x)]
    dependence = np.einsum("kij,kir->kjr", there, made.dependence)
    names = tuple(f"{j.name}.{s}" if s else j.name for s in (j.joint.speeds[i] for i in given))
    length = m.scales.lengths[number]
    return _joint_forces(
        x, force, names, dependence, lambda x: np.einsum("kij,ki->kj", np.abs(there), made.sizes(x, length))
    )


def joint_ends(x: Samples, number: int) -> _Ends:
    """The frames of a tree joint on the user's child and parent."""
    return _ends(evaluate(x, lambda s, _: tree_joint_frames(s, number)))


def tree_joint_frames(s: State, number: int) -> list[Any]:
    """Place and axes, twelve numbers, of a tree joint on the user's child, then on the parent."""
    m = s.mechanism
    j, inner, link = m.joints[number - 1], s.poses[m.stands_on[number - 1]], s.links[number - 1]
    joint, p_P = j.joint.inner, inner.p + inner.R @ j.on_parent.position
    q = s.joint_q[number - 1][: joint.n_q]
    child = p_P + link.R_P @ joint.translation(q), link.R_P @ joint.rotation(q)
    ends = [[*p, *R.ravel()] for p, R in (child, (p_P, link.R_P))]
    return ends[::-1] if m.tree.reversed[number - 1] else ends


def _constraint_ends(x: Samples, name: str) -> _Ends:
    if not x.mechanism.constraint_rows[name].bodies:
        raise SimulationError(f'"{name}" acts along coordinates of joints; ask for motion.drive("{name}")')
    return _ends(evaluate(x, lambda s, _: constraint_frames(s, name)))


def constraint_frames(s: State, name: str) -> Any:
    """Place and axes where a constraint acts on its first and second body; the first body's origin where it has no place of its own."""
    m = s.mechanism
    d = m.constraint_rows[name]
    constraint = d.constraint
    names = (*constraint.bodies, *(m.bodies[m.body_of(k) - 1].name for k in d.bodies), "ground")[:2]
    places = constraint.acts_at(s) or [s.position(names[0])] * 2
    axes = constraint.axes(s) or [s.rotation(body) for body in names]
    return s.settled([[*p, *R.ravel()] for p, R in zip(places, axes)])


def _ends(rows: np.ndarray) -> _Ends:
    R = rows[..., 3:].reshape(-1, 2, 3, 3)
    return _Ends((rows[:, 0, :3], rows[:, 1, :3]), (R[:, 0], R[:, 1]))


def _joint_forces(
    x: Samples,
    force: np.ndarray,
    speeds: tuple[str, ...],
    dependence: np.ndarray,
    sizes: Callable[[Samples], np.ndarray],
) -> JointForces:
    determined = _determined(x, dependence, sizes)
    return JointForces(force[:, 0] if len(speeds) == 1 else force, speeds, determined, _note(x, determined, speeds))


def _sampled(x: Samples) -> np.ndarray:
    return x.solved.sampled if x.mechanism.constraint_rows else np.zeros(0, dtype=int)


def _determined(x: Samples, dependence: np.ndarray, sizes: Callable[[Samples], np.ndarray]) -> np.ndarray:
    """For each component, whether no change of λ that is left open changes it, beside the sizes (S, n) of its terms."""
    if not dependence.size:
        return np.ones(dependence.shape[1], dtype=bool)
    changes = np.linalg.norm((dependence / x.solved.scale) @ x.solved.open, axis=2)
    unique: np.ndarray = (changes <= OPEN * sizes(x)).all(axis=0)
    return unique


def _note(x: Samples, determined: np.ndarray, names: Sequence[str]) -> str:
    """Which components are unique, in words."""
    some = [name for name, known in zip(names, determined) if not known]
    if not some:
        said = "All components are unique."
    else:
        said = f"Not unique, because the mechanism is over-constrained: {', '.join(some)}; those of the least multipliers are given."
    momentary = x.solved.momentary if x.mechanism.constraint_rows else 0
    if momentary:
        said += f" At {momentary} of {len(x)} samples the pose is singular, and reactions there are not unique."
    return said


def _moved(arm: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """A wrench (torque, force), or columns of wrenches, on a point `arm` away from the new one."""
    out = wrench.copy()
    arms = arm if wrench.ndim == 2 else arm[..., None]
    out[:, :3] += np.cross(arms, wrench[:, 3:], axis=1)
    return out


def _in_axes(R: np.ndarray, wrench: np.ndarray) -> np.ndarray:
    """Rᵀ on torque and force, of wrenches or of columns of them."""
    parts = [np.einsum("kij,ki...->kj...", R, wrench[:, at : at + 3]) for at in (0, 3)]
    return np.concatenate(parts, axis=1)
