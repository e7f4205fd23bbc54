"""The integrators a user can name. To add one: write its file and add it here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert.errors import SimulationError
from dalembert.registry import Registry

if TYPE_CHECKING:
    from dalembert.simulation.integrators.integrator import Integrator

INTEGRATORS: Registry[Integrator] = Registry(
    {
        "dop853": "dalembert.simulation.integrators.dop853:DOP853",
        "rk4": "dalembert.simulation.integrators.rk4:RK4",
        "midpoint": "dalembert.simulation.integrators.midpoint:Midpoint",
        "radau": "dalembert.simulation.integrators.radau:Radau",
    }
)
"""Name → integrator, imported when first asked for. Names cost nothing; `adaptive`, `order` and what it can do are attributes."""

ADAPTIVE, FIXED = "dop853", "rk4"
"""What is used where no name is given: without a step, and with one."""


def integrator_named(name: object) -> Integrator:
    if name not in INTEGRATORS:
        raise SimulationError(f"method={name!r} is not known; choose one of {', '.join(map(repr, INTEGRATORS))}")
    return INTEGRATORS[str(name)]


def fixed_step_names() -> list[str]:
    """Integrators that take a step instead of tolerances."""
    return [name for name, x in INTEGRATORS.items() if not x.adaptive]


def constraint_names() -> list[str]:
    """Integrators that march mechanisms with loops or constraints."""
    return [name for name, x in INTEGRATORS.items() if x.keeps_constraints]
