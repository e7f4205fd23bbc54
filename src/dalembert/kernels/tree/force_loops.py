"""Computations that differ only in their constants and in where they read and write: code for one of them, in a loop.

Hundreds of springs are one spring with a table. Two graphs are the same computation if they are built alike, number for number; a
constant other than 0 and ±1 then becomes an entry of the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalembert.kernels.derivatives.tangent_block import STEADY, tangent
from dalembert.kernels.runtime.straight import NAMES
from dalembert.trace import Expr, symbol
from dalembert.trace.graph import ordered, rebuild
from dalembert.trace.native import Array, Block, Module, Output, Pointer, Signature
from dalembert.trace.ops import COMMUTATIVE, POW, SYMBOL

Place = tuple[str, int]
"""An array among a kernel's arguments, and an element of it."""


@dataclass(frozen=True)
class Unit:
    """Values to be added to elements of a kernel's arrays, and where the symbols in them are found.

    Units of one kind have their symbols in one order.
    """

    values: Sequence[Any]
    to: Sequence[Place]
    sources: Mapping[Expr, Place]
    constants: Mapping[Expr, float]
    """Symbols that stand for constants."""


@dataclass
class Repeated:
    """Units with one structure: their code on an array x of inputs, and for each its constants and places."""

    values: list[Any]
    inputs: list[str]
    outputs: list[str]
    n_constants: int
    constants: list[float] = field(default_factory=list)
    reads: list[int] = field(default_factory=list)
    writes: list[int] = field(default_factory=list)

    @property
    def count(self) -> int:
        return len(self.writes) // len(self.outputs)

    def block(self, name: str) -> Block:
        """K, x → y."""
        used = {e for e in ordered(self.values) if e.op is SYMBOL}
        places = {symbol(f"#K{i}"): ("K", i) for i in range(self.n_constants)}
        places |= {symbol(f"#x{i}"): ("x", i) for i in range(len(self.inputs))}
        outputs = [Output(value, "y", i) for i, value in enumerate(self.values)]
        arrays = [Array("K", uniform=True), Array("x"), Array("y")]
        return Block(name, arrays, {s: place for s, place in places.items() if s in used}, outputs)


def repeated(units: Sequence[Unit]) -> list[Repeated]:
    """The units, those of one structure together."""
    found: dict[Any, Repeated] = {}
    for unit in units:
        read = _UnitStructure(unit)
        if read.structure not in found:
            inputs = [unit.sources[s][0] for s in read.symbols]
            outputs = [array for array, _ in unit.to]
            found[read.structure] = Repeated(read.lifted(), inputs, outputs, len(read.constants))
        one = found[read.structure]
        one.constants += read.constants
        one.reads += [unit.sources[s][1] for s in read.symbols]
        one.writes += [index for _, index in unit.to]
    return list(found.values())


