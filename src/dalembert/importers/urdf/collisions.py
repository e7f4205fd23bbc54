"""Collisions: forms of links that touch the ground, a plane that the file knows nothing of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dalembert.importers.contact_forms import ContactAdder, ContactForm
from dalembert.importers.imported import AT_LIMITS, Notes
from dalembert.importers.naming import Names
from dalembert.importers.urdf.link_tree import LinkTree
from dalembert.importers.urdf.urdf_links import origin
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.frames import Frame
from dalembert.system import GROUND, System
from dalembert.vectors import ZERO

MU = 0.8
"""Coefficient of friction where the file says none: of rubber on a dry floor; the model's parameter `contact_mu`."""


@dataclass(frozen=True, eq=False)
class ContactsWithGround:
    """Primitive forms of <collision> on the plane z = 0 of the world."""

    system: System
    notes: Notes
    robot: XmlNode

    def add(self, tree: LinkTree, body_of: Mapping[str, str]) -> None:
        adder = ContactAdder(self.system, self.notes, Names(set(self.system.laws)))
        plane = ContactForm(XmlNode("ground", {"name": "ground"}, "", 0), GROUND, "plane", ZERO, Frame())
        mu = self.system.parameter("contact_mu", MU)
        found = False
        for name, link in tree.links.items():
            if body_of[name] == GROUND:
                continue
            for form in self._forms(link, body_of[name]):
                adder.add(form, plane, mu=mu)
                found = True
        if found:
            note = f"URDF says neither ground nor friction: forms touch the plane z = 0 with contact_mu = {MU:g}"
            self.notes.add(self.robot, note, AT_LIMITS)
        adder.check_start(self.robot)

    def _forms(self, link: XmlNode, body: str) -> list[ContactForm]:
        made = []
        for collision in link.all("collision"):
            at = origin(collision)
            for form in collision.need("geometry").all("box", "cylinder", "sphere", "capsule", "mesh", "drake:capsule"):
                made.append(ContactForm(form, body, form.tag.removeprefix("drake:"), _half_sizes(form), at))
        return made


def _half_sizes(form: XmlNode) -> np.ndarray:
    match form.tag:
        case "box":
            return np.array(0.5 * form.numbers("size", 3))
        case "sphere":
            return np.array([form.number("radius")])
        case "mesh":
            form.forget()
            return ZERO
        case _:
            return np.array([form.number("radius"), 0.5 * form.number("length")])
