"""Floating frames of a whole tree (hub, gimbal and booms): one motion, M = Ḣ in every frame, and what each frame is chosen for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.linalg import polar

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.elastic import given_modes
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.system_frames.floating_tree import TreeMotion, floating_trees, with_roots_at_rest
from dalembert.formulations.tree import kane
from dalembert.kinematics import totals
from tests.mechanisms import joint

from .particles import random_tree
from .test_formulations import spacecraft

FRAMES = ["system_root", "system_tisserand", "system_buckens", "system_principal"]


def tree_of(s: Any) -> TreeMotion:
    return TreeMotion(s, with_roots_at_rest(s), floating_trees(s.mechanism)[0])


def somewhere(m: da.Mechanism, seed: int, t: float = 0.0) -> Any:
    rng = np.random.default_rng(seed)
    return m.state(m.somewhere(rng, 0.3), rng.normal(size=m.n_u), t)


def accelerations(form: Any, s: Any) -> np.ndarray:
    """u̇, from a state that went through the formulation's own speeds."""
    own = form.state(s.mechanism, s.t, s.coordinates, form.formulation_speeds(s))
    assert np.abs(own.speeds - s.speeds).max() < 1e-10
    return np.asarray(form.udot(own, METHODS["svd"](form.equations(own)).udot))


def flying(seed: int) -> da.Mechanism:
    """A random tree that floats, elastic bodies on moving nodes, beside a pendulum and a second body that floats; loads, a tie and a
    prescribed joint now and then."""
    rng = np.random.default_rng(seed)

    def kinds() -> Iterator[da.Joint]:
        yield da.Free("angles" if seed % 2 else "euler_parameters")
        while True:
            yield joint(rng)

    every = kinds()
    s, _ = random_tree(rng, int(rng.integers(2, 5)), joints=lambda _: next(every))
    s.add_body("bob", da.rod(1.0, 0.7))
    s.add_joint("pendulum", da.Revolute((0, 1, 0)), "ground", "bob")
    s.add_body("stone", da.box(1.0, (0.3, 0.4, 0.5)))
    s.add_joint("thrown", da.Free(), "ground", "stone", at_parent=da.Frame((1, 2, 3), da.turn((0, 0, 1), 0.4)))
    s.add_body("antenna", da.box(0.3, (0.2, 0.5, 0.1)))
    s.add_joint("mast", da.Revolute((0, 0, 1)), "stone", "antenna", prescribed=lambda t: 0.3 * da.sin(2 * t))
    s.add_force("wind", da.Load("antenna", force=(0.3, 0.1, -0.2), torque=(0.1, 0, 0)))
    s.add_force("rope", da.Spring(("bob", (0.7, 0, 0)), "stone", stiffness=20.0, length=0.5))
    if seed % 3 == 0:
        s.add_constraint("tie", da.Distance(("bob", (0.7, 0, 0)), "stone", 2.0))
    return s.build()


def craft(booms: int) -> da.Mechanism:
    """A hub with hinged booms of one mode."""
    s = da.System("craft")
    s.add_body("hub", da.box(20.0, (1.0, 1.2, 0.8)))
    s.add_joint("free", da.Free(), "ground", "hub")
    boom = da.beam(3.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 1}, elements=4)
    for name, side in (("left", -1.0), ("right", 1.0))[:booms]:
        s.add_body(name, elastic=boom)
        at = da.Frame((0.5 * side, 0, 0), da.turn((0, 0, 1), 0.0 if side > 0 else np.pi))
        s.add_joint(f"latch_{name}", da.Revolute((0, 1, 0)), "hub", name, at_parent=at, at_child="root")
        s.add_force(f"spring_{name}", da.JointSpring(f"latch_{name}", stiffness=5.0))
    return s.build()


CASES = [
    (name, seed) for name in FRAMES for seed in (range(6) if name in ("system_root", "system_tisserand") else (1, 3))
]
"""The others trace how they turn, once for each mechanism, which takes a second."""


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_every_frame_gives_kanes_motion(name: str, seed: int) -> None:
    m, form = flying(seed), FORMULATIONS[name]
    assert form.refusal(m) is None
    s = somewhere(m, seed, 0.7)
    expected = METHODS["svd"](kane.equations(s)).udot
    assert np.abs(accelerations(form, s) - expected).max() <= 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("name", FRAMES)
