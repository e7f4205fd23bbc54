"""Intermediates are named where it saves work or keeps lines short, in an order that can be computed."""

import keyword
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert.errors import TraceError
from dalembert.trace import Expr, cos, evaluate, ops, ordered, sin, sqrt, symbol, symbols
from dalembert.trace.text import c_source, plain_text, program, python_source
from dalembert.trace.text.routine import RESERVED, safe_identifiers

from .graphs import graphs, values

x, y, z = symbol("x"), symbol("y"), symbol("z")


def named(*outputs):
    return dict(program(list(outputs)).assignments)


def inline_nodes(e, names):
    """The nodes written out in one expression."""
    stack, found = [e], []
    while stack:
        for a in stack.pop().operands:
            if a not in names and a.op is not ops.SYMBOL:
                found.append(a)
                stack.append(a)
    return found


def test_only_what_is_used_twice_gets_a_name():
    s = sin(x)
    assert named(s * s + y * z) == {"z1": s}
    assert named(s * y + z) == {}
    assert named(s * y, s) == {"z1": s}
    assert named(x * x + y, x) == {}


def test_a_sign_change_gets_no_name_but_what_it_changes_may():
    product = x * y
    assert named(cos(z) - (-x) / z, -x) == {}
    assert named(-product, -product) == {"z1": product}
    assert named(-product, product) == {"z1": product}
    assert named(-product, z) == {}


@settings(deadline=None)
@given(graphs(min_steps=20, max_steps=60), values())
def test_no_operation_is_written_twice_and_every_line_needs_only_earlier_ones(outputs, v):
    steps = program(outputs)
    names = steps.names
    known = set()
    written = []
    for _, e in steps.assignments:
        lines = [e, *inline_nodes(e, names)]
        assert all(a in known or a not in names for n in lines for a in n.operands)
        written += [n for n in lines if n.op is not ops.NEG]
        known.add(e)
    for e in steps.outputs:
        if type(e) is Expr and e not in names and e.op is not ops.SYMBOL:
            written += [n for n in [e, *inline_nodes(e, names)] if n.op is not ops.NEG]
    operations = {e for e in ordered(outputs) if e.op not in (ops.NEG, ops.SYMBOL)}
    assert len(written) == len(set(written)) and set(written) == operations
    assert evaluate([e for _, e in steps.assignments] + outputs, v)


def test_plain_lines_name_intermediates_then_outputs():
    s = sin(x)
    assert plain_text({"force": s * s * y, "power": -s}) == "z1 = sin(x)\nforce = y*z1**2\npower = -z1"


def test_long_expressions_are_cut():
    total = sum(sqrt(symbol(f"length_{k}") + 1.0) for k in range(200))
    steps = program(total)
    assert 5 < len(steps.assignments) < 100
    text = python_source("f", {"p": steps.inputs}, {"total": total})
    assert max(map(len, text.splitlines())) < 140


def test_names_of_symbols_are_left_alone():
    shared = sin(symbol("z1")) * symbol("z_2") + symbol("z.4")
    assert [name for name, _ in program([shared, shared * x, cos(shared), cos(shared) * 3.0]).assignments] == [
        "z3",
        "z5",
    ]
    assert program([shared, shared], taken={"z3"}).assignments == (("z5", shared),)


awkward = st.text(st.sampled_from("qz1_.' *\"/\\θϑé\n{}$²µ"), max_size=5) | st.sampled_from(sorted(RESERVED))


@given(st.lists(awkward, max_size=30), st.sets(awkward, max_size=5))
def test_identifiers_are_legal_and_never_shared(names, taken):
    made = safe_identifiers(names, taken)
    assert set(made) == set(names) and len(set(made.values())) == len(made)
    for identifier in made.values():
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", identifier)
        assert not keyword.iskeyword(identifier) and identifier not in RESERVED and identifier not in taken


def test_identifiers_stay_close_to_the_names():
    assert safe_identifiers(["q_A", "q_crank.e0", "q_crank_e0", "θ", "u̇_1", "q'", "lambda", "1"]) == {
        "q_A": "q_A", "q_crank.e0": "q_crank_e0_2", "q_crank_e0": "q_crank_e0", "θ": "theta", "u̇_1": "udot_1",
        "q'": "qprime", "lambda": "lambda_2", "1": "s1",
    }  # fmt: skip


@pytest.mark.parametrize("write", [c_source, python_source])
def test_renamed_symbols_are_told_in_a_comment(write):
    q = symbols("q_", ["crank.e0", "B"])
    text = write("f", {"q": q, "time": symbol("t")}, {"A": q * symbol("t")})
    assert re.search(r"q_crank_e0 = .*q\[0\].*(#|/\*) 'q_crank\.e0'", text)
    assert re.search(r"(#|/\* time is) 't'", text)
    assert "'q_B'" not in text


def test_wrong_arguments_are_named():
    q = symbols("q_", "AB")
    with pytest.raises(TraceError, match="depends on q_B, u_A, not among its inputs"):
        c_source("f", {"q": q[:1]}, {"A": q * symbol("u_A")})
    with pytest.raises(TraceError, match="'q_A' stands in 'q' and again in 'u'"):
        c_source("f", {"q": q, "u": q}, {"A": q})
    with pytest.raises(TraceError, match="only symbols"):
        c_source("f", {"q": q * 2.0}, {"A": q})
    with pytest.raises(TraceError, match="'lambda' cannot name"):
        c_source("f", {"lambda": q}, {"A": q})
    with pytest.raises(TraceError, match="both an input and an output"):
        c_source("f", {"q": q}, {"q": q})
