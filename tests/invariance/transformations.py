"""Ways to say the same mechanism otherwise, and the same state of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import dalembert as da
from dalembert.kinematics.state import State
from dalembert.mechanism import TreeJoint
from dalembert.system.system import JointPlacement
from dalembert.topology import TopologyError
from dalembert.vectors import turn
from tests.invariance.cases import Case
from tests.invariance.redrawing import GROUND, Drawing, exponent, redrawn, reordered, turned_round
from tests.mechanisms import unit
from tests.variables import joint_values, own_values


@dataclass(frozen=True, eq=False)
class Anew:
    """A case said otherwise: the system, and how its words translate."""

    case: Case
    how: str
    system: da.System
    drawing: Drawing

    @cached_property
    def mechanism(self) -> da.Mechanism:
        made: da.Mechanism = self.system.build()
        return made

    @property
    def t(self) -> float:
        return self.case.t * self.drawing.time

    @cached_property
    def old_joint(self) -> dict[str, str]:
        """By new name."""
        return {self.drawing.joint(name): name for name in self.case.system.joints}

    def ends_swapped(self, joint: str) -> bool:
        """Whether the joint of this (old) name is now said from its child."""
        old, new = self.case.system.joints[joint], self.system.joints[self.drawing.joint(joint)]
        return self.drawing.body(old.child) == new.parent

    def _same_ends(self, joint: str) -> bool:
        old, new = self.case.system.joints[joint], self.system.joints[self.drawing.joint(joint)]
        return {self.drawing.body(old.parent), self.drawing.body(old.child)} == {new.parent, new.child}

    @cached_property
    def _joints(self) -> tuple[da.Mechanism, da.Mechanism]:
        """Both in the variables of their joints, on numbers."""
        return self.case.mechanism.in_joint_variables.numeric, self.mechanism.in_joint_variables.numeric

    @cached_property
    def same_tree(self) -> bool:
        """Whether every joint carries the body it carried."""
        old, new = self._joints
        carried = {self.drawing.joint(j.name): self.drawing.body(b.name) for j, b in zip(old.joints, old.bodies)}
        return carried == {j.name: b.name for j, b in zip(new.joints, new.bodies)}

    @cached_property
    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """q and u: what stands where it stood is carried over; the rest follows from the bodies' poses and velocities."""
        old, new = self._joints
        before = old.state(*joint_values(self.case.mechanism, self.case.q, self.case.u, self.case.t), self.case.t)
        q = np.array(new.reference)
        u = np.zeros(new.n_u)
        for j in new.joints:
            name = self.old_joint[j.name]
            if name in old.joint_number and self._same_ends(name):
                values, speeds = self._carried_over(j, name, before)
            else:
                values, speeds = self._coordinates(j.name, before), [0.0] * len(j.u_at)
            for places, into, found in ((j.q_at, q, values), (j.u_at, u, speeds)):
                for at, x in zip(places, found, strict=True):
                    if at is not None:
                        into[at] = x
        return own_values(self.mechanism, q, u if self.same_tree else self._speeds(q, before), self.t)

    def _carried_over(self, j: TreeJoint, name: str, before: State) -> tuple[list[float], list[float]]:
        """Coordinates and speeds of a joint, in new units; those of an elastic body's modes by what a slight deformation is."""
        (old, new), d = self._joints, self.drawing
        i = old.joint_number[name] - 1
        kind, q, u = before.joint(name)
        modes_q, modes_u = before.joint_q[i][len(q) :], before.joint_u[i][len(u) :]
        bodies = old.bodies[i], new.bodies[new.joint_number[j.name] - 1]
        slight = [b.data.amplitudes if b.modes else np.zeros(0) for b in bodies]
        larger = slight[1] / slight[0]
        lengths = [d.unit(exponent(kind, c)) for c in kind.coordinates]
        rates = [d.unit(exponent(kind, c), time=-1) for c in kind.speeds]
        return [*(q * lengths), *(modes_q * larger)], [*(u * rates), *(modes_u * larger / d.time)]

    def _coordinates(self, joint: str, before: State) -> np.ndarray:
        """At which the joint (new name) connects the poses that its bodies have in the old drawing."""
        p, d = self.system.joints[joint], self.drawing
        old_body = {d.body(name): name for name in [GROUND, *self.case.system.bodies]}
        R, x = [], []
        for body, on in ((p.parent, p.on_parent), (p.child, p.on_child)):
            pose = before.poses[before.mechanism.number_of[old_body[body]]]
            R_body = d.R @ pose.R if body != GROUND else pose.R
            x_body = d.length * (d.R @ pose.p + d.p) if body != GROUND else pose.p
            R.append(R_body @ on.rotation)
            x.append(x_body + R_body @ on.position)
        return coordinates_at(p.joint, R[0].T @ R[1], R[0].T @ (x[1] - x[0]), d.length)

    def _speeds(self, q: np.ndarray, before: State) -> np.ndarray:
        new, d = self._joints[1], self.drawing
        still = new.state(q, np.zeros(new.n_u), self.t)
        matrix, wanted = [], []
        for name, k in self.case.mechanism.number_of.items():
            if k:
                at = new.number_of[d.body(name)]
                turning, moving = still.jacobian(d.body(name))
                v, v0 = before.velocities[k], still.velocities[at]
                matrix += [turning, moving / d.length]
                wanted += [d.R @ v.w / d.time - v0.w, (d.R @ v.v / d.time * d.length - v0.v) / d.length]
        return np.linalg.lstsq(np.concatenate(matrix), np.concatenate(wanted), rcond=None)[0]


