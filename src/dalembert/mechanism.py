"""`Mechanism`: the numbered, immutable description that all mathematics reads.

Bodies are 1 … n in regular labelling (a body's carrier has a lower number; 0 is the ground). Joint k is the one that carries body k.
Numbers may be expressions of named parameters; `numeric` has them evaluated. The methods that compute something live in the rooms below
and are reached from here for convenience.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arrays import Arrays, stack_constants
from dalembert.errors import ModelError, StateError
from dalembert.system.bodies import Body, check_mass_properties
from dalembert.system.constraints import Constraint, JointClosure
from dalembert.system.forces import Force
from dalembert.system.frames import Frame
from dalembert.system.joints import Joint
from dalembert.system.laws import Law
from dalembert.system.names import unknown
from dalembert.system.numbers import number
from dalembert.system.plan import Plan
from dalembert.system.shapes import Shape
from dalembert.topology import Tree, loops, mobility
from dalembert.trace import symbol, symbols
from dalembert.trace.bind import bind

if TYPE_CHECKING:
    from dalembert.analysis.comparison import Comparison
    from dalembert.analysis.drives import Drives
    from dalembert.analysis.equilibrium import Equilibrium
    from dalembert.analysis.follow import Followed
    from dalembert.analysis.identify import Identification
    from dalembert.analysis.inspection import Inspection
    from dalembert.analysis.linearisation import Linearisation
    from dalembert.analysis.locus import Locus
    from dalembert.analysis.sensitivities import Sensitivities
    from dalembert.analysis.stability_map import StabilityMap
    from dalembert.analysis.sweep import Sweep
    from dalembert.constraints.diagnosis import Diagnosis
    from dalembert.constraints.solution import Solution
    from dalembert.kernels.catalogue import BodyMotion, Catalogue, Derivatives
    from dalembert.kinematics.rows import Differentiated
    from dalembert.simulation.many import Motions
    from dalembert.simulation.motion import Motion


@dataclass(frozen=True, eq=False)
class TreeJoint:
    """The joint that carries a body: oriented outward, with the places of its free coordinates and speeds in q and u."""

    name: str
    joint: Joint
    on_parent: Frame
    on_child: Frame
    law: Law
    q_at: tuple[int | None, ...]
    u_at: tuple[int | None, ...]

    @property
    def free(self) -> list[int]:
        """Which of the joint's speeds are free."""
        return [i for i, at in enumerate(self.u_at) if at is not None]

    @property
    def columns(self) -> list[int]:
        """Where they stand in u."""
        return [at for at in self.u_at if at is not None]

    @property
    def n_own(self) -> int:
        """How many of the free speeds are the joint's own; those of the carried body follow."""
        return sum(at is not None for at in self.own_u)

    @property
    def own_q(self) -> tuple[int | None, ...]:
        """`q_at` without the coordinates of the carried body itself."""
        return self.q_at[: self.joint.inner.n_q]

    @property
    def own_u(self) -> tuple[int | None, ...]:
        """`u_at` without the speeds of the carried body itself."""
        return self.u_at[: self.joint.inner.n_u]

    def labels(self, names: tuple[str, ...], n_own: int, body: str) -> list[str]:
        """The joint's names for its own coordinates (or speeds), the body's for those of the body."""
        return [_label(self.name if i < n_own else body, c) for i, c in enumerate(names)]


@dataclass(frozen=True)
class Station:
    """A node of an elastic body, by the body's number."""

    body: int
    node: str


@dataclass(frozen=True, eq=False)
class CutJoint:
    """A joint that closes a loop, between two numbered bodies, in the user's direction."""

    name: str
    joint: Joint
    parent: int
    child: int
    on_parent: Frame
    on_child: Frame
    law: Law


