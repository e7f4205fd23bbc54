"""Vectors in the axes in which they are short, while equations are written.

What is fixed in a body has few components in the body's own axes, and long ones in the world's. Inside `short_axes()` a traced rotation
becomes `Axes`, and what it turns becomes `Framed`: an array of world components like any other, which also knows the parts it is the
sum of, each in the axes of one frame. Sums, vector and scalar products are taken part by part, and Rᵀ takes a part in R's axes as it
is: RᵀR is never formed, and need not be found to be 1. Operations that are not known here give plain arrays of world components, which
are right and only longer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from dalembert.trace.expr import Expr

_ON: ContextVar[bool] = ContextVar("short axes", default=False)


@contextmanager
def short_axes(on: bool = True) -> Iterator[None]:
    """A scope in which traced rotations keep account of axes."""
    before = _ON.set(on)
    try:
        yield
    finally:
        _ON.reset(before)


def in_short_axes() -> bool:
    """Whether that scope is open."""
    return _ON.get()


class TurnedAxes:
    """Axes that turn by R in those of another frame; None is the world."""

    __slots__ = ("R", "depth", "parent")

    def __init__(self, parent: TurnedAxes | None, R: np.ndarray):
        self.parent, self.R = parent, R
        self.depth: int = 1 + (parent.depth if parent else 0)

    def path(self) -> list[TurnedAxes | None]:
        """Itself and everything it stands on, the world last."""
        return [self, *(self.parent.path() if self.parent else [None])]


Parts = dict[TurnedAxes | None, np.ndarray]
"""Components (3, or 3 × n) by the frame in whose axes they are."""


class Axes(np.ndarray):
    """A rotation matrix R, whose columns are axes in world components: those of a frame, turned by constants."""

    frame: TurnedAxes | None = None
    turn: np.ndarray | None = None

    def __matmul__(self, other: Any) -> Any:
        world = np.asarray(self) @ _plain(other)
        if self.turn is None or isinstance(other, Framed) or _plain(other).shape[:1] != (3,):
            return world
        return _framed(world, {self.frame: self.turn @ _plain(other)})

    @property
    def T(self) -> Any:
        made = np.asarray(self).T.view(_Transposed)
        made.axes = self if self.turn is not None else None
        return made


class _Transposed(np.ndarray):
    """Rᵀ, which takes components in world axes to components in R's."""

    axes: Axes | None = None

    def __matmul__(self, other: Any) -> Any:
        if self.axes is None or self.axes.turn is None or not isinstance(other, Framed) or other.parts is None:
            return np.asarray(self) @ _plain(other)
        found = _brought(other.parts, self.axes.frame)
        return np.zeros(other.shape, dtype=object) if found is None else self.axes.turn.T @ found


def turned(R: np.ndarray, relative: np.ndarray) -> np.ndarray:
    """R · relative, both rotations: axes that know what they turn on, where that is wanted."""
    world = np.asarray(R) @ np.asarray(relative)
    if not _ON.get() or world.dtype != object:
        return world
    frame, turn = (R.frame, R.turn) if isinstance(R, Axes) and R.turn is not None else (None, np.asarray(R))
    if any(type(x) is Expr for x in relative.ravel()):
        frame, turn = TurnedAxes(frame, turn @ np.asarray(relative)), np.eye(3)
    else:
        turn = turn @ relative
    made = world.view(Axes)
    made.frame, made.turn = frame, turn
    return made


