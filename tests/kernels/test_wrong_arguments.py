"""Arguments that do not fit are refused, and the message says which."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from tests.mechanisms import planar_pendulum


@pytest.fixture(scope="module")
def pendulum(nothing_kept):
    return planar_pendulum(2).build()


two, three = np.zeros(2), np.zeros(3)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"q": three, "u": two}, "q"),
        ({"q": two, "u": three}, "u"),
        ({"q": 0.0, "u": two}, "q"),
        ({"q": np.zeros((2, 2, 2)), "u": two}, "q"),
        ({"q": np.zeros((4, 3)), "u": two}, "q"),
        ({"q": two, "u": two, "tau": three}, "tau"),
        ({"q": two, "u": two, "tau": np.zeros((4, 3))}, "tau"),
        ({"q": two, "u": two, "t": np.zeros((2, 2))}, "t"),
        ({"q": two, "u": two, "parameters": {"m1": np.ones((2, 2))}}, "parameter"),
    ],
)  # fmt: skip
def test_a_wrong_shape_is_named(pendulum, arguments, named):
    with pytest.raises(da.StateError, match=rf"forward_dynamics.*\b{named}"):
        pendulum.forward_dynamics(**arguments)


def test_the_third_argument_has_the_name_the_user_knows(pendulum):
    with pytest.raises(da.StateError, match="udot"):
        pendulum.inverse_dynamics(two, two, three)


def test_the_message_says_what_would_fit(pendulum):
    with pytest.raises(da.StateError, match=r"\(2,\) or \(K, 2\), not \(3,\)"):
        pendulum.mass_matrix(three)


@pytest.mark.parametrize(
    "other", [{"u": np.zeros((4, 2))}, {"u": two, "t": np.zeros(4)}, {"u": two, "parameters": {"m1": np.ones(4)}}]
)
def test_batches_of_unlike_lengths_are_refused(pendulum, other):
    with pytest.raises(da.StateError, match="3, 4"):
        pendulum.forward_dynamics(np.zeros((3, 2)), **other)


def test_parameters_of_unlike_lengths_are_refused(pendulum):
    with pytest.raises(da.StateError, match="parameter"):
        pendulum.forward_dynamics(two, two, parameters={"m1": np.ones(3), "m2": np.ones(4)})


def test_an_unknown_parameter_is_named_with_the_nearest(pendulum):
    with pytest.raises(da.DalembertError, match=r"mm1.*m1"):
        pendulum.forward_dynamics(two, two, parameters={"mm1": 1.0})


def test_words_are_no_numbers(pendulum):
    with pytest.raises(da.StateError, match="q"):
        pendulum.forward_dynamics(["a", "b"], two)
