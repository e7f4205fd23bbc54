"""The constraints a user can name besides joints. To add one: write its file and add it here."""

from dalembert.parts.constraints.cam_follower import CamFollower
from dalembert.parts.constraints.closure import JointClosure
from dalembert.parts.constraints.constraint import Constraint
from dalembert.parts.constraints.coupling import Coupling, Drive
from dalembert.parts.constraints.distance import Distance
from dalembert.parts.constraints.guide import OnLine, OnPlane
from dalembert.parts.constraints.knife_edge import KnifeEdge
from dalembert.parts.constraints.planetary_gear import PlanetaryGear
from dalembert.parts.constraints.polynomial import Polynomial
from dalembert.parts.constraints.relation import Relation
from dalembert.parts.constraints.rolling import RollingBall, RollingDisc
from dalembert.parts.constraints.worm_gear import WormGear

CONSTRAINTS: tuple[type[Constraint], ...] = (
    Distance, OnLine, OnPlane, Coupling, Drive, RollingBall, RollingDisc, KnifeEdge, Polynomial, Relation,
    CamFollower, WormGear, PlanetaryGear,
)  # fmt: skip
"""The constraints a model file can name."""

__all__ = [
    "CONSTRAINTS", "CamFollower", "Constraint", "Coupling", "Distance", "Drive", "JointClosure", "KnifeEdge", "OnLine", "OnPlane",
    "PlanetaryGear", "Polynomial", "Relation", "RollingBall", "RollingDisc", "WormGear",
]  # fmt: skip
