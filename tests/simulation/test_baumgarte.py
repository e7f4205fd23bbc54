"""Baumgarte's terms act in every formulation: gaps decay by g̈ + αġ + βg = 0 [B Remark 4]."""

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS, formulation_named
from dalembert.formulations.formulation import SolvesRows, formulation_speed_symbols
from dalembert.kernels.rhs.formulation_kernel import FormulationKernel
from dalembert.kernels.runtime.straight import extra_input
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.trace import evaluate, symbol, symbols
from tests.mechanisms import random_state

GAINS = da.Baumgarte(40.0, 400.0)


def four_bar():
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in {"crank": 1.0, "coupler": 2.0, "rocker": 1.5}.items():
        s.add_body(name, da.box(1.0, (length, 0.1, 0.1), com=(length / 2, 0, 0)))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2, 0, 0))
    s.add_joint("D", da.Revolute(), "rocker", "ground", at_parent=(1.5, 0, 0), at_child=(2.2, 0, 0))
    return s.build()


@pytest.fixture(scope="module")
def m():
    return four_bar()


def run(m, formulation, stabilise):
    options = {"method": "rk4", "step": 0.02, "output": 0.02, "formulation": formulation, "stabilise": stabilise}
    return m.simulate(0.6, {"A": 1.0}, {"A": -2.0}, **options)


NAMES = [n for n in FORMULATIONS if FORMULATIONS[n].refusal(four_bar()) is None]


@pytest.mark.parametrize("name", NAMES)
def test_the_terms_act(m, name):
    drifting, kept, usual = (run(m, *how).q[-1] for how in ((name, "none"), (name, GAINS), ("kane", GAINS)))
    np.testing.assert_allclose(kept, usual, atol=2e-4)  # the error of steps as long as these
    if not isinstance(FORMULATIONS[name], SolvesRows):  # whose velocities never drift
        assert np.abs(kept - drifting).max() > 2e-5


def gaps(m, motion):
    """g of the loop's rows at every output."""
    states = [m.state(*x) for x in zip(motion.q, motion.u, motion.t)]
    return np.array([constraint_rows(s).g for s in states])


def law(t, g, rate, alpha, beta):
    """The solution of g̈ + αġ + βg = 0 from g and ġ at t = 0, by the roots of its characteristic equation."""
    one, two = np.roots([1.0, alpha, beta]).astype(complex)
    second = (rate - one * g) / (two - one)
    return ((g - second) * np.exp(one * t[:, None]) + second * np.exp(two * t[:, None])).real


OPEN = {"A": 1.0, "B": -0.8, "D": 1.8}
SWINGING, DECAYING = da.Baumgarte(4.0, 40.0), da.Baumgarte(10.0, 16.0)


@pytest.mark.parametrize("gains", [SWINGING, DECAYING], ids=["swinging", "decaying"])
@pytest.mark.parametrize("name", NAMES)
def test_gaps_obey_the_law_from_an_open_start(m, name, gains):
    solves = isinstance(FORMULATIONS[name], SolvesRows)
    how = {"formulation": name, "stabilise": gains, "assemble": False, "output": 0.1, "rtol": 1e-9, "atol": 1e-11}
    if solves and gains is SWINGING:
        with pytest.raises(da.FormulationError, match=r"can only decay: give alpha of at least 12\.6"):
            m.simulate(0.1, OPEN, **how)
        return
    motion = m.simulate(1.5, OPEN, {"A": -1.0}, **how)
    assert motion.record["options"]["assemble"] is False
    found = gaps(m, motion)
    assert np.abs(found[0]).max() > 0.1
    rows = constraint_rows(m.state(motion.q[0], motion.u[0]))
    expected = law(motion.t, rows.g, rows.B @ motion.u[0] - rows.b, gains.alpha, gains.beta)
    kept = np.abs(found[0]) > 1e-3  # the rows that move; of a loop in the plane others are zero throughout
    np.testing.assert_allclose(found[:, kept], expected[:, kept], atol=1e-5 if name == "gauss_penalty" else 1e-7)


