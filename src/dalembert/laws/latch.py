"""Latch: rows that hold while it is engaged; an event or force releases it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.laws.checks import check_not_negative
from dalembert.laws.freedoms import check, joint_of, place
from dalembert.laws.law import NOTHING, Law
from dalembert.parts.fields import Number, PointLike

if TYPE_CHECKING:
    from dalembert.kinematics.state import State
    from dalembert.parts.joints.joint import Joint


@dataclass(frozen=True, eq=False)
class Latch(Law):
    """Holds a joint where it is, `da.Latch("A")`, or a point of one body at another body, `da.Latch(a="arm", b=("sling", (1, 0, 0)))`.

    It holds what it finds at the moment when it is switched on: the joint's coordinate, or where point b is in the axes of a's body;
    with `rigid`, b's body does not turn against a's either. `on=False` leaves it open at first; an event with `da.Switch` closes or
    opens it. Beyond `strength`, a force (N, or N m where it turns), it breaks and stays open.
    """

    of_differences = True
    coordinate: str | None = None
    a: PointLike = None
    b: PointLike = None
    rigid: bool = False
    strength: Number = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("Latch", strength=self.strength)
        if (self.coordinate is None) == (self.a is None) or (self.a is None) != (self.b is None):
            raise ModelError("Latch: name a joint's coordinate, or two points a= and b=")
        if self.rigid and self.a is None:
            raise ModelError("Latch: rigid is for two points a= and b=")

    @property
    def joints(self) -> tuple[str, ...]:
        return () if self.coordinate is None else (joint_of(self.coordinate),)

    @property
    def bodies(self) -> tuple[str, ...]:
        return () if self.a is None else (self.a.body, self.b.body)

    def check(self, name: str, joint_of: Callable[[str], Joint]) -> None:
        if self.coordinate is not None:
            check(f'law "{name}"', self.coordinate, joint_of)

    def hold(self, s: State) -> np.ndarray:
        if self.coordinate is not None:
            return np.array([place(s, self.coordinate)])
        return np.asarray(s.rotation(self.a).T @ (s.position(self.b) - s.position(self.a)))

    def hold_speed(self, s: State) -> np.ndarray:
        if not self.rigid:
            return NOTHING
        return np.asarray(s.rotation(self.a).T @ (s.angular_velocity(self.b) - s.angular_velocity(self.a)))

    def acts_at(self, s: State) -> tuple[Any, Any] | None:
        return None if self.a is None else (s.position(self.b), s.position(self.b))
