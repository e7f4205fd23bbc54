"""The benchmark bicycle as a model file: its linear equations, weave and capsize speeds (Meijaard, Papadopoulos, Ruina, Schwab)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da

FILE = Path(__file__).parents[2] / "examples" / "bicycle.yaml"
TWO = ("ride.wx", "steer")

# Appendix A of the source, lean and steer: M, C₁, K₀, K₂ of M q̈ + v C₁ q̇ + (g K₀ + v² K₂) q = 0
MASS = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
C1 = np.array([[0.0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0.0, 76.59734589573222], [0.0, 2.65431523794604]])


@pytest.fixture(scope="module")
def bicycle():
    return da.load(FILE)


def lean_and_steer(m, v):
    q, u = m.assemble(None, {"ride.vx": v})
    lin = m.linearise(q, u, keep=(*TWO, "ride.vx"))
    rows, columns = [lin.speeds.index(x) for x in TWO], [lin.displacements.index(x) for x in TWO]
    others = [i for i in range(len(lin.displacements)) if i not in columns]
    assert np.allclose(lin.stiffness[:, others], 0.0, atol=1e-10)  # nothing depends on place, heading and wheel angles
    square = np.ix_(rows, rows)
    return lin, lin.mass[square], lin.velocity_matrix[square], lin.stiffness[np.ix_(rows, columns)]


@pytest.mark.slow
def test_there_are_more_displacements_than_speeds(bicycle):
    lin, *_ = lean_and_steer(bicycle, 5.0)
    assert (len(lin.displacements), len(lin.speeds)) == (7, 3)
    assert lin.A.shape == (10, 10)


@pytest.mark.parametrize("v", [0.0, 3.0, 8.0])
def test_matrices_are_the_published_ones(bicycle, v):
    _, mass, velocity, stiffness = lean_and_steer(bicycle, v)
    assert np.allclose(mass, MASS, rtol=1e-12, atol=1e-12)
    assert np.allclose(velocity, v * C1, rtol=1e-12, atol=1e-11)
    assert np.allclose(stiffness, 9.81 * K0 + v**2 * K2, rtol=1e-12, atol=1e-10)


def test_weave_and_capsize_speeds(bicycle):
    locus = bicycle.root_locus("ride.vx", np.linspace(3.5, 7.0, 8))
    weave, capsize = locus.stability_limits()
    assert weave.value == pytest.approx(4.29238253634111, rel=1e-11)
    assert capsize.value == pytest.approx(6.02426201538837, rel=1e-11)
    assert weave.eigenvalue.imag == pytest.approx(3.43503384866144, rel=1e-10)
    assert abs(capsize.eigenvalue) < 1e-10
    assert [bool(x) for x in locus.stable] == [weave.value < v < capsize.value for v in locus.values]


def test_upright_riding_needs_no_drive(bicycle):
    riding = bicycle.equilibrium(speeds={"ride.vx": 5.0})
    assert riding.speeds["rear_hub"] == pytest.approx(-5.0 / 0.3, rel=1e-12)
    assert abs(riding.drives["ride.vx"]) < 1e-9
    assert riding.stable
    assert not bicycle.equilibrium(speeds={"ride.vx": 2.0}).stable
