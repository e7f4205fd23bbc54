"""The layout of a model file: its sections and what an entry of each may say. Reading, writing and the schema follow it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from dalembert.elastic.builders.sources import SOURCES
from dalembert.elements import ELEMENTS
from dalembert.elements.formula_element import Formulas
from dalembert.files.models.kinds import FunctionKind, Kind, ListKind, Named, NameKind, OneOrMany, ParameterKind, Text
from dalembert.files.models.prescribed_motion import PrescribedKind
from dalembert.files.models.records import Field, VariantKind, fields_of
from dalembert.laws import LAWS
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.parts.constraints import CONSTRAINTS
from dalembert.parts.data_file import InFolder
from dalembert.parts.fields import BodyName, Function, Help, Holds, Number, Numbers3, PositiveNumber
from dalembert.parts.forces import FORCES
from dalembert.parts.joints import JOINTS
from dalembert.parts.outputs import OUTPUTS
from dalembert.parts.shapes import SHAPES
from dalembert.parts.solids import SOLIDS

FORMAT = 1


@dataclass
class Body:
    """A rigid body: mass, mass centre `com` in body axes, inertia about it; or `matter` that says all three. `shapes` are drawn."""

    mass: Number | None = None
    com: Numbers3 | None = None
    inertia: Annotated[Any, Holds("inertia")] | None = None


@dataclass
class NamedFrame:
    """A named frame on a body, or on a node of an elastic one and then in the node's axes."""

    body: BodyName
    position: Numbers3 = (0.0, 0.0, 0.0)
    rotation: Annotated[Any, Holds("rotation")] | None = None
    node: str | None = None


@dataclass
class Connection:
    """Where a joint is: a frame on the parent and one on the child coincide where its coordinates are zero."""

    parent: BodyName
    child: BodyName
    at_parent: Annotated[Any, Holds("place")] | None = None
    at_child: Annotated[Any, Holds("place")] | None = None
    armature: Annotated[Number, Help("Inertia of the joint's own speeds, as of a rotor behind a gear, kg m² or kg")] = (
        0.0
    )


@dataclass
class Watched:
    """Recorded where the expression `when` crosses zero, going up, down or either way; with `stop`, the simulation ends there.

    `action` is what then happens, or several in their order: a law switched, a parameter set, an impulse.
    """

    when: Annotated[Any, Function(("s",), constant=False)]
    direction: Literal["either", "up", "down"] = "either"
    stop: bool = False
    action: Annotated[Any, Holds("actions")] | None = None


DIRECTIONS = {"either": 0, "up": 1, "down": -1}


@dataclass
class Sampled:
    """Sampled data as a function in expressions, name(t): times and values, or a CSV file beside the model.

    The file has times in its first column. Several columns have names and are called name.column(t).
    """

    times: Annotated[Any, Holds("list")] | None = None
    values: Annotated[Any, Holds("columns")] | None = None
    file: InFolder | None = None
    kind: Literal["cubic", "linear", "previous"] = "cubic"
    outside: Literal["nan", "hold", "repeat"] = "nan"


@dataclass
class ChosenVariables:
    """Coordinates and speeds in place of the joints': sums of coordinates, some of them dropped; speeds by a preset, or as expressions
    that are linear in the joints' speeds.
    """

    coordinates: Annotated[Any, Holds("state functions")] | None = None
    drop: tuple[str, ...] = ()
    speeds: Annotated[Any, Holds("speeds")] | None = None
    instead_of: tuple[str, ...] = ()


@dataclass
class Simulation:
    """What `m.simulate()` and `dalembert simulate` do where nothing else is said: a duration, and `SimulationOptions`."""

    duration: Annotated[PositiveNumber | None, Help("How long, s")] = None


SHAPE = VariantKind(SHAPES, "shape")
SOLID = VariantKind(SOLIDS, "solid")
CHOSEN_SPEEDS = next(f for f in fields_of(ChosenVariables) if f.name == "speeds")
JOINT = VariantKind(
    JOINTS, "joint", (*fields_of(Connection), Field("prescribed", PrescribedKind(), False, None), CHOSEN_SPEEDS)
)
FORCE = VariantKind(FORCES, "force")
CONSTRAINT = VariantKind(CONSTRAINTS, "constraint")
LAW = VariantKind(LAWS, "law")
ELEMENT = VariantKind((*ELEMENTS, Formulas), "element")
SIGNAL: Kind = FunctionKind(Function(("s",)))
ELASTIC = VariantKind(SOURCES, "flexible body")
OUTPUT = VariantKind(OUTPUTS, "output")
SIMULATION = (*fields_of(Simulation), *fields_of(SimulationOptions))

INITIAL: Mapping[str, Kind] = {name: Named(OneOrMany()) for name in ("initial", "guess", "speeds")}
WORDS: Mapping[str, Kind] = {"name": NameKind(), "purpose": Text()}
PARAMETERS: Kind = Named(ParameterKind())
CUT: Kind = ListKind(NameKind(), 0)

SECTIONS = (
    "format", "name", "purpose", "units", "import", "gravity", "parameters", "tables", "bodies", "ground", "frames", "joints",
    "elements", "constraints", "forces", "laws", "connections", "variables", "cut", "initial", "guess", "speeds", "outputs",
    "events", "simulation",
)  # fmt: skip
