"""Runs that are interrupted, resumed, fail, or are kept on disk: nothing is lost, nothing is half-written."""

from __future__ import annotations

import hashlib
import os
import resource
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SimulationWarning
from dalembert.kinematics.law_mode import ModeLayout
from dalembert.simulation.march import checkpoint
from dalembert.simulation.march.between_stretches import Interrupts
from dalembert.simulation.march.checkpoint import Checkpoint, load_checkpoint
from tests.simulation.models import TOP_SPEEDS, chain, heavy_top, oscillator, pendulum

METHODS = [{}, {"method": "radau", "rtol": 1e-7}, {"step": 1e-3}, {"method": "midpoint", "step": 1e-3}]


def stopping(after):
    """A controller that does nothing but press Ctrl-C at its n-th call, once."""
    calls = []

    def control(s):
        calls.append(s.t)
        if len(calls) == after:
            raise KeyboardInterrupt
        return {}

    return control


@pytest.mark.parametrize("options", METHODS)
def test_an_interrupted_run_resumed_is_the_uninterrupted_run_to_the_last_bit(options, tmp_path):
    m = heavy_top()
    asked = {"speeds": TOP_SPEEDS, "control_rate": 7.0, **options}
    whole = m.simulate(1.0, **asked, control=lambda s: {})
    part = m.simulate(1.0, **asked, control=stopping(5), checkpoint=tmp_path / "run.checkpoint")
    assert not part.complete and part.record["ended"] == "interrupted" and 0 < len(part) < len(whole)
    np.testing.assert_array_equal(part.q, whole.q[: len(part)])
    for place in (part, tmp_path / "run.checkpoint"):
        resumed = m.simulate(1.0, **asked, control=lambda s: {}, resume=place)
        assert resumed.complete and resumed.record["steps"] == whole.record["steps"]
        np.testing.assert_array_equal(resumed.q, whole.q)
        np.testing.assert_array_equal(resumed.u, whole.u)


def test_control_c_returns_the_part_computed_so_far():
    m = chain(6)
    asked = {"initial": np.full(6, 0.3), "step": 1e-4, "output": 0.1}
    m.simulate(0.1, **asked)  # compiled before the clock runs
    threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    part = m.simulate(2000.0, **asked)
    assert part.record["ended"] == "interrupted" and len(part) > 10
    again = m.simulate(float(part.t[-1]), **asked)
    np.testing.assert_array_equal(
        part.q[:-1], again.q[:-1]
    )  # the last step of `again` ends at its end, to a rounding of time


def test_pausing_does_not_change_the_numbers(monkeypatch):
    m = heavy_top()
    whole = m.simulate(0.5, speeds=TOP_SPEEDS)
    monkeypatch.setattr("dalembert.simulation.march.run.STRETCH", 1e-9)
    paused = m.simulate(0.5, speeds=TOP_SPEEDS)
    np.testing.assert_array_equal(paused.q, whole.q)


def test_checkpoints_are_written_as_time_passes(monkeypatch, tmp_path):
    monkeypatch.setattr("dalembert.simulation.march.run.CHECKPOINT_EVERY", 0.0)
    m, path = chain(6), tmp_path / "run.checkpoint"
    asked = {"initial": np.full(6, 0.3), "step": 1e-4, "output": 0.1}
    whole = m.simulate(5.0, **asked, checkpoint=path)
    assert 0 < len(load_checkpoint(path).rows) < len(whole)
    np.testing.assert_array_equal(m.simulate(5.0, **asked, resume=path).q, whole.q)


def test_a_checkpoint_serves_only_its_own_run(tmp_path):
    m, path = pendulum(), tmp_path / "run.checkpoint"
    m.simulate(1.0, control=stopping(3), control_rate=10.0, checkpoint=path)
    with pytest.raises(da.SimulationError, match="cannot go on from there"):
        m.simulate(1.0, {"A": 0.1}, control=lambda s: {}, control_rate=10.0, resume=path)
    with pytest.raises(da.SimulationError, match="was not interrupted"):
        m.simulate(1.0, resume=m.simulate(1.0))


