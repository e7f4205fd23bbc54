"""The joints a user can name. To add one: write its file and add it here."""

from dalembert.parts.joints.curved_slide import CurvedSlide
from dalembert.parts.joints.cylindrical import Cylindrical
from dalembert.parts.joints.free import Free, General
from dalembert.parts.joints.joint import Joint
from dalembert.parts.joints.planar import Planar
from dalembert.parts.joints.prismatic import Prismatic
from dalembert.parts.joints.reversed import Reversed
from dalembert.parts.joints.revolute import Revolute
from dalembert.parts.joints.screw import Screw
from dalembert.parts.joints.spherical import Spherical
from dalembert.parts.joints.translation import Translation
from dalembert.parts.joints.universal import Universal
from dalembert.parts.joints.weld import Weld

JOINTS: tuple[type[Joint], ...] = (
    Weld, Revolute, Prismatic, Screw, Cylindrical, Universal, Planar, Translation, CurvedSlide, Spherical, Free,
)  # fmt: skip
"""The joints a model file can name."""

__all__ = [
    "JOINTS", "CurvedSlide", "Cylindrical", "Free", "General", "Joint", "Planar", "Prismatic", "Reversed", "Revolute", "Screw",
    "Spherical", "Translation", "Universal", "Weld",
]  # fmt: skip
