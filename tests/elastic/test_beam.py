"""Data of beams against closed forms; the accuracies are those of 32 elements, order 4 in their length."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import beam
from dalembert.errors import ModelError

from .beams import CLAMPED, FREE, SPIN_UP, euler_bernoulli, line_mass, spin_up_beam


def test_cantilever_frequencies() -> None:
    error = spin_up_beam(static=False).frequencies / euler_bernoulli(CLAMPED) - 1.0
    assert np.all(error > 0.0) and np.all(error < [1e-8, 4e-7, 3e-6, 1.1e-5, 3e-5])


def test_free_frequencies() -> None:
    error = spin_up_beam(support="free").frequencies / euler_bernoulli(FREE) - 1.0
    assert np.all(error > 0.0) and np.all(error < [4e-7, 3e-6, 1.1e-5, 3e-5, 7e-5])


def test_frequencies_converge_with_the_fourth_power_of_the_element_length() -> None:
    exact = euler_bernoulli(CLAMPED)[2]
    errors = [spin_up_beam(elements=n, static=False).frequencies[2] / exact - 1.0 for n in (8, 16)]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.05)


def test_moments_of_a_cantilever() -> None:
    """∫φ dm = 2σ√m/β and ∫xφ dm = 2L√m/β² for mass-normalised modes (β for βL)."""
    b, L, m = spin_up_beam(static=False), SPIN_UP["length"], line_mass() * SPIN_UP["length"]
    sigma = (np.sinh(CLAMPED) - np.sin(CLAMPED)) / (np.cosh(CLAMPED) + np.cos(CLAMPED))
    assert np.abs(b.S[1:, 1]) == pytest.approx(2.0 * sigma / CLAMPED * np.sqrt(m), rel=4e-7)
    assert np.abs(b.P[0, 1:, 0, 1]) == pytest.approx(2.0 * L / CLAMPED**2 * np.sqrt(m), rel=2e-7)
    assert b.Me == pytest.approx(np.eye(5), abs=1e-13)
    assert b.m == pytest.approx(m, rel=1e-14)
    J = np.trace(b.P[0, 0]) * np.eye(3) - b.P[0, 0]
    assert pytest.approx(np.diag([0.0, m * L * L / 3.0, m * L * L / 3.0]), rel=1e-13) == J


def test_centrifugal_stiffness_of_the_first_mode() -> None:
    """∫ ½ρA (L² − x²) φ'² dx = 1.19333637411 for the exact first mode."""
    assert -spin_up_beam(static=False).H[0, 0, 0, 0] == pytest.approx(1.19333637411, rel=1e-9)


def test_timoshenko_beam_on_two_supports() -> None:
    """Against the closed-form frequencies of a simply supported Timoshenko beam (lower branch)."""
    E, rho, A, I, L, k, G = 2.1e11, 7850.0, 0.02, 6.7e-5, 2.0, 5.0 / 6.0, 8.0e10
    made = beam(
        L, E=E, rho=rho, A=A, Iy=I, Iz=I, G=G, shear=k, modes={"y": 3}, support="pinned", elements=40, stiffening=False
    )
    for n, w in enumerate(made.frequencies, start=1):
        a = n * np.pi / L
        # ρ²I/(kG) ω⁴ − (ρA + ρI a² (1 + E/(kG))) ω² + EI a⁴ = 0
        roots = np.roots([rho**2 * I / (k * G), -(rho * A + rho * I * a**2 * (1.0 + E / (k * G))), E * I * a**4])
        assert w == pytest.approx(np.sqrt(roots.min()), rel=[1e-5, 1e-4, 5e-4][n - 1])


def test_tapering_rod_has_the_frequencies_of_its_bessel_functions() -> None:
    """A rod whose area falls linearly to (nearly) nothing stretches like J_0: ω = 2.404826 c/L, held at its thick end."""
    made = beam(
        1.0,
        E=1.0,
        rho=1.0,
        A=(1.0, 1e-9),
        Iy=1e-4,
        Iz=1e-4,
        modes={"axial": 2},
        elements=50,
        stiffening=False,
        static=False,
    )
    assert made.frequencies == pytest.approx([2.404825557695773, 5.520078110286311], rel=1e-3)


def test_heavy_tip_body_turns_the_beam_into_a_spring() -> None:
    """A heavy tip on a light cantilever: ω² = 3EI/(L³ (M + 33/140 m)), Rayleigh's estimate, from above."""
    tip = da.particle(1000.0)
    w = spin_up_beam(bodies={8.0: tip}, modes={"y": 1}, static=False).frequencies[0]
    m = line_mass() * 8.0
    estimate = np.sqrt(3.0 * SPIN_UP["E"] * SPIN_UP["Iz"] / 512.0 / (1000.0 + 33.0 / 140.0 * m))
    assert 0.0 <= estimate / w - 1.0 < 1e-6


def test_body_beside_the_axis_keeps_its_place_and_inertia() -> None:
    body = da.box(3.0, (0.2, 0.4, 0.6), com=(0.1, 0.3, 0.0))
    bare = spin_up_beam(rotary=True)
    made = spin_up_beam(bodies={8.0: body}, modes={"y": 2, "z": 2, "torsion": 1}, rotary=True)
    assert made.S[0] == pytest.approx(bare.S[0] + 3.0 * np.array([8.1, 0.3, 0.0]))
    joined = da.MassProperties(bare.m, bare.com, bare.inertia) + body.moved((8.0, 0.0, 0.0))
    assert made.inertia == pytest.approx(joined.inertia, abs=1e-9)


def test_foreshortening_at_the_nodes_is_that_of_the_slopes() -> None:
    """One mode with the exact cubic of a tip force: ∫v'² = 6/5 v²/L at the tip."""
    made = beam(2.0, E=1e9, rho=1e-9, A=1.0, Iy=1.0, Iz=1.0, modes={"y": 1}, bodies={2.0: da.particle(1.0)}, elements=4)
    tip = made.nodes["tip"]
    assert tip.G[0, 0, 0] == pytest.approx(-1.2 * tip.Phi[1, 0] ** 2 / 2.0, rel=1e-6)
    assert made.nodes["root"].fixed
    assert not spin_up_beam(stiffening=False).G0.any()


def test_said_of_a_beam() -> None:
    said = str(spin_up_beam(modes={"y": 2}, static=False))
    for word in ("2 modes (y1, y2)", "0.4633, 2.903", "attached at its root", "stiffening: on", "tip at (8, 0, 0)"):
        assert word in said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (dict(modes={"sideways": 1}), 'no modes "sideways"'),
        (dict(support="glued"), 'support="glued" is not known'),
        (dict(nodes={"far": 9.0}), "x = 9 lies beyond"),
        (dict(bodies={9.0: da.particle(1.0)}), "beyond its ends"),
        (dict(modes={"y": 500}), "500 modes are wanted"),
        (dict(A=-1.0), "beam: A must be positive"),
        (dict(modes={"torsion": 1}), "move no mass"),
        (dict(nodes={"frame": 1.0}), 'cannot be named "frame"'),
    ],
)
def test_wrong_beams_are_told_so(options: dict, sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence.replace("(", r"\(")):
        spin_up_beam(**options)
