"""The forces a user can name. To add one: write its file and add it here."""

from dalembert.system.forces.force import BodyLoad, Force, JointLoad
from dalembert.system.forces.joint_spring import JointSpring
from dalembert.system.forces.load import Load
from dalembert.system.forces.motor import Motor
from dalembert.system.forces.points import Point
from dalembert.system.forces.spring import Spring
from dalembert.system.forces.tendon import Tendon

FORCES: tuple[type[Force], ...] = (Load, Motor, Spring, JointSpring, Tendon)
"""The forces a model file can name."""

__all__ = ["FORCES", "BodyLoad", "Force", "JointLoad", "JointSpring", "Load", "Motor", "Point", "Spring", "Tendon"]
