"""The numbered, immutable mechanism that all mathematics reads: its data, its joints, and what can be asked of it."""

from dalembert.mechanism.changed_mechanism import ChangedMechanism, in_variables
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.numbered_joints import CutJoint, NodeFrame, TreeJoint, places_from

__all__ = ["ChangedMechanism", "CutJoint", "Mechanism", "NodeFrame", "TreeJoint", "in_variables", "places_from"]
