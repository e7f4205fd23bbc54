"""Many motions at once are the single motions, whatever the lanes and threads."""

from __future__ import annotations

import os
import signal
import threading

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SimulationWarning
from dalembert.simulation.march import march_many
from dalembert.simulation.march.program import Program
from tests.simulation.models import chain, heavy_top, oscillator
from tests.simulation.test_runs import runaway


@pytest.mark.parametrize(
    "options", [{"step": 1e-3}, {"method": "midpoint", "step": 1e-3}, {}, {"method": "radau", "rtol": 1e-6}]
)
@pytest.mark.parametrize("threads", [1, 2])
def test_every_motion_is_the_one_simulated_alone(options, threads):
    m, rng = chain(3), np.random.default_rng(0)
    q, u = rng.uniform(-1, 1, (11, 3)), rng.uniform(-1, 1, (11, 3))
    many = m.simulate_many(q, 0.3, u, output=0.05, threads=threads, **options)
    assert many.q.shape == (11, 7, 3) and len(many) == 11 and not many.problems
    for k in (0, 3, 8, 10):
        alone = m.simulate(0.3, q[k], u[k], output=0.05, **options)
        np.testing.assert_allclose(many.q[k], alone.q, atol=1e-12)
        np.testing.assert_allclose(many.u[k], alone.u, atol=1e-11)
        np.testing.assert_allclose(many[k].energy().total, alone.energy().total, rtol=1e-9)


def test_parameters_may_differ_from_motion_to_motion():
    k = np.linspace(1.0, 9.0, 13)
    many = oscillator().simulate_many([{"x": 1.0}] * 13, 1.0, parameters={"k": k}, step=1e-3)
    np.testing.assert_allclose(many.q[:, -1, 0], np.cos(np.sqrt(k)), atol=1e-9)
    np.testing.assert_array_equal(many.parameters["k"], k)


def test_euler_parameters_stay_unit_in_lanes():
    speeds = np.random.default_rng(1).normal(size=(9, 3)) * 20
    many = heavy_top().simulate_many(None, 0.5, speeds, step=1e-3)
    assert abs(np.linalg.norm(many.q, axis=2) - 1).max() < 1e-15


@pytest.mark.parametrize("options", [{"step": 1e-3}, {}])
def test_a_motion_that_diverges_does_not_spoil_the_others(options):
    start = np.array([[0.1], [1.0], [5.0], [0.2], [0.1]])
    with pytest.warns(SimulationWarning, match="2 of 5 motions did not reach the end; the first is number 1"):
        many = runaway().simulate_many(start, 4.0, output=0.1, **options)
    assert set(many.problems) == {1, 2} and np.isfinite(many.q[[0, 3, 4]]).all() and np.isnan(many.q[[1, 2], -1]).all()
    assert len(many[1]) < 41 and not many[1].complete and many[0].complete
    alone = runaway().simulate(4.0, start[3], output=0.1, **options)
    np.testing.assert_allclose(many.q[3], alone.q, rtol=1e-12)


def test_what_does_not_fit_is_said():
    m = chain(2)
    with pytest.raises(da.SimulationError, match="needs several"):
        m.simulate_many(None, 1.0, step=0.1)
    with pytest.raises(da.SimulationError, match="numbers of motions differ"):
        m.simulate_many(np.zeros((3, 2)), 1.0, np.zeros((4, 2)), step=0.1)
    with pytest.raises(da.SimulationError, match="2 columns"):
        m.simulate_many(np.zeros((3, 1)), 1.0, step=0.1)
    with pytest.raises(da.SimulationError, match="motion number 1 begins"):
        m.simulate_many(np.array([[0, 0], [np.nan, 0.0]]), 1.0, step=0.1)
    with pytest.raises(da.SimulationError, match="motion number 2: joint"):
        heavy_top().simulate_many(np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]]), 1.0, step=0.1)


def test_equal_motions_meet_equal_fates():
    """Each motion has its own limit of steps, whatever the others of its thread took."""
    m = oscillator()
    starts = [{"x": 0.3}] * 300
    for threads in (1, 2):
        enough = m.simulate_many(starts, 0.9, method="rk4", step=1e-3, max_steps=1000, threads=threads)
        assert not enough.problems
        with pytest.warns(SimulationWarning, match="300 of 300"):
            short = m.simulate_many(starts, 1.7, method="rk4", step=1e-3, max_steps=1000, threads=threads)
        assert sorted(short.problems) == list(range(300))
        assert np.isfinite(short.q[:, 0]).all() and np.isnan(short.q[:, -1]).all()


def test_control_c_stops_all_threads():
    m = chain(9)
    starts = np.full((512, 9), 0.2)
    asked = {"step": 1e-4, "output": 1.0, "threads": 2}
    m.simulate_many(starts[:9], 1e-3, **asked | {"output": 1e-3})  # compiled before the clock runs
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):  # all of it would take an hour
        m.simulate_many(starts, 1000.0, **asked)


def test_what_fails_in_one_thread_stops_the_others(monkeypatch):
    m = chain(9)
    starts = np.full((512, 9), 0.2)
    calls = []

    def work(self):
        calls.append(threading.current_thread())
        if threading.current_thread() is not threading.main_thread():
            raise MemoryError("no room for this one")
        return given(self)

    batches = []

    def run(self, threads):
        batches.append(self)
        return marched(self, threads)

    given, marched = Program.work, march_many.Batch.run
    monkeypatch.setattr(Program, "work", work)
    monkeypatch.setattr(march_many.Batch, "run", run)
    with pytest.raises(MemoryError, match="no room"):  # all of it would take a minute
        m.simulate_many(starts, 20.0, step=1e-4, output=1.0, threads=2)
    assert len(calls) == 2 and batches[0].queue[0] < batches[0].groups


def test_threads_share_all_states_between_them():
    """Each is marched once, whoever takes it, also where there are fewer than threads."""
    m = chain(3)
    states = np.random.default_rng(1).uniform(-1, 1, (401, m.n_q))
    for count in (1, 2, 9, 401):
        one, three = (m.simulate_many(states[:count], 0.05, step=1e-3, threads=n) for n in (1, 3))
        np.testing.assert_array_equal(one.q, three.q)
        assert one.record["steps"] == three.record["steps"] == 50 * count
