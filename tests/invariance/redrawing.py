"""A mechanism drawn anew: other names, other units, the world turned and shifted, another order, joints seen from their other end.

`redrawn(system, drawing)` is the same mechanism as another engineer would have written it down; `Drawing` also says how what is known
of one is said of the other. What users' functions see is led back to the terms they were written in.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import dalembert as da
from dalembert.elastic.body import ElasticBody
from dalembert.elastic.flexible import FlexibleBody
from dalembert.parts.bodies import RigidBody
from dalembert.parts.forces import JointLoad
from dalembert.parts.prescribed import TIME, PrescribedMotion
from dalembert.system.system import JointPlacement
from dalembert.trace import Expr, substitute, symbol
from dalembert.trace.bind import bind
from tests.invariance.cases_with_elements import draw_elements
from tests.invariance.redrawn_laws import coordinates_drawn, law_drawn, speeds_drawn
from tests.mechanisms import in_length

GROUND = "ground"
SAID = ("bodies", "joints", "forces", "constraints", "laws", "elements")
SLIDES = ("x", "y", "z", "slide", "vx", "vy", "vz")


def exponent(joint: da.Joint, freedom: str) -> int:
    """1 for a coordinate or speed along a line, 0 for one about an axis."""
    return int(freedom in SLIDES or (freedom == "" and joint.kind in ("Prismatic", "CurvedSlide")))


@dataclass(frozen=True, eq=False)
class Drawing:
    """New names by old ones, how many new units make an old one, and the motion of the world x → R x + p (old units)."""

    bodies: Mapping[str, str] = field(default_factory=dict)
    joints: Mapping[str, str] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)
    """Names of forces, constraints, laws and elements."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0
    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    p: np.ndarray = field(default_factory=lambda: np.zeros(3))
    elastic: Callable[[float, float, float], Mapping[str, ElasticBody]] | None = None
    """Elastic bodies in units of so many metres, kilograms and seconds."""
    said: Callable[[float, float, float], da.System] | None = None
    """The system in such units, for its elements."""

    def unit(self, length: int = 0, mass: int = 0, time: int = 0) -> float:
        """How many new units make an old one of this dimension."""
        return self.length**length * self.mass**mass * self.time**time

    @property
    def same_units(self) -> bool:
        return self.length == self.mass == self.time == 1.0

    def body(self, name: str) -> str:
        return self.bodies.get(name, name)

    def joint(self, name: str) -> str:
        """Of a joint or of one of its freedoms, "joint.freedom"."""
        head, dot, freedom = name.partition(".")
        return self.joints.get(head, head) + dot + freedom

    def other(self, name: str) -> str:
        return self.others.get(name, name)

    def vector(self, body: str, v: Any) -> Any:
        """Axes of the ground turn with the world, those of bodies stay."""
        return self.R @ np.asarray(v) if body == GROUND else np.asarray(v)

    def place(self, body: str, x: Any) -> Any:
        return self.length * (self.R @ np.asarray(x) + self.p if body == GROUND else np.asarray(x))

    def point(self, at: da.Point) -> da.Point:
        return da.Point(self.body(at.body), self.place(at.body, at.at), at.node)

    def frame(self, body: str, f: da.Frame) -> da.Frame:
        return da.Frame(self.place(body, f.position), self.R @ f.rotation if body == GROUND else f.rotation, f.node)

    # -- what the new drawing says, in the words of the old one -----------------------------------------------------------
    def position(self, x: Any) -> Any:
        return self.R.T @ (x / self.length - self.p)

    def direction(self, v: Any, length: int = 0, mass: int = 0, time: int = 0) -> Any:
        return self.R.T @ (v / self.unit(length, mass, time))


class Seen:
    """The state of a mechanism drawn anew, as users' functions knew it."""

    def __init__(self, s: Any, d: Drawing, kinds: Mapping[str, da.Joint]):
        self._s, self._d, self._kinds = s, d, kinds
        self.t = s.t / d.time
        self.q, self.u = _Values(self, 0), _Values(self, -1)

    def _at(self, at: Any) -> Any:
        return self._d.point(_point(at))

    def position(self, at: Any) -> Any:
        return self._d.position(self._s.position(self._at(at)))

    def velocity(self, at: Any) -> Any:
        return self._d.direction(self._s.velocity(self._at(at)), length=1, time=-1)

    def rotation(self, body: Any) -> Any:
        return self._d.R.T @ self._s.rotation(self._at(body))

    def angular_velocity(self, body: Any) -> Any:
        return self._d.direction(self._s.angular_velocity(self._at(body)), time=-1)


class _Values:
    """`s.q["A"]` and `s.u["A"]` of joints with one freedom, `s.u["A.wx"]` of others."""

    def __init__(self, seen: Seen, time: int):
        self._seen, self._time = seen, time

    def __getitem__(self, name: str) -> Any:
        seen = self._seen
        values = (seen._s.u if self._time else seen._s.q)[seen._d.joint(name)]
        return values / seen._d.unit(exponent(*_freedom(name, seen._kinds)), time=self._time)