def test_the_gains_can_be_read_off_a_motion(m):
    """α and β fitted to what was sampled, without knowing them: g̈ by differences of ġ."""
    motion = m.simulate(0.5, OPEN, stabilise=da.Baumgarte(6.0, 50.0), assemble=False, output=1e-3)
    states = [m.state(*x) for x in zip(motion.q, motion.u, motion.t)]
    rows = [constraint_rows(s) for s in states]
    moving = np.argmax(np.abs(rows[0].g))
    g = np.array([r.g[moving] for r in rows])
    rate = np.array([(r.B @ s.speeds - r.b)[moving] for r, s in zip(rows, states)])
    second = (rate[2:] - rate[:-2]) / 2e-3
    found = np.linalg.lstsq(np.column_stack([-rate[1:-1], -g[1:-1]]), second, rcond=None)[0]
    np.testing.assert_allclose(found, [6.0, 50.0], rtol=1e-4)


@pytest.mark.parametrize("name", ["newton_euler", "barycentric", "hooker", "lagrange"])
def test_speeds_that_joints_forbid_die_away(name):
    """v̇ + αv = 0 on the rows of the formulation itself, which its own speeds can break: v = B w − b."""
    rng = np.random.default_rng(1)
    s = da.System("ring", gravity=(0, 0, -9.81))
    for k, (kind, parent) in enumerate(
        {da.Spherical(): "ground", da.Revolute((1, 0, 0)): "b0", da.Cylindrical(): "b1"}.items()
    ):
        s.add_body(f"b{k}", da.box(1.0 + k, (0.2, 0.3, 0.4)))
        s.add_joint(f"j{k}", kind, parent, f"b{k}", at_parent=(0.1, 0.2 * k, 0.3))
    s.add_constraint("bar", da.Distance("b2", ("ground", (1.0, 1.0, 1.0)), 1.5))
    m = s.build()
    form = formulation_named(m, name)
    plain, damped = (FormulationKernel(m, form, "augmented", (0,), gains).written for gains in (None, (7.0, 0.0)))
    q, u, _ = random_state(m, rng)
    w = formulation_speed_symbols(form, m)
    own = len(plain.B) - 1
    obeying = form.formulation_speeds(m.state(q, u))
    broken = obeying + rng.uniform(-0.1, 0.1, len(obeying))

    def at(values, x):
        known = {symbol("t"): 0.0} | dict(zip(symbols("q_", m.coordinates), q)) | dict(zip(w, x))
        return np.asarray(evaluate(list(values), known | dict.fromkeys(extra_input(m.speeds), 0.0)), dtype=float)

    terms = (at(plain.gamma, broken) - at(damped.gamma, broken))[:own]
    u_read = form.state(m, 0.0, q, broken).speeds
    slip = at(plain.B[:own].ravel(), broken).reshape(own, -1) @ (broken - form.formulation_speeds(m.state(q, u_read)))
    assert np.abs(slip).max() > 1e-3
    np.testing.assert_allclose(terms, 7.0 * slip, atol=1e-12)


def test_an_open_start_is_not_closed_by_a_projection(m):
    with pytest.raises(da.SimulationError, match=r"assemble=False.*baumgarte"):
        m.simulate(0.1, OPEN, assemble=False)
    drifting = m.simulate(0.5, OPEN, stabilise="none", assemble=False)
    found = gaps(m, drifting)
    np.testing.assert_allclose(found[-1], found[0], atol=1e-9)  # from rest, g̈ = 0 leaves them as they are


def test_every_option_is_recorded(m):
    for given, recorded in [(GAINS, {"alpha": 40.0, "beta": 400.0}), ("projection", "projection"), ("none", "none")]:
        options = m.simulate(0.01, {"A": 1.0}, stabilise=given, max_steps=500).record["options"]
        assert options["stabilise"] == recorded and options["max_steps"] == 500
    many = m.simulate_many([{"A": 1.0}, {"A": 1.1}], 0.01)
    assert many.record["options"]["stabilise"] == "projection"


def test_a_record_with_gains_survives_a_file(m, tmp_path):
    motion = m.simulate(0.01, {"A": 1.0}, stabilise=GAINS)
    motion.save(tmp_path / "x.nc")
    assert da.load_motion(tmp_path / "x.nc").record["options"]["stabilise"] == {"alpha": 40.0, "beta": 400.0}
