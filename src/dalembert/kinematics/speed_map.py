"""How a mechanism's own speeds u and those before them, v, follow from each other in a state: u = W v + w and v = T u + τ.

With φ(t, q, v) = W v + w, u̇ = W v̇ + φ,t + φ,q q̇, so that v̇ = T u̇ − T (φ,t + φ,q q̇). Forces on v are Wᵀ those on u; forces on u are Tᵀ
those on v. Where coordinates are linear combinations of others, T and W are constant, and T need not be square.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.kinematics.state import State
from dalembert.kinematics.traced import TracedSource
from dalembert.mechanism import Mechanism
from dalembert.mechanism.variable_changes import GeneralizedSpeeds, LinearCoordinates
from dalembert.trace import depends_on, directional, jacobian, substitute
from dalembert.trace.inverse import inverse


class SpeedMap:
    """The map in a state; `v` are asked for only by what depends on them."""

    def __init__(self, s: State):
        self._s = s

    @property
    def T(self) -> np.ndarray:
        """v per unit of u."""
        raise NotImplementedError

    @property
    def W(self) -> np.ndarray:
        """u per unit of v; T's left inverse where some coordinates are dropped."""
        raise NotImplementedError

    @property
    def w(self) -> np.ndarray:
        """u where v = 0: what time adds."""
        return np.zeros(len(self.W))

    @property
    def drift(self) -> np.ndarray:
        """u̇ where v̇ = 0."""
        return np.zeros(len(self.W))

    @property
    def T_rate(self) -> np.ndarray:
        """Ṫ."""
        return np.zeros(self.T.shape)

    def before(self, u: Any) -> np.ndarray:
        """v from u."""
        return np.asarray(self.T @ (np.asarray(u) - self.w))

    def after(self, v: Any) -> np.ndarray:
        """u from v."""
        return np.asarray(self.W @ np.asarray(v) + self.w)

    def rates_before(self, udot: Any) -> np.ndarray:
        """v̇ from u̇."""
        return np.asarray(self.T @ (np.asarray(udot) - self.drift))

    def rates_after(self, vdot: Any) -> np.ndarray:
        """u̇ from v̇."""
        return np.asarray(self.W @ np.asarray(vdot) + self.drift)


class LinearMap(SpeedMap):
    """Rates of linear combinations of coordinates."""

    @property
    def _variables(self) -> LinearCoordinates:
        return cast(LinearCoordinates, self._s.mechanism.variables)

    @property
    def T(self) -> np.ndarray:
        return self._variables.per_speed

    @cached_property
    def W(self) -> np.ndarray:
        return np.linalg.pinv(self.T)


class ChosenMap(SpeedMap):
    """Speeds that were chosen."""

    @cached_property
    def _of_pose(self) -> Any:
        return _POSE(self._s, np.zeros(self._s.mechanism.n_u))

    @property
    def W(self) -> np.ndarray:
        found: np.ndarray = self._of_pose.W
        return found

    @property
    def w(self) -> np.ndarray:
        found: np.ndarray = self._of_pose.w
        return found

    @cached_property
    def T(self) -> np.ndarray:
        """Numbers are inverted as they are, expressions by their blocks once for all states."""
        return np.asarray(_INVERSE(self._s, self.w).T if self._s.traced else np.linalg.inv(np.asarray(self.W, float)))

    @cached_property
    def drift(self) -> np.ndarray:
        return np.asarray(_DRIFT(self._s, self._s.base.speeds).drift)

    @cached_property
    def T_rate(self) -> np.ndarray:
        change = np.asarray(_DRIFT(self._s, self._s.base.speeds).W_rate)
        return np.asarray(-self.T @ change @ self.T)


class _Chosen:
    """Chosen speeds of a mechanism as expressions of t, q and v."""

    def __init__(self, m: Mechanism, t: Any, q: np.ndarray, v: np.ndarray):
        self._state = State(m.base, t, q, v)
        self._choices = cast(GeneralizedSpeeds, m.variables).choices
        self._along = {t: 1.0} | dict(zip(q, self._state.rates))
        self._v = v

    @cached_property
    def _values(self) -> np.ndarray:
        out = np.array(self._v, dtype=object)
        for choice in self._choices:
            out[list(choice.instead_of)] = choice.values(self._state)
        return out

    @cached_property
    def W(self) -> np.ndarray:
        W = jacobian(self._values, list(self._v))
        for row, choice_name in zip(W, self._names):
            if depends_on(list(row), list(self._v)):
                raise ModelError(
                    f'speed "{choice_name}" is not linear in the speeds it is made of; choose u = Wᵀ(q, t) q̇ + w(q, t)'
                )
        return W

    @property
    def _names(self) -> list[str]:
        names = [""] * len(self._v)
        for choice in self._choices:
            for at, name in zip(choice.instead_of, choice.names):
                names[at] = name
        return names

    @cached_property
    def w(self) -> np.ndarray:
        return np.asarray(substitute(self._values, dict.fromkeys(self._v, 0.0)))

    @cached_property
    def drift(self) -> np.ndarray:
        known = [(choice, choice.drift(self._state)) for choice in self._choices]
        rest = [at for choice, own in known if own is None for at in choice.instead_of]
        out = np.zeros(len(self._v), dtype=object)
        out[rest] = directional(self._values[rest], self._along) if rest else []
        for choice, own in known:
            if own is not None:
                out[list(choice.instead_of)] = own
        return out

    @cached_property
    def W_rate(self) -> np.ndarray:
        return np.asarray(directional(self.W, self._along), dtype=object)

    @cached_property
    def T(self) -> np.ndarray:
        """W⁻¹: blocks whose inverse is known, then the others together."""
        n = len(self._v)
        T = np.eye(n, dtype=object)
        known = [(choice, choice.inverse(self._state)) for choice in self._choices]
        solved = sorted(at for choice, own in known if own is None for at in choice.instead_of)
        if solved:
            T[np.ix_(solved, solved)] = inverse(self.W[np.ix_(solved, solved)])
            rest = [at for at in range(n) if at not in solved]
            T[np.ix_(solved, rest)] = -T[np.ix_(solved, solved)] @ self.W[np.ix_(solved, rest)]
        for choice, own in known:
            if own is not None:
                at = list(choice.instead_of)
                T[:, at] = T[:, at] @ own
        return T


_CHOSEN = TracedSource(_Chosen, lambda m: m.base.speeds)
_POSE, _DRIFT, _INVERSE = (_CHOSEN.functions(*names) for names in (("W", "w"), ("drift", "W_rate"), ("T",)))


def speed_map(s: State) -> SpeedMap:
    """The map of a state whose mechanism has variables of its own."""
    return ChosenMap(s) if isinstance(s.mechanism.variables, GeneralizedSpeeds) else LinearMap(s)


def singular_choice(m: Mechanism, s: State) -> str | None:
    """Why the chosen speeds do not determine the motion in a numeric state, in words; None where they do."""
    v = m.variables
    if not isinstance(v, GeneralizedSpeeds):
        return None
    at = list(v.chosen)
    W = np.asarray(s.speed_map.W, dtype=float)[np.ix_(at, at)]
    if not np.isfinite(W).all():
        return "have no value here"
    sizes = np.linalg.norm(W, axis=1)
    if (sizes > 0.0).all() and np.linalg.svd(W / sizes[:, None], compute_uv=False)[-1] > SINGULAR:
        return None
    return "do not determine the motion here: as functions of the speeds they replace, they depend on each other"


SINGULAR = 1e-9
"""Singular value of the chosen speeds, each of unit length, below which they are dependent."""
