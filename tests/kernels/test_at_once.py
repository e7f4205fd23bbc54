"""Single states asked for often are answered by a built-in function: the same answers and refusals, in every thread."""

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.kernels.runtime.kernel import OFTEN
from tests.mechanisms import planar_pendulum, random_tree

QUANTITIES = {
    "forward_dynamics": lambda m, q, u, x: m.forward_dynamics(q, u, x),
    "without forces": lambda m, q, u, x: m.forward_dynamics(q, u),
    "inverse_dynamics": lambda m, q, u, x: m.inverse_dynamics(q, u, x),
    "mass_matrix": lambda m, q, u, x: m.mass_matrix(q),
    "energies": lambda m, q, u, x: np.array(m.energies(q, u)),
    "body_motion": lambda m, q, u, x: m.body_motion(q, u).position,
}


def a_tree(seed, n):
    return random_tree(np.random.default_rng(seed), n).build()


def states(m, count, seed=0):
    rng = np.random.default_rng(seed)
    q = np.array([m.admissible(m.reference + rng.normal(size=m.n_q)) for _ in range(count)])
    return q, rng.normal(size=(count, m.n_u)), rng.normal(size=(count, m.n_u))


def called_often(m):
    q, u, x = states(m, 1)
    for _ in range(OFTEN + 1):
        for ask in QUANTITIES.values():
            ask(m, q[0], u[0], x[0])
    return m


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_those_of_the_first_calls(seed):
    m, fresh = (a_tree(seed, 4 + 3 * seed) for _ in range(2))
    called_often(m)
    for q, u, x in zip(*states(m, 5, seed)):
        for ask in QUANTITIES.values():
            np.testing.assert_array_equal(ask(m, q, u, x), ask(fresh, q, u, x))


def test_parameters_and_time_are_obeyed():
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    length = s.parameter("length", 2.0)
    s.add_body("rod", mass=1.0, com=(length, 0, 0), inertia=(0.1, 0.1, 0.1))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    s.add_force("push", da.Motor("A", lambda s: da.sin(s.t)))
    m = called_often(s.build())
    other = called_often(m.with_parameters(length=5.0))
    q, u = np.array([0.3]), np.array([0.2])
    for one in (m, other):
        np.testing.assert_array_equal(
            one.forward_dynamics(q, u, None, 0.7), one.forward_dynamics([0.3], [0.2], None, 0.7)
        )
        assert one.forward_dynamics(q, u, None, 0.7) != one.forward_dynamics(q, u)
    assert (
        m.forward_dynamics(q, u, parameters={"length": 5.0}) == other.forward_dynamics(q, u) != m.forward_dynamics(q, u)
    )


def test_what_is_refused_stays_refused():
    m = called_often(a_tree(1, 5))
    (q,), (u,), (x,) = states(m, 1)
    wrong = [
        (None, u, x), (q[:-1], u, x), (q, u[:-1], x), (q, u, x[:-1]), ("q", u, x), (q * np.nan, u, x), (q, u * np.inf, x),
    ]  # fmt: skip
    for given in wrong:
        with pytest.raises(DalembertError):
            m.forward_dynamics(*given)
    with pytest.raises(DalembertError):
        m.forward_dynamics(q, u, x, np.nan)
    with pytest.raises(DalembertError):
        m.forward_dynamics(q, u, x, 0.0, {"none": 1.0})
    with pytest.raises(DalembertError):
        m.forward_dynamics(q, u, x, 0.0, None, "no such method")


def test_threads_do_not_mix_their_states():
    m = called_often(a_tree(2, 6))
    q, u, x = states(m, 50)
    expected = m.forward_dynamics(q, u, x)

    def one(k):
        return all(np.allclose(m.forward_dynamics(q[k], u[k], x[k]), expected[k], rtol=1e-9) for _ in range(200))

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(50)))


def test_a_mechanism_that_was_called_often_is_forgotten_when_nobody_has_it():
    m = called_often(a_tree(3, 3))
    gone = weakref.ref(m)
    del m
    gc.collect()
    assert gone() is None


def test_a_mechanism_that_was_called_often_can_be_sent_to_another_process():
    m = called_often(planar_pendulum(3).build())
    (q,), (u,), (x,) = states(m, 1)
    other = pickle.loads(pickle.dumps(m))
    np.testing.assert_array_equal(m.forward_dynamics(q, u, x), other.forward_dynamics(q, u, x))
