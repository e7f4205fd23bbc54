"""Derivatives of inverse dynamics as sweeps: the closed form of `recursive.derivatives`, for trees of any size.

Outward, the world motion of every link and what each speed's column becomes with it; inward, composites and what they make of a column;
then a few dot products for every pair of speeds on one path. Its output has a row per speed: ∂τ/∂q, ∂τ/∂u and A.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert.kernels.runtime.straight import NAMES, known_symbols
from dalembert.kernels.tree import body_motion
from dalembert.kernels.tree.algorithm import Algorithm
from dalembert.kernels.tree.body_records import Record
from dalembert.kernels.tree.force_loads import applied
from dalembert.kernels.tree.force_loops import Loops, Unit, repeated
from dalembert.kernels.tree.sweeps import Step
from dalembert.kernels.tree.tree_solver import SparseSolver
from dalembert.mechanism import Mechanism
from dalembert.recursive import inverse_dynamics_derivatives as closed
from dalembert.recursive import steps
from dalembert.recursive.inverse_dynamics_derivatives import Composite
from dalembert.recursive.links import Link
from dalembert.recursive.sparse import inboard_speeds, runs
from dalembert.recursive.spatial_inertia import RigidInertia
from dalembert.recursive.steps import NOTHING, Spatial
from dalembert.trace import Expr, free_symbols, jacobian, symbols, tracing
from dalembert.trace.native import FunctionBuilder, Module, Pointer, Signature, UniformPointer
from dalembert.vectors import IDENTITY

COLUMN = {"S": 6, "psi": 6, "psi_rate": 6, "both": 6, "t": 6, "moved": 6, "turned": 6, "F2": 6, "w": 3, "J": 1}
"""What is kept of every speed."""


def applies(m: Mechanism, links: tuple[Link, ...]) -> bool:
    """Whether the closed form applies: constant columns, and beside gravity only forces on joints that look at nothing but joints."""
    if (
        m.elastic
        or m.parameters
        or not all(closed.columns_are_constant(link, _placed(link)) for link in {x.joint: x for x in links}.values())
    ):
        return False
    return slopes(m, links) is not None


def slopes(m: Mechanism, links: tuple[Link, ...]) -> list[Unit] | None:
    """−∂Q/∂q and −∂Q/∂u of the forces Q on joints, to be added to the output; None if a force needs more than that."""
    n, known = m.n_u, known_symbols(m)
    speed_of: dict[int, int] = {}
    for j in m.joints:
        if j.joint.rates_are_speeds:
            speed_of |= {at: u for at, u in zip(j.q_at, j.u_at) if at is not None and u is not None}
    out = []
    with tracing():
        state, record = m.symbolic_state(), Record(body_motion.FIELDS)
        for name in m.forces:
            force = applied(m, links, record, state, name)
            used = {
                s: known.get(s, ("work", 0)) for s in free_symbols(force.values) if s not in force.references.constants
            }
            read, places = sorted(used, key=lambda s: used[s]), sorted(used.values())
            if any(array not in "tqu" or (array == "q" and i not in speed_of) for array, i in places):
                return None
            for value, (k, element) in zip(force.values, force.to):
                row = 3 * n * m.joints[k].columns[element - 6]
                moving = {
                    s: (n + i if array == "u" else speed_of[i]) for s, (array, i) in zip(read, places) if array != "t"
                }
                slope = jacobian([-value], list(moving))[0] if type(value) is Expr else []
                both = [(x, ("y", row + at)) for x, at in zip(slope, moving.values()) if type(x) is Expr or x != 0.0]
                values, to = [x for x, _ in both], [place for _, place in both]
                sources = {s: place for s, place in zip(read, places) if s in set(free_symbols(values))}
                if values:
                    out.append(Unit(values, to, sources, force.references.constants))
    return out


def _placed(link: Link) -> steps.Placement:
    return steps.place(link, symbols("#q.", range(link.joint.n_q)))


def groups(m: Mechanism, links: tuple[Link, ...]) -> list[tuple[range, range]]:
    """For every speed, those of its joint that belong together with it, and those inboard of it in the same joint."""
    sliding = {x.joint: closed.sliding_columns(_placed(x)) for x in links}
    out: list[tuple[range, range]] = []
    for link in links:
        free = list(zip(link.source.free, link.source.columns))
        slides, turns = ([c for i, c in free if (i in sliding[link.joint]) == kind] for kind in (True, False))
        out += [(_range(slides), range(0)) if c in slides else (_range(turns), _range(slides)) for _, c in free]
    return out


def _range(columns: list[int]) -> range:
    made = range(columns[0], columns[-1] + 1) if columns else range(0)
    assert list(made) == columns, "a joint's slides and turns each stand together"
    return made


# -- sweeps ------------------------------------------------------------------------------------------------------------
def outward(s: Step) -> None:
    """World motion, columns, and the link's own part of the composites."""
    at, root = s.place(), s.root
    R_J = IDENTITY if root else s.parent("R").reshape(3, 3)
    V_J, A_J = (NOTHING, Spatial.of(s.parent("a"))) if root else (Spatial.of(s.parent(x)) for x in ("V", "a"))
    made = closed.outward(s.link, at, s.values, s.x, R_J, s.parent("P"), V_J, A_J)
    s.put("R", made.R.ravel())
    s.put("P", made.p)
    s.put("V", made.V.array())
    s.put("a", made.A.array())
    for i, column in enumerate(made.columns):
        for name in ("S", "psi", "psi_rate", "both"):
            s.put_column(i, name, getattr(column, name).array())
    s.later.columns, s.later.own = s.keep(made.columns), s.keep(made.composite)


