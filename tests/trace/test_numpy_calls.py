"""NumPy's functions of traced values give what they give on floats, to rounding, by the graph and compiled."""

import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SlowForceWarning, TraceError
from dalembert.trace import Expr, evaluate, symbol

from .native.support import compiled_values

x, y = symbol("x"), symbol("y")
rng = np.random.default_rng(5)
TINY = [1e-300, -1e-20, 3e-12, -7e-9, 2e-6, -4e-4]
HALVES = [-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 4.5, -3.0, 7.0, 0.49999999999999994, -0.49999999999999994, 1e17, -1e17]
GENERAL = np.array([0.0, *TINY, *HALVES, *rng.normal(size=20), *rng.normal(size=10) * 300.0])
POSITIVE = np.abs(GENERAL[GENERAL != 0.0])
WITHIN = np.array([0.0, *TINY, *rng.uniform(-0.999, 0.999, 30), 0.99999999, -0.99999999])

ONE = {
    **dict.fromkeys(["floor", "ceil", "trunc", "rint", "fabs", "absolute", "sign", "cbrt", "square"], GENERAL),
    **dict.fromkeys(["deg2rad", "radians", "rad2deg", "degrees"], GENERAL),
    **dict.fromkeys(["sin", "cos", "tanh", "arctan", "arcsinh", "negative", "positive"], GENERAL),
    **dict.fromkeys(["expm1", "exp", "exp2", "sinh", "cosh"], GENERAL[np.abs(GENERAL) < 600.0]),
    **dict.fromkeys(["sqrt", "log", "log2", "log10", "reciprocal"], POSITIVE),
    "log1p": np.concatenate([POSITIVE, WITHIN]),
    **dict.fromkeys(["arcsin", "arccos", "arctanh", "tan"], WITHIN),
    "arccosh": 1.0 + POSITIVE,
}  # fmt: skip
PAIRS = np.array([(a, b) for a in GENERAL[::2] for b in [*GENERAL[1::3], 0.1, -0.3, 1.0] if b != 0.0]).T
TWO = [
    np.arctan2, np.hypot, np.maximum, np.minimum, np.fmod, np.mod, np.floor_divide, np.heaviside, np.copysign, np.add,
    np.subtract, np.multiply, np.divide,
]  # fmt: skip


def assert_same(made, samples, expected, rtol=4e-15):
    symbols = (x, y)[: len(samples)]
    whole = dict(zip(symbols, samples))
    by_graph = np.array([evaluate(made, {s: float(v[k]) for s, v in whole.items()}) for k in range(len(expected))])
    np.testing.assert_allclose(by_graph.astype(float), expected, rtol=rtol, atol=0.0)
    np.testing.assert_allclose(compiled_values([made], whole, 4)[0], expected, rtol=rtol, atol=0.0)


@pytest.mark.parametrize("name", ONE)
def test_functions_of_one_value(name):
    f, samples = getattr(np, name), ONE[name]
    made = f(x)
    assert type(made) is Expr
    assert_same(made, [samples], f(samples))
    assert list(f(np.array([x, y]))) == [made, f(y)] if name != "sign" else True


@pytest.mark.parametrize("f", TWO, ids=lambda f: f.__name__)
def test_functions_of_two_values(f):
    ordinary = PAIRS[:, (np.abs(PAIRS).max(axis=0) > 1e-150) & (np.abs(PAIRS[1]) > 1e-200)]
    assert_same(f(x, y), ordinary, f(*ordinary))
    assert_same(f(x, 0.3), [GENERAL], f(GENERAL, 0.3))
    others = GENERAL[GENERAL != 0.0]
    assert_same(f(0.3, x), [others], f(0.3, others))
    assert_same(f(np.array([x, 2.0 * x]), 0.3)[1] if f in ARRAYS else f(2.0 * x, 0.3), [GENERAL], f(2.0 * GENERAL, 0.3))


ARRAYS = {np.hypot, np.arctan2, np.add, np.subtract, np.multiply, np.divide}


def test_powers():
    assert_same(np.power(x, 1.5), [POSITIVE[POSITIVE < 1e10]], POSITIVE[POSITIVE < 1e10] ** 1.5)
    assert_same(np.float_power(x, 3), [GENERAL], np.float_power(GENERAL, 3))


