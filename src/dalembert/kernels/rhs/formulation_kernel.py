"""A formulation and a constraint method together, compiled: (t, q, w) → (q̇, ẇ), w being the formulation's speeds.

`accelerations_kernel(m, formulation, constraints)` is the one to call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.cached import cached_property
from dalembert.constraints import COMPILED, method
from dalembert.constraints.massless import carried
from dalembert.constraints.methods.compiled import SystemStructure, emit_multipliers, emit_solve
from dalembert.formulations import Formulation, formulation_named
from dalembert.formulations.equations import Equations
from dalembert.formulations.formulation import SolvesRows, TakesTerms, formulation_speed_symbols
from dalembert.kernels.independent_rows import independent_rows
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import RowsToKeep, is_range_space, settled_choice
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.straight import KERNEL, block, extra_input, known_symbols
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.kinematics.in_variables import on_joint_speeds
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.parts.forces.force import Force, JointLoad
from dalembert.trace import Expr, symbol, symbols, tracing
from dalembert.trace.native import Block, Library, Module, Output, Signature
from dalembert.trace.native.driver.lapack import make_known


def speeds_kernel(m: Mechanism, form: Formulation) -> FormulationSpeedsKernel:
    """(q, w, –, t, parameters) → u, compiled: the mechanism's speeds from the formulation's."""
    m = m.kernels.mechanism
    n_w = len(form.speeds(m))

    def emit(module: Module, lanes: int) -> tuple[Signature, int]:
        return module.block(to_speeds(m, form, "run"), lanes), 0

    return FormulationSpeedsKernel(
        "speeds", m, m.n_u, (m.n_u,), emit, (settled_choice(form, m),), one_by_one=True, n_speeds=n_w
    )


def to_speeds(m: Mechanism, form: Formulation, name: str) -> Block:
    """y = u of a state (t, q, w)."""
    with tracing():
        w = formulation_speed_symbols(form, m)
        s = form.state(m, symbol("t"), symbols("q_", m.coordinates), w)
        known = known_symbols(m) | {x: ("u", i) for i, x in enumerate(w)}
        return block(name, known, [Output(x, "y", i) for i, x in enumerate(s.speeds)])


def to_formulation_speeds(m: Mechanism, form: Formulation, name: str) -> Block:
    """y = w of a state (t, q, u)."""
    with tracing():
        w = form.formulation_speeds(m.symbolic_state())
        return block(name, known_symbols(m), [Output(x, "y", i) for i, x in enumerate(w)])


@dataclass(frozen=True, eq=False)
class FurtherForces(Force):
    """Generalized forces on the free speeds: symbols that stand for a kernel's extra input, or values. Every formulation sees them as
    a load."""

    mechanism: Mechanism
    tau: np.ndarray

    def loads(self, s: State) -> list[JointLoad]:
        joints, tau = self.mechanism.in_joint_variables.joints, self._on_joints(s)
        on = [(j, [0.0 if at is None else tau[at] for at in j.u_at]) for j in joints]
        return [JointLoad(j.name, values) for j, values in on if j.columns]

    def _on_joints(self, s: State) -> Any:
        """The forces on the joints' speeds; the state may be in these, or in the mechanism's own."""
        m = self.mechanism
        if m.variables is None:
            return self.tau
        q = s.coordinates if s.mechanism.variables is not None else m.own_coordinates(s.coordinates)
        return on_joint_speeds(State(m, s.t, q, np.zeros(m.n_u)), self.tau)


def forced_by(m: Mechanism, tau: np.ndarray) -> Mechanism:
    """Equations with further generalized forces on its free speeds."""
    return replace(m, forces={**m.forces, "#further": FurtherForces(m, tau)})


class FormulationKernel:
    """Code for one mechanism, formulation and constraint method; lanes = 1."""

    def __init__(
        self,
        m: Mechanism,
        form: Formulation,
        constraints: str,
        independent: Sequence[int],
        gains: tuple[float, float] | None = None,
    ):
        method(constraints)
        self.m, self.form, self.constraints, self.gains = m, form, constraints, gains
        self.independent = tuple(independent)
        with tracing():
            self._trace()

    def _trace(self) -> None:
        forced = forced_by(self.m, extra_input(self.m.speeds))
        w = formulation_speed_symbols(self.form, self.m)
        s: State = self.form.state(forced, symbol("t"), symbols("q_", self.m.coordinates), w)
        self.n_w = len(w)
        self.written: Equations = self._carried(self._stabilised(s, self.form.equations(s)))
        self.rates = s.rates
        self.known = known_symbols(self.m) | {x: ("u", i) for i, x in enumerate(w)}
        self.known |= {x: ("x", i) for i, x in enumerate(extra_input(self.m.speeds))}
        self.block = self._block()

    def _carried(self, e: Equations) -> Equations:
        """Equations whose A is definite where rows carry freedoms without mass."""
        own = len(e.gamma) - len(self.m.rows)
        A, f = carried(self.m, e.A, e.f, e.B[own:], e.gamma[own:]) if own >= 0 else (e.A, e.f)
        return replace(e, A=A, f=f)

    def _stabilised(self, s: State, e: Equations) -> Equations:
        """Equations with Baumgarte's terms [B Remark 4]: g̈ + αġ + βg = 0 on the mechanism's own rows, which come last, or where the
        formulation has put these; v̇ + αv = 0 on those of joints and conditions, which the speeds w alone can break."""
        if self.gains is None or not len(self.m.rows):
            return e
        if isinstance(self.form, SolvesRows):
            assert self.form.decay == self.form.with_gains(*self.gains).decay
            return e
        rows, (alpha, beta) = constraint_rows(s), self.gains
        terms = alpha * (rows.B @ s.speeds - rows.b) + beta * rows.g
        if isinstance(self.form, TakesTerms):
            return self.form.with_terms(s, e, terms)
        own = len(e.gamma) - len(rows.g)
        slips = np.zeros(0)
        if own:
            obeying = self.form.formulation_speeds(State(s.mechanism, s.t, s.coordinates, s.speeds))
            slips = e.B[:own] @ (formulation_speed_symbols(self.form, self.m) - obeying)
        return replace(e, gamma=e.gamma - np.concatenate([alpha * slips, terms]))

    @cached_property
    def order(self) -> tuple[int, ...]:
        """Order of the rows: first those that together say all, which the method solves with, the formulation's own among them."""
        own = self.own_rows
        kept = (*range(own), *(own + k for k in self.independent)) if own < len(self.written.B) else tuple(range(own))
        return (*kept, *(k for k in range(len(self.written.B)) if k not in set(kept)))

    @cached_property
    def shape(self) -> SystemStructure:
        """SystemStructure with the rows in that order."""
        e = self.written
        n_kept = self.own_rows + (len(self.independent) if self.own_rows < len(e.B) else 0)
        return SystemStructure(_present(e.A), _present(e.B[list(self.order)]), tuple(range(n_kept)))

    @property
    def solved_with(self) -> SystemStructure:
        """What the method sees: no row that says nothing new, so that it need not tell, in a pose not quite closed, which these are."""
        return SystemStructure(self.shape.A, self.shape.B[list(self.shape.independent)], self.shape.independent)

    @property
    def own_rows(self) -> int:
        """Rows (of joints, of conditions among coordinates) that come before the mechanism's, if those are not eliminated."""
        every, of_mechanism = len(self.written.B), len(self.m.rows)
        return every - of_mechanism if every >= of_mechanism else every

    @cached_property
    def places(self) -> dict[str, int]:
        """Parts of the working memory, in elements. Entries that are never written must be zero from the beginning."""
        n, rows = self.n_w, self.shape.rows
        sizes = {"A": n * n, "f": n, "B": rows * n, "gamma": rows, "udot": n, "lam": rows, "end": 0}
        return dict(zip(sizes, np.cumsum([0, *list(sizes.values())[:-1]]).tolist()))

    def _block(self) -> Block:
        e, at = self.written, self.places
        outputs = [Output(x, "y", i) for i, x in enumerate(self.rates)]
        for name in ("A", "f", "B", "gamma"):
            values = np.asarray(getattr(e, name))
            values = (values[list(self.order)] if name in ("B", "gamma") else values).ravel()
            outputs += [Output(x, "work", at[name] + i) for i, x in enumerate(values) if type(x) is Expr or x != 0.0]
        return block("formulation_equations", self.known, outputs)

    def emit(self, module: Module, lanes: int = 1, name: str = "run") -> tuple[Signature, int]:
        """`run(t, q, w, x, P, y, work)` with y = (q̇, ẇ); and the working memory it needs, zero to begin with."""
        return self._emit(module, self.m.n_q, name)

    def emit_solution(self, module: Module, name: str) -> tuple[Signature, int]:
        """The same with y = (ẇ, λ, rank of B); λ is the shortest."""
        return self._emit(module, 0, name, emit_multipliers(module, self.shape))

    def _emit(
        self, module: Module, n_q: int, name: str, multipliers: tuple[Signature, int] | None = None
    ) -> tuple[Signature, int]:
        code = module.block(self.block)
        solve, work = emit_solve(module, COMPILED[self.constraints], self.solved_with)
        at, n, rows = self.places, self.n_w, self.shape.rows
        with module.function(name, **KERNEL) as f:
            part = {name: f.work + start for name, start in at.items()}
            matrices = [part[name] for name in ("A", "f", "B", "gamma", "udot")]
            scratch = f.work + at["end"]
            rates = f.y if n_q else scratch
            f.call(code, f.t, f.q, f.u, f.x, f.P, rates, f.work)
            f.call(solve, *matrices, scratch)
            with f.loop(n) as i:
                f.y[n_q + i] = part["udot"][i]
            if multipliers is not None:
                rank = f.status_of(multipliers[0], *matrices, part["lam"], scratch)
                order = module.int_table(self.order or [0])
                with f.loop(rows) as k:
                    f.y[n + order[k]] = part["lam"][k]
                f.y[n + rows] = f.real(rank)
        needed = max(work, self.m.n_q, 0 if multipliers is None else multipliers[1])
        return f.signature, at["end"] + needed


