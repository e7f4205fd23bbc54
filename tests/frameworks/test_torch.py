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


def test_forces_of_as_many_states_as_steps_are_refused_or_said_with_both_axes():
    """Three forces for three states mean the same whatever the number of steps; where they could be rows of steps, they are refused."""
    s = da.System("slide")
    s.add_body("cart", da.particle(1.0))
    s.add_joint("x", da.Prismatic(), "ground", "cart")
    m = s.build().torch
    q, tau = torch.zeros(3, 1, dtype=torch.float64), torch.tensor([[0.0], [2.0], [-4.0]], dtype=torch.float64)
    for steps in (2, 4):
        end = m.rollout(q, q, tau, step=0.1, steps=steps)[0][:, -1, 0]
        assert torch.allclose(end, 0.5 * tau[:, 0] * (0.1 * steps) ** 2)
    with pytest.raises(ArgumentError, match="a row for each of 3 steps or for each of 3 states"):
        m.rollout(q, q, tau, step=0.1, steps=3)
    end = m.rollout(q, q, tau[:, None].expand(3, 3, 1), step=0.1, steps=3)[0][:, -1, 0]
    assert torch.allclose(end, 0.5 * tau[:, 0] * 0.3**2)
    together = m.rollout(q[0], q[0], tau, step=0.1, steps=3)[1][:, 0]  # one state: rows are of steps
    assert torch.allclose(together, torch.tensor([0.0, 0.0, 0.2, -0.2], dtype=torch.float64))
