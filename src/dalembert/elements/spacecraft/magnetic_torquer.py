"""MagneticTorquer: a coil in a magnetic field, torque m a × B.

The field is uniform, or that of a dipole in the origin, B = (3(p·r̂) r̂ − p)/r³, or both. Wertz (ed.), *Spacecraft Attitude Determination
and Control* (1978), section 6.7 and appendix H; p is 7.8e15 T m³ for the Earth, towards the south.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.elements.element import Element, Output
from dalembert.parts.fields import BodyName, Number, Numbers3
from dalembert.parts.forces.force import BodyLoad, Load
from dalembert.parts.joints.axis import Axis
from dalembert.trace import Expr, Scalar, maximum, minimum, sqrt
from dalembert.vectors import cross

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class MagneticTorquer(Element):
    """A coil in a body along `axis`, in the body's axes. Input `dipole`, A m², within `limit` where that is given.

    `field` is the uniform part of the magnetic field, T, and `pole` the dipole of a planet in the origin, T m³, both in world axes.
    Outputs `field_x`, `field_y` and `field_z` are the field in the body's axes, as a magnetometer reads it.
    """

    body: BodyName
    axis: Axis
    field: Numbers3 = (0.0, 0.0, 0.0)
    pole: Numbers3 = (0.0, 0.0, 0.0)
    limit: Number | None = None

    inputs = ("dipole",)
    takes: ClassVar[Mapping[str, str]] = {"dipole": "A m²"}
    units: ClassVar[Mapping[str, str]] = {"field_x": "T", "field_y": "T", "field_z": "T", "torque": "N m"}

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.body,)

    def _field(self, x: ElementAt) -> Any:
        total, p = np.asarray(self.field), np.asarray(self.pole)
        if not any(type(c) is Expr or c for c in p):
            return total
        r = x.s.position(self.body)
        d = sqrt(r @ r)
        return total + (3.0 * (p @ r) / (d * d) * r - p) / (d * d * d)

    def _torque(self, x: ElementAt) -> Any:
        m = x["dipole"] if self.limit is None else minimum(maximum(x["dipole"], -self.limit), self.limit)
        return m * cross(x.s.rotation(self.body) @ np.asarray(self.axis), self._field(x))

    @property
    def outputs(self) -> Mapping[str, Output]:
        return {f"field_{c}": partial(self._component, i) for i, c in enumerate("xyz")} | {"torque": self._size}

    def _component(self, i: int, x: ElementAt) -> Scalar:
        found: Scalar = (x.s.rotation(self.body).T @ self._field(x))[i]
        return found

    def _size(self, x: ElementAt) -> Scalar:
        t = self._torque(x)
        return sqrt(t @ t)

    def loads(self, x: ElementAt) -> Iterable[Load]:
        yield BodyLoad(self.body, torque=self._torque(x))

    def supplied(self, x: ElementAt) -> Scalar:
        return self._torque(x) @ x.s.angular_velocity(self.body)
