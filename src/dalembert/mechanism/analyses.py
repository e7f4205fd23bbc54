"""`Analyses`: the questions about a mechanism that `analysis/` answers; `Mechanism` inherits them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from dalembert.aliases import Events, JointValues, Outputs, ParameterValues, PointOfBody, StateFunction
from dalembert.arguments import by_name, count, function, names, numbers, one_name, real, row, takes
from dalembert.blas import on_one_thread
from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.mechanism.best_values import BestValues

if TYPE_CHECKING:
    from dalembert.analysis.comparison.comparison import Comparison
    from dalembert.analysis.drives import Drives
    from dalembert.analysis.equilibrium.equilibrium import Equilibrium
    from dalembert.analysis.gradient.motion_gradient import MotionGradient
    from dalembert.analysis.inspection import Inspection
    from dalembert.analysis.linear.linearisation import Linearisation
    from dalembert.analysis.linear.sampled_linearisation import SampledLinearisation
    from dalembert.analysis.linkage.assembly_modes import Branches
    from dalembert.analysis.linkage.follow import Followed
    from dalembert.analysis.linkage.sweep import Sweep
    from dalembert.analysis.sensitivity.identify import Identification
    from dalembert.analysis.sensitivity.sensitivities import Sensitivities
    from dalembert.analysis.stability.locus import Locus
    from dalembert.analysis.stability.stability_map import StabilityMap
    from dalembert.analysis.trajectory.optimal_motion import OptimalMotion
    from dalembert.frameworks.in_casadi import CasadiFunctions
    from dalembert.frameworks.in_jax import JaxFunctions
    from dalembert.frameworks.in_torch import TorchFunctions
    from dalembert.mechanism.mechanism import Mechanism
    from dalembert.motion.motion import Motion


class Analyses(BestValues):
    """Equilibria, small motions, stability, inverse problems, sensitivities and workspaces of a mechanism."""

    def _smooth(self, asked: str) -> Mechanism:
        """This mechanism, where it has no laws: their forces are not part of what is asked."""
        if self.laws:
            names = ", ".join(f'"{name}"' for name in self.laws)
            raise ModelError(
                f'{asked} does not take laws into account, and mechanism "{self.name}" has some ({names}); use m.without_laws()'
            )
        return self._m

    # -- small motions and equilibrium ----------------------------------------------------------------------------------------
    @on_one_thread
    @takes(t=real, inputs=names, outputs=by_name, keep=names, tau=numbers)
    def linearise(
        self, q: ArrayLike | None = None, u: ArrayLike | None = None, t: float = 0.0, *, inputs: Sequence[str] | None = None,
        outputs: Outputs | None = None, keep: Sequence[str] = (), tau: ArrayLike | None = None,
        mode: Mapping[str, str | Sequence[str]] | None = None,
    ) -> Linearisation:  # fmt: skip
        """Small motions about a state, exactly to first order: M⁰ξ̈ + (G⁰ + D)ξ̇ + Kξ = 0 and A, B, C, D.

        `inputs` are speeds, on which forces act, and parameters; all speeds if not said. `outputs` are functions of the state, or the
        model's own. Loops and constraints leave independent displacements and speeds; those named in `keep` are among them. `tau` are
        constant generalized forces on all speeds. Under laws, small motions are those of a mode: that of the state, or the one that
        `mode` names, {"stop": "closed", "brake": "stick"}; `.mode` says which.
        """
        from dalembert.analysis.linear.linearise import linearise

        if self.laws:
            from dalembert.analysis.lawful.linearise_in_mode import linearise_in_mode

            return linearise_in_mode(self._m, q, u, t, inputs, outputs, keep, tau, mode)
        if mode:
            raise ModelError(f'linearise: mechanism "{self.name}" has no laws, and so no mode')
        return linearise(self._m, q, u, t, inputs, outputs, keep, tau)

    @on_one_thread
    @takes(t=real, inputs=names, outputs=by_name, keep=names)
    def linearise_sampled(
        self, q: ArrayLike | None = None, u: ArrayLike | None = None, t: float = 0.0, *, inputs: Sequence[str] | None = None,
        outputs: Outputs | None = None, keep: Sequence[str] = (),
    ) -> SampledLinearisation:  # fmt: skip
        """Small motions about a steady state with sampled elements, from one sample to the next, exactly: x⁺ = A x + B w.

        `inputs` are parameters, and speeds on which forces act, held from a sample to the next; all parameters if not said. What the
        elements hold is as the mechanism begins, `m.with_parameters(**{"pid.integral": 0.2})`; sensors hold what they read there.
        """
        from dalembert.analysis.linear.linearise_sampled import linearise_sampled

        return linearise_sampled(self._smooth("linearise_sampled"), q, u, t, inputs, outputs, keep)

    @on_one_thread
    @takes(times=row, inputs=names, outputs=by_name, keep=names)
    def linearise_along(
        self, motion: Motion, times: Sequence[float] | None = None, *, inputs: Sequence[str] | None = None,
        outputs: Outputs | None = None, keep: Sequence[str] = (),
    ) -> list[Linearisation]:  # fmt: skip
        """Small deviations from a motion: a linearisation at each of its samples, or at those nearest the times."""
        from dalembert.analysis.linear.linearise import linearise_along

        return linearise_along(self._smooth("linearise_along"), motion, times, inputs, outputs, keep)

    @on_one_thread
    @takes(hold=names, t=real, starts=count(1), seed=count(0))
    def equilibrium(
        self, initial: JointValues | None = None, speeds: Mapping[str, ArrayLike] | None = None, *,
        find: Mapping[str, ArrayLike] | None = None, hold: Sequence[str] = (), t: float = 0.0, starts: int = 8, seed: int = 0,
    ) -> Equilibrium:  # fmt: skip
        """Where it stays: at rest, or in steady motion with the given `speeds` constant; from `initial`, then from random starts.

        Speeds in `find` are looked for, from the values given; joints in `hold` keep their initial coordinates. Where a speed is given,
        `.drives` has the force that keeps it so. Under laws, gaps that press are closed; where friction sticks there is a range of
        rests, of which the one without friction is given if there is one, and `.ranges` has the ends where there is one freedom.
        """
        if self.laws:
            from dalembert.analysis.lawful.lawful_equilibrium import lawful_equilibrium

            return lawful_equilibrium(self._m, initial, speeds, find, hold, t, starts, seed)
        from dalembert.analysis.equilibrium.find_equilibrium import equilibrium

        found = equilibrium(self._m, initial, speeds, find, hold, t, starts, seed)
        self._m._warn_of_bending(found.q, "equilibrium")
        return found

    @on_one_thread
    @takes(hold=names, t=real, starts=count(1), seed=count(0))
    def equilibria(
        self, initial: JointValues | None = None, speeds: Mapping[str, ArrayLike] | None = None, *,
        find: Mapping[str, ArrayLike] | None = None, hold: Sequence[str] = (), t: float = 0.0, starts: int = 24, seed: int = 0,
    ) -> list[Equilibrium]:  # fmt: skip
        """All different ones that the starts lead to."""
        from dalembert.analysis.equilibrium.find_equilibrium import equilibria

        found = equilibria(self._smooth("equilibria"), initial, speeds, find, hold, t, starts, seed)
        for one in found:
            self._m._warn_of_bending(one.q, "equilibria")
        return found

    @on_one_thread
    @takes(name=one_name, values=row, hold=names, t=real)
    def root_locus(
        self, name: str, values: ArrayLike, initial: JointValues | None = None, speeds: Mapping[str, ArrayLike] | None = None, *,
        find: Mapping[str, ArrayLike] | None = None, hold: Sequence[str] = (), t: float = 0.0,
    ) -> Locus:  # fmt: skip
        """Eigenvalues of small motions over a parameter, or over a speed that is kept constant, each about its equilibrium.

        `.stability_limits()` and, for speeds of rotation, `.critical_speeds()` are found to rounding; `.plot()` and
        `.plot_frequencies()` (Campbell's diagram) draw it.
        """
        from dalembert.analysis.stability.locus import root_locus

        return root_locus(self._smooth("root_locus"), name, values, initial, speeds, find, hold, t)

    @on_one_thread
    @takes(over=by_name, hold=names, t=real)
    def stability_map(
        self, over: Mapping[str, ArrayLike], initial: JointValues | None = None, speeds: Mapping[str, ArrayLike] | None = None, *,
        find: Mapping[str, ArrayLike] | None = None, hold: Sequence[str] = (), t: float = 0.0,
    ) -> StabilityMap:  # fmt: skip
        """Growth of small motions over one or two parameters or constant speeds: `over={"k": values, "c": values}`."""
        from dalembert.analysis.stability.stability_map import stability_map

        return stability_map(self._smooth("stability_map"), over, initial, speeds, find, hold, t)

    # -- inverse problems, sensitivities, workspace ---------------------------------------------------------------------
    @on_one_thread
    @takes(q=numbers, u=numbers, udot=numbers, actuated=names, t=numbers, parameters=by_name)
    def drives(
        self, q: ArrayLike, u: ArrayLike, udot: ArrayLike, actuated: Iterable[str] | None = None,
        weights: Mapping[str, float] | None = None,
        t: ArrayLike = 0.0,
        parameters: ParameterValues | None = None,
    ) -> Drives:  # fmt: skip
        """The forces on the `actuated` joints (all, if not said) that must be added for the motion q, u, u̇, loops included.

        For one state (n,) or many (K, n). Where they are not unique, the least Σ w τ² with `weights` {joint: w}. Friction of laws takes
        part; of what is at rest it is anything up to its grip, so that forces are between `.low` and `.high`.
        """
        from dalembert.analysis.drives import drives

        if self.laws:
            from dalembert.analysis.lawful.lawful_drives import lawful_drives

            return lawful_drives(self._m, q, u, udot, actuated, weights, t, parameters)
        return drives(self._m, q, u, udot, actuated, weights, t, parameters)

    @on_one_thread
    @takes(parameters=names, initial_values=names, outputs=by_name)
    def sensitivities(
        self, duration: float | None = None, initial: JointValues | None = None, speeds: JointValues | None = None, *,
        parameters: Sequence[str] | None = None, initial_values: Sequence[str] = (),
        outputs: Outputs | None = None, output: ArrayLike | None = None,
        rtol: float | None = None, events: Events | None = None, restitution: str | None = None,
    ) -> Sensitivities:  # fmt: skip
        """The motion, and exactly how it and its `outputs` depend on the `parameters` (all, if not said) and on initial values.

        `initial_values` names coordinates "A" and speeds "A'"; `outputs` are functions of the state by name. Loops and constraints
        take part, in the assembled start too; so do laws and `events` that act (the model's own, if not said), each listed in
        `.events` with how its time depends on everything. Impacts are by the law of `restitution`, or the model's own.
        """
        from dalembert.analysis.sensitivity.sensitivities import sensitivities

        return sensitivities(
            self._m, *self.plan.begun(duration, initial, speeds), parameters, initial_values, outputs, output, rtol,
            self.plan.events if events is None else events, restitution,
        )  # fmt: skip

    @on_one_thread
    @takes(
        duration=real, end=function, integral=function, parameters=names, initial_values=names, controls=by_name, step=real, rtol=real,
        start=real,
    )  # fmt: skip
    def gradient(
        self, duration: float, initial: JointValues | None = None, speeds: JointValues | None = None, *,
        end: StateFunction | None = None, integral: StateFunction | None = None,
        parameters: Sequence[str] | None = None, initial_values: Sequence[str] = (),
        controls: Mapping[str, ArrayLike] | None = None, step: float | None = None, rtol: float | None = None,
        start: float = 0.0,
    ) -> MotionGradient:  # fmt: skip
        """The gradient of end(last state) + ∫ integral(state) dt, backward: it costs a few motions, whatever there is to change.

        In the `parameters` (all, if not said), the `initial_values` (coordinates "A", speeds "A'") and the samples of `controls`,
        {speed: forces}, each held over as many steps. With a `step` the method is rk4, without it DOP853, whose steps are held as it
        chose them. The gradient is that of the steps as they are made, loops, projection and assembled start included.
        """
        from dalembert.analysis.gradient.gradient import gradient
        from dalembert.mechanism.simulation_options import SimulationOptions

        _, initial, speeds = self.plan.begun(None, initial, speeds)
        said = SimulationOptions(step=step, rtol=rtol, start=start)
        return gradient(self._m, duration, initial, speeds, end, integral, parameters, initial_values, controls, said)

    @on_one_thread
    @takes(
        start=by_name, end=by_name, controls=by_name, integral=function, end_cost=function, haste=real, bounds=by_name, solver=one_name
    )  # fmt: skip
    def optimal_motion(
        self, duration: float | tuple[float, float], start: Mapping[str, float], end: Mapping[str, float],
        controls: Mapping[str, float | tuple[float, float]], *, integral: StateFunction | None = None,
        end_cost: StateFunction | None = None, effort: float | Mapping[str, float] = 0.0, haste: float = 0.0,
        bounds: Mapping[str, tuple[float, float]] | None = None, path: Sequence[tuple[StateFunction, float, float]] = (),
        at_end: Sequence[tuple[StateFunction, float, float]] = (), guess: Mapping[str, ArrayLike] | None = None,
        intervals: int = 20, solver: str = "ipopt", tolerance: float = 1e-7, max_iterations: int = 2000,
    ) -> OptimalMotion:  # fmt: skip
        """The motion from `start` to `end` with the least ∫ (integral(s) + effort τ²) dt + end_cost(last state) + haste · duration.

        `start` and `end` name coordinates "A" and speeds "A'" that have these values there; `controls` are generalized forces on speeds
        with their limits; `bounds` hold coordinates and speeds along the way. `path` and `at_end` have (function of the state, least,
        largest). `duration` is fixed, or (least, most). `guess` names coordinates with values along the way, and the duration.
        By direct collocation on so many `intervals`, loops closed at every node, with exact Jacobians; by "ipopt" (CasADi) or "scipy".
        """
        from dalembert.analysis.trajectory.optimal_motion import optimal_motion

        return optimal_motion(
            self._m, duration, start, end, controls, integral, end_cost, effort, haste, bounds or {}, path, at_end, guess, intervals,
            solver, tolerance, max_iterations,
        )  # fmt: skip

    @on_one_thread
    @takes(times=row, measured=by_name, parameters=names, initial_values=names, outputs=by_name, bounds=by_name)
    def identify(
        self, times: ArrayLike, measured: Mapping[str, ArrayLike], parameters: Sequence[str],
        initial: JointValues | None = None, speeds: JointValues | None = None, *,
        initial_values: Sequence[str] = (), outputs: Outputs | None = None, sigma: float | Mapping[str, float] | None = None,
        bounds: Mapping[str, tuple[float, float]] | None = None, rtol: float | None = None,
        restitution: str | None = None,
    ) -> Identification:  # fmt: skip
        """The `parameters` (and `initial_values` "A", "A'") with which the motion comes nearest to what was measured.

        `measured` has coordinates "A", speeds "A'" or outputs by name, at the `times`; `sigma` their standard deviations, one for all
        or by name. The search starts from the model's own values and keeps within `bounds` {name: (low, high)}.
        """
        from dalembert.analysis.sensitivity.identify import identify

        _, initial, speeds = self.plan.begun(None, initial, speeds)
        return identify(
            self._m, times, measured, parameters, initial_values, initial, speeds, outputs, sigma, bounds or {}, rtol, restitution
        )  # fmt: skip

    @on_one_thread
    @takes(joint=one_name, values=row, t=real)
    def sweep(self, joint: str, values: ArrayLike, initial: JointValues | None = None, t: float = 0.0) -> Sweep:
        """Poses with one coordinate at each of the values, on one branch: limits, dead and branch points, transmission angles, curves.

        What `initial` names stays where it is; a whole pose q instead chooses the branch, and nothing is fixed. Where a stop or another
        law is met it ends, and says which.
        """
        from dalembert.analysis.linkage.sweep import sweep

        found = sweep(self._m, joint, values, initial, t)
        if not self.laws:
            return found
        from dalembert.analysis.lawful.sweep_to_stop import ended_by_laws

        return ended_by_laws(found)

    @on_one_thread
    @takes(times=row, orientation=function)
    def follow(
        self, at: PointOfBody, path: Callable[[float], Sequence[float | None]] | ArrayLike, times: ArrayLike, *,
        orientation: Callable[[float], ArrayLike] | None = None, initial: Mapping[str, ArrayLike] | None = None,
    ) -> Followed:  # fmt: skip
        """q, u and u̇ at the times, with a point of a body on a path and, if given, the body's axes at `orientation(t)`.

        `path(t)` gives x, y, z (None where it may be anything), or the path is an array with a row for each time. `initial` is a pose
        near the first one wanted. Where freedoms are left, they move with the least kinetic energy.
        """
        from dalembert.analysis.linkage.follow import follow

        return follow(self._m, at, path, times, orientation, initial)

    # -- for those who optimise and learn -------------------------------------------------------------------------------
    @cached_property
    def jax(self) -> JaxFunctions:
        """`forward_dynamics`, `inverse_dynamics`, `outputs`, `step`, `rollout` and `assemble` on arrays of JAX, with exact derivatives.

        They go through jit, vmap, grad and jvp; float64 must be on.
        """
        from dalembert.frameworks.in_jax import JaxFunctions

        return JaxFunctions(self._m)

    @cached_property
    def torch(self) -> TorchFunctions:
        """The same on tensors of PyTorch (float64, CPU), with batches in front of every argument."""
        from dalembert.frameworks.in_torch import TorchFunctions

        return TorchFunctions(self._m)

    @cached_property
    def casadi(self) -> CasadiFunctions:
        """`forward_dynamics()`, `inverse_dynamics()`, `step(h)` and `rollout(h, n)` as functions of CasADi with exact Jacobians."""
        from dalembert.frameworks.in_casadi import CasadiFunctions

        return CasadiFunctions(self._m)

    # -- how it is built, and by which formulation ---------------------------------------------------------------------
    @on_one_thread
    @takes(t=real)
    def inspect(self, initial: JointValues | None = None, t: float = 0.0) -> Inspection:
        """Everything there is to say about how it is built and whether it works, in plain words, also where it does not go together."""
        from dalembert.analysis.inspection import inspect

        return inspect(self._m, initial, t)

    @on_one_thread
    @takes(t=real)
    def branches(self, initial: JointValues | None = None, t: float = 0.0) -> Branches:
        """The different ways in which the loops close while the freedoms stand still, nearest first: coordinates q of each.

        What `initial` gives by joint is fixed: `m.branches({"A": 0.7})` lists the open and the crossed four-bar at that crank angle.
        Freedoms it leaves open are fixed at their reference values (where these cannot be, at those of the nearest assembled pose), by
        the first joints from the ground that decide them. Starts are drawn until each way was found several times; `.found`, `.sure`
        and `print` tell how sure it is that none is missing.
        """
        from dalembert.analysis.linkage.branches import branches

        return branches(self._m, initial, t)

    @on_one_thread
    @takes(
        formulations=names,
        constraints=names,
        states=count(1),
        seed=count(0),
        seconds=real,
        duration=real,
        accuracy=real,
    )
    def compare(
        self,
        formulations: Iterable[str] | None = None,
        constraints: Iterable[str] | None = None,
        states: int = 5,
        seed: int = 0,
        start: JointValues | None = None,
        seconds: float = 300.0,
        *,
        duration: float | None = None,
        accuracy: float = 1e-6,
        speeds: JointValues | None = None,
    ) -> Comparison:
        """Every formulation with every constraint method, or those named: agreement at random states, sizes, operations, speed.

        `print` the result, or take `.to_dataframe()` or `.plot()`. States are reached from the assembled pose nearest `start`.
        After so many `seconds` no further pair is begun; those left out are listed with the refusals.

        With a `duration`, steps and time of a whole motion are compared too, by each formulation's fastest pair, from `start` and
        `speeds` (the model's own if not given), to an `accuracy` of the coordinates in rad and in the mechanism's own length.
        """
        from dalembert.analysis.comparison.compare import compare

        return compare(self._m, formulations, constraints, states, seed, start, seconds, duration, accuracy, speeds)
