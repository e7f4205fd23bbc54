"""Printed Python, NumPy and C compute what the graph says."""

import ctypes
import inspect
import math
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalembert import trace
from dalembert.trace import evaluate, log, select, sin, sqrt, symbol, symbols
from dalembert.trace.text import c_source, numpy_function, python_function, python_source
from tests.effort import examples

from .graphs import STEPS, X, graphs, values

CC = shutil.which("cc")
ODD = symbols("", ["q.a", "q_a", "sin", "z1", "θ", "s p a c e", "if", "*/", "A"])
"""Symbols whose names mean something else in the printed languages."""


def agree(found, expected):
    np.testing.assert_allclose(found, np.array(expected, dtype=float), rtol=1e-13, atol=1e-13)


@settings(deadline=None)
@given(graphs(), values())
def test_python_agrees_with_the_graph(outputs, v):
    f = python_function("f", {"x": X}, {"y": np.array(outputs, dtype=object)})
    agree(f([v[s] for s in X]), evaluate(outputs, v))


@settings(deadline=None)
@given(graphs(), st.lists(values(), min_size=1, max_size=4))
def test_numpy_agrees_with_the_graph_on_samples(outputs, several):
    f = numpy_function("f", {"x": X[:2], "w": X[2:], "t": symbol("t")}, {"y": np.array(outputs, dtype=object)})
    points = np.array([[v[s] for s in X] for v in several])
    expected = [evaluate(outputs, v) for v in several]
    agree(f(points[:, :2], points[:, 2:], 0.0), expected)
    agree(f(points[0, :2], points[0, 2:], 0.0), expected[0])


def test_python_without_a_choice_is_the_graph_to_the_last_bit():
    a, b, c = X[:3]
    outputs = [a + (b + c * (a * b)) - (c - (a - b)), a * (b * c) / (a / (b / c)), -(a * b) * c - 0.1 * (a + b) * 3.0]
    v = dict(zip(X, [0.1, 0.7, 1.3, 0.0]))
    made = python_function("f", {"x": X}, {"y": outputs})([v[s] for s in X])
    assert made.tolist() == evaluate(outputs, v)


def test_results_come_in_order_and_shape():
    q, t = symbols("q", "12"), symbol("t")
    f = python_function("f", {"q": q, "t": t}, {"A": np.outer(q, q), "T": t * q[0], "none": np.empty((0, 2))})
    A, T, none = f((2.0, 3.0), 5.0)
    assert A.tolist() == [[4.0, 6.0], [6.0, 9.0]] and T == 10.0 and none.shape == (0, 2)
    g = numpy_function("g", {"q": q, "t": t}, {"A": np.outer(q, q), "T": t * q[0], "none": np.empty((0, 2))})
    A, T, none = g(np.ones((7, 1, 2)), np.arange(3.0))
    assert A.shape == (7, 3, 2, 2) and T.shape == (7, 3) and none.shape == (7, 3, 0, 2)
    np.testing.assert_array_equal(T[0], [0.0, 1.0, 2.0])


def test_names_that_mean_something_else_do_no_harm():
    outputs = {"A": [s * (k + 1.0) for k, s in enumerate(ODD)], "y": sin(ODD[2]) + sin(ODD[2]) * ODD[3]}
    for compiled in (python_function, numpy_function):
        A, y = compiled("f", {"q": ODD}, outputs)(np.arange(9.0))
        assert A.tolist() == [k * (k + 1.0) for k in range(9)]
        assert y == pytest.approx(math.sin(2.0) * 4.0)


def test_a_branch_not_taken_raises_nothing_in_python():
    x = symbol("x")
    root = sqrt(x)
    guarded = [select(x > 0.0, root, 0.0), select(x > 0.0, 1.0 / root + log(x), -1.0)]
    f = python_function("f", {"x": x}, {"y": guarded})
    assert f(-1.0).tolist() == [0.0, -1.0] and f(0.0).tolist() == [0.0, -1.0] and f(1.0).tolist() == [1.0, 1.0]


@given(st.floats(allow_nan=False))
def test_floats_survive_the_text(c):
    x = symbol("x")
    f = python_function("f", {"x": x}, {"y": [c, sin(x) + c]})
    constant, total = f(0.0).tolist()
    assert constant == c and math.copysign(1.0, constant) == math.copysign(1.0, c)
    assert total == c


def test_nan_is_printed():
    assert math.isnan(python_function("f", {}, {"y": math.nan})())


