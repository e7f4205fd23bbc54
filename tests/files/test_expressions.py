"""Expressions: they compute what Python computes, print back to the same node, and say where they are wrong."""

from __future__ import annotations

import math
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.files.expressions import ExpressionError, Formula, evaluated, parse, written
from dalembert.files.expressions.formula import named
from dalembert.trace import evaluate, symbol
from tests.effort import examples


def value(text: str, **known):
    return evaluated(parse(text), text, lambda x: named(text, x.at, x.name, known))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1 + 2*3 - 4/8", 6.5),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2**3**2", 512.0),
        ("7 - 2 - 1", 4.0),
        ("8/4/2", 1.0),
        ("10*sin(2*pi*x)", 10 * math.sin(2 * math.pi * 0.3)),
        ("select(x < 0.5 and not x < 0.2, 1, 2)", 1.0),
        ("select((x > 1) or (x >= 0.3), x, -x)", 0.3),
        ("min(x, 1) + max(x, 1)", 1.3),
        ("90*deg", math.pi / 2),
        (".5e1 + 1.", 6.0),
        ("atan2(1, -1) + abs(-3) + sign(-2)", 0.75 * math.pi + 2),
    ],
)
def test_values(text, wanted):
    assert math.isclose(value(text, x=0.3), wanted, rel_tol=1e-15)
    traced = value(text, x=symbol("x"))
    now = evaluate(traced, {symbol("x"): 0.3}) if not isinstance(traced, float) else traced
    assert math.isclose(now, wanted, rel_tol=1e-15)


@pytest.mark.parametrize(
    ("text", "at", "says"),
    [
        ("10*sn(t)", 4, "did you mean 'sin'"),
        ("2 + lenght", 5, "did you mean 'length'"),
        ("(1 + 2", 7, "')' is expected"),
        ("1 2", 3, "operator missing"),
        ("", 1, "empty"),
        ("1 +", 4, "ends where a value"),
        ("a = 1", 3, "no meaning"),
        ("1 < 2", 3, "select"),
        ("select(1, 2, 3)", 8, "condition"),
        ("1 < 2 < 3", 7, "chained"),
        ("sin(1, 2)", 1, "takes 1 argument"),
        ("sin", 1, "write sin"),
        ("1/(2-2)", 1, "no value"),
        ("exp(10000)", 1, "no value"),
        ("(-8)^0.5", 5, "broken power"),
        ("9e999", 1, "too large"),
        ("__import__('os')", 1, "no function"),
        ("x.real.imag.y", 1, "coordinates are"),
        ("(" * 100 + "1" + ")" * 100, 61, "deep"),
        ("1e308*10", 1, "no value"),
        ("-" * 3000 + "1", 61, "deep"),
        ("1+" * 3000 + "1", 4001, "long"),
    ],
)
def test_mistakes_are_placed(text, at, says):
    with pytest.raises(ExpressionError, match=re.escape(says)) as caught:
        value(text, length=1.0)
    assert caught.value.at == at - 1


LEAVES = ["x", "y", "k", "(0.5)", "(-3.25)", "1", "0", "(1e-7)", "-x"]
SHAPES = [
    "({} + {})", "({} - {})", "({}*{})", "({}/(2 + {}^2))", "-{}", "sin({})", "tanh({})", "abs({})", "sign({})", "min({}, {})",
    "(2 + sin({}))^{}", "sqrt(1 + {}^2)", "select({} <= {} or not {} < {} and x > y, {}, {})",
]  # fmt: skip


def random_text(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(LEAVES)
    shape = rng.choice(SHAPES)
    return shape.format(*(random_text(rng, depth - 1) for _ in range(shape.count("{}"))))


@settings(max_examples=examples(300))
@given(st.integers(0, 2**32))
def test_printing_and_reading_gives_the_same_node(seed):
    known = {name: symbol(name) for name in "xyk"}
    text = random_text(random.Random(seed), 4)
    try:
        made = value(text, **known)
    except ExpressionError as problem:
        assert "no value" in str(problem)
        return
    again = written(made, "here")
    assert again == made if isinstance(made, float) else value(again, **known) is made


def test_formulas_read_states():
    s = da.System(gravity=(0, 0, -9.81))
    k = s.parameter("k", 2.0)
    s.add_body("a", da.box(1.0, (1, 1, 1)))
    s.add_joint("left-knee", da.Universal(), "ground", "a")
    s.add_force("f", da.Motor("left-knee", Formula(['-k*q["left-knee.1"] + t'], ("s",), ["k"], True), coordinate="1"))
    t = da.System(gravity=(0, 0, -9.81))
    t.parameter("k", 2.0)
    t.add_body("a", da.box(1.0, (1, 1, 1)))
    t.add_joint("left-knee", da.Universal(), "ground", "a")
    t.add_force("f", da.Motor("left-knee", lambda z: -k * z.q["left-knee"][0] + z.t, coordinate="1"))
    first, second = (x.build().simulate(0.5, {"left-knee": (0.3, 0.2)}) for x in (s, t))
    assert (first.q == second.q).all()
    wrong = Formula(["q.B + 1"], ("s",), [], True)
    with pytest.raises(ExpressionError, match="left-knee"):
        wrong(s.build().state([0.1, 0.2]))
