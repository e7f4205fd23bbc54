"""Builder: a body whose modes are given at mass points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.elastic.body import ElasticBody
from dalembert.elastic.lumps import Lumps
from dalembert.elastic.moments import from_points
from dalembert.elastic.node import Node
from dalembert.errors import ModelError


def given_modes(
    masses: Any,
    places: Any,
    shapes: Any,
    stiffness: Any,
    *,
    turns: Any = None,
    second_moments: Any = None,
    second_order: Any = None,
    damping: Any = None,
    nodes: Mapping[str, Node] | None = None,
    names: Sequence[str] = (),
    frame: str = "as given",
) -> ElasticBody:
    """From K mass points (or small rigid bodies, or quadrature points): masses (K), places (K, 3), shapes (K, 3, n), stiffness (n, n).

    Small rigid bodies also have `turns` (K, 3, n) and `second_moments` ∫d dᵀdm (K, 3, 3). `second_order` (K, n, n, 3) is
    the field G that stiffens a spinning body. `nodes` are where joints and forces may act.
    """
    m, r, Phi = (np.asarray(x, dtype=float) for x in (masses, places, shapes))
    if r.shape != (len(m), 3) or Phi.ndim != 3 or Phi.shape[:2] != r.shape:
        raise ModelError(
            f"given_modes: {len(m)} masses need places ({len(m)}, 3) and shapes ({len(m)}, 3, n), not {r.shape} and {Phi.shape}"
        )
    if (turns is None) != (second_moments is None):
        raise ModelError("given_modes: turns and second_moments belong together; give both or neither")
    D, Psi, G = (None if x is None else np.asarray(x, dtype=float) for x in (second_moments, turns, second_order))
    made = from_points(m, r, Phi, D, Psi, G)
    K = np.asarray(stiffness, dtype=float)
    lumps = None
    if G is None:
        still = np.zeros_like(Phi) if Psi is None else Psi
        lumps = Lumps(m, r, Phi, still, np.zeros((len(m), 3, 3)) if D is None else D)
    return ElasticBody(
        made.m, made.S, made.P, K, np.zeros_like(K) if damping is None else np.asarray(damping, dtype=float), made.G0,
        made.H, nodes or {}, tuple(names), frame, G is not None, lumps=lumps,
    )  # fmt: skip
