"""Numbers of a mechanism kept as symbols on request: gravity, masses and inertias, places of joints, constants of forces.

A number is said as `owner.field`: "rod.mass", "spring.stiffness", "A.at_parent". It becomes a parameter with the value it has, so that
everything that can be done with parameters can be done with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.names import nearest
from dalembert.trace.expr import Expr, symbol

if TYPE_CHECKING:
    from dalembert.mechanism.mechanism import Mechanism

LETTERS = {"mass": "m", "inertia": "I", "com": "c", "stiffness": "k", "damping": "d"}
"""Letters of fields, where their names are long."""
OF_BODIES = ("mass", "com", "inertia")
Change = Callable[[str, Any], Any]


def with_symbols(m: Mechanism, asked: list[str] | Mapping[str, str]) -> Mechanism:
    """The mechanism with these numbers as parameters. A list gives them names by custom, a mapping says the names."""
    wanted = dict(asked) if isinstance(asked, Mapping) else dict.fromkeys(asked, "")
    known: dict[str, Any] = {}
    _changed(m, lambda address, value: known.setdefault(address, value))
    chosen: dict[str, str] = {}
    for pattern, name in wanted.items():
        found = [address for address in known if fnmatchcase(address, pattern)]
        if not found:
            raise ModelError(
                f'mechanism "{m.name}": there is no number {pattern!r} to be kept as a symbol; '
                f"{nearest(pattern, known, 'choose among')}"
            )
        chosen |= dict.fromkeys(found, name)
    made = _Names(m)
    changed = _changed(m, lambda address, value: made(address, value, chosen.get(address)))
    return replace(m, **changed, parameters={**m.parameters, **made.parameters})


@dataclass
class _Names:
    """Symbols for numbers, and the values that these have."""

    mechanism: Mechanism
    parameters: dict[str, float] = field(default_factory=dict)

    def __call__(self, address: str, value: Any, name: str | None) -> Any:
        """The number, or array of numbers, in symbols; as it is where none is asked for."""
        if name is None:
            return value
        if address == "gravity":
            return self._gravity(value, name or "g")
        if type(value) is not np.ndarray:
            return value if type(value) is Expr else self._symbol(name or _by_custom(address), value)
        elements = {index: x for index, x in np.ndenumerate(value) if isinstance(x, float) and x != 0.0}
        made = np.array(value, dtype=object)
        single = len({tuple(sorted(index)) for index in elements}) == 1
        for index, x in elements.items():
            axes = "".join("xyz"[k] for k in sorted(index))
            own = name + ("" if single else axes) if name else _by_custom(address) + ("" if single else f"_{axes}")
            made[index] = self._symbol(own, x, again=len(index) == 2 and index[0] > index[1])
        return made

    def _gravity(self, value: np.ndarray, name: str) -> np.ndarray:
        if any(type(x) is Expr for x in value):
            return value
        size = float(np.linalg.norm(value))
        if size == 0.0:
            raise ModelError(f'mechanism "{self.mechanism.name}": its gravity is 0, and has no symbol')
        g = self._symbol(name, size)
        return np.array([x / size * g for x in value], dtype=object)

    def _symbol(self, name: str, value: float, again: bool = False) -> Expr:
        m = self.mechanism
        taken = {"t", *m.parameters, *(f"q_{q}" for q in m.coordinates), *(f"u_{u}" for u in m.speeds)}
        if name in taken or (name in self.parameters and not again):
            raise ModelError(
                f'mechanism "{m.name}": there is a {name!r} already; say another name, symbols={{"gravity": "g0"}}'
            )
        self.parameters.setdefault(name, value)
        return symbol(name)


def _by_custom(address: str) -> str:
    owner, _, what = address.rpartition(".")
    return f"{LETTERS.get(what, what)}_{owner}"


def _changed(m: Mechanism, change: Change) -> dict[str, Any]:
    """The parts of a mechanism that have numbers, with what `change(address, value)` makes of each."""

    def thing(owner: str, it: Any, names: Iterable[str]) -> Any:
        numbers = {n: x for n in names if _is_number(x := getattr(it, n, None))}
        return _with(it, {n: change(f"{owner}.{n}", x) for n, x in numbers.items()})

    def joint(j: Any) -> Any:
        places = {side: getattr(j, f"on_{side}") for side in ("parent", "child")}
        moved = {
            f"on_{side}": _with(x, {"position": change(f"{j.name}.at_{side}", x.position)})
            for side, x in places.items()
        }
        own = [n for n in _names(j.joint) if np.ndim(getattr(j.joint, n)) == 0]  # axes are of unit length
        return _with(j, {**moved, "joint": thing(j.name, j.joint, own)})

    return {
        "gravity": change("gravity", m.gravity),
        "bodies": tuple(thing(b.name, b, [n for n in OF_BODIES if n in _names(b)]) for b in m.bodies),
        "joints": tuple(map(joint, m.joints)),
        "cuts": tuple(map(joint, m.cuts)),
        "forces": {name: thing(name, x, _names(x)) for name, x in m.forces.items()},
        "constraints": {name: thing(name, x, _names(x)) for name, x in m.constraints.items()},
    }


def _names(thing: Any) -> list[str]:
    return [f.name for f in fields(thing) if f.init] if is_dataclass(thing) else []


def _is_number(x: Any) -> bool:
    """Whether it is a number or an array of numbers, traced or not."""
    if isinstance(x, np.ndarray):
        return x.dtype == float or (x.dtype == object and all(type(e) in (Expr, float) for e in x.ravel()))
    return type(x) in (Expr, float)


def _with(thing: Any, new: Mapping[str, Any]) -> Any:
    changed = {name: x for name, x in new.items() if x is not getattr(thing, name)}
    return replace(thing, **changed) if changed else thing