class _UnitStructure:
    """A unit taken apart into its structure, and the constants and symbols that fill it.

    In which order two arguments of a sum or product stand depends on which of their symbols was there first, perhaps long ago: it is
    no part of the structure.
    """

    def __init__(self, unit: Unit):
        self.unit = unit
        every = dict.fromkeys(ordered(list(unit.values)))
        self.nodes = [e for e in every if e.op is not SYMBOL]
        self.number = {e: i for i, e in enumerate(self.nodes)}
        self.symbols = {s: i for i, s in enumerate(s for s in unit.sources if s in every)}
        self.named = {s: i for i, s in enumerate(s for s in unit.constants if s in every)}
        self.constants = [unit.constants[s] for s in self.named]
        operations = [self._operation(e) for e in self.nodes]
        ends = [self._described(None, value) for value in unit.values]
        self.structure = (tuple(operations), tuple(ends), tuple(array for array, _ in unit.to))

    def _operation(self, e: Expr) -> tuple[Any, ...]:
        arguments = [self._described(e, a) for a in e.args]
        return (e.op.name, *(sorted(arguments, key=repr) if e.op in COMMUTATIVE else arguments))

    def _described(self, e: Expr | None, argument: Any) -> Any:
        if type(argument) is not Expr:
            if _is_structure(e, argument):
                return repr(argument)
            self.constants.append(float(argument))
            return "constant"
        if argument.op is not SYMBOL:
            return self.number[argument]
        if argument in self.named:
            return "constant", self.named[argument]
        return "symbol", self.symbols[argument], self.unit.sources[argument][0]

    def lifted(self) -> list[Any]:
        """The values with table entries in place of constants and inputs in place of symbols."""
        constants = iter(range(len(self.named), len(self.constants)))
        new: dict[Expr, Any] = {s: symbol(f"#x{i}") for s, i in self.symbols.items()}
        new |= {s: symbol(f"#K{i}") for s, i in self.named.items()}

        def taken(e: Expr | None, argument: Any) -> Any:
            if type(argument) is Expr:
                return new[argument]
            return argument if _is_structure(e, argument) else symbol(f"#K{next(constants)}")

        for e in self.nodes:
            new[e] = rebuild(e.op, [taken(e, a) for a in e.args])
        return [taken(None, value) for value in self.unit.values]


def _is_structure(e: Expr | None, argument: Any) -> bool:
    """Whether a constant belongs to the structure: 0 and ±1, exponents, and whatever is not a number."""
    return not isinstance(argument, (int, float)) or argument in (0.0, 1.0, -1.0) or (e is not None and e.op is POW)


@dataclass(frozen=True)
class Loops:
    """All classes of units, as a function on a kernel's arguments; before anything is added, `cleared` elements of `work` become 0."""

    name: str
    classes: Sequence[Repeated]
    cleared: Sequence[int] = ()

    def compiled(self, module: Module, lanes: int, name: str) -> Signature:
        """`name(NAMES…)`."""
        blocks = [c.block(f"{self.name}{i}") for i, c in enumerate(self.classes)]
        return self._compiled(module, lanes, name, blocks, ("",))

    def compiled_tangent(self, module: Module, lanes: int, name: str) -> Signature:
        """`name(NAMES…, dNAMES…)`: the rates of what is added, along directions."""
        blocks = [tangent(c.block(f"{self.name}{i}")) for i, c in enumerate(self.classes)]
        return self._compiled(module, lanes, name, blocks, ("", "d"))

    def _compiled(
        self, module: Module, lanes: int, name: str, blocks: Sequence[Block], kinds: tuple[str, ...]
    ) -> Signature:
        functions = [module.block(b, lanes, f"{name}_{b.name}") for b in blocks]
        parameters: dict[str, Any] = {kind + a: Pointer for kind in kinds for a in NAMES if not (kind and a in STEADY)}
        d = kinds[-1]
        with module.function(f"{name}_{self.name}", lanes=lanes, **parameters) as f:
            cleared = module.int_table([*self.cleared, 0])
            with f.loop(len(self.cleared)) as place:
                getattr(f, d + "work")[cleared[place]] = 0.0
            for c, function in zip(self.classes, functions):
                constants, reads = module.real_table([*c.constants, 0.0]), module.int_table([*c.reads, 0])
                writes = module.int_table(c.writes)
                x = {kind: f.array(max(1, len(c.inputs))) for kind in kinds}
                y = {kind: f.array(len(c.outputs)) for kind in kinds}
                with f.loop(c.count) as k:
                    for i, array in enumerate(c.inputs):
                        source = reads[k * len(c.inputs) + i]
                        for kind in kinds:
                            steady = kind and array in STEADY
                            x[kind][i] = 0.0 if steady else getattr(f, kind + array)[source]
                    f.call(function, constants + k * c.n_constants, *(v for kind in kinds for v in (x[kind], y[kind])))
                    for j, array in enumerate(c.outputs):
                        at, target = writes[k * len(c.outputs) + j], getattr(f, d + array)
                        target[at] = target[at] + y[d][j]
        return f.signature
