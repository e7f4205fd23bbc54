"""The numbered, immutable mechanism that all mathematics reads: its data, its joints, and what can be asked of it."""

from dalembert.mechanism.joints import CutJoint, Station, TreeJoint, places_from
from dalembert.mechanism.mechanism import Mechanism

__all__ = ["CutJoint", "Mechanism", "Station", "TreeJoint", "places_from"]