@dataclass(frozen=True, eq=False)
class Mechanism:
    """See the module's text. Make one with `System.build()`."""

    name: str
    gravity: np.ndarray
    bodies: tuple[Body, ...]
    joints: tuple[TreeJoint, ...]
    cuts: tuple[CutJoint, ...]
    forces: Mapping[str, Force]
    constraints: Mapping[str, Constraint]
    """Besides the cut joints."""
    parameters: Mapping[str, float]
    tree: Tree
    ground_shapes: tuple[Shape, ...] = ()
    """For drawing only."""
    plan: Plan = field(default_factory=Plan)
    """What `simulate` does where the call says nothing."""
    purpose: str = ""

    def __post_init__(self) -> None:
        for name in ("forces", "constraints", "parameters"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __repr__(self) -> str:
        held = f", {len(self.cuts)} loops" if self.cuts else ""
        return f"<Mechanism {self.name!r}: {self.n_bodies} bodies, {self.n_q} coordinates, {self.n_u} speeds{held}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from dalembert.view.notebook import mechanism_html

        return mechanism_html(self)

    # -- sizes and names ----------------------------------------------------------------------------------------------
    @property
    def n_bodies(self) -> int:
        return len(self.bodies)

    @property
    def parent(self) -> tuple[int, ...]:
        """The connection array: the carrier of each body, 0 for the ground."""
        return self.tree.parent

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of q: the joint's name, with the coordinate's after a dot where it has several; then the body's and its mode's."""
        return tuple(
            label
            for j, b in zip(self.joints, self.bodies)
            for label, at in zip(j.labels(j.joint.coordinates, j.joint.inner.n_q, b.name), j.q_at)
            if at is not None
        )

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """Names of u."""
        return tuple(
            label
            for j, b in zip(self.joints, self.bodies)
            for label, at in zip(j.labels(j.joint.speeds, j.joint.inner.n_u, b.name), j.u_at)
            if at is not None
        )

    @property
    def n_q(self) -> int:
        return len(self.coordinates)

    @property
    def n_u(self) -> int:
        return len(self.speeds)

    @cached_property
    def reference(self) -> np.ndarray:
        """q at which every joint's frames coincide."""
        free = [x for j in self.joints for x, at in zip(j.joint.reference, j.q_at) if at is not None]
        made = np.array(free, dtype=float)
        made.flags.writeable = False
        return made

    @cached_property
    def number_of(self) -> Mapping[str, int]:
        """The number of each body by name; the ground is 0."""
        return MappingProxyType({"ground": 0, **{b.name: k for k, b in enumerate(self.bodies, start=1)}})

    @cached_property
    def joint_number(self) -> Mapping[str, int]:
        """The number of the body each tree joint carries."""
        return MappingProxyType({j.name: k for k, j in enumerate(self.joints, start=1)})

    @cached_property
    def path_columns(self) -> tuple[tuple[int, ...], ...]:
        """For the ground, every body and every station, the places in u of the speeds on its path from the ground."""
        paths: list[tuple[int, ...]] = [()]
        for k, joint in enumerate(self.joints):
            paths.append((*paths[self.parent[k]], *joint.columns))
        return (*paths, *(paths[station.body] for station in self.stations))

    # -- frames that move with elastic bodies -------------------------------------------------------------------------------
    @cached_property
    def stations(self) -> tuple[Station, ...]:
        """The nodes of elastic bodies. Wherever frames are numbered, they follow the bodies: n_bodies + 1, + 2, …"""
        return tuple(Station(k, name) for k, b in enumerate(self.bodies, start=1) for name in b.nodes)

    @cached_property
    def station_number(self) -> Mapping[tuple[int, str], int]:
        """The number of the frame at a body's node."""
        return {(s.body, s.node): self.n_bodies + i for i, s in enumerate(self.stations, start=1)}

    @cached_property
    def stands_on(self) -> tuple[int, ...]:
        """The frame that each joint stands on: its carrier, or a station of it."""
        return tuple(
            self.station_number[parent, j.on_parent.node] if j.on_parent.node else parent
            for j, parent in zip(self.joints, self.parent)
        )

    def places(self, name: str) -> tuple[tuple[int | None, ...], tuple[int | None, ...]] | None:
        """Where the values of a joint, or of an elastic body's modes, stand in q and in u; None if it is neither's name."""
        if name in self.joint_number:
            j = self.joints[self.joint_number[name] - 1]
            return j.own_q, j.own_u
        k = self.number_of.get(name, 0)
        if not k or not self.bodies[k - 1].modes:
            return None
        j = self.joints[k - 1]
        return j.q_at[len(j.own_q) :], j.u_at[len(j.own_u) :]

    @cached_property
    def deforming(self) -> tuple[int, ...]:
        """Places in u of the speeds with which elastic bodies deform."""
        found = [at for j, b in zip(self.joints, self.bodies) if b.modes for at in j.u_at[len(j.own_u) :]]
        return tuple(at for at in found if at is not None)

    @cached_property
    def reach(self) -> np.ndarray:
        """For every speed, how far along it is a large step: 1 for joints, a slight deformation for the modes of elastic bodies."""
        out = np.ones(self.n_u)
        for j, b in zip(self.joints, self.bodies):
            if b.modes:
                out[[at for at in j.u_at[len(j.own_u) :] if at is not None]] = b.data.amplitudes
        return out

    def somewhere(self, rng: np.random.Generator, step: float) -> np.ndarray:
        """Random coordinates near the reference, elastic bodies deformed a little."""
        moved = rng.uniform(-step, step, self.n_q)
        for j, b in zip(self.joints, self.bodies):
            if b.modes:
                moved[[at for at in j.q_at[len(j.own_q) :] if at is not None]] *= b.data.amplitudes
        return self.admissible(self.reference + moved)

    def body_of(self, frame: int) -> int:
        """The body that a numbered frame belongs to."""
        return frame if frame <= self.n_bodies else self.stations[frame - self.n_bodies - 1].body

    @property
    def elastic(self) -> bool:
        """Whether any body has coordinates of its own."""
        return any(b.modes for b in self.bodies)

    @cached_property
    def arrays(self) -> Arrays:
        """The bodies' and joints' constants, stacked."""
        return stack_constants(self.bodies, self.joints)

    # -- topology -----------------------------------------------------------------------------------------------------
    @property
    def loops(self) -> tuple[tuple[str, ...], ...]:
        """The bodies round each closed loop, one loop per cut joint."""
        names = ["ground", *(b.name for b in self.bodies)]
        return tuple(tuple(names[k] for k in loop.bodies) for loop in loops(self.tree))

    @property
    def mobility(self) -> int:
        """Grübler's count of freedoms and modes, less the prescribed ones and the constraints' rows; it does not see redundancy."""
        laws = [j.law for j in self.joints] + [c.law for c in self.cuts]
        prescribed = sum(x is not None for law in laws for x in law.u)
        rows = sum(len(self.constraint_rows[name].g) for name in self.constraints)
        modes = sum(len(b.modes) for b in self.bodies)
        return mobility(self.tree.graph) + modes - prescribed - rows

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

    # -- parameters ---------------------------------------------------------------------------------------------------
    def with_parameters(self, **values: float) -> Mechanism:
        """The same mechanism with other values of its parameters."""
        for name in values:
            if name not in self.parameters:
                raise unknown(name, "parameter", self.parameters, f'mechanism "{self.name}"')
        checked = {k: number(v, f'parameter "{k}"') for k, v in values.items()}
        made = replace(self, parameters={**self.parameters, **checked})
        if "constraint_rows" in self.__dict__:  # traced on symbols: the same for all values
            made.__dict__["constraint_rows"] = self.constraint_rows
        for body in made.numeric.bodies if checked else ():
            check_mass_properties(body, body.name)
        return made

    @cached_property
    def numeric(self) -> Mechanism:
        """This mechanism with its parameters' values in place of their names."""
        return self if not self.parameters else bind(self, self.parameter_values)

    @property
    def parameter_values(self) -> dict[Any, float]:
        return {symbol(k): v for k, v in self.parameters.items()}

    def admissible(self, q: Any) -> np.ndarray:
        """The nearest coordinates, numbers or traced, in which every set of Euler parameters has unit length."""
        out = np.array(q)
        for j in self.joints:
            at = [i for i in j.q_at if i is not None]
            if at and len(at) == j.joint.n_q:
                out[at] = j.joint.admissible(out[at])
        return out

    # -- states -------------------------------------------------------------------------------------------------------
    def state(self, q: Any = None, u: Any = None, t: float = 0.0) -> Any:
        """The motion at one instant, from numbers: poses, velocities, energies (see `kinematics.State`)."""
        from dalembert.kinematics import State

        q = self._sized(self.reference if q is None else q, self.coordinates, "coordinates q")
        u = self._sized(np.zeros(self.n_u) if u is None else u, self.speeds, "speeds u")
        if not np.isfinite(t):
            raise StateError(f"the time t = {t} is not a finite number")
        made = State(self.numeric, float(t), q, u)
        for k, joint in enumerate(self.joints):
            trouble = joint.joint.trouble(made.joint_q[k])
            if trouble:
                raise StateError(f'joint "{joint.name}": {trouble}')
        return made

    def symbolic_state(self, parameters: str = "symbols") -> Any:
        """The motion at the symbolic instant (t, q, u); parameters stay symbols, or become "numbers"."""
        from dalembert.kinematics import State

        if parameters not in ("symbols", "numbers"):
            raise ModelError(f'parameters={parameters!r} is not known; choose "symbols" or "numbers"')
        m = self if parameters == "symbols" else self.numeric
        return State(m, symbol("t"), symbols("q_", self.coordinates), symbols("u_", self.speeds))

    # -- loops and constraints ----------------------------------------------------------------------------------------
    def assemble(self, initial: Any = None, speeds: Any = None, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """(q, u) that close every loop: what is given by joint is kept, the rest is the nearest that fits.

        Values given as whole arrays are where to start from; none of them is kept.
        """
        from dalembert.constraints.assembly import assemble_given

        return assemble_given(self, initial, speeds, t)

    def branches(self, initial: Any = None, t: float = 0.0) -> list[np.ndarray]:
        """All different ways found to close the loops with the given coordinates, nearest first."""
        from dalembert.constraints.assembly import branches_given

        return branches_given(self, initial, t)

    def diagnose(self, initial: Any = None, t: float = 0.0) -> Diagnosis:
        """Which constraints are redundant, what moves, which reactions are unique; `str()` tells it in words."""
        from dalembert.constraints.diagnosis import diagnose

        return diagnose(self, self.assemble(initial, None, t)[0], t)

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
        if self.cuts or self.constraints:
            from dalembert.kernels.solution import accelerations

            found: np.ndarray = accelerations(self.kernels, self, q, u, tau, t, parameters, constraints)
            return found
        return self.kernels.evaluate("forward_dynamics", q, u, tau, t, parameters)

    def solve(
        self, q: Any, u: Any, tau: Any = None, t: Any = 0.0, parameters: Any = None, *,
        constraints: str = "range_space", formulation: str = "kane",
    ) -> Solution:  # fmt: skip
        """u̇ and the multipliers λ of the loops' and constraints' rows, and the rank of these: A u̇ + Bᵀλ = f, B u̇ = γ.

        By any constraint method and formulation; where rows depend on each other, λ is the shortest.
        """
        from dalembert.kernels.solution import solve

        return solve(self.kernels, q, u, tau, t, parameters, constraints, formulation)

    def inverse_dynamics(self, q: Any, u: Any, udot: Any, t: Any = 0.0, parameters: Any = None) -> np.ndarray:
        """The generalized forces that must be added to the mechanism's own for the speeds to change at the rate u̇."""
        return self.kernels.evaluate("inverse_dynamics", q, u, udot, t, parameters)

    def forward_dynamics_derivatives(
        self, q: Any, u: Any, tau: Any = None, t: Any = 0.0, parameters: Any = None
    ) -> Derivatives:
        """∂u̇ in q (along the displacement each speed makes), u, tau and the parameters: `.q`, `.u`, `.tau`, `.parameters`."""
        return self.kernels.differentiate("forward_dynamics_derivatives", q, u, tau, t, parameters)

    def inverse_dynamics_derivatives(
        self, q: Any, u: Any, udot: Any, t: Any = 0.0, parameters: Any = None
    ) -> Derivatives:
        """∂τ in q (along the displacement each speed makes), u, u̇ and the parameters: `.q`, `.u`, `.udot`, `.parameters`."""
        return self.kernels.differentiate("inverse_dynamics_derivatives", q, u, udot, t, parameters)

    def mass_matrix(self, q: Any, t: Any = 0.0, parameters: Any = None) -> np.ndarray:
        """A(q): n_u × n_u, symmetric."""
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

    # -- motion in time ---------------------------------------------------------------------------------------------------
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
        constraints: str = "range_space",
        formulation: str = "kane",
    ) -> Motion:
        """The motion over `duration` seconds from initial values by joint: `initial={"A": 0.3}, speeds={"A": 1.0}`; the rest is zero.

        `method` is "dop853" (adaptive, the default), "radau" (adaptive, for stiff forces), "rk4" or "midpoint" (symplectic), the last
        two with a fixed `step`. `output` is an interval or the times wanted. `until` and `events` are functions of the state, or
        `Event`s, that end the run or are recorded where they cross zero. `control(s)` is called `control_rate` times a second and
        returns {joint: force}. `checkpoint` names a file that is kept up to date; the same call with `resume=` that file, or an
        interrupted motion, goes on from there. Loops and constraints are kept by `stabilise="projection"`; "baumgarte" (or
        `da.Baumgarte(alpha, beta)`) and "none" are the alternatives. `constraints` names the method by which accelerations are solved
        for, `formulation` that by which the equations are written. What is not said is taken from the model's own plan.
        """
        from dalembert.simulation.simulate import simulate

        options = self.plan.chosen(
            {"method": method, "step": step, "rtol": rtol, "atol": atol, "output": output, "start": start,
             "max_step": max_step, "max_steps": max_steps, "stabilise": stabilise}
        )  # fmt: skip
        return simulate(
            self,
            self.plan.duration if duration is None else duration,
            (self.plan.initial or None) if initial is None else initial,
            (self.plan.speeds or None) if speeds is None else speeds,
            parameters, events, until, control, control_rate, checkpoint, resume, progress,
            options.pop("stabilise", "projection"), constraints, formulation, **options,
        )  # fmt: skip

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

    def equations(self, formulation: str = "kane", parameters: str = "symbols") -> Any:
        """The equations of motion, written out by the named method."""
        from dalembert.formulations import write

        return write(self, formulation, parameters)

    def compare(
        self,
        formulations: Iterable[str] | None = None,
        constraints: Iterable[str] | None = None,
        states: int = 5,
        seed: int = 0,
        start: Any = None,
    ) -> Comparison:
        """Every formulation with every constraint method, or those named: agreement at random states, sizes, operations, speed.

        `print` the result, or take `.to_dataframe()` or `.plot()`. States are reached from the assembled pose nearest `start`.
        """
        from dalembert.analysis.compare import compare

        return compare(self, formulations, constraints, states, seed, start)

    # -- small motions and balance ----------------------------------------------------------------------------------------
    def linearise(
        self, q: Any = None, u: Any = None, t: float = 0.0, *, inputs: Sequence[str] | None = None,
        outputs: Mapping[str, Any] | None = None, keep: Sequence[str] = (), tau: Any = None,
    ) -> Linearisation:  # fmt: skip
        """Small motions about a state, exactly to first order: M⁰ξ̈ + (G⁰ + D)ξ̇ + Kξ = 0 and A, B, C, D.

        `inputs` are speeds, on which forces act, and parameters; all speeds if not said. `outputs` are functions of the state, or the
        model's own. Loops and constraints leave independent displacements and speeds; those named in `keep` are among them. `tau` are
        constant generalized forces on all speeds.
        """
        from dalembert.analysis.linearise import linearise

        return linearise(self, q, u, t, inputs, outputs, keep, tau)

    def linearise_along(
        self, motion: Motion, times: Sequence[float] | None = None, *, inputs: Sequence[str] | None = None,
        outputs: Mapping[str, Any] | None = None, keep: Sequence[str] = (),
    ) -> list[Linearisation]:  # fmt: skip
        """Small deviations from a motion: a linearisation at each of its samples, or at those nearest the times."""
        from dalembert.analysis.linearise import linearise_along

        return linearise_along(self, motion, times, inputs, outputs, keep)

    def equilibrium(
        self, initial: Any = None, speeds: Mapping[str, Any] | None = None, *, find: Mapping[str, Any] | None = None,
        hold: Sequence[str] = (), t: float = 0.0, starts: int = 8, seed: int = 0,
    ) -> Equilibrium:  # fmt: skip
        """Where it stays: at rest, or in steady motion with the given `speeds` constant; from `initial`, then from random starts.

        Speeds in `find` are looked for, from the values given; joints in `hold` keep their initial coordinates. Where a speed is given,
        `.drives` has the force that keeps it so.
        """
        from dalembert.analysis.find_equilibrium import equilibrium

        return equilibrium(self, initial, speeds, find, hold, t, starts, seed)

    def equilibria(
        self, initial: Any = None, speeds: Mapping[str, Any] | None = None, *, find: Mapping[str, Any] | None = None,
        hold: Sequence[str] = (), t: float = 0.0, starts: int = 24, seed: int = 0,
    ) -> list[Equilibrium]:  # fmt: skip
        """All different ones that the starts lead to."""
        from dalembert.analysis.find_equilibrium import equilibria

        return equilibria(self, initial, speeds, find, hold, t, starts, seed)

    def root_locus(
        self, name: str, values: Any, initial: Any = None, speeds: Mapping[str, Any] | None = None, *,
        find: Mapping[str, Any] | None = None, hold: Sequence[str] = (), t: float = 0.0,
    ) -> Locus:  # fmt: skip
        """Eigenvalues of small motions over a parameter, or over a speed that is held constant, each about its equilibrium.

        `.stability_limits()` and, for speeds of rotation, `.critical_speeds()` are found to rounding; `.plot()` and
        `.plot_frequencies()` (Campbell's diagram) draw it.
        """
        from dalembert.analysis.locus import root_locus

        return root_locus(self, name, values, initial, speeds, find, hold, t)

    def stability_map(
        self, over: Mapping[str, Any], initial: Any = None, speeds: Mapping[str, Any] | None = None, *,
        find: Mapping[str, Any] | None = None, hold: Sequence[str] = (), t: float = 0.0,
    ) -> StabilityMap:  # fmt: skip
        """Growth of small motions over one or two parameters or held speeds: `over={"k": values, "c": values}`."""
        from dalembert.analysis.stability_map import stability_map

        return stability_map(self, over, initial, speeds, find, hold, t)

    # -- inverse problems, sensitivities, workspace ---------------------------------------------------------------------
    def drives(
        self, q: Any, u: Any, udot: Any, actuated: Iterable[str] | None = None, weights: Any = None, t: Any = 0.0,
        parameters: Any = None,
    ) -> Drives:  # fmt: skip
        """The forces on the `actuated` joints (all, if not said) that must be added for the motion q, u, u̇, loops included.

        For one state (n,) or many (K, n). Where they are not unique, the least Σ w τ² with `weights` {joint: w}.
        """
        from dalembert.analysis.drives import drives

        return drives(self, q, u, udot, actuated, weights, t, parameters)

    def sensitivities(
        self, duration: float | None = None, initial: Any = None, speeds: Any = None, *,
        parameters: Sequence[str] | None = None, initial_values: Sequence[str] = (), outputs: Any = None, output: Any = None,
        rtol: float | None = None,
    ) -> Sensitivities:  # fmt: skip
        """The motion, and exactly how it and its `outputs` depend on the `parameters` (all, if not said) and on initial values.

        `initial_values` names coordinates "A" and speeds "A'"; `outputs` are functions of the state by name. Loops and constraints
        take part, in the assembled start too.
        """
        from dalembert.analysis.sensitivities import sensitivities

        return sensitivities(
            self,
            self.plan.duration if duration is None else duration,
            (self.plan.initial or None) if initial is None else initial,
            (self.plan.speeds or None) if speeds is None else speeds,
            parameters, initial_values, outputs, output, rtol,
        )  # fmt: skip

    def identify(
        self, times: Any, measured: Mapping[str, Any], parameters: Sequence[str], initial: Any = None, speeds: Any = None, *,
        initial_values: Sequence[str] = (), outputs: Any = None, sigma: Any = None,
        bounds: Mapping[str, tuple[float, float]] | None = None, rtol: float | None = None,
    ) -> Identification:  # fmt: skip
        """The `parameters` (and `initial_values` "A", "A'") with which the motion comes nearest to what was measured.

        `measured` has coordinates "A", speeds "A'" or outputs by name, at the `times`; `sigma` their standard deviations, one for all
        or by name. The search starts from the model's own values and keeps within `bounds` {name: (low, high)}.
        """
        from dalembert.analysis.identify import identify

        return identify(
            self, times, measured, parameters, initial_values, (self.plan.initial or None) if initial is None else initial,
            (self.plan.speeds or None) if speeds is None else speeds, outputs, sigma, bounds or {}, rtol,
        )  # fmt: skip

    def sweep(self, joint: str, values: Any, initial: Mapping[str, Any] | None = None, t: float = 0.0) -> Sweep:
        """Poses with one coordinate at each of the values, on one branch: limits, dead and branch points, transmission angles, curves.

        What `initial` names stays where it is; with whole loops it also chooses the branch.
        """
        from dalembert.analysis.sweep import sweep

        return sweep(self, joint, values, initial, t)

    def follow(
        self, at: Any, path: Any, times: Any, *, orientation: Any = None, initial: Mapping[str, Any] | None = None
    ) -> Followed:
        """q, u and u̇ at the times, with a point of a body on a path and, if given, the body's axes at `orientation(t)`.

        `path(t)` gives x, y, z (None where it may be anything), or the path is an array with a row for each time. `initial` is a pose
        near the first one wanted. Where freedoms are left, they move with the least kinetic energy.
        """
        from dalembert.analysis.follow import follow

        return follow(self, at, path, times, orientation, initial)

    def _sized(self, given: Any, names: tuple[str, ...], what: str) -> np.ndarray:
        try:
            values = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise StateError(
                f'mechanism "{self.name}": {what} must be {len(names)} numbers in the order ({", ".join(names)}), not {given!r}; '
                "values by joint are taken by m.assemble and m.simulate"
            ) from None
        if values.shape != (len(names),):
            raise StateError(
                f'mechanism "{self.name}" has {len(names)} {what} ({", ".join(names)}), but an array of shape {values.shape} was given'
            )
        if not np.isfinite(values).all():
            raise StateError(f"{what}: {names[int(np.argmin(np.isfinite(values)))]} is not a finite number")
        return values


def _label(joint: str, suffix: str) -> str:
    return f"{joint}.{suffix}" if suffix else joint
