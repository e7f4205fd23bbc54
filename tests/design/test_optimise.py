"""Optima that are known, in mechanisms with and without loops; gradients beside differences."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dalembert as da
from dalembert.studies.answers.output_gradients import OutputGradients
from tests.studies.models import four_bar, pendulum

OUTPUT = da.SimulationOptions(output=0.02)
MOVING = {"duration": 0.6, "initial": {"A": 1.0}, "speeds": {"A": 2.0}, "options": OUTPUT}
LENGTHS = {"crank": (0.3, 0.5), "rocker": (0.8, 1.0)}


def test_lengths_of_a_loop_are_found_from_its_motion():
    """Least squares through the assembled loop: the lengths that made the motion are the only ones that make it again."""
    m = four_bar()
    made = m.with_parameters(crank=0.42, rocker=0.93).simulate(0.6, {"A": 1.0}, {"A": 2.0}, options=OUTPUT)
    found = m.optimise({"series D": made["D"]}, LENGTHS, starts=2, **MOVING)
    assert np.allclose([found["crank"], found["rocker"]], [0.42, 0.93], atol=1e-7) and found.objective < 1e-14
    assert found.agreed == 2 and found.settled and found.mechanism.parameters["crank"] == found["crank"]
    assert np.allclose(found.motion()["D"], made["D"], atol=1e-6) and len(found.columns()["objective"]) == 2


def test_a_limit_on_a_peak_is_kept_and_reached():
    """The largest peak of an angle under a limit of a largest speed: it is reached, and no run of a study that keeps it is better."""
    m = four_bar()
    with ThreadPoolExecutor(2) as pool:
        found = m.optimise("peak D", LENGTHS, {"max B'": (None, 8.1)}, maximise=True, starts=2, executor=pool, **MOVING)
    assert np.isclose(found["max B'"], 8.1, rtol=1e-6)
    drawn = da.Study(m, LENGTHS, ["peak D", "max B'"], 512, design="sobol", **MOVING).run()
    kept = drawn["max B'"] <= 8.1
    assert kept.any() and drawn["peak D"][kept].max() < found["peak D"] + 1e-4


def test_the_longest_pendulum_is_the_slowest():
    found = pendulum().optimise(
        "end A", {"l": (0.5, 2.0)}, maximise=True, starts=2, duration=0.5, initial={"A": 1.0}, options=OUTPUT
    )
    assert np.isclose(found["l"], 2.0) and found.at_ends() == ("l",) and "At an end of its range: l" in str(found)


def test_a_function_of_outputs_is_minimised():
    """A quarter of the period 4 √(l/g) K is 0.6 s where the pendulum is at its lowest point then."""
    found = pendulum().optimise(
        lambda y: (y["a"] - 0.1) ** 2 + 0.0 * y["v"], {"l": (0.5, 2.0)}, outputs={"a": "end A", "v": "peak A'"}, starts=2, duration=0.5,
        initial={"A": 1.0}, options=OUTPUT,
    )  # fmt: skip
    assert np.isclose(found["a"], 0.1, atol=1e-5)


@pytest.mark.parametrize(
    "output", ["max B'", "min D", "peak B'", "range B", "rms D'", "series D at 0, 0.2, 0.6", "p70 A"]
)
def test_gradients_are_those_of_the_values(output):
    study = da.Study(four_bar(), LENGTHS, [output], 2, **MOVING)
    of, x, h = OutputGradients(study), np.array([0.42, 0.93]), 1e-5
    exact = of.at(x)[output].gradient
    for k, e in enumerate(np.eye(2)):
        by_differences = (of.at(x + h * e)[output].value - of.at(x - h * e)[output].value) / (2 * h)
        assert np.allclose(exact[:, k], by_differences, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "asked, said",
    [
        ({"objective": 3}, 'must be an output such as "peak motor M"'),
        ({"vary": {"crank": "±1%"}}, "must be a range in which to look"),
        ({"subject_to": {"max D": 3.0, "min D": (None, None)}}, r"must be a number, or \(least, largest\)"),
        ({"objective": "peak drive A"}, "has no derivatives here"),
        ({"objective": "series D"}, "has many values"),
        ({"objective": {"end D": [1.0, 2.0]}}, "has 1 values, and 2 were said"),
        ({"objective": {"end D": 1.0}, "maximise": True}, "not for values to come near"),
        ({"subject_to": {"end D": (50.0, None)}, "starts": 1}, "nothing was found from 1 starts that keeps the limits"),
        ({"vary": {"base": (5.0, 6.0)}, "starts": 1}, "none of 1 starts can be simulated"),
        ({"objective": lambda y: 1.0}, "needs outputs="),
    ],
)
def test_wrong_use_is_refused_in_words(asked, said):
    given = {"objective": "peak D", "vary": LENGTHS} | asked
    with pytest.raises(da.DalembertError, match=said):
        four_bar().optimise(**given, **(MOVING | {"duration": 0.1}))


def test_answers_under_a_controller_have_no_derivatives():
    study = da.Study(
        pendulum(), {"l": "±1%"}, ["end A"], 2, duration=0.1, control=lambda s: {"A": 1.0}, control_rate=50.0
    )
    with pytest.raises(da.ArgumentError, match="a controller is plain Python"):
        study.run().linear()
