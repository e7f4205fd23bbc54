"""What a study varies: parameters, initial values, speeds, and numbers of the description, each found by its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import ArgumentError, ModelError
from dalembert.mechanism import Mechanism
from dalembert.parts.names import nearest
from dalembert.studies.spreads import Normals, Spread, as_spread
from dalembert.trace import Expr
from dalembert.trace.graph import free_symbols
from dalembert.trace.ops import SYMBOL

KINDS = ("parameter", "initial", "speed")
"""What a name may be of; said before it, "initial A", where two things have one name."""


@dataclass(frozen=True)
class Input:
    """One number that varies: its name, and its place among parameters, coordinates or speeds."""

    name: str
    kind: str
    at: int
    key: str
    """The name by which the mechanism takes it."""
    nominal: float
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Inputs:
    """All inputs in their order, in groups with a spread each."""

    mechanism: Mechanism
    every: tuple[Input, ...]
    spreads: tuple[Spread, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(i.name for i in self.every)

    def __len__(self) -> int:
        return len(self.every)

    def values(self, x: np.ndarray) -> np.ndarray:
        """(K, inputs) values from as many numbers between 0 and 1."""
        made, at = np.empty(x.shape), 0
        for spread in self.spreads:
            own = slice(at, at + spread.size)
            made[:, own], at = spread.values(x[:, own]), at + spread.size
        return made

    @property
    def correlated(self) -> bool:
        return any(spread.size > 1 for spread in self.spreads)

    @property
    def variance(self) -> np.ndarray:
        """(inputs, inputs)."""
        made, at = np.zeros((len(self), len(self))), 0
        for spread in self.spreads:
            own = slice(at, at + spread.size)
            made[own, own], at = spread.variance, at + spread.size
        return made

    @property
    def means(self) -> np.ndarray:
        """(inputs,)."""
        return np.concatenate([spread.means for spread in self.spreads])

    def described(self) -> str:
        """A line for every group."""
        lines, at = [], 0
        for spread in self.spreads:
            names = ", ".join(self.names[at : at + spread.size])
            lines.append(f"{names}: {spread.described}")
            at += spread.size
        return "\n".join(lines)

    def recorded(self) -> list[Any]:
        """For files."""
        return [[i.name, i.kind, i.key] for i in self.every] + [spread.recorded for spread in self.spreads]


def inputs_of(m: Mechanism, vary: Mapping[Any, Any], initial: Mapping[str, Any], speeds: Mapping[str, Any]) -> Inputs:
    """The inputs that `vary` names, in a mechanism in which all of them can be set."""
    if not isinstance(vary, Mapping) or not vary:
        raise ArgumentError('study: vary must say what varies, {"name": how}, for example {"crank": "±1%"}')
    every: list[Input] = []
    spreads: list[Spread] = []
    for key, how in vary.items():
        names = key if isinstance(key, tuple) else (key,)
        found = []
        for name in names:
            if not isinstance(name, str):
                raise ArgumentError(f"study: each name in vary must be a name in quotes, not {name!r}")
            m, one = _resolved(m, name, initial, speeds)
            found.append(one)
        where = f"study: vary {', '.join(map(repr, names))}"
        spread = as_spread(how, found[0].nominal if len(found) == 1 else None, where)
        if spread.size != len(found):
            wanted = "da.studies.Normals(mean, covariance)" if len(found) > 1 else "a single spread"
            raise ArgumentError(f"{where}: {len(found)} names need {wanted}, and this is for {spread.size}")
        if isinstance(spread, Normals) and len(found) == 1:
            raise ArgumentError(f"{where}: Normals are for several names; give scipy.stats.norm(mean, sigma)")
        every += found
        spreads.append(spread)
    _check_once(every)
    return Inputs(m, tuple(every), tuple(spreads))


def _check_once(every: list[Input]) -> None:
    seen: dict[tuple[str, int], str] = {}
    for one in every:
        before = seen.setdefault((one.kind, one.at), one.name)
        if before is not one.name:
            raise ArgumentError(
                f"study: vary names {before!r} and {one.name!r}, which are one number; leave one of them out"
            )


def _resolved(
    m: Mechanism, said: str, initial: Mapping[str, Any], speeds: Mapping[str, Any]
) -> tuple[Mechanism, Input]:
    """What a name means; a number of the description becomes a parameter first."""
    first, _, rest = said.partition(" ")
    kind, name = (first, rest.strip()) if first in KINDS and rest else ("", said)
    found = {}
    if name in m.parameters:
        found["parameter"] = Input(name, "parameter", list(m.parameters).index(name), name, m.parameters[name])
    if name in m.coordinates:
        at = m.coordinates.index(name)
        value = float(np.ravel(initial.get(name, m.reference[at]))[0])
        found["initial"] = Input(name, "initial", at, name, value)
    if name.endswith("'") and name[:-1] in m.speeds:
        at = m.speeds.index(name[:-1])
        value = float(np.ravel(speeds.get(name[:-1], 0.0))[0])
        found["speed"] = Input(name, "speed", at, name[:-1], value)
    if kind:
        found = {k: x for k, x in found.items() if k == kind}
    if len(found) > 1:
        raise ArgumentError(
            f"study: {name!r} is a parameter and a coordinate; say 'parameter {name}' or 'initial {name}'"
        )
    if found:
        return m, next(iter(found.values()))
    if "." in name or name == "gravity":
        return _of_description(m, name)
    known = [*m.parameters, *m.coordinates, *(f"{u}'" for u in m.speeds), "gravity"]
    raise ArgumentError(
        f"study: there is no parameter, coordinate or speed {name!r} to vary; {nearest(name, known)} Numbers of the description are "
        "said as owner.field: rod.mass, spring.stiffness"
    )


def _of_description(m: Mechanism, said: str) -> tuple[Mechanism, Input]:
    """A number said as owner and field: the parameter that stands there, or a new one."""
    owner, _, field = said.rpartition(".")
    alias = _parameter_behind(m, owner, field)
    if alias is not None:
        return m, Input(said, "parameter", list(m.parameters).index(alias), alias, m.parameters[alias])
    key = "".join(c if c.isalnum() else "_" for c in said)
    try:
        made = m.with_symbols({said: key})
    except ModelError as problem:
        raise ArgumentError(f"study: vary {said!r}: {problem}") from None
    new = [name for name in made.parameters if name not in m.parameters]
    if len(new) != 1:
        names = ", ".join(new) or "nothing new"
        raise ArgumentError(
            f"study: vary {said!r} is not one number but several ({names}); make them parameters by m.with_symbols, and vary these"
        )
    return made, Input(said, "parameter", list(made.parameters).index(new[0]), new[0], made.parameters[new[0]])


def _parameter_behind(m: Mechanism, owner: str, field: str) -> str | None:
    """The parameter that a field of a body, of its shapes, of a force or of a constraint is; None where it is none alone."""
    body = next((b for b in m.bodies if b.name == owner), None)
    things = [x for x in (body, m.forces.get(owner), m.constraints.get(owner)) if x is not None]
    things += list(getattr(body, "shapes", ()))
    values = [getattr(x, field) for x in things if hasattr(x, field)]
    names = {v.name for v in values if type(v) is Expr and v.op is SYMBOL}
    if len(names) == 1 and next(iter(names)) in m.parameters:
        return str(next(iter(names)))
    of_shapes = [v for x in things[1 - (body is None) :] if (v := getattr(x, field, None)) is not None]
    if body is not None and not hasattr(body, field) and of_shapes:
        made_of = sorted(s.name for s in free_symbols([v for v in of_shapes if type(v) is Expr]))
        hint = f"it is made of {', '.join(made_of)}: vary these" if made_of else "make it a parameter of the model"
        raise ArgumentError(
            f"study: vary '{owner}.{field}': this length is drawn and shapes the body's inertia and joints; {hint}"
        )
    return None
