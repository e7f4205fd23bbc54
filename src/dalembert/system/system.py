"""`System`: a mechanism as the user says it. Everything is checked at the door."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from dalembert.arguments import file_path, names, one_name, takes
from dalembert.elastic.body import ElasticBody
from dalembert.elastic.flexible import FlexibleBody
from dalembert.elements import Element
from dalembert.errors import ModelError
from dalembert.laws import Law
from dalembert.parts.bodies import Body, MassProperties, RigidBody, inertia_matrix
from dalembert.parts.constraints import Constraint
from dalembert.parts.events import Event, as_event
from dalembert.parts.forces import Force
from dalembert.parts.frames import Frame, as_frame
from dalembert.parts.joints import General, Joint
from dalembert.parts.names import check_new_name, unknown
from dalembert.parts.numbers import checked_range, number, numbers, plain_number
from dalembert.parts.outputs import OutputQuantity, as_output
from dalembert.parts.prescribed import PrescribedMotion, free_law, make_law
from dalembert.parts.shapes import Shape, as_shapes
from dalembert.portable import Portable
from dalembert.system.choices_said import coordinates_said, speeds_said
from dalembert.system.unbuilt import Unbuilt
from dalembert.trace import Expr, symbol
from dalembert.trace.table import Table
from dalembert.vectors import ZERO
from dalembert.words import counted

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.aliases import FilePath, Matrix3, Scalar, StateFunction, TimeFunction, Vector3
    from dalembert.analysis.truncation import TruncationStudy
    from dalembert.mechanism import Mechanism

GROUND = "ground"


@dataclass(frozen=True, eq=False)
class JointPlacement:
    """A joint between two named bodies, with its frame on each and what is prescribed of it."""

    name: str
    joint: Joint
    parent: str
    child: str
    on_parent: Frame
    on_child: Frame
    law: PrescribedMotion
    speeds: Any = None
    """Speeds in place of the joint's own: a preset, or `SpeedsSaid`."""
    armature: Any = 0.0
    """Inertia that each of the joint's speeds has besides that of the bodies."""


