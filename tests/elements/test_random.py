"""Random trees and loops with random elements: one motion by every way, energy, derivatives, copies, names and units."""

from __future__ import annotations

import pickle
import subprocess
import sys
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.elements.drawn_at_random import Units, random_system
from tests.elements.energy import metered
from tests.formulations.analytic import ANALYTIC

CASES = [(1, False), (1, True), (2, True), (3, False)]


def started(m: da.Mechanism, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The pose in which it was drawn, and speeds that suit it."""
    u = np.random.default_rng(seed).normal(size=m.n_u) * 0.5
    if m.constraint_rows:
        B = _rows(m)
        u = u - B.T @ np.linalg.lstsq(B @ B.T, B @ u, rcond=None)[0]
    return m.reference, u


def _rows(m: da.Mechanism) -> np.ndarray:
    return np.asarray(constraint_rows(m.state(m.reference, np.zeros(m.n_u))).B, dtype=float)


@pytest.mark.parametrize(("seed", "loop"), CASES)
def test_every_formulation_gives_the_same_accelerations(seed: int, loop: bool) -> None:
    s, _ = random_system(seed, loop)
    m = s.build()
    rng = np.random.default_rng(seed)
    m = m.with_parameters(
        **{name: m.parameters[name] * 1.1 + 0.01 * rng.normal() for name in m.states if "activation" not in name}
    )
    q, u = started(m, seed)
    wanted = np.asarray(m.solve(q, u).udot).ravel()
    names = [name for name in ANALYTIC if ANALYTIC[name].refusal(m) is None]
    assert len(names) > 8
    for name in names if seed == 1 else ("lagrange", "newton_euler", "hamilton"):
        if name not in names:
            continue
        form = ANALYTIC[name]
        st = m.state(q, u)
        own = form.state(st.mechanism, st.t, st.coordinates, form.formulation_speeds(st))
        found = form.udot(own, METHODS["svd"](form.equations(own)).udot)
        assert np.abs(np.asarray(found, dtype=float) - wanted).max() < 1e-9 * max(1.0, np.abs(wanted).max()), name


@pytest.mark.parametrize(("seed", "loop"), CASES)
def test_energy_closes(seed: int, loop: bool) -> None:
    s, names = random_system(seed, loop)
    m = metered(s, *names).build()
    q, u = started(m, seed)
    motion = m.simulate(0.2, list(q), list(u), rtol=1e-12, atol=1e-13, max_step=5e-4)
    e = motion.energy()
    total = e.total + motion["heat.value"] - motion["taken.value"]
    size = max(np.ptp(e.kinetic), np.abs(motion["heat.value"]).max(), np.abs(motion["taken.value"]).max(), 1.0)
    assert np.abs(total - total[0]).max() < 1e-9 * size


@pytest.mark.parametrize(("seed", "loop"), CASES[1:])
def test_linearisation_is_the_slope_of_the_equations(seed: int, loop: bool) -> None:
    """Against differences of fourth order of q̇, u̇ and ż in every state of the elements and speed."""
    s, _ = random_system(seed, loop)
    m = s.build()
    q, u = started(m, seed)
    lin = m.linearise(q, u, inputs=["kp"])
    n = len(lin.states) - m.n_z
    speeds = [m.speeds.index(name[:-1]) for name in lin.states[n // 2 : n]] if not loop else None

    def rates(z: np.ndarray, kp: float, du: np.ndarray) -> np.ndarray:
        moved = m.with_parameters(**dict(zip(m.states, z)), kp=kp)
        udot = np.asarray(moved.solve(q, u + du).udot, dtype=float).ravel()
        return np.concatenate([udot, np.array(m.state_rates(moved.state(q, u + du)), dtype=float)])

    z0, kp0, still = np.array([m.parameters[x] for x in m.states]), m.parameters["kp"], np.zeros(m.n_u)

    def slope(of: Any, size: float) -> np.ndarray:
        h = 1e-3 * size
        return np.asarray((8.0 * (of(h) - of(-h)) - (of(2 * h) - of(-2 * h))) / (12.0 * h))

    own = lin.A[n:, n:]
    for j, e in enumerate(np.eye(m.n_z)):
        size = max(1e-2, abs(z0[j]) * 0.1)
        found = slope(lambda h, e=e: rates(z0 + h * e, kp0, still), size)
        assert np.abs(found[m.n_u :] - own[:, j]).max() < 1e-7 * max(1.0, np.abs(own[:, j]).max()), m.states[j]
        if speeds is not None:
            column = lin.A[n // 2 : n, n + j]
            assert np.abs(found[speeds] - column).max() < 1e-7 * max(1.0, np.abs(column).max()), m.states[j]
    found = slope(lambda h: rates(z0, kp0 + h, still), 1.0)
    assert np.abs(found[m.n_u :] - lin.B[n:, 0]).max() < 1e-7 * max(1.0, np.abs(lin.B).max())


@pytest.mark.parametrize("loop", [False, True])
def test_sensitivity_to_a_gain_is_a_difference_of_motions(loop: bool) -> None:
    m = random_system(4, loop)[0].build()
    q, u = started(m, 4)
    found = m.sensitivities(0.2, list(q), list(u), parameters=["kp"], output=[0.0, 0.2], rtol=1e-12)

    def end(kp: float) -> np.ndarray:
        motion = m.simulate(
            0.2, list(q), list(u), parameters={"kp": kp}, rtol=1e-13, atol=1e-14, max_step=2e-3, output=[0.0, 0.2]
        )
        return np.concatenate([motion.q[-1], motion.u[-1], motion.z[-1]])

    h = 0.05
    wanted = (8.0 * (end(4.0 + h) - end(4.0 - h)) - (end(4.0 + 2 * h) - end(4.0 - 2 * h))) / (12.0 * h)
    got = np.concatenate([x[-1, :, 0] for x in (found.dq, found.du, found.dz)])
    assert np.abs(wanted).max() > 1e-4 and np.abs(got - wanted).max() < 1e-8 * max(1.0, np.abs(wanted).max())


def test_copies_and_other_processes_give_the_same() -> None:
    s, _ = random_system(5, True)
    m = s.build()
    q, u = started(m, 5)
    motion = m.simulate(0.1, list(q), list(u))
    for copy in (deepcopy(m), pickle.loads(pickle.dumps(m))):
        again = copy.simulate(0.1, list(q), list(u))
        assert np.array_equal(again.q, motion.q) and np.array_equal(again.z, motion.z)
    code = (
        "from tests.elements.drawn_at_random import random_system; from tests.elements.test_random import started\n"
        "m = random_system(5, True)[0].build(); q, u = started(m, 5); x = m.simulate(0.1, list(q), list(u))\n"
        "print(x.q[-1].tobytes().hex(), x.z[-1].tobytes().hex())"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert told == [motion.q[-1].tobytes().hex(), motion.z[-1].tobytes().hex()]


@pytest.mark.parametrize(("seed", "loop"), [(6, True), (7, False)])
def test_files_bring_them_back(seed: int, loop: bool, tmp_path: Path) -> None:
    s, _ = random_system(seed, loop)
    s.save(tmp_path / "m.yaml")
    m, again = s.build(), da.load(tmp_path / "m.yaml")
    q, u = started(m, seed)
    one, two = (x.simulate(0.02, list(q), list(u)) for x in (m, again))
    assert np.array_equal(one.q, two.q) and np.array_equal(one.z, two.z)


@pytest.mark.parametrize(("seed", "loop"), CASES[1:])
def test_names_and_units_leave_the_motion(seed: int, loop: bool) -> None:
    """In millimetres, grams and milliseconds, under other names, the same motion; states of elements in the units of their elements."""
    s, _ = random_system(seed, loop)
    m = s.build()
    q, u = started(m, seed)
    U = Units(1e3, 1e3, 1e3)
    other = random_system(seed, loop, U, "x_")[0].build()
    lengths = np.array([0, 1, 0])
    motion = m.simulate(0.1, list(q), list(u), rtol=1e-11, atol=1e-12, output=[0.0, 0.05, 0.1])
    again = other.simulate(
        0.1 * U.s, list(q * U.m**lengths), list(u * U.m**lengths / U.s), rtol=1e-11, atol=1e-12,
        output=[0.0, 0.05 * U.s, 0.1 * U.s],
    )  # fmt: skip
    assert again.states == tuple(f"x_{name}" for name in motion.states)
    assert np.abs(again.q / U.m**lengths - motion.q).max() < 1e-8
    assert np.abs(again.u / U.m**lengths * U.s - motion.u).max() < 1e-7
