"""Beams the tests share, and the closed forms they are judged by."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.elastic import ElasticBody, beam

SPIN_UP: dict[str, Any] = dict(length=8.0, E=6.8952e10, rho=2766.7, A=7.2968e-5, Iy=8.2189e-9, Iz=8.2189e-9)
"""Kane, Ryan and Banerjee's beam."""

CLAMPED = np.array([1.8751040687119611, 4.694091132974174, 7.854757438237613, 10.995540734875467, 14.13716839104647])
"""βL of a cantilever: cos cosh = −1."""
FREE = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671, 14.137165491257464, 17.278759657399480])
"""βL of a free–free beam: cos cosh = 1."""


def spin_up_beam(**options: Any) -> ElasticBody:
    return beam(**{**SPIN_UP, "rotary": False, "modes": {"y": 5}, **options})


def line_mass() -> float:
    return SPIN_UP["rho"] * SPIN_UP["A"]


def euler_bernoulli(beta_L: np.ndarray) -> np.ndarray:
    """Angular frequencies (βL)² √(EI/ρA)/L²."""
    return beta_L**2 * np.sqrt(SPIN_UP["E"] * SPIN_UP["Iz"] / line_mass()) / SPIN_UP["length"] ** 2