def _point(at: Any) -> da.Point:
    return at if isinstance(at, da.Point) else da.Point(*((at,) if isinstance(at, str) else at))


# -- the whole description ------------------------------------------------------------------------------------------------
def redrawn(s: da.System, d: Drawing) -> da.System:
    """The same mechanism, as `d` says it is drawn."""
    if d.parameters:
        s = _renamed_parameters(s, d)
    if not d.same_units:
        s = _with_numbers(s)
    kinds = {name: p.joint for name, p in s.joints.items()}
    made = da.System(s.name, gravity=d.R @ s.gravity * d.unit(1, 0, -2))
    made.parameters = dict(s.parameters)
    made.cut = tuple(d.joint(name) for name in s.cut)
    elastic = d.elastic(d.length, d.mass, d.time) if d.elastic else {}
    for name, b in s.bodies.items():
        made.bodies[d.body(name)] = _body(b, d, elastic)
    for name, p in s.joints.items():
        made.joints[d.joint(name)] = _placement(p, d)
    for name, force in s.forces.items():
        made.forces[d.other(name)] = _described(force, d, kinds)
    for name, constraint in s.constraints.items():
        made.constraints[d.other(name)] = _described(constraint, d, kinds)

    def of_state(f: Any, factor: float) -> Any:
        return _of_state(f, d, kinds, factor)

    for name, law in s.laws.items():
        made.laws[d.other(name)] = law_drawn(law, d, lambda name: exponent(*_freedom(name, kinds)), of_state)
    draw_elements(s, made, d)
    made.chosen_speeds = speeds_drawn(s.chosen_speeds, d, of_state, {})
    made.chosen_coordinates = coordinates_drawn(s.chosen_coordinates, of_state)
    return made


def reordered(s: da.System, rng: np.random.Generator) -> da.System:
    """Bodies, joints, forces, constraints, laws and elements said in another order."""
    made = _copied(s)
    for what in SAID:
        said = list(getattr(s, what).items())
        setattr(made, what, {said[i][0]: said[i][1] for i in rng.permutation(len(said))})
    return made


def turned_round(s: da.System, rng: np.random.Generator) -> da.System:
    """Some joints said from child to parent; their coordinates mean what they meant."""
    made = _copied(s)
    for name, p in s.joints.items():
        if rng.random() < 0.6:
            made.joints[name] = JointPlacement(
                name, p.joint.reversed(), p.child, p.parent, p.on_child, p.on_parent, p.law, p.speeds
            )
    return made


def _copied(s: da.System) -> da.System:
    return s.__copy__()


def _body(b: Any, d: Drawing, elastic: Mapping[str, ElasticBody]) -> Any:
    if isinstance(b, FlexibleBody):
        return dataclasses.replace(b, name=d.body(b.name), data=elastic.get(b.name, b.data), shapes=())
    return RigidBody(
        d.body(b.name), b.mass * d.unit(mass=1), b.com * d.unit(length=1), b.inertia * d.unit(2, 1), b.shapes
    )


def _placement(p: JointPlacement, d: Drawing) -> JointPlacement:
    joint = in_length(p.joint, d.length)
    return JointPlacement(
        d.joint(p.name), joint, d.body(p.parent), d.body(p.child), d.frame(p.parent, p.on_parent),
        d.frame(p.child, p.on_child), _law(p, d), p.speeds,
    )  # fmt: skip


def _law(p: JointPlacement, d: Drawing) -> PrescribedMotion:
    if d.same_units:
        return p.law

    def scaled(values: tuple[Any, ...], names: tuple[str, ...], time: int) -> tuple[Any, ...]:
        factors = [d.unit(exponent(p.joint, name), time=time) for name in names]
        slowed = {TIME: TIME / d.time}
        return tuple(
            None if x is None else f * (substitute(x, slowed) if type(x) is Expr else x)
            for f, x in zip(factors, values, strict=True)
        )

    speeds = p.joint.speeds
    return PrescribedMotion(
        scaled(p.law.q, p.joint.coordinates, 0), scaled(p.law.u, speeds, -1), scaled(p.law.udot, speeds, -2)
    )


def _with_numbers(s: da.System) -> da.System:
    """Without parameters."""
    made = _copied(s)
    values = {symbol(name): x for name, x in s.parameters.items()}
    _bind(made, values)
    made.parameters = {}
    return made


def _renamed_parameters(s: da.System, d: Drawing) -> da.System:
    made = _copied(s)
    _bind(made, {symbol(old): symbol(new) for old, new in d.parameters.items()})
    made.parameters = {d.parameters.get(name, name): x for name, x in s.parameters.items()}
    return made


def _bind(s: da.System, values: Any) -> None:
    s.gravity = bind(s.gravity, values)
    for what in SAID:
        setattr(s, what, {name: bind(x, values) for name, x in getattr(s, what).items()})