@pytest.mark.parametrize("op", STEPS, ids=lambda op: op.name)
def test_what_repr_shows_traces_the_expression_again(op):
    x, y, z = symbols("", "xyz")
    e = STEPS[op](x, y, z)
    assert eval(repr(e), {**vars(trace), "x": x, "y": y, "z": z}) is e


def test_repr_is_short_and_elides():
    x, y = symbol("x"), symbol("y")
    assert repr(2 * x * y - sin(x) / 3.0) == "2.0*x*y - 0.3333333333333333*sin(x)"
    assert repr(-(x + y) * x) == "-x*(x + y)"
    assert repr(x - (y + 1)) == "x - (y + 1.0)" and repr(x - 2.5) == "x - 2.5"
    assert repr((x**2.5) * y) == "y*x**2.5"
    assert repr(select((x < y) & ~(x <= 0), -x, y)) == "select((x < y) & ~(x <= 0.0), -x, y)"
    large = x
    for _ in range(500):
        large = sin(large) + large * y
    assert len(repr(large)) <= 120 and "…" in repr(large)


@pytest.mark.parametrize("flavour", [python_function, numpy_function])
def test_the_source_is_one_module_with_one_function(flavour):
    f = flavour("motion", {"q": X}, {"y": X[0]})
    assert inspect.isfunction(f) and f.__name__ == "motion"
    compile(python_source("motion", {"q": X}, {"y": X[0]}), "text", "exec")


# -- C -----------------------------------------------------------------------------------------------------------------
def built(source, folder, name):
    (folder / f"{name}.c").write_text(source)
    options = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-shared", "-fPIC"]
    subprocess.run([CC, *options, f"{name}.c", "-o", f"{name}.so", "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / f"{name}.so"))


def called(function, *arrays):
    function(*(a.ctypes.data_as(ctypes.c_void_p) if isinstance(a, np.ndarray) else ctypes.c_double(a) for a in arrays))


@pytest.mark.skipif(CC is None, reason="no C compiler")
@settings(deadline=None, max_examples=examples(8), suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(graphs(), values()), min_size=15, max_size=25), st.integers(0, 10**9))
def test_c_agrees_with_the_graph(tmp_path_factory, cases, run):
    everything = [(list(make(*X[:3]) for make in STEPS.values()), cases[0][1]), *cases]
    folder = tmp_path_factory.mktemp("c")
    sources = [c_source(f"f{k}", {"x": X}, {"y": outputs}) for k, (outputs, _) in enumerate(everything)]
    library = built("\n".join(sources), folder, f"run{run}")
    for k, (outputs, v) in enumerate(everything):
        y = np.full(len(outputs), np.nan)
        called(library[f"f{k}"], np.array([v[s] for s in X]), y)
        agree(y, evaluate(outputs, v))


@pytest.mark.skipif(CC is None, reason="no C compiler")
def test_c_arrays_numbers_and_awkward_names(tmp_path):
    t = symbol("t")
    constants = [0.1, -0.0, math.inf, -math.inf, math.nan, 1e22, 5e-324, -1.7976931348623157e308, 3.0]
    A = np.array([[s * t for s in ODD[:3]], [s - 1.0 for s in ODD[3:6]], [-s for s in ODD[6:]]], dtype=object)
    source = c_source("f", {"q": ODD, "t": t}, {"A_out": A, "c": constants, "E": t * t, "none": np.empty((0, 3))})
    library = built(source, tmp_path, "arrays")
    q, out, c, E = np.arange(9.0), np.full((3, 3), np.nan), np.zeros(9), np.zeros(1)
    called(library.f, q, 3.0, out, c, E, np.zeros(1))
    np.testing.assert_array_equal(out, [[0.0, 3.0, 6.0], [2.0, 3.0, 4.0], [-6.0, -7.0, -8.0]])
    assert c.tobytes()[:32] == np.array(constants).tobytes()[:32] and c[5:].tolist() == constants[5:]
    assert math.isnan(c[4]) and E[0] == 9.0


@pytest.mark.skipif(CC is None, reason="no C compiler")
def test_an_output_may_take_the_place_of_an_input_in_c(tmp_path):
    q = symbols("q", "12")
    library = built(c_source("f", {"q": q}, {"out": [q[1], q[0]]}), tmp_path, "swap")
    both = np.array([1.0, 2.0])
    called(library.f, both, both)
    assert both.tolist() == [2.0, 1.0]
