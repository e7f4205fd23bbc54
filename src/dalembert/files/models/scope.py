"""What an expression of a model file may name: parameters, and where forces act, joints."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.errors import ModelError
from dalembert.files.expressions import (
    ExpressionError,
    Formula,
    JointRead,
    OutputRead,
    SyntaxNode,
    evaluated,
    parse,
    parts,
)  # fmt: skip
from dalembert.files.expressions.formula import named
from dalembert.files.expressions.syntax import Name, SignalRead
from dalembert.files.models.place import Entry
from dalembert.parts.frames import Frame
from dalembert.parts.joints import Joint
from dalembert.parts.names import nearest, unknown
from dalembert.parts.outputs import OutputQuantity, Value
from dalembert.trace import Scalar, symbol, symbols, tracing


@dataclass(frozen=True, eq=False)
class Scope:
    """Grows as the file is read."""

    parameters: dict[str, Any] = field(default_factory=dict)
    """Symbols of the parameters by name."""
    frames: Mapping[str, tuple[str, Frame]] = field(default_factory=dict)
    bodies: Mapping[str, Any] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    tables: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    """Columns of sampled data, as expressions call them."""
    outputs: dict[str, OutputQuantity] = field(default_factory=dict)
    """Those that events and chosen speeds may look at."""
    signals: set[str] = field(default_factory=set)
    """States and outputs of elements."""
    elements: set[str] = field(default_factory=set)
    """Names of elements, whose states numbers may be made of."""
    states_read: list[tuple[Entry, str]] = field(default_factory=list)
    """States that numbers are made of, and where: they are read before the elements."""
    chosen: dict[str, set[str]] = field(default_factory=lambda: {"q": set(), "u": set()})
    """Names of coordinates and speeds that the file chooses, for those who may name them."""

    def number(self, entry: Entry, **variables: Any) -> Scalar:
        """A float, or the expression's value: a float or an Expr of parameters, states of elements and `variables`."""
        if isinstance(entry.value, float):
            if not math.isfinite(entry.value):
                raise entry.error(f"a finite number is expected here, not {entry.value}")
            return entry.value
        text = entry.text("a number or an expression")
        with entry.blamed():
            node = parse(text, self.tables)
            value = evaluated(node, text, lambda x: self._constant(entry, text, x, {**self.parameters, **variables}))
        if isinstance(value, float) and not math.isfinite(value):
            raise entry.error(f"the expression {text!r} is {value}, not a finite number")
        return value

    def _constant(self, entry: Entry, text: str, x: SyntaxNode, known: Mapping[str, Any]) -> Any:
        if isinstance(x, Name):
            return named(text, x.at, x.name, known)
        if not isinstance(x, SignalRead):
            raise ExpressionError(text, x.at, "coordinates, speeds and outputs are not known here, only parameters")
        if x.name.partition(".")[0] not in self.elements:
            raise ExpressionError(text, x.at, f"{x.name!r} is not known here, only parameters and states of elements")
        self.states_read.append((entry, x.name))
        return symbol(x.name)

    def plain(self, entry: Entry) -> float:
        """A number that depends on nothing."""
        value = Scope().number(entry)
        assert isinstance(value, float)
        return value

    def function(self, entries: Sequence[Entry], arguments: tuple[str, ...], single: bool, constant: bool) -> Any:
        """The function the texts say; plain numbers where they name no variable and numbers will do."""
        texts = [repr(e.value) if isinstance(e.value, float) else e.text("a number or an expression") for e in entries]
        nodes = []
        for e, text in zip(entries, texts):
            with e.blamed():
                nodes.append(parse(text, self.tables))
        variables = ("t",) if arguments == ("s",) else arguments
        varies = any(_varies(part, variables) for node in nodes for part in parts(node))
        if constant and not varies:
            values = [self.number(e) for e in entries]
            return values[0] if single else values
        stand_ins = {name: _StandIn(output) for name, output in self.outputs.items()}
        for e, text in zip(entries, texts):
            with e.blamed(), tracing():
                self._tried(Formula([text], arguments, list(self.parameters), True, self.tables, stand_ins))
        return Formula(texts, arguments, list(self.parameters), single, self.tables, dict(self.outputs))

    def _tried(self, formula: Formula) -> Any:
        """Value of a formula on symbols: whatever it names must exist."""
        return formula(*([self] if formula.arguments == ("s",) else [symbol(f"#{x}") for x in formula.arguments]))

    # -- as a state, on which formulas are tried -----------------------------------------------------------------------
    @property
    def t(self) -> Scalar:
        return symbol("t")

    def signal(self, name: str) -> Scalar:
        """As `State.signal`, a symbol."""
        if name not in self.signals and not name.startswith("own."):
            raise unknown(name, "signal", self.signals, "signals")
        return symbol(f"#{name}")

    def own_variable(self, kind: str, name: str) -> Scalar | None:
        """As `State.own_variable`, a symbol."""
        return symbol(f"#{kind}.{name}") if name in self.chosen[kind] else None

    def freedoms(self, name: str) -> tuple[tuple[str, ...], tuple[str, ...], Any, Any]:
        """As `State.freedoms`, of symbols."""
        bend = {k: b.modes for k, b in self.bodies.items() if b.modes}
        if name in self.joints:
            coordinates, speeds = self.joints[name].coordinates, self.joints[name].speeds
        elif name in bend:
            coordinates = speeds = bend[name]
        else:
            raise ModelError(f"there is no joint {name!r}; {nearest(name, [*self.joints, *bend])}")
        return coordinates, speeds, symbols("#q", range(len(coordinates))), symbols("#u", range(len(speeds)))


@dataclass(frozen=True, eq=False)
class _StandIn:
    """An output on which formulas are tried."""

    output: OutputQuantity

    def value(self, s: Any) -> Any:
        return symbol("#out") if isinstance(self.output, Value) else symbols("#out", range(3))


def _varies(part: SyntaxNode, variables: tuple[str, ...]) -> bool:
    return isinstance(part, (JointRead, OutputRead, SignalRead)) or (isinstance(part, Name) and part.name in variables)
