"""Equations that people read and machines run are the equations that are solved."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS
from dalembert.trace import evaluate, symbol
from tests.formulations.analytic import ANALYTIC
from tests.mechanisms import planar_pendulum, random_state, random_tree

ALL = list(ANALYTIC)


def crane(loop: bool = True) -> da.Mechanism:
    """A trolley on springs with a swinging load, driven, damped, and held by a rod: a bit of everything, all in one plane."""
    s = da.System("crane", gravity=(0, -9.81, 0))
    m, l, k = s.parameter("m", 2.0), s.parameter("l", 0.8), s.parameter("k", 30.0)
    s.add_body("trolley", mass=3.0, inertia=(0.1, 0.1, 0.1))
    s.add_body("load", da.rod(m, l))
    s.add_body("tail", da.rod(0.5, 0.4))
    s.add_joint("rail", da.Prismatic((1, 0, 0)), "ground", "trolley")
    s.add_joint("hook", da.Revolute(), "trolley", "load")
    s.add_joint("end", da.Revolute(), "load", "tail", at_parent=(l, 0, 0))
    s.add_force("buffer", da.JointSpring("rail", stiffness=k, damping=0.7))
    s.add_force("wind", da.Load(("load", (0.5, 0, 0)), force=lambda s: (da.sin(s.t), 0.2, 0)))
    s.add_force("engine", da.Motor("rail", lambda s: 3.0 - 0.5 * s.u["rail"]))
    s.add_force("cord", da.Spring("trolley", ("tail", (0.4, 0, 0)), stiffness=5.0, length=0.3))
    if loop:
        s.add_constraint("rod", da.Distance("ground", ("tail", (0.4, 0, 0)), 1.2))
    return s.build()


def names_for(m: da.Mechanism) -> list[str]:
    return [name for name in ALL if ANALYTIC[name].refusal(m) is None]


def values_at(eq, q, u, t):
    m = eq.mechanism
    own = eq.method.formulation_speeds(m.state(q, u, t))
    return m.parameter_values | {symbol("t"): t} | dict(zip(eq.q, q)) | dict(zip(eq.u, own))


STATE = ([0.2, -1.1, 0.6], [0.3, 0.5, -0.4], 0.7)


@pytest.mark.parametrize("loop", [False, True])
def test_the_parts_of_f_add_up(loop):
    m = crane(loop)
    assert len(names_for(m)) == (9 if loop else 11)
    for name in names_for(m):
        eq = m.equations(name)
        parts = [eq.f, eq.velocity_terms, eq.gravity, eq.applied]
        f, velocity, gravity, applied = (np.asarray(x, dtype=float) for x in evaluate(parts, values_at(eq, *STATE)))
        assert np.abs(velocity + gravity + applied - f).max() <= 1e-12 * np.abs(f).max(), name
        assert min(np.abs(x).max() for x in (velocity, gravity, applied)) > 1e-3, name


@pytest.mark.parametrize("seed", range(3))
def test_the_parts_of_f_add_up_on_random_trees(seed):
    """Whatever the forces are: what weighs rows and conditions in A does not hang on which of them are left out."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 2).build()
    q, u, t = random_state(m, rng)
    for name in (n for n in FORMULATIONS if FORMULATIONS[n].refusal(m) is None):
        eq = m.equations(name)
        parts = [eq.f, eq.velocity_terms, eq.gravity, eq.applied]
        f, *others = (np.asarray(x, dtype=float) for x in evaluate(parts, values_at(eq, q, u, t)))
        assert np.abs(sum(others) - f).max() <= 1e-9 * sum(np.abs(x).max() for x in others), name


def test_parts_mean_what_they_say():
    """At rest there are no velocity terms; without forces nothing is applied; without gravity it weighs nothing."""
    eq = crane(False).equations("lagrange")
    at_rest = values_at(eq, STATE[0], [0.0, 0.0, 0.0], 0.0)
    assert np.abs(np.asarray(evaluate(eq.velocity_terms, at_rest), dtype=float)).max() == 0.0
    bare = planar_pendulum(2, gravity=0.0).build().equations("kane", parameters="numbers")
    assert np.all(bare.gravity == 0.0) and np.all(bare.applied == 0.0)


def test_a_small_system_reads_like_a_textbook():
    text = planar_pendulum(2).build().equations("kane").text()
    assert text.splitlines() == [
        "2-link pendulum, Kane, relative coordinates",
        "A du/dt = f_velocity + f_gravity",
        "",
        "rates of the coordinates",
        "  d/dt q = u",
        "",
        "mass matrix, symmetric, where it is not 0",
        *text.splitlines()[7:10],
        "",
        "velocity terms, where they are not 0",
        *text.splitlines()[12:14],
        "",
        "gravity, where it is not 0",
        *text.splitlines()[16:18],
    ]
    m = planar_pendulum(2).build()
    scope = {s.name: v for s, v in values_at(m.equations("kane"), [0.3, 0.7], [1.0, -2.0], 0.0).items()}
    e = m.equations("kane").evaluate([0.3, 0.7], [1.0, -2.0])
    scope |= {"cos": np.cos, "sin": np.sin}
    parts = {
        line.split(" = ")[0].strip(): eval(line.split(" = ")[1], scope) for line in text.splitlines() if "[" in line
    }
    assert parts["A[u_A1, u_A1]"] == pytest.approx(e.A[0, 0], rel=1e-12)
    assert parts["A[u_A2, u_A1]"] == pytest.approx(e.A[1, 0], rel=1e-12)
    for i, name in enumerate(["u_A1", "u_A2"]):
        assert parts[f"f_velocity[{name}]"] + parts[f"f_gravity[{name}]"] == pytest.approx(e.f[i], rel=1e-12)
    assert " with" not in text and "z1" not in text


