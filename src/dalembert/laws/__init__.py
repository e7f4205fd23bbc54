"""The laws a user can name: what hits, sticks, slips, latches and lets go. To add one: write its file and add it here."""

from dalembert.laws.joint_friction import JointFriction
from dalembert.laws.law import Friction, Law
from dalembert.laws.stop import Stop

LAWS: tuple[type[Law], ...] = (Stop, JointFriction)
"""The laws a model file can name."""

__all__ = ["LAWS", "Friction", "JointFriction", "Law", "Stop"]
