"""The constraints a user can name besides joints. To add one: write its file and add it here."""

from dalembert.system.constraints.closure import JointClosure
from dalembert.system.constraints.constraint import Constraint
from dalembert.system.constraints.coupling import Coupling, Drive
from dalembert.system.constraints.distance import Distance
from dalembert.system.constraints.guide import OnLine, OnPlane
from dalembert.system.constraints.knife_edge import KnifeEdge
from dalembert.system.constraints.own import Relation
from dalembert.system.constraints.polynomial import Polynomial
from dalembert.system.constraints.rolling import RollingBall, RollingDisc

CONSTRAINTS: tuple[type[Constraint], ...] = (
    Distance, OnLine, OnPlane, Coupling, Drive, RollingBall, RollingDisc, KnifeEdge, Polynomial, Relation,
)  # fmt: skip
"""The constraints a model file can name."""

__all__ = [
    "CONSTRAINTS", "Constraint", "Coupling", "Distance", "Drive", "JointClosure", "KnifeEdge", "OnLine", "OnPlane", "Polynomial",
    "Relation", "RollingBall", "RollingDisc",
]  # fmt: skip
