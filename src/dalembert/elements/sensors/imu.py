"""IMU: an inertial measurement unit. Three accelerometers and three rate gyroscopes in the axes of a body.

Accelerometers read the specific force Rᵀ(a − g), g being the gravity at the place, uniform and of central fields: at rest they read g
upwards, in free fall nothing. Titterton and Weston, *Strapdown Inertial Navigation Technology* (2004), sections 2.3 and 3.2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.elements.sensors.sensor import Sensor
from dalembert.parts.fields import Count, Number, Numbers3, PlainNumber, PointLike, PositiveNumber
from dalembert.trace import Scalar

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt


@dataclass(frozen=True, eq=False)
class IMU(Sensor):
    """Reads specific force, m/s², and angular velocity, rad/s, at a point of a body, in the body's axes.

    It is sampled every `period` seconds: accelerations follow from all forces, so that no force may hang on them at the same instant.
    `noise` and `rate_noise` are standard deviations of a reading, `bias` and `rate_bias` are added to it; readings come `delay`
    seconds late.
    """

    at: PointLike
    period: PositiveNumber
    delay: PlainNumber = 0.0
    noise: Number = 0.0
    rate_noise: Number = 0.0
    bias: Numbers3 = (0.0, 0.0, 0.0)
    rate_bias: Numbers3 = (0.0, 0.0, 0.0)
    seed: Count = 1

    sampled_only = True
    channels = ("force_x", "force_y", "force_z", "rate_x", "rate_y", "rate_z")
    units: ClassVar[Mapping[str, str]] = {c: "m/s²" if c[0] == "f" else "rad/s" for c in channels}

    @property
    def bodies(self) -> tuple[str, ...]:
        return (self.at.body,)

    def measured(self, x: ElementAt) -> Mapping[str, Any]:
        s, R = x.s, x.s.rotation(self.at)
        felt = R.T @ (s.acceleration(self.at, s.udot) - x.gravity(s.position(self.at)))
        return dict(zip(self.channels, np.concatenate([felt, R.T @ s.angular_velocity(self.at)])))

    def noise_of(self, channel: str) -> Scalar:
        return self.noise if channel.startswith("force") else self.rate_noise

    def bias_of(self, channel: str) -> Scalar:
        given = self.bias if channel.startswith("force") else self.rate_bias
        return given["xyz".index(channel[-1])]
