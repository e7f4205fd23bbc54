"""The numbered, immutable mechanism that all mathematics reads: its data, its joints, and what can be asked of it."""

from dalembert.mechanism.joints import CutJoint, Station, TreeJoint
from dalembert.mechanism.mechanism import Mechanism

__all__ = ["CutJoint", "Mechanism", "Station", "TreeJoint"]
