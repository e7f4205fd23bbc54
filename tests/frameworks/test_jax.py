"""m.jax with JAX itself: values, jit, vmap, grad and jvp, against the mechanism's own answers and against differences."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import ArgumentError, FormulationError
from dalembert.files import gallery

jax = pytest.importorskip("jax")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def float64():
    """Float64 for these tests only."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="module")
def four_bar():
    m = da.load(gallery.files()["four_bar"])
    return m, *m.assemble({"A": 1.0}, {"A": 6.0})


def differences(f, h=1e-3):
    D = [(f(s * h) - f(-s * h)) / (2 * s * h) for s in (1, 2, 3)]
    return (15 * D[0] - 6 * D[1] + D[2]) / 10


def test_accelerations_of_a_loop_and_their_derivatives(four_bar):
    m, q, u = four_bar
    tau = jnp.array([0.3, -0.2, 0.1])

    def udot(tau, crank):
        return m.jax.forward_dynamics(q, u, tau, parameters={"crank": crank})

    at = m.parameters["crank"]
    assert np.array_equal(udot(tau, at), m.forward_dynamics(q, u, np.array(tau)))
    backward, forward = jax.jacrev(udot, (0, 1))(tau, at), jax.jit(jax.jacfwd(udot, (0, 1)))(tau, at)
    assert np.abs(backward[0] - forward[0]).max() < 1e-11 and np.abs(backward[1] - forward[1]).max() < 1e-10
    expected = np.stack([differences(lambda d: np.array(udot(tau + d * e, at)), 1.0) for e in np.eye(3)], axis=1)
    assert np.abs(backward[0] - expected).max() < 1e-10


def test_batches_go_to_compiled_code_in_one_call(four_bar, monkeypatch):
    m, q, u = four_bar
    calls = []
    monkeypatch.setattr(type(m), "forward_dynamics", _counted(type(m).forward_dynamics, calls))
    U = np.linspace(0.5, 1.5, 6).reshape(3, 2)[..., None] * u
    both = jax.vmap(jax.vmap(lambda u: m.jax.forward_dynamics(q, u)))
    found = jax.jit(both)(U)
    assert calls == [(6, 3)]
    assert np.abs(found.reshape(6, 3) - m.forward_dynamics(np.tile(q, (6, 1)), U.reshape(6, 3))).max() < 1e-12


def _counted(function, calls):
    def called(self, q, u, *more, **named):
        calls.append(np.shape(u))
        return function(self, q, u, *more, **named)

    return called


def test_the_gradient_of_a_rollout_of_a_loop_in_its_lengths(four_bar):
    m = four_bar[0]

    @jax.jit
    def end(lengths):
        q, u = m.jax.assemble({"A": 1.0}, {"A": 6.0}, lengths)
        Q, U = m.jax.rollout(q, u, parameters=lengths, step=1e-3, steps=1000)
        return Q[-1] @ jnp.array([1.0, 2.0, 3.0]) + U[-1, 0]

    at = {name: jnp.array(float(value)) for name, value in m.parameters.items()}
    found = jax.grad(end)(at)
    for name in ("crank", "base"):
        expected = differences(lambda d: float(end({**at, name: at[name] + d})))
        assert abs(found[name] - expected) < 1e-8 * (1 + abs(expected)), name
    _, along = jax.jvp(end, (at,), (dict.fromkeys(at, jnp.array(1.0)),))
    assert abs(along - sum(found.values())) < 1e-10


def tree():
    s = da.System("arm", gravity=(0, -9.81, 0))
    mass = s.parameter("m", 1.5)
    s.add_body("upper", da.rod(1.0, 1.0))
    s.add_body("lower", da.rod(mass, 0.7))
    s.add_joint("A", da.Revolute(), "ground", "upper")
    s.add_joint("B", da.Revolute(), "upper", "lower", at_parent=(1.0, 0, 0))
    s.add_output("tip", da.outputs.Position(("lower", (0.7, 0, 0))))
    return s.build()


