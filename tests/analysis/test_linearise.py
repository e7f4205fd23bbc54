"""Linearisations and modes against closed forms, and against differences of the nonlinear equations on random mechanisms."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import dalembert as da
from dalembert.constraints.assembly.assemble import close
from dalembert.constraints.dynamics import solve_state
from dalembert.files import gallery
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.analysis.perturbed import differences
from tests.constraints.loops import random_loops
from tests.effort import examples
from tests.mechanisms import random_state, random_tree

EXAMPLES = Path(__file__).parents[2] / "examples"
G = 9.81


def double_pendulum(masses=(1.0, 1.0)):
    s = da.System("double pendulum", gravity=(0, -G, 0))
    damping = s.parameter("c", 0.0)
    for name, mass in zip("ab", masses):
        s.add_body(name, mass=mass, com=(0, -1, 0), inertia=(0, 0, 0))
    s.add_joint("A", da.Revolute(), "ground", "a")
    s.add_joint("B", da.Revolute(), "a", "b", at_parent=(0, -1, 0))
    s.add_force("friction", da.JointSpring("A", damping=damping))
    return s.build()


def test_modes_of_a_double_pendulum():
    """ω² = (2 ∓ √2) g/ℓ, with tips moving as (1, ±√2)."""
    modes = double_pendulum().linearise().modes()
    assert np.allclose((2 * np.pi * modes.frequencies) ** 2, G * (2 + np.array([-1, 1]) * np.sqrt(2)), rtol=1e-12)
    assert np.allclose(modes.damping_ratios, 0.0, atol=1e-12)
    for mode, ratio in zip(modes, (np.sqrt(2), -np.sqrt(2))):
        upper, lower = mode["A"], mode["A"] + mode["B"]
        assert lower / upper == pytest.approx(ratio, rel=1e-10)


def test_state_space_forms_agree():
    m = double_pendulum()
    lin = m.linearise(None, None, inputs=["A", "c"], outputs={"tip": lambda s: s.position(("b", (0, -1, 0)))[0]})
    assert lin.states == ("A", "B", "A'", "B'") and lin.inputs == ("A", "c") and lin.outputs == ("tip",)
    assert np.allclose(lin.C, [[2, 1, 0, 0]])
    assert np.allclose(lin.B[2:, 0], np.linalg.solve(lin.mass, [1, 0]))
    assert np.allclose(lin.B[:, 1], 0.0)  # friction does nothing at rest
    assert np.allclose(np.sort_complex(np.linalg.eigvals(lin.to_scipy().A)), np.sort_complex(lin.eigenvalues))
    moving = m.linearise([0.3, 0.2], [2.0, 0.0], inputs=["c"])
    assert np.allclose(moving.B[2:, 0], np.linalg.solve(moving.mass, [-2.0, 0.0]))
    control = pytest.importorskip("control")
    assert isinstance(lin.to_control(), control.StateSpace)


def test_damping_is_symmetric_and_slows():
    lin = double_pendulum().with_parameters(c=0.4).linearise()
    assert np.allclose(lin.damping, np.diag([0.4, 0.0])) and np.allclose(lin.gyroscopic, 0.0)
    assert lin.verdict == "asymptotically stable"
    assert all(mode.damping_ratio > 0 for mode in lin.modes())


def test_a_redundant_rhombus_swings_as_one_pendulum():
    """[A 47]: θ̈ + (6g/5ℓ) sin θ = 0, five rows of which two are independent."""
    m = da.load(EXAMPLES / "rhombic_linkage.yaml")
    still = m.equilibrium({"A1": -1.4, "A2": 1.4, "A3": -1.4 - np.pi / 2})
    modes = still.linearisation.modes()
    assert len(still.linearisation.speeds) == 1 and still.stable
    assert 2 * np.pi * modes.frequencies[0] == pytest.approx(np.sqrt(6 * G / 5), rel=1e-10)
    shown = modes[0].motion(amplitude=0.3)
    assert np.abs(shown["A1"] - still.coordinates["A1"]).max() == pytest.approx(0.3, rel=0.05)
    gaps = [np.abs(d.gap(m.state(q))).max() for q in shown.q[::20] for d in m.constraint_rows.values()]
    assert max(gaps) < 1e-10


def test_a_mode_can_be_looked_at(tmp_path):
    page = double_pendulum().linearise().modes()[1].motion(0.2).page(tmp_path / "mode.html")
    assert page.stat().st_size > 10_000


def rotor(stiffness=500.0, transverse=0.3, polar=0.1):
    """A disc on a shaft that tilts about two axes on springs, and spins."""
    s = da.System("rotor")
    s.add_body("shaft", mass=0.0)
    s.add_body("disc", mass=1.0, inertia=(transverse, transverse, polar))
    s.add_joint("tilt", da.Universal((1, 0, 0), (0, 1, 0)), "ground", "shaft")
    s.add_joint("spin", da.Revolute((0, 0, 1)), "shaft", "disc")
    for freedom in da.Universal((1, 0, 0), (0, 1, 0)).speeds:
        s.add_force(f"spring{freedom}", da.JointSpring("tilt", stiffness=stiffness, coordinate=freedom))
    return s.build()


def test_critical_speeds_of_a_rotor():
    """Iₜλ² ∓ iI_pΩλ + k = 0: backward whirl meets the speed at √(k/(Iₜ + I_p)), forward whirl at √(k/(Iₜ − I_p))."""
    locus = rotor().root_locus("spin", np.linspace(0.0, 80.0, 9))
    found = [c.value for c in locus.critical_speeds()]
    assert np.allclose(found, [np.sqrt(500 / 0.4), np.sqrt(500 / 0.2)], rtol=1e-10)
    G0 = rotor().linearise(None, [0, 0, 10.0]).gyroscopic
    assert np.allclose(np.abs(G0[:2, :2]), [[0, 0.1 * 10], [0.1 * 10, 0]], atol=1e-12)


def test_a_crossing_that_falls_on_one_of_the_values_is_found():
    """Whether rounding leaves it before, behind or on the value."""
    locus = rotor().root_locus("spin", np.linspace(0.0, 80.0, 9))
    for off in (0.0, 1e-12, -1e-12):
        found = [c.value for c in locus.crossings(lambda x, root, off=off: (x - 50.0 + off) * np.sign(root.imag + 0.5))]
        assert found and np.allclose(found, 50.0, atol=1e-9), off


def test_an_uneven_shaft_is_unstable_between_its_critical_speeds():
    """A mass on two springs of a turning frame: k − κ with κ = mΩ², unstable from √(k₁/m) to √(k₂/m)."""
    s = da.System("uneven shaft")
    speed = s.parameter("speed", 1.0)
    s.add_body("frame", mass=1.0, inertia=(1, 1, 1))
    s.add_body("slide", mass=0.0)
    s.add_body("disc", mass=2.0)
    s.add_joint("turn", da.Revolute((0, 0, 1)), "ground", "frame", prescribed=lambda t: speed * t)
    s.add_joint("x", da.Prismatic((1, 0, 0)), "frame", "slide")
    s.add_joint("y", da.Prismatic((0, 1, 0)), "slide", "disc")
    s.add_force("soft", da.JointSpring("x", stiffness=200.0))
    s.add_force("hard", da.JointSpring("y", stiffness=300.0))
    m = s.build()
    lin = m.with_parameters(speed=7.0).linearise()
    assert np.allclose(lin.structural, np.diag([200.0, 300.0]), atol=1e-10)
    assert np.allclose(lin.centrifugal, 2.0 * 49.0 * np.eye(2), atol=1e-10)
    assert np.allclose(lin.gyroscopic, 2 * 2.0 * 7.0 * np.array([[0, -1], [1, 0]]), atol=1e-10)
    limits = [c.value for c in m.root_locus("speed", np.linspace(8, 14, 7)).stability_limits()]
    assert np.allclose(limits, [10.0, np.sqrt(150.0)], rtol=1e-9)
    chart = m.stability_map({"speed": [8.0, 11.0, 14.0]})
    assert chart.stable.tolist() == [True, False, True]
    pytest.importorskip("matplotlib").use("Agg")
    assert chart.plot().get_xlabel() == "speed"


@settings(max_examples=examples(2))
@given(st.integers(0, 10**6))
def test_random_trees_to_first_order(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 2).build()
    if m.n_u:
        lin = m.linearise(*random_state(m, rng), outputs={})
        _check(m, lin)


@settings(max_examples=examples(2))
@given(st.integers(0, 10**6), st.booleans())
def test_random_loops_to_first_order(seed, doubled):
    """Geometric stiffness of loops, redundant ones too: independent speeds' rates against differences."""
    m, q, u, t = random_loops(np.random.default_rng(seed), 2, 1, doubled=doubled)
    try:
        lin = m.linearise(q, u, t, outputs={})
    except da.StateError:
        return  # a singular pose
    if np.abs(lin.displacement_of).max(initial=0.0) < 1e2:
        _check(m, lin)


