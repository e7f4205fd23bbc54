"""u̇ and λ of a constrained mechanism in machine code, for one state or many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from dalembert.arguments import numbers
from dalembert.constraints import method
from dalembert.constraints.assembly.assemble import DEPENDENT
from dalembert.constraints.dynamics import accelerations as one_by_one
from dalembert.constraints.dynamics import solve_state
from dalembert.constraints.methods.solution import Solution
from dalembert.constraints.rest import least_rates
from dalembert.formulations import Formulation, for_mechanism, formulation_named
from dalembert.formulations.formulation import (
    ChoosesSpeeds,
    ReturnsMultipliers,
    TakesTerms,
    formulation_speed_symbols,
    uses_mechanism_speeds,
)
from dalembert.kernels.assembled import check_assembled, check_off, reference_scales
from dalembert.kernels.catalogue import Catalogue
from dalembert.kernels.independent_rows import independent_rows, left_out_kernel
from dalembert.kernels.rhs.formulation_kernel import (
    FormulationKernel,
    FormulationSpeedsKernel,
    accelerations_kernel,
    forced_by,
    to_formulation_speeds,
)
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import RowsToKeep, settled_choice
from dalembert.kernels.runtime.kernel import Kernel
from dalembert.kernels.runtime.opaque import called_for_each, generalized_forces
from dalembert.kernels.runtime.straight import NAMES, block, known_symbols
from dalembert.kinematics.state import State
from dalembert.mechanism import Mechanism
from dalembert.mechanism.formulation_settings import FormulationSettings
from dalembert.trace import symbol, symbols, tracing
from dalembert.trace.native import Block, Module, Output, Pointer, Signature, maximum, minimum

K = TypeVar("K")
V = TypeVar("V")

DOUBTFUL = 1e-9
"""Pivot, relative to its row, below which the rows chosen are not independent enough here: the state is examined by itself."""
VIOLATED = 1e-7
"""What may be missing of a row that was left out as dependent, by the size of the largest: more, and it is not dependent here."""
POOR = 1e-3
"""Pivot, beside its row, below which speeds are a poor choice in a state: there it is made anew."""


def accelerations(
    c: Catalogue, m: Mechanism, q: Any, u: Any, tau: Any, t: Any, parameters: Any, constraints: str
) -> np.ndarray:
    """u̇ of one state (n,) or of a batch (K, n)."""
    method(constraints)
    if (
        type(q) is not np.ndarray or q.dtype != float or type(t) is not float
    ):  # what is plainly right costs no second look
        q, t = numbers(q, "forward_dynamics: q"), numbers(t, "forward_dynamics: t")
    u = np.zeros(m.n_u) if u is None else u
    rows = _rows(c, q, t, parameters)
    tau = _with_opaque(c, q, u, tau, t, parameters)
    n_q, n_u = m.n_q, m.n_u
    if constraints != "range_space":
        check_assembled(c, m, q, u, t, parameters)
        by_method = _kept(
            c.constrained.by_method, constraints, lambda: accelerations_kernel(c.mechanism, "kane", constraints, rows)
        )
        return by_method(q, u, tau, t, parameters)[..., n_q:]
    y = _kept(c.constrained.accelerations, rows, lambda: _range_space(c, rows))(q, u, tau, t, parameters)
    udot: np.ndarray = y[..., n_q : n_q + n_u]
    violated, off = _violated(c, rows, q, u, udot, t, parameters, y[..., n_q + n_u])
    check_off(m, off, q, u, t, parameters)
    doubtful = np.flatnonzero(violated | ~(y[..., -1] > DOUBTFUL))
    if len(doubtful):
        q, u, tau = (_at(x, doubtful, 2) for x in (q, u, tau))
        values = {k: _at(v, doubtful, 1) for k, v in (parameters or {}).items()}
        found = one_by_one(c.mechanism, q, u, tau, _at(t, doubtful, 1), values)
        udot[... if udot.ndim == 1 else doubtful] = found
    return udot


def _violated(
    c: Catalogue, rows: tuple[int, ...], q: Any, u: Any, udot: np.ndarray, t: Any, parameters: Any, off: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Whether these accelerations break rows that were left out, by more than the state itself is off; and how far it is, with them.
    Accelerations that are no numbers break them."""
    others = _kept(c.constrained.left_out, rows, lambda: left_out_kernel(c, rows))
    if others is None:
        return np.zeros(np.shape(off), dtype=bool), off
    finite = np.isfinite(udot).all(axis=-1)
    found = others(q, u, np.where(finite[..., None], udot, 0.0), t, parameters)
    off = np.maximum(off, found[..., 1])
    return ~(finite & (found[..., 0] < np.maximum(VIOLATED, DEPENDENT * off))), off


