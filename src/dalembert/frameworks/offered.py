"""What `m.jax` and `m.torch` offer: the same functions on arrays of either framework."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

from dalembert.errors import ArgumentError
from dalembert.frameworks import motions, of_states
from dalembert.frameworks.array_function import ArrayFunction
from dalembert.mechanism import Mechanism
from dalembert.parts.names import unknown

FrameworkArray: TypeAlias = Any
"""An array or a tracer of JAX or PyTorch, or what its framework makes one of: numbers, lists, arrays of NumPy."""


class Offered:
    """Functions of one mechanism, differentiable in every argument; made when first called.

    `parameters` are values by name; the others are the mechanism's own. `q`, `u` and `tau` are in the order of `m.coordinates` and
    `m.speeds`; what is left out is zero.
    """

    def __init__(self, m: Mechanism):
        self.m = m
        self._made: dict[Any, ArrayFunction] = {}

    # -- what a framework says ------------------------------------------------------------------------------------------
    def _call(self, function: ArrayFunction, *arguments: Any) -> Any:
        """The function's result, with its derivatives known to the framework."""
        raise NotImplementedError

    def _array(self, x: Any) -> Any:
        """An array of float64."""
        raise NotImplementedError

    def _stacked(self, values: Sequence[Any]) -> Any:
        """Numbers, or batches of numbers, along a last axis."""
        raise NotImplementedError

    # -- what is offered ------------------------------------------------------------------------------------------------
    def forward_dynamics(
        self,
        q: FrameworkArray,
        u: FrameworkArray,
        tau: FrameworkArray | None = None,
        t: FrameworkArray = 0.0,
        parameters: Mapping[str, FrameworkArray] | None = None,
    ) -> FrameworkArray:
        """u̇ under the mechanism's forces and further ones `tau`, loops and constraints included."""
        made = self._function("forward_dynamics", lambda: of_states.forward_dynamics(self.m))
        return self._call(made, *self._state(q, u), self._speeds(tau), self._array(t), self._parameters(parameters))

    def inverse_dynamics(
        self,
        q: FrameworkArray,
        u: FrameworkArray,
        udot: FrameworkArray,
        t: FrameworkArray = 0.0,
        parameters: Mapping[str, FrameworkArray] | None = None,
    ) -> FrameworkArray:
        """The generalized forces that must be added for u to change at the rate u̇; of mechanisms without loops."""
        made = self._function("inverse_dynamics", lambda: of_states.inverse_dynamics(self.m))
        return self._call(made, *self._state(q, u), self._array(udot), self._array(t), self._parameters(parameters))

    def outputs(
        self,
        q: FrameworkArray,
        u: FrameworkArray | None = None,
        t: FrameworkArray = 0.0,
        parameters: Mapping[str, FrameworkArray] | None = None,
        of: Mapping[str, Any] | None = None,
    ) -> dict[str, FrameworkArray]:
        """The model's outputs by name, or those of `of`: functions of the state, or outputs such as da.outputs.Position("body")."""
        state, P = (*self._state(q, u), self._array(t)), self._parameters(parameters)
        found = {}
        for name in self.m.plan.outputs if of is None else of:
            given = None if of is None else of[name]
            made = self._function(("output", name, given), partial(of_states.output, self.m, name, given))
            found[name] = self._call(made, *state, P)
        return found

    def step(
        self,
        q: FrameworkArray,
        u: FrameworkArray,
        tau: FrameworkArray | None = None,
        t: FrameworkArray = 0.0,
        parameters: Mapping[str, FrameworkArray] | None = None,
        *,
        step: float,
    ) -> tuple[FrameworkArray, ...]:
        """(q, u) one step of rk4 later, on the loops and constraints; (q, u, z) where elements have states."""
        x = self._speeds(tau)[..., None, :]
        made = self._function(("step", step), lambda: motions.rollout(self.m, step, 1, False, last=True))
        return self._parts(self._call(made, *self._state(q, u), x, self._array(t), self._parameters(parameters)))

    def rollout(
        self,
        q: FrameworkArray,
        u: FrameworkArray,
        tau: FrameworkArray | None = None,
        t: FrameworkArray = 0.0,
        parameters: Mapping[str, FrameworkArray] | None = None,
        *,
        step: float,
        steps: int,
    ) -> tuple[FrameworkArray, ...]:
        """(q, u) at the start and after each of so many steps of rk4: (…, steps + 1, n); (q, u, z) where elements have states.

        `tau` is one row of forces, or a row for every step, (…, steps, n); where it could be either, of as many states as steps, it is
        refused. The start must lie on the loops: see `assemble`.
        """
        state, x = self._state(q, u), self._speeds(tau)
        per_step = x.ndim > 1 and x.shape[-2] == steps
        if per_step and steps > 1 and any(y.ndim >= x.ndim and y.shape[-2] == steps for y in state):
            raise ArgumentError(
                f"rollout: tau of shape {tuple(x.shape)} may be a row for each of {steps} steps or for each of {steps} states; "
                f"say it with both axes, (…, {steps}, {steps}, {self.m.n_u}), the steps second"
            )
        x = x if per_step else x[..., None, :]
        made = self._function(
            ("rollout", step, steps, per_step), lambda: motions.rollout(self.m, step, steps, per_step)
        )
        return self._parts(self._call(made, *state, x, self._array(t), self._parameters(parameters)))

    def assemble(
        self,
        initial: Mapping[str, Any],
        speeds: Mapping[str, Any] | None = None,
        parameters: Mapping[str, FrameworkArray] | None = None,
    ) -> tuple[Any, Any]:
        """(q, u) with these coordinates and speeds and all loops closed, as `m.assemble` closes them."""
        speeds = speeds or {}
        names = tuple(initial), tuple(speeds)
        made = self._function(("assemble", names), lambda: motions.assembled(self.m, *names))
        given = [self._array(x) for x in (*initial.values(), *speeds.values())]
        found = self._call(made, self._stacked(given), self._parameters(parameters))
        return found[..., : self.m.n_q], found[..., self.m.n_q :]

    # -- arguments ------------------------------------------------------------------------------------------------------
    def _function(self, key: Any, make: Callable[[], ArrayFunction]) -> ArrayFunction:
        if key not in self._made:
            self._made[key] = make()
        return self._made[key]

    def _state(self, q: Any, u: Any) -> tuple[Any, Any]:
        return self._sized(q, self.m.n_q, "q"), self._speeds(u, "u")

    def _speeds(self, x: Any, name: str = "tau") -> Any:
        return self._array([0.0] * self.m.n_u) if x is None else self._sized(x, self.m.n_u, name)

    def _sized(self, x: Any, n: int, name: str) -> Any:
        x = self._array(x)
        if not x.ndim or x.shape[-1] != n:
            raise ArgumentError(f"{name} must have {n} numbers along its last axis, not the shape {tuple(x.shape)}")
        return x

    def _parameters(self, given: Mapping[str, Any] | None) -> Any:
        """All parameters in order."""
        for name in given or {}:
            if name not in self.m.parameters:
                raise unknown(name, "parameter", self.m.parameters, f'mechanism "{self.m.name}"')
        values = {**self.m.parameters, **(given or {})}
        return self._stacked([self._array(values[name]) for name in self.m.parameters])

    def _parts(self, y: Any) -> tuple[Any, ...]:
        m = self.m
        q, u, z = y[..., : m.n_q], y[..., m.n_q : m.n_q + m.n_u], y[..., m.n_q + m.n_u :]
        return (q, u, z) if m.n_z else (q, u)
