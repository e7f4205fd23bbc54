"""Claims about marching with a constraint method of one's choice: one motion, whatever the method."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import dalembert as da
from benchmarks.loop_models import change_point, crank_rocker, rhombic_linkage
from dalembert.constraints import METHODS
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.simulation.models import pendulum

START = {"initial": {"A": 0.5}, "speeds": {"A": 3.0}}


def gap(motion: da.Motion) -> float:
    m = motion.mechanism
    return max(
        float(np.max(np.abs(constraint_rows(m.state(q, u, t)).g)))
        for q, u, t in zip(motion.q[::10], motion.u[::10], motion.t[::10])
    )


@pytest.fixture(scope="module")
def four_bar():
    m = crank_rocker().mechanism
    return m, m.simulate(1.5, **START, rtol=1e-10)


@pytest.mark.parametrize("name", [name for name in METHODS if name not in ("range_space", "penalty")])
def test_every_method_marches_the_four_bar_alike(four_bar, name):
    m, expected = four_bar
    motion = m.simulate(1.5, **START, rtol=1e-10, constraints=name)
    assert np.abs(motion.q - expected.q).max() < 1e-8
    assert gap(motion) < 1e-13
    assert motion.record["options"]["constraints"] == name


def test_the_penalty_method_marches_to_its_own_accuracy(four_bar):
    """Rows are violated by 10⁻⁸ of the forces; its rounding, as large, is why it takes no finer tolerance than that."""
    m, expected = four_bar
    motion = m.simulate(1.5, **START, rtol=1e-7, constraints="penalty")
    assert np.abs(motion.q - expected.q).max() < 1e-5


@pytest.mark.parametrize("name", ["zero_eigenvalues", "partition"])
def test_the_rhombic_linkage_swings_as_the_pendulum_it_is(name):
    """[A 35–47]: θ = 2 asin(k sn(K + ω t, k)), k = sin(θ₀/2), ω² = 6 g / 5 ℓ, from rest."""
    theta = 0.8
    m, initial, speeds, _ = rhombic_linkage(theta=theta)
    motion = m.simulate(10.0, initial, speeds, output=0.1, rtol=1e-12, constraints=name)
    k, rate = np.sin(theta / 2), np.sqrt(6 * 9.81 / 5)
    sn = ellipj(ellipk(k * k) + rate * motion.t, k * k)[0]
    assert np.abs(motion.q[:, 0] + np.pi / 2 - 2 * np.arcsin(k * sn)).max() < 1e-9


def test_a_partition_is_chosen_anew_on_the_way_round():
    """A bob on two crossed slides, held at a distance: neither x nor y can stay the independent one for more than half a turn."""
    s = da.System("bob", gravity=(0, 0, 0))
    s.add_body("carriage", mass=0.0, inertia=(0, 0, 0))
    s.add_body("bob", mass=2.0, inertia=(0, 0, 0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "carriage")
    s.add_joint("y", da.Prismatic((0, 1, 0)), "carriage", "bob")
    s.add_constraint("string", da.Distance("bob", "ground", 1.0))
    rate = 3.0
    motion = s.build().simulate(5.0, [1.0, 0.0], [0.0, rate], rtol=1e-12, constraints="partition")
    circle = np.stack([np.cos(rate * motion.t), np.sin(rate * motion.t)], axis=1)
    assert np.abs(motion.q - circle).max() < 1e-9


def test_a_partition_crosses_singular_poses():
    """The change-point four-bar has one in every turn."""
    m, initial, speeds, _ = change_point()
    expected = m.simulate(2.0, initial, speeds, rtol=1e-11)
    motion = m.simulate(2.0, initial, speeds, rtol=1e-11, constraints="partition")
    assert np.ptp(motion.q[:, 0]) > 2.0 * np.pi
    assert np.abs(motion.q - expected.q).max() < 1e-6
    assert gap(motion) < 1e-12


def test_fixed_steps_and_other_stabilisations_take_every_method(four_bar):
    m, expected = four_bar
    motion = m.simulate(1.5, **START, method="rk4", step=1e-3, constraints="svd")
    assert np.abs(motion.q - expected.q).max() < 1e-6 and gap(motion) < 1e-13
    drifting = m.simulate(1.5, **START, rtol=1e-9, constraints="null_space_qr", stabilise="baumgarte")
    assert np.abs(drifting.q - expected.q).max() < 1e-6


def test_names_and_methods_that_do_not_fit_are_refused(four_bar):
    m, _ = four_bar
    with pytest.raises(da.FormulationError, match="zero_eigenvalues"):
        m.simulate(1.0, constraints="magic")
    with pytest.raises(da.FormulationError, match="kane"):
        m.simulate(1.0, formulation="magic")
    with pytest.raises(da.SimulationError, match="dop853"):
        m.simulate(1.0, method="radau", constraints="svd")


def test_where_nothing_is_constrained_the_method_is_all_one():
    m = pendulum()
    both = [m.simulate(1.0, [1.0], constraints=name).q for name in ("range_space", "svd")]
    assert np.array_equal(*both)
