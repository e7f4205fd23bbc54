"""Actuators as motors: force = gain · control + b₀ + b₁ · length + b₂ · velocity, the control being a parameter."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.importers.imported import Notes
from dalembert.importers.mjcf.bodies import BodyTree
from dalembert.importers.mjcf.defaults import ACTUATORS, Defaults
from dalembert.importers.mjcf.joints import JointPart
from dalembert.importers.mjcf.tendons import FixedTendon
from dalembert.importers.naming import Names, identifier
from dalembert.importers.node import Node
from dalembert.system import System
from dalembert.system.forces import JointSpring, Load, Motor, Tendon

TARGETS = ("joint", "jointinparent", "tendon", "site", "body", "slidersite", "cranksite")


@dataclass(frozen=True)
class Law:
    """What a general actuator does; `trouble` says why it has no place here."""

    gain: float = 1.0
    bias: tuple[float, float, float] = (0.0, 0.0, 0.0)
    trouble: str | None = None


@dataclass(frozen=True, eq=False)
class Actuators:
    """Adds them to a system."""

    system: System
    tree: BodyTree
    tendons: dict[str, FixedTendon]
    defaults: Defaults
    forces: Names
    notes: Notes

    def add(self, section: Node, start: int) -> list[str]:
        """The parameters that are the controls, in the order of the file."""
        controls = []
        for k, node in enumerate(section.children, start=start):
            if node.tag not in ACTUATORS:
                continue
            node.used = True
            chain = self.defaults.chain(node)
            law = Law()
            for part in (*chain, node):
                law = read_law(part, law)
            controls.append(self._add(replace(node, defaults=tuple(reversed(chain))), law, k))
        return controls

    def _add(self, node: Node, law: Law, number: int) -> str:
        name = self.forces.new(node.get("name") or f"actuator{number}")
        parameter = identifier(f"ctrl_{name}")
        while parameter in self.system.parameters:
            parameter += "_"
        control = self.system.parameter(parameter, 0.0)
        targets = [t for t in TARGETS if t in node.attributes]
        if len(targets) != 1 and "cranksite" not in targets:
            raise node.error(f"it needs exactly one of {', '.join(TARGETS)}")
        if law.trouble:
            node.forget()
            self.notes.add(node, f"{law.trouble}, so the actuator is left out")
            return parameter
        gear = np.zeros(6)
        given = node.numbers("gear", 1, 6) if node.has("gear") else [1.0]
        gear[: len(given)] = given
        drive = law.gain * control + law.bias[0]
        match targets[0]:
            case "joint" | "jointinparent":
                self._joint(node, name, targets[0], gear, drive, law)
            case "tendon":
                self._tendon(node, name, gear[0], drive, law)
            case "site":
                self._site(node, name, gear, drive, law)
            case _:
                node.forget()
                self.notes.add(node, f"an actuator on {targets[0]}= is not represented and left out")
        return parameter

    def _joint(self, node: Node, name: str, target: str, gear: np.ndarray, drive: Any, law: Law) -> None:
        joint = node.refers(target, self.tree.joints, "joint")
        if joint.single:
            g = float(gear[0])
            self.system.add_force(name, Motor(joint.name, g * drive))
            self._spring(name, JointSpring(joint.name, -g * g * law.bias[1], -g * g * law.bias[2]))
            return
        if law.bias[1] or law.bias[2] or target == "jointinparent":
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

    def _tendon(self, node: Node, name: str, gear: float, drive: Any, law: Law) -> None:
        said = node.text_of("tendon")
        if said not in self.tendons:
            self.notes.add(node, f"tendon={said!r} is no fixed tendon, so the actuator is left out")
            return
        factors = {k: gear * v for k, v in self.tendons[said].factors.items()}
        made = node.checked(Tendon, factors, -law.bias[1], -law.bias[2], pull=drive)
        self.system.add_force(name, made)

    def _site(self, node: Node, name: str, gear: np.ndarray, drive: Any, law: Law) -> None:
        """A force and a torque along the site's axes."""
        if law.bias[1] or law.bias[2] or node.has("refsite"):
            node.get("refsite")
            self.notes.add(node, "an actuator on a site that measures it is not represented and left out")
            return
        site = node.refers("site", self.tree.sites, "site")
        force, torque = (site.at.rotation @ part for part in (gear[:3], gear[3:]))
        load = Load((site.body, site.at.position), [x * drive for x in force], [x * drive for x in torque], "body")
        self.system.add_force(name, load)

    def _spring(self, name: str, spring: JointSpring) -> None:
        if spring.stiffness or spring.damping:
            self.system.add_force(self.forces.new(f"{name}_feedback"), spring)


def read_law(node: Node, law: Law) -> Law:
    """What an element, or a default for one, makes of the law that holds before it."""
    match node.tag:
        case "general":
            return _general(node, law)
        case "motor":
            return Law()
        case "position":
            kp = node.number("kp", law.gain)
            kv = node.number("kv", -law.bias[2])
            slow = "timeconst" in node.attributes and node.number("timeconst") != 0.0
            trouble = "it filters its control, which needs a state of its own" if slow else None
            if "dampratio" in node.attributes:
                trouble = trouble or "its damping is given as a ratio; give kv= instead"
            return Law(kp, (0.0, -kp, -kv), trouble)
        case "velocity":
            kv = node.number("kv", law.gain)
            return Law(kv, (0.0, 0.0, -kv))
        case _:
            return Law(trouble=f"<{node.tag}> has a state or a law of its own that is not represented")


def _general(node: Node, law: Law) -> Law:
    gain, bias, trouble = law.gain, law.bias, law.trouble
    kinds = {name: node.get(name) for name in ("dyntype", "gaintype", "biastype")}
    if kinds["dyntype"] not in (None, "none"):
        trouble = f"dyntype={kinds['dyntype']!r} needs a state of its own"
    if kinds["gaintype"] not in (None, "fixed"):
        trouble = f"gaintype={kinds['gaintype']!r} is not represented"
    if kinds["biastype"] not in (None, "none", "affine"):
        trouble = f"biastype={kinds['biastype']!r} is not represented"
    if node.has("gainprm"):
        gain = float(node.numbers("gainprm", 1, 20)[0])
    if node.has("biasprm"):
        b = np.zeros(3)
        given = node.numbers("biasprm", 1, 20)[:3]
        b[: len(given)] = given
        bias = (float(b[0]), float(b[1]), float(b[2]))
    if kinds["biastype"] == "none" or (kinds["biastype"] is None and not any(law.bias)):
        bias = (0.0, 0.0, 0.0)
    return Law(gain, bias, trouble)
