"""Small motions under laws: those of the mode of a state, or of one that is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.analysis.lawful.in_mode import in_mode, mode_of
from dalembert.analysis.linear.linearisation import Linearisation
from dalembert.analysis.linear.linearise import linearise
from dalembert.mechanism import Mechanism


def linearise_in_mode(
    m: Mechanism, q: Any, u: Any, t: float, inputs: Sequence[str] | None, outputs: Mapping[str, Any] | None,
    keep: Sequence[str], tau: Any, said: Mapping[str, Any] | None,
) -> Linearisation:  # fmt: skip
    """See `Mechanism.linearise`."""
    s = m.numeric.state(q, u, t)
    at, rate = np.array(s.coordinates, dtype=float), np.array(s.speeds, dtype=float)
    complete = said is not None and set(said) >= set(m.laws)
    mode = mode_of(m, said, None if complete else m.laws_at(at, rate, tau, t))
    smooth = in_mode(m, at, rate, t, mode, "linearise")
    return replace(linearise(smooth, at, rate, t, inputs, outputs, keep, tau), mode=mode)
