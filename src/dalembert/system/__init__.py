"""Systems as a user describes them, and how a description becomes a mechanism."""

from dalembert.system.system import GROUND, System

__all__ = ["GROUND", "System"]
