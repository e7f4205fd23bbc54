"""Armature: inertia of a joint's own speeds, in every formulation, kernel and derivative; it is that of a rotor on the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS, suitable
from dalembert.formulations.formulation import approximation, settled
from dalembert.formulations.tree import kane
from dalembert.kinematics import totals
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.constraints.loops import closed_system, consistent
from tests.effort import examples
from tests.elastic.particles import random_tree as elastic_tree
from tests.kernels.support import agree, largest, random_states
from tests.mechanisms import matter, random_state, random_tree, seeds

TOLERANCE = 1e-9


def armoured(s: da.System, rng: np.random.Generator) -> da.System:
    """The same system, most of its moving joints with armature."""
    for name, p in s.joints.items():
        if p.joint.n_u and name not in s.cut and rng.random() < 0.7:
            s.joints[name] = replace(p, armature=float(rng.uniform(0.1, 2.0)))
    return s


def check_formulations(m: da.Mechanism, q, u, t) -> None:
    """Accelerations and reactions by every formulation that takes the mechanism, against Kane's."""
    s = m.state(q, u, t)
    by_kane = kane.equations(s)
    reference = METHODS["svd"](by_kane)
    reactions, rows = by_kane.B.T @ reference.lam, len(by_kane.gamma)
    size = max(1.0, largest(by_kane.f), largest(by_kane.A @ reference.udot))
    for name in FORMULATIONS:
        try:
            form = settled(suitable(m, name), m, [(q, t)])
        except da.FormulationError:
            continue
        if approximation(form, m) is not None or name == "gauss_penalty":
            continue
        own = form.state(m, s.t, s.coordinates, form.formulation_speeds(s))
        e = form.equations(own)
        solved = METHODS["svd"](e)
        found = form.udot(own, solved.udot)
        assert largest(found - reference.udot) <= TOLERANCE * max(1.0, largest(reference.udot)), name
        if rows and len(e.gamma):
            assert largest(by_kane.B.T @ solved.lam[-rows:] - reactions) <= 1e-8 * size, name


@settings(max_examples=examples(18), deadline=None)
@given(seeds, st.integers(1, 3), st.sampled_from(["angles", "euler_parameters"]), st.booleans())
def test_all_formulations_agree_on_random_trees(seed, n, orientation, floating):
    rng = np.random.default_rng(seed)
    tree = random_tree(rng, n, prescribed=not floating, floating=floating, orientation=orientation)
    m = armoured(tree, rng).build()
    assume(m.n_u)
    check_formulations(m, *random_state(m, rng))


@settings(max_examples=examples(12), deadline=None)
@given(seeds, st.integers(2, 3))
def test_all_formulations_agree_on_random_loops(seed, n):
    rng = np.random.default_rng(seed)
    s, q, u, t = closed_system(rng, n, 1)
    m = armoured(s, rng).build()
    sizes = np.linalg.svd(constraint_rows(m.state(q, u, t)).B, compute_uv=False)
    assume(m.n_u and len(sizes) and sizes.min() > 1e-2 * sizes.max())
    check_formulations(m, q, consistent(m, q, u, t), t)


@settings(max_examples=examples(6), deadline=None)
@given(seeds)
def test_of_elastic_bodies(seed):
    rng = np.random.default_rng(seed)
    m = armoured(elastic_tree(rng, 2)[0], rng).build()
    assume(m.n_u)
    q, u = m.somewhere(rng, 0.3), rng.uniform(-1, 1, m.n_u)
    check_formulations(m, q, u, 0.3)
    assert agree(m.forward_dynamics(q, u, t=0.3), METHODS["svd"](kane.equations(m.state(q, u, 0.3))).udot)


@pytest.mark.parametrize("n", [3, 9])
@settings(max_examples=examples(6), deadline=None)
@given(seed=seeds)
def test_kernels_agree_with_the_reference(seed, n):
    """As straight-line code and as sweeps over classes of bodies."""
    rng = np.random.default_rng(seed)
    m = armoured(random_tree(rng, n, prescribed=True, forces=n < 10), rng).build()
    assume(m.n_u)
    for q, u, tau, t in zip(*random_states(m, rng, 2)):
        s = m.state(q, u, t)
        e = kane.equations(s)
        udot = np.linalg.solve(e.A, e.f + tau)
        scale = 1.0 + largest(e.f) + largest(np.abs(e.A) @ np.abs(udot))
        assert agree(m.mass_matrix(q, t=t), e.A)
        assert agree(m.forward_dynamics(q, u, tau, t=t), udot, 1.0 + largest(udot) * largest(e.A))
        assert agree(m.inverse_dynamics(q, u, udot, t=t), tau, scale)
        kinetic = m.energies(q, u, t=t)[0]
        assert agree(np.array([kinetic]), np.array([totals.kinetic_energy(s)]))