def breaks_rows_left_out(
    c: Catalogue, rows: tuple[int, ...], q: Any, u: Any, udot: np.ndarray, t: Any, parameters: Any
) -> np.ndarray:
    """Whether these accelerations break rows that were left out as dependent, state by state."""
    return _violated(c, rows, q, u, udot, t, parameters, np.zeros(len(udot)))[0]


def rows_at(c: Catalogue, q: Any, t: Any, parameters: Any) -> tuple[int, ...]:
    """Rows that accelerations are solved with, from the first of the states; none of a tree."""
    return _rows(c, q, t, parameters) if c.mechanism.constraint_rows else ()


def solve(
    c: Catalogue,
    q: Any,
    u: Any,
    tau: Any,
    t: Any,
    parameters: Any,
    constraints: str,
    formulation: str | FormulationSettings,
) -> Solution:
    """u̇, λ of the mechanism's rows and their rank; arrays over the states where several are given."""
    method(constraints)
    q, u, t = numbers(q, "solve: q"), _or_zeros(u, c.mechanism.n_u, "solve: u"), numbers(t, "solve: t")
    tau = None if tau is None else numbers(tau, "solve: tau")
    rows = _rows(c, q, t, parameters)
    n_u = c.mechanism.n_u
    pose = (np.atleast_2d(np.asarray(q, dtype=float))[0], float(np.ravel(t)[0]))

    def make() -> tuple[Formulation, Kernel]:
        form = formulation_named(c.mechanism, formulation, [pose])
        return form, solution_kernel(c.mechanism, form, constraints, rows)

    off = check_assembled(c, c.mechanism, q, u, t, parameters)
    form, made = _kept(c.constrained.solutions, (formulation, constraints), make)
    tau = _with_opaque(c, q, u, tau, t, parameters)
    y = made(q, u, tau, t, parameters)
    if isinstance(form, ChoosesSpeeds) and form.choice is not None and form.choice.rows:
        lengths = form.lengths(c.mechanism.state(pose[0], np.zeros(n_u), pose[1]))[list(form.choice.rows)]
        y, pivots = np.split(y, [-len(lengths)], axis=-1)
        ratio = (np.abs(pivots) / lengths).min(axis=-1)
        for k in np.flatnonzero(~(ratio > POOR)):
            q_k, u_k, tau_k = (_at(x, k, 2) for x in (q, u, tau))
            m = c.mechanism.with_parameters(**{name: float(_at(v, k, 1)) for name, v in (parameters or {}).items()})
            y[... if y.ndim == 1 else k, :n_u] = _chosen_there(
                m, q_k, u_k, tau_k, float(_at(t, k, 1)), formulation, constraints
            )
    violated = np.zeros(1, dtype=bool)
    if not isinstance(form, TakesTerms):  # which knows all rows, and breaks them a little
        violated, _ = _violated(c, rows, q, u, np.ascontiguousarray(y[..., :n_u]), t, parameters, off)
    for k in np.flatnonzero(violated):  # on another branch of motion all rows are examined
        q_k, u_k, tau_k = (_at(x, k, 2) for x in (q, u, tau))
        m = c.mechanism.with_parameters(**{name: float(_at(v, k, 1)) for name, v in (parameters or {}).items()})
        there = solve_state(m, q_k, u_k, np.zeros(n_u) if tau_k is None else tau_k, float(_at(t, k, 1)), constraints)
        y[... if y.ndim == 1 else k] = np.concatenate([there.udot, there.lam[: y.shape[-1] - n_u - 1], [there.rank]])
    rank = np.rint(y[..., -1]).astype(int)
    return Solution(y[..., :n_u], y[..., n_u:-1], int(rank) if rank.ndim == 0 else rank)


