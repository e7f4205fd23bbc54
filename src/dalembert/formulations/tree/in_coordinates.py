"""What formulations with one speed or momentum for each coordinate share; conditions among coordinates are rows with multipliers."""

from __future__ import annotations

from dalembert.formulations.tree.coordinate_rates import n_conditions
from dalembert.mechanism import Mechanism

takes_variables = "coordinates"
"""Coordinates may be others than the joints'; speeds do not matter."""


def refusal(m: Mechanism) -> str | None:
    """Every mechanism can be written."""


def speeds(m: Mechanism) -> tuple[str, ...]:
    return m.coordinates


def first_order(m: Mechanism) -> int:
    return 2 * m.n_q + n_conditions(m) + len(m.rows)
