"""Functions written in Python as expressions of model files, where they use nothing but time, coordinates and speeds."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.elements.element import ENERGIES
from dalembert.errors import ModelError
from dalembert.files.expressions import Formula, written
from dalembert.files.models.kinds import FunctionKind
from dalembert.files.models.records import fields_of
from dalembert.parts.names import unknown
from dalembert.system.system import System
from dalembert.trace import Expr, symbol, tracing
from dalembert.trace.bind import expressions_in
from dalembert.trace.graph import ordered
from dalembert.trace.table import Table, TableOp
from dalembert.vectors import vector


class Asked:
    """Stands for the state: what a function asks of it bears the name that an expression would give it."""

    def __init__(self, system: System):
        self._system = system
        self.t = symbol("t")
        self.q, self.u = _ByName(self, "q"), _ByName(self, "u")

    def signal(self, name: str) -> Any:
        """A state or an output of an element."""
        owner, _, what = name.partition(".")
        e = self._system.elements.get(owner)
        if e is None or what not in (*e.states, *e.outputs, *ENERGIES) or not re.fullmatch(r"\w+", owner):
            raise unknown(name, "signal", self._system.elements, "state")
        return symbol(name)

    def known(self, name: str) -> bool:
        """Whether a joint, or an elastic body, has this name."""
        s = self._system
        return name in s.joints or (name in s.bodies and bool(s.bodies[name].modes))

    def freedoms(self, name: str) -> dict[str, tuple[str, ...]]:
        s = self._system
        if name in s.joints:
            joint = s.joints[name].joint
            return {"q": tuple(joint.coordinates), "u": tuple(joint.speeds)}
        if name in s.bodies and s.bodies[name].modes:
            return {"q": s.bodies[name].modes, "u": s.bodies[name].modes}
        raise unknown(name, "joint", s.joints, "state")


class _ByName:
    def __init__(self, asked: Asked, kind: str):
        self._asked, self._kind = asked, kind

    def __getitem__(self, name: str) -> Any:
        owner, _, freedom = name.rpartition(".")
        if self._asked.known(owner) and not self._asked.known(name):
            return self._several(owner, [freedom])
        return self._several(name, self._asked.freedoms(name)[self._kind])

    def _several(self, name: str, freedoms: Sequence[str]) -> Any:
        plain = re.fullmatch(r"\w+", name) and all(re.fullmatch(r"\w*", f) for f in freedoms)
        texts = [f"{name}.{f}" if f else name for f in freedoms]
        values = [symbol(f"{self._kind}.{x}" if plain else f'{self._kind}["{x}"]') for x in texts]
        return values[0] if len(values) == 1 else vector(values)


def as_expressions(thing: Any, system: System) -> Any:
    """The force, constraint, output or event with its functions as formulas; those that ask for more are left as they are."""
    changes: dict[str, Any] = {}
    cls: type = type(thing)
    for f in fields_of(cls) if dataclasses.is_dataclass(cls) else ():
        value = getattr(thing, f.name, None)
        if isinstance(f.kind, FunctionKind) and callable(value) and not isinstance(value, Formula):
            made = as_formula(value, f.kind.function.arguments, system)
            changes |= {} if made is None else {f.name: made}
        elif isinstance(value, Mapping) and any(callable(x) and not isinstance(x, Formula) for x in value.values()):
            changes[f.name] = {k: _of_state(x, system) for k, x in value.items()}
    return dataclasses.replace(thing, **changes) if changes else thing


def _of_state(function: Any, system: System) -> Any:
    """A function of the state as a formula, or itself."""
    if isinstance(function, Formula):
        return function
    made = as_formula(function, ("s",), system)
    return function if made is None else made


def as_formula(function: Any, arguments: tuple[str, ...], system: System) -> Formula | None:
    """None where it asks for more than an expression can say, or a parameter has the name of an argument."""
    if set(arguments) & set(system.parameters):
        return None
    with tracing():
        given = [Asked(system)] if arguments == ("s",) else [symbol(x) for x in arguments]
        try:
            value = np.asarray(function(*given), dtype=object)
            texts = [written(x, "") for x in value.ravel()]
        except Exception:  # whatever a user's function raises on symbols
            return None
        tables = {t.name: t for x in value.ravel() for t in _tables(x)}
    parameters = list(system.parameters)
    calls = {k: v for table in tables.values() for k, v in table.functions.items()}
    try:
        return Formula(
            [x if isinstance(x, str) else repr(x) for x in texts], arguments, parameters, not value.ndim, calls
        )
    except ModelError:
        return None


def _tables(x: Any) -> Iterator[Table]:
    for e in ordered([x]) if type(x) is Expr else ():
        if isinstance(e.op, TableOp) and e.op.column is not None:
            yield e.op.column.table


def tables_of(system: System, things: list[Any]) -> dict[str, Table]:
    """Those the system names, and those that its motions and functions use."""
    found = dict(system.tables)

    def add(table: Table) -> None:
        other = found.setdefault(table.name, table)
        if not np.array_equal(other.values, table.values) or not np.array_equal(other.times, table.times):
            raise ModelError(f'two tables are named "{table.name}"; give one of them another name')

    for p in system.joints.values():
        for x in (*p.law.q, *expressions_in(p.joint)):
            for table in _tables(x):
                add(table)
    for thing in things:
        for f in dataclasses.fields(thing) if dataclasses.is_dataclass(thing) else ():
            value = getattr(thing, f.name, None)
            formulas = [
                x for x in (value.values() if isinstance(value, Mapping) else [value]) if isinstance(x, Formula)
            ]
            for apply in [call for x in formulas for call in x.functions]:
                op = getattr(apply, "args", (None,))[0]
                if isinstance(op, TableOp) and op.column is not None:
                    add(op.column.table)
    return found
