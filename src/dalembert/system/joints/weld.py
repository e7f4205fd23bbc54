"""Weld: the two frames are one."""

from __future__ import annotations

from dataclasses import dataclass

from dalembert.system.joints.joint import Joint


@dataclass(frozen=True)
class Weld(Joint):
    """No relative motion."""
