"""Signals: what elements read of each other, of the mechanism and of time, each worked out when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from dalembert.elements.element import ENERGIES
from dalembert.errors import ModelError, StateError
from dalembert.parts.names import text, unknown
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from typing import Self

    from dalembert.elements.placed import PlacedElement
    from dalembert.kinematics.state import State
    from dalembert.vectors import Vector


Made = TypeVar("Made")


class ElementAt:
    """An element where the mechanism is: `x["name"]` its states and inputs, `x.s` the state of the mechanism, `x.t` the time."""

    def __init__(self, placed: PlacedElement, s: Any):
        self._placed = placed
        self.s: State = s

    @property
    def t(self) -> Scalar:
        return self.s.t

    def __getitem__(self, name: str) -> Scalar:
        p = self._placed
        if name in p.z:
            return p.z[name]
        if name in p.sources:
            return self.s.signals.of_source(p.sources[name])
        raise unknown(name, "state or input", [*p.z, *p.sources], f'element "{p.name}"')

    def gravity(self, at: Vector) -> Vector:
        """Acceleration of free fall at a place of the world: the uniform one, and that of fields among the elements."""
        m = self.s.mechanism
        total: Vector = m.gravity
        for p in m.elements.values():
            total = total + p.element.gravity(ElementAt(p, self.s), at)
        return total

    def kept(self, name: str, make: Callable[[], Made]) -> Made:
        """What `make` makes of the element in this state, made once."""
        key, kept = f"{self._placed.name}/{name}", self.s.signals.kept
        if key not in kept:
            kept[key] = make()
        made: Made = kept[key]
        return made


class Signals:
    """All signals of a state, by name."""

    def __init__(self, s: Any):
        self._s = s
        self._known: dict[str, Any] = {}
        self._asked: list[str] = []
        self.kept: dict[str, Any] = {}
        """What elements made of this state and ask for again."""

    def __getitem__(self, name: str) -> Scalar:
        if name not in self._known:
            self._known[name] = self._worked_out(name)
        return self._known[name]

    def of_source(self, source: Any) -> Scalar:
        """The value of what an input is connected to."""
        if isinstance(source, str):
            return self[source]
        return scalar(self._s, source(self._s)) if callable(source) else source

    def _worked_out(self, name: str) -> Scalar:
        owner, _, what = name.partition(".")
        elements = self._s.mechanism.elements
        if owner not in elements:
            raise unknown(name, "signal", signal_names(elements), "signals")
        placed = elements[owner]
        if what in placed.z:
            return placed.z[what]
        outputs = placed.element.outputs
        if what not in outputs and what not in ENERGIES:
            raise unknown(name, "signal", [f"{owner}.{x}" for x in (*placed.z, *outputs)], f'element "{owner}"')
        if name in self._asked:
            way = " → ".join([*self._asked[self._asked.index(name) :], name])
            raise ModelError(
                f'element "{owner}": its output "{what}" depends on itself, {way}: an algebraic loop; put an element with a state '
                "between, such as da.LowPass, or sample one of them"
            )
        self._asked.append(name)
        try:
            of = outputs[what] if what in outputs else getattr(placed.element, what)
            return scalar(self._s, of(ElementAt(placed, self._s)))
        finally:
            self._asked.pop()


class ReadsSignals:
    """What a state offers of elements: `s.signal("motor.torque")`."""

    _signals: Signals | None = None
    _udot: Any = None
    _multipliers: Vector | None = None

    @property
    def udot(self) -> Vector:
        """Rates of the speeds, where they are known: at samples of elements."""
        if self._udot is None:
            raise ModelError(
                "accelerations and reactions follow from all forces, so that what reads them while these are worked out makes an "
                "algebraic loop; read them by a sensor that is sampled, or by da.Hold, or after the run, by motion.acceleration and "
                "motion.reaction"
            )
        known: Vector = self._udot
        return known

    @property
    def multipliers(self) -> Vector:
        """Multipliers λ of all rows of loops and constraints, where they are known: at samples of elements."""
        return self.udot[:0] if self._multipliers is None else self._multipliers

    def with_udot(self, udot: Vector, multipliers: Vector | None = None) -> Self:
        """The same state, in which the rates of the speeds are known, and the multipliers of the constraints."""
        made = copy(self)
        made._signals, made._udot, made._multipliers = None, udot, multipliers
        return made

    @property
    def signals(self) -> Signals:
        """Signals by name."""
        if self._signals is None:
            self._signals = Signals(self)
        return self._signals

    def signal(self, name: str) -> Scalar:
        """A state or an output of an element: `s.signal("motor.torque")`; of every element also "stored", "dissipated", "supplied"."""
        value = self.signals[text(name, "signal")]
        if value != value:  # not a number
            raise StateError(
                f'signal "{name}" is not a number in this state: its element divides by zero there, or takes a root or a logarithm '
                "of what has none"
            )
        return value


def scalar(s: Any, value: Any) -> Scalar:
    """What an element's function gave, with numbers for parameters where the state is numeric; it must be one number."""
    values = s.settled(value)
    if values.size != 1:
        raise ModelError(f"one number is expected, not {value!r}")
    return values.item()


def signal_names(elements: Any) -> list[str]:
    """Names of all states and outputs."""
    return [f"{name}.{x}" for name, p in elements.items() for x in (*p.z, *p.element.outputs)]
