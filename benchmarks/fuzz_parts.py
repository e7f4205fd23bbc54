"""Cases of the fuzz gate for laws, elements, chosen variables, contacts of robots and exports.

Every law and element is made from fields of the kinds that its types name, some of them strange, and put into a small mechanism; what
the gallery has of them is spoilt by its grammar. What is then asked must come in numbers (infinite ones, where sizes are) or be refused
in words.
"""

from __future__ import annotations

import dataclasses
import functools
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.elements import ELEMENTS
from dalembert.files.gallery import files as gallery
from dalembert.formulations.tree import kane
from dalembert.laws import LAWS
from dalembert.parts.conform import ByName, Marked, Plain, Several, field_type
from dalembert.parts.fields import Holds

SIZES = (1e-30, 1e-12, 1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0, 1e3, 1e6, 1e12, 1e30)
"""Sizes of numbers that are right as such."""
SECTIONS = ("laws", "elements", "connections", "events", "outputs", "initial", "speeds", "parameters")
BODIES, JOINTS = ("rod", "tip", "ground"), ("A", "B", "free")


class NotANumber(Exception):
    """An answer without numbers, and without words."""


# -- one law or element ------------------------------------------------------------------------------------------------------
def small_system() -> da.System:
    """Two arms and a body afloat."""
    s = da.System("small", gravity=(0, -9.81, 0))
    s.parameter("M", 1.0)
    s.add_body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1))
    s.add_body("tip", da.rod(1.0, 1.0))
    s.add_body("float", da.box(1.0, (0.1, 0.2, 0.3)))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    s.add_joint("B", da.Prismatic(), "rod", "tip", at_parent=(1, 0, 0))
    s.add_joint("free", da.Free(), "ground", "float", at_parent=(0, 2, 1))
    return s


def value_of(hint: Any, rng: random.Random, strange: Callable[[random.Random], Any]) -> Any:
    """A value that suits the hint in nineteen of twenty cases."""
    kind = field_type(hint)
    if rng.random() < 0.05 or kind is None:
        return strange(rng)
    if isinstance(kind, Several):
        made = tuple(_marked(kind.item, rng, strange) for _ in range(rng.randint(1, 3)))
        return made[0] if rng.random() < 0.05 else made
    return _marked(kind, rng, strange)


def _marked(kind: Any, rng: random.Random, strange: Callable[[random.Random], Any]) -> Any:
    match kind:
        case Marked(Holds(what="number" | "plain number" | "values") as mark):
            sign = 1.0 if mark.positive or rng.random() < 0.9 else rng.choice((-1.0, 0.0))
            return sign * (rng.choice(SIZES) if rng.random() < 0.3 else rng.choice((0.05, 0.3, 1.0, 2.0)))
        case Marked(Holds(what="vector")) | Marked(Holds(what="axis")):
            return rng.choice(((0, 0, 1), (0, 1, 0), (0.6, 0.8, 0), tuple(rng.choice(SIZES) for _ in range(3))))
        case Marked(Holds(what="point")):
            return rng.choice((*BODIES, "float", ("tip", (rng.choice(SIZES), 0, 0)), ("ground", (0, rng.random(), 0))))
        case Marked(Holds(what="body")):
            return rng.choice((*BODIES, "float"))
        case Marked(Holds(what="joint")):
            return rng.choice(JOINTS)
        case Marked(Holds(what="count")):
            return rng.choice((1, 2, 5))
        case Marked(Holds(what="surface")):
            return da.surfaces.sphere(rng.choice((*BODIES, "float")), rng.choice((0.1, *SIZES)))
        case Plain(cls) if cls is str:
            return rng.choice((*JOINTS, "free.x", "free.wz"))
        case Plain(cls) if cls in (bool, int):
            return rng.choice((True, False)) if cls is bool else rng.choice((0, 1, 3))
        case ByName(item):
            return {name: _marked(item, rng, strange) for name in rng.sample(("A", "B"), rng.randint(1, 2))}
    return strange(rng)


def arguments_of(cls: type, rng: random.Random, strange: Callable[[random.Random], Any]) -> dict[str, Any]:
    """What a class needs, and some of what it may be given beside."""
    from typing import get_type_hints

    hints = get_type_hints(cls, include_extras=True)
    made: dict[str, Any] = {}
    for f in dataclasses.fields(cls):
        needed = f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
        needed |= f.name == "period" and bool(getattr(cls, "sampled_only", False))
        if f.init and f.name[0] != "_" and (needed or rng.random() < 0.25):
            made[f.name] = value_of(hints[f.name], rng, strange)
    return made


