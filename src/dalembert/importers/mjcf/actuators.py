"""Actuators as motors and springs: force = gain · control + bias, both affine in length and velocity. The control is a parameter,
or a state that follows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert.elements import Integral, LowPass
from dalembert.importers.imported import AT_LIMITS, Notes
from dalembert.importers.mjcf.actuator_laws import ActuatorLaw, continued
from dalembert.importers.mjcf.body_tree import BodyTree
from dalembert.importers.mjcf.defaults import ACTUATORS, Defaults
from dalembert.importers.mjcf.mjcf_joints import JointPart
from dalembert.importers.mjcf.tendons import FixedTendon
from dalembert.importers.naming import Names, identifier
from dalembert.importers.xml_node import XmlNode
from dalembert.parts.forces import JointSpring, Load, Motor, Tendon
from dalembert.system import System
from dalembert.trace import Scalar, maximum, minimum

TARGETS = ("joint", "jointinparent", "tendon", "site", "body", "slidersite", "cranksite")


def between(value: Any, ends: tuple[float, float] | None) -> Scalar:
    """The value, no further than its ends."""
    return value if ends is None else maximum(ends[0], minimum(ends[1], value))


def _held_motor(joint: str, gear: float, drive: Any, feedback: list[Any], most: tuple[float, float]) -> Motor:
    """A motor whose force, with what it measures, stays between its ends."""
    by_length, by_speed = feedback or (0.0, 0.0)

    def torque(s: Any) -> Any:
        length, speed = gear * s.q[joint], gear * s.u[joint]
        return gear * between(drive + by_length * length + by_speed * speed, most)

    return Motor(joint, torque)


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
            node.forget()
            self.notes.add(node, f"{refusal}, so the actuator is left out")
            return parameter
        law = self._damped(node, law, targets[0])
        gear = node.overlaid("gear", (1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
        limited = self._activated(node, name, law, between(control, self.tree.compiler.limits(node, "ctrl")))
        drive, *feedback = (g * limited + b for g, b in zip(law.gain, law.bias))
        most = self.tree.compiler.limits(node, "force")
        if most is not None and targets[0] not in ("joint", "jointinparent") and law.measures:
            self.notes.add(node, "its forcerange= is not represented: it acts unbounded")
        elif not law.measures:
            drive, most = between(drive, most), None
        match targets[0]:
            case "joint" | "jointinparent":
                self._joint(node, name, targets[0], gear, drive, feedback if law.measures else [], most)
            case "tendon":
                self._tendon(node, name, gear[0], drive, feedback)
            case "site":
                self._site(node, name, gear, drive, law.measures)
            case _:
                node.forget()
                self.notes.add(node, f"an actuator on {targets[0]}= is not represented and left out")
        return parameter

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
                self.system.add_force(name, _held_motor(joint.name, g, drive, feedback, most))
                return
            self.system.add_force(name, Motor(joint.name, g * drive))
            if feedback:
                spring = JointSpring(joint.name, *(-g * g * x for x in feedback))
                self.system.add_force(self.forces.new(f"{name}_feedback"), spring)
            return
        if feedback or target == "jointinparent":
            self.notes.add(
                node, f"an actuator on a {joint.kind} joint that measures it is not represented and left out"
            )
            return
        self._on_speeds(name, joint, gear, drive)

    def _on_speeds(self, name: str, joint: JointPart, gear: np.ndarray, drive: Any) -> None:
        """A force on a free body (world axes) then a torque in its own axes; a torque on a ball joint."""
        along = gear[:3] if joint.kind == "ball" else np.concatenate([gear[3:], gear[:3]])
        for speed, g in zip(joint.joint.speeds, along):
            if g:
                self.system.add_force(self.forces.new(f"{name}_{speed}"), Motor(joint.name, float(g) * drive, speed))

    def _tendon(self, node: XmlNode, name: str, gear: float, drive: Any, feedback: list[Any]) -> None:
        said = node.text_of("tendon")
        if said not in self.tendons:
            self.notes.add(node, f"tendon={said!r} is no fixed tendon, so the actuator is left out")
            return
        factors = {k: gear * v for k, v in self.tendons[said].factors.items()}
        made = node.checked(Tendon, factors, *(-x for x in feedback), pull=drive)
        self.system.add_force(name, made)

    def _site(self, node: XmlNode, name: str, gear: np.ndarray, drive: Any, measures: bool) -> None:
        """A force and a torque along the site's axes."""
        if measures or node.has("refsite"):
            node.get("refsite")
            self.notes.add(node, "an actuator on a site that measures it is not represented and left out")
            return
        site = node.refers("site", self.tree.sites, "site")
        force, torque = (site.at.rotation @ part for part in (gear[:3], gear[3:]))
        load = Load((site.body, site.at.position), [x * drive for x in force], [x * drive for x in torque], "body")
        self.system.add_force(name, load)
