"""Contacts: which geoms may touch each other by MuJoCo's rules, and with which friction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dalembert.importers.contact_forms import ContactAdder, ContactForm
from dalembert.importers.imported import AT_LIMITS, Notes
from dalembert.importers.mjcf.body_tree import BodyTree, MjcfBody
from dalembert.importers.mjcf.defaults import Defaults
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.names import unknown
from dalembert.system import GROUND

FRICTION = (1.0, 0.005, 0.0001)
"""Sliding, drilling and rolling friction where none is said (MuJoCo's); the last two are lengths, m."""
DRILLS, ROLLS = 4, 6
"""Dimensions of a contact from which on it resists drilling, and rolling."""
USUAL = 3.0
"""Dimensions where none are said."""


@dataclass(frozen=True, eq=False)
class GeomContacts:
    """The rules of one model. Bodies without joints count as one with what they stand on."""

    tree: BodyTree
    defaults: Defaults
    adder: ContactAdder
    notes: Notes
    moving_on: dict[str, MjcfBody] = field(default_factory=dict)

    def add(self, root: XmlNode, chosen: str) -> None:
        """Add contacts of all pairs, or of those with what does not move."""
        self.moving_on.update({b.name: b for b in self.tree.bodies})
        forms = [g.form for b in (self.tree.world, *self.tree.bodies) for g in b.geoms if g.form is not None]
        by_name = {form.node.attributes["name"]: form for form in forms if "name" in form.node.attributes}
        sections = list(root.all("contact"))
        said = {}
        for node in (x for section in sections for x in section.all("pair")):
            full = self.defaults.applied(node)
            a, b = (self._named(node, by_name, which) for which in ("geom1", "geom2"))
            said[id(a), id(b)] = said[id(b), id(a)] = (a, b, full)
        apart = {pair for section in sections for pair in self._excluded(section)}
        rules = _Rules.of(root)
        if not rules.enabled:
            return
        for k, a in enumerate(forms):
            for b in forms[:k]:
                given = said.get((id(a), id(b)))
                if given is None and not (rules.dynamic and self._may_touch(a, b, apart, rules)):
                    continue
                one, other = self._stands(a.body), self._stands(b.body)
                if one == other or (chosen == "ground" and GROUND not in (one, other)):
                    continue
                self.adder.add(a, b, **self._friction(a, b, None if given is None else given[2]))
        self.adder.check_start(root)

    def _stands(self, body: str) -> str:
        """The body that moves it: itself if it has joints."""
        while body != GROUND and not self.moving_on[body].joints:
            body = self.moving_on[body].parent
        return body

    def _may_touch(self, a: ContactForm, b: ContactForm, apart: set[frozenset[str]], rules: _Rules) -> bool:
        if frozenset((a.body, b.body)) in apart:
            return False
        one, other = self._stands(a.body), self._stands(b.body)
        if one == other:
            return False
        if rules.parents_apart and GROUND not in (one, other):
            above = [self._stands(self.moving_on[x].parent) for x in (one, other)]
            if above[0] == other or above[1] == one:
                return False
        types, affinities = ([int(x.node.number(name, 1.0)) for x in (a, b)] for name in ("contype", "conaffinity"))
        return bool(types[0] & affinities[1] or types[1] & affinities[0])

    def _friction(self, a: ContactForm, b: ContactForm, pair: XmlNode | None) -> dict[str, float]:
        """Friction of the geom with the higher priority, else the larger of both; a pair says its own."""
        if pair is not None:
            return self._friction_of_pair(pair)
        priorities = [x.node.number("priority", 0.0) for x in (a, b)]
        counts = [x.node for x, p in zip((a, b), priorities) if p == max(priorities)]
        mu, drilling, rolling = np.max([x.overlaid("friction", np.array(FRICTION)) for x in counts], axis=0)
        dimensions = max(int(x.number("condim", USUAL)) for x in counts)
        return _acting(dimensions, float(mu), float(drilling), float(rolling))

    def _friction_of_pair(self, pair: XmlNode) -> dict[str, float]:
        mu, drilling, rolling = FRICTION
        given = pair.overlaid("friction", (mu, mu, drilling, rolling, rolling))
        if given[0] != given[1] or given[3] != given[4]:
            note = "friction that differs by direction is not represented: the first number counts"
            self.notes.add(pair, note, AT_LIMITS)
        return _acting(int(pair.number("condim", USUAL)), float(given[0]), float(given[2]), float(given[3]))

    def _named(self, node: XmlNode, by_name: dict[str, ContactForm], which: str) -> ContactForm:
        name = node.text_of(which)
        if name not in by_name:
            raise node.error(unknown(name, "geom", by_name, f"{which}="))
        return by_name[name]

    def _excluded(self, section: XmlNode) -> Iterator[frozenset[str]]:
        for node in section.all("exclude"):
            names = [node.text_of(which) for which in ("body1", "body2")]
            for name, which in zip(names, ("body1", "body2")):
                if name not in self.tree.by_name:
                    raise node.error(unknown(name, "body", self.tree.by_name, f"{which}="))
            yield frozenset(self.tree.by_name[name].name for name in names)


def _acting(dimensions: int, mu: float, drilling: float, rolling: float) -> dict[str, float]:
    """Fields of a contact that resists in so many dimensions."""
    found = {"mu": mu} if dimensions > 1 else {}
    if dimensions >= DRILLS:
        found["drilling_arm"] = drilling
    return found | ({"rolling_arm": rolling} if dimensions >= ROLLS else {})


@dataclass(frozen=True)
class _Rules:
    """What <option> says: whether anything touches, whether pairs are found by the geoms' bits, and whether a body is kept from
    touching its parent."""

    enabled: bool = True
    dynamic: bool = True
    parents_apart: bool = True

    @classmethod
    def of(cls, root: XmlNode) -> _Rules:
        enabled = dynamic = parents = True
        for option in root.all("option"):
            dynamic = dynamic and option.choice("collision", ("all", "predefined", "dynamic"), "all") != "predefined"
            flag = option.one("flag")
            if flag is not None:
                enabled = flag.choice("contact", ("enable", "disable"), "enable") == "enable"
                parents = flag.choice("filterparent", ("enable", "disable"), "enable") == "enable"
        return cls(enabled, dynamic, parents)
