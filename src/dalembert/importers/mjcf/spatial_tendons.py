"""Tendons through space: their way over sites, and round spheres and cylinders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert.importers.contact_forms import ContactForm
from dalembert.importers.mjcf.body_tree import BodyTree, Site
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.forces.cord import piece
from dalembert.parts.frames import Frame
from dalembert.trace import maximum, minimum
from dalembert.vectors import ZERO, Vector


@dataclass(frozen=True)
class Slack:
    """A spring that is slack from its rest length to one longer by `gap`."""

    stiffness: float
    gap: float

    def __call__(self, elongation: Any, rate: Any) -> Any:
        return self.stiffness * (minimum(elongation, 0.0) + maximum(elongation - self.gap, 0.0))


@dataclass(frozen=True, eq=False)
class Station:
    """A site of the way, or what it may lie on: with a radius, an axis if it is a cylinder, and the side that is wanted."""

    site: Site
    radius: float = 0.0
    axis: Vector = field(default_factory=lambda: ZERO)
    side: Vector = field(default_factory=lambda: ZERO)


class SpatialTendon:
    """One tendon. Between sites there is at most one geom; a pulley ends a branch, and the next one counts by its divisor."""

    def __init__(self, tree: BodyTree, node: XmlNode):
        self.tree, self.node = tree, node
        self.stations: list[Station] = []
        self.shares: list[float] = []
        self.why = ""
        share = 1.0
        of_branch = 0
        for part in node.all("site", "geom", "pulley"):
            if part.tag == "pulley":
                share, of_branch = 1.0 / part.number("divisor"), 0
                continue
            if part.tag == "geom":
                self.stations.append(self._round(part))
                continue
            if self._through:
                self.shares.append(share if of_branch else 0.0)
            of_branch += 1
            self.stations.append(Station(part.refers("site", tree.sites, "site")))

    @property
    def _through(self) -> list[Station]:
        return [x for x in self.stations if not x.radius]

    def refusal(self) -> str:
        """Why it has no place here."""
        return self.why or ("" if len(self._through) > 1 else "it goes over less than two sites")

    def _round(self, part: XmlNode) -> Station:
        form = part.refers("geom", self._forms(), "geom")
        if form.kind not in ("sphere", "cylinder"):
            raise part.error(f"a tendon goes round spheres and cylinders, not a {form.kind}")
        axis = form.at.rotation[:, 2] if form.kind == "cylinder" else ZERO
        side = ZERO
        if part.get("sidesite"):
            site = part.refers("sidesite", self.tree.sites, "site")
            side = site.at.position - form.at.position
            across = side - (side @ axis) * axis
            if site.body != form.body:
                self.why = "the side of a geom is shown by a site of another body"
            elif form.kind == "sphere":
                self.why = "the side of a sphere, from which in MuJoCo a way inside it may follow, is not represented"
            elif np.linalg.norm(across) < form.size[0]:
                self.why = "a way inside a geom is not represented"
        return Station(Site(form.body, form.at), float(form.size[0]), axis, side)

    def _forms(self) -> dict[str, ContactForm]:
        forms = (g.form for b in (self.tree.world, *self.tree.bodies) for g in b.geoms if g.form is not None)
        return {form.node.attributes["name"]: form for form in forms if "name" in form.node.attributes}

    def path(self) -> dict[str, Any]:
        """The way, as a `Cord` takes it."""
        made: dict[str, Any] = {"points": tuple((x.site.body, x.site.at.position) for x in self.stations)}
        if any(x.radius for x in self.stations):
            made["radii"] = tuple(x.radius for x in self.stations)
            made["axes"] = [tuple(map(float, x.axis)) for x in self.stations]
            made["sides"] = [tuple(map(float, x.side)) for x in self.stations]
        if set(self.shares) != {1.0}:
            made["shares"] = tuple(self.shares)
        return made

    def rest(self) -> float:
        """The tendon's length where the joints' springs are at rest."""
        return float(sum(share * length for share, length in zip(self.shares, self._lengths())))

    def _lengths(self) -> Iterator[float]:
        places = [self.tree.at_rest(x.site) for x in self.stations]
        through = [k for k, x in enumerate(self.stations) if not x.radius]
        for a, b in pairwise(through):
            ends = places[a].position, places[b].position
            if not np.linalg.norm(ends[1] - ends[0]):
                yield 0.0
            elif b - a == 1:
                yield piece(*ends)[0]
            else:
                x, at = self.stations[a + 1], places[a + 1]
                turned = _carried(x.site.at, at)
                axis, side = (turned @ v if v.any() else None for v in (x.axis, x.side))
                yield piece(*ends, at.position, x.radius, axis, side)[0]


def _carried(on_body: Frame, at: Frame) -> np.ndarray:
    """The body's axes, where a frame on it is known in the world."""
    return at.rotation @ on_body.rotation.T