def test_pythons_remainders():
    assert_same(x % 0.7, [GENERAL], GENERAL % 0.7)
    assert_same(x // 0.7, [GENERAL], GENERAL // 0.7)
    others = GENERAL[GENERAL != 0.0]
    assert_same(5.0 % x, [others], 5.0 % others)
    assert_same(5.0 // x, [others], 5.0 // others)
    with pytest.raises(TypeError):
        x % "a"


def test_choices():
    for made, expected in [
        (np.where(x > 0.1, 2.0, x), np.where(GENERAL > 0.1, 2.0, GENERAL)),
        (np.clip(x, -0.5, 1.0), np.clip(GENERAL, -0.5, 1.0)),
        (np.clip(x, None, 1.0), np.clip(GENERAL, None, 1.0)),
        (np.round(x), np.round(GENERAL)),
        (x.clip(-0.5, 1.0), np.clip(GENERAL, -0.5, 1.0)),
        (np.select([x < -1.0, x < 1.0], [x, 0.0], 7.0), np.select([GENERAL < -1.0, GENERAL < 1.0], [GENERAL, 0.0], 7.0)),
        (np.where(np.logical_and(x > 0, np.less(x, 2.0)), 1.0, 0.0), np.where((GENERAL > 0) & (GENERAL < 2.0), 1.0, 0.0)),
        (np.where(np.logical_not(np.logical_or(x > 1, x < -1)), 1.0, 0.0), np.where(np.abs(GENERAL) <= 1.0, 1.0, 0.0)),
        (np.where(np.float64(0.3) <= x, 1.0, 0.0), np.where(GENERAL >= 0.3, 1.0, 0.0)),
    ]:  # fmt: skip
        assert_same(made, [GENERAL], expected)
    both = np.where(x > 0.0, np.array([1.0, 2.0]), np.array([3.0, x], dtype=object))
    assert both.shape == (2,) and evaluate(both[1], {x: -4.0}) == -4.0


def test_functions_that_gather_values():
    np.testing.assert_array_equal(np.hstack([x, np.array([1.0, y], dtype=object)]), np.array([x, 1.0, y], dtype=object))
    assert np.shape(x) == () and np.ndim(x) == 0
    assert list(np.append(np.zeros(1), x)) == [0.0, x]
    assert evaluate(np.linalg.norm([x, y]), {x: 3.0, y: 4.0}) == 5.0


def test_interpolation():
    at, of = np.array([-1.0, 0.2, 0.5, 3.0]), np.array([2.0, -1.0, 4.0, 5.0])
    for options in ({}, {"left": -7.0, "right": 9.0}):
        samples = np.concatenate([GENERAL, at])
        assert_same(np.interp(x, at, of, **options), [samples], np.interp(samples, at, of, **options), rtol=1e-14)


@pytest.mark.parametrize("f", [np.nextafter, np.spacing, np.isnan, np.gcd, np.unwrap, np.sinc])
def test_what_cannot_be_traced_is_named_with_what_can(f):
    with pytest.raises(TraceError, match=rf"(?s){f.__name__}.*cannot be traced.*heaviside.*where") as told:
        f(x, x) if getattr(f, "nin", 1) == 2 else f(x)
    assert str(told.value).count("\n") == 0


def test_a_traced_value_taken_for_a_number_says_what_it_can_do():
    with pytest.raises(TraceError, match=r"traced value.*floor"):
        float(x)
    with pytest.raises(TraceError, match="compare it"):
        np.where(x, 1.0, 2.0)


def test_forces_of_numpys_functions_are_compiled():
    def force(s):
        v = s.u["x"]
        return (
            np.where(v > 0.0, np.floor(3.0 * v), np.heaviside(v, 0.5)) + np.interp(s.q["x"], [0, 1], [0, 2]) + v % 0.3
        )

    s = da.System("x")
    s.add_body("b", da.particle(1.0))
    s.add_joint("x", da.Prismatic(), "ground", "b")
    s.add_force("f", da.Motor("x", force))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowForceWarning)
        m = s.build()
        assert m.forward_dynamics([0.25], [0.5])[0] == pytest.approx(1.0 + 0.5 + 0.2)


@pytest.mark.parametrize("call", [lambda x: np.clip(x, min=0.0, max=1.0), lambda x: np.where(x > 0.0)])
def test_ways_of_calling_that_are_not_known_are_refused_in_words(call):
    with pytest.raises(TraceError, match="cannot be traced in this way"):
        call(symbol("x"))
