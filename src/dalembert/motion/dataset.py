"""A motion as labelled arrays: names along the axes, units beside the numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray

    from dalembert.motion.motion import Motion


def dataset(motion: Motion) -> xarray.Dataset:
    """Coordinates and speeds; with the mechanism also poses, velocities and energies."""
    import xarray

    variables = {
        "q": (("time", "coordinate"), motion.q, {"long_name": "coordinates"}),
        "u": (("time", "speed"), motion.u, {"long_name": "speeds"}),
        "force": (("time", "speed"), motion.forces, {"long_name": "generalized forces of the controller"}),
        "event_time": (("event",), np.array([e.t for e in motion.events]), {"units": "s"}),
        "event_q": (("event", "coordinate"), _stacked([e.q for e in motion.events], motion.q.shape[1]), {}),
        "event_u": (("event", "speed"), _stacked([e.u for e in motion.events], motion.u.shape[1]), {}),
    }
    if motion.mechanism is not None:
        bodies, energy = motion.body_motion(), motion.energy()
        variables |= {
            "rotation": (
                ("time", "body", "row", "axis"),
                bodies.rotation,
                {"units": "1", "long_name": "body to world"},
            ),
            "position": (("time", "body", "axis"), bodies.position, {"units": "m"}),
            "angular_velocity": (("time", "body", "axis"), bodies.angular_velocity, {"units": "rad/s"}),
            "velocity": (("time", "body", "axis"), bodies.velocity, {"units": "m/s"}),
            "kinetic_energy": (("time",), energy.kinetic, {"units": "J"}),
            "potential_energy": (("time",), energy.potential, {"units": "J"}),
        }
    labels = {
        "time": ("time", motion.t, {"units": "s"}),
        "coordinate": ("coordinate", list(motion.coordinates)),
        "speed": ("speed", list(motion.speeds)),
        "coordinate_unit": ("coordinate", list(motion.coordinate_units)),
        "speed_unit": ("speed", list(motion.speed_units)),
        "event": ("event", np.array([e.name for e in motion.events], dtype=str)),
    }
    if motion.mechanism is not None:
        labels |= {
            "body": ("body", list(motion.bodies)),
            "axis": ("axis", ["x", "y", "z"]),
            "row": ("row", ["x", "y", "z"]),
        }
    about = {"bodies": json.dumps(motion.bodies), "record": json.dumps(dict(motion.record))}
    return xarray.Dataset(variables, labels, {"title": str(motion.record["model"]), "source": "dalembert"} | about)


def _stacked(rows: list[np.ndarray], n: int) -> np.ndarray:
    return np.array(rows).reshape(len(rows), n)
