"""Speeds that a user may choose in place of the joints' own, one file for each kind."""

from dalembert.parts.speeds.rates_of_coordinates import CoordinateRates, rates_of
from dalembert.parts.speeds.speed_choice import SpeedChoice
from dalembert.parts.speeds.user_speeds import UserSpeeds
from dalembert.parts.speeds.world_axes import WorldAxes, in_world_axes

CHILD_AXES, WORLD_AXES, RATES = "child axes", "world axes", "rates"
PRESETS = (CHILD_AXES, WORLD_AXES, RATES)
"""Choices that have a name; the first is what joints have by themselves."""

__all__ = [
    "CHILD_AXES", "PRESETS", "RATES", "WORLD_AXES", "CoordinateRates", "SpeedChoice", "UserSpeeds", "WorldAxes", "in_world_axes",
    "rates_of",
]  # fmt: skip
