"""The start of a model: its reference pose, or what its first keyframe says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.importers.imported import MEASURED
from dalembert.importers.mjcf.mjcf_joints import JointPart
from dalembert.importers.repairs import Repairs
from dalembert.importers.xml_node import XmlNode


@dataclass(frozen=True, eq=False)
class Start:
    """Start by joint, as `simulate` takes it; and the values of the controls."""

    initial: dict[str, Any] = field(default_factory=dict)
    speeds: dict[str, Any] = field(default_factory=dict)
    controls: dict[str, float] = field(default_factory=dict)


def start(
    sections: list[XmlNode], joints: list[JointPart], controls: list[str], activations: list[str], repairs: Repairs
) -> Start:
    made = Start({j.name: _plain(j.zero) for j in joints if not np.array_equal(j.zero, j.joint.reference)})
    keys = [key for section in sections for key in section.all("key")]
    for key in keys[1:]:
        key.forget()
        repairs.notes.add(key, "only the first keyframe becomes the start", MEASURED)
    for key in keys[:1]:
        for attribute, width, given, to in (
            ("qpos", [j.n_qpos for j in joints], made.initial, JointPart.coordinates),
            ("qvel", [j.joint.n_u for j in joints], made.speeds, JointPart.speeds),
        ):
            if not key.has(attribute):
                continue
            values = key.numbers(attribute, sum(width))
            for j, part in zip(joints, np.split(values, np.cumsum(width)[:-1]) if joints else []):
                if attribute == "qpos" and not j.single and not np.linalg.norm(part[-4:]):
                    what = f'the quaternion of joint "{j.name}" has no direction'
                    repairs.mended(key, what, "it is not turned, as in MuJoCo", MEASURED)
                    part = np.array([*part[:-4], 1.0, 0.0, 0.0, 0.0])
                given[j.name] = to(j, part)
        if key.has("ctrl"):
            made.controls.update(zip(controls, map(float, key.numbers("ctrl", len(controls)))))
        if key.has("act") and len(key.text_of("act").split()) == len(activations):
            made.initial.update(zip(activations, map(float, key.numbers("act", len(activations)))))
    return made


def _plain(zero: np.ndarray) -> float | list[float]:
    return float(zero[0]) if len(zero) == 1 else [float(x) for x in zero]
