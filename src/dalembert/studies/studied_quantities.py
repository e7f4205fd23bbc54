"""Quantities over the times of many motions at once: coordinates, outputs, functions of the state, rates, reactions, drive forces."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ArgumentError
from dalembert.mechanism import Mechanism
from dalembert.motion.quantities import energy
from dalembert.motion.reactions import drive, reaction
from dalembert.motion.samples import Samples, evaluator
from dalembert.parts.forces.force import JointLoad
from dalembert.parts.names import nearest
from dalembert.simulation.error_sizes import coordinate_units, speed_units
from dalembert.trace import sqrt

if TYPE_CHECKING:
    from dalembert.kinematics.state import State


PARTS = ("x", "y", "z", "norm")
OF_JOINTS = ("reaction", "torque", "drive", "motor")
"""Words before the name of a joint, constraint or motor: the force and the torque that it transmits, and what drives it."""
_ENERGIES = ("kinetic energy", "potential energy", "total energy")
_WORDS = re.compile(r"^(?:(reaction|torque|drive|motor)\s+)?(.+)$")


@dataclass(frozen=True, eq=False)
class StudyQuantity:
    """What is observed: its words, its unit, and either a function of the state or one of samples."""

    said: str
    unit: str
    of_state: Callable[[Any], Any] | None = None
    of_samples: Callable[[Samples], np.ndarray] | None = None
    part: str = ""

    def parted(self, values: np.ndarray) -> np.ndarray:
        """(N, width): the component that is asked for, or all there are."""
        rows = values.reshape(len(values), -1)
        if self.part == "norm":
            self._check_vector(rows.shape[1])
            return np.asarray(np.sqrt((rows**2).sum(axis=1))[:, None])
        return self.parted_value(rows.T).T

    def parted_value(self, values: np.ndarray) -> np.ndarray:
        """The same of one value (width, …), of numbers or symbols."""
        if not self.part:
            return values
        self._check_vector(len(values))
        if self.part == "norm":
            return np.array([sqrt(values @ values)], dtype=object)
        return values[[PARTS.index(self.part)]]

    def _check_vector(self, width: int) -> None:
        if width != 3:
            raise ArgumentError(f'study: "{self.said}" has {width} components, so it has no {self.part!r}')


def _coordinate(name: str, s: State) -> Any:
    k, i = s.mechanism.prescribed[name]
    return s.joint_q[k - 1][i]


def _own(name: str, s: State) -> Any:
    return s.q[name]


def _own_speed(name: str, s: State) -> Any:
    return s.u[name]


def _output(output: Any, s: State) -> Any:
    return s.settled(output.value(s))


def _motor(name: str, s: State) -> Any:
    """What a motor or a torsion spring exerts along its joint."""
    loads = list(s.mechanism.forces[name].loads(s))
    return np.concatenate([np.ravel(np.asarray(load.values)) for load in loads if isinstance(load, JointLoad)])


def quantity(m: Mechanism, said: Any, where: str) -> StudyQuantity:
    """A quantity from its words, or from a function of the state."""
    if callable(said):
        return StudyQuantity(getattr(said, "__name__", "function"), "", of_state=said)
    if not isinstance(said, str) or not said.strip():
        raise ArgumentError(
            f'{where} must be text such as "A", "A\'" or "reaction C", or a function of the state, not {said!r}'
        )
    text = " ".join(said.split())
    whole, part = (text, "")
    head, dot, last = text.rpartition(".")
    if dot and last in PARTS and not _known(m, text):
        whole, part = head, last
    found = _found(m, whole, where)
    return StudyQuantity(text, found.unit, found.of_state, found.of_samples, part)


def _known(m: Mechanism, name: str) -> bool:
    return name in m.coordinates or name in m.plan.outputs or name in m.states or name in m.prescribed


def _found(m: Mechanism, text: str, where: str) -> StudyQuantity:
    if text in _ENERGIES:
        kind = text.partition(" ")[0]
        return StudyQuantity(text, "J", of_samples=lambda x: np.asarray(getattr(energy(x), kind)))
    of = _WORDS.match(text)
    assert of is not None
    word, name = of[1], of[2]
    if word:
        return _of_joint(m, word, name, text, where)
    return _of_state(m, name, where)


def _of_joint(m: Mechanism, word: str, name: str, text: str, where: str) -> StudyQuantity:
    if word == "motor":
        if name not in m.forces:
            raise ArgumentError(f"{where}: there is no force {name!r}; {nearest(name, m.forces)}")
        return StudyQuantity(text, "", of_state=partial(_motor, name))
    known = [*m.joint_number, *m.constraint_rows]
    if name not in known:
        raise ArgumentError(f"{where}: there is no joint or constraint {name!r}; {nearest(name, known)}")
    if word == "drive":
        return StudyQuantity(text, "", of_samples=lambda x: drive(x, name).force)
    side = "force" if word == "reaction" else "torque"
    unit = "N" if word == "reaction" else "N m"
    return StudyQuantity(
        text, unit, of_samples=lambda x: np.asarray(getattr(reaction(x, name, "child", "world"), side))
    )


def _of_state(m: Mechanism, name: str, where: str) -> StudyQuantity:
    """A coordinate "A", a speed "A'", its rate "A''", a state of an element, an output."""
    if name in m.coordinates:
        return StudyQuantity(name, coordinate_units(m)[m.coordinates.index(name)], of_state=partial(_own, name))
    if name.endswith("''") and name[:-2] in m.speeds:
        at = m.speeds.index(name[:-2])
        return StudyQuantity(name, speed_units(m)[at] + "²", of_samples=lambda x: x.solved.udot[:, at])
    if name.endswith("'") and name[:-1] in m.speeds:
        at = m.speeds.index(name[:-1])
        return StudyQuantity(name, speed_units(m)[at], of_samples=lambda x: x.u[:, at])
    if name in m.prescribed:
        return StudyQuantity(name, "", of_state=partial(_coordinate, name))
    if name in m.states:
        return StudyQuantity(
            name, m.state_units[m.states.index(name)], of_samples=lambda x: np.asarray(x.parameters[name])
        )
    if name in m.plan.outputs:
        output = m.plan.outputs[name]
        return StudyQuantity(name, output.unit, of_state=partial(_output, output))
    known = [*m.coordinates, *(f"{u}'" for u in m.speeds), *m.prescribed, *m.states, *m.plan.outputs]
    raise ArgumentError(
        f"{where}: there is no coordinate, speed or output {name!r}; {nearest(name, known)} Reactions and drives are said as "
        '"reaction C", "torque C", "drive A"'
    )


class Measured:
    """Several quantities, compiled together as far as they are functions of the state."""

    def __init__(self, quantities: Sequence[StudyQuantity]):
        self.quantities = list(quantities)
        self._traced = [k for k, x in enumerate(self.quantities) if x.of_state is not None]
        self._run: Callable[[Samples, np.ndarray | None], np.ndarray] | None = None
        self._shapes: list[tuple[int, ...]] = []

    def __call__(self, x: Samples) -> list[np.ndarray]:
        """(N, width) of each, at all samples."""
        found: dict[int, np.ndarray] = {}
        if self._traced:
            rows = self._compiled(x)(x, np.zeros((len(x), x.mechanism.n_u)))
            at = 0
            for k, shape in zip(self._traced, self._shapes):
                n = int(np.prod(shape, dtype=int))
                found[k], at = rows[:, at : at + n], at + n
        for k, q in enumerate(self.quantities):
            if q.of_samples is not None:
                found[k] = np.asarray(q.of_samples(x), dtype=float)
        return [q.parted(np.asarray(found[k], dtype=float)) for k, q in enumerate(self.quantities)]

    def _compiled(self, x: Samples) -> Callable[[Samples, np.ndarray | None], np.ndarray]:
        if self._run is None:
            functions = [self.quantities[k].of_state for k in self._traced]
            s = x.model(0).state(x.q[0], x.u[0], x.t[0])
            self._shapes = [np.shape(np.asarray(f(s), dtype=float)) for f in functions if f is not None]

            def formula(s: State, _: Any) -> Any:
                parts = [np.ravel(np.asarray(f(s), dtype=object)) for f in functions if f is not None]
                return np.concatenate(parts)

            self._run = evaluator(x, formula, x.mechanism.n_u)
        return self._run
