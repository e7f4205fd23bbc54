"""One state or many: the same numbers, however many there are and whichever arguments they share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dalembert as da
from dalembert.trace.native import executable
from tests.kernels.support import agree, random_states, reference
from tests.mechanisms import planar_pendulum, random_state, random_tree
from tests.targets import LANES as WIDTH

pytestmark = pytest.mark.usefixtures("driver")
SIZES = sorted({1, 2, WIDTH - 1, WIDTH, WIDTH + 1, 13})


@pytest.fixture(scope="module")
def tree(driver):
    """Prescribed motion and forces in time, so that every argument matters."""
    return random_tree(np.random.default_rng(20), 4, prescribed=True).build()


@pytest.fixture(scope="module")
def pendulum(driver):
    """Two links, everything about them a named parameter."""
    s = planar_pendulum(2)
    c = s.parameter("c", 0.3)
    s.add_force("motor", da.Motor("A2", lambda state: da.sin(state.t) - c * state.u["A2"]))
    return s.build()


@pytest.mark.parametrize("count", SIZES)
def test_a_batch_is_its_states_one_by_one(tree, count):
    q, u, tau, t = random_states(tree, np.random.default_rng(count), count)
    forward, inverse = tree.forward_dynamics(q, u, tau, t), tree.inverse_dynamics(q, u, tau, t)
    mass, energies, motion = tree.mass_matrix(q, t), tree.energies(q, u, t), tree.body_motion(q, u, t)
    for k in range(count):
        one = q[k], u[k], tau[k], t[k]
        assert agree(forward[k], tree.forward_dynamics(*one)) and agree(inverse[k], tree.inverse_dynamics(*one))
        assert agree(mass[k], tree.mass_matrix(q[k], t[k])) and agree(energies[k], tree.energies(q[k], u[k], t[k]))
        alone = tree.body_motion(q[k], u[k], t[k])
        for field in ("rotation", "position", "angular_velocity", "velocity"):
            assert agree(getattr(motion, field)[k], getattr(alone, field))


def test_an_empty_batch_is_empty(tree):
    q, u = np.zeros((0, tree.n_q)), np.zeros((0, tree.n_u))
    assert tree.forward_dynamics(q, u).shape == (0, tree.n_u)
    assert tree.mass_matrix(q).shape == (0, tree.n_u, tree.n_u)


@pytest.mark.parametrize("shared", ["q", "u", "tau", "t", "all but t"])
def test_an_argument_given_once_serves_all_states(tree, shared):
    q, u, tau, t = random_states(tree, np.random.default_rng(1), 7)
    every = {"q": q, "u": u, "tau": tau, "t": t}
    once = [k for k in every if k != "t"] if shared == "all but t" else [shared]
    mixed = tree.forward_dynamics(**{k: x[3] if k in once else x for k, x in every.items()})
    full = {k: np.array([x[3]] * 7) if k in once else x for k, x in every.items()}
    assert (mixed == tree.forward_dynamics(**full)).all()


def test_integers_lists_and_strided_arrays_are_taken(tree):
    q, u, tau, t = random_states(tree, np.random.default_rng(2), 3)
    expected = tree.forward_dynamics(q, u, tau, t)
    assert (
        tree.forward_dynamics(q.tolist(), np.asfortranarray(u), np.repeat(tau, 2, axis=0)[::2], t) == expected
    ).all()
    assert (tree.forward_dynamics(q[0], u[0], np.zeros(tree.n_u, dtype=int)) == tree.forward_dynamics(q[0], u[0])).all()


def test_arguments_are_left_as_they_were_and_results_are_new(tree):
    given = random_states(tree, np.random.default_rng(3), 5)
    kept = [x.copy() for x in given]
    first = tree.forward_dynamics(*given)
    again = tree.forward_dynamics(*given)
    assert first is not again and (first == again).all()
    assert all((a == b).all() for a, b in zip(given, kept))
    frozen = [x.copy() for x in given]
    for x in frozen:
        x.flags.writeable = False
    assert (tree.forward_dynamics(*frozen) == first).all()


def test_parameters_for_all_states_and_for_each(pendulum):
    rng = np.random.default_rng(4)
    q, u, tau, t = random_states(pendulum, rng, 6)
    masses, drags = rng.uniform(1, 2, 6), rng.uniform(0, 1, 6)
    own = pendulum.forward_dynamics(q, u, tau, t)
    shared = pendulum.forward_dynamics(q, u, tau, t, {"m1": masses[2]})
    each = pendulum.forward_dynamics(q, u, tau, t, {"m1": masses, "l2": 0.9, "c": drags})
    mass = pendulum.mass_matrix(q, parameters={"m1": masses})
    for k in range(6):
        arguments = q[k], u[k], tau[k], t[k]
        assert agree(own[k], reference(pendulum, *arguments).udot)
        assert agree(shared[k], reference(pendulum.with_parameters(m1=masses[2]), *arguments).udot)
        changed = pendulum.with_parameters(m1=masses[k], l2=0.9, c=drags[k])
        expected = reference(changed, *arguments)
        assert agree(each[k], expected.udot) and agree(changed.forward_dynamics(*arguments), expected.udot)
        one = pendulum.forward_dynamics(*arguments, {"m1": masses[k], "l2": 0.9, "c": drags[k]})
        assert agree(one, expected.udot)
        assert agree(mass[k], reference(pendulum.with_parameters(m1=masses[k]), *arguments).A)


def test_one_state_with_many_parameters_is_a_batch(pendulum):
    q, u = np.array([0.3, 0.4]), np.array([1.0, -1.0])
    lengths = np.linspace(0.5, 1.5, 5)
    swept = pendulum.forward_dynamics(q, u, parameters={"l1": lengths})
    assert swept.shape == (5, 2)
    for k, length in enumerate(lengths):
        assert agree(swept[k], pendulum.with_parameters(l1=length).forward_dynamics(q, u))


def test_two_threads_do_not_disturb_each_other(tree):
    batches = [random_states(tree, np.random.default_rng(k), 40) for k in range(2)]
    expected = [tree.forward_dynamics(*b) for b in batches]
    with ThreadPoolExecutor(2) as pool:
        for _ in range(20):
            found = list(pool.map(lambda b: tree.forward_dynamics(*b), batches))
            assert all((a == b).all() for a, b in zip(found, expected))


def test_one_mechanism_for_several_numbers_of_lanes_in_one_process():
    """What one target's code made of the mechanism does not serve another's."""
    s = random_tree(np.random.default_rng(4), 4)
    targets = executable()
    m = {t.name: s.build(target=t.name) for t in (*targets, *targets[::-1])}
    q, u, t = random_state(next(iter(m.values())), np.random.default_rng(5))
    states = np.stack([q] * 11), np.stack([u * k for k in range(11)])
    found = {name: each.forward_dynamics(*states, t=t) for name, each in m.items()}
    one = [next(iter(m.values())).forward_dynamics(q, u * k, t=t) for k in range(11)]
    for name, udot in found.items():
        assert np.allclose(udot, one, rtol=1e-9, atol=1e-9 * np.abs(one).max()), name
