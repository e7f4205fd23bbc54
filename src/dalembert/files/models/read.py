"""Reading entries into a `System`, section by section. What the system refuses is said with the place that caused it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dalembert.elements.element import ENERGIES
from dalembert.elements.formula_element import Formulas
from dalembert.errors import ModelError, ModelFileError
from dalembert.files.expressions import FUNCTIONS
from dalembert.files.models.data_files import FileKind
from dalembert.files.models.document import parse_document, read_document
from dalembert.files.models.kinds import VECTOR, Kind, ListKind
from dalembert.files.models.layout import (
    CONSTRAINT,
    CUT,
    DIRECTIONS,
    ELASTIC,
    ELEMENT,
    FORCE,
    FORMAT,
    INITIAL,
    JOINT,
    LAW,
    OUTPUT,
    PARAMETERS,
    SECTIONS,
    SHAPE,
    SIGNAL,
    SIMULATION,
    SOLID,
    WORDS,
    Body,
    Connection,
    NamedFrame,
    Sampled,
    Simulation,
    Watched,
)  # fmt: skip
from dalembert.files.models.place import Entry
from dalembert.files.models.prescribed_motion import PrescribedKind
from dalembert.files.models.records import VariantKind, fields_of, read_fields
from dalembert.files.models.sampled_data import table_of
from dalembert.files.models.scope import Scope
from dalembert.files.models.variables import (
    chosen_sections,
    chosen_variables,
    names_chosen,
    names_on_joints,
    speeds_on_joints,
)
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.parts.conform import checks_of
from dalembert.parts.events import Event
from dalembert.parts.frames import Frame
from dalembert.parts.names import nearest
from dalembert.parts.outputs import Value
from dalembert.parts.solids import matter_of
from dalembert.system.system import System
from dalembert.trace import symbol
from dalembert.vectors import IDENTITY, ZERO

RESERVED = ("and", "or", "not", "q", "u")
"""Words of the expressions that no parameter may have as its name."""

Reader = Callable[[System, Entry, Scope], None]
"""Reads one section of a model file into a system."""


def read_file(path: str | Path) -> tuple[System, Entry]:
    """The system a file describes, and its entries."""
    document = read_document(path)
    return read_system(document), document


def read_text(text: str, file: str = "text", is_json: bool = False) -> tuple[System, Entry]:
    document = parse_document(text, file, is_json)
    return read_system(document), document


def read_system(document: Entry) -> System:
    """Parameters first, as anything may use them; joints before what acts on them."""
    given = document.mapping("a model (name, bodies, joints, …)")
    document.known(SECTIONS)
    system = _imported(given["import"]) if "import" in given else System()
    joints = {name: p.joint for name, p in system.joints.items()}
    scope = Scope({name: symbol(name) for name in system.parameters}, system.frames, system.bodies, joints)
    if "elements" in given and isinstance(given["elements"].value, dict):
        scope.elements.update(given["elements"].value)
    for name, read in _READERS:
        if name in given and given[name].value is not None:
            read(system, given[name], scope)
    _check_states_read(system, scope)
    return system


def _check_states_read(system: System, scope: Scope) -> None:
    """What numbers are made of are states of elements."""
    states = [f"{name}.{state}" for name, element in system.elements.items() for state in element.states]
    for entry, name in scope.states_read:
        if name not in states:
            near = nearest(name, states)
            raise entry.error(
                f"numbers are made of parameters and states of elements, and {name!r} is no state; {near}"
            )


def _imported(entry: Entry) -> System:
    """The robot in a URDF or MJCF file, to which the rest of the model adds."""
    from dalembert.importers import load_robot

    file = FileKind().read(entry, Scope())
    with entry.blamed():
        return load_robot(file.path).system


def _format(system: System, entry: Entry, scope: Scope) -> None:
    if entry.value != FORMAT:
        raise entry.error(f"this file has format {entry.value}; this version of dalembert reads {FORMAT}")


def _units(system: System, entry: Entry, scope: Scope) -> None:
    if entry.value != "SI":
        raise entry.error("units must be SI: metres, kilograms, seconds, radians; convert the numbers")


def _words(system: System, entry: Entry, scope: Scope) -> None:
    setattr(system, entry.path, WORDS[entry.path].read(entry, scope))


def _gravity(system: System, entry: Entry, scope: Scope) -> None:
    with entry.blamed():
        system.gravity = VECTOR.read(entry, scope)


def _parameters(system: System, entry: Entry, scope: Scope) -> None:
    for name, said in PARAMETERS.read(entry, scope).items():
        with entry.value[name].blamed():
            if name in RESERVED:
                raise ModelError(f'a parameter cannot be called "{name}", which is a word of the expressions')
            scope.parameters[name] = system.parameter(name, **said)


def _tables(system: System, entry: Entry, scope: Scope) -> None:
    for name, one in entry.mapping("tables by name").items():
        fields = fields_of(Sampled)
        one.known(f.name for f in fields)
        given = read_fields(one, fields, scope, "a table")
        with one.blamed():
            if name in scope.parameters or name in FUNCTIONS:
                raise ModelError(f'a table cannot be called "{name}", which is a parameter or a function')
            made = system.add_table(name, table_of(**given))
        scope.tables.update(made.functions)


def _bodies(system: System, entry: Entry, scope: Scope) -> None:
    for name, one in entry.mapping("bodies by name").items():
        fields = fields_of(Body)
        one.known([*(f.name for f in fields), "matter", "shapes", "elastic"])
        given = read_fields(one, fields, scope, "a body")
        with one.blamed():
            matter = _listed(one.value.get("matter"), SOLID, scope)
            made = None if matter is None else matter_of(matter)
            shapes = _listed(one.value.get("shapes"), SHAPE, scope)
            system.add_body(name, made, **given, elastic=_elastic(one.value.get("elastic"), scope), shapes=shapes)


def _elastic(entry: Entry | None, scope: Scope) -> Any:
    """The data of an elastic body; what is wrong with them is wrong at that place."""
    if entry is None or entry.value is None:
        return None
    with entry.blamed():
        return ELASTIC.read(entry, scope).body()


def _listed(entry: Entry | None, kind: VariantKind, scope: Scope) -> list[Any] | None:
    """One thing or several."""
    if entry is None or entry.value is None:
        return None
    return [kind.read(entry, scope)] if isinstance(entry.value, dict) else ListKind(kind, 0).read(entry, scope)


def _ground(system: System, entry: Entry, scope: Scope) -> None:
    entry.known(["shapes"])
    system.ground_shapes = _listed(entry.value.get("shapes"), SHAPE, scope) or ()


def _frames(system: System, entry: Entry, scope: Scope) -> None:
    for name, one in entry.mapping("frames by name").items():
        fields = fields_of(NamedFrame)
        one.known(f.name for f in fields)
        given = read_fields(one, fields, scope, "a frame")
        with one.blamed():
            place = Frame(given.get("position", ZERO), given.get("rotation", IDENTITY), given.get("node"))
            system.add_frame(name, given["body"], place)


def _joints(system: System, entry: Entry, scope: Scope) -> None:
    for name, one in entry.mapping("joints by name").items():
        joint = JOINT.read(one, scope)
        ends = read_fields(one, fields_of(Connection), scope, "a joint")
        law = one.value.get("prescribed")
        prescribed = None if law is None or law.value is None else PrescribedKind().read(law, scope)
        with one.blamed():
            system.add_joint(name, joint, prescribed=prescribed, **ends)
        scope.joints[name] = joint


def _by_name(what: str, kind: Kind, add: Callable[[System, str, Any], None]) -> Reader:
    """Reads a section of things of one kind."""

    def read(system: System, entry: Entry, scope: Scope) -> None:
        for name, one in entry.mapping(f"{what} by name").items():
            with one.blamed():
                add(system, name, kind.read(one, scope))

    return read


def _elements(system: System, entry: Entry, scope: Scope) -> None:
    for name, one in entry.mapping("elements by name").items():
        _check_no_inputs(name, one)
        made = ELEMENT.read(one, scope)
        with one.blamed():
            element = made.element() if isinstance(made, Formulas) else made
            system.add_element(name, element)
        scope.signals.update(f"{name}.{x}" for x in (*element.states, *element.outputs, *ENERGIES))


def _check_no_inputs(name: str, entry: Entry) -> None:
    """Inputs are no fields: they are said below `connections`."""
    given = entry.mapping("an element")
    cls = ELEMENT.named.get(str(given["type"].value)) if "type" in given else None
    if cls is None or cls is Formulas:
        return
    inputs = getattr(cls, "inputs", ())
    if isinstance(inputs, property):  # as many as its fields say; input, or input1, …
        inputs = tuple(x for x in given if x.startswith("input"))
    for each in (*inputs, *getattr(cls, "optional", ())):
        if each in given and each not in {f.name for f in fields_of(cls)}:
            raise entry.error(f'{each!r} is an input; say it below connections: "{name}.{each}: …"', each)


def _connections(system: System, entry: Entry, scope: Scope) -> None:
    """Inputs by "element.input": the name of a signal, a number, or an expression."""
    scope.outputs.update(system.outputs)
    for to, one in entry.mapping("inputs of elements by name").items():
        if isinstance(one.value, dict):
            raise one.error(f'write element and input as one name: "{to}.{next(iter(one.value), "input")}: …"')
        if isinstance(one.value, str) and one.value in system.elements:
            signals = ", ".join(sorted(x for x in scope.signals if x.startswith(f"{one.value}.")))
            raise one.error(f"{one.value!r} is an element; name one of its signals: {signals}")
        named = isinstance(one.value, str) and one.value in scope.signals
        with one.blamed():
            system.connect(to, one.value if named else SIGNAL.read(one, scope))


def _outputs(system: System, entry: Entry, scope: Scope) -> None:
    """An expression alone is a value."""
    value = next(f for f in fields_of(Value) if f.name == "of")
    for name, one in entry.mapping("outputs by name").items():
        with one.blamed():
            made = OUTPUT.read(one, scope) if isinstance(one.value, dict) else Value(value.kind.read(one, scope))
            system.add_output(name, made)


def _events(system: System, entry: Entry, scope: Scope) -> None:
    """An expression alone is recorded whenever it crosses zero."""
    scope.outputs.update(system.outputs)
    fields = fields_of(Watched)
    for name, one in entry.mapping("events by name").items():
        if isinstance(one.value, dict):
            one.known(f.name for f in fields)
            said = Watched(**read_fields(one, fields, scope, "an event"))
        else:
            said = Watched(fields[0].kind.read(one, scope))
        with one.blamed():
            system.add_event(name, Event(said.when, DIRECTIONS[said.direction], said.stop, action=said.action))


def _cut(system: System, entry: Entry, scope: Scope) -> None:
    system.cut = tuple(CUT.read(entry, scope))


def _initial(system: System, entry: Entry, scope: Scope) -> None:
    for name, value in INITIAL[entry.path].read(entry, scope).items():
        chosen = scope.chosen["u" if entry.path == "speeds" else "q"]
        if entry.path == "initial" and any(name.partition(".")[0] == x for x in system.elements):
            chosen = {*chosen, *(f"{x}.{z}" for x, e in system.elements.items() for z in e.states)}
        known = [*system.joints, *(k for k, b in system.bodies.items() if b.modes), *chosen]
        if name not in known and name.partition(".")[0] not in known:
            raise entry.error(f"there is no joint {name!r}; {nearest(name, known)}", name)
        getattr(system, entry.path)[name] = value


def _simulation(system: System, entry: Entry, scope: Scope) -> None:
    entry.known(f.name for f in SIMULATION)
    system.simulation = read_fields(entry, SIMULATION, scope, "a simulation")
    checks = checks_of(Simulation) | checks_of(SimulationOptions)
    for name, value in system.simulation.items():
        with entry.value[name].blamed():
            checks[name](value, name)


_READERS: tuple[tuple[str, Reader], ...] = (
    ("format", _format), ("name", _words), ("purpose", _words), ("units", _units), ("parameters", _parameters), ("tables", _tables),
    ("gravity", _gravity), ("bodies", _bodies), ("ground", _ground), ("frames", _frames), ("joints", _joints), ("elements", _elements),
    ("constraints", _by_name("constraints", CONSTRAINT, System.add_constraint)),
    ("forces", _by_name("forces", FORCE, System.add_force)),
    ("laws", _by_name("laws", LAW, System.add_law)), ("joints", names_on_joints), ("variables", names_chosen),
    ("outputs", _outputs), ("joints", speeds_on_joints), ("variables", chosen_variables), ("connections", _connections),
    ("events", _events), ("cut", _cut), ("initial", _initial), ("guess", _initial),
    ("speeds", _initial), ("simulation", _simulation),
)  # fmt: skip
"""In the order in which they need each other; outputs may name chosen variables, and these be made of outputs."""

_SECTION_OF = {
    "body": "bodies", "joint": "joints", "force": "forces", "constraint": "constraints", "law": "laws", "frame": "frames",
    "output": "outputs", "event": "events", "table": "tables", "element": "elements",
    "connection": "connections",
}  # fmt: skip


def located(problem: ModelError, document: Entry) -> ModelError:
    """A complaint about the whole model, placed where the first thing it names is described."""
    for kind, name in re.findall(
        r'\b(body|joint|force|constraint|law|frame|output|event|table|element|connection) "([^"]+)"', str(problem)
    ):
        section = document.value.get(_SECTION_OF[kind])
        if section is not None and isinstance(section.value, dict) and name in section.value:
            line, column = section.keys[name]
            return ModelFileError(str(problem), document.file, line, column)
    for kind, name in re.findall(r'\b(speed|coordinate)s? "([^"]+)"', str(problem)):
        for section in chosen_sections(document, kind):
            if name in section.value or name.rpartition(".")[2] in section.value:
                line, column = section.keys[name if name in section.value else name.rpartition(".")[2]]
                return ModelFileError(str(problem), document.file, line, column)
    of_variables = str(problem).startswith(("instead_of", "dropped coordinates"))
    return (document.value.get("variables", document) if of_variables else document).error(str(problem))
