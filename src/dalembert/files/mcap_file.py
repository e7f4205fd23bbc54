"""A motion as MCAP: poses of all bodies and every column of its table as messages, for Foxglove and other viewers of recordings.

Poses are `foxglove.FrameTransforms` on "/tf", numbers one message per sample on "/motion"; both are JSON with a schema. Times in a
recording cannot be negative: a motion that begins before zero is shifted to begin there.
"""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from dalembert.atomic import write_whole
from dalembert.errors import FileError, SimulationError
from dalembert.files.motion_formats import motion_columns
from dalembert.motion.motion import Motion
from dalembert.motion.quaternions import quaternions
from dalembert.optional import optional
from dalembert.version import __version__

_XYZ = {axis: {"type": "number"} for axis in "xyz"}
_TIME = {"type": "object", "properties": {"sec": {"type": "integer"}, "nsec": {"type": "integer"}}}
_TRANSFORM = {
    "timestamp": _TIME,
    "parent_frame_id": {"type": "string"},
    "child_frame_id": {"type": "string"},
    "translation": {"type": "object", "properties": _XYZ},
    "rotation": {"type": "object", "properties": _XYZ | {"w": {"type": "number"}}},
}
TRANSFORMS = {
    "type": "object",
    "properties": {"transforms": {"type": "array", "items": {"type": "object", "properties": _TRANSFORM}}},
}
"""Schema of poses."""


def write_mcap(motion: Motion, path: Path) -> None:
    """Write the recording, whole or not at all."""
    writer_of: Any = optional("mcap.writer", "an MCAP file", FileError)
    if motion.mechanism is None:
        raise SimulationError(
            "this motion was loaded without its mechanism; give it with da.load_motion(path, mechanism=m)"
        )
    columns = motion_columns(motion)
    numbers = {
        "type": "object",
        "properties": {
            name: {"type": "number", **({"description": columns.units[name]} if columns.units[name] else {})}
            for name in columns.values
        },
    }
    target = io.BytesIO()
    writer = writer_of.Writer(target)
    writer.start(library=f"dalembert {__version__}")
    channels = [
        writer.register_channel(topic, "json", writer.register_schema(name, "jsonschema", json.dumps(schema).encode()))
        for topic, name, schema in (
            ("/tf", "foxglove.FrameTransforms", TRANSFORMS),
            ("/motion", "dalembert.Motion", numbers),
        )
    ]
    bodies = motion.body_motion()
    turns = quaternions(bodies.rotation)
    first = min(0.0, float(motion.t[0]))
    for k, t in enumerate(motion.t):
        at = round((float(t) - first) * 1e9)
        row = {name: float(values[k]) for name, values in columns.values.items()}
        poses = [
            {
                "timestamp": {"sec": at // 10**9, "nsec": at % 10**9},
                "parent_frame_id": "ground",
                "child_frame_id": body,
                "translation": dict(zip("xyz", bodies.position[k, i].tolist())),
                "rotation": dict(zip("xyzw", turns[k, i].tolist())),
            }
            for i, body in enumerate(motion.bodies)
        ]
        for channel, message in zip(channels, ({"transforms": poses}, row)):
            writer.add_message(channel, at, json.dumps(message).encode(), at)
    writer.finish()
    write_whole(path, target.getvalue(), "MCAP")
