"""Small numerical programs written in the driver language: what integrators and solvers will be made of."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert.trace import sin, symbol
from dalembert.trace.native import Array, Block, Int, Module, Output, Pointer, Real, maximum, select
from tests.targets import LANES as WIDTH

LANES = sorted({1, WIDTH})


@pytest.mark.parametrize("lanes", LANES)
def test_dense_ldl_factorisation_and_solution(lanes: int) -> None:
    """A = L D Lᵀ in place, then A x = b, for `lanes` matrices at once; the status says whether a pivot vanished."""
    m = Module()
    with m.function("solve", lanes=lanes, status=True, A=Pointer, b=Pointer, n=Int) as f:
        a, b, n = f.A, f.b, f.n
        with f.loop(n) as j:
            with f.loop(j) as k:
                a[j * n + j] = a[j * n + j] - a[j * n + k] * a[j * n + k] * a[k * n + k]
            with f.if_((a[j * n + j] == 0.0).any()):
                f.return_(j + 1)
            with f.loop(j + 1, n) as i:
                with f.loop(j) as k:
                    a[i * n + j] = a[i * n + j] - a[i * n + k] * a[j * n + k] * a[k * n + k]
                a[i * n + j] = a[i * n + j] / a[j * n + j]
        with f.loop(n) as i, f.loop(i) as k:
            b[i] = b[i] - a[i * n + k] * b[k]
        with f.countdown(n) as i:
            b[i] = b[i] / a[i * n + i]
            with f.loop(i + 1, n) as k:
                b[i] = b[i] - a[k * n + i] * b[k]
    solve = m.compile().solve
    rng = np.random.default_rng(2)
    for size in (1, 2, 7):
        root = rng.normal(size=(lanes, size, size))
        matrices = root @ root.transpose(0, 2, 1) + np.eye(size)
        right = rng.normal(size=(lanes, size))
        memory, x = matrices.transpose(1, 2, 0).copy(), right.T.copy()
        assert solve(memory, x, size) == 0
        np.testing.assert_allclose(x.T, np.linalg.solve(matrices, right[..., None])[..., 0], rtol=1e-10)
    assert solve(np.zeros((2, 2, lanes)), np.zeros((2, lanes)), 2) == 1


def runge_kutta(module: Module, block: Block, n: int, lanes: int) -> None:
    """Classical fourth-order steps for ẋ = f(x): x ← x + h/6 (k₁ + 2k₂ + 2k₃ + k₄)."""
    rhs = module.block(block, lanes)
    with module.function("march", lanes=lanes, x=Pointer, h=Real, steps=Int) as f:
        start, total, slope = f.array(n), f.array(n), f.array(n)
        with f.loop(f.steps):
            with f.loop(n) as i:
                start[i] = f.x[i]
                total[i] = 0.0
            for weight, ahead in [(1.0, 0.5), (2.0, 0.5), (2.0, 1.0), (1.0, 0.0)]:
                f.call(rhs, f.x, slope)
                with f.loop(n) as i:
                    total[i] = total[i] + weight * slope[i]
                    f.x[i] = start[i] + (ahead * f.h) * slope[i]
            with f.loop(n) as i:
                f.x[i] = start[i] + f.h / 6.0 * total[i]


@pytest.mark.parametrize("lanes", LANES)
def test_runge_kutta_has_order_four_on_the_harmonic_oscillator(lanes: int) -> None:
    q, v = symbol("q"), symbol("v")
    outputs = [Output(v, "dx", 0), Output(-q, "dx", 1)]
    m = Module()
    runge_kutta(m, Block("rhs", [Array("x"), Array("dx")], {q: ("x", 0), v: ("x", 1)}, outputs), 2, lanes)
    march = m.compile().march
    amplitude = 1.0 + np.arange(lanes)
    errors = []
    for steps in (50, 100):
        x = np.array([amplitude, np.zeros(lanes)])
        march(x, 2.0 / steps, steps)
        errors.append(np.abs(x - [amplitude * np.cos(2.0), -amplitude * np.sin(2.0)]).max(axis=0) / amplitude)
    np.testing.assert_allclose(errors[0] / errors[1], 16.0, rtol=0.1)
    assert errors[1].max() < 1e-7


@pytest.mark.parametrize("lanes", LANES)
def test_newtons_method_per_lane(lanes: int) -> None:
    """Kepler's equation E − e sin E = M in every lane, until the slowest lane has converged."""
    anomaly, e, mean = symbol("E"), symbol("e"), symbol("M")
    residual = anomaly - e * sin(anomaly) - mean
    block = Block(
        "kepler", [Array("E"), Array("given")], {anomaly: ("E", 0), e: ("given", 0), mean: ("given", 1)},
        [Output(residual, "E", 1), Output(1.0 - e * (sin(anomaly + np.pi / 2)), "E", 2)],
    )  # fmt: skip
    m = Module()
    kepler = m.block(block, lanes)
    with m.function("solve", lanes=lanes, status=True, E=Pointer, given=Pointer, tolerance=Real) as f:
        v = f.variables(iterations=0, error=1.0)
        with f.while_(lambda: (v.error > f.tolerance).any() & (v.iterations < 50)):
            f.call(kepler, f.E, f.given)
            v.error = abs(f.E[1])
            step = select(v.error > f.tolerance, f.E[1] / maximum(f.E[2], 1e-3), 0.0)
            f.E[0] = f.E[0] - step
            v.iterations = v.iterations + 1
        f.return_(v.iterations)
    rng = np.random.default_rng(5)
    given = np.array([rng.uniform(0, 0.8, lanes), rng.uniform(0, 3, lanes)])
    E = np.zeros((3, lanes))
    E[0] = given[1]
    assert 0 < m.compile().solve(E, given, 1e-14) < 50
    np.testing.assert_allclose(E[0] - given[0] * np.sin(E[0]), given[1], atol=1e-13)
