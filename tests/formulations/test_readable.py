"""What is printed is what is traced, no larger, and no longer than what the sources print."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.printing.readable import Algebra, _split, readable
from dalembert.formulations.printing.render import sections
from dalembert.framed import Framed, in_short_axes, short_axes
from dalembert.kinematics.traced import shortest
from dalembert.trace import Expr, count_operations, evaluate, symbol, symbols, tracing
from dalembert.trace.canonical import canonical
from dalembert.trace.text.plain import PLAIN
from dalembert.vectors import cross, turn
from tests.constraints.loops import random_loops
from tests.mechanisms import planar_pendulum, random_state, random_tree


def traced(m: da.Mechanism, name: str, short: bool) -> list[np.ndarray]:
    """qdot, A, f, B, γ in world axes or in short ones, and the symbols."""
    form = FORMULATIONS[name]
    form = form.settled(m) if hasattr(form, "settled") else form
    q, w = symbols("q_", m.coordinates), symbols("w_", form.speeds(m))
    with tracing(), short_axes(short):
        s = form.state(m, symbol("t"), q, w)
        e = form.equations(s)
        return [np.asarray(x) for x in (s.rates, e.A, e.f, e.B, e.gamma)]


def numbers(m: da.Mechanism, name: str, made: list[np.ndarray], state: tuple) -> list[np.ndarray]:
    form = FORMULATIONS[name]
    form = form.settled(m) if hasattr(form, "settled") else form
    s = m.state(*state)
    values = m.parameter_values | {symbol("t"): s.t} | dict(zip(symbols("q_", m.coordinates), s.coordinates))
    values |= dict(zip(symbols("w_", form.speeds(m)), form.formulation_speeds(s)))
    return [np.asarray(x, dtype=float) for x in evaluate(made, values)]


NAMES = ["kane", "kane_minimal", "dalembert", "gauss", "newton_euler", "hooker", "composite_body"]


@pytest.mark.parametrize("seed", range(6))
def test_short_axes_give_the_same_equations_on_random_trees(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 4, prescribed=bool(seed % 2)).build()
    state = random_state(m, rng)
    for name in NAMES:
        if FORMULATIONS[name].refusal(m) is None:
            plain, short = (numbers(m, name, traced(m, name, on), state) for on in (False, True))
            for a, b in zip(plain, short):
                assert np.allclose(a, b, rtol=1e-10, atol=1e-10 * max(1.0, np.abs(a).max(initial=0.0))), name


@pytest.mark.parametrize("seed", range(3))
def test_short_axes_give_the_same_equations_with_loops(seed):
    rng = np.random.default_rng(seed)
    m, *state = random_loops(rng, 4, 1)
    for name in ("kane", "newton_euler", "lagrange"):
        if FORMULATIONS[name].refusal(m) is None:
            plain, short = (numbers(m, name, traced(m, name, on), state) for on in (False, True))
            for a, b in zip(plain, short):
                assert np.allclose(a, b, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(a).max(initial=0.0))), name


def test_framed_vectors_are_ordinary_arrays_of_world_components():
    """Every operation on them, known or not, gives what it gives on plain arrays."""
    from dalembert.framed import turned

    rng = np.random.default_rng(4)
    a, b = symbols("fr.", "ab")
    values = {a: 0.7, b: -1.2}
    with tracing(), short_axes():
        assert in_short_axes()
        R = turned(np.eye(3), turn(np.array([0.0, 0.0, 1.0]), a))
        S = turned(R, turn(np.array([1.0, 0.0, 0.0]), b))
        branch = turned(R, turn(np.array([0.0, 1.0, 0.0]), b))
        x, y, z = R @ rng.normal(size=3), S @ rng.normal(size=3), branch @ rng.normal(size=3)
        w, V = rng.normal(size=3), S @ rng.normal(size=(3, 4))
        assert all(isinstance(v, Framed) for v in (x, y, z, V))
        plain = {id(v): np.asarray(v) for v in (x, y, z, w, V)}

        def both(operation, *vectors):
            made = operation(*vectors)
            expected = operation(*(plain[id(v)] for v in vectors))
            found = evaluate([np.asarray(made, dtype=object), np.asarray(expected, dtype=object)], values)
            assert np.allclose(np.asarray(found[0], float), np.asarray(found[1], float), atol=1e-13)

        for operation in (
            lambda p, q: p + q,
            lambda p, q: p - q,
            cross,
            lambda p, q: p @ q,
            lambda p, q: 2.0 * p - q / 3.0,
        ):
            for one in (x, y, z, w):
                for other in (x, y, z, w):
                    both(operation, one, other)
        both(lambda p, q: p.T @ q, V, x)
        both(lambda p, q: cross(p, q), V, y)
        both(lambda p: np.hstack([p, p]), V)
        both(lambda p: p[:, [0, 2]], V)
        both(lambda p: p @ np.ones(4), V)
        both(lambda p: np.block([[p], [p]]), V)
        both(lambda p: np.concatenate([p, p]), x)
        both(lambda p: p * np.array([1.0, 2.0, 3.0]), x)
        for Q in (R, S, branch):
            for v in (x, y, z, w):
                both(lambda p, Q=Q: (Q.T if isinstance(p, Framed) else np.asarray(Q).T) @ p, v)
        assert all(type(e) is not Expr for e in (S.T @ y))  # its own components again


@pytest.mark.parametrize("seed", range(4))
def test_what_is_printed_has_the_value_of_what_is_traced(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 2 + seed % 2).build()
    q, u, t = random_state(m, rng)
    for name in ("kane", "lagrange", "boltzmann_hamel", "hamilton"):
        eq = m.equations(name)
        shown = sections(eq).values
        values = m.parameter_values | {eq.t: t} | dict(zip(eq.q, q))
        values |= dict(zip(eq.u, eq.method.formulation_speeds(m.state(q, u, t))))
        f = sum(np.asarray(evaluate(x, values), dtype=float) for key, x in shown.items() if key.startswith("f_"))
        expected = eq.evaluate(q, u, t)
        assert np.allclose(f, expected.f, rtol=1e-8, atol=1e-8 * np.abs(expected.f).max()), name
        A = np.asarray(evaluate(shown["A"], values), dtype=float)
        assert np.allclose(A, np.tril(expected.A), rtol=1e-9, atol=1e-10 * np.abs(expected.A).max()), name


MODELS = ["satellite", "rolling_sphere", "four_bar", "double_pendulum"]


@pytest.mark.parametrize("model", MODELS)
def test_the_text_computes_what_the_equations_say(model):
    """Line by line, as Python reads it."""
    m = da.load(f"examples/{model}.yaml")
    rng = np.random.default_rng(1)
    q, u = m.admissible(m.somewhere(rng, 0.5)), rng.normal(size=m.n_u)
    for name in ("kane", "lagrange"):
        eq = m.equations(name)
        own = eq.method.formulation_speeds(m.state(q, u))
        known = {s.name: float(v) for s, v in m.parameter_values.items()} | {"t": 0.0}
        known |= {s.name: float(v) for s, v in (*zip(eq.q, m.state(q, u).coordinates), *zip(eq.u, own))}
        scope = {_word(k): v for k, v in known.items()} | {"cos": np.cos, "sin": np.sin, "sqrt": np.sqrt}
        A, f = np.zeros((len(eq.u), len(eq.u))), np.zeros(len(eq.u))
        names = [w.name for w in eq.u]
        for line in eq.text().splitlines():
            left, _, right = line.strip().partition(" = ")
            if re.fullmatch(r"z\d+", left):
                scope[left] = eval(_words(right, known), scope)
            elif found := re.fullmatch(r"A\[(.*), (.*)\]", left):
                A[names.index(found[1]), names.index(found[2])] = eval(_words(right, known), scope)
            elif found := re.fullmatch(r"f_\w+\[(.*)\]", left):
                f[names.index(found[1])] += eval(_words(right, known), scope)
        e = eq.evaluate(q, u)
        assert np.allclose(A, np.tril(e.A), rtol=1e-10, atol=1e-11) and np.allclose(f, e.f, rtol=1e-9, atol=1e-9), name


def _word(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _words(text: str, names) -> str:
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", _word(name), text)
    return text


@pytest.mark.parametrize("model", MODELS)
def test_nothing_printed_is_larger_than_what_is_traced(model):
    m = da.load(f"examples/{model}.yaml")
    names = [n for n in FORMULATIONS if FORMULATIONS[n].refusal(m) is None]
    for name in names if m.n_bodies < 3 else ("kane", "boltzmann_hamel", "hooker"):
        eq = m.equations(name)
        with short_axes(False):
            world = count_operations(traced(m, name, False)[1:]).total
        assert eq.operations.total <= world, name
        parts = {"A": eq.A, "f": eq.f, "B": eq.B, "gamma": eq.gamma}
        as_traced = _split({k: np.asarray(x, dtype=object) for k, x in parts.items()})
        shown = readable(parts, Algebra.of(m, eq.u))
        assert shown.texts(PLAIN).cost <= as_traced.texts(PLAIN).cost, name


@pytest.mark.parametrize("drop", [(), ("eta2",)])
def test_equations_in_chosen_variables_are_printed(drop):
    """What is known of the joints' coordinates is used where these are still there."""
    s = da.System("two on a hub")
    s.add_body("hub", mass=3.0, inertia=(2.0, 1.1, 1.6))
    s.add_joint("float", da.Free(), "ground", "hub")
    for i, side in ((1, 1.0), (2, -1.0)):
        s.add_body(f"rod{i}", da.rod(0.7, 2.6, axis=(0, side, 0)))
        s.add_joint(f"hinge{i}", da.Revolute((1, 0, 0)), "hub", f"rod{i}", at_parent=(0, 0.4 * side, 0))
    angles = {"eta1": lambda s: s.q["hinge1"] + s.q["hinge2"], "eta2": lambda s: s.q["hinge1"] - s.q["hinge2"]}
    s.choose_coordinates(angles, drop=drop)
    m = s.build()
    rng = np.random.default_rng(0)
    q, u = m.admissible(rng.normal(size=m.n_q)), rng.normal(size=m.n_u)
    for name in ("kane", "lagrange"):
        eq = m.equations(name)
        assert "u_eta1" in eq.text() or "qdot_eta1" in eq.text()
        values = dict(zip(eq.q, q)) | dict(zip(eq.u, eq.method.formulation_speeds(m.state(q, u)))) | {eq.t: 0.0}
        A = np.asarray(evaluate(eq.sections.values["A"], values), dtype=float)
        expected = np.tril(eq.evaluate(q, u).A)
        assert np.allclose(A, expected, rtol=1e-9, atol=1e-9), name