class System(Unbuilt, Portable):
    """A mechanism as you say it: bodies, joints, forces, constraints and parameters; `build()` numbers them → `Mechanism`.

    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(mass=1.0, length=1.0))
    s.add_joint("A", da.Revolute((0, 0, 1)), parent="ground", child="rod")
    m = s.build()
    motion = m.simulate(10.0, initial={"A": 0.3})
    """

    def __init__(self, name: str = "system", gravity: Vector3 = ZERO):
        self.name = one_name(name, "System: name")
        self.gravity = gravity
        self.bodies: dict[str, Body] = {}
        self.joints: dict[str, JointPlacement] = {}
        self.forces: dict[str, Force] = {}
        self.constraints: dict[str, Constraint] = {}
        self.laws: dict[str, Law] = {}
        self.elements: dict[str, Element] = {}
        self.connections: dict[str, Any] = {}
        """What inputs of elements are connected to, by "element.input"."""
        self.frames: dict[str, tuple[str, Frame]] = {}
        self.parameters: dict[str, float] = {}
        self.ranges: dict[str, tuple[float | None, float | None]] = {}
        """Ranges of parameters that have one: least and largest value, None where it is not said."""
        self.ground_shapes = ()
        self.outputs: dict[str, OutputQuantity] = {}
        self.events: dict[str, Event] = {}
        self.tables: dict[str, Table] = {}
        self.purpose = ""
        """What the mechanism shows, in a line."""
        self.initial: dict[str, Any] = {}
        """Coordinates at the start of a simulation whose call gives none: {joint: value}."""
        self.guess: dict[str, Any] = {}
        """Coordinates from which loops are closed, where `initial` does not give them: they choose the branch."""
        self.speeds: dict[str, Any] = {}
        self.simulation: dict[str, Any] = {}
        """Duration and options, likewise: {"duration": 10.0, "output": 0.01}."""
        self.chosen_speeds: Any = None
        """Speeds in place of the joints': a preset for all of them, or `SpeedsSaid`."""
        self.chosen_coordinates: Any = None
        """Coordinates in place of the joints': `CoordinatesSaid`."""
        self.cut: tuple[str, ...] = ()
        """Joints at which `build()` cuts loops."""

    def __copy__(self) -> Self:
        """What is said to the copy is not said to this one."""
        made = object.__new__(type(self))
        vars(made).update({name: dict(x) if isinstance(x, dict) else x for name, x in vars(self).items()})
        return made

    def __repr__(self) -> str:
        parts = [counted(len(self.bodies), "body", "bodies"), counted(len(self.joints), "joint")]
        more = (
            (self.forces, "force"),
            (self.constraints, "constraint"),
            (self.laws, "law"),
            (self.elements, "element"),
        )
        parts += [counted(len(x), what) for x, what in more if x]
        return f"<System {self.name!r}: {', '.join(parts)}>"

    @property
    def gravity(self) -> np.ndarray:
        """The uniform acceleration of gravity, in ground axes; it may be set anew, for example with a parameter in it."""
        return self._gravity

    @gravity.setter
    def gravity(self, value: Vector3) -> None:
        self._gravity = numbers(value, (3,), "System: gravity")

    @property
    def ground_shapes(self) -> tuple[Shape, ...]:
        """How the ground is drawn, besides a floor; it may be set: `s.ground_shapes = [da.shapes.Box(size=(1, 1, 0.1))]`."""
        return self._ground_shapes

    @ground_shapes.setter
    def ground_shapes(self, shapes: Iterable[Shape]) -> None:
        self._ground_shapes = as_shapes(shapes, "System: ground_shapes")

    def parameter(self, name: str, value: float, min: float | None = None, max: float | None = None) -> Expr:
        """A number with a name: a symbol in the printed equations, an input of the compiled ones. `min` and `max` say in which range
        the page's slider sets it."""
        check_new_name(name, "parameter", self.parameters)
        if not name.isidentifier() or name == "t" or name.startswith(("q_", "u_")):
            raise ModelError(f'parameter name "{name}" must be an identifier other than t, q_… and u_…')
        checked = plain_number(value, f'parameter "{name}"')
        self.ranges |= {name: checked_range(name, checked, min, max)} if (min, max) != (None, None) else {}
        self.parameters[name] = checked
        return symbol(name)

    def parameter_range(self, name: str) -> dict[str, float | None]:
        """What was said of a parameter's range: `min` and `max`."""
        return dict(zip(("min", "max"), self.ranges.get(name, ())))

    def add_body(
        self,
        name: str,
        matter: MassProperties | None = None,
        *,
        mass: Scalar | None = None,
        com: Vector3 | None = None,
        inertia: Vector3 | Matrix3 | None = None,
        elastic: ElasticBody | None = None,
        shapes: Iterable[Shape] | None = None,
    ) -> None:
        """A rigid body: mass, mass centre in body axes, inertia about the mass centre (3 moments or 3 × 3).

        Or by its shape: `add_body("rod", da.rod(mass=1, length=2))`. Or an elastic body: `add_body("boom", elastic=da.beam(…))`.
        `shapes` of `da.shapes` say how else to draw it.
        """
        check_new_name(name, "body", (GROUND,), self.bodies)
        where = f'body "{name}"'
        if elastic is not None:
            if not isinstance(elastic, ElasticBody) or any(x is not None for x in (matter, mass, com, inertia)):
                raise ModelError(
                    f"{where}: elastic= takes the data of an elastic body, for example da.beam(…); give no other shape or mass with it"
                )
            self.bodies[name] = FlexibleBody(
                name, elastic, as_shapes(() if shapes is None else shapes, f"{where}: shapes")
            )
            return
        if matter is not None:
            if not isinstance(matter, MassProperties):
                raise ModelError(
                    f"{where}: {matter!r} is no shape; use da.rod(…), da.box(…) and the like, or mass=, com=, inertia="
                )
            if any(x is not None for x in (mass, com, inertia)):
                raise ModelError(f"{where}: give either a shape or mass=, com=, inertia=, not both")
            mass, com, inertia = matter.mass, matter.com, matter.inertia
            shapes = matter.shapes if shapes is None else shapes
        mass, com, inertia = (
            0.0 if mass is None else mass,
            ZERO if com is None else com,
            ZERO if inertia is None else inertia,
        )
        self.bodies[name] = RigidBody(
            name,
            number(mass, f"{where}: mass"),
            numbers(com, (3,), f"{where}: com"),
            inertia_matrix(inertia, f"{where}: inertia"),
            as_shapes(() if shapes is None else shapes, f"{where}: shapes"),
        )

    def add_output(self, name: str, output: OutputQuantity | StateFunction) -> None:
        """An output quantity: a function of the state, `da.outputs.Position(("rod", (1, 0, 0)))`, …"""
        check_new_name(name, "output", self.outputs)
        self.outputs[name] = as_output(output, name)

    def add_event(self, name: str, event: Event | StateFunction) -> None:
        """What a simulation watches for, unless its call names events of its own: a function of the state, or a `da.Event`."""
        check_new_name(name, "event", self.events)
        self.events[name] = as_event(event, name)

    def add_table(self, name: str, table: Table) -> Table:
        """Sampled data under a name, by which model files and their expressions call it; the table to use is returned."""
        check_new_name(name, "table", self.tables)
        if not isinstance(table, Table):
            raise ModelError(f'table "{name}": {table!r} is no table; use da.Table(times, values)')
        if not name.isidentifier() or name in ("q", "u", "t"):
            raise ModelError(f'table name "{name}" must be an identifier other than q, u and t')
        self.tables[name] = table.named(name)
        return self.tables[name]

    def add_frame(
        self,
        name: str,
        body: str,
        position: Vector3 | Frame = ZERO,
        rotation: np.ndarray | Sequence[Sequence[Scalar]] | None = None,
    ) -> None:
        """A named frame on a body, usable wherever a joint asks for a place."""
        check_new_name(name, "frame", self.frames)
        place = as_frame(position, f'frame "{name}"')
        self.frames[name] = (body, place if rotation is None else Frame(place.position, rotation, place.node))

    def add_joint(
        self,
        name: str,
        joint: Joint,
        parent: str,
        child: str,
        at_parent: str | Vector3 | Frame = ZERO,
        at_child: str | Vector3 | Frame = ZERO,
        prescribed: TimeFunction | Mapping[str, TimeFunction] | None = None,
        speeds: str | Mapping[str, StateFunction] | None = None,
        armature: float | Expr = 0.0,
    ) -> None:
        """Connect two bodies: a point, a `Frame` or a named frame on each, coinciding where the joint's coordinates are zero.

        On an elastic body the place is a node: its name, a `Frame(…, node=name)` on it, or the point where it is; "frame" is the
        floating frame itself.

        `prescribed` gives coordinates as functions of time: one function, or {coordinate: function}. `speeds` are chosen in place of
        the joint's own, as by `choose_speeds`: a preset, or {name: function of the state}, named "joint.name".

        `armature` J is inertia about the joint's own axes, as of a rotor behind a gear (ratio² times its moment of inertia): T gains
        ½ J u² for each of the joint's speeds, and nothing else changes.
        """
        check_new_name(name, "joint", self.joints)
        where = f'joint "{name}"'
        if not isinstance(joint, Joint):
            raise ModelError(f"{where}: {joint!r} is not a joint; use for example da.Revolute(axis=(0, 0, 1))")
        law = free_law(joint) if prescribed is None else make_law(joint, prescribed, name)
        on_parent = self._place(at_parent, parent, f"{where}: at_parent")
        on_child = self._place(at_child, child, f"{where}: at_child")
        said = None if speeds is None else speeds_said(speeds, (), f"{where}: speeds")
        inertia = number(armature, f"{where}: armature")
        self.joints[name] = JointPlacement(name, joint, parent, child, on_parent, on_child, law, said, inertia)

    @takes(instead_of=names)
    def choose_speeds(self, speeds: str | Mapping[str, StateFunction], instead_of: Iterable[str] = ()) -> None:
        """Speeds of the mechanism in place of its joints': u = Wᵀ(q, t) q̇ + w(q, t) [C 64].

        A preset for all joints: "world axes" (angular velocities and velocities along the world's axes), "rates" (of the coordinates),
        "child axes" (what joints have by themselves). Or {name: function of the state}, linear in its speeds:
        `{"sum": lambda s: s.u["A"] + s.u["B"], "difference": lambda s: s.u["A"] - s.u["B"]}`. They replace the speeds that they are
        made of, or those of the joints and speeds named in `instead_of`.
        """
        self.chosen_speeds = speeds_said(speeds, tuple(instead_of), "choose_speeds")

    @takes(drop=names)
    def choose_coordinates(self, coordinates: Mapping[str, StateFunction], drop: Iterable[str] = ()) -> None:
        """Coordinates in place of those of joints or modes: sums and differences of them, {name: function of the state} [C 262].

        Those named in `drop` are zero, and have no equations. The others' rates are speeds, by the same names.
        """
        self.chosen_coordinates = coordinates_said(coordinates, tuple(drop))

    def add_external(
        self, name: str, position: Vector3 | TimeFunction = ZERO, angles: Vector3 | TimeFunction = ZERO
    ) -> None:
        """A body whose motion is prescribed: its origin in ground axes and 1-2-3 angles, constants or functions of time."""

        def pose(t: Any) -> list[Any]:
            return [x for part in (angles, position) for x in (part(t) if callable(part) else part)]

        self.add_body(name)
        self.add_joint(name, General(), GROUND, name, prescribed=pose)

    def add_force(self, name: str, force: Force) -> None:
        """A spring, load, motor or a force of your own."""
        check_new_name(name, "force", self.forces, self.elements)
        if not isinstance(force, Force):
            raise ModelError(
                f'force "{name}": {force!r} is not a force; use for example da.Load("body", force=(0, 0, 1))'
            )
        self.forces[name] = force

    def add_constraint(self, name: str, constraint: Constraint) -> None:
        """A distance, guide, gear, drive, rolling contact, or a relation of your own."""
        check_new_name(name, "constraint", self.constraints, self.joints)
        if not isinstance(constraint, Constraint):
            raise ModelError(
                f'constraint "{name}": {constraint!r} is not a constraint; use for example da.Distance("a", "b", 1.0)'
            )
        self.constraints[name] = constraint

    def add_law(self, name: str, law: Law) -> None:
        """What hits, sticks, slips or latches: a stop, friction, a contact, a clutch, or a law of your own."""
        check_new_name(name, "law", self.laws)
        if not isinstance(law, Law):
            raise ModelError(f'law "{name}": {law!r} is not a law; use for example da.Stop("joint", upper=0.5)')
        self.laws[name] = law

    def add_element(self, name: str, element: Element, **inputs: str | Scalar | StateFunction) -> dict[str, Expr]:
        """A motor, a controller, a filter, or an element of your own, with states of its own; its states as symbols are returned.

        `inputs` connects its inputs: `s.add_element("motor", da.DCMotor(…), voltage="pid.output")`; see `connect`.
        """
        check_new_name(name, "element", self.elements, self.forces)
        if not isinstance(element, Element):
            raise ModelError(f'element "{name}": {element!r} is not an element; use for example da.LowPass(time=0.1)')
        self.elements[name] = element
        for each, source in inputs.items():
            self.connect(f"{name}.{each}", source)
        return {state: symbol(f"{name}.{state}") for state in element.states}

    @takes(to=one_name)
    def connect(self, to: str, source: str | Scalar | StateFunction) -> None:
        """Connect an input of an element, "motor.voltage", to a state or an output of another, "pid.output", to a function of the
        state, or to a number."""
        if to in self.connections:
            raise ModelError(f'input "{to}" is connected twice; connect it to one signal, or to a function of several')
        self.connections[to] = (
            source if isinstance(source, str) or callable(source) else number(source, f'input "{to}"')
        )

    @takes(cut=names)
    def build(self, cut: Iterable[str] = (), target: str | None = None) -> Mechanism:
        """Check everything, number the bodies, cut the loops (joints named in `cut`, the rest chosen) → `Mechanism`.

        Code is compiled for the processor at hand, or for the `target` named ("x86-64", "x86-64-v3", "x86-64-v4"), if it can run here.
        """
        from dalembert.system.build import build

        return build(self, tuple(cut) or self.cut, target)

    def truncation_study(
        self, counts: Sequence[int] | None = None, measure: Callable[[Mechanism], ArrayLike] | None = None,
        bodies: Sequence[str] | None = None,
    ) -> TruncationStudy:  # fmt: skip
        """How many modes are enough: the system with each of these numbers of modes of its elastic bodies, or of those named, and what
        `measure` gives of the mechanism; the lowest natural frequencies (Hz) if nothing is said."""
        from dalembert.analysis.truncation import truncation_study

        return truncation_study(self, counts, measure, bodies)

    @takes(path=file_path)
    def save(self, path: FilePath) -> None:
        """Write a model file, YAML or JSON by its ending, whole or not at all; `da.load` and `System.load` read it."""
        from dalembert.files.models import save

        save(self, Path(path))

    @classmethod
    @takes(path=file_path)
    def load(cls, path: FilePath) -> System:
        """What a model file says, to be changed or built."""
        from dalembert.files.models import load_system

        return load_system(Path(path))

    def _place(self, place: str | Vector3 | Frame, body: str, where: str) -> Frame:
        if not isinstance(place, str):
            return as_frame(place, where)
        nodes = ["frame", *self.bodies[body].nodes] if body in self.bodies and self.bodies[body].modes else []
        if place in nodes:
            return Frame(node=place)
        if place not in self.frames:
            raise unknown(place, "frame or node" if nodes else "frame", [*self.frames, *nodes], where)
        owner, frame = self.frames[place]
        if owner != body:
            raise ModelError(f'{where}: frame "{place}" is on body "{owner}", not on "{body}"')
        return frame
