"""Kernels of the mechanisms that are not chains of hinges: what moves with time, what branches, what floats, what is welded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import dalembert as da
from dalembert.kinematics import totals
from dalembert.vectors import turn
from tests.kernels.support import agree, random_states, reference
from tests.mechanisms import frame, matter, planar_pendulum

pytestmark = pytest.mark.usefixtures("driver")
MODELS: dict[str, Callable[[np.random.Generator], da.System]] = {}


def model(make: Callable[[np.random.Generator], da.System]) -> Callable[[np.random.Generator], da.System]:
    MODELS[make.__name__.replace("_", " ")] = make
    return make


def chain(
    rng: np.random.Generator, joints: list[da.Joint], root: str = "ground", s: da.System | None = None
) -> da.System:
    """Bodies one after the other, from the root."""
    s = s or da.System("chain", gravity=(0.3, -9.81, 0.5))
    start = len(s.bodies)
    for i, joint in enumerate(joints, start=start):
        s.add_body(f"b{i}", matter(rng))
        s.add_joint(f"j{i}", joint, f"b{i - 1}" if i > start else root, f"b{i}", frame(rng), frame(rng))
    return s


@model
def driven_in_time(rng):
    s = chain(rng, [da.Revolute(), da.Prismatic()])
    s.add_force("motor", da.Motor("j0", lambda s: 3.0 * da.sin(2.0 * s.t)))
    s.add_force("wind", da.Load("b1", force=lambda s: (s.t, da.exp(-s.t), 1.0)))
    return s


@model
def prescribed_in_the_middle(rng):
    s = chain(rng, [da.Revolute()])
    s.add_body("arm", matter(rng))
    s.add_joint("drive", da.Universal((1, 0, 0), (0, 1, 0)), "b0", "arm", prescribed={"1": lambda t: da.sin(t)})
    return chain(rng, [da.Spherical(), da.Revolute((0, 1, 0))], "arm", s)


@model
def on_a_ship(rng):
    """An external body: its motion is given, and it has no mass."""
    s = da.System("ship", gravity=(0, 0, -9.81))
    s.add_external(
        "ship", position=lambda t: (t, 0.1 * da.sin(t), t * t), angles=lambda t: (0.1 * da.sin(t), 0.2 * t, 0)
    )
    return chain(rng, [da.Revolute(), da.Spherical()], "ship", s)


@model
def several_roots(rng):
    s = chain(rng, [da.Revolute(), da.Cylindrical()])
    chain(rng, [da.Free()], "ground", s)
    chain(rng, [da.Planar((0, 1, 0)), da.Screw((0, 0, 1), pitch=0.2)], "ground", s)
    s.add_force("tie", da.Spring(("b1", (0.1, 0, 0)), ("b2", (0, 0.2, 0)), stiffness=7.0, damping=0.3))
    return s


@model
def welds_everywhere(rng):
    return chain(rng, [da.Weld(), da.Revolute((0, 1, 0)), da.Weld(), da.Weld(), da.Prismatic((0, 0, 1)), da.Weld()])


@model
def branching(rng):
    """Children of unlike joints on one parent, and their children."""
    s = chain(rng, [da.Revolute((1, 0, 0))])
    for joint in (da.Spherical(), da.Revolute(), da.Prismatic((0, 1, 0)), da.Weld()):
        chain(rng, [joint, da.Revolute((0, 1, 0))], "b0", s)
    return s


@model
def floating_base(rng):
    s = chain(rng, [da.Free()])
    for _ in range(2):
        chain(rng, [da.Revolute((1, 0, 0)), da.Revolute((0, 1, 0))], "b0", s)
    s.add_force("push", da.Load(("b2", (0.1, 0.2, 0.3)), force=(1, 2, 3), torque=(0.1, 0.2, 0.3), axes="body"))
    return s


@model
def said_from_the_other_end(rng):
    s = chain(rng, [da.Revolute()])
    for i, joint in enumerate((da.Universal((1, 0, 0), (0, 0, 1)), da.Cylindrical((0, 1, 0)), da.Free()), start=1):
        s.add_body(f"b{i}", matter(rng))
        s.add_joint(f"j{i}", joint, f"b{i}", f"b{i - 1}", frame(rng), frame(rng))
    return s


@model
def parameters_in_every_place(rng):
    """Mass, inertia, places, a frame's angle, gravity, a spring, a law of motion, a force's function."""
    s = planar_pendulum(2)
    a, b = s.parameter("a", 0.4), s.parameter("b", 1.3)
    s.add_body("tool", matter(rng))
    place = da.Frame((a, 0.1, b), turn(np.array([0.0, 1.0, 0.0]), a * b))
    s.add_joint("wrist", da.Revolute((1, 0, 0)), "link2", "tool", place, prescribed=lambda t: b * da.sin(a * t))
    s.add_body("bob", mass=a, com=(0, 0, a), inertia=(b, b, b))
    s.add_joint("hook", da.Spherical(), "tool", "bob", at_parent=(0, b, 0))
    s.add_force("spring", da.Spring("bob", ("ground", (b, 0, 0)), stiffness=10 * a, length=b))
    s.add_force("motor", da.Motor("A1", lambda s: a * da.cos(s.t) - b * s.u["A1"]))
    return s


@model
def a_payload_without_a_place_of_its_own(rng):
    """A mass that is a parameter, at a mass centre that is not, welded on: only its mass is an expression."""
    s = da.System("payload", gravity=(0, 0, -9.81))
    s.add_body("arm", da.box(3.0, (0.1, 0.1, 0.4)))
    s.add_joint("shoulder", da.Revolute((0, 1, 0)), "ground", "arm", at_child=(0, 0, -0.2))
    s.add_body("tool", mass=s.parameter("payload", 2.0), inertia=(0.01, 0.01, 0.01))
    s.add_joint("grip", da.Weld(), "arm", "tool", at_parent=(0, 0, 0.2))
    return s


@model
def forces_with_decisions(rng):
    """Dry friction smoothed, a one-sided stop, a limited motor."""
    s = chain(rng, [da.Revolute(), da.Revolute((0, 1, 0)), da.Prismatic()])
    s.add_force("dry", da.Motor("j0", lambda s: -0.4 * da.tanh(5.0 * s.u["j0"])))
    s.add_force("stop", da.Motor("j2", lambda s: da.select(s.q["j2"] > 0.2, -50.0 * (s.q["j2"] - 0.2), 0.0)))
    s.add_force("limited", da.Motor("j1", lambda s: da.maximum(-0.5, da.minimum(0.5, 3.0 * s.q["j1"]))))
    s.add_force(
        "drag", da.Load("b2", force=lambda s: -0.3 * da.sqrt(1e-9 + sum(s.velocity("b2") ** 2)) * s.velocity("b2"))
    )
    return s


@pytest.fixture(params=MODELS)
def case(request):
    rng = np.random.default_rng(7)
    m = MODELS[request.param](rng).build()
    return m, random_states(m, rng, 5)


def test_dynamics_equal_kanes(case):
    m, (q, u, tau, t) = case
    forward, mass = m.forward_dynamics(q, u, tau, t), m.mass_matrix(q, t)
    inverse = m.inverse_dynamics(q, u, forward, t)
    for k in range(5):
        e = reference(m, q[k], u[k], tau[k], t[k])
        assert agree(forward[k], e.udot) and agree(m.forward_dynamics(q[k], u[k], tau[k], t[k]), e.udot)
        assert agree(inverse[k], tau[k], e.force_scale)
        assert agree(m.inverse_dynamics(q[k], u[k], forward[k], t[k]), tau[k], e.force_scale)
        assert agree(mass[k], e.A) and agree(m.mass_matrix(q[k], t[k]), e.A)


def test_motion_rates_and_energies_equal_the_states(case):
    m, (q, u, _, t) = case
    rows, energies, rates = m.kernels.body_motion(q, u, None, t), m.energies(q, u, t), m.kernels.rates(q, u, None, t)
    for k in range(5):
        s = m.state(q[k], u[k], t[k])
        motion = np.array([[*p.R.ravel(), *p.p, *v.w, *v.v] for p, v in zip(s.poses[1:], s.velocities[1:])])
        energy = np.array([totals.kinetic_energy(s), totals.potential_energy(s)], dtype=float)
        assert agree(rows[k], motion) and agree(m.kernels.body_motion(q[k], u[k], None, t[k]), motion)
        assert agree(energies[k], energy) and agree(m.energies(q[k], u[k], t[k]), energy)
        assert agree(rates[k], s.rates) and agree(m.kernels.rates(q[k], u[k], None, t[k]), s.rates)
