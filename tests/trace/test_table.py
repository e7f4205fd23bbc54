"""Tables: sampled data as traced functions, the same in every language and in machine code."""

from __future__ import annotations

import ctypes
import shutil
import subprocess

import numpy as np
import pytest

import dalembert as da
from dalembert.trace import directional, evaluate, substitute, symbol
from dalembert.trace.fingerprint import fingerprint
from dalembert.trace.native import Array, Block, Module, Output
from dalembert.trace.text import c_source, latex, numpy_function, plain_text, python_function, to_sympy
from tests.targets import LANES as WIDTH

TIMES = np.array([0.0, 0.3, 0.5, 1.1, 2.0])
VALUES = np.array([1.0, -0.5, 0.2, 2.0, 1.0])
X = np.concatenate([TIMES, np.linspace(0.01, 1.99, 41), [-0.1, 2.1]])
t = symbol("t")


@pytest.mark.parametrize("kind", ["cubic", "linear", "previous"])
@pytest.mark.parametrize("outside", ["nan", "hold"])
def test_machine_code_and_every_language_give_what_the_table_gives(kind, outside, tmp_path):
    table = da.Table(TIMES, VALUES, kind, outside)
    e = 2.0 * table(t) + t
    there = (X >= 0) & (X <= 2) | (outside == "hold")
    expected = np.array([2.0 * table(x) + x if here else np.nan for x, here in zip(X, there)])
    for x in X[~there]:
        with pytest.raises(da.TraceError, match=r"outside its samples, 0 … 2"):
            table(x)
    np.testing.assert_allclose(evaluate(e, {t: X}), expected, rtol=1e-14)
    inputs = {"t": t}
    np.testing.assert_allclose([python_function("f", inputs, {"y": e})(x) for x in X], expected, rtol=1e-14)
    np.testing.assert_allclose(numpy_function("f", inputs, {"y": e})(X), expected, rtol=1e-14)
    for lanes in (1, WIDTH):
        module = Module()
        module.block(Block("f", [Array("t"), Array("y")], {t: ("t", 0)}, [Output(e, "y", 0)]), lanes)
        run = module.compile().f
        for k in range(0, len(X) - lanes + 1, lanes):
            y = np.zeros(lanes)
            run(X[k : k + lanes].copy(), y)
            np.testing.assert_allclose(y, expected[k : k + lanes], rtol=1e-14)
    if shutil.which("cc"):
        source = c_source("f", inputs, {"y": e})
        (tmp_path / "f.c").write_text(source + source.replace("void f(", "void g("))  # two sources in one file
        subprocess.run(["cc", "-shared", "-fPIC", "-o", tmp_path / "f.so", tmp_path / "f.c", "-lm"], check=True)
        function = ctypes.CDLL(str(tmp_path / "f.so")).f
        out = ctypes.c_double()
        for x, y in zip(X, expected):
            function(ctypes.c_double(x), ctypes.byref(out))
            np.testing.assert_allclose(out.value, y, rtol=1e-14)


def test_derivatives_of_a_cubic_table_are_those_of_the_spline():
    from scipy.interpolate import CubicSpline

    spline, table = CubicSpline(TIMES, VALUES), da.Table(TIMES, VALUES)
    first = directional(table(2.0 * t), {t: 1.0})
    second = directional(first, {t: 1.0})
    for x in np.linspace(0.0, 1.0, 13):
        assert evaluate(first, {t: x}) == pytest.approx(2 * spline(2 * x, 1), abs=1e-12)
        assert evaluate(second, {t: x}) == pytest.approx(4 * spline(2 * x, 2), abs=1e-11)
    assert directional(da.Table(TIMES, VALUES, "previous")(t), {t: 1.0}) is not None


def test_a_table_is_one_operation_with_a_name_of_its_own():
    table, other = da.Table(TIMES, VALUES), da.Table(TIMES, VALUES + 1.0)
    assert table(t) is table(t) and table(t) is not other(t)
    assert fingerprint(table(t)) == fingerprint(da.Table(TIMES, VALUES)(t)) != fingerprint(other(t))
    assert substitute(table(t), {t: 0.3}) == pytest.approx(-0.5)
    name = table(t).op.name
    assert repr(table(t)) == f"{name}(t)" and plain_text({"y": table(t)}) == f"y = {name}(t)"
    assert latex(table(t)).startswith(r"\mathrm{table\_")
    assert str(to_sympy(table(t))[1]) == f"{name}(t)"


def test_columns_give_an_array():
    table = da.Table(TIMES, np.stack([VALUES, -VALUES], axis=1))
    np.testing.assert_allclose(table(0.4), [table(0.4)[0], -table(0.4)[0]])
    assert table(t).shape == (2,)


@pytest.mark.parametrize(
    "arguments, said",
    [
        (([0, 1, 1, 2], [1, 2, 3, 4]), "increase"),
        (([0, 1, 2, 3], [1, 2, 3]), "do not belong together"),
        (([0, 1, 2], [1, 2, 3]), "at least 4"),
        (([0, 1, 2, 3], [1, 2, np.nan, 4]), "finite"),
        (([0, 1, 2, 3], [1, 2, 3, 4], "quintic"), "not known"),
        (([0, 1, 2, 3], [1, 2, 3, 4], "cubic", "wrap"), "not known"),
    ],
)
def test_what_is_no_table_is_said(arguments, said):
    with pytest.raises(da.TraceError, match=said):
        da.Table(*arguments)


@pytest.mark.parametrize("kind", ["cubic", "linear", "previous"])
@pytest.mark.parametrize("seed", range(40))
def test_numbers_of_any_size_make_a_table_or_are_refused_in_words(kind, seed):
    rng = np.random.default_rng(seed)
    steps, values = (10.0 ** rng.uniform(-300, 300, 6) for _ in range(2))
    try:
        table = da.Table(np.cumsum(steps), values * rng.choice([-1.0, 1.0], 6), kind=kind)
    except da.TraceError as problem:
        assert "Table:" in str(problem)
    else:
        assert np.isfinite([float(table(t)) for t in table.times]).all()
