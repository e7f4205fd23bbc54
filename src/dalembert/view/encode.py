"""Data inside HTML: numbers as base64 of little-endian arrays, everything else as JSON that no browser can take for markup."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

_TYPES = {"float32": "<f4", "float64": "<f8", "uint32": "<u4"}


def array(values: Any, kind: str = "float32") -> dict[str, Any]:
    """What `decode.js` reads: the type, the shape, the numbers."""
    made = np.ascontiguousarray(values, dtype=_TYPES[kind])
    return {"type": kind, "shape": list(made.shape), "base64": base64.b64encode(made.tobytes()).decode("ascii")}


def json_for_html(data: Any) -> str:
    """JSON in which <, > and & are written as escapes."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def rounded(values: Any, digits: int = 7) -> list[Any]:
    """Numbers of the drawing, short."""
    return [float(f"{x:.{digits}g}") for x in np.asarray(values, dtype=float).ravel()]