def test_a_tree_forward_inverse_and_its_outputs():
    m = tree()
    q, u, tau = jnp.array([0.3, -0.5]), jnp.array([1.0, 2.0]), jnp.array([0.4, -0.7])

    def back_again(q, u, tau, mass):
        udot = m.jax.forward_dynamics(q, u, tau, parameters={"m": mass})
        return m.jax.inverse_dynamics(q, u, udot, parameters={"m": mass})

    assert np.abs(back_again(q, u, tau, 1.2) - tau).max() < 1e-12
    rates = jax.jacrev(back_again, (0, 1, 2, 3))(q, u, tau, 1.2)
    for found, expected in zip(rates, (np.zeros((2, 2)), np.zeros((2, 2)), np.eye(2), np.zeros(2))):
        assert np.abs(found - expected).max() < 1e-11
    J = jax.jacrev(lambda q: m.jax.outputs(q)["tip"])(q)
    assert np.abs(J - m.point_jacobian(("lower", (0.7, 0, 0)), np.array(q))[3:]).max() < 1e-12
    stepped = m.jax.step(q, u, tau, step=1e-2)
    rolled = m.jax.rollout(q, u, jnp.tile(tau, (1, 1)), step=1e-2, steps=1)
    assert all(np.array_equal(a, b[-1]) for a, b in zip(stepped, rolled))


def test_what_cannot_be_done_is_said(four_bar):
    m, q, u = four_bar
    with pytest.raises(ArgumentError, match="first derivatives only"):
        jax.hessian(lambda u: m.jax.forward_dynamics(q, u).sum())(jnp.array(u))
    with pytest.raises(FormulationError, match="drives"):
        m.jax.inverse_dynamics(q, u, u)
    with pytest.raises(ArgumentError, match="3 numbers"):
        m.jax.forward_dynamics(q[:2], u)
    with pytest.raises(da.errors.DalembertError, match="crnk"):
        m.jax.forward_dynamics(q, u, parameters={"crnk": 1.0})
    jax.config.update("jax_enable_x64", False)
    with pytest.raises(ArgumentError, match="jax_enable_x64"):
        m.jax.forward_dynamics(q, u)


def test_a_state_that_is_refused_is_an_error_in_words_and_what_follows_works(four_bar):
    m, q, u = four_bar
    f = jax.jit(m.jax.forward_dynamics)
    expected = f(q, u)
    with pytest.raises(Exception, match='do not close "C"'):
        f(q + np.array([0.0, 0.3, 0.0]), u).block_until_ready()
    assert np.array_equal(f(q, u), expected)


def test_batches_of_none_and_batches_of_parameters(four_bar):
    m, q, u = four_bar
    batch = jax.jit(jax.vmap(m.jax.forward_dynamics))
    assert batch(jnp.zeros((0, m.n_q)), jnp.zeros((0, m.n_u))).shape == (0, m.n_u)
    starts = jax.vmap(lambda base: m.jax.assemble({"A": 1.0}, {"A": 6.0}, {"base": base})[0])(jnp.array([1.0, 1.1]))
    found = jax.vmap(lambda q, base: m.jax.forward_dynamics(q, 0 * q, parameters={"base": base}))(
        starts, jnp.array([1.0, 1.1])
    )
    for k, base in enumerate((1.0, 1.1)):
        other = m.with_parameters(base=base)
        q, u = other.assemble({"A": 1.0}, {"A": 6.0})
        assert np.abs(found[k] - other.forward_dynamics(q, 0 * u)).max() < 1e-9