@pytest.mark.parametrize("name", ALL)
def test_latex_is_well_formed(name, katex):
    m = crane(ANALYTIC[name].refusal(crane()) is None)
    assert katex(m.equations(name).latex()) == ""


def test_every_formulation_can_be_read(katex):
    m = planar_pendulum(2).build()
    for name in (n for n in FORMULATIONS if FORMULATIONS[n].refusal(m) is None):
        assert katex(m.equations(name).latex()) == "", name


def test_katex_refuses_what_is_not_well_formed(katex):
    for wrong in (r"\begin{aligned} a &= {b \end{aligned}", r"\unknown", "x__1"):
        assert katex(wrong)


def test_ten_links_in_latex_are_well_formed(katex):
    assert katex(planar_pendulum(10).build().equations("kane").latex()) == ""


def test_sympy_gives_the_same_numbers():
    pytest.importorskip("sympy")
    m = crane()
    for name in ("kane", "lagrange", "hamilton"):
        eq = m.equations(name)
        replacements, found = eq.sympy()
        values = {s.name: float(v) for s, v in values_at(eq, *STATE).items()}
        for s, x in replacements:
            values[s.name] = float(x.xreplace({v: values[v.name] for v in x.free_symbols}))
        f = sum(
            np.array(part.subs({s: values[s.name] for s in part.free_symbols}).tolist(), dtype=float).ravel()
            for key, part in found.items()
            if key.startswith("f_")
        )
        assert np.allclose(f, eq.evaluate(*STATE).f, rtol=1e-10, atol=1e-10), name
        assert list(found) == ["qdot", "A", "f_velocity", "f_gravity", "f_applied", "B", "gamma"]


def test_small_systems_need_no_replacements_in_sympy():
    sympy = pytest.importorskip("sympy")
    replacements, found = planar_pendulum(1).build().equations("kane").sympy()
    m, l, I, g, q = sympy.symbols("m1 l1 I1 g q_A1", real=True)
    assert replacements == []
    assert sympy.nsimplify(found["A"][0] - (I + m * l**2 / 4)) == 0
    assert sympy.nsimplify(found["f_gravity"][0] + g * m * l * sympy.cos(q) / 2) == 0


# -- code ------------------------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def compiler():
    found = next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), None)
    if found is None or sys.platform == "win32":
        pytest.skip("there is no C compiler")
    return found


def test_c_agrees_with_evaluate(compiler, tmp_path):
    """All formulations, compiled together as one library."""
    m = crane()
    written = {name: m.equations(name) for name in names_for(m)}
    source = tmp_path / "equations.c"
    source.write_text("\n".join(eq.code("c", name) for name, eq in written.items()))
    library = tmp_path / "equations.so"
    strict = ["-std=c99", "-Wall", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run([compiler, *strict, source, "-o", library, "-lm"], check=True)
    loaded = ctypes.CDLL(str(library))
    q, u, t = STATE
    for name, eq in written.items():
        own = eq.method.formulation_speeds(m.state(q, u, t))
        results = {key: np.full(np.shape(x), np.nan) for key, x in eq.results.items()}
        inputs = [np.array(q), np.array(own, dtype=float), np.array(list(m.parameters.values()))]
        call = [ctypes.c_double(t), *(x.ctypes.data_as(ctypes.c_void_p) for x in (*inputs, *results.values()))]
        getattr(loaded, name)(*call)
        e = eq.evaluate(q, u, t)
        for key in ("A", "f", *(("B", "gamma") if len(e.gamma) else ())):
            expected = getattr(e, key)
            assert np.abs(results[key] - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max()), (name, key)


def test_casadi_agrees_with_evaluate():
    pytest.importorskip("casadi")
    m = crane()
    for name in ("kane", "hamilton"):
        eq = m.equations(name)
        own = eq.method.formulation_speeds(m.state(*STATE))
        function = eq.casadi()
        assert function.name_in() == ["t", "q", "u", "parameters"]
        found = function(STATE[2], STATE[0], own, list(m.parameters.values()))
        e = eq.evaluate(*STATE)
        for key, values in zip(function.name_out(), found):
            if key != "qdot":
                expected = getattr(e, key)
                assert np.allclose(np.array(values).reshape(expected.shape), expected, rtol=1e-12, atol=1e-12), (
                    name,
                    key,
                )


def test_without_casadi_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(da.TraceError, match=r"pip install dalembert\[casadi\]"):
        planar_pendulum(1).build().equations("kane").casadi()


def test_equations_in_momenta_are_written_in_momenta():
    eq = planar_pendulum(2).build().equations("hamilton")
    assert [w.name for w in eq.u] == ["p_A1", "p_A2"]
    assert np.array_equal(eq.A, np.eye(2))
