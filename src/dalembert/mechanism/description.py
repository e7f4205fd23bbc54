"""`Description`: the data of a numbered mechanism, and what can be read off it: sizes, names, places, loops, parameters.

Bodies are 1 … n in regular labelling (a body's parent has a lower number; 0 is the ground). Joint k is the one that carries body k.
Numbers may be expressions of named parameters; `numeric` has them evaluated. Nothing here computes motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from dalembert.cached import cached_property
from dalembert.elements.placed import PlacedElement
from dalembert.laws import Law
from dalembert.mechanism.connected import Part, parts_of
from dalembert.mechanism.element_states import ElementStates
from dalembert.mechanism.joint_variables import JointVariables
from dalembert.mechanism.numbered_joints import CutJoint, NodeFrame, TreeJoint
from dalembert.mechanism.scales import Scales, scales_of, units_of
from dalembert.mechanism.simulation_options import Plan
from dalembert.parts.bodies import Body, check_mass_properties
from dalembert.parts.constraints import Constraint
from dalembert.parts.forces import Force
from dalembert.parts.frames import Frame
from dalembert.parts.names import unknown
from dalembert.parts.numbers import plain_number
from dalembert.parts.shapes import Shape
from dalembert.portable import Portable
from dalembert.topology import SpanningTree, loops
from dalembert.trace import symbol
from dalembert.trace.bind import bind
from dalembert.words import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.trace.native.cache import CodeLibraries
    from dalembert.trace.native.target import Target

View = TypeVar("View")


@dataclass(frozen=True, eq=False)
class Description(JointVariables, ElementStates, Portable):
    """What a mechanism is made of, numbered; see the module's text."""

    name: str
    gravity: np.ndarray
    bodies: tuple[Body, ...]
    joints: tuple[TreeJoint, ...]
    cuts: tuple[CutJoint, ...]
    forces: Mapping[str, Force]
    constraints: Mapping[str, Constraint]
    """Besides the cut joints."""
    parameters: Mapping[str, float]
    tree: SpanningTree
    ground_shapes: tuple[Shape, ...] = ()
    """For drawing only."""
    plan: Plan = field(default_factory=Plan)
    """What `simulate` does where the call says nothing."""
    purpose: str = ""
    target: str | None = None
    """Processor that code is compiled for, by name; None for that of the process (see `trace.native.target`)."""
    laws: Mapping[str, Law] = field(default_factory=dict)
    """What hits, sticks, slips and latches."""
    elements: Mapping[str, PlacedElement] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("forces", "constraints", "parameters", "laws", "elements"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __repr__(self) -> str:
        parts = [counted(self.n_bodies, "body", "bodies"), counted(self.n_q, "coordinate"), counted(self.n_u, "speed")]
        parts += [counted(len(self.cuts), "loop")] if self.cuts else []
        return f"<Mechanism {self.name!r}: {', '.join(parts)}>"

    # -- sizes and names ----------------------------------------------------------------------------------------------
    @property
    def n_bodies(self) -> int:
        """How many bodies there are, the ground not counted."""
        return len(self.bodies)

    @property
    def parent(self) -> tuple[int, ...]:
        """The connection array: the parent of each body, 0 for the ground."""
        return self.tree.parent

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of q: the joint's name, with the coordinate's after a dot where it has several; then the body's and its mode's."""
        return tuple(label for j, b in self._carried for label, at in zip(j.q_labels(b.name), j.q_at) if at is not None)

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """Names of u, like those of q."""
        return tuple(label for j, b in self._carried for label, at in zip(j.u_labels(b.name), j.u_at) if at is not None)

    @cached_property
    def prescribed(self) -> Mapping[str, tuple[int, int]]:
        """The coordinates that are functions of time, by name: the number of the joint, and which of its coordinates it is."""
        return _given([(j.q_labels(b.name), j.q_at) for j, b in self._carried])

    @cached_property
    def prescribed_speeds(self) -> Mapping[str, tuple[int, int]]:
        """The speeds that follow from them, likewise."""
        return _given([(j.u_labels(b.name), j.u_at) for j, b in self._carried])

    @property
    def _carried(self) -> list[tuple[TreeJoint, Body]]:
        return list(zip(self.joints, self.bodies))

    @cached_property
    def n_q(self) -> int:
        """How many coordinates are free: the length of q."""
        return sum(len(j.q_at) - j.q_at.count(None) for j in self.joints)

    @cached_property
    def n_u(self) -> int:
        """How many speeds are free: the length of u."""
        return sum(len(j.u_at) - j.u_at.count(None) for j in self.joints)

    @cached_property
    def reference(self) -> np.ndarray:
        """q at which every joint's frames coincide."""
        free = [x for j in self.joints for x, at in zip(j.joint.reference, j.q_at) if at is not None]
        made = np.array(free, dtype=float)
        made.flags.writeable = False
        return made

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """The number of each body by name; the ground is 0."""
        return MappingProxyType({"ground": 0, **{b.name: k for k, b in enumerate(self.bodies, start=1)}})

    @cached_property
    def joint_number(self) -> Mapping[str, int]:
        """The number of the body each tree joint carries."""
        return MappingProxyType({j.name: k for k, j in enumerate(self.joints, start=1)})

    @cached_property
    def path_columns(self) -> tuple[tuple[int, ...], ...]:
        """For the ground, every body and every node frame, the places in u of the speeds on its path from the ground."""
        paths: list[tuple[int, ...]] = [()]
        for k, joint in enumerate(self.joints):
            paths.append((*paths[self.parent[k]], *joint.columns))
        return (*paths, *(paths[frame.body] for frame in self.node_frames))

    @cached_property
    def external_bodies(self) -> tuple[int, ...]:
        """Bodies whose motion time alone decides, prescribed or fixed: no free speed is on their path from the ground [B Remark 3]."""
        return tuple(k for k in range(1, self.n_bodies + 1) if not self.path_columns[k])

    @cached_property
    def free_bodies(self) -> tuple[int, ...]:
        """The other bodies, whose motion is to be found."""
        return tuple(k for k in range(1, self.n_bodies + 1) if self.path_columns[k])

    # -- frames that move with elastic bodies -------------------------------------------------------------------------------
    @cached_property
    def node_frames(self) -> tuple[NodeFrame, ...]:
        """The nodes of elastic bodies. Wherever frames are numbered, they follow the bodies: n_bodies + 1, + 2, …"""
        return tuple(NodeFrame(k, name) for k, b in enumerate(self.bodies, start=1) for name in b.nodes)

    @cached_property
    def node_frame_number(self) -> Mapping[tuple[int, str], int]:
        """The number of the frame at a body's node."""
        return {(s.body, s.node): self.n_bodies + i for i, s in enumerate(self.node_frames, start=1)}

    @cached_property
    def stands_on(self) -> tuple[int, ...]:
        """The frame that each joint stands on: its parent, or a node frame of it."""
        return tuple(self.frame_of(parent, j.on_parent) for j, parent in zip(self.joints, self.parent))

    def frame_of(self, body: int, on: Frame) -> int:
        """The numbered frame that a joint's frame on a body is fixed to: the body, or a node frame of it."""
        return self.node_frame_number[body, on.node] if on.node else body

    @cached_property
    def angles(self) -> np.ndarray:
        """Which of the coordinates are angles, in rad."""
        found = np.zeros(self.n_q, dtype=bool)
        for j in self.joints:
            for at, unit in zip(j.q_at, units_of(j.joint.inner)[0]):
                if at is not None:
                    found[at] = unit == "rad"
        return found

    @cached_property
    def joints_to_check(self) -> tuple[int, ...]:
        """Joints (from 0) of which some values cannot be: those that time prescribes, and those with singular poses."""
        every = enumerate(self.joints)
        return tuple(k for k, j in every if None in j.q_at or j.joint.may_be_singular)

    def places(self, name: str) -> tuple[tuple[int | None, ...], tuple[int | None, ...]] | None:
        """Where the values of a joint, or of an elastic body's modes, stand in q and in u; None if it is neither's name."""
        if name in self.joint_number:
            j = self.joints[self.joint_number[name] - 1]
            return j.own_q, j.own_u
        return self.modal_places_of(name)

    def modal_places_of(self, name: str) -> tuple[tuple[int | None, ...], tuple[int | None, ...]] | None:
        """Where the values of an elastic body's modes stand in q and in u, whatever joint has its name; None if it is none."""
        k = self.number_of.get(name, 0)
        if not k or not self.bodies[k - 1].modes:
            return None
        j = self.joints[k - 1]
        return j.q_at[len(j.own_q) :], j.u_at[len(j.own_u) :]

    @cached_property
    def deforming(self) -> tuple[int, ...]:
        """Places in u of the speeds with which elastic bodies deform."""
        found = [at for j, b in zip(self.joints, self.bodies) if b.modes for at in j.u_at[len(j.own_u) :]]
        return tuple(at for at in found if at is not None)

    @cached_property
    def _views(self) -> dict[Callable[[Any], Any], Any]:
        return {}

    def view(self, make: Callable[[Self], View]) -> View:
        """What `make` makes of this mechanism, made once and kept with it."""
        if make not in self._views:
            self._views[make] = make(self)
        made: View = self._views[make]
        return made

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Connected parts: bodies joined by joints, constraints and forces; what hangs on the ground alone is one by itself."""
        return parts_of(self)

    @cached_property
    def part_of(self) -> tuple[int, ...]:
        """The number of the part that each body belongs to, from 0; the ground, which belongs to none, has that of the first."""
        found = {k: i for i, p in enumerate(self.parts) for k in p.bodies}
        return (0, *(found[k] for k in range(1, self.n_bodies + 1)))

    @cached_property
    def scales(self) -> Scales:
        """Scales by which its lengths, angles and deformations are measured wherever something is decided."""
        return scales_of(self.numeric)

    def somewhere(self, rng: np.random.Generator, step: float) -> np.ndarray:
        """Random coordinates near the reference, where the joints are known, elastic bodies deformed a little."""
        moved = self.reference + rng.uniform(-step, step, self.n_q) * self.scales.coordinates
        free = [limits for j in self.joints for limits, at in zip(j.joint.limits.T, j.q_at) if at is not None]
        low, high = np.array(free).reshape(-1, 2).T
        return self.admissible(np.clip(moved, low, high))

    def modal_places(self, k: int) -> list[int]:
        """Places in q of the modes of body k, from 0."""
        j = self.joints[k]
        return [at for at in j.q_at[len(j.own_q) :] if at is not None]

    @cached_property
    def modal_weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Places in q of all modes, and a column for each elastic body with what a unit of each does to it (`modal_scales`)."""
        elastic = [(k, b) for k, b in enumerate(self.bodies) if b.modes]
        places = [at for k, _ in elastic for at in self.modal_places(k)]
        weights, row = np.zeros((len(places), len(elastic))), 0
        for column, (_, b) in enumerate(elastic):
            weights[row : row + len(b.modes), column] = 1.0 / b.data.modal_scales
            row += len(b.modes)
        return np.array(places, dtype=int), weights

    def body_of(self, frame: int) -> int:
        """The body that a numbered frame belongs to."""
        return frame if frame <= self.n_bodies else self.node_frames[frame - self.n_bodies - 1].body

    @cached_property
    def elastic(self) -> bool:
        """Whether any body has coordinates of its own."""
        return any(b.modes for b in self.bodies)

    @cached_property
    def arrays(self) -> Arrays:
        """The bodies' and joints' constants, stacked."""
        return stack_constants(self.bodies, self.joints)

    # -- machine code -------------------------------------------------------------------------------------------------
    @property
    def compiled_for(self) -> Target:
        """The processor that code is compiled for."""
        from dalembert.trace.native.target import target_of

        return target_of(self.target)

    @cached_property
    def code(self) -> CodeLibraries:
        """Machine code that was found for it already, whatever the values of its parameters."""
        from dalembert.trace.native.cache import CodeLibraries

        return CodeLibraries()

    # -- topology -----------------------------------------------------------------------------------------------------
    @property
    def loops(self) -> tuple[tuple[str, ...], ...]:
        """The bodies round each closed loop, one loop per cut joint."""
        names = ["ground", *(b.name for b in self.bodies)]
        return tuple(tuple(names[k] for k in loop.bodies) for loop in loops(self.tree))

    # -- parameters ---------------------------------------------------------------------------------------------------
    def with_parameters(self, **values: float) -> Self:
        """The same mechanism with other values of its parameters."""
        for name in values:
            if name not in self.parameters:
                raise unknown(name, "parameter", self.parameters, f'mechanism "{self.name}"')
        checked = {k: plain_number(v, f'parameter "{k}"') for k, v in values.items()}
        made = replace(self, parameters={**self.parameters, **checked})
        made.__dict__["code"] = self.code  # written in symbols: the same for all values
        for rows in ("constraint_rows", "law_rows"):  # likewise
            if rows in self.__dict__:
                made.__dict__[rows] = made.numeric.__dict__[rows] = self.__dict__[rows]
        if len(self.parts) > 1:  # likewise
            made.__dict__["parts"] = tuple(p.with_parameters(**values) for p in self.parts)
            if made.numeric is not made:
                made.numeric.__dict__["parts"] = tuple(p.numeric for p in made.parts)
        for body in made.numeric.bodies if checked else ():
            check_mass_properties(body, body.name)
        if any(
            _without_inertia(new) and not _without_inertia(old)
            for new, old in zip(made.numeric.bodies, self.numeric.bodies)
        ):
            from dalembert.system.build import check_motion_is_determined

            check_motion_is_determined(made)  # type: ignore[arg-type]
        return made

    @cached_property
    def numeric(self) -> Self:
        """This mechanism with its parameters' values in place of their names."""
        return self if not self.parameters else bind(self, self.parameter_values)

    @property
    def parameter_values(self) -> dict[Any, float]:
        """Values of the symbols that stand for parameters."""
        return {symbol(k): v for k, v in self.parameters.items()}

    def admissible(self, q: ArrayLike) -> np.ndarray:
        """The nearest coordinates, numbers or traced, in which every set of Euler parameters has unit length."""
        out = np.array(q)
        for j in self.joints:
            at = [i for i in j.q_at if i is not None]
            if at and len(at) == j.joint.n_q:
                out[at] = j.joint.admissible(out[at])
        return out


def _without_inertia(body: Body) -> bool:
    return float(body.mass) == 0.0 or not np.asarray(body.inertia, dtype=float).any()


def _given(joints: list[tuple[list[str], tuple[int | None, ...]]]) -> Mapping[str, tuple[int, int]]:
    """Those of the names and places of every joint's values that are without a place: (number of the joint, which value)."""
    return MappingProxyType(
        {
            label: (k, i)
            for k, (labels, places) in enumerate(joints, start=1)
            for i, (label, at) in enumerate(zip(labels, places))
            if at is None
        }
    )


@dataclass(frozen=True, eq=False)
class Arrays:
    """Constants of all bodies and of the joints that carry them; the first axis runs over the bodies."""

    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    parent_position: np.ndarray
    parent_rotation: np.ndarray
    child_position: np.ndarray
    child_rotation: np.ndarray


def stack_constants(bodies: Sequence[Any], joints: Sequence[Any]) -> Arrays:
    """Numbers where all are numbers, objects where any is an expression of parameters."""
    return Arrays(
        _numbers(np.array([b.mass for b in bodies])),
        _stacked([b.com for b in bodies]),
        _stacked([b.inertia for b in bodies]),
        _stacked([j.on_parent.position for j in joints]),
        _stacked([j.on_parent.rotation for j in joints]),
        _stacked([j.on_child.position for j in joints]),
        _stacked([j.on_child.rotation for j in joints]),
    )


def _stacked(arrays: list[np.ndarray]) -> np.ndarray:
    return _numbers(np.concatenate(arrays).reshape(len(arrays), *arrays[0].shape))


def _numbers(made: np.ndarray) -> np.ndarray:
    return made if made.dtype == object else made.astype(float, copy=False)
