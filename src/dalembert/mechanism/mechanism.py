"""`Mechanism`: a numbered mechanism and everything that can be asked of it.

The data are in `Description`; each method here hands its question to the room that answers it, imported when it is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import by_name, count, file_path, function, names, numbers, one_name, real, row, takes
from dalembert.blas import on_one_thread
from dalembert.errors import ModelError
from dalembert.mechanism.description import Description
from dalembert.parts.constraints import JointClosure
from dalembert.topology import grubler
from dalembert.trace import symbol, symbols

if TYPE_CHECKING:
    from dalembert.analysis.comparison.comparison import Comparison
    from dalembert.analysis.drives import Drives
    from dalembert.analysis.equilibrium.equilibrium import Equilibrium
    from dalembert.analysis.inspection import Inspection
    from dalembert.analysis.linear.linearisation import Linearisation
    from dalembert.analysis.linkage.follow import Followed
    from dalembert.analysis.linkage.sweep import Sweep
    from dalembert.analysis.linkage.ways import Branches
    from dalembert.analysis.sensitivity.identify import Identification
    from dalembert.analysis.sensitivity.sensitivities import Sensitivities
    from dalembert.analysis.stability.locus import Locus
    from dalembert.analysis.stability.stability_map import StabilityMap
    from dalembert.constraints.diagnosis.diagnose import Diagnosis
    from dalembert.constraints.methods.solution import Solution
    from dalembert.kernels.catalogue import BodyMotion, Catalogue, Derivatives
    from dalembert.kinematics.rows import Differentiated
    from dalembert.motion.motion import Motion
    from dalembert.simulation.many import Motions


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(Description):
    """A numbered mechanism, immutable: `m = s.build()`, then `m.simulate(10.0)`, `m.equations("kane")`, `m.inspect()`, …

    Its coordinates q and speeds u have names, `m.coordinates` and `m.speeds`, and stand in that order in every array. Values of a state
    are arrays (n,), of many states (K, n). Vectors are in world axes, everything is in SI units.
    """

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from dalembert.view.notebook import mechanism_html

        return mechanism_html(self)

    # -- states -------------------------------------------------------------------------------------------------------
    @takes(t=real)
    def state(self, q: Any = None, u: Any = None, t: float = 0.0) -> Any:
        """The motion at one instant, from numbers: poses, velocities, energies (see `kinematics.State`)."""
        from dalembert.kinematics.initial import state_of_numbers

        return state_of_numbers(self, q, u, t)

    @takes(parameters=one_name)
    def symbolic_state(self, parameters: str = "symbols") -> Any:
        """The motion at the symbolic instant (t, q, u); parameters stay symbols, or become "numbers"."""
        from dalembert.kinematics import State

        if parameters not in ("symbols", "numbers"):
            raise ModelError(f'parameters={parameters!r} is not known; choose "symbols" or "numbers"')
        m = self if parameters == "symbols" else self.numeric
        return State(m, symbol("t"), symbols("q_", self.coordinates), symbols("u_", self.speeds))

    # -- loops and constraints ----------------------------------------------------------------------------------------
    @cached_property
    def mobility(self) -> int:
        """How many freedoms it has, redundant rows seen as such: those of the diagnosis at the assembled pose nearest its reference."""
        return self.diagnose().mobility if self.constraint_rows else self.n_u

    @property
    def grubler(self) -> int:
        """Grübler's count of freedoms and modes, less the prescribed ones and the constraints' rows; it does not see redundancy."""
        laws = [j.law for j in self.joints] + [c.law for c in self.cuts]
        prescribed = sum(x is not None for law in laws for x in law.u)
        rows = sum(len(self.constraint_rows[name].g) for name in self.constraints)
        modes = sum(len(b.modes) for b in self.bodies)
        return grubler(self.tree.graph) + modes - prescribed - rows

    @cached_property
    def constraint_rows(self) -> dict[str, Differentiated]:
        """Every closed loop (by its cut joint) and constraint, differentiated."""
        if not self.cuts and not self.constraints:
            return {}
        from dalembert.kinematics.rows import Differentiated

        names = ["ground", *(b.name for b in self.bodies)]
        closures = {
            c.name: JointClosure(c.joint, names[c.parent], names[c.child], c.on_parent, c.on_child) for c in self.cuts
        }
        return {name: Differentiated(self, c) for name, c in (closures | dict(self.constraints)).items()}

    @cached_property
    def row_parts(self) -> np.ndarray:
        """The number of the part that each row of the loops and constraints belongs to, from 0."""
        every = [[self.part_of[d.part_body]] * len(d.g) for d in self.constraint_rows.values()]
        return np.concatenate([np.zeros(0, dtype=int), *(np.array(x, dtype=int) for x in every)])

    @on_one_thread
    @takes(t=real)
    def assemble(self, initial: Any = None, speeds: Any = None, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """(q, u) that close every loop: what is given by joint is kept, the rest is the nearest that fits.

        Values given as whole arrays are where to start from; none of them is kept.
        """
        from dalembert.constraints.assembly.assemble import assemble_given

        return assemble_given(self, initial, speeds, t)

    @on_one_thread
    @takes(t=real)
    def branches(self, initial: Any = None, t: float = 0.0) -> Branches:
        """The different ways in which the loops close while the freedoms stand still, nearest first: coordinates q of each.

        What `initial` gives by joint is held: `m.branches({"A": 0.7})` lists the open and the crossed four-bar at that crank angle.
        Freedoms it leaves open are held at their reference values (where these cannot be, at those of the nearest assembled pose), by
        the first joints from the ground that decide them. Starts are drawn until each way was found several times; `.found`, `.sure`
        and `print` tell how sure it is that none is missing.
        """
        from dalembert.analysis.linkage.branches import branches

        return branches(self, initial, t)

    @on_one_thread
    @takes(t=real)
    def diagnose(self, initial: Any = None, t: float = 0.0) -> Diagnosis:
        """Which constraints are redundant, what moves, which reactions are unique; `str()` tells it in words."""
        from dalembert.constraints.diagnosis.diagnose import diagnose

        return diagnose(self, self.assemble(initial, None, t)[0], t)

    @on_one_thread
    @takes(t=real)
    def inspect(self, initial: Any = None, t: float = 0.0) -> Inspection:
        """Everything there is to say about how it is built and whether it works, in plain words, also where it does not go together."""
        from dalembert.analysis.inspection import inspect

        return inspect(self, initial, t)

    # -- compiled quantities: one state (n,) or a batch (K, n) ----------------------------------------------------------
    @cached_property
    def kernels(self) -> Catalogue:
        """Everything this mechanism can compute in machine code (see `kernels.catalogue`)."""
        from dalembert.kernels.catalogue import Catalogue

        return Catalogue(self)

    def forward_dynamics(
        self, q: Any, u: Any, tau: Any = None, t: Any = 0.0, parameters: Any = None, constraints: str = "range_space"
    ) -> np.ndarray:
        """u̇ under the mechanism's forces and, if given, further generalized forces `tau` on the speeds.

        Closed loops and constraints are obeyed, by the method that `constraints` names.
        """
        self._check_positive(q, t, parameters, "forward_dynamics")
        if self.cuts or self.constraints:
            from dalembert.kernels.solution import accelerations

            found: np.ndarray = accelerations(self.kernels, self, q, u, tau, t, parameters, constraints)
            return found
        if constraints != "range_space":
            from dalembert.constraints import method

            method(constraints)
        return self.kernels.evaluate("forward_dynamics", q, u, tau, t, parameters)

    @on_one_thread
    @takes(parameters=by_name, constraints=one_name, formulation=one_name)
    def solve(
        self, q: Any, u: Any, tau: Any = None, t: Any = 0.0, parameters: Any = None, *,
        constraints: str = "range_space", formulation: str = "kane",
    ) -> Solution:  # fmt: skip
        """u̇ and the multipliers λ of the loops' and constraints' rows, and the rank of these: A u̇ + Bᵀλ = f, B u̇ = γ.

        By any constraint method and formulation; where rows depend on each other, λ is the shortest.
        """
        from dalembert.kernels.solution import solve

        self._check_positive(q, t, parameters, "solve")
        return solve(self.kernels, q, u, tau, t, parameters, constraints, formulation)

    def inverse_dynamics(self, q: Any, u: Any, udot: Any, t: Any = 0.0, parameters: Any = None) -> np.ndarray:
        """The generalized forces that must be added to the mechanism's own for the speeds to change at the rate u̇."""
        return self.kernels.evaluate("inverse_dynamics", q, u, udot, t, parameters)

    def forward_dynamics_derivatives(
        self, q: Any, u: Any, tau: Any = None, t: Any = 0.0, parameters: Any = None
    ) -> Derivatives:
        """∂u̇ in q (along the displacement each speed makes), u, tau and the parameters: `.q`, `.u`, `.tau`, `.parameters`."""
        self._check_positive(q, t, parameters, "forward_dynamics_derivatives")
        return self.kernels.differentiate("forward_dynamics_derivatives", q, u, tau, t, parameters)

    def inverse_dynamics_derivatives(
        self, q: Any, u: Any, udot: Any, t: Any = 0.0, parameters: Any = None
    ) -> Derivatives:
        """∂τ in q (along the displacement each speed makes), u, u̇ and the parameters: `.q`, `.u`, `.udot`, `.parameters`."""
        return self.kernels.differentiate("inverse_dynamics_derivatives", q, u, udot, t, parameters)

    def mass_matrix(self, q: Any, t: Any = 0.0, parameters: Any = None) -> np.ndarray:
        """A(q): n_u × n_u, symmetric and positive."""
        self._check_positive(q, t, parameters, "mass_matrix")
        return self.kernels.mass_matrix(q, None, None, t, parameters)

    def body_motion(self, q: Any, u: Any = None, t: Any = 0.0, parameters: Any = None) -> BodyMotion:
        """Poses and velocities of all bodies in world axes: `.rotation`, `.position`, `.angular_velocity`, `.velocity`."""
        return self.kernels.motion(q, u, t, parameters)

    def energies(self, q: Any, u: Any, t: Any = 0.0, parameters: Any = None) -> np.ndarray:
        """(kinetic, potential) energy."""
        return self.kernels.both_energies(q, u, t, parameters)

    def point_jacobian(self, at: Any, q: Any, t: Any = 0.0, parameters: Any = None) -> np.ndarray:
        """6 × n_u: ∂ω/∂u over ∂v/∂u of a point of a body, world axes."""
        return self.kernels.jacobian(at, q, t, parameters)

    def _check_positive(self, q: Any, t: Any, parameters: Any, where: str) -> None:
        """Refuse states in which elastic bodies are bent so far that the mass matrix is not positive."""
        if self.elastic and q is not None:
            from dalembert.kinematics.bending import check_positive

            check_positive(self, q, t, parameters, where)

    def _warn_of_bending(self, q: np.ndarray, where: str) -> None:
        """Say so where elastic bodies are bent further than their modes hold."""
        if self.elastic:
            from dalembert.kinematics.bending import warn_of_bending

            warn_of_bending(self, q, where)

    # -- motion in time ---------------------------------------------------------------------------------------------------
    @on_one_thread
    @takes(
        method=one_name,
        parameters=by_name,
        start=real,
        checkpoint=file_path,
        constraints=one_name,
        formulation=one_name,
    )
    def simulate(
        self,
        duration: float | None = None,
        initial: Any = None,
        speeds: Any = None,
        *,
        method: str | None = None,
        step: float | None = None,
        rtol: float | None = None,
        atol: Any = None,
        output: Any = None,
        until: Any = None,
        events: Any = None,
        parameters: Mapping[str, float] | None = None,
        control: Any = None,
        control_rate: float | None = None,
        start: float | None = None,
        max_step: float | None = None,
        max_steps: int | None = None,
        checkpoint: Any = None,
        resume: Any = None,
        progress: bool | None = None,
        stabilise: Any = None,
        constraints: str | None = None,
        formulation: str | None = None,
    ) -> Motion:
        """The motion over `duration` seconds from initial values by joint: `initial={"A": 0.3}, speeds={"A": 1.0}`; the rest is zero.

        `method` is "dop853" (adaptive, the default), "radau" (adaptive, for stiff forces), "rk4" or "midpoint" (symplectic), the last
        two with a fixed `step`. `output` is an interval or the times wanted. `until` and `events` are functions of the state, or
        `Event`s, that end the run or are recorded where they cross zero. `control(s)` is called `control_rate` times a second and
        returns {joint: force}. `checkpoint` names a file that is kept up to date; the same call with `resume=` that file, or an
        interrupted motion, goes on from there. Loops and constraints are kept by `stabilise="projection"`; "baumgarte" (or
        `da.Baumgarte(alpha, beta)`) and "none" are the alternatives. `constraints` names the method by which accelerations are solved
        for ("range_space"), `formulation` that by which the equations are written ("kane"). What is not said is taken from the
        model's own plan; so are events, where the call names neither `events` nor `until`.
        """
        from dalembert.simulation.simulate import simulate

        options = self.plan.chosen(
            {"method": method, "step": step, "rtol": rtol, "atol": atol, "output": output, "start": start,
             "max_step": max_step, "max_steps": max_steps, "stabilise": stabilise, "constraints": constraints,
             "formulation": formulation}
        )  # fmt: skip
        if events is None and until is None:
            events = self.plan.events
        return simulate(
            self, *self.plan.begun(duration, initial, speeds), parameters, events, until, control, control_rate, checkpoint,
            resume, progress, options.pop("stabilise", "projection"), options.pop("constraints", "range_space"),
            options.pop("formulation", "kane"), **options,
        )  # fmt: skip

    @on_one_thread
    @takes(method=one_name, parameters=by_name, start=real, threads=count(1))
    def simulate_many(
        self,
        initials: Any,
        duration: float,
        speeds: Any = None,
        *,
        method: str | None = None,
        step: float | None = None,
        rtol: float | None = None,
        atol: Any = None,
        output: Any = None,
        parameters: Mapping[str, Any] | None = None,
        start: float = 0.0,
        max_step: float | None = None,
        max_steps: int | None = None,
        threads: int | None = None,
    ) -> Motions:
        """Many motions at once, from a row of `initials` and `speeds` each (or {joint: value} each), and a parameter value each.

        With a fixed step, states run side by side in SIMD lanes; `threads` share the work (all processors if not said).
        """
        from dalembert.simulation.many import simulate_many

        return simulate_many(
            self, initials, duration, speeds, parameters, threads, method=method, step=step, rtol=rtol, atol=atol,
            output=output, start=start, max_step=max_step, max_steps=max_steps,
        )  # fmt: skip

    @takes(formulation=one_name, parameters=one_name)
    def equations(self, formulation: str = "kane", parameters: str = "symbols") -> Any:
        """The equations of motion, written out by the named method."""
        from dalembert.formulations import write

        return write(self, formulation, parameters)

    @on_one_thread
    @takes(formulations=names, constraints=names, states=count(1), seed=count(0), seconds=real)
    def compare(
        self,
        formulations: Iterable[str] | None = None,
        constraints: Iterable[str] | None = None,
        states: int = 5,
        seed: int = 0,
        start: Any = None,
        seconds: float = 300.0,
    ) -> Comparison:
        """Every formulation with every constraint method, or those named: agreement at random states, sizes, operations, speed.

        `print` the result, or take `.to_dataframe()` or `.plot()`. States are reached from the assembled pose nearest `start`.
        After so many `seconds` no further pair is begun; those left out are listed with the refusals.
        """
        from dalembert.analysis.comparison.compare import compare

        return compare(self, formulations, constraints, states, seed, start, seconds)

    # -- small motions and balance ----------------------------------------------------------------------------------------
    @on_one_thread
    @takes(t=real, inputs=names, outputs=by_name, keep=names, tau=numbers)
    def linearise(
        self, q: Any = None, u: Any = None, t: float = 0.0, *, inputs: Sequence[str] | None = None,
        outputs: Mapping[str, Any] | None = None, keep: Sequence[str] = (), tau: Any = None,
    ) -> Linearisation:  # fmt: skip
        """Small motions about a state, exactly to first order: M⁰ξ̈ + (G⁰ + D)ξ̇ + Kξ = 0 and A, B, C, D.

        `inputs` are speeds, on which forces act, and parameters; all speeds if not said. `outputs` are functions of the state, or the
        model's own. Loops and constraints leave independent displacements and speeds; those named in `keep` are among them. `tau` are
        constant generalized forces on all speeds.
        """
        from dalembert.analysis.linear.linearise import linearise

        return linearise(self, q, u, t, inputs, outputs, keep, tau)

    @on_one_thread
    @takes(times=row, inputs=names, outputs=by_name, keep=names)
    def linearise_along(
        self, motion: Motion, times: Sequence[float] | None = None, *, inputs: Sequence[str] | None = None,
        outputs: Mapping[str, Any] | None = None, keep: Sequence[str] = (),
    ) -> list[Linearisation]:  # fmt: skip
        """Small deviations from a motion: a linearisation at each of its samples, or at those nearest the times."""
        from dalembert.analysis.linear.linearise import linearise_along

        return linearise_along(self, motion, times, inputs, outputs, keep)

    @on_one_thread
    @takes(hold=names, t=real, starts=count(1), seed=count(0))
    def equilibrium(
        self, initial: Any = None, speeds: Mapping[str, Any] | None = None, *, find: Mapping[str, Any] | None = None,
        hold: Sequence[str] = (), t: float = 0.0, starts: int = 8, seed: int = 0,
    ) -> Equilibrium:  # fmt: skip
        """Where it stays: at rest, or in steady motion with the given `speeds` constant; from `initial`, then from random starts.

        Speeds in `find` are looked for, from the values given; joints in `hold` keep their initial coordinates. Where a speed is given,
        `.drives` has the force that keeps it so.
        """
        from dalembert.analysis.equilibrium.find_equilibrium import equilibrium

        found = equilibrium(self, initial, speeds, find, hold, t, starts, seed)
        self._warn_of_bending(found.q, "equilibrium")
        return found

    @on_one_thread
    @takes(hold=names, t=real, starts=count(1), seed=count(0))
    def equilibria(
        self, initial: Any = None, speeds: Mapping[str, Any] | None = None, *, find: Mapping[str, Any] | None = None,
        hold: Sequence[str] = (), t: float = 0.0, starts: int = 24, seed: int = 0,
    ) -> list[Equilibrium]:  # fmt: skip
        """All different ones that the starts lead to."""
        from dalembert.analysis.equilibrium.find_equilibrium import equilibria

        found = equilibria(self, initial, speeds, find, hold, t, starts, seed)
        for one in found:
            self._warn_of_bending(one.q, "equilibria")
        return found

    @on_one_thread
    @takes(name=one_name, values=row, hold=names, t=real)
    def root_locus(
        self, name: str, values: Any, initial: Any = None, speeds: Mapping[str, Any] | None = None, *,
        find: Mapping[str, Any] | None = None, hold: Sequence[str] = (), t: float = 0.0,
    ) -> Locus:  # fmt: skip
        """Eigenvalues of small motions over a parameter, or over a speed that is held constant, each about its equilibrium.

        `.stability_limits()` and, for speeds of rotation, `.critical_speeds()` are found to rounding; `.plot()` and
        `.plot_frequencies()` (Campbell's diagram) draw it.
        """
        from dalembert.analysis.stability.locus import root_locus

        return root_locus(self, name, values, initial, speeds, find, hold, t)

    @on_one_thread
    @takes(over=by_name, hold=names, t=real)
    def stability_map(
        self, over: Mapping[str, Any], initial: Any = None, speeds: Mapping[str, Any] | None = None, *,
        find: Mapping[str, Any] | None = None, hold: Sequence[str] = (), t: float = 0.0,
    ) -> StabilityMap:  # fmt: skip
        """Growth of small motions over one or two parameters or held speeds: `over={"k": values, "c": values}`."""
        from dalembert.analysis.stability.stability_map import stability_map

        return stability_map(self, over, initial, speeds, find, hold, t)

    # -- inverse problems, sensitivities, workspace ---------------------------------------------------------------------
    @on_one_thread
    @takes(q=numbers, u=numbers, udot=numbers, actuated=names, t=numbers, parameters=by_name)
    def drives(
        self, q: Any, u: Any, udot: Any, actuated: Iterable[str] | None = None, weights: Any = None, t: Any = 0.0,
        parameters: Any = None,
    ) -> Drives:  # fmt: skip
        """The forces on the `actuated` joints (all, if not said) that must be added for the motion q, u, u̇, loops included.

        For one state (n,) or many (K, n). Where they are not unique, the least Σ w τ² with `weights` {joint: w}.
        """
        from dalembert.analysis.drives import drives

        return drives(self, q, u, udot, actuated, weights, t, parameters)

    @on_one_thread
    @takes(parameters=names, initial_values=names, outputs=by_name)
    def sensitivities(
        self, duration: float | None = None, initial: Any = None, speeds: Any = None, *,
        parameters: Sequence[str] | None = None, initial_values: Sequence[str] = (), outputs: Any = None, output: Any = None,
        rtol: float | None = None,
    ) -> Sensitivities:  # fmt: skip
        """The motion, and exactly how it and its `outputs` depend on the `parameters` (all, if not said) and on initial values.

        `initial_values` names coordinates "A" and speeds "A'"; `outputs` are functions of the state by name. Loops and constraints
        take part, in the assembled start too.
        """
        from dalembert.analysis.sensitivity.sensitivities import sensitivities

        return sensitivities(
            self, *self.plan.begun(duration, initial, speeds), parameters, initial_values, outputs, output, rtol,
        )  # fmt: skip

    @on_one_thread
    @takes(times=row, measured=by_name, parameters=names, initial_values=names, outputs=by_name, bounds=by_name)
    def identify(
        self, times: Any, measured: Mapping[str, Any], parameters: Sequence[str], initial: Any = None, speeds: Any = None, *,
        initial_values: Sequence[str] = (), outputs: Any = None, sigma: Any = None,
        bounds: Mapping[str, tuple[float, float]] | None = None, rtol: float | None = None,
    ) -> Identification:  # fmt: skip
        """The `parameters` (and `initial_values` "A", "A'") with which the motion comes nearest to what was measured.

        `measured` has coordinates "A", speeds "A'" or outputs by name, at the `times`; `sigma` their standard deviations, one for all
        or by name. The search starts from the model's own values and keeps within `bounds` {name: (low, high)}.
        """
        from dalembert.analysis.sensitivity.identify import identify

        _, initial, speeds = self.plan.begun(None, initial, speeds)
        return identify(
            self, times, measured, parameters, initial_values, initial, speeds, outputs, sigma, bounds or {}, rtol
        )

    @on_one_thread
    @takes(joint=one_name, values=row, t=real)
    def sweep(self, joint: str, values: Any, initial: Any = None, t: float = 0.0) -> Sweep:
        """Poses with one coordinate at each of the values, on one branch: limits, dead and branch points, transmission angles, curves.

        What `initial` names stays where it is; a whole pose q instead chooses the branch, and nothing is held.
        """
        from dalembert.analysis.linkage.sweep import sweep

        return sweep(self, joint, values, initial, t)

    @on_one_thread
    @takes(times=row, orientation=function)
    def follow(
        self, at: Any, path: Any, times: Any, *, orientation: Any = None, initial: Mapping[str, Any] | None = None
    ) -> Followed:
        """q, u and u̇ at the times, with a point of a body on a path and, if given, the body's axes at `orientation(t)`.

        `path(t)` gives x, y, z (None where it may be anything), or the path is an array with a row for each time. `initial` is a pose
        near the first one wanted. Where freedoms are left, they move with the least kinetic energy.
        """
        from dalembert.analysis.linkage.follow import follow

        return follow(self, at, path, times, orientation, initial)
