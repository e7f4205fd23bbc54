"""Parts that a system is made of: bodies, frames, joints, forces, constraints, outputs, events, shapes."""

from dalembert.parts import shapes
from dalembert.parts.bodies import MassProperties, RigidBody, box, cylinder, particle, rod, sphere
from dalembert.parts.frames import Frame

__all__ = ["Frame", "MassProperties", "RigidBody", "box", "cylinder", "particle", "rod", "shapes", "sphere"]
