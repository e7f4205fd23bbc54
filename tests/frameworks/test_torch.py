"""m.torch with PyTorch itself, where it is installed."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ArgumentError
from dalembert.files import gallery

torch = pytest.importorskip("torch")


def test_a_four_bar_by_gradcheck_in_batches_and_both_ways():
    m = da.load(gallery.files()["four_bar"])
    q, u = (torch.tensor(x) for x in m.assemble({"A": 1.0}, {"A": 6.0}))
    U = (torch.linspace(0.5, 1.5, 4, dtype=torch.float64)[:, None] * u).reshape(2, 2, 3).requires_grad_()
    tau = torch.tensor([0.3, -0.2, 0.1], dtype=torch.float64, requires_grad=True)
    crank = torch.tensor(float(m.parameters["crank"]), requires_grad=True, dtype=torch.float64)

    def udot(U, tau, crank):
        return m.torch.forward_dynamics(q, U, tau, parameters={"crank": crank})

    flat = U.detach().numpy().reshape(4, 3)
    expected = m.forward_dynamics(np.tile(q, (4, 1)), flat, tau.detach().numpy())
    assert np.abs(udot(U, tau, crank).detach().numpy().reshape(4, 3) - expected).max() < 1e-12 * np.abs(expected).max()
    assert torch.autograd.gradcheck(udot, (U, tau, crank), eps=1e-4, atol=1e-3, rtol=1e-5)

    def end(lengths):
        start = m.torch.assemble({"A": 1.0}, {"A": 6.0}, {"crank": lengths})
        return m.torch.rollout(*start, parameters={"crank": lengths}, step=2e-3, steps=100)[0][..., -1, 2]

    end(crank).backward()
    expected = m.gradient(0.2, {"A": 1.0}, {"A": 6.0}, end=lambda s: s.q["D"], step=2e-3)["crank"]
    assert abs(crank.grad.item() - expected) < 1e-10
    with pytest.raises(ArgumentError, match="float64"):
        m.torch.forward_dynamics(q.float(), u)
