"""A motion as labelled arrays: names along the axes, units beside the numbers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.motion.law_history import LawHistory

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
    if motion.states:
        variables |= {
            "z": (("time", "state"), motion.z, {"long_name": "states of elements"}),
            "event_z": (("event", "state"), _stacked([e.z for e in motion.events], len(motion.states)), {}),
        }
    if motion.history is not None:
        variables |= _of_laws(motion.history)
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
    if motion.states:
        labels |= {
            "state": ("state", list(motion.states)),
            "state_unit": ("state", np.array(motion.state_units, dtype=str)),
        }
    if motion.mechanism is not None:
        labels |= {
            "body": ("body", list(motion.bodies)),
            "axis": ("axis", ["x", "y", "z"]),
            "row": ("row", ["x", "y", "z"]),
        }
    record = dict(motion.record)
    if motion.mechanism is not None:
        record["fingerprint"] = motion.mechanism.kernels.fingerprint
    about = {"bodies": json.dumps(motion.bodies), "record": json.dumps(record)}
    return xarray.Dataset(variables, labels, {"title": str(motion.record["model"]), "source": "dalembert"} | about)


LAW_AXES = {
    "laws": ("law",), "elements": ("law_element",), "row_law": ("law_row",), "row_element": ("law_row",),
    "row_kind": ("law_row",), "force": ("time", "law_row"), "gap": ("time", "law_row"), "slip": ("time", "law_row"),
    "state": ("time", "law_element"), "determined": ("time",), "loss": ("time", "law"), "work": ("time", "law"),
    "impact_t": ("impact",), "impact_q": ("impact", "coordinate"), "impact_u_before": ("impact", "speed"),
    "impact_u_after": ("impact", "speed"), "impact_impulse": ("impact", "law_row"), "impact_before": ("impact", "law_row"),
    "impact_after": ("impact", "law_row"), "impact_loss": ("impact", "law_row"), "mode_t": ("mode",),
    "mode_state": ("mode", "law_element"),
}  # fmt: skip
"""Axes of what laws did; in files every name begins with "law_"."""


def _of_laws(history: LawHistory) -> dict[str, Any]:
    return {f"law_{name}": (axes, np.asarray(getattr(history, name)), {}) for name, axes in LAW_AXES.items()}


def law_history(data: xarray.Dataset) -> LawHistory | None:
    """What laws did, from a file; None where there are none."""
    if "law_laws" not in data:
        return None
    return LawHistory(**{name: np.array(data[f"law_{name}"].values) for name in LAW_AXES})


def _stacked(rows: list[np.ndarray], n: int) -> np.ndarray:
    return np.array(rows).reshape(len(rows), n)
