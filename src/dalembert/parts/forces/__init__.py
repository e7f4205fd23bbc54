"""The forces a user can name. To add one: write its file and add it here."""

from dalembert.parts.forces.cord import Cord
from dalembert.parts.forces.force import BodyLoad, Force, JointLoad
from dalembert.parts.forces.joint_spring import JointSpring
from dalembert.parts.forces.load import Load
from dalembert.parts.forces.motor import Motor
from dalembert.parts.forces.points import Point
from dalembert.parts.forces.spring import Spring
from dalembert.parts.forces.tendon import Tendon

FORCES: tuple[type[Force], ...] = (Load, Motor, Spring, JointSpring, Tendon, Cord)
"""The forces a model file can name."""

__all__ = [
    "FORCES",
    "BodyLoad",
    "Cord",
    "Force",
    "JointLoad",
    "JointSpring",
    "Load",
    "Motor",
    "Point",
    "Spring",
    "Tendon",
]
