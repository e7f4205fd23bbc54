"""The collected form has the expression's value, and is the one a person would write."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from dalembert.trace import cos, evaluate, free_symbols, sin, sqrt, symbols
from dalembert.trace.collect import collected
from dalembert.trace.text import latex
from tests.effort import examples

from .graphs import graphs

a, b, m, l = symbols("", ["a_col", "b_col", "m_col", "l_col"])


@pytest.mark.parametrize(
    ("e", "same"),
    [
        (cos(a) * cos(b) + sin(a) * sin(b), cos(a - b)),
        (cos(a) ** 2 + sin(a) ** 2, 1.0),
        (sin(a + b) * cos(b) - cos(a + b) * sin(b), sin(a)),
        ((m + l) * (m - l) + l * l, m * m),
        (m * l / 3 + m * l / 6, m * l * 0.5),
        (m * (l / m), l),
        (sin(-a), -sin(a)),
        (m - m * cos(a) + m * cos(a), m),
        (0.1 * m + 0.2 * m - 0.3 * m, 0.0),
    ],
)
def test_identities(e, same):
    found = collected(e)
    assert found is same or found == same


def test_other_functions_are_kept_with_collected_arguments():
    e = sqrt(m * (cos(a) ** 2 + sin(a) ** 2)) * 2.0 / (m + l)
    assert latex(collected(e)) == r"2 \sqrt{m_{\mathrm{col}}} \frac{1}{l_{\mathrm{col}} + m_{\mathrm{col}}}"
    values = {a: 0.3, m: 2.0, l: 5.0}
    assert evaluate(collected(e), values) == pytest.approx(evaluate(e, values), rel=1e-14)


def test_too_long_a_form_is_given_up():
    e = 1.0
    for k in range(12):
        x, y = symbols(f"long{k}.", "xy")
        e = e * (x + y)
    assert collected([e]) is None


@settings(deadline=None, max_examples=examples(60))
@given(graphs(max_steps=12), st.integers(0, 10))
def test_collecting_keeps_the_value(outputs, seed):
    found = collected(outputs)
    assume(found is not None)
    rng = np.random.default_rng(seed)
    values = {s: float(rng.uniform(0.5, 1.5)) for s in free_symbols(outputs)}
    before = np.array(evaluate(outputs, values), dtype=float)
    after = np.array(evaluate(found, values), dtype=float)
    usable = np.isfinite(before) & (np.abs(before) < 1e6)
    assert np.allclose(after[usable], before[usable], rtol=1e-8, atol=1e-8)
