"""The laws a user can name: what hits, sticks, slips, latches and lets go. To add one: write its file and add it here."""

from dalembert.laws.balls import Balls
from dalembert.laws.clutch import Brake, Clutch, OneWay
from dalembert.laws.contact import Contact
from dalembert.laws.joint_friction import JointFriction
from dalembert.laws.latch import Latch
from dalembert.laws.law import Friction, Law
from dalembert.laws.limit import Backlash, Limit
from dalembert.laws.pair_contact import PairContact
from dalembert.laws.rope import Rope
from dalembert.laws.stop import Stop

LAWS: tuple[type[Law], ...] = (
    Stop, Limit, Backlash, Rope, JointFriction, Contact, PairContact, Latch, Clutch, Brake, OneWay, Balls,
)  # fmt: skip
"""The laws a model file can name."""

__all__ = [
    "LAWS", "Backlash", "Balls", "Brake", "Clutch", "Contact", "Friction", "JointFriction", "Latch", "Law", "Limit", "OneWay",
    "PairContact", "Rope", "Stop",
]  # fmt: skip
