"""Plain data as YAML, short things on a line of their own."""

from __future__ import annotations

import json
import math
import re
from typing import Any

from dalembert.files.models.document import resolved

WIDTH = 110

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_ +*/^().<>=-]*")


def yaml_text(data: dict[str, Any]) -> str:
    """A mapping of sections, with empty lines between the large ones."""
    parts = [_item(key, value, 0) for key, value in data.items()]
    joined, large = [], False
    for part in parts:
        now = part.count("\n") > 1
        joined.append(("\n" if now or large else "") + part)
        large = now
    return "".join(joined)


def _item(key: str, value: Any, indent: int) -> str:
    head = " " * indent + f"{_scalar(key)}:"
    flow = _flow(value)
    fits = len(head) + 1 + len(flow) <= WIDTH
    if (fits and (indent or not _nested(value))) or not isinstance(value, (dict, list)) or not value:
        return f"{head} {flow}\n"
    return f"{head}\n" + _block(value, indent + 2)


def _nested(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(x, dict) for x in value.values())


def _block(value: Any, indent: int) -> str:
    if isinstance(value, dict):
        return "".join(_item(k, v, indent) for k, v in value.items())
    lines = []
    for x in value:
        flow = _flow(x)
        if not isinstance(x, (dict, list)) or not x or len(flow) + indent + 2 <= WIDTH:
            lines.append(" " * indent + f"- {flow}\n")
        else:
            inner = _block(x, indent + 2)
            lines.append(" " * indent + "- " + inner[indent + 2 :])
    return "".join(lines)


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_flow(x) for x in value) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if not isinstance(value, str):
        signed_zero = value == 0 and math.copysign(1.0, value) < 0.0
        whole = value == int(value) and abs(value) < 1e15 and not signed_zero
        return repr(int(value) if whole else value)
    plain = _PLAIN.fullmatch(value) and isinstance(resolved(value), str) and value == value.strip()
    return value if plain else json.dumps(value, ensure_ascii=not value.isprintable())
