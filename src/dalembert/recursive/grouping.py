"""Matter moved inward where the equations of motion cannot tell: the least inertial parameters of a tree.

On a hinge's link, a mass on the axis and a moment of inertia that is the same about both axes across and nothing about the axis itself
act as if they belonged to the carrier, whatever the angle. Taken from the link they leave it without mass, without first moment along
the axis and without second moment about y; and every product with these is saved. Accelerations, joint forces and the mass matrix are
the same; reactions and energies of the single bodies are not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalembert.recursive.inertia import RigidInertia
from dalembert.recursive.links import Link
from dalembert.recursive.turns import FullTurn
from dalembert.system.joints import Revolute


def grouped(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """The links of a tree of rigid bodies with as much as possible moved inward, from the tips on."""
    inertia = [link.inertia for link in links]
    for k in reversed(range(len(links))):
        link = links[k]
        if isinstance(link.joint, Revolute) and link.joint.spins_about_z and _plain(link, inertia[k]):
            inertia[k], moved = _split(inertia[k])
            if link.parent:
                J = link.parent - 1
                inertia[J] = inertia[J] + moved.carried(FullTurn(link.E), link.p)
    return tuple(replace(link, inertia=I) for link, I in zip(links, inertia))


def _split(I: RigidInertia) -> tuple[RigidInertia, RigidInertia]:
    """What stays, and what may go: the same about every angle about z."""
    across = I.I[1, 1]
    goes = np.diag([across, across, 0.0])
    stays = I.I - goes
    stays[1, 1] = 0.0
    return (
        RigidInertia(0.0, np.array([I.h[0], I.h[1], 0.0]), stays),
        RigidInertia(I.m, np.array([0.0, 0.0, I.h[2]]), goes),
    )


def _plain(link: Link, I: RigidInertia) -> bool:
    """Whether all of it is numbers."""
    return all(np.asarray(x).dtype != object for x in (link.E, link.p, I.m, I.h, I.I))