@pytest.mark.parametrize("seed", range(4))
def test_nothing_printed_of_a_random_mechanism_is_larger_than_what_is_traced(seed):
    """No expression swell, by what there is to read; trees and loops."""
    rng = np.random.default_rng(seed)
    m = random_loops(rng, 3, 1)[0] if seed % 2 else random_tree(rng, 2).build()
    for name in ("kane", "lagrange", "newton_euler"):
        if FORMULATIONS[name].refusal(m) is None:
            eq = m.equations(name)
            assert eq.operations.total <= count_operations(traced(m, name, False)[1:]).total, name
            found = {"A": np.tril(eq.A), "f": eq.f, "B": eq.B, "gamma": eq.gamma}
            algebra = Algebra.of(m, eq.u)
            with tracing():  # in the order of print, on which it hangs which parts are named
                plain = canonical([np.asarray(x, dtype=object) for x in found.values()], algebra.order)
            assert count_operations(plain).total <= eq.operations.total, name
            assert readable(found, algebra).plain.cost <= _split(dict(zip(found, plain))).plain.cost, name


def test_the_shortest_of_two_traces_is_kept():
    x, y = symbols("sh.", "xy")
    made = shortest(lambda: [x * y] if in_short_axes() else [x * y + x], list)
    assert made == [x * y]
    made = shortest(lambda: [x * y + x] if in_short_axes() else [x * y], list)
    assert made == [x * y]


