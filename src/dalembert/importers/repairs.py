"""What is mended of a file that breaks a rule, and noted; with `strict`, it is an error instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalembert.errors import ModelError
from dalembert.importers.imported import ACCELERATIONS, DRAWING, Notes
from dalembert.importers.xml_node import XmlNode
from dalembert.parts import MassProperties
from dalembert.parts.bodies import check_mass_properties

NEARLY_MASSLESS = 1e-12
"""Mass, by its inertia in 1/m², of a body that has inertia and no mass: its weight is nothing beside its inertia."""
INSIDE = 1e-9
"""Part of the largest second moment that the smallest of a mended inertia has, to be inside what bodies can have."""


@dataclass(frozen=True, eq=False)
class Repairs:
    """Whether they are made, and where they are noted."""

    notes: Notes
    strict: bool = False

    def mended(self, node: XmlNode, wrong: str, done: str, effect: str = ACCELERATIONS) -> None:
        """Tell what is wrong and what was done about it; with `strict`, refuse."""
        if self.strict:
            raise node.error(f"{wrong}; without strict, {done}")
        self.notes.add(node, f"{wrong}; repaired: {done}", effect)

    def mass_properties(
        self, node: XmlNode, p: MassProperties, body: str, rewrite: Callable[[MassProperties], None] | None = None
    ) -> MassProperties:
        """These, or the nearest that some body has, which `rewrite` puts into the file's edits."""
        try:
            check_mass_properties(p, body)
            return p
        except ModelError as problem:
            made = nearest_body(p)
            if self.strict or made is None:
                raise node.error(problem) from problem
        check_mass_properties(made, body)
        if rewrite is not None:
            rewrite(made)
        if p.mass:
            change = float(np.abs(made.inertia - p.inertia).max() / np.abs(p.inertia).max())
            done = f"the nearest inertia that a body can have, {change:.1e} of the largest moment away"
            what = f"its principal moments {_moments(p)} kg m² are those of no body"
            self.mended(node, what, done, DRAWING if change < ROUNDING else ACCELERATIONS)
        else:
            done = f"it has {made.mass:.1e} kg, so that its inertia acts"
            self.mended(node, f'body "{body}" has inertia but no mass', done, DRAWING)
        return made


ROUNDING = 1e-8
"""Change of an inertia, by its largest moment, that is rounding of the file."""


def _moments(p: MassProperties) -> str:
    return ", ".join(f"{x:.4g}" for x in np.linalg.eigvalsh(p.inertia))


def nearest_body(p: MassProperties) -> MassProperties | None:
    """The nearest mass properties with second moments of mass that are not negative; None where there is no mass to speak of."""
    inertia = 0.5 * (p.inertia + p.inertia.T)
    size = float(np.abs(inertia).max())
    if not (0.0 <= p.mass < np.inf and 0.0 < size < np.inf):
        return None
    second, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    if not second.max() > 0.0:
        return MassProperties(p.mass, p.com, np.zeros((3, 3)))
    clipped = np.maximum(second, INSIDE * second.max()) if second.min() < 0.0 else second
    moments = (axes * clipped) @ axes.T
    made = np.trace(moments) * np.eye(3) - moments
    mass = p.mass if p.mass else NEARLY_MASSLESS * float(np.trace(inertia))
    return MassProperties(mass, p.com, 0.5 * (made + made.T))
