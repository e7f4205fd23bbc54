"""What a mechanism says about its variables where these are its joints' own; `ChangedMechanism` says otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dalembert.cached import cached_property
from dalembert.mechanism.numbered_joints import TreeJoint
from dalembert.mechanism.variable_changes import VariableChange
from dalembert.parts.bodies import Body

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class JointVariables:
    """Coordinates and speeds of a mechanism that are those of its joints."""

    joints: tuple[TreeJoint, ...]
    bodies: tuple[Body, ...]

    @property
    def variables(self) -> VariableChange | None:
        """Coordinates and speeds other than the joints', in a `ChangedMechanism`."""
        return None

    def joint_coordinates(self, q: ArrayLike) -> np.ndarray:
        """Coordinates of the joints, from those of the mechanism: of one state (n,) or of many (K, n)."""
        return np.asarray(q)

    def own_coordinates(self, q: ArrayLike) -> np.ndarray:
        """Coordinates of the mechanism, from those of the joints, numbers or traced."""
        return np.asarray(q)

    @property
    def dropped(self) -> tuple[str, ...]:
        """Coordinates that were dropped: they are zero."""
        return ()

    def rate_place(self, coordinate: int) -> int | None:
        """The place in u of the speed that is the rate of the coordinate at a place in q; None where no speed is."""
        for j in self.joints:
            if coordinate in j.q_at:
                i, own = j.q_at.index(coordinate), len(j.own_q)
                if i >= own:
                    return j.u_at[len(j.own_u) + i - own]
                return j.u_at[i] if j.joint.rates_are_speeds or j.joint.inner.rates_are_speeds else None
        return None

    @cached_property
    def speed_owners(self) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
        """Places in u by whose they are: of joints by their names, and of elastic bodies by theirs."""
        joints = {j.name: tuple(at for at in j.own_u if at is not None) for j in self.joints}
        modes = {b.name: j.u_at[len(j.own_u) :] for j, b in zip(self.joints, self.bodies) if b.modes}
        return joints, {name: tuple(at for at in places if at is not None) for name, places in modes.items()}