def test_one_motion_in_machine_code(name: str) -> None:
    m = craft(1)
    start, speeds = {"left": [0.05]}, {"free": [0.1, 0.2, 0.3, 0, 0, 0], "latch_left": 0.4}
    runs = [
        m.simulate(0.5, start, speeds, rtol=1e-10, output=0.1, formulation=f).position(("left", "tip"))
        for f in ("kane", name)
    ]
    assert np.abs(runs[0] - runs[1]).max() < 1e-8


def test_tisserands_frame_of_the_system_keeps_h_equal_to_i_omega() -> None:
    m, form = spacecraft(), FORMULATIONS["system_tisserand"]
    s = somewhere(m, 2)
    x, w = tree_of(s), form.formulation_speeds(s)
    H = totals.angular_momentum(s, totals.mass_centre(s))
    assert np.allclose(x.R @ (x.inertia @ w[:3]), H, rtol=1e-12, atol=1e-12 * np.abs(H).max())
    assert np.allclose(x.R @ x.inertia @ x.R.T, totals.central_inertia(s), rtol=1e-12)
    e = form.equations(s)
    assert np.array_equal(e.A[:3, 3:], np.zeros((3, m.n_u - 3)))  # rotation knows nothing of the rest
    T = 0.5 * w @ e.A @ w
    assert pytest.approx(totals.kinetic_energy(s), rel=1e-12) == T


def test_h_stays_i_omega_along_a_free_motion() -> None:
    m = craft(2)
    motion = m.simulate(
        1.0, {"left": [0.02]}, {"free": [0.3, 0.1, 0.4, 0, 0, 0]}, output=0.01, formulation="system_tisserand"
    )
    H = motion.evaluate(lambda s: totals.angular_momentum(s, totals.mass_centre(s)))
    assert np.abs(H - H[0]).max() < 1e-7 * np.abs(H).max()
    R = motion.tisserand_frame()
    rate = (R[:-4] - 8 * R[1:-3] + 8 * R[3:-1] - R[4:]) / (12 * 0.01)
    turning = np.einsum("sab,scb->sac", rate, R[2:-2])
    w = np.stack([turning[:, 2, 1], turning[:, 0, 2], turning[:, 1, 0]], axis=1)
    I = motion.evaluate(lambda s: totals.central_inertia(s).ravel()).reshape(-1, 3, 3)[2:-2]
    assert np.abs(np.einsum("sab,sb->sa", I, w) - H[2:-2]).max() < 1e-4 * np.abs(H).max()


def test_the_rows_of_the_frame_are_m_equals_h_dot_in_every_frame() -> None:
    """Propositions 2 and 3: the same three equations, whatever the frame and whatever the accelerations."""
    m = spacecraft()
    s, rng = somewhere(m, 4), np.random.default_rng(5)
    udot = rng.normal(size=m.n_u)
    rows = []
    for name in FRAMES:
        form = FORMULATIONS[name]
        e = form.equations(s)
        still = form.udot(s, np.zeros(m.n_u))
        X = np.array([form.udot(s, unit) - still for unit in np.eye(m.n_u)]).T
        rows.append((e.A @ np.linalg.solve(X, udot - still) - e.f)[:3])
    x = tree_of(s)
    H_dot = np.zeros(3)
    centre = totals.mass_centre(s)
    for k, (b, at, a) in enumerate(zip(m.bodies, s.instants, s.accelerations(udot)[1:]), start=1):
        force, moment = b.demands(at, a.w, a.v, s.modal_udot(k, udot))
        H_dot = H_dot + moment + np.cross(s.poses[k].p + at.arm - centre, force)
    M = np.cross(s.position(("boom1", "tip")) - centre, [0, 1.0, 0.3])
    expected = x.R.T @ (H_dot - M)
    assert all(np.allclose(row, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max()) for row in rows)


def moved(m: da.Mechanism, s: Any, h: float) -> Any:
    """The state a moment later, its speeds as they were."""
    half = m.state(s.coordinates + 0.5 * h * s.rates, s.speeds)
    return m.state(s.coordinates + h * half.rates, s.speeds)


