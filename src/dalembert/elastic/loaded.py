"""Joints that load an elastic body where its modes hardly give way: a word of warning."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from dalembert.errors import StiffnessWarning

TOO_STIFF = 0.9
"""Part of a static deflection that modes should at least have."""
_ABSENT = 0.01
"""Part below which no mode of that kind was wanted: the body is meant to be rigid so."""
_NEARLY = 0.25
"""Part of a load along an axis that a joint passes on where its own axis is nearly that one: little enough."""
_LOADS = tuple(f"a {what} {axis}" for what in ("force along", "moment about") for axis in "xyz")


def warn_of_stiffness(placement: Any, bodies: Any) -> None:
    """For both ends of a joint placed on nodes."""
    for end, name in (("on_parent", placement.parent), ("on_child", placement.child)):
        frame, body = getattr(placement, end), bodies.get(name)
        if body is None or not body.modes or frame.node not in body.data.static_share:
            continue
        free = _left_free(placement.joint, frame.rotation, child=end == "on_child")
        for load, part in enumerate(body.data.static_share[frame.node]):
            if _ABSENT < part < TOO_STIFF and not free[load]:
                warnings.warn(
                    f'joint "{placement.name}" can load body "{name}" at node "{frame.node}" with {_LOADS[load]}, but its modes give '
                    f"way by only {100.0 * part:.3g} % of what is due: it is too stiff. Keep more modes of that kind, or static=True",
                    StiffnessWarning,
                    stacklevel=5,
                )


def _left_free(joint: Any, rotation: np.ndarray, child: bool) -> list[bool]:
    """Along and about which of the body's axes the joint passes nothing on, at its reference: forces, then moments."""
    q = np.asarray(joint.reference, dtype=float)
    R = np.asarray(joint.rotation(q), dtype=float)
    to_slide, to_turn = (rotation @ R.T, rotation) if child else (rotation, rotation @ R)
    out: list[bool] = []
    for to_body, columns in ((to_slide, joint.sliding(q)), (to_turn, joint.turning(q))):
        along = to_body @ np.asarray(columns, dtype=float)
        left = np.eye(3) - along @ np.linalg.pinv(along)
        out += [bool(x < _NEARLY) for x in np.linalg.norm(left, axis=0)]
    return out
