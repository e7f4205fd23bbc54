"""What a state in variables of its own has from the state in those before: rates, partial velocities, forces and accelerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from dalembert.cached import cached_property
from dalembert.elements.signals import ReadsSignals
from dalembert.kinematics.recursion import Partials
from dalembert.mechanism import Mechanism
from dalembert.mechanism.variable_changes import GeneralizedSpeeds, LinearCoordinates
from dalembert.vectors import Vector, vector

if TYPE_CHECKING:
    from dalembert.aliases import Scalar
    from dalembert.kinematics.speed_map import SpeedMap
    from dalembert.kinematics.state import State


class InVariables(ReadsSignals):
    """How a state stands to the same motion in other variables; the part of `State` that says so."""

    mechanism: Mechanism
    t: Any
    coordinates: Vector
    speeds: Vector

    @cached_property
    def base(self) -> State:
        """The same motion in the variables that the mechanism's own are said in; itself where these are the joints'."""
        from dalembert.kinematics.state import State

        m = self.mechanism
        if m.variables is None:
            return cast("State", self)
        q = m.variables.base_coordinates(self.coordinates)
        return State(m.base, self.t, q, self.speed_map.before(self.speeds))

    def own_variable(self, kind: str, name: str) -> Scalar | None:
        """The coordinate ("q") or speed ("u") of this name, where variables were chosen; None where none has it."""
        m = self.mechanism
        if m.variables is None:
            return None
        names, given = (m.coordinates, self.coordinates) if kind == "q" else (m.speeds, self.speeds)
        if name not in names:
            return None
        found: Scalar = given[names.index(name)]
        return found

    @cached_property
    def speed_map(self) -> SpeedMap:
        """How the mechanism's speeds and those of `base` follow from each other, where these differ."""
        from dalembert.kinematics.speed_map import speed_map

        return speed_map(cast("State", self))

    def joint_wrench(self, joint: str) -> Vector:
        """What a joint exerts on its child where the rates of the speeds are known: torque about its frame, and force."""
        from dalembert.kinematics.transmitted import joint_wrench

        return joint_wrench(cast("State", self), joint)


def in_joint_variables(s: State) -> State:
    """The same motion in the coordinates and speeds of the joints."""
    return s if s.mechanism.variables is None else in_joint_variables(s.base)


# -- speeds of the mechanism and of its joints ----------------------------------------------------------------------------------
def on_speeds(s: State, forces: Any) -> np.ndarray:
    """Generalized forces on the mechanism's speeds, from those on the joints' free speeds."""
    if s.mechanism.variables is None:
        return np.asarray(forces)
    return np.asarray(s.speed_map.T.T @ on_speeds(s.base, forces))


def on_joint_speeds(s: State, forces: Any) -> np.ndarray:
    """Generalized forces on the joints' free speeds that do the work of these on the mechanism's."""
    if s.mechanism.variables is None:
        return np.asarray(forces)
    return on_joint_speeds(s.base, s.speed_map.W.T @ np.asarray(forces))


def joint_speed_rates(s: State, udot: Any) -> np.ndarray:
    """Rates of the joints' free speeds, where the mechanism's change at the rate u̇."""
    if s.mechanism.variables is None:
        return np.asarray(udot)
    return joint_speed_rates(s.base, s.speed_map.rates_before(udot))


def speed_rates(s: State, rates: Any) -> np.ndarray:
    """u̇, where the joints' free speeds change at these rates."""
    if s.mechanism.variables is None:
        return np.asarray(rates)
    return s.speed_map.rates_after(speed_rates(s.base, rates))


def joint_speeds_per_speed(s: State) -> np.ndarray:
    """∂(joints' free speeds)/∂u."""
    if s.mechanism.variables is None:
        return np.eye(s.mechanism.n_u)
    if s.base.mechanism.variables is None:
        return s.speed_map.T
    return np.asarray(joint_speeds_per_speed(s.base) @ s.speed_map.T)


# -- of a state in variables of its own -------------------------------------------------------------------------------------------
def rates(s: State) -> np.ndarray:
    """Rates of coordinates that are as they were before; of linear combinations, the speeds that they are."""
    variables, before = s.mechanism.variables, s.base.rates
    if isinstance(variables, GeneralizedSpeeds):
        known = variables.coordinate_rates()
        return vector([s.speeds[known[at]] if at in known else x for at, x in enumerate(before)])
    if not isinstance(variables, LinearCoordinates):
        return before
    new = iter([s.speeds[at] for at, place in enumerate(variables.direct_speeds) if place is None])
    return vector([next(new) if at is None else before[at] for at in variables.direct])


def partials(s: State) -> list[Partials]:
    """V T and Ω T."""
    T, columns = s.speed_map.T, s.base.mechanism.path_columns
    return [_times(P, T[list(at)]) for P, at in zip(s.base.partials, columns)]


def partial_rates(s: State) -> list[Partials]:
    """V̇ T + V Ṫ and Ω̇ T + Ω Ṫ."""
    T, rate, out = s.speed_map.T, s.speed_map.T_rate, []
    for P, dP, at in zip(s.base.partials, s.base.partial_rates, s.base.mechanism.path_columns):
        here, moving = _times(P, rate[list(at)]), _times(dP, T[list(at)])
        out.append(Partials(here.W + moving.W, here.V + moving.V))
    return out


def _times(P: Partials, columns: np.ndarray) -> Partials:
    """Partial velocities in other speeds; none where nothing moves the frame."""
    return Partials(P.W @ columns, P.V @ columns) if len(columns) else P
