"""Small motions and sensitivities with sampled elements: against python-control, complex steps and motions beside each other."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files
from tests.elements.energy import sled

PERIOD, FILTER = 0.05, 0.04


def looped(**sensor: float) -> da.Mechanism:
    """A mass that a sampled controller pushes by what an encoder reads, at half its rate."""
    s = sled(2.0)
    s.add_element("seen", da.Encoder("A", period=PERIOD, **sensor))
    gains = [s.parameter(name, x) for name, x in (("kp", 20.0), ("ki", 8.0), ("kd", 15.0))]
    s.add_element(
        "pid", da.PID(*gains, FILTER, period=2 * PERIOD), reference=s.parameter("to", 0.0), measured="seen.position"
    )
    s.add_force("push", da.Motor("A", lambda s: s.signal("pid.output")))
    return s.build()


def by_hand(gains: np.ndarray, steps: int) -> np.ndarray:
    """(A, A') of the same with a unit step, reading at the instant; gains may be complex."""
    kp, ki, kd = gains
    x, v, integral, filtered, T = 0.0, 0.0, 0.0, 0.0, 2 * PERIOD
    for _ in range(steps):
        e = 1.0 - x
        push = kp * e + integral + kd * (e - filtered) / FILTER
        integral, filtered = integral + T * ki * e, filtered + (1.0 - np.exp(-T / FILTER)) * (e - filtered)
        x, v = x + v * T + push * T * T / 4.0, v + push * T / 2.0
    return np.array([x, v])


def test_sensitivities_to_gains_of_a_sampled_controller_are_those_of_complex_steps() -> None:
    gains = np.array([20.0, 8.0, 2.0])
    m = looped().with_parameters(kd=2.0, to=1.0)
    found = m.sensitivities(1.0, parameters=["kp", "ki", "kd"], output=[0.0, 1.0], rtol=1e-12)
    for column, unit in enumerate(np.eye(3)):
        wanted = by_hand(gains + 1e-30j * unit, 10).imag / 1e-30
        got = np.array([found[x][-1, column] for x in ("A", "A'")])
        assert np.abs(got - wanted).max() < 1e-8 * max(1.0, np.abs(wanted).max())


def test_small_motions_from_sample_to_sample_step_as_python_control_says() -> None:
    control = pytest.importorskip("control")
    m = looped(delay=PERIOD)
    lin = m.linearise_sampled(inputs=["to"])
    assert lin.period == pytest.approx(2 * PERIOD) and not any("begun" in name for name in lin.states)
    times = lin.period * np.arange(20)
    step = control.step_response(lin.to_control(), times).outputs[0, 0]
    motion = m.simulate(times[-1], parameters={"to": 1.0}, output=times, rtol=1e-12)
    assert np.abs(motion["A"] - step).max() < 1e-8 * np.abs(step).max()
    assert lin.verdict == "unstable" and np.abs(lin.eigenvalues).max() == pytest.approx(lin.growth)


def test_a_file_with_sampled_attitude_control_is_linearised_and_differentiated() -> None:
    """A small push of the satellite, beside the motion without it and with the same noise."""
    control = pytest.importorskip("control")
    m = da.load(files()["dual_spin_satellite"])
    at, turning = {"float": [1.0, 0, 0, 0, 0, 0, 0]}, {"bearing": 6.0, "float": [0.0] * 6}
    u = np.zeros(m.n_u)
    u[m.speeds.index("bearing")] = 6.0
    lin, push, names = m.linearise_sampled(u=u, outputs={}), 1e-5, ("float.wx'", "float.wy'", "wheel_x.momentum")
    assert lin.to_scipy().dt == lin.period
    assert isinstance(lin.to_control(), control.StateSpace) and lin.to_control().dt == 0.1
    x = np.zeros(len(lin.states))
    x[lin.states.index("float.wx'")] = push
    base, pushed = (
        m.simulate(1.0, at, turning | {"float": [w, 0, 0, 0, 0, 0]}, output=[0.0, 1.0 - 1e-9], rtol=1e-12)
        for w in (0.0, push)
    )
    for _ in range(10):
        x = lin.A @ x
    moved = [float(pushed[n][-1] - base[n][-1]) for n in names]
    assert [x[lin.states.index(n)] for n in names] == pytest.approx(moved, rel=1e-3, abs=1e-4 * push)
    found = m.sensitivities(1.0, at, turning, parameters=["kp"], initial_values=["float.wx'"], output=[0.0, 1.0 - 1e-9])
    own = [found[n][-1, 1] * push for n in names]
    assert own == pytest.approx(moved, rel=1e-6, abs=1e-9 * push)


def test_what_is_read_in_whole_steps_has_no_small_motions() -> None:
    with pytest.raises(da.StateError, match=r'element "seen" reads the motion.* whole steps'):
        looped(resolution=0.001).linearise_sampled()
