"""How (q̇, u̇) changes along directions in a mode of the laws, in machine code.

With u̇, λ and the loads s of what slides frozen, A δu̇ + Rᵀδλ − G δs = δ(f − A u̇ − Rᵀλ + G s) and R δu̇ = δ(γ − R u̇); the loads follow
by δs = ν'(δλ₀ + L δs), with the factors, W = A⁻¹G and L that gave u̇ itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.kernels.masked.law_blocks import every_row, law_values, load_values, masked
from dalembert.kernels.masked.sliding_laws import SlidingLaws, solve_dense
from dalembert.kernels.rhs.sensitivity_equations import along_direction, each_direction, sensitivity_block
from dalembert.kinematics.constraint_rows import Rows
from dalembert.kinematics.law_mode import DIRECTIONS
from dalembert.recursive.algorithms import Tree, newton_euler
from dalembert.trace import symbols, tracing
from dalembert.trace.native import Block, FunctionBuilder, Module, Output, Signature

if TYPE_CHECKING:
    from dalembert.kernels.masked.law_rhs import LawRightHandSide
    from dalembert.kinematics.state import State


def emit_sensitivity(rhs: LawRightHandSide, module: Module, lanes: int, groups: int) -> tuple[Signature, int]:
    """`sensitivity`, and the doubles of scratch memory it needs."""
    m, k = rhs.m, rhs.n_rows
    code = module.block(_sensitivity(rhs), lanes)
    sliding = SlidingLaws(rhs, module)
    elements, components, terms = sliding.elements, sliding.components, len(sliding.terms)
    under = k + components + terms
    sizes = {"under": under, "r": k, "d": m.n_u, "loads": elements * (elements + 1), "pressing": components}
    sizes["moved"] = m.n_q  # of the projection, which takes the same memory

    def body(f: FunctionBuilder, X: Any, dX: Any, dP: Any) -> None:
        part = {name: f.work + start for name, start in rhs.places.items()}
        part |= {name: f.P + rhs.mode_part(name) for name in ("slides", "pressed")}
        at = 0
        for name, size in sizes.items():
            part[name], at = f.scratch.lanes + at, at + size
        force, solver = dX + m.n_q, sliding.solver
        f.call(code, f.t, f.q, f.u, f.P, f.dy + m.n_q, f.work, X, X + m.n_q, dP, dX, force, part["under"])
        solver.tree.solve(f, part["A"], force, 1)
        with f.loop(k) as i:
            part["r"][i] = solver.row_times(f, part["B"], i, force) - part["under"][i]
        solver.solve(f, part["S"], part["r"])
        if sliding.any_loaded:
            _loads(f, part, sliding, force, k)
        solver.exert(f, part)
        with f.loop(m.n_u) as i:
            force[i] = force[i] - part["d"][i]
        if sliding.any_loaded:
            with f.loop(elements) as e, f.if_(sliding.under_load(part, e)), f.loop(m.n_u) as i:
                force[i] = force[i] + part["loads"][e * (elements + 1) + elements] * part["W"][e * m.n_u + i]

    return each_direction(module, "sensitivity", lanes, groups, m, body), sum(sizes.values()) * lanes


def _loads(f: FunctionBuilder, part: dict[str, Any], sliding: SlidingLaws, force: Any, rows: int) -> None:
    """δs behind the equations in `loads`; r becomes δλ₀ + L δs."""
    elements, M = sliding.elements, part["loads"]
    width = elements + 1
    M.clear(elements * width)
    with f.loop(elements) as i:
        M[i * width + i] = 1.0
        with f.if_(sliding.under_load(part, i) & (sliding.normal_of[i] >= 0)):
            normal = sliding.normal_of[i]
            M[i * width + elements] = -part["r"][normal]
            with f.loop(elements) as j, f.if_(sliding.under_load(part, j)):
                M[i * width + j] = M[i * width + j] + part["L"][j * rows + normal]
    if sliding.components:
        _pressed_by_joints(f, part, sliding, force, rows)
    solve_dense(f, M, elements)
    with f.loop(elements) as e, f.if_(sliding.under_load(part, e)), f.loop(rows) as k:
        part["r"][k] = part["r"][k] + part["L"][e * rows + k] * M[e * width + elements]


def _pressed_by_joints(f: FunctionBuilder, part: dict[str, Any], sliding: SlidingLaws, force: Any, rows: int) -> None:
    """What changes of the terms of loads add to the equations: δ(arm · |z|)."""
    n, count, elements, M, change = sliding.n, sliding.components, sliding.elements, part["loads"], part["pressing"]
    sliding.solver.exert(f, part)
    total = f.variables(sum=0.0)
    with f.loop(count) as c:
        total.sum = part["under"][c + rows]
        with f.loop(n) as i:
            total.sum = total.sum + part["Zu"][c * n + i] * (force[i] - part["d"][i])
        with f.loop(rows) as k:
            total.sum = total.sum + part["Zx"][c * rows + k] * part["r"][k]
        change[c] = total.sum
    for t, term in enumerate(sliding.terms):
        with f.if_(sliding.under_load(part, f.integer(term.element))):
            at = term.element * (elements + 1)
            size, gradient, _ = sliding.sized(f, part, t, [part["z"][term.start + c] for c in range(term.size)])
            arm = part["arm"][t]
            along = sum(g * change[term.start + c] for c, g in enumerate(gradient))
            M[at + elements] = M[at + elements] + part["under"][rows + count + t] * size + arm * along
            with f.loop(elements) as j, f.if_(sliding.under_load(part, j)):
                slope = sum(g * part["Zs"][j * count + (term.start + c)] for c, g in enumerate(gradient))
                M[at + j] = M[at + j] - arm * slope


def _sensitivity(rhs: LawRightHandSide) -> Block:
    """`to`: δq̇; `over`: δ(f − A u̇ − Rᵀλ + G s); `under`: δ(γ − R u̇), then δz of the loads' components, then δ of their arms; all with
    u̇, λ and s frozen."""
    m, kept, at, table = rhs.m, list(rhs.pattern.rows), rhs.places, rhs.table
    with tracing():
        s = m.symbolic_state()
        udot, lam = symbols("#udot.", range(m.n_u)), symbols("#lam.", range(len(kept)))
        loads = symbols("#s.", range(len(table.elements)))
        every = every_row(s)
        own = Rows(*(getattr(every, name)[rhs.n_loops :] for name in ("g", "B", "b", "gamma")))
        rubbing = sliding_forces(s, own, rhs.mode, loads)
        rows = masked(every, rhs.n_loops, rhs.mode, "active")
        B = rows.B[kept]
        left = -newton_euler(Tree(s), udot) - B.T @ lam
        for k, friction in rubbing.items():
            left = left - own.B[k] * friction
        z = load_values(s, [0.0] * m.n_u, len(every.g))
        pressed = z.z0 + z.Zu @ udot + z.Zx[:, kept] @ lam
        for k, friction in rubbing.items():
            pressed = pressed + z.Zx[:, rhs.n_loops + k] * friction
        under = [*(rows.gamma[kept] - B @ udot), *pressed, *z.arms]
        values = {"to": s.rates, "over": left, "under": under}
        more = {x: ("rates", i) for i, x in enumerate(udot)} | {x: ("lam", at["r"] + i) for i, x in enumerate(lam)}
        more |= {x: ("lam", at["s"] + i) for i, x in enumerate(loads)} | rhs.further_symbols()
        outputs = [Output(x, name, i) for name, part in values.items() for i, x in enumerate(along_direction(m, part))]
        return sensitivity_block("sensitivity_equations", m, outputs, more)


def sliding_forces(s: State, own: Rows, mode: Any, loads: Any, everything: bool = False) -> dict[int, Any]:
    """λ of the rows along which something slides, c₀ d + c₁ s d + c v, by row of the laws; without the mode's mask if `everything`."""
    values, found = law_values(s, own, mode), {}
    table, c = s.mechanism.law_table, values.coefficients
    for e, element in enumerate(table.elements):
        for slot, k in enumerate(element.tangents):
            size = c["force"][e] + c["coefficient"][e] * loads[e]
            friction = values.directions[DIRECTIONS * e + slot] * size + c["viscous"][e] * values.speeds[k]
            found[k] = friction if everything else mode.symbol("slides", e) * friction
    return found
