"""What all sensors have in common: values as an instrument reads them, continuously or at a rate, with noise, bias, steps and delay.

A sampled reading is the true value with a bias and normal noise, rounded to whole steps, given out some samples later. The register is
filled by the first reading, as if the mechanism had stood so before.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from dalembert.elements.controllers.delay import whole_periods
from dalembert.elements.element import Element, Output
from dalembert.elements.sensors.random_numbers import RandomNumbers, first_of
from dalembert.errors import ModelError
from dalembert.trace import Scalar, floor, select

if TYPE_CHECKING:
    from dalembert.elements.signals import ElementAt

DRAWS = ("random1", "random2")
"""States of the generator of random numbers."""


class Sensor(Element):
    """A base of sensors with fields `period`, `delay` and `seed`. `measured(x)` gives the true values by name.

    `noise_of(channel)` is the standard deviation of a reading, `bias_of(channel)` what is added to it, `step_of(channel)` the step to
    which it is rounded; nothing unless a sensor says so.
    """

    channels: tuple[str, ...] = ()
    delay: float = 0.0
    seed: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        kind = type(self).__name__
        if self.delay < 0.0:
            raise ModelError(f"{kind}: delay={self.delay:g} must not be below zero")
        if self.period is not None:
            self._late()
            return
        if self.delay:
            raise ModelError(
                f"{kind}: a delay is kept by a sensor that is sampled: give a period, or use da.Delay behind it"
            )
        if any(type(step) is not float or step for step in map(self.step_of, self.channels)):
            raise ModelError(f"{kind}: steps are read at samples: give a period")
        if any(self._noisy(c) for c in self.channels):
            raise ModelError(f"{kind}: noise is drawn at samples: give a period")

    def measured(self, x: ElementAt) -> Mapping[str, Any]:
        """True values by channel."""
        raise NotImplementedError

    def noise_of(self, channel: str) -> Scalar:
        """Standard deviation."""
        return 0.0

    def bias_of(self, channel: str) -> Scalar:
        """What is added."""
        return 0.0

    def step_of(self, channel: str) -> Scalar:
        """What readings are whole multiples of; 0 for any value."""
        return 0.0

    def _noisy(self, channel: str) -> bool:
        noise = self.noise_of(channel)
        return type(noise) is not float or noise != 0.0

    def _late(self) -> int:
        """Samples of delay."""
        return whole_periods(self.delay, self.period, type(self).__name__) if self.delay and self.period else 0

    @property
    def states(self) -> Mapping[str, float]:
        if self.period is None:
            return {}
        late, found = self._late(), {"begun": 0.0}
        found |= {f"{c}_{i}": 0.0 for c in self.channels for i in range(late + 1)}
        if any(self._noisy(c) for c in self.channels):
            found |= dict(zip(DRAWS, first_of(self.seed)))
        return found

    @property
    def outputs(self) -> Mapping[str, Output]:
        return {c: partial(self._given_out, c) for c in self.channels}

    def _given_out(self, channel: str, x: ElementAt) -> Scalar:
        if self.period is None:
            return self.readings(x, None)[channel]
        return x[f"{channel}_{self._late()}"]

    def readings(self, x: ElementAt, random: RandomNumbers | None) -> dict[str, Any]:
        """What the instrument reads now."""
        found = {}
        for c, value in self.measured(x).items():
            value = value + self.bias_of(c)
            if random is not None and self._noisy(c):
                value = value + self.noise_of(c) * random.normal()
            step = self.step_of(c)
            found[c] = value if type(step) is float and not step else step * floor(value / step + 0.5)
        return found

    def update(self, x: ElementAt) -> Mapping[str, Any]:
        random = RandomNumbers(*(x[name] for name in DRAWS)) if DRAWS[0] in self.states else None
        fresh, begun = self.readings(x, random), x["begun"] > 0.5
        found: dict[str, Scalar] = {"begun": 1.0}
        for c in self.channels:
            found[f"{c}_0"] = fresh[c]
            for i in range(1, self._late() + 1):
                found[f"{c}_{i}"] = select(begun, x[f"{c}_{i - 1}"], fresh[c])
        return found | (dict(zip(DRAWS, random.at)) if random is not None else {})

    def unit_of(self, signal: str) -> str:
        channel = signal if signal in self.channels else signal.rpartition("_")[0]
        return self.units.get(channel) or super().unit_of(signal)