def test_a_damaged_checkpoint_is_not_trusted(tmp_path):
    m, path = pendulum(), tmp_path / "run.checkpoint"
    m.simulate(1.0, control=stopping(3), control_rate=10.0, checkpoint=path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(da.MotionFileError, match="damaged"):
        m.simulate(1.0, control=lambda s: {}, control_rate=10.0, resume=path)
    with pytest.raises(da.MotionFileError, match="cannot be read"):
        m.simulate(1.0, resume=tmp_path / "nothing")


def _changed(c: Checkpoint, what: str) -> Checkpoint:
    counters, memory = c.counters.copy(), c.memory.copy()
    changes = {
        "next": lambda: counters.__setitem__(0, 10**9),
        "negative": lambda: counters.__setitem__(0, -5),
        "total": lambda: counters.__setitem__(1, 10**9),
        "steps": lambda: counters.__setitem__(2, -1),
        "event": lambda: counters.__setitem__(slice(3, 5), (7, 1)),
        "time": lambda: memory.__setitem__(slice(0, 9), np.nan),
    }
    if what in changes:
        changes[what]()
        return replace(c, counters=counters, memory=memory)
    other = {
        "inputs": {"inputs": c.inputs[:-1]},
        "rows": {"rows": c.rows[:-1]},
        "forces": {"forces": np.zeros((0, 7))},
        "events": {"events": np.ones((3, 2))},
        "kept_rows": {"kept_rows": (99,)},
        "lengths": {"lengths": np.zeros(4)},
    }
    return replace(c, **other[what])


@pytest.mark.parametrize(
    "what",
    [
        "next",
        "negative",
        "total",
        "steps",
        "event",
        "time",
        "inputs",
        "rows",
        "forces",
        "events",
        "kept_rows",
        "lengths",
    ],
)
def test_what_a_checkpoint_says_is_checked_before_machine_code_uses_it(tmp_path, what):
    """Whole and with the right name, but with counts and sizes that no run has."""
    m, path = pendulum(), tmp_path / "run.checkpoint"
    m.simulate(1.0, control=stopping(3), control_rate=10.0, checkpoint=path)
    _changed(load_checkpoint(path), what).save(path)
    with pytest.raises(da.SimulationError, match=r"does not fit the run: .* start the run from the beginning"):
        m.simulate(1.0, control=lambda s: {}, control_rate=10.0, resume=path)


@pytest.mark.parametrize("options", [{}, {"method": "moreau", "step": 1e-3}], ids=["from event to event", "in steps"])
def test_so_is_what_it_says_of_laws(tmp_path, options):
    """No element of a law is in state 17; and arrays have the shapes they have."""
    m, path = stopped_slide(), tmp_path / "run.checkpoint"
    m.simulate(1.0, control=stopping(8), control_rate=10.0, checkpoint=path, **options)
    c = load_checkpoint(path)
    state = ModeLayout(m.law_table).parts["state"].start
    mode = c.modes[-1, 1:]
    first = next(k for k in range(len(c.inputs)) if np.array_equal(c.inputs[k : k + len(mode), 0], mode))
    spoilt = {name: getattr(c, name).copy() for name in ("modes", "inputs", "rows")}
    spoilt["modes"][0, 1 + state] = spoilt["inputs"][first + state, 0] = spoilt["rows"][-1, -1] = 17.0
    spoilt |= {name: np.full((2, 3), 9.0) for name in ("impacts", "changes")}
    for name in spoilt if options else spoilt.keys() - {"rows"}:  # from event to event samples hold no states
        replace(c, **{name: spoilt[name]}).save(path)
        with pytest.raises(da.SimulationError, match=r"does not fit the run: .* start the run from the beginning"):
            m.simulate(1.0, control=lambda s: {}, control_rate=10.0, resume=path, **options)


def test_a_checkpoint_of_other_things_is_said(tmp_path):
    path = tmp_path / "run.checkpoint"
    for packed in (b"", b"nothing packed", b"PK\x03\x04"):
        path.write_bytes(checkpoint._FORMAT + hashlib.sha256(packed).digest() + packed)
        with pytest.raises(da.MotionFileError, match="is not a complete checkpoint"):
            load_checkpoint(path)


def stopped_slide() -> da.Mechanism:
    """A slide with friction between two stops."""
    s = da.System("slide")
    s.add_body("mass", da.particle(1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "mass")
    s.add_force("spring", da.JointSpring("x", stiffness=40.0, rest=0.3))
    s.add_law("stop", da.Stop("x", -0.4, 0.4, restitution=0.6))
    s.add_law("dry", da.JointFriction("x", force=0.5))
    return s.build()


def runaway() -> da.Mechanism:
    """ẍ = x²: infinite after a finite time."""
    s = da.System("runaway")
    s.add_body("mass", da.particle(1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "mass")
    s.add_force("push", da.Motor("x", lambda s: s.q["x"] * s.q["x"]))
    return s.build()


@pytest.mark.parametrize("options", [*METHODS, {"step": 0.5}])
def test_divergence_says_when_and_which_coordinate_and_keeps_the_part_before(options):
    """x = 6/(√6 − t)² from x = 1, ẋ = 2/√6: infinite at t = √6 ≈ 2.449."""
    with pytest.raises(da.SimulationError, match='"x"') as caught:
        runaway().simulate(
            5000.0 if options == {"step": 0.5} else 5.0, {"x": 1.0}, {"x": 2 / np.sqrt(6)}, output=0.1, **options
        )
    motion = caught.value.motion
    assert "Try" in str(caught.value) and " s" in str(caught.value)
    assert motion.record["ended"] == "failed" and not motion.complete
    if options != {"step": 0.5}:
        assert 20 < len(motion) < 27
        np.testing.assert_allclose(motion["x"][:20], 6 / (np.sqrt(6) - motion.t[:20]) ** 2, rtol=1e-3)


def test_an_unreachable_tolerance_is_said():
    """A force that jumps as the sign of fast noise of the state cannot be followed at 1e-14 with atol nearly zero."""
    s = da.System("rough")
    s.add_body("mass", da.particle(1.0))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "mass")
    s.add_force("push", da.Motor("x", lambda s: 1e3 * da.sign(da.sin(1e15 * s.q["x"] + 1e13 * s.t))))
    with pytest.raises(da.SimulationError, match=r"tolerance cannot be met after t = .* Try a larger rtol") as caught:
        s.build().simulate(1.0, {"x": 1.0}, rtol=1e-13, atol=1e-300)
    assert caught.value.motion.t[0] == 0.0


def test_too_many_steps_is_said():
    with pytest.raises(da.SimulationError, match=r"steps were made and only t ="):
        oscillator(1.0, 1e7).simulate(10.0, {"x": 1.0}, max_steps=1000)


def test_a_full_disk_leaves_the_old_file_and_no_rest(tmp_path):
    motion = pendulum().simulate(1.0, {"A": 0.3})
    path = tmp_path / "motion.nc"
    motion.save(path)
    before = path.read_bytes()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(da.MotionFileError, match="could not be written"):
            motion.save(path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["motion.nc"]


def test_a_place_that_does_not_exist_is_said(tmp_path):
    with pytest.raises(da.MotionFileError, match="could not be written"):
        pendulum().simulate(0.1).save(tmp_path / "nowhere" / "motion.nc")


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(monkeypatch, tmp_path):
    monkeypatch.setattr("dalembert.simulation.march.run.CHECKPOINT_EVERY", 0.0)
    taken = tmp_path / "run.ckpt"

    def control(s):
        taken.mkdir(exist_ok=True)  # after the run has begun, a folder takes the file's place
        return {}

    with pytest.warns(SimulationWarning, match=r"could not be written.*the run itself goes on"):
        motion = pendulum().simulate(1.0, control=control, control_rate=10.0, checkpoint=taken)
    assert motion.complete
    with pytest.raises(da.MotionFileError, match="that is a folder"):
        pendulum().simulate(1.0, checkpoint=taken)


def test_a_checkpoint_without_a_folder_is_said_before_the_run(tmp_path):
    with pytest.raises(da.MotionFileError, match="no such folder"):
        pendulum().simulate(1.0, checkpoint=tmp_path / "no" / "place")


def test_an_error_in_a_controller_keeps_the_part_before():
    def control(s):
        if s.t > 0.5:
            raise ZeroDivisionError("no gain")
        return {}

    with pytest.raises(ZeroDivisionError, match="no gain") as caught:
        pendulum().simulate(1.0, control=control, control_rate=10.0)
    assert caught.value.motion.t[-1] == pytest.approx(0.6)


def test_control_c_waits_for_a_safe_moment_and_a_second_one_does_not():
    before = signal.getsignal(signal.SIGINT)
    with Interrupts() as interrupts:
        signal.raise_signal(signal.SIGINT)
        assert interrupts.asked
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            interrupts.raise_if_asked()
        interrupts.raise_if_asked()
    assert signal.getsignal(signal.SIGINT) is before


def test_progress_is_told_and_cleared(monkeypatch, capsys):
    monkeypatch.setattr("dalembert.simulation.march.between_stretches.PATIENCE", 0.0)
    chain(6).simulate(50.0, np.full(6, 0.3), step=1e-3, output=1.0, progress=True)
    told = capsys.readouterr().err
    assert "left" in told and "%" in told and told.endswith("\r\033[K")
    chain(6).simulate(1.0, np.full(6, 0.3), step=1e-3, output=1.0)
    assert capsys.readouterr().err == ""  # not a terminal


@pytest.mark.filterwarnings("ignore::dalembert.SlowForceWarning")
def test_motions_and_checkpoints_belong_to_one_plain_python_force(tmp_path):
    """What a force in Python does decides the run: another one is another mechanism, and the same said again is the same."""

    def pushed(force):
        s = da.System("pushed")
        s.add_body("cart", da.particle(1.0))
        s.add_joint("x", da.Prismatic(), "ground", "cart")
        s.add_force("push", da.Motor("x", lambda s: force if float(s.q["x"]) < 1.0 else 0.0))
        return s.build()

    whole = pushed(2.0).simulate(0.5)
    whole.save(tmp_path / "run.nc")
    assert np.array_equal(da.load_motion(tmp_path / "run.nc", pushed(2.0)).q, whole.q)
    with pytest.raises(da.DalembertError, match="made by another mechanism"):
        da.load_motion(tmp_path / "run.nc", pushed(3.0))
    pushed(2.0).simulate(0.5, control=stopping(3), control_rate=10.0, checkpoint=tmp_path / "run.checkpoint")
    resume = {"control": lambda s: {}, "control_rate": 10.0, "resume": tmp_path / "run.checkpoint"}
    assert abs(pushed(2.0).simulate(0.5, **resume)["x"][-1] - 0.25) < 1e-9
    with pytest.raises(da.DalembertError, match="cannot go on from there"):
        pushed(3.0).simulate(0.5, **resume)
