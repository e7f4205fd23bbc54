"""LaTeX reads as one would write it, and is well formed whatever the names and numbers."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.trace import atan2, cos, exp, log, maximum, select, sin, sqrt, symbol, symbols
from dalembert.trace.text import latex, latex_program
from dalembert.trace.text.latex_atoms import name_in_latex, number_in_latex

from .graphs import STEPS, X, graphs

m, l, g, q, u, theta = symbols("", ["m_t", "l_t", "g_t", "q_t", "u_t", "theta_t"])
"""Terms and factors are written in the order in which symbols were first used: these are used here only."""


@pytest.mark.parametrize(
    ("e", "text"),
    [
        (0.5 * m * (l * u) ** 2, r"\frac{1}{2} l_{t}^{2} m_{t} u_{t}^{2}"),
        (-m * g * l * cos(q), r"-g_{t} l_{t} m_{t} \cos(q_{t})"),
        (m * l * l / 3 + m, r"m_{t} + \frac{1}{3} l_{t}^{2} m_{t}"),
        (sin(q) ** 2 + cos(2 * q), r"\cos(2 q_{t}) + \sin^{2}(q_{t})"),
        (g / (m + l), r"\frac{g_{t}}{l_{t} + m_{t}}"),
        ((m - (l - g)) * theta, r"\theta_{t} (m_{t} - (l_{t} - g_{t}))"),
        (m - l / g + 1.0, r"m_{t} - \frac{l_{t}}{g_{t}} + 1"),
        (-((m + l) ** 3), r"-(l_{t} + m_{t})^{3}"),
        ((m / l) ** 2, r"\left(\frac{m_{t}}{l_{t}}\right)^{2}"),
        (sqrt(m * m + 1e-5), r"\sqrt{m_{t}^{2} + 10^{-5}}"),
        (m**1.5 * exp(-l), r"m_{t}^{\frac{3}{2}} e^{-l_{t}}"),
        (log(m) - atan2(l, 2.5e-7), r"\ln(m_{t}) - \operatorname{atan2}(l_{t}, 2.5 \cdot 10^{-7})"),
        (abs(maximum(m, 0.0)), r"\lvert \max(m_{t}, 0) \rvert"),
        (
            select(m < l, -m, g),
            r"\begin{cases} -m_{t} & \text{if } m_{t} < l_{t} \\ g_{t} & \text{otherwise} \end{cases}",
        ),
        (symbol("q'") ** 2, r"{q'}^{2}"),
        (3.0, "3"),
        (q, "q_{t}"),
    ],
)
def test_formulas(e, text):
    assert latex(e) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q_A", "q_{A}"),
        ("q_crank.e0", r"q_{\mathrm{crank}.e0}"),
        ("omega_wheel", r"\omega_{\mathrm{wheel}}"),
        ("theta1", r"\theta_{1}"),
        ("θ̇_1", r"\dot{\theta}_{1}"),
        ("udot_B", r"\dot{u}_{B}"),
        ("q_alpha", r"q_{\alpha}"),
        ("q_upper_arm.x", r"q_{\mathrm{upper\_arm}.x}"),
        ("m1_2", "m_{1,2}"),
        ("lam", r"\lambda"),
        ("mass", r"\mathrm{mass}"),
        ("q'", "q'"),
        ("100% {a}", r"\mathrm{100\%\ \{a\}}"),
        ("q_αx", r"q_{\mathrm{alphax}}"),
    ],
)
def test_names(name, text):
    assert name_in_latex(name) == text


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0.5, r"\frac{1}{2}"), (1 / 12, r"\frac{1}{12}"), (1 / 3, r"\frac{1}{3}"), (-2 / 3, r"-\frac{2}{3}"), (2.0, "2"),
        (9.81, "9.81"), (0.1, "0.1"), (1e-5, "10^{-5}"), (-3e22, r"-3 \cdot 10^{22}"), (0.333, "0.333"), (0.0, "0"),
        (-0.0, "-0"), (math.inf, r"\infty"), (-math.inf, r"-\infty"), (math.nan, r"\mathrm{nan}"), (1234567.0, "1234567"),
    ],
)  # fmt: skip
def test_numbers(x, text):
    assert number_in_latex(x).text == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_in_latex_is_that_very_float(x):
    text = number_in_latex(x).text
    python = re.sub(r"\\frac\{(\d+)\}\{(\d+)\}", r"\1/\2", text).replace(r" \cdot 10^", "e").replace("10^", "1e")
    assert eval(python.replace("{", "").replace("}", "")) == x


def balanced(text):
    """Braces, left and right delimiters, and environments come in pairs."""
    depth = 0
    for c in re.sub(r"\\[{}]", "", text):
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    assert len(re.findall(r"\\left\b", text)) == len(re.findall(r"\\right\b", text))
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert not stack


def well_formed(text):
    """Balanced, no double sub- or superscript, nothing of another language, no sign after a sign."""
    balanced(text)
    assert not re.search(r"_\{[^{}]*\}_|\^\{[^{}]*\}\^|\*\*|\bnan\b(?!\})|\+ -|- -|e[+-]\d", text)


@settings(deadline=None)
@given(graphs(max_steps=40))
def test_programs_are_well_formed(outputs):
    text = latex_program({"A": np.array([outputs, outputs], dtype=object), "f_c": outputs, "E": outputs[0]})
    well_formed(text)
    assert max(map(len, text.splitlines())) < 700
    well_formed(latex(outputs[0]))


@given(st.text(st.characters(codec="utf-8"), max_size=8))
def test_any_name_is_balanced(name):
    balanced(latex(symbol("n" + name) ** 2 * sin(symbol(name))))


def test_every_operation_is_written():
    for make in STEPS.values():
        well_formed(latex(make(*X[:3])))


def test_a_program_names_intermediates_before_the_outputs():
    s = sin(q)
    text = latex_program({"A": [[s * s, s], [s, 1.0]], "f": [m * s]})
    assert text == "\n".join(
        [
            r"\begin{aligned}",
            r"z_{1} &= \sin(q_{t}) \\",
            r"A &= \left[\begin{array}{cc} z_{1}^{2} & z_{1} \\ z_{1} & 1 \end{array}\right] \\",
            r"f &= \left[\begin{array}{c} m_{t} z_{1} \end{array}\right]",
            r"\end{aligned}",
        ]
    )
    assert latex_program({"E": s}, environment="align*").startswith(r"\begin{align*}")


def test_long_products_take_no_time():
    """Every factor is looked at a few times, not 2ⁿ times."""
    factors = symbols("", [f"k{k}" for k in range(24)])
    assert latex(np.prod(factors) ** 2) == " ".join(f"k_{{{k}}}^{{2}}" for k in range(24))


def test_wide_matrices_are_given_by_elements():
    names = [f"joint{k}" for k in range(12)]
    text = latex_program({"A_c": np.outer(symbols("q_", names), symbols("u_", names))})
    assert r"[A_{c}]_{1,2} &= q_{\mathrm{joint0}} u_{\mathrm{joint1}}" in text


def test_a_large_expression_is_a_block_of_lines_and_a_small_one_is_whole():
    s = sin(q) + m
    assert latex(s * s / (1 + s)) == r"\frac{(m_{t} + \sin(q_{t}))^{2}}{m_{t} + \sin(q_{t}) + 1}"
    e = s
    for _ in range(20):
        e = e * sin(e) + m
    text = latex(e)
    assert text.startswith(r"\begin{aligned}") and len(text) < 2000
    well_formed(text)
