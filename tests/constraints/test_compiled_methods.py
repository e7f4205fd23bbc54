"""Claims about the constraint methods in machine code: the same motion, multipliers and ranks as on numbers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dalembert.constraints import COMPILED, METHODS
from dalembert.constraints.methods.compiled import SystemStructure, emit_multipliers, emit_solve
from dalembert.constraints.methods.elimination import elimination
from dalembert.constraints.methods.solution import MeasuredEquations, Solution
from dalembert.formulations.equations import Equations
from dalembert.formulations.tree import kane
from dalembert.pivoting import choose
from dalembert.trace.native import Module, aligned
from tests.constraints.loops import random_loops
from tests.constraints.test_methods import _well_posed, in_other_units, nearly_dependent
from tests.effort import examples
from tests.mechanisms import seeds

TO = {"penalty": 1e-5, "proximal": 1e-8}
"""How far two ways of rounding may be apart: the stiffness of a penalty multiplies it."""


def independent(e: Equations) -> tuple[int, ...]:
    """Rows that together say all."""
    return tuple(sorted(choose(MeasuredEquations.of(e).scaled[0]).rows))


def compiled(e: Equations, *names: str, rows: tuple[int, ...] | None = None) -> dict[str, Solution]:
    """Every method on these equations, in one library."""
    shape = SystemStructure(e.A != 0.0, e.B != 0.0, independent(e) if rows is None else rows)
    module = Module()
    _, size = emit_multipliers(module, shape)
    for name in names:
        size = max(size, emit_solve(module, COMPILED[name], shape, name)[1])
    library, work = module.compile(), aligned(size)
    given = [np.ascontiguousarray(x) for x in (e.A, e.f, e.B, e.gamma)]
    found = {}
    for name in names:
        udot, lam = np.full(len(e.f), np.nan), np.full(len(e.gamma), np.nan)
        rank = library[name](*given, udot, work)
        assert rank in (library.multipliers(*given, udot, lam, work), -1), name
        found[name] = Solution(udot, lam, rank)
    return found


@settings(max_examples=examples(7), deadline=None)
@given(seeds, st.integers(2, 7), st.integers(1, 2), st.booleans())
def test_machine_code_does_as_numpy_does(seed, n, n_loops, doubled):
    m, q, u, t = random_loops(np.random.default_rng(seed), n, n_loops, doubled=doubled)
    e = kane.equations(m.state(q, u, t))
    assume(m.n_u and _well_posed(e))
    free = np.abs(np.linalg.solve(e.A, e.f)).max()
    for name, got in compiled(e, *METHODS).items():
        expected = METHODS[name](e)
        scale = max(1.0, free, np.abs(expected.udot).max())
        assert np.abs(got.udot - expected.udot).max() <= TO.get(name, 1e-9) * scale, name
        force = np.abs(e.A).max() * scale + np.abs(e.f).max()
        assert np.abs(e.A @ got.udot + e.B.T @ got.lam - e.f).max() <= 1e-8 * force, name
        assert got.rank in (expected.rank, -1), name


@pytest.mark.slow
@settings(max_examples=examples(5), deadline=None)
@given(seeds, st.integers(2, 5), st.booleans(), st.sampled_from(sorted(set(METHODS) - {"penalty"})))
def test_traced_and_compiled_whole_the_accelerations_are_the_same(seed, n, doubled, name):
    m, q, u, t = random_loops(np.random.default_rng(seed), n, 1, doubled=doubled)
    e = kane.equations(m.state(q, u, t))
    assume(m.n_u and _well_posed(e))
    expected = METHODS["svd"](e)
    scale = max(1.0, np.abs(expected.udot).max(), np.abs(np.linalg.solve(e.A, e.f)).max())
    found = m.solve(q, u, t=t, constraints=name)
    assert np.abs(found.udot - expected.udot).max() <= 1e-9 * scale
    assert found.rank == expected.rank
    assert np.abs(m.forward_dynamics(q, u, t=t) - expected.udot).max() <= 1e-9 * scale


def test_without_rows_all_methods_are_one():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4, 4))
    e = Equations(X @ X.T + np.eye(4), rng.normal(size=4), np.zeros((0, 4)), np.zeros(0))
    for name, got in compiled(e, *METHODS).items():
        assert np.allclose(got.udot, np.linalg.solve(e.A, e.f), rtol=1e-13), name


@pytest.mark.parametrize("part", ["A", "f", "B", "gamma"])
def test_what_is_not_finite_does_not_come_out_finite(part):
    rng = np.random.default_rng(2)
    given = {"A": np.eye(3), "f": rng.normal(size=3), "B": rng.normal(size=(1, 3)), "gamma": np.ones(1)}
    shape = SystemStructure(np.ones((3, 3)), np.ones((1, 3)), (0,))
    module = Module()
    size = max(emit_solve(module, emit, shape, name)[1] for name, emit in COMPILED.items())
    library, work = module.compile(), aligned(size)
    given[part].flat[0] = np.nan
    for name in COMPILED:
        udot = np.zeros(3)
        library[name](given["A"], given["f"], given["B"], given["gamma"], udot, work)
        assert np.isnan(udot).any(), name


@pytest.mark.parametrize("n", [3, 40])
@pytest.mark.parametrize("part", ["A", "f"])
def test_without_rows_neither_does_it(n, part):
    """By elimination where A is small, by LAPACK where it is large and full."""
    given = {"A": np.eye(n) + 0.01, "f": np.ones(n)}
    module = Module()
    shape = SystemStructure(np.ones((n, n), dtype=bool), np.zeros((0, n), dtype=bool), ())
    _, size = emit_solve(module, COMPILED["range_space"], shape)
    assert ("dposv" in module.source) == (n == 40)
    library, work, udot = module.compile(), aligned(size), np.zeros(n)
    nothing = np.zeros((0, n)), np.zeros(0)
    library.solve(given["A"], given["f"], *nothing, udot, work)
    assert np.allclose(udot, np.linalg.solve(given["A"], given["f"]), rtol=1e-12)
    given[part].flat[0] = np.nan
    library.solve(given["A"], given["f"], *nothing, udot, work)
    assert np.isnan(udot).any()


@pytest.mark.parametrize("loops", [5, 40])
def test_the_static_order_has_fill_in_linear_in_the_number_of_loops(loops):
    """A chain of four-bars that share their cranks: rows follow the speeds they touch, and nothing couples distant loops."""
    n = 2 * loops + 1
    A, B = np.eye(n, dtype=bool), np.zeros((2 * loops, n), dtype=bool)
    for k in range(loops):
        A[2 * k, 2 * k + 1] = A[2 * k + 1, 2 * k] = True
        B[2 * k : 2 * k + 2, 2 * k : 2 * k + 3] = True
    e = elimination(A, B)
    where = {x: i for i, x in enumerate(e.order)}
    assert all(where[n + k] > max(where[c] for c in np.flatnonzero(row)) for k, row in enumerate(B))
    assert sorted(e.order) == list(range(n + 2 * loops))
    assert e.size < 12 * n


def test_the_proximal_method_comes_all_the_way_where_rows_nearly_depend():
    """Two rows 0.1° apart: its first stiffness comes nearer by less than half a turn, which is not yet rounding."""
    angle = np.radians(0.1)
    A, f = np.diag([1.0, 0.03, 1.7]), np.array([1.0, -2.0, 0.5])
    B, gamma = np.array([[1.0, 0.0, 0.3], [np.cos(angle), np.sin(angle), 0.3]]), np.array([0.2, -0.1])
    e = Equations(A, f, B, gamma)
    expected = METHODS["svd"](e).udot
    for found in (METHODS["proximal"](e), compiled(e, "proximal")["proximal"]):
        assert np.abs(found.udot - expected).max() <= 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("seed", [1, 7])
@pytest.mark.parametrize("digits", [3, 6, 8])
def test_machine_code_tells_rows_that_nearly_depend_apart(seed, digits):
    e, udot = nearly_dependent(np.random.default_rng(seed), 5, 10.0**-digits)
    names = ("range_space", "range_space_svd", "null_space_qr", "svd", "augmented", "partition")
    for name, found in compiled(e, *names, rows=(0, 1, 2)).items():
        assert found.rank == 3, name
        assert np.abs(found.udot - udot).max() <= 1e-12 * 10.0**digits * np.abs(udot).max(), name


@pytest.mark.parametrize("seed", [1, 7])
def test_machine_code_does_not_hang_on_the_units_of_the_speeds(seed):
    rng = np.random.default_rng(seed)
    m, q, u, t = random_loops(rng, 4, 1, doubled=True)
    e = kane.equations(m.state(q, u, t))
    assert _well_posed(e)
    expected = METHODS["range_space"](e)
    other, D = in_other_units(e, rng)
    names = [name for name in METHODS if name != "penalty"]
    size = np.abs(np.linalg.solve(e.A, e.f)).max()
    for name, found in compiled(other, *names, rows=independent(e)).items():
        assert np.abs(D * found.udot - expected.udot).max() <= 1e-9 * size, name
        assert found.rank in (-1, expected.rank), name
        assert np.abs(e.B.T @ (found.lam - expected.lam)).max() <= 1e-8 * np.abs(e.f).max(), name
