"""Outputs of a linearised mechanism: functions of the state to first order in independent displacements, speeds and parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from dalembert.analysis.linear.first_order import FirstOrder
from dalembert.analysis.linear.independent_motions import Independent
from dalembert.mechanism import Mechanism
from dalembert.parts.numbers import number
from dalembert.parts.outputs import Value, as_output
from dalembert.trace import evaluate, jacobian, symbol, tracing


class Observed(NamedTuple):
    """y = C (ξ, v) + D δp."""

    names: tuple[str, ...]
    C: np.ndarray
    D: np.ndarray


def observed(
    m: Mechanism,
    e: FirstOrder,
    i: Independent,
    outputs: Mapping[str, Any] | None,
    states: tuple[Sequence[str], Sequence[str]],
) -> Observed:
    """Those asked for, or those the model names, or the states themselves."""
    wanted = m.plan.outputs if outputs is None else outputs
    n_p = len(m.parameters)
    if not wanted:
        n, n_z = len(i.displacements) + len(i.speeds), m.n_z
        D = np.zeros((n + n_z, n_p))
        D[n:, m.states_at : m.states_at + n_z] = np.eye(n_z)
        return Observed((*states[0], *(f"{v}'" for v in states[1]), *m.states), np.eye(n + n_z, n), D)
    names: list[str] = []
    blocks = []
    for name, given in wanted.items():
        y_q, y_u, y_p = _derivatives(m, e, as_output(given, name))
        blocks.append((y_q @ i.X + y_u @ i.Y, y_u @ i.Z, y_p + y_q @ i.X_p + y_u @ i.Y_p))
        names += [name] if len(y_q) == 1 else [f"{name}[{k}]" for k in range(len(y_q))]
    C = np.vstack([np.hstack([a, b]) for a, b, _ in blocks])
    return Observed(tuple(names), C, np.vstack([d for *_, d in blocks]))


def rates_of_states(m: Mechanism, e: FirstOrder, i: Independent) -> Observed:
    """ż of elements, likewise."""
    if not m.n_z:
        return Observed((), np.zeros((0, len(i.displacements) + len(i.speeds))), np.zeros((0, len(m.parameters))))
    rates = Value(lambda s: np.array(m.state_rates(s), dtype=object))
    y_q, y_u, y_p = _derivatives(m, e, rates)
    return Observed(m.states, np.hstack([y_q @ i.X + y_u @ i.Y, y_u @ i.Z]), y_p + y_q @ i.X_p + y_u @ i.Y_p)


def _derivatives(m: Mechanism, e: FirstOrder, output: Any) -> list[np.ndarray]:
    """∂y along displacements, in the speeds, in the parameters."""
    parameters = [symbol(name) for name in m.parameters]
    with tracing():
        s = m.symbolic_state()
        values = np.atleast_1d(np.asarray(output.value(s), dtype=object)).ravel()
        values[:] = [number(x, "what an output gives") for x in values]
        parts = [
            jacobian(values, x) if len(x) else np.zeros((len(values), 0))
            for x in (list(s.coordinates), list(s.speeds), parameters)
        ]
        N = jacobian(s.rates, list(s.speeds))
        known = {symbol("t"): e.t, **dict(zip(s.coordinates, e.q)), **dict(zip(s.speeds, e.u)), **m.parameter_values}
        y_q, y_u, y_p, rates = (np.asarray(x, dtype=float) for x in evaluate([*parts, N], known))
    return [y_q @ rates, y_u, y_p]
