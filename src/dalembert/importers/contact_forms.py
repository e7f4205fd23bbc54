"""Forms that touch: primitive forms of other programs' files as surfaces, and pairs of them as laws."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.importers.imported import AT_LIMITS, Notes
from dalembert.importers.naming import Names
from dalembert.importers.xml_node import XmlNode
from dalembert.kinematics.initial import initial_state
from dalembert.laws import PairContact
from dalembert.laws.surfaces import (
    Surface,
    SurfaceBox,
    SurfaceCapsule,
    SurfaceCylinder,
    SurfacePlane,
    SurfaceSphere,
)
from dalembert.laws.surfaces.pairs import way_of
from dalembert.parts.frames import Frame
from dalembert.system import GROUND, System

CONTACTS = ("none", "ground", "all")
"""Which contacts an import brings: none, those with what does not move, or all."""
INSIDE = 1e-9
"""Depth, m, by which forms may overlap at the start, as rounding has it."""


def chosen_contacts(given: bool | str) -> str:
    """One of `CONTACTS`; True stands for all."""
    if given is True or given is False:
        return "all" if given else "none"
    if not isinstance(given, str) or given not in CONTACTS:
        raise ModelError(f'contacts={given!r} is not known; choose "none", "ground" or "all"')
    return given


@dataclass(frozen=True, eq=False)
class ContactForm:
    """A form on a body: kind, half sizes as MuJoCo gives them, place in the body's frame; z is the axis of round ones."""

    node: XmlNode
    body: str
    kind: str
    size: np.ndarray
    at: Frame

    @property
    def name(self) -> str:
        return self.node.attributes.get("name", f"{self.body}_{self.kind}")

    def surface(self) -> Surface | None:
        """None where there is no surface of this kind."""
        p, z = self.at.position, self.at.rotation[:, 2]
        match self.kind:
            case "plane":
                return SurfacePlane((self.body, p), tuple(z))
            case "sphere":
                return SurfaceSphere((self.body, p), float(self.size[0]))
            case "capsule":
                reach = float(self.size[1]) * z
                return SurfaceCapsule((self.body, p - reach), p + reach, float(self.size[0]))
            case "box":
                return SurfaceBox(self.body, tuple(2.0 * self.size), self.at)
            case "cylinder":
                return SurfaceCylinder((self.body, p), float(self.size[0]), 2.0 * float(self.size[1]), tuple(z))
            case _:
                return None


@dataclass(frozen=True, eq=False)
class ContactAdder:
    """Adds contacts to a system, and notes what cannot be one."""

    system: System
    notes: Notes
    names: Names = field(default_factory=Names)

    def add(self, a: ContactForm, b: ContactForm, **friction: Any) -> None:
        first, second = a.surface(), b.surface()
        if first is None or second is None:
            odd = a if first is None else b
            what = (
                f"contact of a form given by a {odd.kind} is not represented; give spheres, capsules or a box beside it"
            )
            self.notes.add(odd.node, what, AT_LIMITS, f"contact of {odd.kind}")
            return
        if way_of(first, second) is None:
            kinds = " and ".join(sorted((a.kind, b.kind)))
            what = f'how "{a.name}" touches "{b.name}" is not represented: of a {kinds} nothing exact is known'
            self.notes.add(a.node, what, AT_LIMITS, f"contact of {kinds}")
            return
        law = PairContact(first, second, **friction)
        self.system.add_law(self.names.new(f"{a.name}_{b.name}_contact"), law)

    def check_start(self, node: XmlNode) -> None:
        """Tell what overlaps at the file's own start; what two moving bodies overlap by is left out, as nothing could part them."""
        laws = {name: law for name, law in self.system.laws.items() if isinstance(law, PairContact)}
        if not laws or self.system.cut or self.system.constraints:
            return
        plain = copy(self.system)
        plain.laws, plain.outputs = {}, {}
        m = plain.build().numeric
        s = m.state(*initial_state(m, self.system.initial, None, 0.0))
        for name, law in laws.items():
            depth = -float(np.asarray(law.gap(s), dtype=float).min())
            if depth <= INSIDE:
                continue
            note = f'"{name}": the forms overlap by {depth:.3g} m at the start'
            if GROUND in law.bodies:
                self.notes.add(node, f"{note}; begin elsewhere (initial=), a run is refused there", AT_LIMITS)
            else:
                del self.system.laws[name]
                self.notes.add(node, f"{note}: their contact is left out", AT_LIMITS, "overlap at the start")