def inward(s: Step) -> None:
    """Composites, and what the derivatives along a column need of them."""
    C = s.later.own if s.leaf else s.later.own + _unpacked(s.own("C"))
    terms = [closed.terms(C, c) for c in s.later.columns]
    for i, term in enumerate(terms):
        for name in ("t", "moved", "turned", "F2"):
            s.put_column(i, name, getattr(term, name).array())
        s.put_column(i, "w", term.w)
        s.put_column(i, "J", [s.link.armature])
    if not s.root:
        s.hand("C", _packed(C))


def _packed(C: Composite) -> list[Any]:
    I = C.inertia
    lower = [I.I[i, j] for i in range(3) for j in range(i + 1)]
    return [I.m, *I.h, *lower, *C.B.ravel(), *C.P, *C.F.array()]


def _unpacked(values: np.ndarray) -> Composite:
    I = np.empty((3, 3), dtype=object)
    for x, i, j in zip(values[4:], *np.tril_indices(3)):
        I[i, j] = I[j, i] = x
    inertia = RigidInertia(values[0], values[1:4], I)
    return Composite(inertia, values[10:19].reshape(3, 3), values[19:22], Spatial.of(values[22:]))


# -- pairs of speeds ---------------------------------------------------------------------------------------------------
def pairs(sweep: Any, module: Module, f: FunctionBuilder) -> None:
    """For a speed i: with those it belongs together with, then with those inboard, run by run."""
    m, n = sweep.m, sweep.m.n_u
    places = module.int_table(sweep.column_at)
    joint_start = [j.columns[0] for j in m.joints for _ in j.columns]
    both = groups(m, sweep.links)
    own, inner = ([module.int_table([getattr(g[i], e) for g in both]) for e in ("start", "stop")] for i in range(2))
    inboard, first = inboard_speeds(m), runs(m)
    before = module.int_table([inboard[i] for i in joint_start])
    beginning, further = module.int_table(first), module.int_table([inboard[i] for i in first])
    at = {name: f.work + start for name, (start, _) in sweep.record.columns.items()}

    def read(name: str, i: Any) -> list[Any]:
        place = at[name] + places[i]
        return [place[c] for c in range(COLUMN[name])]

    def dot(a: list[Any], b: list[Any]) -> Any:
        total = a[0] * b[0]
        for x, y in zip(a[1:], b[1:]):
            total = total + x * y
        return total

    def put(i: Any, part: int, j: Any, value: Any) -> None:
        f.y[i * (3 * n) + j + part * n] = value

    def with_inboard(i: Any, j: Any, t: Any, moved: Any, F2: Any, w: Any) -> None:
        S = read("S", j)
        mass = dot(t, S)
        put(i, 2, j, mass)
        put(j, 2, i, mass)
        put(j, 0, i, dot(S, moved))
        put(j, 1, i, dot(S, F2))
        put(i, 0, j, dot(w, read("psi", j)[:3]) + dot(t, read("psi_rate", j)))
        put(i, 1, j, dot(w, S[:3]) + dot(t, read("both", j)))

    with f.loop(n) as i:
        t, moved, F2, w = (read(name, i) for name in ("t", "moved", "F2", "w"))
        with f.loop(own[0][i], own[1][i]) as j:
            S = read("S", j)
            put(i, 2, j, dot(t, S))
            put(j, 0, i, dot(S, moved))
            put(j, 1, i, dot(S, F2))
        own_place = i * (3 * n) + i + 2 * n
        f.y[own_place] = f.y[own_place] + read("J", i)[0]
        moved = [x + y for x, y in zip(moved, read("turned", i))]
        if any(g[1] for g in both):
            with f.loop(inner[0][i], inner[1][i]) as j:
                with_inboard(i, j, t, moved, F2, w)
        with f.following(before[i], further) as last, f.loop(beginning[last], last + 1) as j:
            with_inboard(i, j, t, moved, F2, w)
    with tracing():
        forces = repeated(slopes(m, sweep.links) or [])
        loops = Loops("slopes", forces).compiled(module, f.signature.lanes, f.signature.name) if forces else None
    if loops:
        f.call(loops, *(getattr(f, name) for name in NAMES))