def _chosen_there(
    m: Mechanism, q: Any, u: Any, tau: Any, t: float, formulation: str | FormulationSettings, constraints: str
) -> np.ndarray:
    """u̇ in one state, in the speeds that suit it."""
    form = for_mechanism(m, formulation)
    s = forced_by(m, np.zeros(m.n_u) if tau is None else np.asarray(tau)).state(
        q, np.zeros(m.n_u) if u is None else u, t
    )
    return form.udot(s, method(constraints)(form.equations(s)).udot)


def solution_kernel(
    m: Mechanism, form: Formulation, constraints: str, independent: Sequence[int]
) -> FormulationSpeedsKernel:
    """(q, u, τ, t, parameters) → (u̇, λ of the mechanism's rows, their rank), through the formulation's own speeds and back.

    Behind these, the pivots of speeds that were chosen.
    """
    kernel = FormulationKernel(m, form, constraints, independent)
    own = kernel.own_rows
    known = isinstance(form, ReturnsMultipliers)
    kept = len(m.rows) if known or len(kernel.written.B) - own == len(m.rows) else 0

    pivots = _pivots(kernel)

    def emit(module: Module, lanes: int) -> tuple[Signature, int]:
        watch = module.block(pivots) if pivots.outputs else None
        run, size = kernel.emit_solution(module, "kernel_solution")
        identity = uses_mechanism_speeds(m, kernel.form)
        there = None if identity else module.block(to_formulation_speeds(m, kernel.form, "to_formulation_speeds"))
        back = None if identity else module.block(_udot(kernel))
        forces = module.block(_multipliers(kernel)) if known else None
        n, rows = kernel.n_w, kernel.shape.rows
        parameters: dict[str, Any] = dict.fromkeys(NAMES, Pointer)
        with module.function("run", **parameters) as f:
            w, y, work = f.work + size, f.work + (size + n), f.work
            if there is not None:
                f.call(there, f.t, f.q, f.u, f.x, f.P, w, work)
            f.call(run, f.t, f.q, f.u if there is None else w, f.x, f.P, y, work)
            if back is not None:
                f.call(back, f.t, f.q, w, y, f.P, f.y, work)
            else:
                with f.loop(n) as i:
                    f.y[i] = y[i]
            if forces is not None:
                f.call(forces, f.t, f.q, f.u if there is None else w, y, f.P, f.y + m.n_u, work)
            else:
                with f.loop(kept) as k:
                    f.y[m.n_u + k] = y[n + own + k]
            f.y[m.n_u + kept] = y[n + rows] - float(own)
            if watch is not None:
                f.call(watch, f.t, f.q, f.u, f.x, f.P, f.y + (m.n_u + kept + 1), work)
        return f.signature, size + 2 * n + rows + 1

    shape = (m.n_u + kept + 1 + len(pivots.outputs),)
    of = (settled_choice(form, m), constraints, tuple(independent))
    return FormulationSpeedsKernel("solution", m, m.n_u, shape, emit, of, one_by_one=True, n_speeds=m.n_u)


def _pivots(kernel: FormulationKernel) -> Block:
    """y = what is divided by when the speeds not chosen are solved for."""
    with tracing():
        values: Any = kernel.form.pivots(kernel.m.symbolic_state()) if isinstance(kernel.form, ChoosesSpeeds) else []
        return block("pivots", known_symbols(kernel.m), [Output(x, "y", i) for i, x in enumerate(values)])


def _udot(kernel: FormulationKernel) -> Block:
    """y = u̇ from ẇ."""
    return _of_rates(kernel, "udot", kernel.form.udot)


def _multipliers(kernel: FormulationKernel) -> Block:
    """y = λ from ẇ."""
    assert isinstance(kernel.form, ReturnsMultipliers)
    return _of_rates(kernel, "multipliers_from_rates", kernel.form.multipliers)


def _of_rates(kernel: FormulationKernel, name: str, of: Callable[[State, np.ndarray], np.ndarray]) -> Block:
    """y from ẇ, which takes the place of the extra input."""
    with tracing():
        w, wdot = formulation_speed_symbols(kernel.form, kernel.m), symbols("#wdot.", range(kernel.n_w))
        s = kernel.form.state(kernel.m, symbol("t"), symbols("q_", kernel.m.coordinates), w)
        known = known_symbols(kernel.m) | {x: ("u", i) for i, x in enumerate(w)}
        known |= {x: ("x", i) for i, x in enumerate(wdot)}
        return block(name, known, [Output(x, "y", i) for i, x in enumerate(of(s, wdot))])


