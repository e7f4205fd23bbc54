"""What varies is found by its name, and varies as it is said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import dalembert as da
from dalembert.studies.designs import DESIGNS, design_of
from dalembert.studies.spreads import Range, Values, as_spread
from tests.studies.models import four_bar, pendulum


@pytest.mark.parametrize(
    "text, mean, sigma",
    [
        ("0.4±1%", 0.4, 0.004 / 3),
        ("±0.1 mm", 2.0, 1e-4 / 3),
        ("0.4 ± 0.01 (2σ)", 0.4, 0.005),
        ("40 cm +/- 1 mm, 1 sigma", 0.4, 0.001),
        ("30 deg ± 1 deg", np.radians(30), np.radians(1) / 3),
        ("-3±6 σ", -3.0, 6.0),
    ],
)
def test_a_tolerance_is_three_sigma_unless_it_says_otherwise(text, mean, sigma):
    spread = as_spread(text, 2.0, "x")
    assert np.isclose(spread.distribution.mean(), mean) and np.isclose(spread.distribution.std(), sigma)
    assert "σ" in spread.described


def test_ranges_and_lists():
    low = as_spread("20..30 deg", None, "x")
    assert isinstance(low, Range) and np.isclose(low.low, np.radians(20)) and np.isclose(low.high, np.radians(30))
    uniform = as_spread("2±10% uniform", None, "x")
    assert np.allclose([uniform.low, uniform.high], [1.8, 2.2])
    listed = as_spread("1 m, 2 m, 5 mm", None, "x")
    assert isinstance(listed, Values) and np.allclose(listed.of, [1, 2, 0.005])
    assert set(listed.values(np.linspace(0, 1, 50)).tolist()) == {1.0, 2.0, 0.005}


@pytest.mark.parametrize(
    "how, said",
    [
        ("about 3", "no tolerance, range or list"),
        ("5 furlong±1%", "unit 'furlong' is not known"),
        ((2.0, 1.0), "low end below"),
        ("0.3..0.2", "must begin below"),
        ("1±0", "nothing to vary"),
        ("30±1 deg", "some of its numbers a unit"),
        ("40 mm ± 1", "some of its numbers a unit"),
        ("1, 2, 5 mm", "some of its numbers a unit"),
        ([], "does not say how it varies"),
        ("±1% 2σ uniform", "no tolerance"),
        (None, "does not say how it varies"),
    ],
)
def test_wrong_spreads_are_refused_in_words(how, said):
    with pytest.raises(da.DalembertError, match=said):
        as_spread(how, 1.0, "study: vary 'x'")


@pytest.mark.parametrize("design", ["random", "latin_hypercube", "sobol", "saltelli"])
def test_a_run_has_the_same_inputs_however_the_study_is_split(design):
    spreads = (Range(0.0, 1.0), Range(2.0, 3.0), Range(0.0, 5.0))
    made = design_of(design, spreads, 160, 7, None)
    whole = made.points(0, 160)
    pieces = [made.points(a, min(a + 37, 160)) for a in range(0, 160, 37)]
    assert np.array_equal(whole, np.concatenate(pieces))
    assert whole.shape == (160, 3) and (whole >= 0).all() and (whole < 1).all()
    other = design_of(design, spreads, 160, 8, None).points(0, 160)
    assert not np.array_equal(whole, other)


def test_designs_fill_the_space_as_they_promise():
    spreads = (Range(0.0, 1.0), Range(0.0, 1.0))
    strips = np.sort((design_of("latin_hypercube", spreads, 64, 0, None).points(0, 64) * 64).astype(int), axis=0)
    assert (strips == np.arange(64)[:, None]).all()  # one run in every strip
    boxes = (design_of("sobol", spreads, 64, 0, None).points(0, 64) * 8).astype(int)
    assert len({tuple(x) for x in boxes.tolist()}) == 64  # one in each of 8 × 8 boxes
    assert stats.kstest(design_of("random", spreads, 4000, 0, None).points(0, 4000)[:, 0], "uniform").pvalue > 1e-3
    assert set(DESIGNS) == {"random", "latin_hypercube", "sobol", "saltelli", "grid"}


def test_a_grid_has_all_combinations():
    study = da.Study(
        four_bar(), {"crank": [0.3, 0.4], "base": (0.9, 1.1)}, ["end A"], duration=0.1, design="grid", levels=3
    )
    assert study.runs == 6
    assert np.allclose(study.values(), [[0.3, 0.9], [0.3, 1.0], [0.3, 1.1], [0.4, 0.9], [0.4, 1.0], [0.4, 1.1]])


def test_correlated_normals_have_their_covariance():
    covariance = np.array([[4e-4, 3e-4], [3e-4, 9e-4]])
    vary = {("crank", "rocker"): da.studies.Normals([0.4, 0.9], covariance)}
    values = da.Study(four_bar(), vary, ["end A"], 20000, duration=0.1).values()
    assert np.allclose(np.cov(values.T), covariance, atol=2e-5) and np.allclose(
        values.mean(axis=0), [0.4, 0.9], atol=1e-3
    )


def test_numbers_of_the_description_become_parameters():
    study = da.Study(four_bar(), {"gravity": "±1%", "coupler.mass": "±10%", "A'": "1±0.1"}, ["end A"], 4, duration=0.1)
    assert study.mechanism.parameters["gravity"] == 9.81 and study.mechanism.parameters["coupler_mass"] == 1.0
    assert [i.kind for i in study.inputs.every] == ["parameter", "parameter", "speed"]
    alias = da.Study(pendulum(), {"bob.mass": "±1%"}, ["end A"], 4, duration=0.1)
    assert alias.inputs.every[0].key == "m"  # that number is a parameter already


@pytest.mark.parametrize(
    "asked, said",
    [
        ({"vary": {"cranc": "±1%"}}, "did you mean 'crank'"),
        ({"vary": {"crank.length": "±1%"}}, "no number 'crank.length'"),
        ({"vary": {"base.length": "±1%"}}, "no number 'base.length'"),
        ({"vary": {}}, "must say what varies"),
        ({"vary": {"crank": "±1%", "parameter crank": "±2%"}}, "leave one of them out"),
        ({"vary": {"A": "±1%"}}, "nothing to vary"),
        ({"outputs": ["max Q"]}, "no coordinate, speed or output 'Q'"),
        ({"outputs": ["maximum A"]}, "no coordinate, speed or output 'maximum A'"),
        ({"outputs": [("biggest", "A")]}, "'biggest' is not known"),
        ({"outputs": {"x": 3}}, "is no output"),
        ({"outputs": ["count bang"]}, "no event 'bang'"),
        ({"outputs": ["series A at 0.03333"]}, "no output time of the runs"),
        ({"outputs": ["max reaction Z"]}, "no joint or constraint 'Z'"),
        ({"outputs": []}, "must say what is wanted"),
        ({"runs": None}, "say how many runs"),
        ({"design": "halton"}, "'halton' is not known"),
        ({"design": "saltelli"}, "give runs=12"),
        ({"design": "grid", "runs": 7, "levels": 3}, "this grid has 3 runs"),
        ({"levels": 3}, 'belong to design="grid"'),
        ({"duration": None}, "how long to simulate"),
    ],
)
def test_wrong_studies_are_refused_in_words(asked, said):
    study = {"vary": {"crank": "±1%"}, "outputs": ["end A"], "runs": 10, "duration": 0.1} | asked
    with pytest.raises(da.DalembertError, match=said):
        da.Study(four_bar(), **study)