class Framed(np.ndarray):
    """World components of a vector, or of several as columns, with the parts they are the sum of."""

    parts: Parts | None = None

    def __add__(self, other: Any) -> Any:
        return self._sum(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._sum(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    def __neg__(self) -> Any:
        return self._each(lambda x: -x)

    def __mul__(self, other: Any) -> Any:
        return self._each(lambda x: other * x) if _scalar(other) else np.asarray(self) * _plain(other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._each(lambda x: x / other) if _scalar(other) else np.asarray(self) / _plain(other)

    def __matmul__(self, other: Any) -> Any:
        """A scalar product with a vector, or a combination of columns."""
        if self.ndim == 1:
            return _scalar_products(self, other)
        if self.parts is None or isinstance(other, Framed):
            return np.asarray(self) @ _plain(other)
        return self._each(lambda x: x @ _plain(other))

    def __rmatmul__(self, other: Any) -> Any:
        if np.ndim(other) == 1 and len(other) == 3:
            return _scalar_products(self, other)
        return _plain(other) @ np.asarray(self)

    @property
    def T(self) -> Any:
        made = np.asarray(self).T.view(_Columns)
        made.vectors = self if self.ndim == 2 and self.parts is not None else None
        return made

    def __getitem__(self, at: Any) -> Any:
        columns = isinstance(at, tuple) and len(at) == 2 and at[0] == slice(None) and not isinstance(at[1], int)
        if self.parts is not None and columns:
            return self._each(lambda x: x[at])
        return np.asarray(self)[at]

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's functions: those on vectors as above, the others on world components."""
        if method == "__call__" and not options and len(inputs) == 2:
            a, b = inputs
            known = _BINARY.get(ufunc)
            if known is not None:
                return known(a, b)
        if ufunc is np.negative and method == "__call__" and not options:
            return -self
        return getattr(ufunc, method)(*(_plain(x) for x in inputs), **options)

    def __array_function__(self, function: Any, types: Any, arguments: Any, options: Any) -> Any:
        if function is np.hstack and not options:
            return _side_by_side(list(arguments[0]))
        return function(*_plain(list(arguments)), **{k: _plain(v) for k, v in options.items()})

    def _each(self, change: Callable[[np.ndarray], np.ndarray]) -> Any:
        world = change(np.asarray(self))
        return world if self.parts is None else _framed(world, {f: change(x) for f, x in self.parts.items()})

    def _sum(self, other: Any, combined: Callable[[Any, Any], Any]) -> Any:
        world = combined(np.asarray(self), _plain(other))
        if self.parts is None or np.shape(other) != self.shape:
            return world
        parts = dict(self.parts)
        for f, x in _parts_of(other).items():
            parts[f] = combined(parts[f], x) if f in parts else combined(0.0, x)
        return _framed(world, parts)


class _Columns(np.ndarray):
    """Vᵀ of columns V: what it multiplies is multiplied with every column."""

    vectors: Framed | None = None

    def __matmul__(self, other: Any) -> Any:
        return np.asarray(self) @ _plain(other) if self.vectors is None else _scalar_products(self.vectors, other)


_BINARY: dict[Any, Callable[[Any, Any], Any]] = {
    np.add: lambda a, b: a + b if isinstance(a, Framed) else b + a,
    np.subtract: lambda a, b: a - b if isinstance(a, Framed) else b.__rsub__(a),
    np.multiply: lambda a, b: a * b if isinstance(a, Framed) else b * a,
    np.divide: lambda a, b: a / b if isinstance(a, Framed) else _plain(a) / np.asarray(b),
    np.matmul: lambda a, b: a @ b if isinstance(a, Framed) else b.__rmatmul__(a),
}


def crossed(a: Any, b: Any, cross: Callable[[Any, Any], np.ndarray]) -> Any:
    """a × b part by part, each product in the deeper of its two frames."""
    world = cross(_plain(a), _plain(b))
    if _unknown(a) or _unknown(b):
        return world
    of_a, of_b = _parts_of(a), _parts_of(b)
    out: Parts = {}
    for g, y in of_b.items():
        x = _brought(_below(of_a, g, strictly=False), g)
        if x is not None:
            out[g] = cross(x, y)
    for f, x in of_a.items():
        y = _brought(_below(of_b, f, strictly=True), f)
        if y is not None:
            out[f] = out[f] + cross(x, y) if f in out else cross(x, y)
    return _framed(world, out)


def _scalar_products(a: Framed, b: Any) -> Any:
    """aᵀb: of two vectors a number, of columns an array."""
    if a.parts is None or _unknown(b):
        return np.asarray(a).T @ _plain(b)
    x, y = a.parts, _parts_of(b)
    paths = [_path(f) for f in dict.fromkeys((*x, *y))]
    shared = [f for f in paths[0] if all(f in path for path in paths)] if paths else []
    total = _products(x, y, shared[0], _children(paths))[2] if shared else None
    if total is None:
        return np.zeros((*a.shape[1:], *np.shape(b)[1:]))[()]
    return total


def _products(
    x: Parts, y: Parts, f: TurnedAxes | None, children: Mapping[Any, list[TurnedAxes]]
) -> tuple[Any, Any, Any]:
    """(x, y) of frame f and everything on it, in its axes, and the sum of their products with each other."""
    one, other = x.get(f), y.get(f)
    total, up_x, up_y = None, [], []
    for child in children.get(f, ()):
        along, across, inside = _products(x, y, child, children)
        total = _plus(total, inside)
        up_x.append(None if along is None else child.R @ along)
        up_y.append(None if across is None else child.R @ across)
    all_x, all_y = _sum_of(up_x), _sum_of(up_y)
    total = _plus(total, _times(one, _plus(other, all_y)))
    total = _plus(total, _times(all_x, other))
    for i, a in enumerate(up_x):
        for j, b in enumerate(up_y):
            if i != j:
                total = _plus(total, _times(a, b))
    return _plus(one, all_x), _plus(other, all_y), total


def _children(paths: list[list[TurnedAxes | None]]) -> dict[Any, list[TurnedAxes]]:
    out: dict[Any, list[TurnedAxes]] = {}
    for path in paths:
        for f in path:
            if f is not None and f not in out.setdefault(f.parent, []):
                out[f.parent].append(f)
    return out


def _brought(parts: Parts, to: TurnedAxes | None) -> Any:
    """The sum of the parts in the axes of one frame; None where there are none."""
    left, path = dict(parts), _path(to)
    while astray := [f for f in left if f not in path]:
        f = max(astray, key=lambda f: f.depth if f else 0)
        assert f is not None
        left[f.parent] = _plus(f.R @ left.pop(f), left.get(f.parent))
    total = None
    for f in reversed(path):
        if total is not None and f is not None:
            total = f.R.T @ total
        total = _plus(total, left.get(f))
    return total


def _below(parts: Parts, f: TurnedAxes | None, strictly: bool) -> Parts:
    """Parts in frames that f stands on, and in f itself; and those in neither, if products with them are still to be taken."""
    path = _path(f)
    return {
        g: x
        for g, x in parts.items()
        if (g in path and not (strictly and g is f)) or (not strictly and f not in _path(g))
    }


def _path(f: TurnedAxes | None) -> list[TurnedAxes | None]:
    return f.path() if f is not None else [None]


def _side_by_side(columns: list[Any]) -> Any:
    world = np.hstack([_plain(x) for x in columns])
    if any(_unknown(x) for x in columns):
        return world
    every = [_parts_of(x) for x in columns]
    out: Parts = {}
    for f in {f: None for parts in every for f in parts}:
        out[f] = np.hstack([parts.get(f, np.zeros(np.shape(x))) for parts, x in zip(every, columns)])
    return _framed(world, out)


def _parts_of(x: Any) -> Parts:
    """The parts of a framed vector; a plain one is in world axes."""
    if isinstance(x, Framed) and x.parts is not None:
        return x.parts
    plain = _plain(x)
    return {None: plain} if any(type(v) is Expr or v != 0.0 for v in plain.ravel()) else {}


def _unknown(x: Any) -> bool:
    """Whether no parts are known of what may have some."""
    return isinstance(x, Framed) and x.parts is None


def _framed(world: np.ndarray, parts: Parts) -> Framed:
    made = np.asarray(world, dtype=object).view(Framed)
    made.parts = parts
    return made


def _plain(x: Any) -> Any:
    if isinstance(x, (list, tuple)):
        return [_plain(y) for y in x]
    return np.asarray(x) if isinstance(x, np.ndarray) else x


def _scalar(x: Any) -> bool:
    return type(x) is Expr or isinstance(x, (int, float)) or (isinstance(x, np.ndarray) and x.ndim == 0)


def _plus(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


def _times(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a.T @ b


def _sum_of(every: list[Any]) -> Any:
    total = None
    for x in every:
        total = _plus(total, x)
    return total
