"""Models of the gallery that come from the sources: each moves as its source's equations say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.formulations import FORMULATIONS
from dalembert.topology.matrices import closed_incidence
from tests.formulations import robot_of_d
from tests.formulations.test_absolute import ELIMINATIONS, largest_difference
from tests.mechanisms import random_state

EXAMPLES = Path(__file__).parent.parent / "examples"


def system(name: str) -> da.System:
    return da.System.load(EXAMPLES / f"{name}.yaml")


def mechanism(name: str) -> da.Mechanism:
    return da.load(EXAMPLES / f"{name}.yaml")


def test_the_six_bodies_tumble_alike_under_any_numbers():
    """[B Figs. 1–3]: C_a and C_b are one system."""
    one, two = (mechanism(n).simulate(2.0, output=1.0) for n in ("six_body_tree", "six_body_tree_relabelled"))
    number_in_b = {1: 1, 2: 4, 3: 5, 4: 6, 5: 2, 6: 3}
    for regular, other in number_in_b.items():
        assert np.allclose(one.position(f"body{regular}"), two.position(f"body{other}"), atol=1e-8), regular
    names = {f"hinge{a}{b}": (a, b) for a, b in ((1, 2), (1, 3), (2, 4), (2, 5), (2, 6))}
    C = closed_incidence(one.mechanism.tree)[1:, 1:]
    arcs = [names[j.name] for j in one.mechanism.joints[1:]]
    for column, (a, b) in zip(C.T, arcs):
        assert column[a - 1] == 1 and column[b - 1] == -1 and np.abs(column).sum() == 2


def test_six_bodies_with_seven_hinges_are_two_closed_chains():
    """[B Fig. 6, 62]: C_c is 6 × 7 and has rank 5, as C; every elimination of B gives one motion."""
    m = mechanism("six_body_chains")
    C = closed_incidence(m.tree)[1:, 1:]  # without the ground and the joint that lets body 1 float
    assert C.shape == (6, 7) and np.linalg.matrix_rank(C) == 5 and len(m.loops) == 2
    q, u = m.assemble(dict(m.plan.initial), dict(m.plan.speeds))
    found = largest_difference(m.state(q, u), ELIMINATIONS)
    assert len(found) == len(ELIMINATIONS) and max(found.values()) <= 1e-9, found


def test_a_body_set_free_obeys_newton_and_euler():
    """[B 2, 3, Fig. 4]: m r̈ = F + Σ c f and I ω̇ + ω × Iω = Rᵀ(G + Σ c (R ℓ × f + g)), the forces keyed in again."""
    m = mechanism("body_with_hinge_forces")
    motion = m.simulate(1.0, output=0.25)
    f, g = 6.0, 0.8
    hinges = {
        (-0.4, 0.0, -0.1): lambda t: ([-f, 0, -0.5 * f * np.sin(3 * t)], [0, -g * np.cos(2 * t), 0]),
        (0.1, 0.5, 0.0): lambda t: ([0.6 * f, 0.5 * f * np.cos(2 * t), 0], [0.5 * g, 0, 0]),
        (0.4, -0.1, 0.3): lambda t: (
            [0.4 * f, -0.5 * f * np.cos(2 * t), 0.4 * f * np.sin(3 * t)],
            [0, 0, g * np.sin(t)],
        ),
    }
    inertia = 4.0 / 12.0 * np.array([0.3**2 + 0.2**2, 0.5**2 + 0.2**2, 0.5**2 + 0.3**2])
    for q, u, t, udot in zip(motion.q, motion.u, motion.t, motion.udot()):
        R, w = m.state(q, u, t).rotation("body"), u[:3]
        force, torque = np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.0, 0.1])
        for arm, law in hinges.items():
            own, couple = (np.array(x, dtype=float) for x in law(t))
            force, torque = force + own, torque + np.cross(R @ arm, own) + couple
        assert np.allclose(udot[3:], force / 4.0, atol=1e-12)
        assert np.allclose(inertia * udot[:3] + np.cross(w, inertia * w), R.T @ torque, atol=1e-12)


def robot_alone() -> da.Mechanism:
    s = system("four_link_robot")
    s.forces.clear()
    return s.build()


@pytest.mark.parametrize("seed", range(4))
def test_the_robot_moves_as_d_writes(seed):
    """[D 5.90–5.94], from D's absolute angles to the joints' relative ones."""
    m, rng = robot_alone(), np.random.default_rng(seed)
    x1, phi, rates = rng.uniform(-1, 1), rng.uniform(-2, 2, 4), rng.uniform(-3, 3, 4)
    relative = np.array([[1, 0, 0, 0], [-1, 1, 0, 0], [0, -1, 1, 0], [0, -1, 0, 1]])
    q, u = np.append(x1, relative @ phi), np.append(rng.uniform(-1, 1), relative @ rates)
    expected = robot_of_d.accelerations(x1, phi, rates, m.parameters, np.array([0.0, -9.81]))
    found = m.forward_dynamics(q, u)
    assert np.allclose(found, np.append(expected[0], relative @ expected[1:]), rtol=1e-11, atol=1e-11)
    e = FORMULATIONS["path_matrix"].equations(m.state(q, u))
    A, right = robot_of_d.equations(phi, rates, m.parameters, np.array([0.0, -9.81]))
    assert np.allclose(e.A, A, rtol=1e-13, atol=1e-13) and np.allclose(e.f, right, rtol=1e-12, atol=1e-12)


def test_the_dumbbell_swings_about_the_vertical():
    """Pitch θ in a circular orbit: θ̈ + 3 n² sin θ cos θ = 0 for a dumbbell, but for (half / r0)²."""
    motion = mechanism("gravity_gradient").simulate(3.5, output=0.05, rtol=1e-11)
    pitch = np.unwrap(np.radians(motion.outputs()["pitch"]), period=np.pi)
    n = motion.mechanism.parameters["n"]
    swung = solve_ivp(
        lambda t, y: [y[1], -1.5 * n * n * np.sin(2 * y[0])], (0, 3.5), [0.3, 0.0], rtol=1e-10, t_eval=motion.t
    )
    assert np.abs(pitch - swung.y[0]).max() <= 0.02  # (1/20)² and the eccentricity that the pull of two masses makes
    assert pitch.min() < -0.25
    H = motion.momentum().angular  # a central force leaves it
    assert np.abs(H - H[0]).max() <= 1e-9 * np.abs(H).max()


def test_belts_hold_the_occupant_and_never_push():
    m = mechanism("restrained_body")
    motion = m.simulate()
    sled = motion.velocity("sled")[:, 0]
    assert np.isclose(sled[0], 13.4) and np.abs(sled[motion.t > 0.1]).max() < 1e-9
    ends = {"lap": (("sled", (-0.15, 0, -0.2)), ("pelvis", (0.1, 0, 0.02)), 0.345)}
    ends["chest"] = (("sled", (-0.25, 0, 0.55)), ("torso", (0.13, 0, 0.3)), 0.44)
    for a, b, length in ends.values():
        stretched = np.linalg.norm(motion.position(a) - motion.position(b), axis=1) - length
        assert stretched[0] < 0.0 < stretched.max() < 0.3
    assert 0.1 < motion.outputs()["forward"].max() < 0.3
    loose = system("restrained_body")
    del loose.forces["lap"], loose.forces["chest"]
    assert loose.build().simulate(0.1).outputs()["forward"][-1] > 0.35
    found = largest_difference(m.state(motion.q[40], motion.u[40], motion.t[40]), ELIMINATIONS)
    assert len(found) == len(ELIMINATIONS) and max(found.values()) <= 1e-9, found


def test_the_arms_draw_the_target_in_and_change_no_momentum():
    m = mechanism("docking_manipulator")
    motion = m.simulate(output=0.5)
    ports = motion.outputs()
    gap = np.linalg.norm(ports["port"] - ports["face"], axis=1)
    assert gap[0] > 1.5 and gap[-1] < 0.15
    hand = motion.position(("lower2", (1.2, 0, 0))) - motion.position(("target", (-0.5, -0.4, 0)))
    assert np.abs(hand).max() < 1e-12
    for p in (motion.momentum().linear, motion.momentum().angular):
        assert np.abs(p - p[0]).max() <= 1e-8 * np.abs(p).max()


def test_the_load_on_two_ropes_closes_a_loop_on_a_moving_ship():
    """[B Remark 3, 71–73]: an external body and a cut hinge together, by every elimination."""
    m = mechanism("ship_crane_loop")
    assert [m.bodies[k - 1].name for k in m.external_bodies] == ["ship", "crane"]
    motion = m.simulate(2.0, output=1.0)
    apart = motion.position(("rope2", (0, 0, -9))) - motion.position(("load", (0, 4, 0)))
    assert np.abs(apart).max() < 1e-12
    found = largest_difference(m.state(motion.q[-1], motion.u[-1], 2.0), ELIMINATIONS)
    assert len(found) == len(ELIMINATIONS) and max(found.values()) <= 1e-9, found
    assert FORMULATIONS["hooker"].equations(m.state(motion.q[-1], motion.u[-1], 2.0)).B.shape == (3, 8)


def test_states_of_external_models_may_be_anywhere():
    for name in ("ship_crane", "ship_crane_loop", "restrained_body"):
        m = mechanism(name)
        q, u, t = random_state(m, np.random.default_rng(1))
        found = largest_difference(m.state(m.admissible(q), u, 3 * t), ELIMINATIONS)
        assert max(found.values()) <= 1e-8, (name, found)


def test_wheels_commanded_ten_times_a_second_point_a_dual_spin_satellite_and_change_no_momentum():
    motion = mechanism("dual_spin_satellite").simulate(60.0, output=0.5)
    off = motion.outputs()["pointing"]
    assert off[0] > 14.0 and off[-1] < 2e-3  # the star tracker's noise is 6e-4 degrees
    wheels = np.stack([motion[f"wheel_{axis}.momentum"] for axis in "xyz"], axis=1)
    H = motion.momentum().angular + np.einsum("kij,kj->ki", motion.pose("platform").rotation, wheels)
    assert np.abs(H - H[0]).max() <= 1e-7 * np.abs(H).max()
