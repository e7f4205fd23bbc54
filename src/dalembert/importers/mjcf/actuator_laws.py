"""The law of an actuator, as the elements and default classes of an MJCF file build it up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dalembert.importers.xml_node import XmlNode

Affine = tuple[float, float, float]
"""A constant, and factors of length and velocity."""
NOTHING: Affine = (0.0, 0.0, 0.0)
"""Parameters of a law that does nothing."""


@dataclass(frozen=True)
class ActuatorLaw:
    """force = gain · control + bias. What a type leaves unused stays in the parameters, as a later element may give the type."""

    kind: str = "general"
    """The element that said it last."""
    dyntype: str = "none"
    gaintype: str = "fixed"
    biastype: str = "none"
    gainprm: Affine = (1.0, 0.0, 0.0)
    biasprm: Affine = NOTHING
    time: float = 1.0
    """Time constant of a filter, s."""

    @property
    def filters(self) -> bool:
        """Whether the control acts by a state that follows it, with ȧ = (control − a)/time; else ȧ = control, or there is none."""
        return self.dyntype in ("filter", "filterexact")

    @property
    def gain(self) -> Affine:
        return self.gainprm if self.gaintype == "affine" else (self.gainprm[0], 0.0, 0.0)

    @property
    def bias(self) -> Affine:
        return self.biasprm if self.biastype == "affine" else NOTHING

    @property
    def measures(self) -> bool:
        """Whether the force depends on what it moves."""
        return any(self.gain[1:]) or any(self.bias[1:])

    def refusal(self) -> str | None:
        """Why it has no place here."""
        if self.kind not in READ:
            return f"<{self.kind}> has a state or a law of its own that is not represented"
        if self.dyntype not in ("none", "integrator") and not self.filters:
            return f"dyntype={self.dyntype!r} is not represented"
        if self.filters and self.time <= 0.0:
            return f"a filter with a time constant of {self.time:g} s is not represented"
        if self.gaintype not in ("fixed", "affine"):
            return f"gaintype={self.gaintype!r} is not represented"
        if self.biastype not in ("none", "affine"):
            return f"biastype={self.biastype!r} is not represented"
        if self.damping_ratio is not None and self.gain[0] < 0.0:
            return "its damping is given as a ratio, but its stiffness is negative"
        return None

    @property
    def damping_ratio(self) -> float | None:
        """Damping as a ratio to critical damping, where it is given so: as a positive number in `biasprm`."""
        servo = (self.gaintype, self.biastype) == ("fixed", "affine") and self.gain[0] == -self.bias[1]
        return self.bias[2] if servo and self.bias[2] > 0.0 else None

    def damped(self, inertia: float) -> ActuatorLaw:
        """The law with its ratio of damping in units, where it moves this inertia."""
        ratio = self.damping_ratio
        if ratio is None:
            return self
        damping = 2.0 * ratio * math.sqrt(self.gain[0] * inertia)
        return replace(self, biasprm=(self.biasprm[0], self.biasprm[1], -damping))


def continued(around: Sequence[ActuatorLaw], parts: Sequence[XmlNode]) -> ActuatorLaw:
    """What the elements of one class, in their order, make of the laws of the classes around it, outermost first."""
    made = around[-1] if around else ActuatorLaw()
    for part in parts:
        made = READ.get(part.tag, _other)(part, _source((*around, made), part.tag))
    return made


def _source(laws: Sequence[ActuatorLaw], tag: str) -> ActuatorLaw:
    """The law whose numbers an element takes where it gives none of its own.

    <general> goes on from the nearest. The others have numbers of their own, and look for the nearest class that speaks of their
    kind, or in general terms with the gain that their kind has.
    """
    if tag == "general":
        return laws[-1]
    gaintype = "affine" if tag == "damper" else "fixed"
    fitting = [x for x in laws if x.kind == tag or (x.kind == "general" and x.gaintype == gaintype)]
    return fitting[-1] if fitting else ActuatorLaw()


def _general(node: XmlNode, law: ActuatorLaw) -> ActuatorLaw:
    return replace(
        law,
        kind="general",
        time=float(node.overlaid("dynprm", (law.time, 0.0, 0.0), most=20)[0]),
        dyntype=node.get("dyntype") or law.dyntype,
        gaintype=node.get("gaintype") or law.gaintype,
        biastype=node.get("biastype") or law.biastype,
        gainprm=_overlaid(node, "gainprm", law.gainprm),
        biasprm=_overlaid(node, "biasprm", law.biasprm),
    )


def _motor(node: XmlNode, law: ActuatorLaw) -> ActuatorLaw:
    return ActuatorLaw("motor")


def _position(node: XmlNode, law: ActuatorLaw) -> ActuatorLaw:
    """Positive damping in `biasprm` stands for a ratio, as in MuJoCo."""
    kp, damping, dyntype, time = node.number("kp", law.gainprm[0]), law.biasprm[2], law.dyntype, law.time
    if node.has("kv"):
        damping = -node.number("kv")
    if node.has("dampratio"):
        damping = node.number("dampratio")
    if node.has("timeconst"):
        time = node.number("timeconst")
        dyntype = "filterexact" if time else "none"
    dyntype = dyntype if dyntype == "filterexact" else "none"
    return ActuatorLaw("position", dyntype, "fixed", "affine", (kp, 0, 0), (0, -kp, damping), time)


def _intvelocity(node: XmlNode, law: ActuatorLaw) -> ActuatorLaw:
    """A position servo whose aim moves at the speed that is the control."""
    kp, kv = node.number("kp", law.gainprm[0]), node.number("kv", max(0.0, -law.biasprm[2]))
    if node.has("dampratio"):
        kv = -node.number("dampratio")
    return ActuatorLaw("intvelocity", "integrator", "fixed", "affine", (kp, 0, 0), (0, -kp, -kv))


def _cylinder(node: XmlNode, law: ActuatorLaw) -> ActuatorLaw:
    """The force of a pressure, which follows the control, on an area."""
    area = node.number("area", law.gainprm[0])
    if node.has("diameter"):
        area = 0.25 * math.pi * node.number("diameter") ** 2
    time = node.number("timeconst", law.time)
    return ActuatorLaw(
        "cylinder", "filter", "fixed", "affine", (area, 0, 0), _overlaid(node, "bias", law.biasprm), time
    )


def _velocity(node: XmlNode, law: ActuatorLaw) -> ActuatorLaw:
    kv = node.number("kv", law.gainprm[0])
    return ActuatorLaw("velocity", "none", "fixed", "affine", (kv, 0.0, 0.0), (0.0, 0.0, -kv))


def _damper(node: XmlNode, law: ActuatorLaw) -> ActuatorLaw:
    """Damping in proportion to the control."""
    kv = node.number("kv", -law.gainprm[2])
    if kv < 0.0:
        raise node.error("kv= is negative")
    return ActuatorLaw("damper", "none", "affine", "none", (0.0, 0.0, -kv))


def _other(node: XmlNode, law: ActuatorLaw) -> ActuatorLaw:
    return ActuatorLaw(node.tag, *3 * (node.tag,))


def _overlaid(node: XmlNode, name: str, before: Affine) -> Affine:
    a, b, c = node.overlaid(name, before, most=20)
    return (float(a), float(b), float(c))


READ = {
    "general": _general, "motor": _motor, "position": _position, "velocity": _velocity, "damper": _damper,
    "intvelocity": _intvelocity, "cylinder": _cylinder,
}  # fmt: skip