# -- forces and constraints -----------------------------------------------------------------------------------------------
FORCE, TORQUE, ENERGY = (1, 1, -2), (2, 1, -2), (2, 1, -2)
DIMENSIONS: dict[tuple[str, str], tuple[int, int, int]] = {
    ("Spring", "stiffness"): (0, 1, -2),
    ("Spring", "damping"): (0, 1, -1),
    ("Spring", "length"): (1, 0, 0),
    ("Load", "force"): FORCE,
    ("Load", "torque"): TORQUE,
    ("Distance", "length"): (1, 0, 0),
    ("RollingBall", "radius"): (1, 0, 0),
    ("RollingDisc", "radius"): (1, 0, 0),
    ("Relation", "position"): (1, 0, 0),
    ("Relation", "speed"): (1, 0, -1),
}
"""Length, mass, time. What belongs to a freedom of a joint is in `_within_joint`."""
IN_AXES_OF = {"axis": "origin", "normal": "origin"}
"""Fields with a direction, and that whose body's axes it is in."""


def _described(x: Any, d: Drawing, kinds: Mapping[str, da.Joint]) -> Any:
    """A force or constraint, field by field."""
    if isinstance(x, (da.JointSpring, da.Motor, da.Coupling, da.Drive)):
        return _within_joint(x, d, kinds)
    changes: dict[str, Any] = {}
    for f in dataclasses.fields(x):
        value, dimension = getattr(x, f.name), DIMENSIONS.get((type(x).__name__, f.name), (0, 0, 0))
        changes[f.name] = _field(x, f.name, value, d, kinds, dimension)
    return dataclasses.replace(x, **changes)


def _field(x: Any, name: str, value: Any, d: Drawing, kinds: Any, dimension: tuple[int, int, int]) -> Any:
    if isinstance(value, da.Point):
        return d.point(value)
    if name == "on":
        return d.body(value)
    if name == "tension":
        return value and (lambda e, v: d.unit(*FORCE) * value(e / d.unit(1), v / d.unit(1, 0, -1)))
    if name in IN_AXES_OF and hasattr(x, IN_AXES_OF[name]):
        of = x.centre if type(x).__name__ == "RollingDisc" and name == "axis" else getattr(x, IN_AXES_OF[name])
        return tuple(float(c) for c in d.vector(of.body, value))
    turned = d.R if isinstance(x, da.Load) and x.axes == "world" else None
    if callable(value):
        return _of_state(value, d, kinds, d.unit(*dimension), turned)
    if isinstance(value, (float, np.ndarray)) or type(value) is Expr:
        return d.unit(*dimension) * (value if turned is None else turned @ value)
    return value


def _of_state(f: Any, d: Drawing, kinds: Any, factor: float, turned: Any = None) -> Any:
    def value(s: Any) -> Any:
        found = np.asarray(f(Seen(s, d, kinds)))
        found = factor * (found if turned is None else turned @ found)
        return found if np.ndim(found) else found[()] if isinstance(found, np.ndarray) else found

    return value


def _within_joint(x: Any, d: Drawing, kinds: Mapping[str, da.Joint]) -> Any:
    """Generalized forces, and relations between coordinates."""
    if isinstance(x, da.Coupling):
        factors = {d.joint(k): f / d.unit(exponent(*_freedom(k, kinds))) for k, f in x.factors.items()}
        return dataclasses.replace(x, factors=factors)
    if isinstance(x, da.Drive):
        c, value = d.unit(exponent(*_freedom(x.coordinate, kinds))), x.value
        moved = (lambda t: c * value(t / d.time)) if callable(value) else c * value
        return dataclasses.replace(x, coordinate=d.joint(x.coordinate), value=moved)
    kind = kinds[x.joint]
    if isinstance(x, da.JointSpring) and x.coordinate is None and len({exponent(kind, u) for u in kind.speeds}) > 1:
        each = tuple(x.damping * d.unit(*ENERGY) * d.time / d.unit(exponent(kind, u)) ** 2 for u in kind.speeds)
        return Friction(d.joint(x.joint), each)
    c = d.unit(exponent(kind, x.coordinate if x.coordinate is not None else kind.speeds[0]))
    energy, made = d.unit(*ENERGY), dataclasses.replace(x, joint=d.joint(x.joint))
    if isinstance(x, da.Motor):
        torque = _of_state(x.torque, d, kinds, energy / c) if callable(x.torque) else x.torque * energy / c
        return dataclasses.replace(made, torque=torque)
    law = x.torque and (lambda q, u, f=x.torque: energy / c * f(q / c, u * d.time / c))
    return dataclasses.replace(
        made, stiffness=x.stiffness * energy / c**2, damping=x.damping * energy * d.time / c**2, rest=x.rest * c,
        torque=law,
    )  # fmt: skip


def _freedom(name: str, kinds: Mapping[str, da.Joint]) -> tuple[da.Joint, str]:
    head, _, freedom = name.partition(".")
    return kinds[head], freedom


@dataclass(frozen=True, eq=False)
class Friction(da.Force):
    """Damping of each of a joint's speeds by its own factor, as a joint that both turns and slides needs it."""

    joint: str
    damping: tuple[float, ...]

    @property
    def joints(self) -> tuple[str, ...]:
        return (self.joint,)

    def loads(self, s: Any) -> Any:
        _, _, u = s.joint(self.joint)
        yield JointLoad(self.joint, -np.array(self.damping) * u)
