"""The integration methods a user can name. To add one: write its file and add it here."""

from __future__ import annotations

from dalembert.errors import SimulationError
from dalembert.registry import Registry
from dalembert.simulation.method import Method

METHODS: Registry[Method] = Registry(
    {
        "dop853": "dalembert.simulation.dop853:DOP853",
        "rk4": "dalembert.simulation.rk4:RK4",
        "midpoint": "dalembert.simulation.midpoint:Midpoint",
        "radau": "dalembert.simulation.radau:Radau",
    }
)
"""Imported when first asked for."""


def method_named(name: object) -> Method:
    if name not in METHODS:
        raise SimulationError(f"method={name!r} is not known; choose one of {', '.join(map(repr, METHODS))}")
    return METHODS[str(name)]
