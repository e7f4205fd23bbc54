"""Claims about nonholonomic motion: rolling and gliding bodies follow their closed forms, and their contacts do no work."""

from __future__ import annotations

import numpy as np

import dalembert as da
from dalembert.vectors import turn
from tests.simulation.free_bodies import imbalance

G = 9.81
X, Y, Z = np.eye(3)


def rolling_ball(slope: float = 0.0) -> da.Mechanism:
    """1 kg, 0.1 m radius, on the plane z = 0, with gravity tilted by the slope towards x."""
    s = da.System("rolling ball", gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    s.add_body("ball", da.sphere(1.0, 0.1))
    s.add_joint("float", da.Free(), "ground", "ball")
    s.add_constraint("floor", da.RollingBall("ball", 0.1))
    return s.build()


def quaternion(R: np.ndarray) -> np.ndarray:
    """Euler parameters of a rotation by less than half a turn."""
    e0 = 0.5 * np.sqrt(1.0 + np.trace(R))
    return np.array([e0, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / np.array([1, *[4 * e0] * 3])


def turned(axis: np.ndarray, angles: np.ndarray) -> np.ndarray:
    return np.array([turn(axis, angle) for angle in angles])


def contact_power(motion: da.Motion, contact: str, body: str) -> np.ndarray:
    """Power of the contact's force on the body, with its torque about the contact point."""
    w = motion.reaction(contact)
    place = motion.evaluate(lambda s: s.mechanism.constraints[contact].acts_at(s)[0])
    spin = motion.angular_velocity(body)
    v = motion.velocity(body) + np.cross(spin, place - motion.position(body))
    return np.sum(w.force * v, axis=1) + np.sum(w.torque * spin, axis=1)


def test_a_ball_on_a_level_plane_keeps_its_angular_velocity():
    """[C 215–258], I = ⅖ma²: ω is constant in inertial axes, so that R = exp(ω̃t) and the centre goes on in a straight line."""
    m = rolling_ball()
    spin = np.array([0.5, 3.0, 1.0])
    velocity = np.cross(spin, 0.1 * Z)
    motion = m.simulate(3.0, np.array([1.0, 0, 0, 0, 0.2, -0.1, 0.1]), [*spin, *velocity], rtol=1e-12)
    rate = np.linalg.norm(spin)
    pose = motion.pose("ball")
    assert np.abs(pose.rotation - turned(spin / rate, rate * motion.t)).max() < 1e-9
    assert np.abs(pose.position - np.array([0.2, -0.1, 0.1]) - motion.t[:, None] * velocity).max() < 1e-9
    w = motion.reaction("floor")
    assert np.abs(w.force - G * Z).max() < 1e-9 and np.abs(w.torque).max() < 1e-12


def test_a_ball_on_a_slope_gains_five_sevenths_of_it():
    """The centre's acceleration is 5/7 g sin α down the slope; the contact carries cos α and holds back 2/7 sin α of the weight."""
    slope = 0.4
    m = rolling_ball(slope)
    spin = np.array([1.0, -2.0, 5.0])
    velocity = np.cross(spin, 0.1 * Z)
    motion = m.simulate(2.0, np.array([1.0, 0, 0, 0, 0, 0, 0.1]), [*spin, *velocity], rtol=1e-12)
    t = motion.t[:, None]
    path = 0.1 * Z + t * velocity + 5 / 14 * G * np.sin(slope) * t * t * X
    assert np.abs(motion.position("ball") - path).max() < 1e-9
    force = motion.reaction("floor").force
    assert np.abs(force - G * np.array([-2 / 7 * np.sin(slope), 0, np.cos(slope)])).max() < 1e-8
    assert np.abs(contact_power(motion, "floor", "ball")).max() < 1e-9
    assert imbalance(motion.samples.at([0, len(motion) // 2, -1]), [0, 1, 2]) < 1e-9


def test_a_rolling_disc_precesses_steadily():
    """A disc of radius a whose axis e₃ makes the angle θ with the vertical n, turning about it at Ω, with s = ω·e₃.

    With e₂ from the contact to the centre and e₁ = e₂ × e₃: n = sin θ e₂ + cos θ e₃, ω = Ω sin θ e₂ + s e₃, v = ω × a e₂ = −a s e₁.
    Newton gives the contact force m(v̇ + g n), v̇ = Ω n × v; Euler Ω n × (AΩ sin θ e₂ + C s e₃) = −a e₂ × F, so that
    (C + m a²) s Ω sin θ − A Ω² sin θ cos θ + m g a cos θ = 0.
    The frame turns about n at Ω, the disc in it about e₃ at s − Ω cos θ, and the centre runs round a circle of radius a s / Ω.
    """
    a, mass, theta, rate = 0.3, 2.0, np.radians(80.0), 0.8
    A, C = mass * a * a / 4, mass * a * a / 2
    s = (A * rate**2 * np.sin(theta) - mass * G * a) * np.cos(theta) / ((C + mass * a * a) * rate * np.sin(theta))
    system = da.System("rolling disc", gravity=(0, 0, -G))
    system.add_body("disc", mass=mass, inertia=(A, A, C))
    system.add_joint("float", da.Free(), "ground", "disc")
    system.add_constraint("floor", da.RollingDisc("disc", a, axis=(0, 0, 1)))
    m = system.build()

    R = np.array(turn(X, theta - np.pi / 2) @ np.stack([X, Z, -Y], axis=1))  # columns e₁, e₂, e₃
    e1, e2, e3 = R.T
    assert np.allclose(Z, np.sin(theta) * e2 + np.cos(theta) * e3)
    start, velocity = a * np.sin(theta) * Z, -a * s * e1
    spin = np.array([0.0, rate * np.sin(theta), s])  # in body axes
    motion = m.simulate(4.0, [*quaternion(R), *start], [*spin, *velocity], rtol=1e-12)

    turns = rate * motion.t
    around = np.sin(turns)[:, None] * e1 + (1.0 - np.cos(turns))[:, None] * np.cross(Z, e1)
    assert np.abs(motion.position("disc") - start + a * s / rate * around).max() < 1e-9
    expected = turned(Z, turns) @ turned(e3, (s - rate * np.cos(theta)) * motion.t) @ R
    assert np.abs(motion.pose("disc").rotation - expected).max() < 1e-9
    force = mass * (rate * np.cross(Z, -a * s * (turned(Z, turns) @ e1)) + G * Z)
    assert np.abs(motion.reaction("floor").force - force).max() < 1e-7
    assert np.abs(contact_power(motion, "floor", "disc")).max() < 1e-9
    assert np.ptp(motion.energy().total) < 1e-9


def test_a_knife_edge_on_a_slope_describes_a_cycloid():
    """A skate under its mass centre, turning at ω, released at rest pointing down a slope α, k = g sin α:

    v̇ = k cos ωt along the blade, so that v = k/ω sin ωt, x = k/2ω² sin² ωt, y = k/2ω² (ωt − ½ sin 2ωt): a cycloid across the slope.
    The blade holds against v ω + k sin ωt = 2 k sin ωt sideways.
    """
    slope, rate, mass = 0.3, 1.7, 3.0
    k = G * np.sin(slope)
    s = da.System("skate", gravity=(k, 0, -G * np.cos(slope)))
    s.add_body("skate", da.box(mass, (0.4, 0.1, 0.1)))
    s.add_joint("ice", da.Planar((0, 0, 1)), "ground", "skate")
    s.add_constraint("blade", da.KnifeEdge("skate"))
    m = s.build()
    motion = m.simulate(4.0, None, {"ice.angle": rate}, rtol=1e-12)
    phase = rate * motion.t
    x, y = k / (2 * rate**2) * np.sin(phase) ** 2, k / (2 * rate**2) * (phase - 0.5 * np.sin(2 * phase))
    assert np.abs(motion.position("skate") - np.stack([x, y, 0 * x], axis=1)).max() < 1e-9
    sideways = np.stack([-np.sin(phase), np.cos(phase), 0 * phase], axis=1)
    force = 2 * mass * k * np.sin(phase)[:, None] * sideways
    assert np.abs(motion.reaction("blade").force - force).max() < 1e-8
    assert np.abs(contact_power(motion, "blade", "skate")).max() < 1e-9
