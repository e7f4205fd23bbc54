"""What an elastic body was made from, kept with it so that a model file can say it again: a beam by its numbers, or files of data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Literal

from dalembert.elastic.body import ElasticBody
from dalembert.errors import ModelError
from dalembert.parts.bodies import MassProperties, inertia_matrix
from dalembert.parts.data_file import InFolder
from dalembert.parts.fields import Holds, Values
from dalembert.parts.numbers import numbers, positive
from dalembert.portable import Portable


@dataclass(frozen=True, eq=False)
class OnBeam(Portable):
    """A rigid body on a beam, at the place x: its mass centre `com` from there, its inertia about the mass centre."""

    x: float
    mass: float
    com: Annotated[Any, Holds("axis")] = (0.0, 0.0, 0.0)
    inertia: Annotated[Any, Holds("inertia")] = (0.0, 0.0, 0.0)

    @property
    def mass_properties(self) -> MassProperties:
        inertia = inertia_matrix(self.inertia, "a body on a beam: inertia")
        if inertia.dtype == object:
            raise ModelError("a body on a beam: its inertia must be numbers; parameters cannot be in it")
        mass = positive(self.mass, "a body on a beam: mass")
        return MassProperties(mass, numbers(self.com, (3,), "a body on a beam: com"), inertia)


@dataclass(frozen=True, eq=False)
class Beam:
    """A straight beam along x from the origin: material E, rho; section A, Iy = ∫z²dA, Iz = ∫y²dA, torsion constant J.

    The fields are the arguments of `da.beam`; section properties are numbers or pairs of end values.
    """

    length: float
    E: float
    rho: float
    A: Values
    Iy: Values
    Iz: Values
    J: Values | None = None
    G: float | None = None
    shear: float | None = None
    rotary: bool = True
    elements: int = 32
    modes: Annotated[Any, Holds("modes")] = 4
    support: Literal["clamped", "pinned", "free"] = "clamped"
    static: bool | None = None
    bodies: tuple[OnBeam, ...] = ()
    nodes: Mapping[str, float] = field(default_factory=dict)
    stiffening: bool = True
    damping: Values | None = None

    def body(self) -> ElasticBody:
        from dalembert.elastic.builders.straight_beam import beam

        given = {f.name: getattr(self, f.name) for f in fields(self)}
        return beam(**given | {"bodies": {b.x: b.mass_properties for b in self.bodies}})


@dataclass(frozen=True, eq=False)
class Matrices:
    """M, K and coordinates of a finite-element program, reduced: one NPZ `file`; or Matrix Market files of M (`file`) and K
    (`stiffness`) with a text file of x y z (`coordinates`). `interfaces` are numbers of nodes by name.
    """

    file: InFolder
    interfaces: Mapping[str, tuple[int, ...]]
    modes: int
    stiffness: InFolder | None = None
    coordinates: InFolder | None = None
    reduction: Literal["craig-bampton", "guyan", "free"] = "craig-bampton"
    frame: str = "buckens"
    damping: Values | None = None

    def body(self) -> ElasticBody:
        from dalembert.elastic.builders.finite_elements import from_matrices, load_matrices

        paths = [None if f is None else f.path for f in (self.file, self.stiffness, self.coordinates)]
        elements = load_matrices(paths[0] or "", *paths[1:])
        made = from_matrices(elements, self.interfaces, modes=self.modes, reduction=self.reduction, frame=self.frame)
        return kept(damped(made, self.damping), self)


@dataclass(frozen=True, eq=False)
class Sid:
    """A reduced body in a SID file, as many finite-element programs write it."""

    file: InFolder

    def body(self) -> ElasticBody:
        from dalembert.elastic.builders.sid import read_sid

        return kept(read_sid(self.file.path), self)


SOURCES: tuple[type, ...] = (Beam, Matrices, Sid)
"""The elastic bodies a model file can name."""


def kept(body: ElasticBody, source: Any) -> ElasticBody:
    """The body with what it was made from. Any change of its data makes another body, which does not have it."""
    object.__setattr__(body, "source", source)
    return body


def damped(body: ElasticBody, ratios: Any) -> ElasticBody:
    """The body with modal damping, where it is given."""
    from dalembert.elastic.builders.damping import modal

    return body if ratios is None else modal(body, ratios)
