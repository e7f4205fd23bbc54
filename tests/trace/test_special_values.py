"""Every operation, on every pair of special values, is the same number in every form that it is written in: NaN stays NaN,
infinities and the signs of zeros are kept. WebAssembly and more lanes are tried in native/."""

from __future__ import annotations

import ctypes
import itertools
import subprocess

import numpy as np
import pytest

from dalembert.trace import evaluate, node, ops, select, symbol
from dalembert.trace import scalar_functions as scalar
from dalembert.trace.native import C99, Module, Pointer
from dalembert.trace.native.c99 import c_module
from dalembert.trace.native.driver.reals import function_of_reals
from dalembert.trace.native.llvm_text import FUNCTIONS
from dalembert.trace.table import TableOp, table_op
from dalembert.trace.text import c_source, numpy_function, python_function
from dalembert.trace.text.casadi_form import casadi_function
from tests.exporters.compiling import STRICT, compiler

from .native.support import compiled_values
from .native.test_operations import BINARY, SPECIAL, UNARY, assert_same

X, Y = symbol("x"), symbol("y")
PAIRS = np.array(list(itertools.product(SPECIAL, SPECIAL))).T
TWO = [*BINARY, ops.POW]
ALL = {op: node(op, X) for op in UNARY} | {op: node(op, X, Y) for op in TWO}
ALL |= {
    ops.AND: (X < Y) & (X <= 1.0),
    ops.OR: (X < Y) | (X <= 1.0),
    ops.NOT: ~(X < Y),
    ops.SELECT: select(X < Y, X, 2.0),
}
CURVE = table_op(np.array([-1.0, 0.0, 0.5, 3.0]), np.array([[1.0, 2.0, -3.0], [0.5, 0.0, 1.0]]))
ALL[CURVE] = node(CURVE, X)


@pytest.mark.parametrize("x", [800.0, -800.0, np.inf, -np.inf, np.nan])
@pytest.mark.parametrize("name", ["exp", "sinh", "cosh"])
def test_what_is_too_large_for_a_float_is_infinite(name: str, x: float) -> None:
    with np.errstate(over="ignore"):
        assert np.array_equal(getattr(scalar, name)(x), getattr(np, name)(x), equal_nan=True)


def test_no_operation_is_left_out() -> None:
    every = {op for op in vars(ops).values() if isinstance(op, ops.Op)}
    assert set(ALL) == every - {ops.SYMBOL} | {CURVE}


@pytest.fixture(scope="module")
def expected() -> dict[ops.Op, np.ndarray]:
    """What NumPy's own functions give."""
    a, b = PAIRS
    with np.errstate(all="ignore"):
        given = {op: op.value(*PAIRS[: len(e.args)]) for op, e in ALL.items() if op in [*UNARY, *TWO, CURVE]}
    given |= {
        ops.AND: (a < b) & (a <= 1.0),
        ops.OR: (a < b) | (a <= 1.0),
        ops.NOT: ~(a < b),
        ops.SELECT: np.where(a < b, a, 2.0),
    }
    return {op: np.asarray(x, dtype=float) for op, x in given.items()}


def agree(op: ops.Op, got: object, expected: np.ndarray) -> None:
    if op is ops.POW or isinstance(op, TableOp):
        np.testing.assert_allclose(np.asarray(got, dtype=float), expected, rtol=1e-15, err_msg=op.name)
    else:
        assert_same(op, np.asarray(got, dtype=float), expected)


def test_on_floats(expected) -> None:
    for op, e in ALL.items():
        agree(op, [evaluate(e, {X: float(a), Y: float(b)}) for a, b in PAIRS.T], expected[op])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_in_numpy(expected) -> None:
    for op, e in ALL.items():
        agree(op, numpy_function("f", {"x": X, "y": Y}, {"z": e})(*PAIRS), expected[op])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_in_python_and_where_it_cannot_it_raises(expected) -> None:
    for op, e in ALL.items():
        f, got, at = python_function("f", {"x": X, "y": Y}, {"z": e}), [], []
        for k, (a, b) in enumerate(PAIRS.T.tolist()):
            try:
                got.append(float(f(a, b)))
            except (ValueError, ArithmeticError):
                continue
            at.append(k)
        agree(op, got, expected[op][at])


def test_plain_functions_on_floats_keep_what_traced_ones_keep(expected) -> None:
    """`da.minimum` and its like are called on floats and on traced values, and must not differ."""
    for op, f in ((ops.MIN, scalar.minimum), (ops.MAX, scalar.maximum)):
        agree(op, [f(a, b) for a, b in PAIRS.T.tolist()], expected[op])
    agree(ops.SIGN, [scalar.sign(a) for a in PAIRS[0].tolist()], expected[ops.SIGN])
    finite = np.isfinite(PAIRS[0])
    agree(ops.FLOOR, [scalar.floor(a) for a in PAIRS[0][finite].tolist()], expected[ops.FLOOR][finite])


def test_in_machine_code(expected) -> None:
    for op, got in zip(ALL, compiled_values(list(ALL.values()), {X: PAIRS[0], Y: PAIRS[1]}, 2)):
        agree(op, got, expected[op])


def _driver_module() -> Module:
    """Operations of driver functions, which are written in C instruction by instruction."""
    module = Module(target=C99)
    with module.function("driver", x=Pointer, y=Pointer, z=Pointer) as f:
        a, b = f.x[0], f.y[0]
        for k, op in enumerate(FUNCTIONS):
            f.z[k] = function_of_reals(op, *([a, b] if op in TWO else [a]))
    return module


def test_in_c(expected, tmp_path) -> None:
    source = c_source("f", {"x": X, "y": Y}, {"z": list(ALL.values())})
    source += "\n#include <stdint.h>\n#include <string.h>\n" + c_module(_driver_module(), "m", ["driver"]).source
    (tmp_path / "f.c").write_text(source)
    flags = [flag for flag in STRICT if flag != "-Wextra"]
    command = [*compiler(), *flags, "-O2", "-shared", "-fPIC", "-o", "f.so", "f.c", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "f.so"))
    number = ctypes.c_double * len(ALL)
    f, driver = library.f, library.m_driver
    f.argtypes = [ctypes.c_double, ctypes.c_double, number]
    blocks, drivers = [], []
    for a, b in PAIRS.T.tolist():
        f(a, b, z := number())
        blocks.append(list(z))
        driver((ctypes.c_double * 1)(a), (ctypes.c_double * 1)(b), z := number())
        drivers.append(list(z))
    for k, op in enumerate(ALL):
        agree(op, np.array(blocks)[:, k], expected[op])
    for k, op in enumerate(FUNCTIONS):
        agree(op, np.array(drivers)[:, k], expected[op])


def test_extremes_in_casadi_keep_nan(expected) -> None:
    pytest.importorskip("casadi")
    f = casadi_function("f", {"x": X, "y": Y}, {"z": [ALL[ops.MIN], ALL[ops.MAX]]})
    got = np.array([np.asarray(f(a, b)).ravel() for a, b in PAIRS.T.tolist()]).T
    for op, row in zip((ops.MIN, ops.MAX), got, strict=True):
        agree(op, row, expected[op])
