"""Claims about Kane's equations on any tree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.formulations.tree import kane
from dalembert.kinematics import State, totals
from dalembert.trace import directional, evaluate, symbol, tracing
from tests.effort import examples
from tests.mechanisms import planar_pendulum, random_state, random_tree, seeds

sizes = st.integers(1, 12)


def accelerations(m, q, u, t):
    e = kane.equations(m.state(q, u, t))
    return np.linalg.solve(e.A, e.f) if m.n_u else np.zeros(0)


@settings(max_examples=examples(40), deadline=None)
@given(seeds, sizes)
def test_mass_matrix_is_symmetric_and_positive_definite(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, prescribed=True).build()
    A = kane.equations(m.state(*random_state(m, rng))).A
    assert np.abs(A - A.T).max(initial=0.0) <= 1e-12 * np.abs(A).max(initial=1.0)
    assert np.linalg.eigvalsh(A).min(initial=1.0) > 0


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.integers(1, 8))
def test_floats_and_traces_agree(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, prescribed=True).build()
    q, u, t = random_state(m, rng)
    on_floats = kane.equations(m.state(q, u, t))
    traced = m.equations("kane").evaluate(q, u, t)
    assert np.abs(traced.A - on_floats.A).max(initial=0.0) <= 1e-13 * np.abs(on_floats.A).max(initial=1.0)
    assert np.abs(traced.f - on_floats.f).max(initial=0.0) <= 1e-13 * max(1.0, np.abs(on_floats.f).max(initial=1.0)) * n


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.integers(1, 8))
def test_energy_is_conserved_by_conservative_forces(seed, n):
    """d(T + V)/dt = 0 along the motion, by differentiating the traced energy."""
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, conservative=True).build()
    q, u, t = random_state(m, rng)
    udot = accelerations(m, q, u, t)
    assert abs(energy_rate(m, q, u, t, udot)) <= 1e-10 * power_scale(m, q, u, udot)


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.integers(1, 8))
def test_power_balance_with_drives_and_losses(seed, n):
    """d(T + V)/dt = power of the non-conservative forces + power of the prescribed drives.

    The drives' efforts come from the same tree with nothing prescribed: what its equations lack, the drives supply.
    """
    rng = np.random.default_rng(seed)
    s = random_tree(rng, n, prescribed=True)
    m = s.build()
    q, u, t = random_state(m, rng)
    state = m.state(q, u, t)
    udot = accelerations(m, q, u, t)
    freed = _freed(s)
    q_all, u_all = np.concatenate([*state.joint_q, []]), np.concatenate([*state.joint_u, []])
    udot_all = np.concatenate([*state.joint_udot(udot), []])
    e = kane.equations(freed.state(q_all, u_all, t))
    effort = e.A @ udot_all - e.f
    free = np.array([at is not None for j in m.joints for at in j.u_at], dtype=bool)
    assert np.abs(effort[free]).max(initial=0.0) <= 1e-9 * np.abs(e.f).max(initial=1.0)
    power = effort @ u_all + _power_of_losses(s, q_all, u_all, t)
    rate = energy_rate(m, q, u, t, udot)
    assert abs(rate - power) <= 1e-10 * (power_scale(m, q, u, udot) + np.abs(effort) @ np.abs(u_all))


def _freed(s: da.System) -> da.Mechanism:
    made = da.System(s.name, s.gravity)
    made.bodies, made.forces = s.bodies, s.forces
    for p in s.joints.values():
        made.add_joint(p.name, p.joint, p.parent, p.child, p.on_parent, p.on_child)
    return made.build()


def _power_of_losses(s: da.System, q, u, t):
    """Generalized forces of everything without a potential, times the speeds."""
    full, still = _freed(s), _freed(s)
    lossless = {k: f for k, f in s.forces.items() if k in ("spring", "cord", "coil")}
    object.__setattr__(still, "forces", lossless)
    return (kane.equations(full.state(q, u, t)).f - kane.equations(still.state(q, u, t)).f) @ u


def energy_rate(m, q, u, t, udot):
    with tracing():
        s = m.symbolic_state("numbers")
        energy = totals.kinetic_energy(s) + totals.potential_energy(s)
        direction = {symbol("t"): 1.0} | dict(zip(s.coordinates, s.rates)) | dict(zip(s.speeds, udot))
        rate = directional(energy, direction)
    values = {symbol("t"): t} | dict(zip(s.coordinates, q)) | dict(zip(s.speeds, u))
    return evaluate(rate, values)


def power_scale(m, q, u, udot):
    e = kane.equations(m.state(q, u))
    return 10.0 + (np.abs(e.A @ udot) + np.abs(e.f)) @ np.abs(u)


@settings(max_examples=examples(25), deadline=None)
@given(seeds, st.integers(1, 8))
def test_momentum_is_conserved_when_free_and_unforced(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, forces=False, floating=True).build()
    q, u, t = random_state(m, rng)
    udot = accelerations(m, q, u, t)
    with tracing():
        s = m.symbolic_state()
        momenta = [*totals.linear_momentum(s), *totals.angular_momentum(s)]
        rate = directional(momenta, dict(zip(s.coordinates, s.rates)) | dict(zip(s.speeds, udot)))
    values = {symbol("t"): t} | dict(zip(s.coordinates, q)) | dict(zip(s.speeds, u))
    assert np.abs(np.array(evaluate(rate, values), dtype=float)).max() <= 1e-11 * power_scale(m, q, u, udot)


@settings(max_examples=examples(20), deadline=None)
@given(seeds, st.integers(1, 6))
def test_euler_parameters_and_angles_give_one_motion(seed, n):
    """The same tree in both descriptions: equal poses in, equal accelerations out."""
    rng = np.random.default_rng(seed)
    angles = random_tree(np.random.default_rng(seed), n, orientation="angles").build()
    params = random_tree(np.random.default_rng(seed), n).build()
    q, u, t = random_state(angles, rng)
    e = []
    for j, qj in zip(angles.joints, angles.state(q, u, t).joint_q):
        e.extend(_euler(qj) if "a1" in j.joint.coordinates else qj)
    assert np.allclose(accelerations(angles, q, u, t), accelerations(params, np.array(e), u, t), rtol=1e-9, atol=1e-9)


def _euler(q):
    from scipy.spatial.transform import Rotation

    x, y, z, w = Rotation.from_euler("XYZ", q[:3]).as_quat()
    return [w, x, y, z, *q[3:]]


def test_planar_triple_pendulum_equals_the_closed_form():
    """Absolute-angle Lagrange equations, transformed to relative angles: an independent derivation."""
    m = planar_pendulum(3).build()
    rng = np.random.default_rng(1)
    p = m.parameters
    mass, length, inertia = (np.array([p[f"{x}{i}"] for i in (1, 2, 3)]) for x in "mlI")
    for _ in range(20):
        q, u = rng.uniform(-3, 3, 3), rng.uniform(-3, 3, 3)
        e = kane.equations(m.state(q, u))
        A, f = _absolute_pendulum(mass, length, inertia, p["g"], np.cumsum(q), np.cumsum(u))
        L = np.tril(np.ones((3, 3)))  # absolute = L relative
        assert np.allclose(e.A, L.T @ A @ L, rtol=1e-12, atol=1e-12)
        assert np.allclose(e.f, L.T @ f, rtol=1e-12, atol=1e-12)


def _absolute_pendulum(m, length, inertia, g, phi, w):
    """Rods along φ from x: v_k = Σ_{i<k} l_i φ̇_i + ½ l_k φ̇_k; textbook sums."""
    n = len(m)
    arm = np.array([[length[i] if i < k else 0.5 * length[i] if i == k else 0.0 for i in range(n)] for k in range(n)])
    A, f = np.diag(inertia).astype(float), np.zeros(n)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                A[i, j] += m[k] * arm[k, i] * arm[k, j] * np.cos(phi[i] - phi[j])
                f[i] -= m[k] * arm[k, i] * arm[k, j] * np.sin(phi[i] - phi[j]) * w[j] ** 2
            f[i] -= m[k] * g * arm[k, i] * np.cos(phi[i])
    return A, f


def test_free_body_obeys_eulers_equations():
    """[C 169]: I ω̇ + ω × Iω = M and m a = F about the mass centre."""
    rng = np.random.default_rng(2)
    inertia = np.array([[3.0, 0.1, 0.2], [0.1, 2.0, 0.3], [0.2, 0.3, 2.5]])
    s = da.System("free")
    s.add_body("body", mass=2.0, inertia=inertia)
    s.add_joint("float", da.Free(), "ground", "body")
    s.add_force("load", da.Load("body", force=(1, 2, 3), torque=(0.4, 0.5, 0.6), axes="body"))
    m = s.build()
    q, u, _ = random_state(m, rng)
    R = m.state(q, u).rotation("body")
    w = u[:3]
    expected = [*np.linalg.solve(inertia, np.array([0.4, 0.5, 0.6]) - np.cross(w, inertia @ w)), *(R @ [1, 2, 3] / 2.0)]
    assert np.allclose(accelerations(m, q, u, 0.0), expected, rtol=1e-13, atol=1e-13)


def test_an_unknown_formulation_is_asked_back():
    with pytest.raises(da.FormulationError, match="did you mean"):
        planar_pendulum(1).build().equations("newton")


def test_state_is_lazy_on_numbers_too():
    m = planar_pendulum(2).build()
    assert isinstance(m.state(), State)
