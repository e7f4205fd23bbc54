"""The texts of all elements of several arrays, in any notation, with the named intermediates they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dalembert.trace.text.intermediates import Naming
from dalembert.trace.text.notation import Notation
from dalembert.trace.text.routine import as_scalars


def element_texts(
    outputs: Mapping[str, Any], naming: Naming, notation: Notation, name: Callable[[str], str] = str
) -> tuple[list[tuple[str, str]], dict[str, np.ndarray]]:
    """(named intermediates in evaluation order: name and text; arrays of texts by the outputs' names)."""
    results = {key: as_scalars(values) for key, values in outputs.items()}
    steps = naming(list(results.values()), results)
    names = {s: name(s.name) for s in steps.inputs}
    write = notation.writer(names)
    assigned = []
    for key, e in steps.assignments:
        assigned.append((name(key), notation.define(e, write).text))
        names[e] = name(key)
    return assigned, {key: _texts(values, write) for key, values in results.items()}


def _texts(values: np.ndarray, write: Any) -> np.ndarray:
    made = np.empty(values.shape, dtype=object)
    made.ravel()[:] = [write(x).text for x in values.ravel()]
    return made