def _range_space(c: Catalogue, rows: tuple[int, ...]) -> Kernel:
    """(q̇, u̇, by how much it is off the loops, smallest pivot relative to its row), along the tree's branches."""
    m = c.mechanism
    scales, steps = reference_scales(m), m.scales.speeds
    parts, of_rows, slowest = m.scales.part[m.n_q :].tolist(), m.row_parts.tolist(), least_rates(m).tolist()

    def emit(module: Module, lanes: int) -> tuple[Signature, int]:
        rhs = RangeSpaceRightHandSide(m, RowsToKeep(rows))
        run, size = rhs.emit(module, lanes, name="constrained_run", part="dynamics_and_errors")
        p, at = rhs.pattern, rhs.places
        starts, profile = module.int_table(p.starts), module.int_table(p.profile)
        parameters: dict[str, Any] = dict.fromkeys(NAMES, Pointer)
        with module.function("run", lanes=lanes, **parameters) as f:
            f.call(run, *(getattr(f, name) for name in NAMES))
            Y, S = f.work + at["Y"], f.work + at["S"]
            g, slip = f.work + at["g"], f.work + at["slip"]
            per_row, per_speed = (
                module.real_table([1.0 / scales[k] for k in p.rows] or [1.0]),
                module.real_table((1.0 / steps).tolist()),
            )
            part, of_row = module.int_table(parts), module.int_table([of_rows[k] for k in p.rows] or [0])
            v = f.variables(square=0.0, smallest=1.0, off=0.0)
            fastest = f.array(len(m.parts))
            for k, rate in enumerate(slowest):
                fastest[k] = rate
            with f.loop(m.n_u) as i:
                fastest[part[i]] = maximum(fastest[part[i]], abs(f.u[i]) * per_speed[i])
            with f.loop(rhs.n_rows) as i:
                v.off = maximum(v.off, abs(g[i]) * per_row[i])
                v.off = maximum(v.off, abs(slip[i]) * per_row[i] / fastest[of_row[i]])
                v.square = 0.0
                with f.loop(starts[i], starts[i + 1]) as e:
                    v.square = v.square + Y[e] * Y[e]
                inverse = S[profile[i] + i]
                v.smallest = minimum(v.smallest, 1.0 / (inverse * inverse * v.square))
            f.y[m.n_q + m.n_u] = v.off
            f.y[m.n_q + m.n_u + 1] = v.smallest
        return f.signature, size

    of = (rows, *scales.tolist(), *steps.tolist(), *parts, *of_rows, *slowest)
    return Kernel("constrained accelerations", m, m.n_u, (m.n_q + m.n_u + 2,), emit, of=of)


def _or_zeros(given: Any, n: int, where: str) -> np.ndarray:
    return np.zeros(n) if given is None else numbers(given, where)


def _rows(c: Catalogue, q: Any, t: Any, parameters: Any) -> tuple[int, ...]:
    """Rows kept, from the first of the states."""
    values = {k: float(np.ravel(v)[0]) for k, v in (parameters or {}).items()}
    return independent_rows(c, np.atleast_2d(np.asarray(q, dtype=float))[0], float(np.ravel(t)[0]), values)


def _at(given: Any, states: Any, batched: int) -> Any:
    """What is given for some of the states; what is given once holds for all."""
    return np.asarray(given)[states] if np.ndim(given) == batched else given


def _with_opaque(c: Catalogue, q: Any, u: Any, tau: Any, t: Any, parameters: Any) -> Any:
    """Further generalized forces, with those of forces that could not be compiled."""
    if c.opaque is None:
        return tau
    extra = called_for_each(c.opaque, generalized_forces, q, u, t, parameters)
    return extra if tau is None else extra + np.asarray(tau, dtype=float)


def _kept(known: dict[K, V], key: K, make: Callable[[], V]) -> V:
    """A kernel of a catalogue, made once."""
    if key not in known:
        known[key] = make()
    return known[key]
