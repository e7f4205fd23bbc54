"""Many motions as labelled arrays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray

    from dalembert.simulation.many import Motions


def dataset(motions: Motions) -> xarray.Dataset:
    """Coordinates, speeds, states and outputs over motion and time; an output with the name of one of these says so behind it."""
    import xarray

    m = motions.mechanism
    variables: dict[str, Any] = {
        "q": (("motion", "time", "coordinate"), motions.q, {"long_name": "coordinates"}),
        "u": (("motion", "time", "speed"), motions.u, {"long_name": "speeds"}),
    }
    if m.states:
        variables["z"] = (("motion", "time", "state"), motions.z, {"long_name": "states of elements"})
    labels: dict[str, Any] = {
        "motion": ("motion", np.arange(len(motions))), "time": ("time", motions.t, {"units": "s"}),
        "coordinate": ("coordinate", list(m.coordinates)), "speed": ("speed", list(m.speeds)),
    }  # fmt: skip
    if m.states:
        labels["state"] = ("state", list(m.states))
    for name, values in motions.parameters.items():
        if name not in m.states:
            labels[name if name not in {*labels, *variables} else f"{name} (parameter)"] = ("motion", values)
    for name, values in motions.outputs().items():
        axes = ("motion", "time", *(f"{name} axis" for _ in values.shape[2:]))
        title = name if name not in {*labels, *variables} else f"{name} (output)"
        variables[title] = (axes, values, {"units": m.plan.outputs[name].unit})
    about = {"title": m.name, "source": "dalembert", "record": json.dumps(dict(motions.record), default=str)}
    return xarray.Dataset(variables, labels, about)
