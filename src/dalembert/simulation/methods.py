"""The integration methods a user can name. To add one: write its file and add it here."""

from __future__ import annotations

from dalembert.errors import SimulationError
from dalembert.simulation.dop853 import DOP853
from dalembert.simulation.method import Method
from dalembert.simulation.midpoint import Midpoint
from dalembert.simulation.radau import Radau
from dalembert.simulation.rk4 import RK4

METHODS: dict[str, Method] = {method.name: method for method in (DOP853(), RK4(), Midpoint(), Radau())}


def method_named(name: object) -> Method:
    if name not in METHODS:
        raise SimulationError(f"method={name!r} is not known; choose one of {', '.join(map(repr, METHODS))}")
    return METHODS[str(name)]
