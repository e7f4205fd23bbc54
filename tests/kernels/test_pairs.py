"""Claims about compiled pairs of a formulation and a constraint method."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.constraints.assembly import assemble, consistent_speeds
from dalembert.formulations import Equations, kane
from dalembert.kernels.pair import accelerations_kernel, solution_kernel
from tests.constraints.loops import bricard
from tests.simulation.models import pendulum


@pytest.fixture(scope="module")
def linkage():
    m = bricard().build(cut=["J6"])
    q = assemble(m, m.reference)
    return m, q, consistent_speeds(m, q, np.ones(m.n_u))


@pytest.mark.parametrize("name", METHODS)
def test_every_method_gives_accelerations_multipliers_and_rank(linkage, name):
    m, q, u = linkage
    tau = np.linspace(-1.0, 1.0, m.n_u)
    e = kane.equations(m.state(q, u))
    expected = METHODS[name](Equations(e.A, e.f + tau, e.B, e.gamma))
    y = accelerations_kernel(m, "kane", name)(np.stack([q, q]), u, tau)
    assert np.allclose(y[:, : m.n_q], u, atol=1e-15)
    assert np.allclose(y[:, m.n_q :], expected.udot, rtol=1e-7, atol=1e-7)
    z = solution_kernel(m, "kane", name)(q, u, tau)
    assert np.allclose(z[: m.n_u], expected.udot, rtol=1e-7, atol=1e-7)
    assert np.abs(e.A @ z[: m.n_u] + e.B.T @ z[m.n_u : -1] - e.f - tau).max() < 1e-6
    assert z[-1] == 4


def test_without_rows_a_pair_is_the_formulation_alone():
    m = pendulum()
    q, u = np.array([0.7]), np.array([0.2])
    assert accelerations_kernel(m, "kane", "svd")(q, u)[1:] == pytest.approx(m.forward_dynamics(q, u), rel=1e-13)


def test_unknown_names_are_listed():
    m = pendulum()
    with pytest.raises(da.FormulationError, match="range_space"):
        accelerations_kernel(m, "kane", "magic")(m.reference)
    with pytest.raises(da.FormulationError, match="kane"):
        accelerations_kernel(m, "magic")
