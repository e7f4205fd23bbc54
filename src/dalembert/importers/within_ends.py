"""Starts of imported robots: what begins beyond the end of its way is put at that end, or begins without it."""

from __future__ import annotations

from dalembert.importers.imported import AT_LIMITS, Notes
from dalembert.importers.xml_node import XmlNode
from dalembert.laws import Stop
from dalembert.system import System

FAR = 1e8
"""End of a way, m or rad, from which on it is none: files write large numbers where a joint has no end."""


def add_stop(system: System, notes: Notes, node: XmlNode, joint: str, ends: tuple[float, float], begins: float) -> None:
    """The ends of a joint's way as a law; `begins` is the file's own start. In a robot with loops, other joints would have to follow a
    start that is moved: there the stop is left out."""
    low, high = ends
    if low <= -FAR and high >= FAR:
        return
    law = Stop(joint, low if low > -FAR else None, high if high < FAR else None)
    if low <= begins <= high:
        system.add_law(f"{joint}_limit", law)
        return
    note = f"it begins at {begins:g}, beyond the ends of its way, {low:g} and {high:g}"
    if system.cut or system.constraints:
        notes.add(node, f"{note}: they are left out", AT_LIMITS, "begins beyond its ends, left out")
        return
    nearest = min(max(begins, low), high)
    system.initial[joint] = nearest
    system.add_law(f"{joint}_limit", law)
    notes.add(node, f"{note}: it begins at {nearest:g} here", AT_LIMITS, "begins beyond its ends")
