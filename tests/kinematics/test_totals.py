"""Mass centre, momentum and energy equal direct sums over the particles the bodies are made of."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.kinematics import totals
from tests.effort import examples
from tests.kinematics.traced import Traced
from tests.mechanisms import random_state, random_tree, seeds


def of_particles(rng, n, **options):
    """A random tree whose bodies are clouds of particles, and the clouds: [(body, mass, place)]."""
    s = random_tree(rng, n, **options)
    cloud = []
    for name in list(s.bodies):
        pieces = [(float(m), x) for m, x in zip(rng.uniform(0.1, 1, 5), rng.normal(size=(5, 3)))]
        cloud += [(name, m, x) for m, x in pieces]
        matter = da.particle(*pieces[0])
        for piece in pieces[1:]:
            matter = matter + da.particle(*piece)
        del s.bodies[name]
        s.add_body(name, matter)
    return s.build(), cloud


def close(a, b, scale):
    return np.abs(np.asarray(a, dtype=float) - b).max() <= 1e-12 * max(1.0, float(scale))


@settings(max_examples=examples(30), deadline=None)
@given(seeds, st.integers(1, 6))
def test_sums_over_particles(seed, n):
    rng = np.random.default_rng(seed)
    m, cloud = of_particles(rng, n, forces=False, prescribed=True)
    s = m.state(*random_state(m, rng))
    mass = np.array([c[1] for c in cloud])
    x = np.array([s.position((body, place)) for body, _, place in cloud])
    v = np.array([s.velocity((body, place)) for body, _, place in cloud])
    about = rng.normal(size=3)
    scale = mass @ (np.abs(x).sum(axis=1) + 5) * (1 + np.abs(v).max()) ** 2
    assert close(totals.mass(s), mass.sum(), mass.sum())
    assert close(totals.mass_centre(s), mass @ x / mass.sum(), scale)
    assert close(totals.linear_momentum(s), mass @ v, scale)
    assert close(totals.angular_momentum(s, about), mass @ np.cross(x - about, v), scale)
    assert close(totals.kinetic_energy(s), 0.5 * mass @ (v * v).sum(axis=1), scale)
    assert close(totals.potential_energy(s), -mass @ (x @ m.gravity), scale * np.abs(m.gravity).max())


@settings(max_examples=examples(20), deadline=None)
@given(seeds, st.integers(1, 6))
def test_momentum_is_mass_times_the_velocity_of_the_mass_centre(seed, n):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, forces=False, prescribed=True).build()
    at = random_state(m, rng)
    s = m.state(*at)
    centre_velocity = Traced(m, lambda s: [totals.mass_centre(s)]).rate(at, np.zeros(m.n_u))
    momentum = totals.linear_momentum(s)
    assert close(momentum, totals.mass(s) * centre_velocity, np.abs(momentum).max())


def test_springs_store_energy():
    """½ k x² between points, at joints, and of a linear cord without rest length."""
    s = da.System()
    s.add_body("block", da.particle(2.0))
    s.add_joint("slide", da.Prismatic((1, 0, 0)), "ground", "block")
    s.add_force("rope", da.Spring(("ground", (0, 3, 0)), "block", stiffness=10.0, length=2.0))
    s.add_force("cord", da.Spring(("ground", (0, 3, 0)), "block", stiffness=4.0))
    s.add_force("coil", da.JointSpring("slide", stiffness=6.0, rest=1.0))
    s.add_force("damper", da.JointSpring("slide", damping=100.0))
    state = s.build().state([4.0], [1.0])
    assert totals.potential_energy(state) == 0.5 * 10 * (5 - 2) ** 2 + 0.5 * 4 * 25 + 0.5 * 6 * 9
