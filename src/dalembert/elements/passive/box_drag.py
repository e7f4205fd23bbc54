"""BoxDrag: air or a liquid around a body, by the box that has its inertia."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dalembert.elements.element import Element, output
from dalembert.parts.fields import BodyName, Number, Numbers3, Place
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.forces.points import Point
from dalembert.parts.frames import Frame
from dalembert.parts.numbers import positive
from dalembert.trace import Scalar, sqrt
from dalembert.vectors import Vector

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

ABOUT = 1.0 / 64.0
"""Share of ρ c (a⁴ + b⁴) |ω| ω in the moment: two faces of a box that turns, integrated."""


@dataclass(frozen=True, eq=False)
class BoxDrag(Element):
    """Drag on the faces of a block with edges `size`, centred in `frame` of a body, as MuJoCo's inertia model has it.

    Along each edge ½ ρ a b |v| v with the face a · b across it, about it ρ c (a⁴ + b⁴) |ω| ω / 64; and Stokes' 3π d η v and
    π d³ η ω for a ball as wide as the edges are on average. Inputs `wind_x`, `wind_y`, `wind_z` in world axes.
    """

    body: BodyName
    size: Numbers3
    frame: Place = field(default_factory=Frame)
    density: Number = 1.2
    viscosity: Number = 0.0

    takes: ClassVar[Mapping[str, str]] = {"wind_x": "m/s", "wind_y": "m/s", "wind_z": "m/s"}
    optional: ClassVar[Mapping[str, float]] = {"wind_x": 0.0, "wind_y": 0.0, "wind_z": 0.0}

    def __post_init__(self) -> None:
        super().__post_init__()
        for edge in self.size:
            positive(edge, f'box drag on "{self.body}": size')

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)

    @property
    def _middle(self) -> Point:
        return Point(self.body, self.frame.position)

    def _wind(self, x: ElementAt) -> Vector:
        return np.array([x["wind_x"], x["wind_y"], x["wind_z"]])

    def _drag(self, x: ElementAt) -> tuple[Vector, Vector]:
        """Force at the middle and torque, in world axes."""
        R = x.s.rotation(self.body) @ self.frame.rotation
        v, w = R.T @ (x.s.velocity(self._middle) - self._wind(x)), R.T @ x.s.angular_velocity(self.body)
        d = (self.size[0] + self.size[1] + self.size[2]) / 3.0
        force, torque = [], []
        for k in range(3):
            c, a, b = self.size[k], self.size[(k + 1) % 3], self.size[(k + 2) % 3]
            across, about = 0.5 * self.density * a * b, ABOUT * self.density * c * (a**4 + b**4)
            force.append(-(3.0 * math.pi * d * self.viscosity + across * abs(v[k])) * v[k])
            torque.append(-(math.pi * d**3 * self.viscosity + about * abs(w[k])) * w[k])
        return R @ np.array(force), R @ np.array(torque)

    @output("N")
    def drag(self, x: ElementAt) -> Scalar:
        """Size of the force."""
        force, _ = self._drag(x)
        return sqrt(force @ force)

    def loads(self, x: ElementAt) -> Iterable[Load]:
        force, torque = self._drag(x)
        yield BodyLoad(self._middle, force, torque, x.s.position(self._middle))

    def dissipated(self, x: ElementAt) -> Scalar:
        force, torque = self._drag(x)
        slip = x.s.velocity(self._middle) - self._wind(x)
        return -(force @ slip) - torque @ x.s.angular_velocity(self.body)

    def supplied(self, x: ElementAt) -> Scalar:
        return self._drag(x)[0] @ self._wind(x)
