"""Builder: a body whose modes are given at mass points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert.arguments import names as argument_names
from dalembert.elastic.body import ElasticBody
from dalembert.elastic.builders.data import array, by_name, computed
from dalembert.elastic.builders.moments import from_points
from dalembert.elastic.lumps import Lumps
from dalembert.elastic.node import Node
from dalembert.errors import ModelError


@computed
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
    """An elastic body from K mass points (or small rigid bodies, or quadrature points): masses (K), places (K, 3), shapes (K, 3, n),
    stiffness (n, n).

    Small rigid bodies also have `turns` (K, 3, n) and `second_moments` ∫d dᵀdm (K, 3, 3). `second_order` (K, n, n, 3) is
    the field G that stiffens a spinning body. `nodes` are where joints and forces may act.
    """
    m = array(masses, (None,), "given_modes: masses")
    count = len(m)
    r, Phi = array(places, (count, 3), "given_modes: places"), array(shapes, (count, 3, None), "given_modes: shapes")
    n = Phi.shape[2]
    if (turns is None) != (second_moments is None):
        raise ModelError("given_modes: turns and second_moments belong together; give both or neither")
    D = None if second_moments is None else array(second_moments, (count, 3, 3), "given_modes: second_moments")
    Psi = None if turns is None else array(turns, (count, 3, n), "given_modes: turns")
    G = None if second_order is None else array(second_order, (count, n, n, 3), "given_modes: second_order")
    if not np.all(m >= 0.0):
        raise ModelError(f"given_modes: masses must not be negative, as {m.min():g} is")
    made = from_points(m, r, Phi, D, Psi, G)
    K = array(stiffness, (n, n), "given_modes: stiffness")
    De = np.zeros_like(K) if damping is None else array(damping, (n, n), "given_modes: damping")
    own_names, lumps = tuple(argument_names(names, "given_modes: names")), None
    if G is None:
        still = np.zeros_like(Phi) if Psi is None else Psi
        lumps = Lumps(m, r, Phi, still, np.zeros((count, 3, 3)) if D is None else D)
    return ElasticBody(
        made.m, made.S, made.P, K, De, made.G0,
        made.H, by_name(nodes, "given_modes: nodes"), own_names, frame, G is not None, lumps=lumps,
    )  # fmt: skip
