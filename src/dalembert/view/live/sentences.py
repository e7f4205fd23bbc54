"""What a page says where it cannot march: the package's own sentences, with gaps that the page fills."""

from __future__ import annotations

from dalembert.constraints.assembly import reach
from dalembert.constraints.diagnosis import contradictions
from dalembert.simulation import constrained_start, failure
from dalembert.simulation.time_stepping.stepping_run import VIOLATED

SENTENCES: dict[str, str] = {
    "outOfReach": reach.OUT_OF_REACH,
    "cannotBeClosed": contradictions.CANNOT_BE_CLOSED,
    "contradict": contradictions.CONTRADICT,
    "turnedOver": contradictions.TURNED_OVER,
    "valuesDoNotFit": contradictions.VALUES_DO_NOT_FIT,
    "speedsDoNotFit": contradictions.SPEEDS_DO_NOT_FIT,
    "noSpeeds": contradictions.NO_SPEEDS,
    "singularStart": constrained_start.SINGULAR_START,
    "violated": VIOLATED,
    "notFinite": failure.NOT_FINITE,
    "noConvergence": failure.NO_CONVERGENCE,
    "singularPose": failure.SINGULAR_POSE,
    "staysSingular": failure.STAYS_SINGULAR,
    "cannotCross": failure.CANNOT_CROSS,
    "creeping": failure.CREEPING,
    "tooSmall": failure.TOO_SMALL,
    "tooManySteps": failure.TOO_MANY_STEPS,
}
"""Sentences by the name that the page knows them by."""
