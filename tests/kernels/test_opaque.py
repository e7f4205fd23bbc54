"""Forces that are arbitrary Python: the same numbers, and a warning that they are slow."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SlowForceWarning
from tests.kernels.support import agree, random_states, reference
from tests.mechanisms import planar_pendulum

pytestmark = pytest.mark.usefixtures("driver")


def traceable(s):
    return 2.0 * da.sin(s.q["A1"]) - 0.3 * s.u["A1"] + s.t


def opaque(s):
    """The same, in a way that only numbers can go: math.sin, a decision, a table."""
    angle = float(s.q["A1"])
    return 2.0 * math.sin(angle) + {True: -0.3, False: -0.3}[angle > 0] * s.u["A1"] + s.t


def pendulum(law) -> da.Mechanism:
    s = planar_pendulum(2)
    s.add_force("torque", da.Motor("A1", law))
    s.add_force("spring", da.Spring(("link2", (1, 0, 0)), ("ground", (1, 1, 0)), stiffness=3.0, length=0.2))
    return s.build()


@pytest.fixture(scope="module")
def both(driver):
    with pytest.warns(SlowForceWarning, match='"torque".*slower'):
        slow = pendulum(opaque)
        assert slow.kernels.opaque is not None
    return slow, pendulum(traceable)


def test_the_same_numbers_on_one_state_and_on_many(both):
    slow, fast = both
    q, u, tau, t = random_states(slow, np.random.default_rng(1), 6)
    for name in ("forward_dynamics", "inverse_dynamics"):
        batch = getattr(slow, name)(q, u, tau, t)
        assert agree(batch, getattr(fast, name)(q, u, tau, t))
        assert agree(getattr(slow, name)(q[2], u[2], tau[2], t[2]), batch[2])
    for k in range(6):
        assert agree(slow.forward_dynamics(q[k], u[k], tau[k], t[k]), reference(slow, q[k], u[k], tau[k], t[k]).udot)


def test_arguments_given_once_and_parameters_for_each_state(both):
    slow, fast = both
    q, u, tau, t = random_states(slow, np.random.default_rng(2), 5)
    masses = np.linspace(1.0, 2.0, 5)
    for arguments in (
        (q, u[0], None, 0.3),
        (q[0], u, tau[0], 0.0),
        (q[0], u[0], tau[0], t),
        (q[0], u[0], tau, 0.1),
        (q, u, tau, t, {"m1": masses, "l1": 1.1}),
        (q[0], u[0], tau[0], 0.2, {"m1": masses}),
    ):
        assert agree(slow.forward_dynamics(*arguments), fast.forward_dynamics(*arguments))


def test_what_does_not_depend_on_forces_is_compiled_as_ever(both):
    slow, fast = both
    q, u, _, t = random_states(slow, np.random.default_rng(3), 3)
    assert agree(slow.mass_matrix(q), fast.mass_matrix(q))
    assert agree(slow.energies(q, u, t), fast.energies(q, u, t))


def test_a_wrong_shape_is_named_here_too(both):
    with pytest.raises(da.StateError, match="q"):
        both[0].forward_dynamics(np.zeros(3), np.zeros(2))


def test_forces_that_can_be_traced_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SlowForceWarning)
        pendulum(traceable).forward_dynamics([0.1, 0.2], [0.0, 0.0])


def test_a_mistake_in_a_force_is_not_taken_for_slowness_for_ever():
    """It is tried again with numbers, and what is wrong with it comes to light."""
    with pytest.warns(SlowForceWarning):
        m = pendulum(lambda s: s.angle("A1"))
        with pytest.raises(da.DalembertError, match=r'"torque".*angle'):
            m.forward_dynamics([0.1, 0.2], [0.0, 0.0])
