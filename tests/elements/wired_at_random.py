"""An arm of two links with elements wired to each other at random, in continuous and sampled time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import dalembert as da

PERIODS = (0.01, 0.02, 0.025, 0.05)
"""Clocks that often strike together."""


@dataclass(frozen=True, eq=False)
class Mixer(da.Element):
    """A user's own, in continuous or sampled time."""

    every: float | None = None
    inputs = ("one", "other")

    @property
    def period(self) -> float | None:  # type: ignore[override]
        return self.every

    @property
    def states(self) -> Mapping[str, float]:
        return {"first": 0.1, "second": 0.0}

    def rates(self, x: Any) -> Mapping[str, Any]:
        return {"first": x["one"] - x["first"], "second": 0.1 * x["other"] - x["second"]}

    def update(self, x: Any) -> Mapping[str, Any]:
        return {"first": 0.5 * x["first"] + 0.2 * x["one"], "second": x["other"]}

    @da.output()
    def output(self, x: Any) -> Any:
        return x["first"] + 0.1 * x["second"]


def wired(seed: int, order: int | None = None, prefix: str = "e") -> da.System:
    """Four to eight elements; with another order they are added in another order, with another prefix they have other names."""
    rng = np.random.default_rng(seed)
    s = da.System("wired", gravity=(0, -9.81, 0))
    s.add_body("upper", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.05))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "upper")
    s.add_body("lower", mass=0.7, com=(0.05, 0.02, 0), inertia=(0.05, 0.05, 0.03))
    s.add_joint("B", da.Revolute((0, 0, 1)), "upper", "lower", at_parent=(0.3, 0, 0))
    s.add_force("damping", da.JointSpring("A", damping=0.3))
    gain, time = s.parameter("gain", 1.3), s.parameter("time", 0.07)
    kinds: list[tuple[str, Callable[[float], da.Element]]] = [
        ("output", lambda p: da.LowPass(time)),
        ("output", lambda p: da.LowPass(0.1, gain, period=p)),
        ("output", lambda p: da.LeadLag(0.05, 0.1, gain, period=p)),
        ("output", lambda p: da.RateLimit(3.0)),
        ("output", lambda p: da.Delay(3 * p, p)),
        ("output", lambda p: da.PID(gain, 0.5, 0.05, 0.02, -3.0, 3.0)),
        ("output", lambda p: da.PID(gain, 0.5, 0.05, 0.02, -3.0, 3.0, period=p)),
        ("output", lambda p: da.StateSpace([[-2.0, 1.0], [-1.0, -3.0]], [[1.0], [0.5]], [[1.0, 0.2]], [[0.0]])),
        ("output", lambda p: da.TransferFunction([0.3, 0.1], [1.0, -0.5], period=p)),
        ("output", lambda p: Mixer(p if p > 0.02 else None)),
        ("position", lambda p: da.Encoder("B", 0.001, p, 2 * p)),
        ("speed", lambda p: da.Encoder("A")),
        ("rate_z", lambda p: da.IMU(("lower", (0.1, 0, 0)), period=p, noise=0.01, rate_noise=0.01)),
        ("distance", lambda p: da.DistanceSensor(("ground", (1.0, 0.5, 0)), ("lower", (0.1, 0, 0)))),
    ]
    outside = (lambda s: s.u["A"], lambda s: s.q["B"], lambda s: da.sin(5 * s.t), lambda s: s.u["B"] - s.q["A"])
    chosen = [kinds[k] for k in rng.integers(len(kinds), size=rng.integers(4, 9))]
    signals = [f"{prefix}{i}.{signal}" for i, (signal, _) in enumerate(chosen)]
    made = [(f"{prefix}{i}", make(float(rng.choice(PERIODS)))) for i, (_, make) in enumerate(chosen)]
    inputs = [
        {
            each: signals[rng.integers(len(signals))] if rng.random() < 0.6 else outside[rng.integers(4)]
            for each in e.inputs
        }
        for _, e in made
    ]
    driving = [signals[i] for i in rng.integers(len(signals), size=2)]
    for i in range(len(made)) if order is None else np.random.default_rng(order).permutation(len(made)):
        s.add_element(*made[i], **inputs[i])
    for joint, signal in zip("AB", driving):
        s.add_force(f"drive_{joint}", da.Motor(joint, lambda s, signal=signal: 0.3 * da.tanh(s.signal(signal))))
    return s