def test_a_rolling_disc_to_first_order():
    m = da.load(EXAMPLES / "rolling_disc.yaml")
    lin = m.linearise(*m.assemble(dict(m.plan.initial), dict(m.plan.speeds)), outputs={})
    assert (len(lin.displacements), len(lin.speeds)) == (5, 3)
    _check(m, lin)


def _check(m, lin):
    n = len(lin.displacements)
    if not n:
        return  # locked
    expected = differences(m, lin)[m.n_q :]
    assert np.allclose(lin.A[n:], expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))


def test_along_a_motion():
    """A nearby motion deviates as the linearisations along the motion say: ẋ = A(t) x."""
    m = double_pendulum()
    base = m.simulate(0.5, {"A": 0.8, "B": 0.3}, output=0.005, rtol=1e-12)
    other = m.simulate(0.5, {"A": 0.8 + 1e-6, "B": 0.3}, output=0.005, rtol=1e-12)
    every = m.linearise_along(base)
    assert len(every) == len(base) and every[3].t == base.t[3]
    x = np.array([1.0, 0.0, 0.0, 0.0])
    for a, mid, b in zip(every[::2], every[1::2], every[2::2]):  # RK4 over two samples
        k1 = a.A @ x
        k2 = mid.A @ (x + 0.005 * k1)
        k3 = mid.A @ (x + 0.005 * k2)
        x = x + 0.01 / 6 * (k1 + 2 * k2 + 2 * k3 + b.A @ (x + 0.01 * k3))
    exact = np.concatenate([other.q[-1] - base.q[-1], other.u[-1] - base.u[-1]]) / 1e-6
    assert np.allclose(x, exact, rtol=1e-4, atol=1e-4)


