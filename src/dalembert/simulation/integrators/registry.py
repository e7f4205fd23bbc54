"""The integration methods a user can name. To add one: write its file and add it here."""

from __future__ import annotations

from dalembert.errors import SimulationError
from dalembert.registry import Registry
from dalembert.simulation.integrators.integrator import Method

METHODS: Registry[Method] = Registry(
    {
        "dop853": "dalembert.simulation.integrators.dop853:DOP853",
        "rk4": "dalembert.simulation.integrators.rk4:RK4",
        "midpoint": "dalembert.simulation.integrators.midpoint:Midpoint",
        "radau": "dalembert.simulation.integrators.radau:Radau",
    }
)
"""Imported when first asked for."""


def method_named(name: object) -> Method:
    if name not in METHODS:
        raise SimulationError(f"method={name!r} is not known; choose one of {', '.join(map(repr, METHODS))}")
    return METHODS[str(name)]
