"""Driver code for everything that is asked of a state at an event: A, all rows R, A⁻¹Rᵀ, R A⁻¹Rᵀ, accelerations without forces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dalembert.kernels.tree.tree_solver import SparseSolver
from dalembert.recursive.sparse import along_paths
from dalembert.trace.native import FunctionBuilder, Module

if TYPE_CHECKING:
    from dalembert.kernels.masked.law_rhs import LawRightHandSide


def emit_kinetic_arrays(rhs: LawRightHandSide, module: Module, f: FunctionBuilder, part: dict[str, Any]) -> None:
    """Fill the arrays of `kinetic_shapes` from A, f, B and the maps of loads; A is factorised in place."""
    n, rows, p = rhs.m.n_u, rhs.n_rows, rhs.pattern
    full = {name: part[f"full_{name}"] for name in ("A", "rows", "Y", "W", "free", "rates", "per_force", "unpressed")}
    places = along_paths(rhs.m)
    i_of, j_of = (module.int_table([pair[k] for pair in places] or [0]) for k in range(2))
    starts, columns = module.int_table(p.starts), module.int_table([c for row in p.columns for c in row] or [0])
    full["A"].clear(n * n)
    with f.loop(len(places)) as k:
        i, j = i_of[k], j_of[k]
        full["A"][i * n + j] = part["A"][i * n + j]
        full["A"][j * n + i] = part["A"][i * n + j]
    tree = SparseSolver(module, rhs.m)
    tree.factorise(f, part["A"])
    with f.loop(n) as i:
        full["free"][i] = part["f"][i]
    tree.solve(f, part["A"], full["free"], 1)
    full["rows"].clear(rows * n)
    with f.loop(rows) as k:
        own, solved = full["rows"] + k * n, full["Y"] + k * n
        with f.loop(starts[k], starts[k + 1]) as i:
            own[columns[i]] = part["B"][i]
        with f.loop(n) as i:
            solved[i] = own[i]
        tree.solve(f, part["A"], solved, 1)
    _products(f, full, part, (n, rows, rhs.table.n_components))


def _products(f: FunctionBuilder, full: dict[str, Any], part: dict[str, Any], sizes: tuple[int, int, int]) -> None:
    n, rows, components = sizes
    v = f.variables(sum=0.0)

    def times(a: Any, b: Any, start: Any) -> Any:
        v.sum = start
        with f.loop(n) as i:
            v.sum = v.sum + a[i] * b[i]
        return v.sum

    with f.loop(rows) as k:
        own = full["rows"] + k * n
        full["rates"][k] = times(own, full["free"], -part["gamma"][k])
        with f.loop(k + 1) as j:
            found = times(own, full["Y"] + j * n, f.real(0.0))
            full["W"][k * rows + j] = found
            full["W"][j * rows + k] = found
    with f.loop(components) as c:
        Zu = part["Zu"] + c * n
        full["unpressed"][c] = times(Zu, full["free"], part["z0"][c])
        with f.loop(rows) as k:
            full["per_force"][c * rows + k] = times(Zu, full["Y"] + k * n, -part["Zx"][c * rows + k])