def test_what_is_asked_wrongly_is_said():
    m = double_pendulum()
    with pytest.raises(da.ModelError, match='input "D" is neither a speed'):
        m.linearise(inputs=["D"])
    with pytest.raises(da.ModelError, match="neither a parameter"):
        m.root_locus("D", [1.0])
    bicycle = da.load(EXAMPLES / "bicycle.yaml")
    with pytest.raises(da.StateError, match="not independent"):
        bicycle.linearise(keep=("ride.vz", "ride.vx"))


def test_elastic_bodies_swing_and_sag():
    """A cantilever: 1.875² √(EI/ρA)/L², and wL⁴/8EI at its tip; its stiffness is k, not κ."""
    E, rho, A, I, L = 7e10, 2700.0, 1e-4, 3e-9, 5.0
    stiff = da.beam(L, E=E, rho=rho, A=A, Iy=I, Iz=I, modes={"y": 3})
    s = da.System("cantilever", gravity=(0, -0.1, 0))
    s.add_body("boom", elastic=stiff)
    s.add_joint("root", da.Weld(), "ground", "boom", at_child="root")
    m = s.build()
    lin = m.linearise()
    assert 2 * np.pi * lin.modes().frequencies[0] == pytest.approx(
        1.875104069**2 * np.sqrt(E * I / (rho * A)) / L**2, rel=1e-5
    )
    assert np.allclose(lin.centrifugal, 0.0, atol=1e-9) and np.allclose(lin.structural, stiff.Ke, rtol=1e-4, atol=1e-6)
    sagging = m.equilibrium()
    sag = m.state(sagging.q).position(("boom", "tip"))[1]
    assert sagging.stable and sag == pytest.approx(-rho * A * 0.1 * L**4 / (8 * E * I), rel=1e-3)


def test_a_long_shaft_of_discs():
    """n discs on a torsion bar, one end fixed: ω_i = 2√(k/J) sin((2i − 1)π/(4n + 2)); large trees go by compiled sweeps."""
    n, k, J = 40, 300.0, 0.2
    s = da.System("torsion bar")
    parent = "ground"
    for i in range(n):
        s.add_body(f"disc{i}", mass=1.0, inertia=(J, J, J))
        s.add_joint(f"bar{i}", da.Revolute((0, 0, 1)), parent, f"disc{i}", at_parent=(0, 0, 0.1))
        s.add_force(f"twist{i}", da.JointSpring(f"bar{i}", stiffness=k))
        parent = f"disc{i}"
    modes = s.build().linearise().modes()
    i = np.arange(1, n + 1)
    assert np.allclose(
        2 * np.pi * modes.frequencies, 2 * np.sqrt(k / J) * np.sin((2 * i - 1) * np.pi / (4 * n + 2)), rtol=1e-10
    )


def test_lengths_of_a_loop_are_inputs_with_exact_columns():
    """B and D for changed lengths, the independent displacements and speeds being kept, against differences of sixth order."""
    m = da.load(gallery.files()["four_bar"])
    q, u = m.assemble({"A": 1.0}, {"A": 6.0})
    outputs = {"D": lambda s: s.q["D"], "v": lambda s: s.velocity("rocker")[0]}
    lin = m.linearise(q, u, inputs=["crank", "base"], outputs=outputs)
    places, kept = ([m.speeds.index(name) for name in names] for names in (lin.displacements, lin.speeds))
    rest = [i for i in range(m.n_u) if i not in kept]

    def changed(name, h):
        other = m.with_parameters(**{name: m.parameters[name] + h})
        pose, speeds = close(other, q, places, 0.0).q, np.array(u)
        rows = constraint_rows(other.state(pose, speeds))
        speeds[rest] -= np.linalg.lstsq(rows.B[:, rest], rows.B @ speeds - rows.b, rcond=1e-9)[0]
        s, udot = other.state(pose, speeds), solve_state(other, pose, speeds, np.zeros(m.n_u), 0.0, "svd").udot
        return np.array([*s.rates[places], *udot[kept], s.q["D"], s.velocity("rocker")[0]])

    for column, name in zip(np.vstack([lin.B, lin.D]).T, lin.inputs):
        D = [(changed(name, k * 1e-3) - changed(name, -k * 1e-3)) / (2e-3 * k) for k in (1, 2, 3)]
        assert np.allclose(column, (15 * D[0] - 6 * D[1] + D[2]) / 10, rtol=1e-9, atol=1e-9)