class ComplexFourBar:
    """The four-bar's march by rk4 and projection, in complex numbers: mass matrix and forces from its printed equations, the loop by
    hand. Lengths are (crank, coupler, rocker, base)."""

    def __init__(self, m):
        text = m.equations("kane").code("python").replace("from math", "from cmath").replace("float(", "complex(")
        space = {}
        exec(re.sub(r"np\.(empty|zeros)\((\([^)]*\))\)", r"np.\1(\2, dtype=complex)", text), space)
        self.equations, self.names = space["equations"], list(m.parameters)

    def loop(self, q, u, P):
        """g, B and Ḃ u."""
        a, b, c, d = (P[k] for k in ("crank", "coupler", "rocker", "base"))
        angles, rates = (q[0], q[0] + q[1], q[2]), (u[0], u[0] + u[1], u[2])
        e = np.array([[np.cos(x), np.sin(x)] for x in angles])
        n = np.array([[-np.sin(x), np.cos(x)] for x in angles])
        g = a * e[0] + b * e[1] - c * e[2] - np.array([d, 0])
        B = np.column_stack([a * n[0] + b * n[1], b * n[1], -c * n[2]])
        return g, B, -(a * e[0] * rates[0] ** 2 + b * e[1] * rates[1] ** 2 - c * e[2] * rates[2] ** 2)

    def solved(self, A, B, top, bottom):
        K = np.block([[A, B.T], [B, np.zeros((2, 2))]])
        return np.linalg.solve(K, np.concatenate([top, bottom]))[:3]

    def matrices(self, q, u, P):
        found = self.equations(0.0, q, u, [P[k] for k in self.names])
        return found[1], found[2]

    def rates(self, y, P):
        q, u = y[:3], y[3:]
        A, f = self.matrices(q, u, P)
        _, B, more = self.loop(q, u, P)
        return np.concatenate([u, self.solved(A, B, f, -more)])

    def projected(self, y, P):
        q, u = y[:3], y[3:]
        for _ in range(2):
            A, _ = self.matrices(q, u, P)
            g, B, _ = self.loop(q, u, P)
            q = q - self.solved(A, B, np.zeros(3), g)
        A, _ = self.matrices(q, u, P)
        _, B, _ = self.loop(q, u, P)
        return np.concatenate([q, u - self.solved(A, B, np.zeros(3), B @ u)])

    def end(self, q, P, crank_speed, h, steps):
        """From the crank's angle as it is in q; the rest is near."""
        q = np.array(q, dtype=complex)
        for _ in range(20):
            g, B, _ = self.loop(q, q, P)
            q[1:] -= np.linalg.solve(B[:, 1:], g)
        _, B, _ = self.loop(q, q, P)
        u = np.concatenate([[crank_speed], np.linalg.solve(B[:, 1:], -B[:, 0] * crank_speed)])
        y = np.concatenate([q, u])
        for _ in range(steps):
            k1 = self.rates(y, P)
            k2 = self.rates(y + h / 2 * k1, P)
            k3 = self.rates(y + h / 2 * k2, P)
            k4 = self.rates(y + h * k3, P)
            y = self.projected(y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), P)
        return y


def test_the_gradient_of_a_thousand_steps_in_all_lengths_is_that_of_a_complex_step(four_bar):
    m, q, _ = four_bar
    own, steps, h = ComplexFourBar(m), 1000, 1e-3

    def end(lengths):
        q, u = m.jax.assemble({"A": 1.0}, {"A": 6.0}, lengths)
        Q, U = m.jax.rollout(q, u, parameters=lengths, step=h, steps=steps)
        return jnp.concatenate([Q[-1], U[-1]]) @ jnp.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])

    at = {name: float(value) for name, value in m.parameters.items()}
    value, found = jax.value_and_grad(end)({name: jnp.array(x) for name, x in at.items()})
    for name in at:
        y = own.end(q, {**at, name: at[name] + 1e-30j}, 6.0, h, steps)
        w = y @ np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
        assert abs(value - w.real) < 1e-9
        assert abs(found[name] - w.imag * 1e30) < 1e-8 * (1 + abs(found[name])), name
