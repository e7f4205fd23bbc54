"""A coordinate of a joint as a law names it: "joint", or "joint.freedom" where the joint has several."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.parts.forces.freedom import chosen
from dalembert.trace import Expr, Scalar, atan2, cos, sin

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


def joint_of(coordinate: str) -> str:
    """The joint's name."""
    return coordinate.partition(".")[0]


def place(s: State, coordinate: str, near: Any = None) -> Scalar:
    """The coordinate's value; of an angle that a joint which closes a loop shows, the one within half a turn of `near`."""
    name, _, freedom = coordinate.partition(".")
    joint, q, _ = s.joint(name)
    k = chosen(joint, name, freedom or None, "law")
    x = q[k] if joint.rates_are_speeds else q[joint.coordinates.index(joint.speeds[k])]
    if near is None or not s.closes_loop(name) or not turns(joint, k):
        return x
    return near + atan2(sin(x - near), cos(x - near))


def turns(joint: Joint, k: int) -> bool:
    """Whether a joint comes back to where it was after a full turn along its speed k."""
    q = joint.reference
    slides = np.asarray(joint.sliding(q), dtype=object)[:, k]
    return not any(type(x) is Expr or x != 0.0 for x in slides)


def speed(s: State, coordinate: str) -> Scalar:
    """The speed along it."""
    name, _, freedom = coordinate.partition(".")
    joint, _, u = s.joint(name)
    return u[chosen(joint, name, freedom or None, "law")]


def has_place(joint: Joint, coordinate: str) -> bool:
    """Whether the speed is the rate of a coordinate of the joint."""
    name, _, freedom = coordinate.partition(".")
    return joint.rates_are_speeds or joint.speeds[chosen(joint, name, freedom or None, "law")] in joint.coordinates


def check(where: str, coordinate: str, joint_named: Callable[[str], Joint]) -> None:
    """Refuse a freedom that the joint does not have, or that has no coordinate to be stopped at."""
    name, _, freedom = coordinate.partition(".")
    joint = joint_named(name)
    chosen(joint, name, freedom or None, where)
    if not has_place(joint, coordinate):
        raise ModelError(
            f'{where}: speed "{freedom}" of joint "{name}" is not the rate of a coordinate, so that there is no place to stop at; '
            "name a coordinate that is an angle or a length"
        )
