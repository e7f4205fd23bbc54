"""Whether a linkage can go from pose to pose: the curve of all its poses is followed from the first one, both ways.

Poses that are not on it belong to another circuit: the linkage would have to be taken apart. Between poses on either side of a dead
point of the drive it must be pushed by something else: they are on different branches of the circuit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.analysis.linkage.branch import Branch
from dalembert.constraints.assembly.assemble import places
from dalembert.errors import LoopError
from dalembert.mechanism import Mechanism
from dalembert.words import listed

STEP = 0.1
"""Step along the curve, in radians or lengths of the mechanism."""
MOST_STEPS = 2000
"""Steps one way after which a circuit counts as one without end."""
SHORTEST = 1e-6
"""Step below which the curve is lost."""
CURVED = 0.95
"""Cosine of the angle that the tangent may turn by in a step."""
NUDGE = 1e-4
"""Step by which the way of the bodies along the curve is measured."""
ROUNDS = 8
"""Steps with which a pose near a dead point is sought along the curve."""
SAME = 1e-6
"""Distance of all bodies, in lengths of the mechanism and rad, below which two poses are one."""


@dataclass(frozen=True, eq=False)
class Circuit:
    """Poses (K, n_q) along the curve from the first wanted one on, the drive's part of the tangent (K,), and whether it closes."""

    branch: Branch
    q: np.ndarray
    way: np.ndarray
    closed: bool

    @property
    def stretches(self) -> np.ndarray:
        """(K,): numbers of the stretches between dead points; where the curve closes, the last may be the first."""
        found = np.concatenate([[0], np.cumsum(np.sign(self.way[1:]) * np.sign(self.way[:-1]) < 0.0)])
        if self.closed and found[-1] > 0 and self.way[-1] * self.way[0] > 0.0:
            found[found == found[-1]] = 0
        return found


def follow_circuit(m: Mechanism, q: np.ndarray, s: int) -> Circuit:
    """The curve of poses through a pose, along which the speed `s` is the drive."""
    branch = Branch.through(m, q, s, (), 0.0)
    forward = np.zeros(branch.m.n_u)
    forward[s] = branch.steps[s]
    v = branch.tangent(q, forward)
    ahead, closed = _walk(branch, q, v)
    if closed:
        every = ahead
    else:
        back, _ = _walk(branch, q, -v)
        every = [(x, -w) for x, w in reversed(back[1:])] + ahead
    poses, ways = np.array([x for x, _ in every]), np.array([w[s] for _, w in every])
    return Circuit(branch, poses, ways, closed)


def _walk(branch: Branch, q: np.ndarray, v: np.ndarray) -> tuple[list[tuple[np.ndarray, np.ndarray]], bool]:
    """Poses and tangents one way, until the first pose is met again or the curve ends."""
    begun, found, length = places(branch.m, q, branch.t), [(q, v)], STEP
    for k in range(MOST_STEPS):
        ahead = branch.along(q, v, length)
        try:
            tangent = None if ahead is None else branch.tangent(ahead, v)
        except LoopError:
            tangent = None
        if ahead is None or tangent is None or (tangent / branch.steps) @ (v / branch.steps) < CURVED:
            length /= 2.0
            if length < SHORTEST:
                return found, False
            continue
        q, v = ahead, tangent
        if k > 2 and np.abs(places(branch.m, q, branch.t) - begun).max() < STEP:
            back = found[0]
            if _meets(branch, q, v, back[0]) and (v / branch.steps) @ (back[1] / branch.steps) > 0.0:
                return found, True
        found.append((q, v))
        length = min(STEP, 2.0 * length)
    return found, False


