"""Many motions as labelled arrays."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.simulation.error_sizes import coordinate_units, speed_units

if TYPE_CHECKING:
    import xarray

    from dalembert.simulation.many import Motions


def dataset(motions: Motions) -> xarray.Dataset:
    """Coordinates, speeds, states and outputs over motion and time, the parameters of each motion, and what stopped those that failed.

    A parameter or an output with the name of another entry says behind its name what it is."""
    import xarray

    m = motions.mechanism
    variables: dict[str, Any] = {
        "q": (("motion", "time", "coordinate"), motions.q, {"long_name": "coordinates"}),
        "u": (("motion", "time", "speed"), motions.u, {"long_name": "speeds"}),
        "problem": ("motion", np.array([motions.problems.get(k, "") for k in range(len(motions))], dtype=str)),
    }
    if m.states:
        variables["z"] = (("motion", "time", "state"), motions.z, {"long_name": "states of elements"})
    labels: dict[str, Any] = {
        "motion": ("motion", np.arange(len(motions))), "time": ("time", motions.t, {"units": "s"}),
        "coordinate": ("coordinate", list(m.coordinates)), "speed": ("speed", list(m.speeds)),
        "coordinate_unit": ("coordinate", list(coordinate_units(m))), "speed_unit": ("speed", list(speed_units(m))),
    }  # fmt: skip
    if m.states:
        labels |= {"state": ("state", list(m.states)), "state_unit": ("state", np.array(m.state_units, dtype=str))}
    for name, values in motions.parameters.items():
        if name not in m.states:
            labels[name if name not in {*labels, *variables} else f"{name} (parameter)"] = (
                "motion",
                np.broadcast_to(np.asarray(values, dtype=float), (len(motions),)),
            )
    for name, values in motions.outputs().items():
        axes = ("motion", "time", *(f"{name} axis" for _ in values.shape[2:]))
        title = name if name not in {*labels, *variables} else f"{name} (output)"
        variables[title] = (axes, values, {"units": m.plan.outputs[name].unit})
    record = dict(motions.record) | {"fingerprint": m.kernels.fingerprint}
    about = {"title": m.name, "source": "dalembert", "record": json.dumps(record, default=str)}
    return xarray.Dataset(variables, labels, about)
