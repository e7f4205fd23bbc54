"""The root's own frame: attached to the first body of the tree, C's choice for a hub with appendages [C 264, 307]."""

from __future__ import annotations

from dalembert.formulations.system_frames.floating_tree import TreeMotion
from dalembert.formulations.system_frames.kane_in_frame import KaneInFrame, Slip


class RootAxes(KaneInFrame):
    title = "Kane, mass centre of the whole, root's axes"

    def slip(self, x: TreeMotion) -> Slip | None:
        return None
