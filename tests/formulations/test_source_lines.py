"""What is printed is as short as the sources', and says what they say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from benchmarks.source_lines import PRINTED, Printed, in_eta, in_world_axes, rolling_sphere, table, three_bodies
from dalembert.formulations.printing.in_print import in_print
from dalembert.trace import evaluate
from tests.constraints.loops import random_loops
from tests.formulations.test_small import VALUES, state


@pytest.mark.parametrize("printed", PRINTED, ids=lambda p: f"{p.title}, {p.formulation}")
def test_lines_beside_those_of_the_source(printed: Printed) -> None:
    assert printed.lines <= printed.most


def test_the_page_has_the_table() -> None:
    """`python -m benchmarks.source_lines` wrote it; counts that change are to be written there anew."""
    page = (Path(__file__).parents[2] / "docs" / "equations.md").read_text(encoding="utf-8")
    assert "\n".join(table()) in page


def test_kanes_choice_leaves_three_constants() -> None:
    """[C 231–232]: with ω along inertial axes u̇ = 0, and ẋ = a u₂, ẏ = −a u₁."""
    text = in_world_axes().build().equations("kane_minimal").text()
    assert "A du/dt = 0" in text and "f_velocity" not in text
    assert "d/dt q_q.x = a*u_q.wY" in text and "d/dt q_q.y = -a*u_q.wX" in text


@pytest.mark.parametrize("seed", range(3))
def test_hamiltons_equations_of_the_rolling_sphere(seed: int) -> None:
    """[C 256–258]: what is printed is ṗ + Aᵀλ = −H,q, q̇ = H,p and A q̇ = 0, keyed in from the source."""
    m = rolling_sphere().build()
    eq = m.equations("hamilton")
    shown, rng = in_print(eq), np.random.default_rng(seed)
    q, p = rng.uniform(0.4, 1.4, 6), rng.uniform(-1, 1, 6)
    values = m.parameter_values | dict(zip(eq.q, q)) | dict(zip(eq.u, p)) | {eq.t: 0.0}
    qdot, A, f, B, b = (
        np.asarray(x, dtype=float) for x in evaluate([shown.qdot, shown.A, shown.f, shown.B, shown.gamma], values)
    )
    M, a = m.parameters["M"], m.parameters["a"]
    I_s, s5, c5, (p4, p5, p6) = 0.4 * M * a**2, np.sin(q[1]), np.cos(q[1]), p[:3]
    H_p = [(p4 - c5 * p6) / (I_s * s5**2), p5 / I_s, (p6 - c5 * p4) / (I_s * s5**2), *(p[3:] / M)]
    H_q5 = (p4 * p6 * (1 + c5**2) - c5 * (p4**2 + p6**2)) / (I_s * s5**3)
    s4, c4 = np.sin(q[0]), np.cos(q[0])
    rows = np.array([[0, 0, 0, 0, 0, 1], [0, -a * s4, a * c4 * s5, 1, 0, 0], [0, a * c4, a * s4 * s5, 0, 1, 0]])
    assert np.array_equal(A, np.eye(6)) and np.abs(b).max() <= 1e-12
    assert np.abs(qdot - H_p).max() <= 1e-12 * np.abs(H_p).max()
    assert np.abs(f - [0, -H_q5, 0, 0, 0, 0]).max() <= 1e-12 * max(1.0, abs(H_q5))
    assert np.abs(B - rows).max() <= 1e-12
    assert "B dq/dt = 0" in eq.text()


@pytest.mark.parametrize("seed", range(3))
def test_momenta_are_printed_as_they_are_solved_for(seed: int) -> None:
    """M⁻¹ times what is printed is what is solved with."""
    m, q, u, t = random_loops(np.random.default_rng(seed), 3, 1)
    for name in ("hamilton", "momentum"):
        eq = m.equations(name)
        shown, own = in_print(eq), eq.method.formulation_speeds(m.state(q, u, t))
        values = m.parameter_values | dict(zip(eq.q, q)) | dict(zip(eq.u, own)) | {eq.t: t}
        found = evaluate([eq.A, eq.f, eq.B, shown.f, shown.B, shown.qdot, shown.gamma], values)
        A, f, B, g, C, qdot, b = (np.asarray(x, dtype=float) for x in found)
        assert np.allclose(A @ g, f, rtol=1e-8, atol=1e-9 * np.abs(f).max())
        assert np.allclose(C @ A, B, rtol=1e-8, atol=1e-9 * np.abs(B).max())
        assert np.allclose(C @ qdot, b, atol=1e-7 * max(1.0, np.abs(qdot).max()))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("dropped", [False, True])
def test_sums_and_differences_about_the_mass_centre(seed: int, dropped: bool) -> None:
    """[C 263], and [C 263a–d] without η₂: chosen coordinates, printed with `small=`, equal to the formulas keyed in."""
    m = in_eta(("eta2",) if dropped else ()).build()
    small = ["eta1"] if dropped else ["eta1", "eta2"]
    eq = m.equations("system_root", small=small)
    q, u = state(seed)
    q, u = (q[:-1], u[:-1]) if dropped else (q, u)
    kept = [0, 1, 2, *range(6, m.n_u)]
    assert len(eq.f) == 8 - dropped
    found, w = eq.evaluate(q, u), eq.method.formulation_speeds(m.state(q, u))
    (w1, w2, w3), e1, e2, d1 = w[:3], q[7], q[-1], w[6]
    M, mass, L, r, k, J1, J2, J3 = VALUES.values()
    R, J = mass * L / M, 4 * mass * L**2 / 3
    S, MRR, MRr = J + M * R * r, M * R**2, M * R * r
    A = np.array(
        [
            [J1, 0, 0, S, 0],
            [0, J2, -S * e1, 0, 0],
            [0, -S * e1, J3, 0, 0],
            [2 * S, 0, 0, J, 0],
            [0, 0, 0, 0, J - 2 * MRR],
        ]
    )
    f = np.array(
        [
            (J2 - J3) * w2 * w3 + S * (w2**2 - w3**2) * e1,
            (J3 - J1) * w3 * w1 - S * w1 * w2 * e1,
            (J1 - J2) * w1 * w2 + 2 * S * w2 * d1 + S * w1 * w3 * e1,
            -2 * S * w2 * w3 + (J * (w2**2 - w3**2) - MRr * (w1**2 + w3**2) - k) * e1,
            (J * (w2**2 - w3**2) - 2 * MRR * (w1**2 + w2**2) - MRr * (w1**2 + w3**2) - k) * e2,
        ]
    )
    n = len(kept)
    weight = np.array([1.0, 1.0, 1.0, 2.0, 2.0])[:n]  # C takes the sum and the difference, the package half of them
    assert np.abs(weight[:, None] * found.A[np.ix_(kept, kept)] - A[:n, :n]).max() <= 1e-12
    assert np.abs(weight * found.f[kept] - f[:n]).max() <= 1e-12
    assert "A[u_eta1, u_hub.wx] = J + m*L*r" in eq.text()


def test_frames_of_the_whole_move_alike_in_chosen_coordinates() -> None:
    """Every frame of the whole system, in η as by Kane; a coordinate of the floating body in them is refused by name."""
    m = in_eta().build()
    start, speeds = {"eta1": 0.1, "eta2": -0.2}, {"attitude.wx": 0.4, "attitude.wy": 0.3, "eta2": 0.5}
    kane = m.simulate(1.0, start, speeds, rtol=1e-10, output=0.5)
    for name in ("system_root", "system_tisserand", "system_principal"):
        other = m.simulate(1.0, start, speeds, rtol=1e-10, output=0.5, formulation=name)
        assert np.abs(other.q - kane.q).max() <= 1e-8 and np.abs(other.u - kane.u).max() <= 1e-8, name
    s = three_bodies()
    s.choose_coordinates(
        {
            "sum": lambda s: s.q["attitude"][4] + s.q["gamma1"],
            "difference": lambda s: s.q["attitude"][4] - s.q["gamma1"],
        }
    )
    with pytest.raises(da.FormulationError, match=r'"attitude.vx" of a body that floats is mixed'):
        s.build().equations("system_root")
