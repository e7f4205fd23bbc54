"""A run with laws that remembers both sides of every event: all that sensitivities through events are derived from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.constraints.nonsmooth.choose import Chosen, Trigger
from dalembert.simulation.event_driven.law_run import LawRun


@dataclass(frozen=True, eq=False)
class Side:
    """A state next to an event, with the mode and the parameters it is in."""

    y: np.ndarray
    mode: np.ndarray
    parameters: np.ndarray


@dataclass(frozen=True, eq=False)
class Settled:
    """An event and what came of it; the beginning of a run is the first."""

    reached: float
    """Time at which the smooth part before it ended: that of the event, but for a slip in a plane whose last bit is foreseen."""
    t: float
    resumed: float
    """Time from which compiled code goes on: later where the beginning of a slip in a plane is integrated implicitly."""
    before: Side
    after: Side
    why: Trigger
    forces_lost: bool
    """Whether it came as no forces exist any more that keep the mode."""
    events: tuple[int, ...]
    """Events of the run that acted in it, by their numbers."""
    chosen: Chosen


class RecordedRun(LawRun):
    """The moving parts, and `settled`, every event so far."""

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.settled: list[Settled] = []
        self._reached: float | None = None
        self._acting: tuple[Side, tuple[int, ...]] | None = None
        self._which: tuple[int, ...] = ()
        self._lost = False
        self._chosen: Chosen | None = None
        self._after: Side | None = None

    def _side(self) -> Side:
        P = self.program.input_layout.view(self.inputs, "P")[:, 0]
        return Side(self.part("y").copy(), self.mode.numbers.copy(), P.copy())

    def put(self, side: Side) -> None:
        """Mode and parameters of a side among the inputs, for what is asked about its state."""
        self.mode.numbers[:] = side.mode
        self.program.input_layout.view(self.inputs, "P")[:, 0] = side.parameters

    def _watch_slips(self) -> None:
        reached = self.t
        super()._watch_slips()
        self._reached = reached if self.t != reached else None

    def _event(self) -> None:
        self._lost = bool(self.mode.part("trigger")[-1])
        super()._event()

    def _act(self, which: list[int]) -> None:
        self._acting = None
        self._which = tuple(k for k in which if self.events[k].actions)
        super()._act(which)
        self._which = ()

    def _forget_outputs_at(self, t: float) -> None:
        """Called when the state is at an event, before anything is done about it."""
        super()._forget_outputs_at(t)
        self._acting = (self._side(), self._which)

    def _take(self, chosen: Chosen, y: np.ndarray) -> None:
        super()._take(chosen, y)
        self._chosen = chosen

    def _note_mode(self) -> None:
        super()._note_mode()
        self._after = self._side()

    def _settle(self, why: Trigger, impulse: np.ndarray | None = None) -> None:
        before, events = self._acting or (self._side(), ())
        t = self.t
        super()._settle(why, impulse)
        assert self._chosen is not None and self._after is not None
        reached = t if self._reached is None else self._reached
        self.settled.append(Settled(reached, t, self.t, before, self._after, why, self._lost, events, self._chosen))
        self._reached, self._acting, self._lost = None, None, False