def part(rng: random.Random, strange: Callable[[random.Random], Any]) -> None:
    """A law or an element in the small mechanism."""
    s, cls = small_system(), rng.choice((*LAWS, *ELEMENTS))
    made = cls(**arguments_of(cls, rng, strange))
    if isinstance(made, da.Law):
        s.add_law("it", made)
    else:
        needed = [*made.inputs, *(x for x in made.optional if rng.random() < 0.3)]
        s.add_element("it", made, **{x: _source(rng, strange) for x in needed})
    ask(s.build(), rng)


def _source(rng: random.Random, strange: Callable[[random.Random], Any]) -> Any:
    plain = (0.0, 1.0, -1e6, 1e-12, lambda s: s.q["A"], lambda s: s.u["B"] * 1e3, lambda s: da.sin(s.t), "it.stored")
    return rng.choice(plain) if rng.random() < 0.9 else strange(rng)


# -- what is asked -----------------------------------------------------------------------------------------------------------
def ask(m: da.Mechanism, rng: random.Random) -> None:
    """Accelerations, signals and rates in a state, on numbers; now and then what is compiled."""
    q, u = m.assemble(m.plan.initial, m.plan.speeds)
    s = m.numeric.state(q, u)
    _in_numbers("accelerations", METHODS["range_space"](kane.equations(s)).udot)
    for name, placed in m.elements.items():
        for what in (*placed.element.outputs, "stored", "dissipated", "supplied"):
            _in_numbers(f"{name}.{what}", s.signal(f"{name}.{what}"))
    if m.elements:
        _in_numbers("rates of states", m.state_rates(s))
    if rng.random() < 0.02:
        COMPILED[rng.choice(list(COMPILED))](m, q, u)


def _in_numbers(what: str, values: Any) -> None:
    found = np.asarray(values, dtype=float)
    if np.isnan(found).any():
        raise NotANumber(what)


def _marched(m: da.Mechanism, **options: Any) -> Any:
    motion = m.simulate(0.01, **options)
    _in_numbers("motion", motion.q), _in_numbers("motion", motion.u)
    return motion


def _exported(m: da.Mechanism) -> None:
    from benchmarks.fuzz_cases import folder

    _marched(m).export_c(folder() / "exported")


COMPILED: dict[str, Callable[[da.Mechanism, Any, Any], Any]] = {
    "dynamics": lambda m, q, u: _in_numbers("forward_dynamics", m.forward_dynamics(q, u)),
    "laws": lambda m, q, u: _in_numbers("laws_at", m.laws_at(q, u).udot),
    "march": lambda m, q, u: _marched(m),
    "steps": lambda m, q, u: _marched(m, method="moreau", step=1e-3) if m.laws else _marched(m, method="radau"),
    "linearise": lambda m, q, u: _in_numbers("linearise", m.linearise(q, u).A),
    "export": lambda m, q, u: _exported(m),
}


# -- models with laws and elements ----------------------------------------------------------------------------------------------
@functools.cache
def equipped() -> list[tuple[Any, Path]]:
    """Models of the gallery that have laws, elements, events or chosen variables."""
    said = [(yaml.safe_load(path.read_text(encoding="utf-8")), path) for path in gallery().values()]
    return [(x, path) for x, path in said if {"laws", "elements", "events", "variables"} & set(x)]


def equipped_model(rng: random.Random, spoilt: Callable[[Any, random.Random], Any]) -> None:
    """Such a model, spoilt in what it has of these alone."""
    from benchmarks.fuzz_cases import written

    data, _ = rng.choice(equipped())
    inside = [x for x in SECTIONS if isinstance(data.get(x), Mapping) and data[x]]
    section = (
        rng.choice([x for x in inside if x in SECTIONS[:3]] or inside) if rng.random() < 0.7 else rng.choice(inside)
    )
    data = {**data, section: spoilt(data[section], rng)}
    text = yaml.dump(data, sort_keys=False, allow_unicode=True)
    m = da.load(written("equipped.yaml", text.encode("utf-8", "surrogatepass")))
    if m.n_u <= 40:
        ask(m, rng)