@pytest.mark.parametrize("n", [3, 10])
def test_derivatives_of_forward_dynamics_are_those_of_its_numbers(n):
    """As straight-line code and in closed form."""
    rng = np.random.default_rng(n)
    s = da.System("chain", gravity=(0, 0, -9.81))
    parent = "ground"
    for k in range(n):
        s.add_body(f"b{k}", matter(rng))
        axis = tuple(float(x) for x in np.eye(3)[k % 3])
        kind = da.Prismatic(axis) if k == 1 else da.Revolute(axis)
        s.add_joint(f"j{k}", kind, parent, f"b{k}", at_parent=rng.normal(size=3), armature=rng.uniform(0.1, 1))
        parent = f"b{k}"
    m = s.build()
    q, u, t = random_state(m, rng)
    found, step = m.forward_dynamics_derivatives(q, u, t=t), 1e-5
    for at, by in ((0, found.q), (1, found.u)):
        for i in range(n):
            ends = []
            for sign in (1.0, -1.0):
                moved = [q.copy(), u.copy()]
                moved[at][i] += sign * step
                ends.append(m.forward_dynamics(*moved, t=t))
            assert largest((ends[0] - ends[1]) / (2 * step) - by[:, i]) < 1e-5 * max(1.0, largest(by))
    assert agree(found.tau, np.linalg.inv(m.mass_matrix(q, t=t)))


def arm(**options) -> da.System:
    s = da.System("arm", gravity=(0, 0, -9.81))
    for k in range(2):
        s.add_body(f"b{k}", da.rod(mass=1.0 + k, length=1.0))
        parent, place = ("ground", (0, 0, 0)) if k == 0 else ("b0", (1, 0, 0))
        s.add_joint(f"j{k}", da.Revolute((0, 1, 0)), parent, f"b{k}", at_parent=place, **options)
    return s


def test_it_is_a_rotor_that_turns_on_the_ground_at_the_joints_speed():
    rotors = arm()
    for k in range(2):
        rotors.add_body(f"rotor{k}", mass=1e-6, inertia=(0.4, 0.4, 0.3))
        rotors.add_joint(f"r{k}", da.Revolute(), "ground", f"rotor{k}")
        rotors.add_constraint(f"gear{k}", da.Coupling({f"r{k}": 1.0, f"j{k}": -1.0}))
    armature, geared = arm(armature=0.3).build(), rotors.build()
    start = {"j0": 0.3, "j1": -0.4}
    one = armature.simulate(1.0, start, output=0.1, rtol=1e-10)
    other = geared.simulate(1.0, start | {"r0": 0.3, "r1": -0.4}, output=0.1, rtol=1e-10)
    places = [geared.coordinates.index(f"j{k}") for k in range(2)]
    assert largest(one.q - other.q[:, places]) < 1e-8
    energy = one.energy().total
    assert largest(energy - energy[0]) < 1e-8


def test_a_joint_on_a_body_without_mass_moves_by_its_armature():
    s = da.System("rotor")
    s.add_body("nothing")
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "nothing", armature=2.0)
    s.add_force("motor", da.Motor("A", 3.0))
    m = s.build()
    assert m.forward_dynamics([0.0], [0.0])[0] == 1.5
    assert m.mass_matrix([0.0])[0, 0] == 2.0


def test_it_may_be_a_parameter_and_goes_through_files(tmp_path):
    s = arm()
    J = s.parameter("J", 0.5)
    s.joints["j1"] = replace(s.joints["j1"], armature=2.0 * J)
    s.save(tmp_path / "arm.yaml")
    m = da.load(tmp_path / "arm.yaml")
    q, u = np.array([0.3, 0.2]), np.array([1.0, -2.0])
    assert agree(m.forward_dynamics(q, u), s.build().forward_dynamics(q, u))
    for value in (0.0, 0.7):
        A = m.with_parameters(J=value).mass_matrix(q)
        assert A[1, 1] == pytest.approx(arm().build().mass_matrix(q)[1, 1] + 2.0 * value, rel=1e-14)


def test_what_drives_a_prescribed_joint_moves_its_armature_too():
    made = []
    for J in (0.0, 0.6):
        s = arm()
        p = s.joints.pop("j1")
        s.add_joint("j1", p.joint, p.parent, p.child, p.on_parent, p.on_child, lambda t: 0.3 * t * t, armature=J)
        made.append(s.build().simulate(0.5, {"j0": 0.2}, output=0.1))
    extra = made[1].drive("j1").force - made[0].drive("j1").force
    assert largest(extra - 0.6 * 0.6) < 1e-8


def test_chosen_speeds_see_it():
    s = arm(armature=0.4)
    plain = s.build()
    s.choose_speeds({"sum": lambda s: s.u["j0"] + s.u["j1"], "difference": lambda s: s.u["j0"] - s.u["j1"]})
    m = s.build()
    q, u = np.array([0.3, 0.5]), np.array([0.7, -0.2])
    own = np.array([u.sum(), u[0] - u[1]])
    expected = plain.forward_dynamics(q, u)
    assert agree(m.forward_dynamics(q, own), np.array([expected.sum(), expected[0] - expected[1]]))
    check_formulations(m, q, own, 0.0)


@pytest.mark.parametrize(
    ("change", "said"),
    [({"armature": -1.0}, "negative"), ({"armature": "much"}, "armature"), ({"armature": float("nan")}, "armature")],
)
def test_what_is_no_inertia_is_refused(change, said):
    with pytest.raises(da.ModelError, match=said):
        arm(**change).build()


def test_a_joint_with_armature_is_not_cut():
    s = arm(armature=0.1)
    s.add_joint("loop", da.Revolute((0, 1, 0)), "b1", "ground", at_parent=(1, 0, 0), at_child=(1.2, 0, 0))
    assert s.build().cuts[0].name == "loop"
    with pytest.raises(da.ModelError, match="armature"):
        s.build(cut=["j0"])
