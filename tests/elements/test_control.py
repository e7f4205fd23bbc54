"""Controllers and filters against python-control and SciPy, in continuous and sampled time; what is wrong is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import signal

import dalembert as da
from tests.elements.energy import sled

control = pytest.importorskip("control")

KP, KI, KD, FILTER, PERIOD = 20.0, 8.0, 5.0, 0.05, 0.05
TIMES = np.linspace(0.0, 2.0, 41)
PLANT = control.tf([1], [2, 0.8, 3.0])
CONTROLLER = control.tf([KP], [1]) + control.tf([KI], [1, 0]) + control.tf([KD, 0], [FILTER, 1])


def plant() -> da.System:
    s = da.System("plant")
    s.add_body("sled", mass=2.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "sled")
    s.add_force("spring", da.JointSpring("A", stiffness=3.0, damping=0.8))
    return s


def controlled(element: da.Element, **inputs: Any) -> da.Motion:
    s = plant()
    s.add_element("c", element, **inputs)
    s.add_force("act", da.Motor("A", lambda s: s.signal("c.output")))
    return s.build().simulate(2.0, output=TIMES, rtol=1e-12, max_step=0.01)


def step_response(loop: Any) -> np.ndarray:
    return np.asarray(control.step_response(control.feedback(loop, 1), TIMES)[1])


def error(s: da.State) -> Any:
    return 1.0 - s.q["A"]


def test_pid_is_that_of_python_control() -> None:
    motion = controlled(da.PID(KP, KI, KD, FILTER), reference=1.0, measured=lambda s: s.q["A"])
    assert np.abs(motion["A"] - step_response(CONTROLLER * PLANT)).max() < 1e-8


def test_sampled_pid_is_that_of_python_control() -> None:
    motion = controlled(da.PID(KP, KI, KD, FILTER, period=PERIOD), reference=1.0, measured=lambda s: s.q["A"])
    held, sampled = (control.sample_system(control.ss(x), PERIOD, "zoh") for x in (CONTROLLER, PLANT))
    assert np.abs(motion["A"] - step_response(held * sampled)).max() < 1e-8


def test_sampled_lead_is_that_of_python_control() -> None:
    lead = control.tf([30.0 * 0.4, 30.0], [0.1, 1])
    held, sampled = (control.sample_system(control.ss(x), PERIOD, "zoh") for x in (lead, PLANT))
    motion = controlled(da.LeadLag(0.4, 0.1, 30.0, period=PERIOD), input=error)
    assert np.abs(motion["A"] - step_response(held * sampled)).max() < 1e-8


@pytest.mark.parametrize("kind", ["ss", "tf", "sampled ss", "sampled tf"])
def test_systems_of_python_control_are_elements(kind: str) -> None:
    held, sampled = (control.sample_system(control.ss(x), PERIOD, "zoh") for x in (CONTROLLER, PLANT))
    made = {"ss": control.ss(CONTROLLER), "tf": CONTROLLER, "sampled ss": held, "sampled tf": control.tf(held)}[kind]
    motion = controlled(da.StateSpace.of(made), input=error)
    wanted = step_response(held * sampled if kind.startswith("sampled") else CONTROLLER * PLANT)
    assert np.abs(motion["A"] - wanted).max() < 1e-8


def test_filters_follow_their_transfer_functions() -> None:
    s, T = plant(), TIMES
    made = signal.TransferFunction([1.0, 2.0], [1.0, 3.0, 5.0])
    s.add_element("scipy", da.StateSpace.of(made), input=1.0)
    s.add_element("tf", da.TransferFunction([1.0, 2.0], [1.0, 3.0, 5.0]), input=1.0)
    s.add_element("lead", da.LeadLag(0.3, 0.1, 2.0), input=1.0)
    s.add_element("low", da.LowPass(0.2, 3.0), input=1.0)
    s.add_element("pade", da.Delay(0.1, order=4), input=lambda s: da.sin(2 * s.t))
    s.add_element("rate", da.RateLimit(0.5), input=10.0)
    s.add_element("dead", da.DeadZone(0.2), input=lambda s: da.sin(2 * s.t))
    s.add_element("limited", da.Saturation(-0.3, 0.4), input=lambda s: da.sin(2 * s.t))
    motion = s.build().simulate(2.0, output=T, rtol=1e-11, max_step=0.01)

    def seen(name: str) -> np.ndarray:
        return motion.evaluate(lambda s: s.signal(f"{name}.output"))

    for name in ("scipy", "tf"):
        assert np.abs(seen(name) - signal.step(made, T=T)[1]).max() < 1e-9
    assert np.abs(seen("lead") - 2.0 * (1.0 + 2.0 * np.exp(-T / 0.1))).max() < 1e-9
    assert np.abs(seen("low") - 3.0 * (1.0 - np.exp(-T / 0.2))).max() < 1e-9
    assert np.abs(seen("pade") - np.sin(2 * (T - 0.1)))[20:].max() < 1e-8
    assert np.abs(seen("rate") - 0.5 * T).max() < 1e-9
    wave = np.sin(2 * T)
    assert np.abs(seen("dead") - np.sign(wave) * np.maximum(np.abs(wave) - 0.2, 0.0)).max() < 1e-12
    assert np.abs(seen("limited") - np.clip(wave, -0.3, 0.4)).max() < 1e-12


@pytest.mark.parametrize("element", [da.Delay(1e-3), da.TransferFunction([1.0], [1e-9, 3e-6, 3e-3, 1.0])])
def test_errors_of_fast_states_are_judged_by_their_own_size(element: da.Element) -> None:
    """A millisecond in a run of two seconds: in canonical form the last state is 1e-9 times as large as what goes in."""
    s = sled()
    s.add_element("late", element, input=lambda s: da.sin(3.0 * s.t))
    motion = s.build().simulate(2.0, method="radau", rtol=1e-6, output=0.5)
    found = np.asarray(motion.evaluate(lambda s: s.signal("late.output")))[1:]
    p = 3e-3j
    wanted = (1 - p / 2 + p**2 / 10 - p**3 / 120) / (1 + p / 2 + p**2 / 10 + p**3 / 120)
    wanted = wanted if isinstance(element, da.Delay) else 1 / (1 + p) ** 3
    assert np.abs(found - (wanted * np.exp(3j * motion.t[1:])).imag).max() < 1e-6


@pytest.mark.parametrize("order", [1, 2, 3, 10])
@pytest.mark.parametrize("time", [1e-6, 0.1, 1e3])
def test_delay_begins_with_its_initial_value(order: int, time: float) -> None:
    s = sled()
    s.add_element("late", da.Delay(time, order=order, initial=7.0), input=7.0)
    m = s.build()
    state = m.state()
    assert abs(state.signal("late.output") - 7.0) < 1e-9 and np.abs(m.state_rates(state)).max() < 1e-9 / time


def test_delay_of_too_high_an_order_is_refused() -> None:
    with pytest.raises(da.ModelError, match="loses its digits; put several delays in a row"):
        da.Delay(0.1, order=11)


@pytest.mark.parametrize(
    "options", [{}, {"method": "rk4", "step": 0.01}, {"method": "radau"}, {"method": "moreau", "step": 0.01}]
)
def test_samples_are_held_and_follow_each_other(options: dict[str, Any]) -> None:
    s = plant()
    s.add_element("second", da.Hold(0.1), input="first.output")
    s.add_element("first", da.Hold(0.1), input=lambda s: s.t)
    s.add_element("slow", da.Hold(0.25), input="first.output")
    s.add_element("late", da.Delay(0.2, 0.1), input="first.output")
    m = s.build()
    motion = m.simulate(1.0, output=0.05, **options)
    k = np.floor(motion.t / 0.1 + 1e-9)
    assert np.allclose(motion["first.value"], 0.1 * k) and np.allclose(motion["second.value"], 0.1 * k)
    assert np.allclose(motion["slow.value"][::5], [0.0, 0.2, 0.5, 0.7, 1.0])
    assert np.allclose(motion.evaluate(lambda s: s.signal("late.output")), np.maximum(0.1 * (k - 2.0), 0.0))
    if options.get("method") == "rk4":
        many = m.simulate_many([{"A": 0.0}, {"A": 1.0}, {"A": 0.5}], 1.0, output=0.05, **options)
        assert np.array_equal(many.z[1], motion.z)


def test_a_sampled_run_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    s = plant()
    s.add_element("c", da.PID(KP, KI, KD, FILTER, period=PERIOD), reference=1.0, measured=lambda s: s.q["A"])
    s.add_force("act", da.Motor("A", lambda s: s.signal("c.output")))
    m = s.build()
    whole = m.simulate(1.0)
    calls = [0]

    def stops(s: da.State) -> dict[str, float]:
        calls[0] += 1
        if calls[0] == 6:
            raise KeyboardInterrupt
        return {"A": 0.0}

    begun = m.simulate(1.0, control=stops, control_rate=10.0)
    calls[0] = 10
    again = m.simulate(1.0, control=stops, control_rate=10.0, resume=begun)
    assert begun.record["ended"] == "interrupted" and np.abs(again.q - whole.q).max() < 1e-8


def test_anti_windup_keeps_the_integral_within_reach() -> None:
    limited = {"lower": -1.0, "upper": 1.0}
    s = da.System("slow")
    s.add_body("sled", mass=2.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "sled")
    s.add_element("c", da.PID(4.0, 2.0, 4.0, 0.05, tracking=0.5, **limited), reference=5.0, measured=lambda s: s.q["A"])
    s.add_element(
        "wound", da.PID(4.0, 2.0, 4.0, 0.05, tracking=1e9, **limited), reference=5.0, measured=lambda s: s.q["A"]
    )
    s.add_force("act", da.Motor("A", lambda s: s.signal("c.output")))
    motion = s.build().simulate(5.0)
    assert np.abs(motion.evaluate(lambda s: s.signal("c.output"))).max() <= 1.0
    assert np.abs(motion["c.integral"]).max() < np.abs(motion["wound.integral"]).max()


def test_equilibrium_has_the_states_that_hold_it() -> None:
    s = da.System("arm", gravity=(0, -9.81, 0))
    s.add_body("arm", mass=1.0, com=(0.1, 0, 0), inertia=(0.1, 0.1, 0.02))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "arm")
    s.add_element("pid", da.PID(10.0, 20.0, 1.0), reference=0.5, measured=lambda s: s.q["A"])
    s.add_element("motor", da.DCMotor("A", 1.0, 0.01, 0.5), voltage="pid.output")
    e = s.build().equilibrium()
    current = 9.81 * 0.1 * np.cos(0.5) / 0.5
    assert abs(e.q[0] - 0.5) < 1e-9 and e.stable and e.lasting
    assert abs(e.states["motor.current"] - current) < 1e-8 and abs(e.states["pid.integral"] - current) < 1e-8


def test_equilibrium_of_a_loop_is_where_it_comes_to_rest() -> None:
    from tests.elements.models import driven_arm

    m = driven_arm(True).build()
    e = m.equilibrium({"A": -0.5})
    end = m.simulate(60.0, {"A": -0.5}, output=[0.0, 60.0])
    assert np.abs(end.q[-1] - e.q).max() < 1e-3 and np.abs(end.z[-1] - list(e.states.values())).max() < 1e-2
    resting = m.with_parameters(**e.states).simulate(1.0, e.q, output=[0.0, 1.0])
    assert np.abs(resting.q[-1] - e.q).max() < 1e-6


def test_equations_print_rates_of_states() -> None:
    s = plant()
    s.add_element("low", da.LowPass(0.5), input=lambda s: s.q["A"])
    text = s.build().equations("kane").text()
    assert "d/dt low.value = 2*q_A - 2*low.value" in text or "d/dt low.value = 2*(q_A - low.value)" in text


def test_what_is_wrong_is_named() -> None:
    def system() -> da.System:
        s = plant()
        s.add_element("low", da.LowPass(0.1), input="low.output")
        return s

    wrong: list[tuple[Any, str]] = [
        (lambda s: s.add_element("p", da.PID(1.0)), 'element "p": its input "measured" is not connected'),
        (lambda s: s.connect("low.inputs", 1.0), "there is no input 'inputs'; did you mean 'input'"),
        (lambda s: s.connect("lo.input", 1.0), "there is no element 'lo'"),
        (lambda s: s.add_element("g", da.Saturation(0.0, 1.0), input="low.outputs"), "did you mean 'low.output'"),
        (lambda s: s.connect("low.input", 1.0), '"low.input" is connected twice'),
        (lambda s: s.add_element("low", da.LowPass(0.1)), 'element "low" is defined twice'),
        (lambda s: s.add_element("x", da.Motor("A", 1.0)), "is not an element"),
        (lambda s: s.add_element("d", da.DCMotor("B", 1.0, 1.0, 1.0), voltage=1.0), 'element "d": there is no joint'),
        (lambda s: da.TransferFunction([1.0, 0.0, 0.0], [1.0, 1.0]), "a higher power than the denominator"),
        (lambda s: da.StateSpace([[1.0]], [[1.0, 2.0]], [[1.0]], [[0.0]]), "StateSpace: B is 1 × 2"),
        (lambda s: da.StateSpace.of(3.0), "no linear system of python-control or SciPy"),
        (lambda s: da.Delay(0.15, 0.1), "must be a multiple of period"),
        (lambda s: da.Bushing("sled", "ground", [1.0, 2.0]), "six numbers"),
    ]
    for act, words in wrong:
        s = system()
        with pytest.raises(da.ModelError) as found:
            act(s)
            s.build()
        assert words in str(found.value)


def test_algebraic_loops_are_named() -> None:
    s = plant()
    s.add_element("first", da.Saturation(-1.0, 1.0), input="second.output")
    s.add_element("second", da.LeadLag(0.2, 0.1), input="first.output")
    with pytest.raises(da.ModelError, match=r"first\.output → second\.output → first\.output: an algebraic loop"):
        s.build()
    s = plant()  # a state between breaks it
    s.add_element("first", da.Saturation(-1.0, 1.0), input="second.output")
    s.add_element("second", da.LowPass(0.1), input="first.output")
    s.build()


def test_sampled_elements_are_refused_where_time_must_be_continuous() -> None:
    s = plant()
    s.add_element("hold", da.Hold(0.1), input=lambda s: s.q["A"])
    p = s.parameter("p", 1.0)
    s.add_force("push", da.Load("sled", force=(p, 0, 0)))
    m = s.build()
    for ask in (lambda: m.linearise(), lambda: m.equilibrium()):
        with pytest.raises(da.DalembertError, match=r'element "hold" is sampled every 0\.1 s'):
            ask()
    s.add_law("stop", da.Stop("A", upper=2.0))
    with pytest.raises(da.StateError, match=r'element "hold" is sampled.* beside law "stop"'):
        s.build().sensitivities(1.0)
    with pytest.raises(da.ModelError, match="no sampled elements"):
        plant().build().linearise_sampled()


def test_files_hold_every_controller(tmp_path: Path) -> None:
    s = plant()
    s.add_element("pid", da.PID(1.0, 2.0, 0.1, period=0.1, upper=3.0), measured=lambda s: s.q["A"])
    s.add_element(
        "ss", da.StateSpace([[-1.0, 0.0], [1.0, -2.0]], [[1.0], [0.0]], [[0.0, 1.0]], [[0.0]]), input="pid.output"
    )
    s.add_element("tf", da.TransferFunction([1.0], [1.0, 2.0]), input="ss.output")
    s.add_element("late", da.Delay(0.2, 0.1), input="tf.output")
    s.add_element("bush", da.Bushing("ground", "sled", (5.0,) * 6, (1.0,) * 6, [(0.5, 0.1)]))
    s.add_force("act", da.Motor("A", lambda s: s.signal("late.output") + 1.0))
    s.save(tmp_path / "x.yaml")
    again = da.System.load(tmp_path / "x.yaml")
    assert again.build().kernels.fingerprint == s.build().kernels.fingerprint
    assert np.array_equal(again.build().simulate(1.0).z, s.build().simulate(1.0).z)
