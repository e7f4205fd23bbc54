"""Sampled elements beside laws: a controlled slide and its stop, against pieces of parabolas; what comes first at one instant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da

MASS, STOP, PERIOD, KP, KD, FILTER = 2.0, 0.6, 0.05, 40.0, 6.0, 0.05
WAYS: dict[str, dict[str, Any]] = {"dop853": {"rtol": 1e-12}, "rk4": {"method": "rk4", "step": 0.013}}


def wanted(t: Any) -> Any:
    """Where the slide is sent: beyond its stop, and back."""
    return da.select(t < 0.61, 1.0, da.select(t < 1.21, 0.2, 0.8))


def slide(restitution: float) -> da.System:
    s = da.System("slide")
    s.add_body("sled", mass=MASS)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "sled")
    pid = da.PID(KP, 0.0, KD, filter=FILTER, period=PERIOD)
    s.add_element("pid", pid, reference=lambda s: wanted(s.t), measured=lambda s: s.q["A"])
    s.add_force("push", da.Motor("A", lambda s: s.signal("pid.output")))
    s.add_law("stop", da.Stop("A", upper=STOP, restitution=restitution))
    return s


def by_parabolas(end: float, restitution: float) -> tuple[np.ndarray, list[float]]:
    """Position after every sample, and times of impacts: the force is constant between samples."""
    x, v, filtered, found, hits = 0.0, 0.0, 0.0, [], []
    for k in range(round(end / PERIOD)):
        t = k * PERIOD
        found.append(x)
        e = float(wanted(t)) - x
        a = (KP * e + KD * (e - filtered) / FILTER) / MASS
        filtered += (1.0 - np.exp(-PERIOD / FILTER)) * (e - filtered)
        left = PERIOD
        while left > 0.0:
            if x >= STOP and v == 0.0 and a > 0.0:  # held against the stop
                break
            roots = np.roots([0.5 * a, v, x - STOP]) if x < STOP or v < 0.0 else np.roots([0.5 * a, v])
            real = [float(r.real) for r in roots if abs(r.imag) < 1e-14 and r.real > 1e-12]
            dt = min([*real, left])
            x, v, left = x + v * dt + 0.5 * a * dt * dt, v + a * dt, left - dt
            if left > 0.0:
                x, v = STOP, (-restitution * v if abs(restitution * v) > 1e-12 else 0.0)
                hits.append(t + PERIOD - left)
    return np.array(found), hits


@pytest.mark.parametrize("restitution", [0.0, 0.7])
@pytest.mark.parametrize("way", WAYS)
def test_a_sampled_slide_hits_its_stop_where_parabolas_do(way: str, restitution: float) -> None:
    motion = slide(restitution).build().simulate(2.0, output=PERIOD, **WAYS[way])
    x, hits = by_parabolas(2.0, restitution)
    assert np.abs(motion["A"][:-1] - x).max() < 1e-11
    assert len(hits) >= 2 and np.allclose([hit.t for hit in motion.impacts], hits, atol=1e-11)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("late", [-1e-16, 0.0, 1e-16])
def test_laws_then_events_then_samples_at_one_instant(way: str, late: float) -> None:
    """A slide reaches its stop at a sample, but for rounding: samples read the speed after the impact, and what an event has set."""
    s = da.System("slide")
    gain = s.parameter("gain", 1.0)
    s.add_body("sled", mass=1.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "sled")
    s.add_element("speed", da.Hold(period=0.1), input=lambda s: s.u["A"])
    s.add_element("gain", da.Hold(period=0.1), input=gain)
    s.add_law("stop", da.Stop("A", upper=0.3 + late, restitution=0.5))
    event = da.Event(lambda s: s.t - 0.3, action=da.SetParameter("gain", 2.0))
    motion = s.build().simulate(0.5, speeds={"A": 1.0}, output=0.1, events=[event], **WAYS[way])
    assert np.allclose(motion["speed.value"], [1.0, 1.0, 1.0, -0.5, -0.5, -0.5], atol=1e-12)
    assert np.allclose(motion["gain.value"], [1.0, 1.0, 1.0, 2.0, 2.0, 2.0])


def test_a_sample_may_end_what_sticks_and_its_instant_tells() -> None:
    """A block sticks until a sampled force exceeds its grip; contact forces at that very sample are those of what slides."""
    s = da.System("block")
    s.add_body("block", mass=1.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "block")
    s.add_element("force", da.Hold(period=0.25), input=lambda s: 4.0 * s.t)
    s.add_force("push", da.Motor("A", lambda s: s.signal("force.output")))
    s.add_law("friction", da.JointFriction("A", force=2.5))
    motion = s.build().simulate(1.5, output=0.25, rtol=1e-12)
    force = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    v = np.concatenate([[0.0], np.cumsum(0.25 * np.maximum(force[:-1] - 2.5, 0.0))])
    assert np.abs(motion["A'"] - v).max() < 1e-11 and motion["A"][3] == 0.0
    assert np.allclose(motion.contacts["friction"].friction[:, 0], -np.minimum(force, 2.5))


def test_checkpoints_and_many_motions_with_samples_and_laws(tmp_path: Path) -> None:
    m, asked = slide(0.5).build(), {"output": 0.01, "control_rate": 20.0}
    calls: list[float] = []

    def control(s: da.State) -> dict[str, float]:
        calls.append(float(s.t))
        if len(calls) == 10:
            raise KeyboardInterrupt
        return {"A": 0.1 * np.cos(3.0 * float(s.t))}

    assert not m.simulate(1.0, control=control, checkpoint=tmp_path / "run", **asked).complete
    rest = m.simulate(1.0, control=control, resume=tmp_path / "run", **asked)
    whole = m.simulate(1.0, control=control, **asked)
    assert (
        np.array_equal(rest.z, whole.z)
        and np.array_equal(rest.q, whole.q)
        and len(rest.impacts) == len(whole.impacts) > 1
    )
    alone = m.simulate(1.0, {"A": 0.1}, output=0.01)
    many = m.simulate_many([{"A": 0.0}, {"A": 0.1}], 1.0, output=0.01)
    assert np.abs(many[1].z - alone.z).max() < 1e-12 and np.abs(many[1].q - alone.q).max() < 1e-12
