"""The formulations in relative coordinates; those in absolute coordinates have tests of their own."""

from __future__ import annotations

from dalembert.formulations import FORMULATIONS

ANALYTIC = {
    name: FORMULATIONS[name]
    for name in (
        "kane",
        "kane_minimal",
        "dalembert",
        "lagrange",
        "boltzmann_hamel",
        "momentum",
        "hamilton",
        "path_matrix",
        "recursive_newton_euler",
        "composite_body",
        "articulated_body",
    )
}
