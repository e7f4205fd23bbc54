"""`linearise_sampled`: small motions of a mechanism with sampled elements, from one sample to the next, exactly to first order.

Between samples δẋ = A δx + B w with the sampled states at rest, so that δx moves by the exponential of A; at a sample δz follows from
what the elements read, accelerations as they were just before it, one element after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.analysis.linear.can_rest import check_no_reactions_read
from dalembert.analysis.linear.linearise import About, Linearised
from dalembert.analysis.linear.sampled_linearisation import SampledLinearisation
from dalembert.elements.sensors.sensor import DRAWS
from dalembert.errors import ModelError, StateError
from dalembert.kernels.assembled import check_assembled
from dalembert.mechanism import Mechanism
from dalembert.simulation.march.sampling import sample_clocks
from dalembert.trace import evaluate, free_symbols, jacobian, symbol, tracing
from dalembert.trace.graph import ordered
from dalembert.trace.ops import FLOOR

ALIKE = 1e-9
"""Part by which a period may differ from a ratio of whole numbers to another."""
MOST = 1000
"""Largest of these numbers, and most samples until all fall together again."""


def linearise_sampled(
    m: Mechanism, q: Any, u: Any, t: float, inputs: Sequence[str] | None, outputs: Mapping[str, Any] | None,
    keep: Sequence[str] = (),
) -> SampledLinearisation:  # fmt: skip
    """See `Mechanism.linearise_sampled`."""
    clocks = sample_clocks(m)
    if not clocks.elements:
        raise ModelError(f'mechanism "{m.name}" has no sampled elements: ask linearise for its small motions')
    check_no_reactions_read(m)
    if m.constraint_rows:
        s = m.state(q, u, t)
        check_assembled(m.kernels, m, np.array(s.coordinates), np.array(s.speeds), t, None)
    own = [x for x in m.parameters if x not in m.states]
    what = Linearised(m, own if inputs is None else inputs, outputs, keep, between_samples=True)
    about = what.about(q, u, t)
    begun = _begun(m, about)
    if begun is not m:  # registers hold what has been read
        what = Linearised(begun, what.inputs, outputs, keep, between_samples=True)
        about = what.about(q, u, t)
    return _Samples(what, about).made(clocks.periods)


class _Samples:
    """The change (x, w) ↦ x of the state over samples and between them."""

    def __init__(self, what: Linearised, about: About):
        self.m, self.what, self.about = what.m, what, about
        self.held = what.of(about)
        n, k = len(self.held.A), len(what.inputs)
        self.first = n - self.m.n_z
        self.now = np.hstack([np.eye(n), np.zeros((n, k))])
        self.flow = np.zeros((n + k, n + k))
        self.flow[:n] = np.hstack([self.held.A, self.held.B])

    def made(self, periods: Sequence[float]) -> SampledLinearisation:
        from scipy.linalg import expm

        held, length = self.held, _all_together(periods)
        self._sample([name for name, _ in sample_clocks(self.m).elements])
        read = self.now
        t, n = 0.0, len(held.A)
        for due, names in [*_instants(self.m, periods, length), (length, [])]:
            over = expm(self.flow * (due - t))[:n]
            self.now = over[:, :n] @ self.now
            self.now[:, n:] += over[:, n:]
            self._sample(names)
            t = due
        y = held.C @ read
        y[:, n:] += held.D
        kept, shown = _of_motion(held.states), _of_motion(held.outputs)
        return SampledLinearisation(
            held.mechanism, held.t, held.q, held.u, length, tuple(held.states[i] for i in kept), held.inputs,
            tuple(held.outputs[i] for i in shown), self.now[np.ix_(kept, kept)], self.now[kept, n:], y[np.ix_(shown, kept)],
            y[shown, n:], held,
        )  # fmt: skip

    def _sample(self, names: Sequence[str]) -> None:
        """One element after the other; accelerations are those before all."""
        n, before = len(self.held.A), self.now.copy()
        F, k = self.about.accelerations, len(self.what.inputs)
        udot = F[:, :n] @ before
        udot[:, n:] += F[:, n:]
        _, parameters = self.what.input_columns()
        e, i = self.about.equations, self.about.motions
        for name in names:
            by = _update_derivatives(self.m, name, e)
            along = by["p"] + by["q"] @ i.X_p + by["u"] @ i.Y_p
            x = np.hstack([by["q"] @ i.X + by["u"] @ i.Y, by["u"] @ i.Z, along @ parameters[:, : self.m.n_z]])
            change = x @ self.now + by["udot"] @ udot
            change[:, n:] += along @ parameters[:, self.m.n_z : self.m.n_z + k]
            at = self.first + self.m.states.index(self.m.elements[name].state_names[0])
            self.now = self.now.copy()
            self.now[at : at + len(change)] = change


def _of_motion(names: Sequence[str]) -> list[int]:
    """Places of the names, without what sensors keep for themselves."""
    return [i for i, name in enumerate(names) if name.rpartition(".")[2] not in (*DRAWS, "begun")]


def _update_derivatives(m: Mechanism, name: str, e: Any) -> dict[str, np.ndarray]:
    """How the states of an element after a sample change: along displacements, with speeds, parameters and accelerations."""
    with tracing():
        s = m.sampled_state()
        values = list(m.elements[name].update(s))
        parameters = [symbol(x) for x in m.parameters]
        kinds = {"q": list(s.coordinates), "u": list(s.speeds), "p": parameters, "udot": list(s.udot)}
        _check_smooth(m, name, values, {*kinds["q"], *kinds["u"], *kinds["udot"], *parameters})
        parts = [jacobian(values, x) if len(x) else np.zeros((len(values), 0)) for x in kinds.values()]
        N = jacobian(s.rates, list(s.speeds))
        found = [np.asarray(x, dtype=float) for x in evaluate([*parts, N], _known(m, s, e))]
    by = dict(zip(kinds, found))
    return by | {"q": by["q"] @ found[-1]}


def _known(m: Mechanism, s: Any, e: Any) -> dict[Any, float]:
    """Numbers for everything an update reads."""
    pose = {symbol("t"): e.t, **dict(zip(s.coordinates, e.q)), **dict(zip(s.speeds, e.u))}
    return pose | dict(zip(s.udot, e.udot)) | m.parameter_values


def _check_smooth(m: Mechanism, name: str, values: Sequence[Any], moving: set[Any]) -> None:
    """Refuse what reads the motion in whole steps: it has no small changes."""
    moving = moving - {symbol(f"{name}.{draw}") for draw in DRAWS}
    for x in ordered(values):
        if x.op is FLOOR and moving & set(free_symbols(x)):
            raise StateError(
                f'element "{name}" reads the motion of mechanism "{m.name}" in whole steps, within which small motions are not seen: '
                "leave out its resolution"
            )


def _begun(m: Mechanism, about: About) -> Mechanism:
    """The mechanism with what sensors hold as they do after their first reading."""
    found: dict[str, float] = {}
    for name, p in m.elements.items():
        if m.parameters.get(f"{name}.begun") == 0.0:
            with tracing():
                s = m.sampled_state()
                values = evaluate(list(p.update(s)), _known(m, s, about.equations))
            found |= dict(zip(p.state_names, map(float, values)))
    return m.with_parameters(**found) if found else m


def _ratio(period: float, to: float) -> Fraction:
    found = Fraction(period / to).limit_denominator(MOST)
    if abs(float(found) * to - period) > ALIKE * period:
        raise StateError(
            f"samples every {to:g} s and every {period:g} s never fall together again: give periods that are whole multiples of one"
        )
    return found


def _all_together(periods: Sequence[float]) -> float:
    """Time until all samples fall together again."""
    ratios = [_ratio(x, periods[0]) for x in periods]
    over = Fraction(1)
    for x in ratios:
        n, d = over.numerator * x.denominator, over.denominator * x.denominator
        step = x.numerator * over.denominator
        over = Fraction(np.lcm(n, step).item(), d)
    if over / min(ratios) > MOST:
        raise StateError(
            f"samples fall together after {float(over) * periods[0]:g} s only, {MOST} samples or more: give other periods"
        )
    return float(over) * periods[0]


def _instants(m: Mechanism, periods: Sequence[float], length: float) -> list[tuple[float, list[str]]]:
    """Times of the samples within that time, without its ends, and the elements sampled in their order."""
    clocks = sample_clocks(m)
    due: dict[float, list[str]] = {}
    times = sorted({round(k * x / length, 12) for x in periods for k in range(1, round(length / x))})
    for part in times:
        t = part * length
        due[t] = [name for name, c in clocks.elements if abs(t / periods[c] - round(t / periods[c])) < ALIKE * MOST]
    return list(due.items())
