"""Every run of a study is the motion that `simulate` gives with its inputs, however runs are marched and split."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.special import ellipk

import dalembert as da
from tests.studies.models import drift, four_bar, hits_bottom, pendulum

OUTPUT = da.SimulationOptions(output=0.05)


def test_the_period_of_a_pendulum_of_random_length_has_its_distribution():
    """Kolmogorov and Smirnov against T = 4 √(l/g) K(sin α/2), which grows with l."""
    alpha, length = 1.0, stats.uniform(0.8, 0.4)
    study = da.Study(
        pendulum(), {"l": length}, {"minimum": ("min", "A")}, 2000, duration=1.8, initial={"A": alpha}, seed=3,
        options=da.SimulationOptions(output=0.02, rtol=1e-9),
    )  # fmt: skip
    found = study.run()
    period = 2.0 * found["minimum.time"]  # from one side to the other and back
    quarter = ellipk(np.sin(alpha / 2) ** 2)

    def cdf(T):
        return length.cdf(9.81 * (T / (4 * quarter)) ** 2)

    assert stats.kstest(period, cdf).pvalue > 1e-3
    assert np.allclose(period, 4 * np.sqrt(found["l"] / 9.81) * quarter, rtol=1e-5)
    assert np.allclose(found["minimum"], -alpha, atol=1e-5)


CASES = {
    "tree": (pendulum, {"l": "±10%", "A'": "1±0.5"}, {"A": 0.5}, ["end A", "max height", "peak A''", "mean A'", "p90 A"], {}),
    "loop": (four_bar, {"crank": "±2%", "A": "±1 deg"}, {"A": 1.0}, ["end A'", "min D", "peak reaction C.norm", "series B"], {}),
    "lanes": (four_bar, {"crank": "±2%", "A": "±1 deg"}, {"A": 1.0}, ["end A'", "rms D"], {"step": 2e-3}),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_runs_are_those_of_simulate_and_do_not_hang_on_blocks_or_threads(name):
    make, vary, initial, outputs, options = CASES[name]
    said = da.SimulationOptions(output=0.05, **options)
    study = da.Study(make(), vary, outputs, 300, duration=0.4, initial=initial, options=said)
    one, two = study.run(threads=1), study.run(threads=2, block=256)
    assert not one.failures and one.names == two.names
    for column in one.names:
        assert np.array_equal(one[column], two[column]), column
    for run in (0, 7, 299):
        motion = study.motion(run)
        parameters, _, _ = study.plan.values(study.values(run, run + 1)[0])
        assert all(np.isclose(motion.parameters[k], x) for k, x in parameters.items())
        end = outputs[0].split()[1]
        assert np.isclose(one[outputs[0]][run], motion[end][-1], rtol=1e-8), run
        if "peak reaction C.norm" in one.names:
            size = np.linalg.norm(motion.reaction("C").force, axis=1)
            assert np.isclose(one["peak reaction C.norm"][run], size.max(), rtol=0.03)
            assert np.allclose(one["series B"][run], motion["B"], rtol=1e-8)


def test_runs_that_fail_are_results():
    """A crank too long for the others cannot be assembled; what is wrong is said, and the other runs are made."""
    study = da.Study(four_bar(), {"crank": [0.4, 5.0, 0.3]}, ["end A", "series D at 0, 0.2"], duration=0.2, initial={"A": 1.0},
                     options=OUTPUT)  # fmt: skip
    with pytest.warns(da.SimulationWarning, match="1 of 3 runs failed; the first is run 1"):
        found = study.run()
    (failure,) = found.failures
    assert failure.run == 1 and failure.inputs == {"crank": 5.0} and "cannot be closed" in failure.reason
    assert np.isnan(found["end A"][1]) and np.isfinite(found["end A"][[0, 2]]).all()
    assert found.failed.tolist() == [False, True, False] and np.isnan(found["series D at 0, 0.2"][1]).all()
    assert "1 failed" in str(found) and found.columns()["failed"][1] == failure.reason
    with pytest.raises(da.LoopError):
        study.motion(1)


def test_a_body_that_would_be_impossible_fails_its_run_alone():
    with pytest.warns(da.SimulationWarning, match="mass"):
        found = da.Study(
            pendulum(), {"m": [1.0, -1.0]}, ["end A"], duration=0.2, initial={"A": 1.0}, options=OUTPUT
        ).run()
    assert [x.run for x in found.failures] == [1] and np.isfinite(found["end A"][0])


def test_a_run_that_diverges_fails_alone():
    s = da.System("runaway")
    k = s.parameter("k", 1.0)
    s.add_body("slider", da.particle(1.0))
    s.add_joint("A", da.Prismatic(), "ground", "slider")
    s.add_force("push", da.Motor("A", lambda s: k * s.q["A"] ** 3))
    with pytest.warns(da.SimulationWarning, match="1 of 2 runs failed"):
        found = da.Study(
            s.build(), {"k": [-1.0, 100.0]}, ["end A"], duration=2.0, initial={"A": 1.0}, options=OUTPUT
        ).run()
    assert [x.run for x in found.failures] == [1]


def test_events_controllers_and_functions_of_motions():
    m = pendulum()
    study = da.Study(
        m, {"l": (0.9, 1.1)},
        {"n": "count bottom", "first": "first bottom", "drift": da.studies.of_motion(drift), "energy": "end total energy"},
        6, duration=2.5, initial={"A": 0.1}, events={"bottom": hits_bottom}, options=OUTPUT,
    )  # fmt: skip
    found = study.run()
    quarter = 0.5 * np.pi * np.sqrt(found["l"] / 9.81)
    assert np.allclose(found["first"], quarter, rtol=1e-3) and (found["n"] >= 2).all()
    assert np.allclose(found["drift"], [drift(study.motion(k)) for k in range(6)])
    steered = da.Study(
        m, {"l": (0.9, 1.1)}, ["end A"], 3, duration=0.5, control=lambda s: {"A": 2.0}, control_rate=100.0
    )
    assert not np.allclose(steered.run()["end A"], 0.0)


def test_laws_and_chosen_outputs_of_every_run():
    s = da.System("ball", gravity=(0, -9.81, 0))
    s.add_body("ball", da.particle(1.0))
    s.add_joint("h", da.Prismatic(axis=(0, 1, 0)), "ground", "ball")
    s.add_law("floor", da.Stop("h", lower=0.0, restitution=s.parameter("e", 0.5)))
    options = da.SimulationOptions(output=0.002)
    found = da.Study(
        s.build(), {"e": (0.3, 0.7)}, ["max h'"], 4, duration=0.6, initial={"h": 1.0}, options=options
    ).run()
    assert np.allclose(found["max h'"], found["e"] * np.sqrt(2 * 9.81), rtol=0.02)


def test_a_function_of_a_motion_that_fails_fails_its_run():
    def picky(motion):
        if motion.parameters["l"] > 1.0:
            raise ZeroDivisionError("too long")
        return motion["A"][-1]

    study = da.Study(pendulum(), {"l": [0.9, 1.1]}, {"x": da.studies.of_motion(picky)}, duration=0.2, options=OUTPUT)
    with pytest.warns(da.SimulationWarning, match="too long"):
        found = study.run()
    assert found.failed.tolist() == [False, True]


def test_memory_is_kept_to():
    study = da.Study(
        pendulum(), {"l": "±1%"}, ["series A"], 10**5, duration=10.0, options=da.SimulationOptions(output=0.01)
    )
    with pytest.raises(da.SimulationError, match="say folder="):
        study.run(memory=2e8)
    with pytest.raises(da.SimulationError, match="have fewer times"):
        study.run(memory=1e6)


def test_many_motions_as_a_dataset():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        motions = pendulum().simulate_many([[0.1], [0.2]], 0.2, output=0.1, parameters={"l": np.array([1.0, 2.0])})
    data = motions.to_xarray()
    assert data.sizes == {"motion": 2, "time": 3, "coordinate": 1, "speed": 1}
    assert np.array_equal(data["l"], [1.0, 2.0]) and np.array_equal(data["q"].sel(coordinate="A"), motions.q[..., 0])


def test_tables_of_forces_vary_and_whole_motions_are_kept():
    """A wagon under one of three measured forces, scaled: x = k F t² / 2m; its motion at three times."""
    tables = [da.Table([0.0, 2.0], [force, force], "linear") for force in (1.0, 2.0, 5.0)]
    s = da.System("wagon")
    k, which = s.parameter("k", 1.0), s.parameter("which", 0.0)
    push = da.studies.one_of_tables(which, tables)
    s.add_body("wagon", da.particle(2.0))
    s.add_joint("A", da.Prismatic(), "ground", "wagon")
    s.add_force("push", da.Motor("A", lambda s: k * push(s.t)))
    study = da.Study(
        s.build(), {"k": [1.0, 3.0], "which": [0, 1, 2]}, "motion at 0, 0.5, 1", duration=1.0, options=OUTPUT
    )
    found = study.run()
    force = found["k"] * np.array([1.0, 2.0, 5.0])[found["which"].astype(int)]
    assert found.names == ("series A at 0, 0.5, 1", "series A' at 0, 0.5, 1") and len(force) == 6
    assert np.allclose(found["series A at 0, 0.5, 1"], 0.25 * np.outer(force, [0.0, 0.25, 1.0]), atol=1e-9)
    with pytest.raises(da.ArgumentError, match=r"must be given a list of da\.Table"):
        da.studies.one_of_tables(which, [3.0])
