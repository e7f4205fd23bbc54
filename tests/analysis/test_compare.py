"""Claims about the comparison of formulations and constraint methods."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import four_bar, stewart_platform
from dalembert.analysis.comparison.comparison import NO_ROWS
from dalembert.analysis.comparison.consistent import consistent_states
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.kernels.rhs.formulation_kernel import accelerations_kernel
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.mechanisms import planar_pendulum, random_tree


def blocks() -> da.System:
    """A parallelogram of solid bars: one freedom, three redundant rows; no body lacks inertia."""
    s = da.System("parallelogram", gravity=(0, -9.81, 0))
    for name, size in (("left", (0.1, 1.0, 0.1)), ("top", (2.0, 0.1, 0.1)), ("right", (0.1, 1.0, 0.1))):
        s.add_body(name, da.box(1.0, size))
    s.add_joint("A", da.Revolute(), "ground", "left", (0, 0, 0), (0, -0.5, 0))
    s.add_joint("B", da.Revolute(), "left", "top", (0, 0.5, 0), (-1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "top", "right", (1.0, 0, 0), (0, 0.5, 0))
    s.add_joint("D", da.Revolute(), "right", "ground", (0, -0.5, 0), (2.0, 0, 0))
    return s


FEW = ("kane", "newton_euler", "newton_euler_forces", "gauss_penalty")


@pytest.fixture(scope="module")
def comparison():
    return blocks().build(cut=["D"]).compare(formulations=FEW, constraints=("range_space", "svd", "penalty"), states=2)


def test_exact_pairs_agree_and_approximate_ones_nearly(comparison):
    assert not comparison.refusals
    assert len(comparison.entries) == 3 * 3 + 1
    for entry in comparison.entries:
        approximate = "penalty" in (entry.constraints, entry.formulation.removeprefix("gauss_"))
        assert entry.accelerations <= (1e-4 if approximate else 1e-9), entry
        assert np.isnan(entry.multipliers) or entry.multipliers <= (1e-3 if approximate else 1e-8), entry


def test_entries_come_from_the_fastest_to_the_slowest_with_their_sizes(comparison):
    times = [e.nanoseconds for e in comparison.entries]
    assert times == sorted(times) and times[0] > 0
    kane, absolute = comparison.best("kane"), comparison.best("newton_euler")
    assert kane.unknowns == 3 + 5 and absolute.unknowns == 18 + 15 + 5
    assert kane.operations.trigonometric == 6 and kane.operations.multiplications > 50
    assert all(e.trace_seconds > 0 and e.compile_seconds > 0 for e in comparison.entries)
    assert comparison.best("gauss_penalty").constraints == NO_ROWS


def test_a_comparison_is_a_table_a_frame_and_a_plot(comparison):
    lines = str(comparison).splitlines()
    assert lines[0].startswith("parallelogram: 10 pairs on 2 consistent states")
    assert len(lines) == 3 + 10 + 2 and "newton_euler_forces" in str(comparison)  # and what is approximate
    pandas = pytest.importorskip("pandas")
    frame = comparison.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 10
    assert set(frame["formulation"]) == set(FEW) and (frame["ns"] > 0).all()
    pytest.importorskip("matplotlib")
    assert len(comparison.plot().axes[0].patches) == 10


@pytest.mark.parametrize(
    "package, ask, wanted", [("pandas", "to_dataframe", "pandas"), ("matplotlib.figure", "plot", "plots")]
)
def test_a_missing_package_is_named(comparison, monkeypatch, package, ask, wanted):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(da.DalembertError, match=rf"pip install .*{wanted}"):
        getattr(comparison, ask)()


def test_what_cannot_be_written_is_listed_with_its_sentence():
    found = planar_pendulum(2).build().compare(formulations=("kane", "newton_euler_forces"), states=2)
    assert [e.formulation for e in found.entries] == ["kane"]
    assert 'newton_euler_forces: body "link1" has no mass, or no inertia about some axis' in str(found)


def test_unknown_names_are_refused_before_anything_is_computed():
    m = planar_pendulum(1).build()
    with pytest.raises(da.FormulationError, match="there is no formulation 'lagrang'; did you mean 'lagrange'"):
        m.compare(formulations=("lagrang",), states=1)
    with pytest.raises(da.FormulationError, match="range_space"):
        m.compare(formulations=("kane",), constraints=("magic",), states=1)


def test_every_formulation_is_met_on_a_tree():
    """All of the registry on one random tree, compiled: nothing differs by more than its method allows."""
    m = random_tree(np.random.default_rng(11), 2).build()
    found = m.compare(constraints=("range_space",), states=2)
    assert {e.formulation for e in found.entries} | {r.formulation for r in found.refusals} == set(FORMULATIONS)
    for entry in found.entries:
        assert entry.accelerations <= (5e-5 if entry.formulation == "gauss_penalty" else 1e-8), entry


def test_states_obey_the_loops():
    m = blocks().build(cut=["D"])
    for s in consistent_states(m, 4, seed=3):
        rows = constraint_rows(s)
        assert np.abs(rows.g).max() <= 1e-11 and np.abs(rows.B @ s.speeds - rows.b).max() <= 1e-11
    assert len(METHODS) == 10


def test_speeds_that_are_chosen_are_the_same_in_numbers_and_in_machine_code():
    """A turning body: in every state another Euler parameter would be solved for. With nothing acting on it, differences are measured
    by how fast it turns."""
    s = da.System("afloat")
    s.add_body("ball", da.sphere(1.0, 0.2))
    s.add_joint("free", da.Free(), "ground", "ball")
    found = s.build().compare(
        formulations=("dalembert", "kane_minimal", "lagrange"), constraints=("range_space",), states=12
    )
    assert len(found.entries) == 2 + 1 and all(e.accelerations < 1e-11 for e in found.entries), str(found)


def test_independent_speeds_on_a_platform_with_legs():
    """Where one choice must serve all states it is the best at the worst of them."""
    m = stewart_platform().mechanism
    found = m.compare(formulations=("kane_minimal",), constraints=("range_space",))
    assert found.entries[0].accelerations < 1e-11, str(found)


def test_time_is_bounded_and_what_was_left_out_is_reported():
    m = four_bar(1.0, 2.5, 1.7, 2.0)
    found = m.compare(["kane", "lagrange"], ["svd", "range_space"], seconds=0.0)
    assert [(e.formulation, e.constraints) for e in found.entries] == [("kane", "svd")]
    assert len(found.refusals) == 2 and all("not begun, as 0 s had passed" in x.reason for x in found.refusals)


def test_a_whole_motion_costs_steps_and_time_by_each_formulation():
    """Steps to one accuracy; only the fastest pair of a formulation is marched. Momenta make other steps than speeds."""
    m = blocks().build(cut=["D"])
    found = m.compare(
        ("kane", "hooker", "momentum", "newton_euler"), ("range_space", "sparse_augmented"), states=1, duration=1.0,
        accuracy=1e-7, start={"A": 0.4}, speeds={"A": 2.0},
    )  # fmt: skip
    marched = [e for e in found.entries if e.motion is not None]
    assert sorted(e.formulation for e in marched) == ["hooker", "kane", "momentum", "newton_euler"]
    for e in marched:
        assert e == found.best(e.formulation)
        assert e.motion.error <= 1e-7 and 5 < e.motion.steps < 500 and e.motion.seconds > 0.0
    assert "A motion of 1 s to 1e-07" in str(found) and "motion ms" in str(found)
    finer = m.compare(
        ("kane",), ("range_space",), states=1, duration=1.0, accuracy=1e-9, start={"A": 0.4}, speeds={"A": 2.0}
    )
    assert finer.entries[0].motion.steps > found.best("kane").motion.steps


def test_a_motion_so_smooth_that_tolerances_change_nothing_is_met_all_the_same():
    """Two bodies on six freedoms each, turning: many tolerances make the same few steps, until one makes more."""
    s = da.System("tumbling")
    for k, parent in ((1, "ground"), (2, "b1")):
        s.add_body(f"b{k}", da.box(2.0 / k, (0.2, 0.3, 0.4)))
        s.add_joint(f"j{k}", da.General(), parent, f"b{k}", at_parent=(0.1, 0.2, 0.3))
    found = s.build().compare(("kane", "hooker", "newton_euler"), states=1, duration=3.0, speeds={"j1.wz": 1.0})
    assert not found.refusals and all(e.motion.error <= 1e-6 for e in found.entries), str(found)


def test_elastic_models_are_compared_too():
    m = da.load(Path(__file__).parents[2] / "examples" / "spin_up_beam.yaml")
    found = m.compare(("kane", "hooker", "lagrange"), ("sparse_augmented",), states=2, duration=0.5, accuracy=1e-5)
    assert {e.formulation for e in found.entries if e.motion is not None} == {"kane", "hooker", "lagrange"}
    assert all(e.accelerations < 1e-10 for e in found.entries)


def test_trees_are_solved_alike_with_and_without_rows():
    """Kane's A of a chain by the same elimination in a static order that solves barycentric rows: no LAPACK for either."""
    m = planar_pendulum(3).build()
    for name, by in (("kane", "range_space"), ("barycentric", "sparse_augmented")):
        assert "dposv" not in accelerations_kernel(m, name, by).module(1).source


def test_an_accuracy_that_cannot_be_told_or_met_is_said():
    m = blocks().build(cut=["D"])
    with pytest.raises(da.SimulationError, match="two computations of this motion differ"):
        m.compare(("kane",), ("range_space",), states=1, duration=1.0, accuracy=1e-16, speeds={"A": 2.0})
    with pytest.raises(da.DalembertError, match="compare: accuracy must be a number above 0"):
        m.compare(("kane",), accuracy=0.0)
    found = m.compare(("gauss_penalty",), states=1, duration=0.2, accuracy=1e-10, start={"A": 0.4}, speeds={"A": 2.0})
    assert found.entries[0].motion is None and len(found.refusals) == 1


@pytest.mark.parametrize("seconds", [float("nan"), -1.0])
def test_a_time_that_is_none_is_refused(seconds):
    s = da.System("pendulum")
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    with pytest.raises(da.DalembertError, match="compare: seconds must be a number from 0 on"):
        s.build().compare(seconds=seconds)
