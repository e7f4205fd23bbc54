"""Conditions on loops of four links: Grashof's, and limits of the transmission angle, as numbers that must not be positive.

With the links a (the drive's), b (the coupler), c (the follower) and d (the frame): the shortest and the longest together are no longer
than the other two, and the drive turns fully where it or the frame is the shortest [Grashof 1883]. While it does, the transmission
angle is between those of the drive in line with the frame: cos μ = (b² + c² − (d ∓ a)²) / 2bc.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.analysis.linkage.transmission import Around, four_link_loops, is_plane, transmission_angle
from dalembert.cached import cached_property
from dalembert.errors import ArgumentError
from dalembert.mechanism import Mechanism
from dalembert.portable import Portable
from dalembert.trace import NumericFunction, Scalar, cos, jacobian, maximum, minimum, sqrt, symbol, tracing

Lengths = tuple[Scalar, Scalar, Scalar, Scalar]


def _crank_rocker(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> list[Scalar]:
    return [a + b - c - d, a + c - b - d, a + d - b - c]


def _double_crank(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> list[Scalar]:
    return [d + a - b - c, d + b - a - c, d + c - a - b]


def _any(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> list[Scalar]:
    least, most = minimum(minimum(a, b), minimum(c, d)), maximum(maximum(a, b), maximum(c, d))
    return [2.0 * (least + most) - (a + b + c + d)]


GRASHOF: dict[str, Callable[[Scalar, Scalar, Scalar, Scalar], list[Scalar]]] = {
    "crank-rocker": _crank_rocker, "double-crank": _double_crank, "any": _any,
}  # fmt: skip
"""What `grashof` may be: the drive turns fully and the follower swings; both turn fully; any link turns fully."""
ASIDE = (0.3, 0.9)
"""Where coordinates are put for links not to be in a line."""
FULL_TURNS = ("crank-rocker", "double-crank")


def loop_of(m: Mechanism, drive: str, asked: str) -> tuple[str, Around]:
    """The loop of four links that the drive moves, and its name; refused where there is none."""
    own = m.numeric
    state = own.state(m.reference + np.linspace(*ASIDE, m.n_q), np.zeros(m.n_u), 0.0)
    plane = [name for name, ring in four_link_loops(own, drive).items() if is_plane(state, ring)]
    found = {name: ring for name, ring in four_link_loops(m, drive).items() if name in plane}
    if not found:
        raise ArgumentError(
            f'synthesise: {asked} is for plane loops of four links, and joint "{drive}" moves none; leave it out, or limit an output '
            "by subject_to"
        )
    return next(iter(found.items()))


def lengths(ring: Around, asked: str) -> Lengths:
    """Lengths a, b, c, d of the links between the joints of a loop, in the order in which the drive moves them."""
    found = []
    for (joint, parent, child), (after, parent_after, child_after) in zip(ring, [*ring[1:], ring[0]]):
        body = next(k for k in (child, parent) if k in (parent_after, child_after))
        p = _origin(joint, body, parent) - _origin(after, body, parent_after)
        found.append(sqrt(p @ p))
    a, b, c, d = found
    if any(np.any(j.joint.sliding(j.joint.reference) != 0.0) for j, _, _ in ring):
        raise ArgumentError(f"synthesise: {asked} is for loops of four joints that turn, and one slides here")
    return a, b, c, d


def _origin(joint: Any, body: int, parent: int) -> np.ndarray:
    frame = joint.on_parent if body == parent else joint.on_child
    return np.asarray(frame.position, dtype=object)


class LengthConditions(Portable):
    """Grashof's condition, and the transmission angle over a full turn: values (R,) and gradients by the parameters."""

    def __init__(
        self, m: Mechanism, drive: str, grashof: str, transmission: tuple[float, float] | None, varied: Sequence[str]
    ):
        self.m, self.drive, self.grashof, self.transmission, self.varied = m, drive, grashof, transmission, varied

    @cached_property
    def _run(self) -> NumericFunction:
        asked = f"grashof={self.grashof!r}"
        with tracing():
            _, ring = loop_of(self.m, self.drive, asked)
            a, b, c, d = lengths(ring, asked)
            size = 0.25 * (a + b + c + d)
            rows = [x / size for x in GRASHOF[self.grashof](a, b, c, d)]
            if self.transmission is not None and self.grashof in FULL_TURNS:
                least, largest = (float(np.cos(x)) for x in reversed(self.transmission))
                for way in (-1.0, 1.0):
                    cosine = (b * b + c * c - (d + way * a) * (d + way * a)) / (2.0 * b * c)
                    rows += [least - cosine, cosine - largest]
            value = np.array(rows, dtype=object)
            slope = jacobian(value, [symbol(p) for p in self.varied])
            return NumericFunction({"p": [symbol(p) for p in self.m.parameters]}, {"value": value, "slope": slope})

    def __call__(self, P: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
        value, slope = self._run([P[name] for name in self.m.parameters])
        return np.asarray(value, dtype=float), np.asarray(slope, dtype=float)


def cosine_of_transmission(ring: Around) -> Callable[[Any], Scalar]:
    """The cosine of the transmission angle as a function of the state."""
    return lambda s: cos(transmission_angle(s, ring))