def _meets(branch: Branch, q: np.ndarray, v: np.ndarray, other: np.ndarray) -> bool:
    """Whether a pose near q is on the same curve: reached from q by as much of the drive, or by as much of the way, as lies between."""
    wanted = places(branch.m, other, branch.t)
    turn = branch.coordinate(other) - branch.coordinate(q)
    turn -= 2.0 * np.pi * np.round(turn / (2.0 * np.pi))
    if v[branch.s]:
        there = branch.at(q, v, branch.coordinate(q) + turn)
        if there is not None and np.abs(places(branch.m, there[0], branch.t) - wanted).max() <= SAME:
            return True
    for _ in range(ROUNDS):  # near a dead point: along the curve, by the distance that is left
        off = wanted - places(branch.m, q, branch.t)
        if np.abs(off).max() <= SAME:
            return True
        ahead = branch.along(q, v, NUDGE)
        if ahead is None:
            return False
        slope = (places(branch.m, ahead, branch.t) - places(branch.m, q, branch.t)) / NUDGE
        moved = branch.along(q, v, float(off @ slope / max(slope @ slope, 1e-300)))
        if moved is None:
            return False
        q, v = moved, branch.tangent(moved, v)
    return False


def defect(m: Mechanism, poses: np.ndarray, s: int, ordered: bool) -> str:
    """What keeps the linkage from going through the poses in turn; nothing where it can."""
    try:
        circuit = follow_circuit(m, poses[0], s)
    except LoopError as problem:
        return f"the first pose is singular: {problem}"
    at = [_place(circuit, q) for q in poses]
    elsewhere = [str(k + 1) for k, x in enumerate(at) if x is None]
    if elsewhere:
        return (
            f"circuit defect: pose {listed(elsewhere)} cannot be reached from pose 1 without taking the linkage apart"
        )
    along = np.array(at, dtype=float)
    stretches = circuit.stretches[np.minimum(along.astype(int), len(circuit.q) - 1)]
    beyond = [str(k + 1) for k in np.flatnonzero(stretches != stretches[0])]
    if beyond:
        return f"branch defect: between pose 1 and pose {listed(beyond)} the drive passes a dead point"
    turning = circuit.closed and not np.any(circuit.stretches != circuit.stretches[0])
    if ordered and not _in_turn(along, len(circuit.q) if turning else None):
        return "order defect: the drive passes the poses in another order"
    return ""


def _place(circuit: Circuit, q: np.ndarray) -> float | None:
    """Where along the circuit a pose is, in poses and parts of one; None where it is not on it."""
    b = circuit.branch
    wanted = places(b.m, q, b.t)
    every = np.array([np.abs(places(b.m, x, b.t) - wanted).max() for x in circuit.q])
    for k in np.argsort(every)[:3]:
        v = b.tangent(circuit.q[k], _forward(circuit, int(k)))
        if _meets(b, circuit.q[k], v, q):
            ahead = wanted - places(b.m, circuit.q[k], b.t)
            step = b.along(circuit.q[k], v, STEP)
            if step is None:
                return float(k)
            slope = places(b.m, step, b.t) - places(b.m, circuit.q[k], b.t)
            part = float(ahead @ slope / max(slope @ slope, 1e-300))
            return float(np.clip(k + np.clip(part, -0.5, 0.5), 0.0, None))
    return None


def _forward(circuit: Circuit, k: int) -> np.ndarray:
    """The way the curve goes at a pose."""
    b = circuit.branch
    other = circuit.q[k + 1] if k + 1 < len(circuit.q) else circuit.q[k - 1]
    sign = 1.0 if k + 1 < len(circuit.q) else -1.0
    v = np.zeros(b.m.n_u)
    for at in range(b.m.n_q):
        speed = b.m.rate_place(at)
        if speed is not None:
            turn = other[at] - circuit.q[k][at]
            v[speed] = sign * turn
    return v


def _in_turn(along: np.ndarray, around: int | None) -> bool:
    """Whether places are passed one after the other, one way or the other; once round at most where the drive turns fully."""
    for sign in (1.0, -1.0):
        steps = sign * np.diff(along)
        if around is not None:
            steps = np.mod(steps, around)
            if steps.sum() <= around and np.all(steps > 0.0):
                return True
        elif np.all(steps > 0.0):
            return True
    return False
