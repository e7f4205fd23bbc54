"""What every run of a study has in common: from where, how long, by which options, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.mechanism import Mechanism
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.motion.motion import Motion
from dalembert.studies.inputs import Inputs


@dataclass(frozen=True, eq=False)
class RunPlan:
    """One run of a study, without the values that it is given."""

    mechanism: Mechanism
    inputs: Inputs
    duration: float
    initial: Mapping[str, Any]
    speeds: Mapping[str, Any]
    options: SimulationOptions
    events: Mapping[str, Any] = field(default_factory=dict)
    control: Any = None
    control_rate: float | None = None

    @property
    def alone(self) -> str:
        """Why runs are marched one at a time; nothing where they can be marched together."""
        m, o = self.mechanism, self.options
        if self.events:
            return "events are watched"
        if self.control is not None:
            return "a controller is called"
        if m.laws:
            return "laws have events of their own"
        if m.kernels.opaque is not None:
            return "a force is a plain Python function"
        if m.variables is not None:
            return "coordinates or speeds were chosen"
        if m.sensed_joints:
            return "a sensor reads reactions in a loop"
        if m.elastic:
            return "elastic bodies are watched for bending too far"
        apart = {"stabilise", "constraints", "formulation", "restitution", "assemble", "max_events"} & set(o.said)
        return f"{', '.join(sorted(apart))} was said" if apart else ""

    def values(self, row: np.ndarray) -> tuple[dict[str, float], dict[str, Any], dict[str, Any]]:
        """Parameters, initial values and speeds of a run with these inputs."""
        parameters: dict[str, float] = {}
        initial, speeds = dict(self.initial), dict(self.speeds)
        of = {"parameter": parameters, "initial": initial, "speed": speeds}
        for one, x in zip(self.inputs.every, row.tolist()):
            of[one.kind][one.key] = x
        return parameters, initial, speeds

    def motion(self, row: np.ndarray) -> Motion:
        """The run by itself: a whole `Motion`, or the error that ends it."""
        parameters, initial, speeds = self.values(row)
        return self.mechanism.simulate(
            self.duration, initial or None, speeds or None, options=self.options, parameters=parameters,
            events=dict(self.events) or None, control=self.control, control_rate=self.control_rate, progress=False,
        )  # fmt: skip
