"""What a run begins with, or goes on from, is its own: its parameters, its choice of dependent speeds, its mechanism."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import crank_rocker
from dalembert.simulation.march.checkpoint import Checkpoint, load_checkpoint
from tests.simulation.test_runs import stopping
from tests.simulation.test_singular_poses import four_bar


def slider_crank(length: float) -> da.Mechanism:
    """Its one length is a parameter, L."""
    s = da.System("slider-crank", gravity=(0, -9.81, 0))
    L = s.parameter("L", length)
    s.add_body("crank", mass=1.0, com=(L / 2, 0, 0), inertia=[L * L / 12] * 3)
    s.add_body("rod", mass=1.0, com=(1.5 * L, 0, 0), inertia=[L * L * 9 / 12] * 3)
    s.add_body("slider", mass=1.0, inertia=[L * L / 12] * 3)
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("S", da.Prismatic((1, 0, 0)), "ground", "slider")
    s.add_joint("B", da.Revolute(), "crank", "rod", at_parent=(L, 0, 0))
    s.add_joint("C", da.Revolute(), "rod", "slider", at_parent=(3.0 * L, 0, 0))
    return s.build()


@pytest.mark.parametrize("options", [{}, {"method": "radau"}])
def test_errors_are_measured_by_the_lengths_of_the_run(options):
    """However the parameters were given: to the run, to the mechanism, or to one of many motions."""
    m, small, asked = slider_crank(1.0), 1e-6, {"output": 0.005, "rtol": 1e-9, **options}
    start, speeds = {"A": 0.7}, {"A": 5.0}
    own = m.with_parameters(L=small).simulate(0.02, start, speeds, **asked)
    given = m.simulate(0.02, start, speeds, parameters={"L": small}, **asked)
    np.testing.assert_array_equal(given.q, own.q)
    np.testing.assert_array_equal(given.u, own.u)
    many = m.simulate_many([start] * 2, 0.02, [speeds] * 2, parameters={"L": [1.0, small]}, **asked)
    finer = m.simulate(0.02, start, speeds, parameters={"L": small}, output=0.005, rtol=1e-12)
    off, alone = (np.abs((q - finer.q) * [1.0, 1.0, 1.0 / small]).max() for q in (many.q[1], own.q))
    assert off < 1.5 * alone


@pytest.mark.parametrize("choice", [lambda x: 0.0 * x + 1.0, lambda x: 0.5 * x, lambda x: -x, lambda x: 2.0 * x])
def test_a_choice_of_dependent_speeds_that_no_run_makes_is_refused(choice, tmp_path):
    m, initial, speeds, _ = crank_rocker()
    asked = {"initial": initial, "speeds": speeds, "constraints": "partition", "control_rate": 10.0, "rtol": 1e-6}
    path = tmp_path / "run.checkpoint"
    m.simulate(1.0, **asked, control=stopping(5), checkpoint=path)
    kept: Checkpoint = load_checkpoint(path)
    first = m.n_u + len(m.parameters) + len(kept.held) + 1
    given = kept.given.copy()
    given[first : first + m.n_u] = choice(given[first : first + m.n_u])
    replace(kept, given=given).save(path)
    with pytest.raises(da.SimulationError, match="its choice of dependent speeds cannot be right"):
        m.simulate(1.0, **asked, control=lambda s: {}, resume=path)
    kept.save(path)
    assert m.simulate(1.0, **asked, control=lambda s: {}, resume=path).complete


def test_a_run_hangs_on_nothing_that_was_asked_before():
    """Rows, and what they are measured by, are those of the mechanism and of the start, wherever others began."""
    asked, motions = {"speeds": {"A": 1.0}, "output": 0.1}, []
    for others in ([], [2.0, -2.5], [-0.5]):
        m = four_bar((1.0, 2.5, 1.7, 2.0))
        for start in others:
            m.simulate(0.3, {"A": start}, **asked)
        motions.append(m.simulate(1.0, {"A": 0.7}, **asked))
    for motion in motions[1:]:
        np.testing.assert_array_equal(motion.q, motions[0].q)
        np.testing.assert_array_equal(motion.u, motions[0].u)


@pytest.mark.parametrize("slower", [1.0, 1e6])
def test_rows_that_drift_apart_are_seen_at_every_pace(slower):
    """Two drives that agree at first and part by a few millionths of their speed, in seconds or in weeks."""
    s = da.System("two drives", gravity=(0, 0, 0))
    s.add_body("crank", da.rod(1.0, 1.0))
    s.add_body("pendulum", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "pendulum", at_parent=(1.0, 0, 0))
    s.add_constraint("one", da.Drive("A", lambda t: t / slower))
    s.add_constraint("other", da.Drive("A", lambda t: t / slower + 2e-5 * (t / slower) ** 2))
    with pytest.raises(da.LoopError, match="agree at the start but contradict each other"):
        s.build().simulate(0.05 * slower)
