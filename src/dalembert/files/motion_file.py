"""Motions in NetCDF files: labelled arrays with units, the record of how they came about, and a checksum."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.atomic import write_whole
from dalembert.errors import MotionFileError
from dalembert.files.sealed_netcdf import LARGEST, opened, sealed
from dalembert.limited_read import Unreadable, read_whole
from dalembert.mechanism import Mechanism
from dalembert.motion.dataset import LAW_AXES, law_history
from dalembert.motion.motion import Motion, Occurrence
from dalembert.version import __version__

_CHECKED = ("time", "q", "u", "force", "event_time", "event_q", "event_u")


def save(motion: Motion, path: str | Path) -> None:
    """Write the file whole or not at all."""
    data = motion.to_xarray()
    data.attrs["checksum"] = _checksum(data)
    content = io.BytesIO()
    data.to_netcdf(content, engine="h5netcdf")
    write_whole(path, sealed(content.getvalue()), "motion", MotionFileError)


def load(path: str | Path, mechanism: Mechanism | None = None) -> Motion:
    """A motion from a file; with the mechanism that made it, everything can be computed from it again."""
    data = _read(path)
    try:
        if data.attrs["checksum"] != _checksum(data):
            raise MotionFileError(f'motion "{path}" is damaged: its numbers are not those that were written')
        record = json.loads(data.attrs["record"])
        bodies = tuple(json.loads(data.attrs["bodies"]))
        names = [tuple(str(x) for x in data[name].values) for name in _NAMES]
    except KeyError as problem:
        raise MotionFileError(
            f'"{path}" is a NetCDF file, but not a motion that dalembert wrote: it has no {problem}'
        ) from None
    if mechanism is not None:
        _check_made_by(mechanism, path, record, bodies, names)
    states, state_units = (
        tuple(str(x) for x in data[name].values) if "z" in data else () for name in ("state", "state_unit")
    )
    z = np.ascontiguousarray(data["z"].values) if states else np.zeros((0, 0))
    at_events = data["event_z"].values if states else np.zeros((len(data["event"]), 0))
    events = tuple(
        Occurrence(str(name), float(t), q, u, own)
        for name, t, q, u, own in zip(
            *(data[x].values for x in ("event", "event_time", "event_q", "event_u")), at_events
        )
    )
    t, q, u, forces = (np.ascontiguousarray(data[name].values) for name in ("time", "q", "u", "force"))
    c, s, c_units, s_units = names
    return Motion(
        t, q, u, c, s, c_units, s_units, bodies, forces, events, record, mechanism, None, law_history(data), z, states, state_units,
    )  # fmt: skip


def _check_made_by(m: Mechanism, path: str | Path, record: Any, bodies: Any, names: Any) -> None:
    """Check by the fingerprint, where this version of the package took one; else by names."""
    if record.get("version") == __version__ and "fingerprint" in record:
        same = m.kernels.fingerprint == record["fingerprint"]
    else:
        same = (m.coordinates, m.speeds, tuple(b.name for b in m.bodies)) == (*names[:2], bodies)
    if not same:
        raise MotionFileError(
            f'motion "{path}" was made by another mechanism than "{m.name}", or that one has changed since; '
            "load it without a mechanism, or rebuild the one that made it"
        )


_NAMES = ("coordinate", "speed", "coordinate_unit", "speed_unit")


def _read(path: str | Path) -> Any:
    try:
        return opened(read_whole(path, LARGEST))
    except Unreadable as problem:
        raise MotionFileError(f'motion "{path}": {problem}') from problem
    except Exception as problem:
        raise MotionFileError(f'motion "{path}" is damaged or not a NetCDF file ({problem})') from problem


def _checksum(data: Any) -> str:
    digest = hashlib.sha256()
    laws = [f"law_{name}" for name in LAW_AXES if f"law_{name}" in data and data[f"law_{name}"].dtype.kind == "f"]
    of_elements = [name for name in ("z", "event_z") if name in data]
    for name in (*_CHECKED, *laws, *of_elements):
        digest.update(np.ascontiguousarray(data[name].values, dtype=float).tobytes())
    digest.update(str(data.attrs["record"]).encode(errors="surrogatepass"))
    return digest.hexdigest()
