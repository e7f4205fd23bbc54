"""Poses, velocities, accelerations, partial velocities, momenta and energies."""

from dalembert.kinematics.state import State

__all__ = ["State"]
