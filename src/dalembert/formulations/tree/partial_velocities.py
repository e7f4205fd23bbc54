"""Partial velocities of every body in body components, and their rates, as a source prints them [E 14–34]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dalembert.formulations.printing.quantity import Quantity, quantity
from dalembert.kinematics.state import State
from dalembert.trace import Expr, directional
from dalembert.vectors import cross


def partial_velocities(s: State, speeds: Sequence[str], X: np.ndarray | None = None) -> list[Quantity]:
    """∂ω/∂w and ∂v/∂w of a traced state and the rates of their components, where u = X w + … (X = 1 if not said).

    v is the velocity of the mass centre; of an elastic body, whose mass centre moves in it, that of its frame's origin.
    """
    m, found = s.mechanism, []
    along = {s.t: 1.0} | {q: rate for q, rate in zip(s.coordinates, s.rates) if type(q) is Expr}
    for k, body in enumerate(m.bodies, start=1):
        P, R, columns = s.partials[k], s.poses[k].R, list(m.path_columns[k])
        point = "frame" if body.modes else "mass centre"
        V = P.V if body.modes else P.V + cross(P.W, s.com_arms[k - 1])
        for name, what, partial, numbers, rates in (
            ("W", "angular velocity", P.W, "[E 15–17]", "[E 20]"),
            ("V", f"velocity of the {point}", V, "[E 28–32]", "[E 33–34]"),
        ):
            own = np.zeros((3, m.n_u), dtype=object)
            own[:, columns] = R.T @ partial
            own = own if X is None else own @ X
            words = f"partial {what} of {body.name}, in its own axes {numbers}"
            found.append(quantity(f"{name}_{body.name}", words, own, "xyz", speeds))
            words = f"its rate, component by component {rates}"
            found.append(quantity(f"{name}dot_{body.name}", words, directional(own, along), "xyz", speeds))
    return found