# -- calls -------------------------------------------------------------------------------------------------------------------
@functools.cache
def geared() -> da.Mechanism:
    """A driven arm with a stop and friction."""
    s = small_system()
    s.add_law("stop", da.Stop("A", upper=1.0))
    s.add_law("dry", da.JointFriction("B", force=1.0))
    s.add_element("pid", da.PID(4.0, 3.0), reference=0.4, measured=lambda s: s.q["A"])
    s.add_element("motor", da.DCMotor("A", 2.0, 0.05, 0.5), voltage="pid.output")
    return s.build()


@functools.cache
def moved() -> Any:
    """A motion of it."""
    return geared().simulate(0.02)


def _connected(r: random.Random, strange: Callable[[random.Random], Any]) -> None:
    s = small_system()
    s.add_element("motor", da.DCMotor("A", 2.0, 0.05, 0.5), **{r.choice(("voltage", "x")): strange(r)})
    s.connect(r.choice(("motor.voltage", strange(r))), strange(r))
    s.build()


def _chosen(r: random.Random, strange: Callable[[random.Random], Any]) -> None:
    s = small_system()
    functions = (lambda s: s.u["A"] + s.u["B"], lambda s: s.u["A"] ** 2, lambda s: 0.0 * s.u["A"], lambda s: s.q["A"])
    given = r.choice((strange(r), {r.choice(("w", "A", "")): r.choice((*functions, strange(r)))}, "world axes"))
    if r.random() < 0.7:
        s.choose_speeds(given, instead_of=r.choice((["A"], ["B"], strange(r), ["free.wx"])))
    else:
        s.choose_coordinates(r.choice((given, {"x": lambda s: s.q["A"] - s.q["B"]})), drop=r.choice(((), strange(r))))
    ask(s.build(), r)


def _robot(r: random.Random, strange: Callable[[random.Random], Any]) -> None:
    from benchmarks.fuzz_cases import robots, written

    name, content = r.choice(robots())
    options = {
        r.choice(("contacts", "laws", "strict", "base", "folder")): r.choice((True, "ground", "all", strange(r)))
    }
    ask(da.load_robot(written(name, content), **{"contacts": True, **options}).build(), r)


def _folder() -> Path:
    from benchmarks.fuzz_cases import folder

    return folder() / "exported"


CALLS: dict[str, Callable[[random.Random, Callable[[random.Random], Any]], Any]] = {
    "laws_at": lambda r, x: geared().laws_at(x(r), r.choice(([0.0] * geared().n_u, x(r))), x(r)),
    "contacts": lambda r, x: moved().contacts[x(r)],
    "reaction": lambda r, x: moved().reaction(x(r), at=r.choice(("child", x(r)))),
    "signal": lambda r, x: geared().state().signal(x(r)),
    "evaluate": lambda r, x: moved().evaluate(lambda s: s.signal(r.choice(("motor.torque", "motor.x")))),
    "initial": lambda r, x: geared().simulate(0.01, {r.choice(("motor.current", "A", "pid.integral")): x(r)}),
    "moreau": lambda r, x: geared().simulate(0.01, method="moreau", step=x(r)),
    "with_parameters": lambda r, x: geared().with_parameters(**{r.choice(("motor.current", "M")): x(r)}),
    "export_c": lambda r, x: moved().export_c(r.choice((_folder(), x(r))), x(r)),
    "export_fmu": lambda r, x: moved().export_fmu(_folder(), x(r), platforms=r.choice(([], x(r)))),
    "law": lambda r, x: small_system().add_law(x(r), x(r)),
    "element": lambda r, x: small_system().add_element(x(r), r.choice((x(r), da.LowPass(0.1)))),
    "event": lambda r, x: da.Event(x(r), action=x(r)),
    "action": lambda r, x: r.choice((da.Impulse, da.JointImpulse, da.SetParameter, da.Switch))(x(r), x(r)),
    "pair": lambda r, x: da.PairContact(r.choice((x(r), da.surfaces.sphere("tip", 0.1))), x(r)),
    "connect": _connected,
    "choose": _chosen,
    "choose again": _chosen,
    "robot": _robot,
}


def call(rng: random.Random, strange: Callable[[random.Random], Any]) -> None:
    """One of these with strange arguments."""
    CALLS[rng.choice(list(CALLS))](rng, strange)
