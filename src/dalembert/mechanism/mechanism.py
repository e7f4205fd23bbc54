"""`Mechanism`: a numbered mechanism and everything that can be asked of it.

The data are in `Description`, the questions that `analysis/` answers in `Analyses`, those that `kernels/` answers in
`CompiledQuantities`; each method hands its question to the room that answers it, imported when it is called.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from dalembert.aliases import Controller, Events, FilePath, JointValues, ParameterValues
from dalembert.arguments import by_name, count, file_path, names_or_values, one_name, real, takes
from dalembert.blas import on_one_thread
from dalembert.cached import cached_property
from dalembert.errors import ModelError
from dalembert.mechanism.compiled_quantities import CompiledQuantities
from dalembert.mechanism.formulation_settings import FormulationSettings, checked_formulation
from dalembert.mechanism.row_table import RowTable
from dalembert.mechanism.simulation_options import Baumgarte, SimulationOptions, gathered
from dalembert.parts.constraints import Constraint, JointClosure
from dalembert.topology import grubler
from dalembert.trace import symbol, symbols

if TYPE_CHECKING:
    from dalembert.constraints.diagnosis.verdict import Diagnosis
    from dalembert.exporters.robots import ExportedRobot
    from dalembert.formulations.printing.explanation import Explanation
    from dalembert.formulations.printing.written_equations import WrittenEquations
    from dalembert.kernels.catalogue import Catalogue
    from dalembert.kinematics.constraint_rows import Differentiated
    from dalembert.kinematics.law_rows import DifferentiatedLaw, LawTable
    from dalembert.kinematics.state import State
    from dalembert.motion.motion import Motion
    from dalembert.simulation.many import Motions


@dataclass(frozen=True, eq=False, repr=False)
class Mechanism(CompiledQuantities):
    """A numbered mechanism, immutable: `m = s.build()`, then `m.simulate(10.0)`, `m.equations("kane")`, `m.inspect()`, …

    Its coordinates q and speeds u have names, `m.coordinates` and `m.speeds`, and stand in that order in every array. Values of a state
    are arrays (n,), of many states (K, n). Vectors are in world axes, everything is in SI units.
    """

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from dalembert.view.notebook import mechanism_html

        return mechanism_html(self)

    # -- variables other than the joints' -----------------------------------------------------------------------------
    @property
    def base(self) -> Mechanism:
        """The same mechanism in the variables that its own are said in."""
        return self

    @property
    def in_joint_variables(self) -> Mechanism:
        """The same mechanism in the coordinates and speeds of its joints."""
        return self

    # -- states -------------------------------------------------------------------------------------------------------
    @takes(t=real)
    def state(self, q: ArrayLike | None = None, u: ArrayLike | None = None, t: float = 0.0) -> State:
        """The motion at one instant, from numbers: poses, velocities, energies (see `kinematics.State`)."""
        from dalembert.kinematics.initial import state_of_numbers

        return state_of_numbers(self, q, u, t)

    @takes(parameters=one_name)
    def symbolic_state(self, parameters: str = "symbols") -> State:
        """The motion at the symbolic instant (t, q, u); parameters stay symbols, or become "numbers"."""
        from dalembert.kinematics import State

        if parameters not in ("symbols", "numbers"):
            raise ModelError(f'parameters={parameters!r} is not known; choose "symbols" or "numbers"')
        m = self if parameters == "symbols" else self.numeric
        return State(m, symbol("t"), symbols("q_", self.coordinates), symbols("u_", self.speeds))

    def sampled_state(self) -> State:
        """The symbolic motion where an element is sampled: rates of the speeds and multipliers of constraints are known there."""
        udot, multipliers = symbols("#udot.", range(self.n_u)), symbols("#lam.", range(len(self.rows)))
        return self.symbolic_state().with_udot(udot, multipliers)

    @cached_property
    def sensed_joints(self) -> dict[str, tuple[str, ...]]:
        """Joints in loops whose reactions are read at samples, by the element that reads them."""
        if all(p.element.period is None for p in self.elements.values()) or not self.constraint_rows:
            return {}
        from dalembert.kinematics.transmitted import sensed_joints

        return sensed_joints(self)

    @property
    def needs_unique_loads(self) -> bool:
        """Whether friction or a sensor goes by what joints transmit, which over-constrained loops may share at will."""
        return bool(self.sensed_joints) or bool(self.laws and self.law_table.loads)

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
        rows = sum(row.owner in self.constraints for row in self.rows)
        modes = sum(len(b.modes) for b in self.bodies)
        return grubler(self.tree.graph) + modes - prescribed - rows

    @cached_property
    def closures(self) -> dict[str, JointClosure]:
        """Every joint that closes a loop, as a constraint."""
        names = ["ground", *(b.name for b in self.bodies)]
        return {
            c.name: JointClosure(c.joint, names[c.parent], names[c.child], c.on_parent, c.on_child) for c in self.cuts
        }

    @cached_property
    def constraint_rows(self) -> dict[str, Differentiated]:
        """Every closed loop (by its cut joint) and constraint, differentiated."""
        if not self.cuts and not self.constraints:
            return {}
        from dalembert.kinematics.constraint_rows import Differentiated

        every: dict[str, Constraint] = {**self.closures, **self.constraints}
        return {name: Differentiated(self, c) for name, c in every.items()}

    @cached_property
    def law_rows(self) -> dict[str, DifferentiatedLaw]:
        """Every law, differentiated."""
        if not self.laws:
            return {}
        from dalembert.kinematics.law_rows import DifferentiatedLaw, LawRows

        return {name: DifferentiatedLaw(self, LawRows(law)) for name, law in self.laws.items()}

    def without_laws(self) -> Mechanism:
        """The same mechanism without its laws: smooth, with nothing to hit, stick or slip."""
        return replace(self, laws={}) if self.laws else self

    @cached_property
    def law_table(self) -> LawTable:
        """The rows and elements of all laws; which of them hold is the mode of a run."""
        from dalembert.kinematics.law_rows import LawTable

        return LawTable(self)

    @cached_property
    def rows(self) -> RowTable:
        """The rows of all closed loops and constraints: owner, kind, and place among the owner's; empty for a tree."""
        return RowTable.of({name: d.kinds for name, d in self.constraint_rows.items()})

    @cached_property
    def row_inertias(self) -> np.ndarray | None:
        """Inertias of the rows, where these decide freedoms that move no mass; None in all other mechanisms."""
        if not self.constraint_rows:
            return None
        from dalembert.constraints.massless import row_inertias

        return row_inertias(self)

    @cached_property
    def row_parts(self) -> np.ndarray:
        """The number of the part that each row of the loops and constraints belongs to, from 0."""
        every = [[self.part_of[d.part_body]] * len(d.g) for d in self.constraint_rows.values()]
        return np.concatenate([np.zeros(0, dtype=int), *(np.array(x, dtype=int) for x in every)])

    @on_one_thread
    @takes(t=real)
    def assemble(
        self, initial: JointValues | None = None, speeds: JointValues | None = None, t: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """(q, u) that close every loop: what is given by joint is kept, the rest is the nearest that fits.

        Values given as whole arrays are where to start from; none of them is kept.
        """
        from dalembert.constraints.assembly.assemble_named import assemble_given

        return assemble_given(self, initial, speeds, t)

    @on_one_thread
    @takes(t=real)
    def diagnose(self, initial: JointValues | None = None, t: float = 0.0) -> Diagnosis:
        """Which constraints are redundant, what moves, which reactions are unique; `str()` tells it in words."""
        from dalembert.constraints.diagnosis.diagnose import diagnose

        return diagnose(self, self.assemble(initial, None, t)[0], t)

    @cached_property
    def kernels(self) -> Catalogue:
        """Everything this mechanism can compute in machine code (see `kernels.catalogue`)."""
        from dalembert.kernels.catalogue import Catalogue

        return Catalogue(self)

    # -- motion in time ---------------------------------------------------------------------------------------------------
    @on_one_thread
    @takes(gathered("simulate"), parameters=by_name, checkpoint=file_path)
    def simulate(
        self, duration: float | None = None, initial: JointValues | None = None, speeds: JointValues | None = None, *,
        method: str | None = None, step: float | None = None, theta: float | None = None, rtol: float | None = None,
        atol: ArrayLike | None = None, max_step: float | None = None, output: ArrayLike | None = None, start: float | None = None,
        max_steps: int | None = None, stabilise: str | Baumgarte | None = None, constraints: str | None = None,
        formulation: str | FormulationSettings | None = None, restitution: str | None = None,
        max_events: int | None = None, assemble: bool | None = None,
        options: SimulationOptions | None = None, until: Events | None = None, events: Events | None = None,
        parameters: Mapping[str, float] | None = None, control: Controller | None = None,
        control_rate: float | None = None, checkpoint: FilePath | None = None, resume: FilePath | Motion | None = None,
        progress: bool | None = None,
    ) -> Motion:  # fmt: skip
        """The motion over `duration` seconds from initial values by joint: `initial={"A": 0.3}, speeds={"A": 1.0}`; the rest is zero.

        `method` … `assemble` are the fields of `da.SimulationOptions`, where each is explained; say them as keywords, or as one
        value with `options=`. `until` and `events` are functions of the state, or `Event`s, that end the run or are recorded where they
        cross zero. `control(s)` is called `control_rate` times a second and returns {joint: force}. `checkpoint` names a file that is
        kept up to date; the same call with `resume=` that file, or an interrupted motion, goes on from there. What is not said is taken
        from the model's own plan; so are events, where the call names neither `events` nor `until`.
        """
        from dalembert.simulation.simulate import simulate

        assert options is not None  # the keywords, gathered
        if events is None and until is None:
            events = self.plan.events or None
        return simulate(
            self, *self.plan.begun(duration, initial, speeds), options.completed(self.plan.options), parameters, events,
            until, control, control_rate, checkpoint, resume, progress,
        )  # fmt: skip

    @on_one_thread
    @takes(gathered("simulate_many", many=True), parameters=by_name, threads=count(1))
    def simulate_many(
        self, initials: ArrayLike | Sequence[Mapping[str, ArrayLike]], duration: float,
        speeds: ArrayLike | Sequence[Mapping[str, ArrayLike]] | None = None, *,
        method: str | None = None, step: float | None = None, theta: float | None = None, rtol: float | None = None,
        atol: ArrayLike | None = None, max_step: float | None = None, output: ArrayLike | None = None, start: float | None = None,
        max_steps: int | None = None, options: SimulationOptions | None = None, parameters: ParameterValues | None = None,
        threads: int | None = None,
    ) -> Motions:  # fmt: skip
        """Many motions at once, from a row of `initials` and `speeds` each (or {joint: value} each), and a parameter value each.

        With a fixed step, states run side by side in SIMD lanes; `threads` share the work (all processors if not said). The model's own
        plan has no part in it. With laws, every motion has events of its own: they are marched one after the other.
        """
        from dalembert.simulation.many import simulate_many

        assert options is not None  # the keywords, gathered
        return simulate_many(self, initials, duration, speeds, parameters, threads, options)

    @takes(symbols=names_or_values)
    def with_symbols(self, symbols: Iterable[str] | Mapping[str, str]) -> Mechanism:
        """The same mechanism with numbers of its description as parameters: `m.with_symbols(["gravity", "rod.mass", "A.at_parent"])`.

        A number is said as owner and field; `*` stands for several, "*.mass". Names are g, m_rod and the like, or those of a mapping:
        `m.with_symbols({"gravity": "g0"})`.
        """
        from dalembert.mechanism.named_numbers import with_symbols

        return with_symbols(self, symbols if isinstance(symbols, Mapping) else list(symbols))

    @takes(formulation=checked_formulation, parameters=one_name, small=names_or_values, symbols=names_or_values)
    def equations(
        self, formulation: str | FormulationSettings = "kane", parameters: str = "symbols",
        small: Iterable[str] | Mapping[str, ArrayLike] = (), symbols: Iterable[str] | Mapping[str, str] = (),
    ) -> WrittenEquations:  # fmt: skip
        """The equations of motion, written out by the named method.

        `small` names joints, elastic bodies or single coordinates that stay near their reference, or near the values of a mapping: with
        their speeds and accelerations they are then kept to first degree, all else exactly. `symbols` names numbers that are kept as
        symbols, as `with_symbols` does.
        """
        from dalembert.formulations import write

        return write(self.with_symbols(symbols) if symbols else self, formulation, parameters, small)

    @takes(method=one_name, t=real, formulation=one_name, symbols=names_or_values)
    def explain(
        self, method: str, q: ArrayLike | None = None, u: ArrayLike | None = None, t: float = 0.0, *, formulation: str = "kane",
        symbols: Iterable[str] | Mapping[str, str] = (),
    ) -> Explanation:  # fmt: skip
        """The matrices that a formulation or a constraint method makes of this mechanism: `print(m.explain("path_matrix"))`.

        They are in symbols, or numbers at the state (q, u, t) where q is given. A constraint method solves the equations of the
        `formulation` named. `symbols` names numbers that are kept as symbols, as `with_symbols` does.
        """
        from dalembert.analysis.explain import explain

        return explain(self.with_symbols(symbols) if symbols else self, method, q, u, t, formulation)

    @takes(path=file_path, format=one_name)
    def export_robot(self, path: FilePath, format: str | None = None) -> ExportedRobot:
        """Write the mechanism as a robot's file: URDF, MJCF or SDF, by the ending .urdf, .xml or .mjcf, .sdf, or by `format`.

        `.notes` of what is returned tells what the format cannot say, `.files` what was written: the file, and meshes in a folder
        beside it.
        """
        from dalembert.exporters.robots import export_robot

        return export_robot(self, path, format)
