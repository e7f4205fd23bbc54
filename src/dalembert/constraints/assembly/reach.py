"""Loops that cannot reach: a polygon closes only if its longest side is no longer than all others together.

The sides are the bodies round a loop of joints that do not slide, from joint to joint; no pose changes their lengths.
"""

from __future__ import annotations

import numpy as np

from dalembert.errors import LoopError
from dalembert.mechanism import CutJoint, Mechanism, TreeJoint
from dalembert.topology import Loop, loops
from dalembert.vectors import Vector

ROUNDING = 1e-9
"""Part of a length by which links may fall short and still reach."""
OUT_OF_REACH = (
    'the loop {loop} cannot be closed: best gap {gap} m at "{name}" in any pose, for from joint to joint {longest} is {length} m long, '
    "and all the others together reach {rest} m. Check their lengths, and the places of the joints on them"
)
"""A sentence with gaps for names and numbers, which the page that simulates fills as well."""


def check_reach(m: Mechanism) -> None:
    """Refuses at once what no start could close."""
    if m.elastic:
        return
    x = m.numeric
    for cut, loop in zip(x.cuts, loops(x.tree)):
        vectors = sides_of(x, loop)
        if vectors is None:
            continue
        sides = {name: float(np.linalg.norm(v)) for name, v in vectors.items()}
        longest = max(sides, key=lambda name: sides[name])
        rest = sum(sides.values()) - sides[longest]
        if sides[longest] > rest * (1.0 + ROUNDING):
            raise LoopError(
                OUT_OF_REACH.format(
                    loop="–".join(sides),
                    gap=f"{sides[longest] - rest:.3g}",
                    name=cut.name,
                    longest=longest,
                    length=f"{sides[longest]:.6g}",
                    rest=f"{rest:.6g}",
                )
            )


def sides_of(m: Mechanism, loop: Loop) -> dict[str, Vector] | None:
    """The way from joint to joint on every body of a loop, in its own axes; None where a joint of the loop slides."""
    ends: dict[int, list[Vector]] = {body: [] for body in loop.bodies}
    cut = next(c for c, each in zip(m.cuts, loops(m.tree)) if each.cut == loop.cut)
    round_it: list[tuple[TreeJoint | CutJoint, int, int]] = [(cut, cut.parent, cut.child)]
    round_it += [(m.joints[k - 1], m.parent[k - 1], k) for k in loop.bodies if k != loop.apex]
    for joint, parent, child in round_it:
        if np.any(joint.joint.sliding(joint.joint.reference)):
            return None
        ends[parent].append(joint.on_parent.position)
        ends[child].append(joint.on_child.position)
    names = ["ground", *(b.name for b in m.bodies)]
    if any(len(places) != 2 for places in ends.values()):
        return None
    return {names[body]: a - b for body, (a, b) in ends.items()}