ALGORITHM = Algorithm(
    "inverse_dynamics_derivatives",
    lambda m: {"R": 9, "P": 3, "V": 6, "a": 6},
    [(outward, False), (inward, True)],
    lambda m: [0] * m.n_bodies,
    lambda m: 3 * m.n_u * m.n_u,
    columns=COLUMN,
    passed={"C": 28},
    grouped=True,
    loaded=False,
    sums=True,
    finish=pairs,
)


# -- of forward dynamics -----------------------------------------------------------------------------------------------
def emit_forward(m: Mechanism, forward: Any, inverse: Any, module: Module, lanes: int) -> tuple[Signature, int]:
    """∂u̇/∂(q, u, τ) = −A⁻¹ ∂τ/∂(q, u), A⁻¹ at the accelerations that τ gives, from both kernels of sweeps.

    On one state (`lanes` = 1) the lanes run over the columns. Returns also the doubles (per lane, for `lanes` > 1) of working memory.
    """
    n = m.n_u
    width = module.target.lanes if lanes == 1 else 1
    padded = -(-3 * n // width) * width
    places = dict(
        zip(
            ("udot", "A", "X", "D", "work"),
            np.cumsum([0, n + -n % 8, n * n + -n * n % 8, n * padded, 3 * n * n]).tolist(),
        )
    )
    run = [kernel.emit(module, lanes, name) for kernel, name in ((forward, "accelerations"), (inverse, "differences"))]
    kind = UniformPointer if lanes == 1 else Pointer
    parameters: dict[str, Any] = dict.fromkeys(NAMES, kind)
    solver = SparseSolver(module, m)
    with module.function("run", lanes=max(lanes, width), **parameters) as f:
        udot, A, X, D, work = (f.work + place for place in places.values())
        f.call(run[0], f.t, f.q, f.u, f.x, f.P, udot, work)
        f.call(run[1], f.t, f.q, f.u, udot, f.P, D, work)
        with f.loop(n) as i:
            with f.loop(2 * n) as j:
                X[i * padded + j] = -D[i * (3 * n) + j]
            with f.loop(n) as j:
                A[i * n + j] = D[i * (3 * n) + j + 2 * n]
                X[i * padded + j + 2 * n] = 0.0
            X[i * padded + i + 2 * n] = 1.0
        solver.factorise(f, A)
        solver.solve(f, A, X.lanes if lanes == 1 else X, padded // width)
        with f.loop(n) as i, f.loop(3 * n) as j:
            f.y[i * (3 * n) + j] = X[i * padded + j]
    return f.signature, places["work"] + max(kernel.places["end"] for kernel in (forward, inverse)) + 8