# -- as short as the sources -----------------------------------------------------------------------------------------------
def lines(eq) -> int:
    return sum(bool(line.strip()) for line in eq.text().splitlines())


def free_body() -> da.Mechanism:
    """Source C's single rigid body [C 167–214]."""
    s = da.System("free body", gravity=(0, 0, 0))
    moments = [s.parameter(f"I{k}", 1.0 + k) for k in (1, 2, 3)]
    s.add_body("b", mass=s.parameter("m", 2.0), inertia=moments)
    s.add_joint("q", da.Free(orientation="angles"), "ground", "b")
    return s.build()


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("kane", 12),  # [C 171, 181]: twelve equations of first order
        ("boltzmann_hamel", 12),
        ("recursive_newton_euler", 12),  # [C 169, 171]
        ("dalembert", 15),  # [C 183]: nine lines, and six rates
        ("lagrange", 15),
        ("hamilton", 17),  # [C 214]
    ],
)
def test_a_free_body_takes_at_most_twice_the_lines_of_the_source(name, source):
    assert lines(free_body().equations(name)) <= 2 * source


def test_a_free_body_by_lagrange_is_the_sources():
    text = free_body().equations("lagrange").text()
    assert "A[qdot_q.a2, qdot_q.a1] = cos(q_q.a2)*sin(q_q.a3)*cos(q_q.a3)*(I1 - I2)" in text
    assert "with" not in text.splitlines()


def test_unit_length_of_euler_parameters_is_used():
    """What is 1 by structure is not left standing."""
    s = da.System("ball", gravity=(0, 0, -9.81))
    s.add_body("ball", da.sphere(s.parameter("m", 1.0), s.parameter("a", 0.1)))
    s.add_joint("j", da.Free(), "ground", "ball")
    m = s.build()
    for name in ("kane", "composite_body", "newton_euler"):
        text = m.equations(name).text()
        found = re.findall(r"A\[(.*)\] = (.*)", text)
        assert len(found) == 6 and {value for _, value in found} <= {"m", "2/5*m*a**2", "0.4*m*a**2"}, text


def test_fractions_are_written_as_fractions():
    text = planar_pendulum(1).build().equations("kane").text()
    assert "0.3333" not in text
    rod = da.System("rod", gravity=(0, -9.81, 0))
    rod.add_body("rod", da.rod(rod.parameter("m", 1.0), rod.parameter("l", 1.0)))
    rod.add_joint("A", da.Revolute(), "ground", "rod")
    assert "A[u_A, u_A] = 1/3*m*l**2" in rod.build().equations("kane").text()