def coordinates_at(joint: da.Joint, R: np.ndarray, p: np.ndarray, length: float = 1.0) -> np.ndarray:
    """The coordinates at which a joint's second frame is at R and p in its first, by Gauss and Newton from several starts."""
    size = np.array([length if exponent(joint, c) else 1.0 for c in joint.coordinates])

    def off(x: np.ndarray) -> np.ndarray:
        q = x * size
        return np.concatenate([(joint.rotation(q) - R).ravel(), (joint.translation(q) - p) / length])

    rng, best = np.random.default_rng(0), None
    for start in range(30):
        x = joint.reference / size + (rng.uniform(-2, 2, joint.n_q) if start else 0.0)
        for _ in range(40):
            x = joint.admissible(x)
            now, h = off(x), 1e-6
            J = np.array([(off(x + h * e) - off(x - h * e)) / (2 * h) for e in np.eye(joint.n_q)]).T
            step = np.linalg.lstsq(J, -now, rcond=1e-8)[0]
            x = x + step * min(1.0, 1.0 / max(np.abs(step).max(), 1e-300))
            if np.abs(step).max() < 1e-14:
                break
        x = joint.admissible(x)
        if best is None or np.abs(off(x)).max() < np.abs(off(best)).max():
            best = x
        if np.abs(off(best)).max() < 1e-12:
            break
    assert np.abs(off(best)).max() < 1e-9, (joint, np.abs(off(best)).max())
    return best * size


# -- the transformations --------------------------------------------------------------------------------------------------
Transformation = Callable[[Case, np.random.Generator], "tuple[da.System, Drawing] | None"]
"""None where the mechanism cannot be said so."""


def _named(how: Callable[[list[str]], list[str]]) -> Transformation:
    def transformed(case: Case, rng: np.random.Generator) -> tuple[da.System, Drawing]:
        s = case.system
        groups = [list(s.bodies), list(s.joints), [*s.forces, *s.constraints, *s.laws, *s.elements], list(s.parameters)]
        d = Drawing(*(dict(zip(names, how(names), strict=True)) for names in groups))
        return redrawn(s, d), d

    return transformed


def _drawn(**options: object) -> Transformation:
    def transformed(case: Case, rng: np.random.Generator) -> tuple[da.System, Drawing]:
        d = Drawing(**options, elastic=case.elastic, said=case.said)
        return redrawn(case.system, d), d

    return transformed


def _turned(distance: float) -> Transformation:
    def transformed(case: Case, rng: np.random.Generator) -> tuple[da.System, Drawing]:
        d = Drawing(R=turn(np.array(unit(rng)), rng.uniform(-3, 3)), p=distance * np.array(unit(rng)))
        return redrawn(case.system, d), d

    return transformed


def _reordered(case: Case, rng: np.random.Generator) -> tuple[da.System, Drawing]:
    return reordered(case.system, rng), Drawing()


