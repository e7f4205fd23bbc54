"""Radau under loops: closed to rounding at every output, at its order, few steps where forces are stiff, and singular poses said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dalembert as da
from benchmarks.loop_models import change_point, four_bar
from dalembert.constraints.dynamics import accelerations
from dalembert.formulations.tree.coordinate_rates import rates_per_speed
from dalembert.kernels.independent_rows import independent_rows
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kernels.rhs.right_hand_side import RowsToKeep
from dalembert.kernels.runtime.straight import NAMES
from dalembert.trace.native import Module, UniformPointer, aligned, cached

from .test_loops import BARS, energy_error, largest_gap


def stiff_slider_crank() -> da.Mechanism:
    """The connecting rod bends, and stretches at 26 000 rad/s."""
    s = da.System("stiff slider-crank")
    rod = da.beam(
        0.3,
        E=2e11,
        rho=7870.0,
        A=6.4e-5,
        Iy=3.4e-10,
        Iz=3.4e-10,
        modes={"y": 1, "axial": 1},
        support="pinned",
        elements=6,
    )
    s.add_body("crank", da.rod(0.36, 0.15))
    s.add_body("rod", elastic=da.elastic.modal(rod, 0.05))
    s.add_body("slider", da.particle(0.0755))
    s.add_joint("shaft", da.Revolute(), "ground", "crank")
    s.add_joint("pin", da.Revolute(), "crank", "rod", at_parent=(0.15, 0, 0), at_child="root")
    s.add_joint("guide", da.Prismatic((1, 0, 0)), "ground", "slider")
    s.add_joint("wrist", da.Revolute(), "rod", "slider", at_parent="tip")
    return s.build(cut=["wrist"])


def test_stiff_modes_in_a_loop_take_few_steps() -> None:
    m = stiff_slider_crank()
    start: dict[str, Any] = {"initial": {"shaft": 0.3, "rod": [0.0, 0.0]}, "speeds": {"shaft": 20.0}}
    stiff = m.simulate(1.0, method="radau", rtol=1e-5, output=0.02, **start)
    explicit = m.simulate(1.0, rtol=1e-9, output=0.02, **start)
    assert stiff.record["steps"] < 0.33 * explicit.record["steps"]
    assert np.abs(stiff.q - explicit.q).max() < 1e-3
    assert largest_gap(stiff, every=1) < 1e-14


def test_it_converges_at_order_five() -> None:
    m = four_bar(*BARS)
    start: dict[str, Any] = {"initial": {"A": 0.3}, "speeds": {"A": 3.0}, "output": [1.0]}
    exact = m.simulate(1.0, **start).q[-1]
    runs = [m.simulate(1.0, method="radau", rtol=10.0**-k, **start) for k in (5, 7, 9)]
    errors = np.log([np.abs(r.q[-1] - exact).max() for r in runs])
    steps = np.log([r.record["steps"] for r in runs])
    assert 4.0 < -(errors[-1] - errors[0]) / (steps[-1] - steps[0]) < 6.5


def ball_loop() -> da.Mechanism:
    """Two links between three ball joints."""
    s = da.System("ball loop", gravity=(0, -9.81, 0))
    for k in (1, 2):
        s.add_body(f"link{k}", da.box(1.0, (0.6, 0.1, 0.2), com=(0.3, 0, 0)))
    s.add_joint("A", da.Spherical(), "ground", "link1")
    s.add_joint("B", da.Spherical(), "link1", "link2", at_parent=(0.6, 0, 0))
    s.add_joint("C", da.Spherical(), "ground", "link2", at_parent=(0.9, 0, 0), at_child=(0.6, 0, 0))
    return s.build(cut=["C"])


def test_ball_joints_in_a_loop() -> None:
    """Euler parameters, whose length the outputs between steps do not keep by themselves."""
    m = ball_loop()
    spun = {"speeds": np.array([1.0, 2.0, 3.0, 0.5, 0.0, 1.0])}
    motion = m.simulate(1.0, method="radau", rtol=1e-8, output=0.01, **spun)
    assert largest_gap(motion, every=1) < 1e-14
    assert energy_error(motion) < 1e-7
    reference = m.simulate(1.0, output=[1.0], **spun)
    assert np.abs(motion.q[-1] - reference.q[-1]).max() < 1e-8


def test_a_singular_pose_is_not_stepped_over() -> None:
    m, initial, speeds, _ = change_point()
    with pytest.raises(da.SimulationError, match=r"singular pose.*dop853"):
        m.simulate(1.0, initial, speeds, method="radau", rtol=1e-8)


@pytest.mark.parametrize("stabilise", ["baumgarte", "none"])
def test_without_projection(stabilise: str) -> None:
    m = four_bar(*BARS)
    start: dict[str, Any] = {"initial": {"A": 0.3}, "speeds": {"A": 3.0}, "output": [0.5]}
    found = m.simulate(0.5, method="radau", rtol=1e-9, stabilise=stabilise, **start)
    assert np.abs(found.q - m.simulate(0.5, **start).q).max() < 1e-6


def derivatives(m: da.Mechanism, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    m = m.kernels.mechanism
    rows = tuple(independent_rows(m.kernels)) if m.constraint_rows else ()
    module = Module()
    code, size, width, _ = RangeSpaceRightHandSide(m, RowsToKeep(rows)).emit_jacobian(module)
    parameters: dict[str, Any] = dict.fromkeys(NAMES, UniformPointer)
    with module.function("compute", **parameters) as f:
        f.call(replace(code, lanes=1), *(getattr(f, name) for name in NAMES))
    J, n = np.zeros((m.n_u, width)), m.n_u
    library = cached(module)
    library.compute(np.zeros(1), q.copy(), u.copy(), np.zeros(n), np.zeros(1), J, aligned(size))
    return J


def off_the_loops(m: da.Mechanism, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """u̇ beside the constraints, where an iteration goes and `m.forward_dynamics` refuses to."""
    return accelerations(m, q, u, None, 0.0, None)


@pytest.mark.parametrize("make", [stiff_slider_crank, ball_loop], ids=["slider-crank", "ball joints"])
def test_its_jacobian_is_exact(make: Any) -> None:
    m, rng = make(), np.random.default_rng(1)
    q, _ = m.assemble(m.somewhere(rng, 0.2))
    u, h = rng.normal(size=m.n_u), 1e-5
    N, J = rates_per_speed(m.state(q, u)), derivatives(m, q, u)
    for k in rng.choice(m.n_u, 3, replace=False):
        dq, du = h * N[:, k], h * np.eye(m.n_u)[k]
        for column, (a, b) in ((k, (dq, 0.0)), (m.n_u + k, (0.0 * dq, du))):
            change = (off_the_loops(m, q + a, u + b) - off_the_loops(m, q - a, u - b)) / (2 * h)
            assert np.abs(J[:, column] - change).max() < 1e-6 * max(1.0, np.abs(J).max())