@pytest.mark.parametrize(
    ("name", "axes"),
    [
        ("system_principal", lambda x: np.linalg.eigh(x.inertia)[1]),
        ("system_buckens", lambda x: polar(totals.moment_with_reference(x.relative))[0]),
    ],
)
def test_frames_turn_as_their_definitions_say(name: str, axes: Any) -> None:
    """Eigenvectors of the inertia, and the polar decomposition of ∫ρ ρ̄ᵀdm, differenced."""
    m, h = spacecraft(), 1e-5
    s = somewhere(m, 6)
    before, now, after = (axes(tree_of(moved(m, s, dt))) for dt in (-h, 0.0, h))
    before, after = (A * np.sign(np.sum(A * now, axis=0)) for A in (before, after))
    turning = (after - before) / (2 * h) @ now.T
    w = 0.5 * np.array([turning[2, 1] - turning[1, 2], turning[0, 2] - turning[2, 0], turning[1, 0] - turning[0, 1]])
    slip = FORMULATIONS[name].slip(tree_of(s))  # type: ignore[attr-defined]
    assert np.allclose(slip.x, w, atol=1e-6)
    assert np.allclose(FORMULATIONS[name].formulation_speeds(s)[:3], tree_of(s).w + w, atol=1e-6)


def test_axes_of_all_bodies_come_out_of_any_run() -> None:
    m = spacecraft()
    motion = m.simulate(0.4, {"boom1": [0.05, 0, 0, 0]}, {"gimbal": [0.4, -0.2]}, output=0.05)
    axes, frame = motion.principal_axes(), motion.buckens_frame()
    J = motion.evaluate(lambda s: totals.central_inertia(s).ravel()).reshape(-1, 3, 3)
    diagonal = np.swapaxes(axes, 1, 2) @ J @ axes
    assert np.abs(diagonal * (1 - np.eye(3))).max() < 1e-10 * np.abs(diagonal).max()
    assert np.linalg.det(axes) == pytest.approx(1.0) and np.linalg.det(frame) == pytest.approx(1.0)
    Q = motion.evaluate(lambda s: totals.moment_with_reference(s).ravel()).reshape(-1, 3, 3)
    S = np.swapaxes(frame, 1, 2) @ Q
    assert np.abs(S - np.swapaxes(S, 1, 2)).max() < 1e-12 * np.abs(S).max()


def test_what_they_refuse() -> None:
    s = da.System("held")
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    assert all("floats freely" in str(FORMULATIONS[f].refusal(s.build())) for f in FRAMES)
    s = da.System("line")
    x = np.outer([0.0, 1.0, 2.0], [1.0, 0.0, 0.0])
    shapes = np.zeros((3, 3, 1))
    shapes[:, 1, 0] = [1.0, -1.0, 1.0]
    s.add_body("line", elastic=given_modes([1.0, 1.0, 1.0], x, shapes, [[5.0]]))
    s.add_joint("free", da.Free(), "ground", "line", at_child="frame")
    m = s.build()
    for name in ("system_tisserand", "system_buckens"):
        assert "lies on a line" in str(FORMULATIONS[name].refusal(m))
    assert "principal moments" in str(FORMULATIONS["system_principal"].refusal(m))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", FRAMES)
def test_mass_in_a_plane_is_enough(name: str, seed: int) -> None:
    """Three mass points always lie in a plane: the moment with the reference is singular, the frame is not."""
    rng = np.random.default_rng(seed)
    n = 1 + seed % 2
    r, Phi, K = 0.5 * rng.normal(size=(3, 3)), 0.3 * rng.normal(size=(3, 3, n)), rng.normal(size=(n, n))
    s = da.System("triangle", gravity=(1.0, 2.0, -9.0))
    s.add_body("triangle", elastic=given_modes(rng.uniform(0.2, 1.0, 3), r, Phi, K @ K.T + np.eye(n)))
    s.add_joint("free", da.Free(), "ground", "triangle", at_child="frame")
    here = somewhere(s.build(), seed)
    expected = METHODS["svd"](kane.equations(here)).udot
    assert np.abs(accelerations(FORMULATIONS[name], here) - expected).max() < 1e-9 * np.abs(expected).max()
