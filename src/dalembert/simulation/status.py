"""What the compiled march returns, and how a singular pose is taken: every code with a sentence."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """Status of a step or of a march. Below zero the run cannot go on."""

    FINISHED = 0
    """All outputs are written; of a step: it was made."""
    PAUSED = 1
    """The budget of steps is used up."""
    AT_END = 2
    """The end of the stretch is reached."""
    EVENT = 3
    """An event was located, and everything before it is written."""
    LOOK = 4
    """A margin of a law may be violated within the step; nothing of it is written yet."""
    DEGRADED = 8
    """The step was made, but the rows that keep the mechanism on its constraints, or the speeds its equations are in, have become a
    poor choice, or its pose is nearly singular."""
    CROSSED = 9
    """The step was made, but across a pose in which the chosen independent speeds do not determine the others."""
    WAITING = 100
    """This group of motions has not begun."""

    NOT_FINITE = -1
    """The state, or its slope, is no longer a number."""
    STEP_TOO_SMALL = -2
    """The tolerance asks for a step that is lost in the rounding of time."""
    NO_CONVERGENCE = -3
    """The iteration of an implicit step does not converge."""
    SINGULAR_POSE = -4
    """The constraints do not determine how the motion goes on from here."""
    CREEPING = -5
    """At the pace of its steps the run would never reach its end."""
    OUT_OF_REACH = -6
    """Time drives the mechanism towards poses that it cannot reach."""


class Crossing(IntEnum):
    """How a run takes the singular pose next to it."""

    PLANNED = 0
    """Across, in one step that has the pose in the gap between two stages."""
    STRAIGHT = 1
    """Straight on, as if branches of motion met: the pose has been approached and was found to be singular."""
    APPROACHED = 2
    """In steps that shorten, to see how near the pose comes, after a step across has failed."""
    TURNED = 3
    """Approached, and turned into another branch before the pose."""
    MET = 4
    """Approached, and met: the run goes back to before the pose, to go straight on."""
