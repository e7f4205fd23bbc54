"""What a user says: bodies, frames, joints, forces, parameters."""

from dalembert.system import shapes
from dalembert.system.bodies import MassProperties, RigidBody, box, cylinder, particle, rod, sphere
from dalembert.system.frames import Frame
from dalembert.system.system import GROUND, System

__all__ = [
    "GROUND",
    "Frame",
    "MassProperties",
    "RigidBody",
    "System",
    "box",
    "cylinder",
    "particle",
    "rod",
    "shapes",
    "sphere",
]
