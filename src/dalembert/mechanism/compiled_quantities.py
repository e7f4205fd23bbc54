"""`CompiledQuantities`: quantities of one state or many that `kernels/` computes in machine code; `Mechanism` inherits them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from dalembert.aliases import ParameterValues
from dalembert.arguments import by_name, one_name, real, takes
from dalembert.blas import on_one_thread
from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.mechanism.analyses import Analyses
from dalembert.mechanism.formulation_settings import FormulationSettings, checked_formulation

if TYPE_CHECKING:
    from dalembert.constraints.methods.solution import Solution
    from dalembert.kernels.catalogue import BodyMotion, Catalogue, Derivatives
    from dalembert.kernels.law_state import LawState


class CompiledQuantities(Analyses):
    """Forward and inverse dynamics, mass matrix, energies, motion of bodies; of one state (n,) or a batch (K, n)."""

    @cached_property
    def _forward(self) -> Callable[..., Any] | None:
        """Forward dynamics of a single state, where nothing else is to be looked at; there once it was called often."""
        return None

    @property
    def kernels(self) -> Catalogue:
        """Everything this mechanism can compute in machine code (see `kernels.catalogue`)."""
        raise NotImplementedError

    def forward_dynamics(
        self,
        q: ArrayLike,
        u: ArrayLike,
        tau: ArrayLike | None = None,
        t: ArrayLike = 0.0,
        parameters: ParameterValues | None = None,
        constraints: str = "range_space",
    ) -> np.ndarray:
        """u̇ under the mechanism's forces and, if given, further generalized forces `tau` on the speeds.

        Closed loops and constraints are obeyed, by the method that `constraints` names; so are laws, whose mode is chosen in every
        state by itself (`laws_at` tells it). A state in which something collides is refused: it has no accelerations.
        """
        if self._forward is not None and parameters is None and constraints == "range_space":
            found = self._forward(t, q, u, tau)
            if found is not None:
                return cast(np.ndarray, found)
        self._check_positive(q, t, parameters, "forward_dynamics")
        if self.laws:
            from dalembert.kernels.law_state import exerted

            tau = exerted(self.kernels, self._m, q, u, tau, t, parameters, "forward_dynamics")
        return self.smooth_dynamics(q, u, tau, t, parameters, constraints)

    def smooth_dynamics(
        self,
        q: ArrayLike,
        u: ArrayLike,
        tau: ArrayLike | None = None,
        t: ArrayLike = 0.0,
        parameters: ParameterValues | None = None,
        constraints: str = "range_space",
    ) -> np.ndarray:
        """u̇ as `forward_dynamics`, without the forces of laws, or with those that `tau` holds."""
        if self.cuts or self.constraints:
            from dalembert.kernels.compiled_solution import accelerations

            found: np.ndarray = accelerations(self.kernels, self._m, q, u, tau, t, parameters, constraints)
            return found
        if constraints != "range_space":
            from dalembert.constraints import method

            method(constraints)
        udot = self.kernels.evaluate("forward_dynamics", q, u, tau, t, parameters)
        at_once = self.kernels.forward_dynamics.at_once
        if at_once is not None and not (self.elastic or self.laws or self.kernels.opaque):
            self.__dict__["_forward"] = at_once
        return udot

    @on_one_thread
    @takes(t=real, parameters=by_name)
    def laws_at(
        self, q: ArrayLike, u: ArrayLike | None = None, tau: ArrayLike | None = None, t: float = 0.0,
        parameters: Mapping[str, float] | None = None,
    ) -> LawState:  # fmt: skip
        """What the laws do in one state by itself: what touches, sticks and slides there, with which forces, and u̇.

        Laws are as they begin: what is on acts, latches hold what they find.
        """
        from dalembert.kernels.law_state import law_state

        if not self.laws:
            raise ModelError(f'laws_at: mechanism "{self.name}" has no laws; add some with add_law')
        self._check_positive(q, t, parameters, "laws_at")
        return law_state(self.kernels, self._m, q, u, tau, t, parameters, "laws_at")

    @on_one_thread
    @takes(parameters=by_name, constraints=one_name, formulation=checked_formulation)
    def solve(
        self, q: ArrayLike, u: ArrayLike, tau: ArrayLike | None = None, t: ArrayLike = 0.0,
        parameters: ParameterValues | None = None, *, constraints: str = "range_space",
        formulation: str | FormulationSettings = "kane",
    ) -> Solution:  # fmt: skip
        """u̇ and the multipliers λ of the loops' and constraints' rows, and the rank of these: A u̇ + Bᵀλ = f, B u̇ = γ.

        By any constraint method and formulation; where rows depend on each other, λ is the shortest. A formulation that has eliminated
        the rows gives no λ, but for "gauss_penalty", which has approximate ones. Laws take part as in `forward_dynamics`.
        """
        from dalembert.kernels.compiled_solution import solve

        self._check_positive(q, t, parameters, "solve")
        if self.laws:
            from dalembert.kernels.law_state import exerted

            tau = exerted(self.kernels, self._m, q, u, tau, t, parameters, "solve")
        return solve(self.kernels, q, u, tau, t, parameters, constraints, formulation)

    def inverse_dynamics(
        self, q: ArrayLike, u: ArrayLike, udot: ArrayLike, t: ArrayLike = 0.0, parameters: ParameterValues | None = None
    ) -> np.ndarray:
        """The generalized forces that must be added to the mechanism's own for the speeds to change at the rate u̇."""
        self._smooth("inverse_dynamics")
        return self.kernels.evaluate("inverse_dynamics", q, u, udot, t, parameters)

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        u: ArrayLike,
        tau: ArrayLike | None = None,
        t: ArrayLike = 0.0,
        parameters: ParameterValues | None = None,
    ) -> Derivatives:
        """∂u̇ in q (along the displacement each speed makes), u, tau and the parameters: `.q`, `.u`, `.tau`, `.parameters`."""
        self._smooth("forward_dynamics_derivatives")
        self._check_positive(q, t, parameters, "forward_dynamics_derivatives")
        return self.kernels.differentiate("forward_dynamics_derivatives", q, u, tau, t, parameters)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, u: ArrayLike, udot: ArrayLike, t: ArrayLike = 0.0, parameters: ParameterValues | None = None
    ) -> Derivatives:
        """∂τ in q (along the displacement each speed makes), u, u̇ and the parameters: `.q`, `.u`, `.udot`, `.parameters`."""
        self._smooth("inverse_dynamics_derivatives")
        return self.kernels.differentiate("inverse_dynamics_derivatives", q, u, udot, t, parameters)

    def mass_matrix(self, q: ArrayLike, t: ArrayLike = 0.0, parameters: ParameterValues | None = None) -> np.ndarray:
        """A(q): n_u × n_u, symmetric and positive."""
        self._check_positive(q, t, parameters, "mass_matrix")
        return self.kernels.mass_matrix(q, None, None, t, parameters)

    def body_motion(
        self, q: ArrayLike, u: ArrayLike | None = None, t: ArrayLike = 0.0, parameters: ParameterValues | None = None
    ) -> BodyMotion:
        """Poses and velocities of all bodies in world axes: `.rotation`, `.position`, `.angular_velocity`, `.velocity`."""
        return self.kernels.motion(q, u, t, parameters)

    def energies(
        self, q: ArrayLike, u: ArrayLike, t: ArrayLike = 0.0, parameters: ParameterValues | None = None
    ) -> np.ndarray:
        """(kinetic, potential) energy."""
        return self.kernels.both_energies(q, u, t, parameters)

    def point_jacobian(
        self, at: ArrayLike, q: ArrayLike, t: ArrayLike = 0.0, parameters: ParameterValues | None = None
    ) -> np.ndarray:
        """6 × n_u: ∂ω/∂u over ∂v/∂u of a point of a body, world axes."""
        return self.kernels.jacobian(at, q, t, parameters)

    def _check_positive(self, q: ArrayLike, t: ArrayLike, parameters: ParameterValues | None, where: str) -> None:
        """Refuse states in which elastic bodies are bent so far that the mass matrix is not positive."""
        if self.elastic and q is not None:
            from dalembert.kinematics.bending import check_positive

            check_positive(self._m, q, t, parameters, where)

    def _warn_of_bending(self, q: np.ndarray, where: str) -> None:
        """Say so where elastic bodies are bent further than their modes hold."""
        if self.elastic:
            from dalembert.kinematics.bending import warn_of_bending

            warn_of_bending(self._m, q, where)
