"""Elements of a system put into a mechanism: their states as symbols, their inputs connected, with every mistake named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from dalembert.elements.element import ENERGIES, Element
from dalembert.elements.formula_element import OWN
from dalembert.elements.placed import PlacedElement
from dalembert.errors import DalembertError, ModelError, TraceError
from dalembert.parts.names import unknown
from dalembert.parts.numbers import plain_number
from dalembert.trace import symbol, tracing

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.mechanism import Mechanism
    from dalembert.system.system import System


def states_said(system: System) -> dict[str, float]:
    """Initial values of all states, by name."""
    return {
        f"{name}.{state}": plain_number(x, f'element "{name}": initial value of "{state}"')
        for name, element in system.elements.items()
        for state, x in element.states.items()
    }


def placed_elements(system: System) -> dict[str, PlacedElement]:
    """The elements with their states as symbols and their inputs connected."""
    for to, source in system.connections.items():
        _check_connection(system, to, source)
    return {name: _placed(system, name, element) for name, element in system.elements.items()}


def first_states(system: System, elements: Mapping[str, PlacedElement]) -> dict[str, float]:
    """What states begin with, by name: as the system's initial values say, or the elements themselves."""
    own = {f"{name}.{state}": x for name, p in elements.items() for state, x in p.element.states.items()}
    return {name: plain_number(system.initial.get(name, x), f'initial: "{name}"') for name, x in own.items()}


def without_states(system: System) -> dict[str, Any]:
    """Initial values of the system without those of states."""
    states = states_said(system)
    return {name: x for name, x in system.initial.items() if name not in states}


def _placed(system: System, name: str, element: Element) -> PlacedElement:
    _check_names(name, element)
    sources = {x: system.connections.get(f"{name}.{x}", value) for x, value in element.optional.items()}
    for each in element.inputs:
        if f"{name}.{each}" not in system.connections:
            raise ModelError(
                f'element "{name}": its input "{each}" is not connected; connect it to a signal, a number or a function of the '
                f'state: s.connect("{name}.{each}", …)'
            )
        sources[each] = system.connections[f"{name}.{each}"]
    z = {state: symbol(f"{name}.{state}") for state in element.states}
    return PlacedElement(name, element, z, sources)


def _check_names(name: str, element: Element) -> None:
    """Every name of an element means one thing."""
    if name == OWN:
        raise ModelError(
            f'element "{name}": "{OWN}" is reserved: in formulas it means the element itself; choose another name'
        )
    every = [*element.states, *element.inputs, *element.optional, *element.outputs]
    for each in every:
        if every.count(each) > 1 or each in ENERGIES or not each.isidentifier():
            raise ModelError(
                f'element "{name}": "{each}" cannot be a name in it: states, inputs and outputs have names of their own, identifiers '
                f"other than {', '.join(ENERGIES)}"
            )


def _check_connection(system: System, to: str, source: Any) -> None:
    """Both ends of a connection exist."""
    owner, _, name = to.partition(".")
    if owner not in system.elements:
        raise unknown(owner, "element", system.elements, f'connection "{to}"')
    known = (*system.elements[owner].inputs, *system.elements[owner].optional)
    if name not in known:
        raise unknown(name, "input", known, f'connection "{to}"')
    if isinstance(source, str):
        owner, _, name = source.partition(".")
        if owner not in system.elements:
            raise unknown(source, "signal", _signals(system), f'connection "{to}"')
        if name not in (*system.elements[owner].states, *system.elements[owner].outputs, *ENERGIES):
            raise unknown(source, "signal", _signals(system), f'connection "{to}"')
        _check_units(system, to, source)


def _check_units(system: System, to: str, source: str) -> None:
    """An input that says its unit is connected to signals that have it, or that say none."""
    (taker, name), (giver, signal) = to.split(".", 1), source.split(".", 1)
    wanted, unit = system.elements[taker].takes.get(name), system.elements[giver].unit_of(signal)
    if wanted and unit and wanted != unit:
        raise ModelError(
            f'connection "{to}": it takes {wanted}, and "{source}" is in {unit}; put a controller between, or connect a function of '
            f'the state, such as lambda s: k * s.signal("{source}")'
        )


def _signals(system: System) -> list[str]:
    return [f"{name}.{x}" for name, e in system.elements.items() for x in (*e.states, *e.outputs)]


def check_elements(m: Mechanism) -> None:
    """Everything that elements compute can be computed, on symbols: what is read exists, and no signal depends on itself."""
    for name, p in m.elements.items():
        _check_not_of_joints(m, p)
        try:
            with tracing():
                s = m.symbolic_state()
                for each in (*p.element.outputs, *ENERGIES):
                    s.signal(f"{name}.{each}")
                list(p.loads(s))
                if p.element.period is not None:
                    s = m.sampled_state()
                    _check_rates(p, p.element.update(_at(p, s)), "update")
                _check_rates(p, p.element.rates(_at(p, s)), "rates")
                p.rates(s), p.update(s)
        except TraceError as problem:
            raise ModelError(
                f'element "{name}": what it computes must be made of operations that can be traced, such as da.sin and da.select: '
                f"{problem}"
            ) from problem
        except DalembertError as problem:
            text = str(problem)
            raise ModelError(text if text.startswith("element ") else f'element "{name}": {text}') from problem
        except Exception as problem:
            raise ModelError(f'element "{name}" cannot be computed: {type(problem).__name__}: {problem}') from problem


def _check_not_of_joints(m: Mechanism, p: PlacedElement) -> None:
    """No signal has the name of a coordinate or a speed, as that of an element named like a joint may have."""
    taken = {*m.coordinates, *m.speeds, *m.prescribed, *m.prescribed_speeds}
    for each in (*p.z, *p.element.outputs):
        if f"{p.name}.{each}" in taken:
            raise ModelError(
                f'element "{p.name}": its "{each}" would be called "{p.name}.{each}", as a value of joint "{p.name}" is; call the '
                "element otherwise"
            )


def _at(p: PlacedElement, s: State) -> Any:
    from dalembert.elements.signals import ElementAt

    return ElementAt(p, s)


def _check_rates(p: PlacedElement, found: Any, what: str) -> None:
    """`rates` names every state of an element in continuous time, `update` states of a sampled one."""
    if not isinstance(found, Mapping):
        raise ModelError(f'element "{p.name}": {what} must give {{"state": value}}, not {found!r}')
    for name in found:
        if name not in p.z:
            raise unknown(name, "state", p.z, f'element "{p.name}": {what}')
    missing = [name for name in p.z if name not in found]
    if missing and what == "rates" and p.element.period is None:
        raise ModelError(f'element "{p.name}": rates gives no rate of its state "{missing[0]}"')
