"""What a mechanism can compute in compiled code: for each quantity, a formula for small models and sweeps for large ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cache, reduce
from typing import Any, TypeVar

import numpy as np

from dalembert.cached import cached_property
from dalembert.errors import FormulationError
from dalembert.formulations import Formulation
from dalembert.kernels.mechanism_fingerprint import fingerprint_of, with_python
from dalembert.kernels.runtime.kernel import Emit, Kernel
from dalembert.kernels.runtime.opaque import called_for_each, generalized_forces, potentials, split
from dalembert.kernels.runtime.straight import NAMES, extra_input, straight_block
from dalembert.kernels.tree import articulated, body_motion, composite, energies, rates, recursive_newton_euler
from dalembert.kernels.tree.algorithm import Algorithm
from dalembert.kernels.tree.mass_matrix_columns import emit_mass_matrix, mass_pivots
from dalembert.kernels.tree.sweep_kernel import SweepKernel
from dalembert.kinematics import totals
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.formulation_settings import FormulationSettings
from dalembert.parts.forces.points import Point, point
from dalembert.parts.names import unknown
from dalembert.recursive import algorithms as recursive
from dalembert.recursive.grouping import grouped
from dalembert.recursive.links import links
from dalembert.trace import count_operations, minimum, tracing
from dalembert.trace.native import Module, Pointer, Signature

LARGEST_STRAIGHT = 7
"""Bodies up to which straight-line code is used: beyond, loops run as fast and compile faster."""
LARGEST_STRAIGHT_DERIVATIVES = 12
"""The same for derivatives where they must be traced: their loops are slower."""
LARGEST_STRAIGHT_CLOSED = 8
"""The same for derivatives in closed form."""
LARGEST_ELASTIC = 10
"""Bodies up to which the mass matrix is written out where some are elastic."""
MOST_KNOWN = 256
"""How many things are remembered of a mechanism; of more, the oldest is forgotten."""
MANY_FORCES = 30
"""Forces beyond which a small model is not written as one piece either: in loops, those of one kind share their code."""
LARGEST_SOLVED = 7
"""Speeds up to which factorising the mass matrix may take fewer operations than articulated bodies."""

T = TypeVar("T")
Formula = Callable[[State, Any], Any]
"""(symbolic state, extra input) → the values."""


@dataclass(frozen=True, eq=False)
class Derivatives:
    """Derivatives of the speeds' rates (or of the forces): along the displacement each speed makes, in u, in τ (or u̇), in the
    parameters."""

    q: np.ndarray
    u: np.ndarray
    input: np.ndarray
    parameters: np.ndarray

    @property
    def tau(self) -> np.ndarray:
        """A⁻¹, of forward dynamics."""
        return self.input

    @property
    def udot(self) -> np.ndarray:
        """A, of inverse dynamics."""
        return self.input


@dataclass(frozen=True, eq=False)
class BodyMotion:
    """Motion of all bodies in world axes; the axis before the components runs over the bodies."""

    rotation: np.ndarray
    position: np.ndarray
    angular_velocity: np.ndarray
    velocity: np.ndarray


@dataclass(eq=False)
class ConstrainedKernels:
    """What is computed under loops and constraints, made when first asked for by the files of this room that solve with them."""

    independent: tuple[int, ...] | None = None
    """An independent set of rows."""
    errors: Kernel | None = None
    """Kernel of how much a state is off."""
    accelerations: dict[tuple[int, ...], Kernel] = field(default_factory=dict)
    """u̇ by range space, by the rows solved with."""
    left_out: dict[tuple[int, ...], Kernel | None] = field(default_factory=dict)
    """What the other rows say, by the rows solved with; None where they say nothing."""
    by_method: dict[str, Kernel] = field(default_factory=dict)
    """u̇ by other constraint methods."""
    solutions: dict[tuple[str | FormulationSettings, str], tuple[Formulation, Kernel]] = field(default_factory=dict)
    """u̇ and λ by formulation and constraint method; with the formulation, its choice of speeds settled."""


class Catalogue:
    """The kernels of one mechanism, compiled when first used."""

    def __init__(self, m: Mechanism):
        self.mechanism, self.opaque = split(m) if m.forces else (m, None)
        self.constrained = ConstrainedKernels()
        self._known: dict[Hashable, Any] = {}

    def once(self, asked: Hashable, make: Callable[[], T]) -> T:
        """What `make` gives, made once for all that is asked in the same words; it may depend on these and on the mechanism only."""
        if asked not in self._known:
            if len(self._known) >= MOST_KNOWN:
                del self._known[next(iter(self._known))]
            self._known[asked] = make()
        found: T = self._known[asked]
        return found

    def _check_unconstrained(self, what: str) -> None:
        constrained = [c.name for c in self.mechanism.cuts] + list(self.mechanism.constraints)
        if constrained:
            names = ", ".join(f'"{name}"' for name in constrained)
            raise FormulationError(
                f"{what} is for mechanisms without loops and constraints, and this one has {names}; m.drives(q, u, udot) is inverse "
                "dynamics with them, m.forward_dynamics and m.solve give accelerations, m.linearise their derivatives"
            )

    @cached_property
    def fingerprint(self) -> str:
        """What tells this mechanism from others that compute something else, or call something else by the same name."""
        return with_python(fingerprint_of(self.mechanism), self.opaque)

    @property
    def straight(self) -> bool:
        """Whether dynamics is straight-line code."""
        return self._small()

    def _small(self, largest: int = LARGEST_STRAIGHT) -> bool:
        """Whether to write straight-line code; with elastic bodies always, since no two of them need the same."""
        m = self.mechanism
        return m.elastic or m.variables is not None or (m.n_bodies <= largest and len(m.forces) <= MANY_FORCES)

    def _kernel(self, formula: Formula, algorithm: Algorithm, n_extra: int, shape: tuple[int, ...]) -> Kernel:
        m = self.mechanism

        def straight(module: Module, lanes: int) -> tuple[Signature, int]:
            with tracing():
                extra = extra_input(m.speeds[:n_extra])
                return module.block(straight_block(m, formula(m.symbolic_state(), extra), extra), lanes), 0

        @cache
        def traced() -> SweepKernel:
            """The same for any number of lanes."""
            return SweepKernel(m, algorithm)

        def swept(module: Module, lanes: int) -> tuple[Signature, int]:
            return traced().emit(module, lanes), traced().places["end"]

        return Kernel(algorithm.name, m, n_extra, shape, straight if self._small() else swept, parts=2)

    @cached_property
    def forward_dynamics(self) -> Kernel:
        n = self.mechanism.n_u
        self._check_unconstrained("forward dynamics")

        return self._kernel(_accelerations, articulated.ALGORITHM, n, (n,))

    @cached_property
    def inverse_dynamics(self) -> Kernel:
        n = self.mechanism.n_u
        self._check_unconstrained("inverse dynamics")

        def formula(s: State, udot: Any) -> Any:
            return recursive.newton_euler(_tree(s), udot)

        return self._kernel(formula, recursive_newton_euler.ALGORITHM, n, (n,))

    @cached_property
    def mass_matrix(self) -> Kernel:
        m, n = self.mechanism, self.mechanism.n_u
        if m.elastic and m.n_bodies > LARGEST_ELASTIC:
            return Kernel("mass_matrix", m, 0, (n, n), lambda module, _: emit_mass_matrix(m, module), one_by_one=True)
        return self._kernel(lambda s, _: recursive.composite(_tree(s)), composite.ALGORITHM, 0, (n, n))

    @cached_property
    def least_pivot(self) -> Kernel | None:
        """The least pivot of the mass matrix, which elastic bodies bent too far make negative; None for large mechanisms."""
        m = self.mechanism

        def emit(module: Module, lanes: int) -> tuple[Signature, int]:
            with tracing():
                least = reduce(minimum, mass_pivots(recursive.composite(_tree(m.symbolic_state()))))
                return module.block(straight_block(m, [least], ()), lanes), 0

        return Kernel("least_pivot", m, 0, (1,), emit, parts=2) if m.n_bodies <= LARGEST_ELASTIC and m.n_u else None

    @cached_property
    def body_motion(self) -> Kernel:
        """R (9), p (3), ω (3), v (3) of every body, world axes."""

        def formula(s: State, _: Any) -> Any:
            n = s.mechanism.n_bodies
            both = zip(s.poses[1 : n + 1], s.velocities[1 : n + 1])
            return [x for pose, rate in both for x in (*pose.R.ravel(), *pose.p, *rate.w, *rate.v)]

        return self._kernel(formula, body_motion.ALGORITHM, 0, (self.mechanism.n_bodies, body_motion.N_MOTION))

    def motion(self, q: Any, u: Any, t: Any, parameters: Any) -> BodyMotion:
        rows = self.body_motion(q, u, None, t, parameters)
        R = rows[..., :9].reshape(*rows.shape[:-1], 3, 3)
        return BodyMotion(R, rows[..., 9:12], rows[..., 12:15], rows[..., 15:18])

    @cached_property
    def rates(self) -> Kernel:
        """q̇."""
        return self._kernel(lambda s, _: s.rates, rates.ALGORITHM, 0, (self.mechanism.n_q,))

    @cached_property
    def state_rates(self) -> Kernel:
        """(q̇, u̇): the right-hand side of the equations of motion, with further generalized forces as extra input."""
        self._check_unconstrained("state rates")
        m = self.mechanism

        def straight(module: Module, lanes: int) -> tuple[Signature, int]:
            with tracing():
                s, tau = m.symbolic_state(), extra_input(m.speeds)
                both = [*s.rates, *_accelerations(s, tau)]
                return module.block(straight_block(m, both, tau), lanes), 0

        def swept(module: Module, lanes: int) -> tuple[Signature, int]:
            dynamics = SweepKernel(m, articulated.ALGORITHM)
            accelerations = dynamics.emit(module, lanes, "accelerations")
            at_once = rates.speeds_of_coordinates(m)
            turning = SweepKernel(m, rates.ALGORITHM) if at_once is None else None
            all_rates = turning.emit(module, lanes, "rates") if turning else None
            parameters: dict[str, Any] = dict.fromkeys(NAMES, Pointer)
            with module.function("run", lanes=lanes, **parameters) as f:
                state = [getattr(f, name) for name in NAMES[:5]]
                f.call(accelerations, *state, f.y + m.n_q, f.work)
                if all_rates:
                    f.call(all_rates, *state, f.y, f.work)
                else:
                    rates.copy_speeds(f, module, at_once or [])
            return f.signature, max(part.places["end"] for part in (dynamics, turning) if part)

        way = straight if self._small() else swept
        return Kernel("state_rates", m, m.n_u, (m.n_q + m.n_u,), way, parts=2)

    @cached_property
    def forward_dynamics_derivatives(self) -> Kernel:
        m = self.mechanism

        def straight(module: Module, lanes: int) -> tuple[Signature, int]:
            from dalembert.kernels.derivatives.formulas import emit_forward_derivatives

            return emit_forward_derivatives(m, module, lanes)

        return self._derivatives("forward_dynamics_derivatives", straight, articulated.ALGORITHM)

    @cached_property
    def inverse_dynamics_derivatives(self) -> Kernel:
        m = self.mechanism

        def straight(module: Module, lanes: int) -> tuple[Signature, int]:
            from dalembert.kernels.derivatives.formulas import of_inverse_dynamics

            with tracing():
                udot = extra_input(m.speeds)
                return module.block(straight_block(m, of_inverse_dynamics(m.symbolic_state(), udot), udot), lanes), 0

        return self._derivatives("inverse_dynamics_derivatives", straight, recursive_newton_euler.ALGORITHM)

    @cached_property
    def stiffness(self) -> Kernel:
        """Derivatives of inverse dynamics along displacements and in the parameters alone: for a large mechanism a third of it."""
        m = self.mechanism

        def straight(module: Module, lanes: int) -> tuple[Signature, int]:
            from dalembert.kernels.derivatives.formulas import of_inverse_dynamics

            with tracing():
                udot = extra_input(m.speeds)
                every = of_inverse_dynamics(m.symbolic_state(), udot)
                kept = np.hstack([every[:, : m.n_u], every[:, 3 * m.n_u :]])
                return module.block(straight_block(m, kept, udot), lanes), 0

        def swept(module: Module, lanes: int) -> tuple[Signature, int]:
            from dalembert.kernels.derivatives.tangent import emit_jacobian

            return emit_jacobian(m, recursive_newton_euler.ALGORITHM, module, module.target.lanes, "qP")

        small, shape = self._small(LARGEST_STRAIGHT_DERIVATIVES), (m.n_u, m.n_u + len(m.parameters))
        return Kernel("stiffness", m, m.n_u, shape, straight if small else swept, one_by_one=not small)

    def _derivatives(self, name: str, straight: Emit, algorithm: Algorithm) -> Kernel:
        from dalembert.kernels.derivatives import closed_form

        self._check_unconstrained("derivatives of dynamics")
        m = self.mechanism
        shape = (m.n_u, 3 * m.n_u + len(m.parameters))

        def swept(module: Module, lanes: int) -> tuple[Signature, int]:
            from dalembert.kernels.derivatives.tangent import emit_jacobian

            return emit_jacobian(m, algorithm, module, module.target.lanes)

        def in_closed_form(module: Module, lanes: int) -> tuple[Signature, int]:
            inverse = SweepKernel(m, closed_form.ALGORITHM)
            if algorithm is recursive_newton_euler.ALGORITHM:
                return inverse.emit(module, lanes), inverse.places["end"]
            return closed_form.emit_forward(m, SweepKernel(m, algorithm), inverse, module, lanes)

        closed = not self._small(LARGEST_STRAIGHT_CLOSED) and closed_form.applies(m, links(m))
        if self._small(LARGEST_STRAIGHT_DERIVATIVES) and not closed:
            return Kernel(name, m, m.n_u, shape, straight)
        return Kernel(name, m, m.n_u, shape, in_closed_form if closed else swept, one_by_one=not closed)

    def differentiate(self, name: str, q: Any, u: Any, x: Any, t: Any, parameters: Any) -> Derivatives:
        if self.opaque is not None:
            names = ", ".join(f'"{f}"' for f in self.opaque.forces)
            raise FormulationError(
                f"force {names} is a Python function that cannot be traced, so it has no derivatives"
            )
        rows = getattr(self, name)(q, u, x, t, parameters)
        n = self.mechanism.n_u
        return Derivatives(rows[..., :n], rows[..., n : 2 * n], rows[..., 2 * n : 3 * n], rows[..., 3 * n :])

    def jacobian(self, at: Any, q: Any, t: Any, parameters: Any) -> np.ndarray:
        """6 × n_u of a point: by a kernel of its own in a small mechanism, else from the motion that each speed alone makes."""
        p = point(at, "point_jacobian")
        m = self.mechanism
        if p.body not in m.number_of:
            raise unknown(p.body, "body", m.number_of, "point_jacobian")
        if self._small():
            return self.point_jacobian(p)(q, None, None, t, parameters)
        if np.ndim(q) == 2:
            return np.array([self.jacobian(p, row, t, parameters) for row in np.asarray(q)])
        if p.body == "ground":
            return np.zeros((6, m.n_u))
        alone = np.vstack([np.zeros(m.n_u), np.eye(m.n_u)])
        rows = self.body_motion(q, alone, None, t, parameters)[:, m.number_of[p.body] - 1]
        arm = rows[0, :9].reshape(3, 3) @ p.at
        twists = np.hstack([rows[:, 12:15], rows[:, 15:18] + np.cross(rows[:, 12:15], arm)])
        return (twists[1:] - twists[0]).T

    def point_jacobian(self, p: Point) -> Kernel:
        """6 × n_u of a point; a kernel of its own for every point asked about."""
        m, place = self.mechanism, (p.body, p.node, *p.at)

        def emit(module: Module, lanes: int) -> tuple[Signature, int]:
            with tracing():
                return module.block(straight_block(m, m.symbolic_state().jacobian(p), ()), lanes), 0

        return self.once(("jacobian", place), lambda: Kernel("jacobian", m, 0, (6, m.n_u), emit, of=place))

    def evaluate(self, name: str, q: Any, u: Any, x: Any, t: Any, parameters: Any) -> np.ndarray:
        """Forward or inverse dynamics, with forces that could not be compiled called from Python."""
        kernel: Kernel = getattr(self, name)
        if self.opaque is None:
            return kernel(q, u, x, t, parameters)
        extra = called_for_each(self.opaque, generalized_forces, q, u, t, parameters)
        if name == "inverse_dynamics":
            return kernel(q, u, x, t, parameters) - extra
        return kernel(q, u, extra if x is None else extra + x, t, parameters)

    def both_energies(self, q: Any, u: Any, t: Any, parameters: Any) -> np.ndarray:
        """Kinetic and potential energy, with forces that could not be compiled called from Python."""
        both = self.energies(q, u, None, t, parameters)
        if self.opaque is not None:
            both[..., 1] += called_for_each(self.opaque, potentials, q, u, t, parameters)
        return both

    @cached_property
    def energies(self) -> Kernel:
        """Kinetic and potential energy."""
        return self._kernel(
            lambda s, _: [totals.kinetic_energy(s), totals.potential_energy(s)], energies.ALGORITHM, 0, (2,)
        )


def _tree(s: State) -> recursive.Tree:
    """The tree of a state, for equations of motion alone: inertia of rigid bodies is moved to their parents."""
    joints = s.mechanism.in_joint_variables
    return recursive.Tree(s, None if joints.elastic else grouped(links(joints)))


def _accelerations(s: State, tau: Any) -> Any:
    """u̇ by articulated bodies, or in small trees by the factorised mass matrix if that takes fewer operations."""
    m, tree = s.mechanism, _tree(s)
    ways = [recursive.articulated(tree, tau)]
    if m.n_u <= LARGEST_SOLVED and not m.elastic:
        ways.append(recursive.composite_solved(tree, tau))
    return min(ways, key=lambda udot: count_operations(udot).total)
