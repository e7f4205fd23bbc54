"""What commands say: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, ModelFileError
from dalembert.files.models.kinds import Plain


def say(text: str = "") -> None:
    print(text)


def note(text: str) -> None:
    """Beside the result: where files went, how long it took."""
    print(text, file=sys.stderr)


def say_json(data: Any) -> None:
    print(json.dumps(plain(data), indent=2, ensure_ascii=False))


def plain(data: Any) -> Plain:
    """NumPy's numbers and arrays as Python's; what is not finite as null."""
    if isinstance(data, dict):
        return {str(k): plain(v) for k, v in data.items()}
    if isinstance(data, (list, tuple)):
        return [plain(x) for x in data]
    if isinstance(data, np.ndarray):
        return plain(data.tolist())
    if isinstance(data, (float, np.floating)):
        return float(data) if np.isfinite(data) else None
    found: Plain = data.item() if isinstance(data, np.generic) else data
    return found


def in_options(text: str) -> str:
    """Arguments of the Python functions as the options of the command line: step=0.1 is --step 0.1."""
    from dalembert.cli.shared_options import FLAGS

    argument = re.compile(rf"\b({'|'.join(FLAGS)})=(?:['\"]([^'\"]*)['\"]|([-+.\w]*))")
    return argument.sub(lambda x: f"{FLAGS[x[1]]} {x[2] or x[3] or ''}".rstrip(), text)


def complain(problem: DalembertError, as_json: bool) -> None:
    """The error, in one line."""
    text = in_options(" ".join(str(problem).split()))
    if as_json:
        place = problem if isinstance(problem, ModelFileError) else None
        where = {k: getattr(place, k) for k in ("file", "line", "column", "field") if getattr(place, k, None)}
        say_json({"error": text, "kind": type(problem).__name__, **where})
        return
    colour = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    head = "\033[1;31merror:\033[0m" if colour else "error:"
    print(f"{head} {text}", file=sys.stderr)


def rounded(values: Any, digits: int = 6) -> str:
    return ", ".join(f"{x:.{digits}g}" for x in np.atleast_1d(values))