@dataclass(frozen=True, eq=False)
class FormulationSpeedsKernel(Kernel):
    """A kernel whose second argument are the formulation's speeds."""

    n_speeds: int = 0

    @property
    def sizes(self) -> dict[str, int]:
        return super().sizes | {"u": self.n_speeds}

    def library(self, lanes: int) -> Library:
        make_known()
        return super().library(lanes)


def accelerations_kernel(
    m: Mechanism,
    formulation: str = "kane",
    constraints: str = "range_space",
    independent: Sequence[int] | None = None,
    poses: Any = (),
) -> FormulationSpeedsKernel:
    """(q, w, τ, t, parameters) → (q̇, ẇ), compiled: the right-hand side of their differential equations.

    `independent` are rows that together say all, from a diagnosis; without them the mechanism is diagnosed now. Speeds that are
    chosen are chosen at the `poses`, if given. Kane's equations by
    range space are those of `m.simulate`, along the tree's branches.
    """
    m = m.kernels.mechanism
    rows = tuple(independent_rows(m.kernels) if independent is None else independent)
    form = formulation_named(m, formulation, poses)
    n_w = len(form.speeds(m))

    def emit(module: Module, lanes: int) -> tuple[Signature, int]:
        if m.constraint_rows and is_range_space(m, form, constraints):
            return RangeSpaceRightHandSide(m, RowsToKeep(rows)).emit(module, lanes)
        return FormulationKernel(m, form, constraints, rows).emit(module, lanes)

    of = (settled_choice(form, m), constraints, rows)
    return FormulationSpeedsKernel("accelerations", m, m.n_u, (m.n_q + n_w,), emit, of, one_by_one=True, n_speeds=n_w)


def _present(X: np.ndarray) -> np.ndarray:
    """Entries that can be other than zero."""
    flat = [type(x) is Expr or x != 0.0 for x in np.asarray(X).ravel()]
    return np.array(flat, dtype=bool).reshape(np.shape(X))
