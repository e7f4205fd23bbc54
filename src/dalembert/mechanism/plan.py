"""`Plan`: what a simulation does where the call says nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.parts.events import Event
from dalembert.portable import Portable

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, eq=False)
class Plan(Portable):
    """How long, from which initial values and speeds, with which options; and the outputs and events that are named."""

    duration: float | None = None
    initial: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    speeds: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    options: SimulationOptions = field(default_factory=SimulationOptions)
    outputs: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    events: Mapping[str, Event] = field(default_factory=lambda: _NOTHING)
    ranges: Mapping[str, tuple[float | None, float | None]] = field(default_factory=lambda: _NOTHING)
    """Least and largest values of parameters between which they are set by hand."""

    def begun(self, duration: float | None, initial: Any, speeds: Any) -> tuple[float | None, Any, Any]:
        """The call's duration, initial values and speeds (None: not said), completed by the plan's."""
        return (
            self.duration if duration is None else duration,
            (self.initial or None) if initial is None else initial,
            (self.speeds or None) if speeds is None else speeds,
        )
