"""A mechanism's equations are one text: in every process, after any other model, whatever was asked before."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS
from dalembert.trace import cos, expr, sin, symbol, tracing
from dalembert.trace.canonical import canonical, natural
from dalembert.trace.text import latex, plain_text
from tests.constraints.loops import random_loops
from tests.mechanisms import random_tree

NAMES = ["kane", "lagrange", "hamilton", "newton_euler", "hooker"]


def written(m: da.Mechanism, names: list[str]) -> dict[str, str]:
    found = {}
    for name in names:
        if FORMULATIONS[name].refusal(m) is None:
            eq = m.equations(name)
            found[name] = f"{eq.text()}\n{eq.latex()}"
    return found


def with_parameters(seed: int) -> da.Mechanism:
    """A random tree whose masses and gravity are parameters with names out of order."""
    rng = np.random.default_rng(seed)
    s = random_tree(rng, 2)
    s.gravity = (0.0, s.parameter("zeta", -9.81), s.parameter("Alpha", 0.5))
    return s.build()


@pytest.mark.parametrize("seed", range(3))
def test_the_text_of_a_mechanism_hangs_on_nothing_asked_before(seed, monkeypatch):
    """Symbols are made in another order, other formulations are written first, other models are traced between."""
    first = written(with_parameters(seed), NAMES)
    names = list(expr._symbols)
    np.random.default_rng(seed).shuffle(names)
    monkeypatch.setattr(expr, "_symbols", {})
    for name in names:
        symbol(name)
    random_loops(np.random.default_rng(seed), 3, 1)[0].equations("kane").text()
    m = with_parameters(seed)
    m.explain("kane").text()
    assert written(m, NAMES[::-1]) == first


SCRIPT = """
import sys
import dalembert as da
from dalembert.trace import symbol
for name in sys.argv[2:]:
    symbol(name)
m = da.load(sys.argv[1])
for name in ("kane", "lagrange"):
    print(m.equations(name).text(), m.equations(name).latex())
"""


def test_the_text_is_the_same_in_another_process():
    model, made = "examples/double_pendulum.yaml", ["u_B", "q_B", "q_A", "l2", "m2", "m1", "u_A", "g"]
    found = [
        subprocess.run([sys.executable, "-c", SCRIPT, model, *before], capture_output=True, check=True).stdout
        for before in ((), made)
    ]
    assert found[0] == found[1] and len(found[0]) > 100


def test_expressions_by_themselves_are_printed_by_name():
    b, a = symbol("same.b"), symbol("same.a")
    e = b * a * sin(b) * cos(a) + b
    assert plain_text({"e": e}) == "e = same.b + same.a*same.b*cos(same.a)*sin(same.b)"
    assert latex(a * b) == latex(b * a)


def test_canonical_expressions_share_what_they_shared():
    x, y = symbol("same.x"), symbol("same.y")
    with tracing():
        one, other = canonical([(x + y) * sin(x + y), np.array([x + y], dtype=object)], [y, x])
        assert one.args[0] is other[0] or one.args[1] is other[0]
        assert canonical(2.0) == 2.0
    assert sorted(["z10", "z2", "z1"], key=natural) == ["z1", "z2", "z10"]
