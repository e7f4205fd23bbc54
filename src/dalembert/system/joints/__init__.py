"""The joints a user can name. To add one: write its file and add it here."""

from dalembert.system.joints.cylindrical import Cylindrical
from dalembert.system.joints.free import Free, General
from dalembert.system.joints.joint import Joint
from dalembert.system.joints.planar import Planar
from dalembert.system.joints.prismatic import Prismatic
from dalembert.system.joints.reversed import Reversed
from dalembert.system.joints.revolute import Revolute
from dalembert.system.joints.screw import Screw
from dalembert.system.joints.spherical import Spherical
from dalembert.system.joints.universal import Universal
from dalembert.system.joints.weld import Weld

JOINTS: tuple[type[Joint], ...] = (
    Weld, Revolute, Prismatic, Screw, Cylindrical, Universal, Planar, Spherical, Free,
)  # fmt: skip
"""The joints a model file can name."""

__all__ = [
    "JOINTS", "Cylindrical", "Free", "General", "Joint", "Planar", "Prismatic", "Reversed", "Revolute", "Screw",
    "Spherical", "Universal", "Weld",
]  # fmt: skip
