"""Actuators as motors and springs: force = gain · control + bias, both affine in length and velocity. The control is a parameter,
or a state that follows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert.elements import Integral, LowPass
from dalembert.importers.imported import ACCELERATIONS, AT_LIMITS, Notes
from dalembert.importers.mjcf.actuator_laws import ActuatorLaw, continued
from dalembert.importers.mjcf.body_tree import BodyTree
from dalembert.importers.mjcf.defaults import ACTUATORS, Defaults
from dalembert.importers.mjcf.mjcf_joints import JointPart
from dalembert.importers.mjcf.tendons import FixedTendon
from dalembert.importers.naming import Names, identifier
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.forces import Cord, JointSpring, Load, Motor, Tendon
from dalembert.system import System
from dalembert.trace import Scalar, maximum, minimum

SERVOS = ("position", "intvelocity")
"""Actuators whose controls may have the range of what they move; others of their class do not."""
TARGETS = ("joint", "jointinparent", "tendon", "site", "body", "slidersite", "cranksite")


def between(value: Any, ends: tuple[float, float] | None) -> Scalar:
    """The value, no further than its ends."""
    return value if ends is None else maximum(ends[0], minimum(ends[1], value))


def _held_motor(
    joint: str, factors: dict[str, float], drive: Any, feedback: list[Any], most: tuple[float, float] | None
) -> Motor:
    """The part in one joint of a force along a combination of joints which, with what it measures, stays between its ends."""
    by_length, by_speed = feedback or (0.0, 0.0)

    def torque(s: Any) -> Any:
        length, speed = (sum(factor * x[name] for name, factor in factors.items()) for x in (s.q, s.u))
        return factors[joint] * between(drive + by_length * length + by_speed * speed, most)

    return Motor(joint, torque)


@dataclass(frozen=True)
class Drawn:
    """Tension of a cord by an actuator, whose force lengthens it."""

    gear: float
    drive: Any
    feedback: tuple[Any, ...]
    most: tuple[float, float] | None

    def __call__(self, length: Any, rate: Any) -> Any:
        by_length, by_speed = self.feedback or (0.0, 0.0)
        measured = self.drive + by_length * (self.gear * length) + by_speed * (self.gear * rate)
        return -self.gear * between(measured, self.most)


@dataclass(frozen=True, eq=False)
class Actuators:
    """Adds them to a system."""

    system: System
    tree: BodyTree
    tendons: dict[str, FixedTendon]
    defaults: Defaults
    forces: Names
    notes: Notes
    inertia: Callable[[str], float | None]
    """Inertia of a joint's single speed in the reference pose, by joint; None where it is not known."""
    paths: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Ways of tendons through space, as a `Cord` takes them."""
    tendons_read: dict[str, XmlNode] = field(default_factory=dict)
    """All tendons with their defaults, by name."""
    activations: list[str] = field(default_factory=list)
    """States of actuators, in the order of the file."""

    def add(self, section: XmlNode, start: int) -> list[str]:
        """The parameters that are the controls, in the order of the file."""
        controls = []
        for k, node in enumerate(section.children, start=start):
            if node.tag not in ACTUATORS:
                continue
            node.used = True
            classes = self.defaults.actuators(node)
            laws: tuple[ActuatorLaw, ...] = ()
            for parts in (*classes, [node]):
                laws = (*laws, continued(laws, parts))
            around = [part for parts in classes for part in parts]
            controls.append(self._add(replace(node, defaults=tuple(reversed(around))), laws[-1], k))
        return controls

    def _add(self, node: XmlNode, law: ActuatorLaw, number: int) -> str:
        name = self.forces.new(node.get("name") or f"actuator{number}")
        parameter = identifier(f"ctrl_{name}")
        while parameter in self.system.parameters:
            parameter += "_"
        control = self.system.parameter(parameter, 0.0)
        targets = [t for t in TARGETS if t in node.attributes]
        if len(targets) != 1 and "cranksite" not in targets:
            raise node.error(f"it needs exactly one of {', '.join(TARGETS)}")
        refusal = law.refusal()
        if refusal:
            self._leave_out(node, refusal, AT_LIMITS if law.kind == "adhesion" else ACCELERATIONS)
            return parameter
        law = self._damped(node, law, targets[0])
        gear = node.overlaid("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        ends = self._inherited(node, targets[0]) or self.tree.compiler.limits(node, "ctrl")
        limited = self._activated(node, name, law, between(control, ends))
        drive, *feedback = (g * limited + b for g, b in zip(law.gain, law.bias))
        most = self.tree.compiler.limits(node, "force")
        if not law.measures:
            drive, most = between(drive, most), None
        match targets[0]:
            case "joint" | "jointinparent":
                self._joint(node, name, targets[0], gear, drive, feedback if law.measures else [], most)
            case "tendon":
                self._tendon(node, name, gear[0], drive, feedback, most)
            case "site":
                self._site(node, name, gear, drive, law.measures)
            case _:
                self._leave_out(node, f"an actuator on {targets[0]}= is not represented")
        return parameter

    def _inherited(self, node: XmlNode, target: str) -> tuple[float, float] | None:
        """Ends of the control of a servo, as the range of its joint or tendon about the middle, times inheritrange."""
        if node.tag not in SERVOS or target not in ("joint", "tendon"):
            return None
        part = node.number("inheritrange", 0.0)
        if part <= 0.0:
            return None
        if target == "tendon":
            ends = self.tree.compiler.limits(node.refers(target, self.tendons_read, "tendon"), "")
        else:
            joint = node.refers(target, self.tree.joints, "joint")
            given = joint.node.vector("range", (0.0, 0.0), size=2) if joint.single else np.zeros(2)
            angle = self.tree.compiler.angle if joint.kind == "hinge" else float
            ends = (angle(float(given[0])), angle(float(given[1])))
        if ends is None or not ends[0] < ends[1]:
            raise node.error("inheritrange= needs a range of what it moves")
        middle, half = 0.5 * (ends[0] + ends[1]), 0.5 * part * (ends[1] - ends[0])
        return middle - half, middle + half

    def _leave_out(self, node: XmlNode, why: str, effect: str = ACCELERATIONS) -> None:
        node.forget()
        self.notes.add(node, f"{why}, so the actuator is left out", effect)
        self.notes.edits.change(node, gear="0 0 0 0 0 0")

    def _activated(self, node: XmlNode, name: str, law: ActuatorLaw, control: Scalar) -> Scalar:
        """What the force is in proportion to: the control, or a state that follows or sums it."""
        if law.dyntype == "none":
            return control
        element = LowPass(law.time) if law.filters else Integral()
        own = self.forces.new(f"{name}_activation")
        (state,) = self.system.add_element(own, element, input=control).values()
        self.activations.append(f"{own}.value")
        if self.tree.compiler.limits(node, "act") is not None:
            self.notes.add(node, "the range of its activation is not represented", AT_LIMITS, "actrange")
        return state

    def _damped(self, node: XmlNode, law: ActuatorLaw, target: str) -> ActuatorLaw:
        """Damping given as a ratio, in units: 2 ratio √(kp M), with the inertia M that the actuator sees in the reference pose."""
        if law.damping_ratio is None or target != "joint":
            return law
        joint = node.refers(target, self.tree.joints, "joint")
        g = float(node.overlaid("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))[0])
        inertia = self.inertia(joint.name) if joint.single and g else None
        if inertia is None:
            self.notes.add(
                node, "its damping is given as a ratio to an inertia that is not known, and left out; give kv="
            )
            return replace(law, biasprm=(law.biasprm[0], law.biasprm[1], 0.0))
        return law.damped(inertia / (g * g))

    def _joint(
        self,
        node: XmlNode,
        name: str,
        target: str,
        gear: np.ndarray,
        drive: Any,
        feedback: list[Any],
        most: tuple[float, float] | None,
    ) -> None:
        """`feedback` on length and velocity, if there is any; `most` where the force then has ends."""
        joint = node.refers(target, self.tree.joints, "joint")
        if joint.single:
            g = float(gear[0])
            if most is not None:
                self.system.add_force(name, _held_motor(joint.name, {joint.name: g}, drive, feedback, most))
                return
            self.system.add_force(name, Motor(joint.name, g * drive))
            if feedback:
                spring = JointSpring(joint.name, *(-g * g * x for x in feedback))
                self.system.add_force(self.forces.new(f"{name}_feedback"), spring)
            return
        if feedback or target == "jointinparent":
            self._leave_out(node, f"an actuator on a {joint.kind} joint that measures it is not represented")
            return
        self._on_speeds(name, joint, gear, drive)

    def _on_speeds(self, name: str, joint: JointPart, gear: np.ndarray, drive: Any) -> None:
        """A force on a free body (world axes) then a torque in its own axes; a torque on a ball joint."""
        along = gear[:3] if joint.kind == "ball" else np.concatenate([gear[3:], gear[:3]])
        for speed, g in zip(joint.joint.speeds, along):
            if g:
                self.system.add_force(self.forces.new(f"{name}_{speed}"), Motor(joint.name, float(g) * drive, speed))

    def _tendon(
        self, node: XmlNode, name: str, gear: float, drive: Any, feedback: list[Any], most: tuple[float, float] | None
    ) -> None:
        said = node.text_of("tendon")
        if said in self.paths:
            drawn = Drawn(gear, drive, tuple(feedback), most)
            self.system.add_force(name, node.checked(Cord, **self.paths[said], tension=drawn))
            return
        if said not in self.tendons:
            self._leave_out(node, f"tendon={said!r} is not represented")
            return
        factors = {k: gear * v for k, v in self.tendons[said].factors.items()}
        if most is None:
            made = node.checked(Tendon, factors, *(-x for x in feedback), pull=drive)
            self.system.add_force(name, made)
            return
        for joint in factors:
            self.system.add_force(
                self.forces.new(f"{name}_{joint}"), _held_motor(joint, factors, drive, feedback, most)
            )

    def _site(self, node: XmlNode, name: str, gear: np.ndarray, drive: Any, measures: bool) -> None:
        """A force and a torque along the site's axes."""
        if measures or node.has("refsite"):
            node.get("refsite")
            self._leave_out(node, "an actuator on a site that measures it is not represented")
            return
        site = node.refers("site", self.tree.sites, "site")
        force, torque = (site.at.rotation @ part for part in (gear[:3], gear[3:]))
        load = Load((site.body, site.at.position), [x * drive for x in force], [x * drive for x in torque], "body")
        self.system.add_force(name, load)
