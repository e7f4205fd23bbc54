"""The air or liquid around the bodies: MuJoCo's model by the box that has a body's inertia."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dalembert.elements import BoxDrag
from dalembert.importers.mjcf.body_tree import BodyTree, MjcfBody
from dalembert.importers.naming import Names
from dalembert.importers.xml_node import XmlNode
from dalembert.parts import MassProperties
from dalembert.parts.frames import Frame
from dalembert.system import System
from dalembert.vectors import ZERO

NO_INERTIA = 1e-15
"""Moment below which a box has no edge, and mass below which there is none (MuJoCo's)."""


@dataclass(frozen=True, eq=False)
class Medium:
    density: float = 0.0
    viscosity: float = 0.0
    wind: np.ndarray = field(default_factory=lambda: ZERO)

    @property
    def acts(self) -> bool:
        return self.density > 0.0 or self.viscosity > 0.0

    @classmethod
    def of(cls, options: list[XmlNode]) -> Medium:
        made = cls()
        for node in options:
            numbers = node.number("density", made.density), node.number("viscosity", made.viscosity)
            made = cls(*numbers, node.vector("wind", made.wind))
        return made

    def add(self, system: System, tree: BodyTree, body: MjcfBody, p: MassProperties, names: Names) -> None:
        if p.mass < NO_INERTIA:
            return
        for geom in body.geoms:
            if geom.in_fluid and geom.form is not None:
                what = (
                    "fluidshape='ellipsoid' is not represented: the medium acts on the box that has the body's inertia"
                )
                tree.notes.add(body.node, what, kind="ellipsoid")
                tree.notes.edits.change(geom.form.node, fluidshape="none")
        axes = tree.principal_axes(body, p.inertia)
        moments = np.diag(axes.T @ p.inertia @ axes)
        size = np.sqrt(np.maximum(NO_INERTIA, moments.sum() - 2.0 * moments) * 6.0 / p.mass)
        drag = BoxDrag(body.name, size, Frame(p.com, axes), self.density, self.viscosity)
        wind = {f"wind_{x}": float(v) for x, v in zip("xyz", self.wind) if v}
        system.add_element(names.new(f"{body.name}_drag"), drag, **wind)
