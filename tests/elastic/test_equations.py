"""Equations of trees with elastic bodies: against every particle, against Lagrange's, and among themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given, settings

import dalembert as da
from dalembert.formulations.tree import kane
from dalembert.kinematics import totals
from dalembert.kinematics.loads import generalized, loads
from dalembert.recursive import algorithms as recursive
from dalembert.trace import directional, evaluate, jacobian, tracing
from tests.effort import examples

from ..mechanisms import joint, seeds, unit
from .particles import Lumps, random_tree


def somewhere(m: da.Mechanism, rng: np.random.Generator) -> Any:
    q = m.admissible(m.reference + rng.uniform(-0.4, 0.4, m.n_q))
    return m.state(q, rng.normal(size=m.n_u))


def of_particles(m: da.Mechanism, lumps: dict[str, Lumps], at: Any) -> tuple[np.ndarray, np.ndarray]:
    """A and the inertial and gravity part of f from particles' positions, differentiated in q along q̇ = N u."""
    with tracing():
        s = m.symbolic_state()
        masses, places = [], []
        for k, body in enumerate(m.bodies, start=1):
            if body.modes:
                own, x = lumps[body.name].particles(s.modal_q(k))
            else:
                own, x = rigid_particles(body)
            masses += [mass for mass in own for _ in range(3)]
            places += [c for one in x for c in s.poses[k].p + s.poses[k].R @ one]
        N = jacobian(s.rates, list(s.speeds))
        J = jacobian(places, list(s.coordinates)) @ N
        velocity = J @ s.speeds
        drift = directional(velocity, dict(zip(s.coordinates, s.rates)))
        known = {**dict(zip(s.coordinates, at.coordinates)), **dict(zip(s.speeds, at.speeds))}
        J, drift = (np.asarray(evaluate(x, known), dtype=float) for x in (J, np.asarray(drift)))
    M = np.array(masses)
    g = np.tile(m.gravity, len(M) // 3)
    return J.T @ (M[:, None] * J), J.T @ (M * (g - drift))


def rigid_particles(body: Any) -> tuple[np.ndarray, list[np.ndarray]]:
    """Six particles with a rigid body's mass, mass centre and inertia."""
    D = 0.5 * np.trace(body.inertia) * np.eye(3) - body.inertia
    moments, axes = np.linalg.eigh(D)
    arms = [np.sqrt(3.0 * max(d, 0.0) / body.mass) * a for d, a in zip(moments, axes.T)]
    return np.full(6, body.mass / 6.0), [body.com + s * a for a in arms for s in (1.0, -1.0)]


@settings(max_examples=examples(8), deadline=None)
@given(seeds)
def test_equations_are_those_of_every_particle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system, lumps = random_tree(rng, 3)
    m = system.build()
    at = somewhere(m, rng)
    A, f = of_particles(m, lumps, at)
    strain = generalized(at, loads(at, gravity=False))
    e = kane.equations(at)
    assert np.abs(e.A - A).max() < 1e-12 * np.abs(A).max(initial=1.0)
    assert np.abs(e.f - f - strain).max() < 1e-11 * (1.0 + np.abs(f).max(initial=0.0))


@settings(max_examples=examples(25), deadline=None)
@given(seeds)
def test_kane_and_the_recursions_agree(seed: int) -> None:
    """With second-order fields and any joints, at both ends on moving nodes."""
    rng = np.random.default_rng(seed)
    system, _ = random_tree(rng, 4, second_order=True)
    m = system.build()
    at = somewhere(m, rng)
    e, tree = kane.equations(at), recursive.Tree(at)
    size = np.abs(e.A).max(initial=1.0)
    assert np.abs(recursive.composite(tree) - e.A).max(initial=0.0) < 1e-12 * size
    udot = rng.normal(size=m.n_u)
    force = e.A @ udot - e.f
    assert np.abs(recursive.newton_euler(tree, udot) - force).max(initial=0.0) < 1e-11 * (
        1 + np.abs(force).max(initial=0)
    )
    udot = recursive.articulated(tree, np.zeros(m.n_u))
    left = np.abs(e.A @ udot - e.f).max(initial=0.0)
    assert left < 1e-9 * (np.abs(e.A) @ np.abs(udot) + np.abs(e.f)).max(initial=1.0)


@settings(max_examples=examples(10), deadline=None)
@given(seeds)
def test_equations_follow_from_the_energies(seed: int) -> None:
    """Lagrange's equations from T and V alone, second-order fields included, where speeds are the rates of coordinates."""
    rng = np.random.default_rng(seed)

    def simple(rng: np.random.Generator) -> da.Joint:
        return [da.Weld(), da.Revolute(unit(rng)), da.Cylindrical(unit(rng))][rng.integers(3)]

    system, _ = random_tree(rng, 3, second_order=True, joints=simple)
    m = system.build()
    at = somewhere(m, rng)
    with tracing():
        s = m.symbolic_state()
        q, u = list(s.coordinates), list(s.speeds)
        T, V = totals.kinetic_energy(s), totals.potential_energy(s)
        p = jacobian([T], u)[0]
        f = jacobian([T], q)[0] - jacobian([V], q)[0] - directional(p, dict(zip(q, u)))
        A = jacobian(p, u)
        known = {**dict(zip(q, at.coordinates)), **dict(zip(u, at.speeds))}
        A, f = (np.asarray(evaluate(x, known), dtype=float) for x in (A, np.asarray(f)))
    damping = generalized(at, loads(at)) - generalized(m.state(at.coordinates), loads(m.state(at.coordinates)))
    e = kane.equations(at)
    assert np.abs(e.A - A).max(initial=0.0) < 1e-12 * np.abs(A).max(initial=1.0)
    assert np.abs(e.f - f - damping).max(initial=0.0) < 1e-11 * (1.0 + np.abs(f).max(initial=0.0))


@settings(max_examples=examples(15), deadline=None)
@given(seeds)
def test_node_frames_move_as_their_rates_say(seed: int) -> None:
    """Partial velocities, accelerations and partial rates of nodes, against differences in time."""
    rng = np.random.default_rng(seed)
    system, _ = random_tree(rng, 3, second_order=True)
    m = system.build()
    assume(m.n_u)
    at, udot, h = somewhere(m, rng), rng.normal(size=m.n_u), 1e-6
    q, u = at.coordinates, at.speeds
    after, before = (m.state(m.admissible(q + h * s * at.rates), u + h * s * udot) for s in (1.0, -1.0))
    acc, P, dP = at.accelerations(udot), at.partials, at.partial_rates
    for k in range(1, m.n_bodies + len(m.node_frames) + 1):
        columns = list(m.path_columns[k])
        v, scale = at.velocities[k], 1.0 + np.abs(acc[k].v).max() + np.abs(acc[k].w).max()
        assert np.abs(P[k].V @ u[columns] - v.v).max() < 1e-11 * scale
        assert np.abs(P[k].W @ u[columns] - v.w).max() < 1e-11 * scale
        for name, rate in (("v", acc[k].v), ("w", acc[k].w)):
            change = (getattr(after.velocities[k], name) - getattr(before.velocities[k], name)) / (2 * h)
            assert np.abs(change - rate).max() < 1e-6 * scale
        assert np.abs((after.poses[k].p - before.poses[k].p) / (2 * h) - v.v).max() < 1e-7 * scale
        for name in ("W", "V"):
            change = (getattr(after.partials[k], name) - getattr(before.partials[k], name)) / (2 * h)
            assert np.abs(change - getattr(dP[k], name)).max(initial=0.0) < 1e-6 * scale


def test_compiled_code_computes_the_same() -> None:
    rng = np.random.default_rng(5)
    system, _ = random_tree(rng, 2, second_order=True, joints=joint)
    m = system.build()
    at = m.state(m.somewhere(rng, 0.4), rng.normal(size=m.n_u))
    e = kane.equations(at)
    udot = np.linalg.solve(e.A, e.f)
    q, u = at.coordinates, at.speeds
    assert np.abs(m.forward_dynamics(q, u) - udot).max() < 1e-10 * np.abs(udot).max()
    assert np.abs(m.mass_matrix(q) - e.A).max() < 1e-12 * np.abs(e.A).max()
    assert np.abs(m.inverse_dynamics(q, u, udot)).max() < 1e-10 * np.abs(e.f).max()
    energies = [totals.kinetic_energy(at), totals.potential_energy(at)]
    assert np.allclose(m.energies(q, u), energies, rtol=1e-12)
    many = m.forward_dynamics(np.tile(q, (9, 1)), np.tile(u, (9, 1)))
    assert np.abs(many - udot).max() < 1e-10 * np.abs(udot).max()