def _turned_round(case: Case, rng: np.random.Generator) -> tuple[da.System, Drawing]:
    return turned_round(case.system, rng), Drawing()


def _another_cut(case: Case, rng: np.random.Generator) -> tuple[da.System, Drawing] | None:
    """Other joints of the loops, none that a force or constraint acts on, nor one that is prescribed."""
    s = case.system
    if not case.mechanism.cuts or case.mechanism.elastic or case.mechanism.variables is not None:
        return None
    acted_on = {j.partition(".")[0] for x in _acting(s) for j in x.joints}
    free = [
        name
        for name, p in s.joints.items()
        if name not in acted_on and 0 < p.joint.n_u < 6 and not any(x is not None for x in p.law.q)
    ]
    for _ in range(20):
        chosen = tuple(str(x) for x in rng.choice(free, min(len(free), len(case.mechanism.cuts)), replace=False))
        made = s.__copy__()
        made.cut = chosen
        try:
            m = made.build()
        except (da.ModelError, TopologyError):
            continue
        if {c.name for c in m.cuts} != {c.name for c in case.mechanism.cuts}:
            return made, Drawing()
    return None


def _another_root(case: Case, rng: np.random.Generator) -> tuple[da.System, Drawing] | None:
    """A mechanism afloat, carried by another of its bodies."""
    s = case.system
    afloat = [
        p
        for p in s.joints.values()
        if p.joint.kind == "Free" and GROUND in (p.parent, p.child) and all(x is None for x in p.law.q)
    ]
    on_ground = [p for p in s.joints.values() if GROUND in (p.parent, p.child)]
    acted_on = {j for x in _acting(s) for j in x.joints}
    others = [name for name, b in s.bodies.items() if afloat and name not in (afloat[0].parent, afloat[0].child)]
    chosen = case.mechanism.variables is not None
    if len(on_ground) != 1 or not afloat or not others or afloat[0].name in acted_on or s.constraints or chosen:
        return None
    p = afloat[0]
    made = s.__copy__()
    made.joints = {
        **s.joints,
        p.name: JointPlacement(
            p.name, da.Free(p.joint.orientation), GROUND, str(rng.choice(others)), da.Frame(), da.Frame(), p.law
        ),
    }
    return made, Drawing()


def _acting(s: da.System) -> list[Any]:
    """What acts on joints by their names."""
    return [*s.forces.values(), *s.constraints.values(), *s.laws.values(), *s.elements.values()]


def _permuted(names: list[str]) -> list[str]:
    return names[1:] + names[:1]


def _shifted(names: list[str]) -> list[str]:
    """Each takes the name of the next, the last a new one: j0 … j2 become j1 … j3."""
    return [*names[1:], "somebody"] if names else []


TRANSFORMATIONS: dict[str, Transformation] = {
    "new names": _named(lambda names: [f"x{i}_{len(names)}" for i in range(len(names))]),
    "names exchanged": _named(_permuted),
    "names moved on": _named(_shifted),
    "another order": _reordered,
    "joints turned round": _turned_round,
    "another cut": _another_cut,
    "another root": _another_root,
    "mm, g, ms": _drawn(length=1e3, mass=1e3, time=1e3),
    "µm, mg, ms": _drawn(length=1e6, mass=1e6, time=1e3),
    "km, t, h": _drawn(length=1e-3, mass=1e-3, time=1 / 3600),
    "inches, pounds, minutes": _drawn(length=39.37007874015748, mass=2.2046226218487757, time=1 / 60),
    "world turned": _turned(0.0),
    "world shifted 1 km": _turned(1e3),
    "world shifted 1000 km": _turned(1e6),
}
SHIFT = {"world shifted 1 km": 1e3, "world shifted 1000 km": 1e6}


def said_anew(case: Case, how: str) -> Anew | None:
    """The case, transformed; None where that cannot be."""
    made = TRANSFORMATIONS[how](case, np.random.default_rng([case.seed, len(how)]))
    if made is None:
        return None
    system, drawing = made
    return Anew(case, how, system, replace(drawing))


def as_it_is(case: Case) -> Anew:
    return Anew(case, "as it is", case.system, Drawing())
