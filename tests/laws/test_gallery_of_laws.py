"""Gallery models with laws move as physics says."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files

G = 9.81
PENETRATION, BALANCE = 1e-12, 1e-7


def motion_of(name: str, **changes: object) -> da.Motion:
    motion = da.load(files()[name]).simulate(**changes)
    for law in motion.contacts.values():
        on = law.state[:, : law.gap.shape[1]] != "off"
        assert np.where(on, law.gap, 0.0).min(initial=0.0) > -PENETRATION
    return motion


def balanced(motion: da.Motion) -> None:
    """Energy and losses add up; for models that nothing drives."""
    energy = motion.energy()
    assert np.ptp(energy.balance) < BALANCE * max(1.0, float(np.abs(energy.kinetic).max()))


def test_pendulum_with_a_stop():
    """Every rebound keeps 0.7 of the speed; the first impact comes by energy, less friction."""
    motion = motion_of("pendulum_stop")
    balanced(motion)
    for hit in motion.impacts:
        assert hit.after[0] == pytest.approx(-0.7 * hit.before[0], rel=1e-12)
    fallen = 3.0 * (G * (math.cos(0.3) - math.cos(1.0)) - 2 * 0.05 * 1.3)  # ω² of a rod, mass 1 kg, length 1 m
    assert motion.impacts[0].before[0] ** 2 == pytest.approx(fallen, rel=1e-9)


def test_bouncing_ball():
    motion = motion_of("bouncing_ball")
    balanced(motion)
    assert motion.impacts[9].after[0] == pytest.approx(0.8**10 * math.sqrt(2 * G), rel=1e-10)
    assert motion.modes[-1].states == {"floor": "stick"} and not motion.u[-1].any()


def test_stick_slip_oscillator():
    """In the limit cycle it sticks for 2.5 s and slips for 1.951 s, whatever the start."""
    changes = motion_of("stick_slip", duration=20.0).modes[2:]
    lasts = np.diff([x.t for x in changes])
    assert sorted(set(np.round(lasts, 6))) == pytest.approx([1.951303, 2.5], abs=2e-6)


def test_brake_and_clutch():
    """The clutch locks when the torques have made both speeds equal; the brake stops the machine in J ω / torque."""
    motion = motion_of("brake_and_clutch")
    J = {name: 0.5 * 2000 * math.pi * r**4 * 0.1 for name, r in (("engine", 0.2), ("machine", 0.3))}
    locks = 40.0 / (30.0 / J["machine"] + (30.0 - 8.0) / J["engine"])
    assert motion.modes[1].t == pytest.approx(locks, abs=1e-9)
    speed = 30.0 * locks / J["machine"] + 8.0 * (3.0 - locks) / (J["engine"] + J["machine"])
    assert motion.modes[-1].t == pytest.approx(3.0 + speed * J["machine"] / 25.0, abs=1e-9)
    assert motion["machine'"][-1] == 0.0 and motion.modes[-1].states["brake"] == "stick"


def test_ratchet():
    """A stroke of ±0.4 rad takes the drum on by 0.8 rad, and it never runs back."""
    motion = motion_of("ratchet")
    assert np.diff(motion["drum"]).min() >= -1e-12
    at = [float(np.interp(math.pi * k / 2 + math.pi / 8, motion.t, motion["drum"])) for k in range(5)]
    assert np.diff(at) == pytest.approx([0.8] * 4, abs=1e-3)


def test_screw_jack_locks_itself():
    """Raising accelerates by the drive's torque less 0.8079 N m; let go, it stops and stays."""
    motion = motion_of("screw_jack")
    lead = 0.004 / (2 * math.pi)
    arm = (lead + 0.1 * 0.01) / (1.0 - 0.1 * lead / 0.01)  # torque per thrust while it rises
    rate = (1.5 - arm * 50 * G) / (0.5 * 50 * 0.0089**2 + arm * 50 * lead)
    assert motion["thread'"][motion.t <= 1.0][-1] == pytest.approx(rate, rel=1e-8)
    assert motion.modes[-1].states == {"thread": "stick"} and motion.u[-1, 0] == 0.0
    assert motion["thread"][-1] > 0.5 * rate


def test_trebuchet_throws():
    """The stone leaves up and to the left, and flies on a parabola."""
    motion = motion_of("trebuchet")
    balanced(motion)
    assert [e.name for e in motion.events] == ["let_go"]
    flying = motion.t > motion.events[0].t + 0.02
    t, (x, y) = motion.t[flying], motion.outputs()["stone"][flying, :2].T
    assert np.diff(x) / np.diff(t) == pytest.approx(np.full(len(t) - 1, motion.events[0].u[-3]), rel=1e-6)
    assert np.diff(y, 2) / 0.02**2 == pytest.approx(np.full(len(t) - 2, -G), abs=1e-5)
    assert x[-1] < -100.0


def test_geneva_drive_goes_on_by_quarter_turns():
    motion = motion_of("geneva_drive")
    dwell = [float(np.interp(t, motion.t, motion["wheel"])) for t in (0.02, 0.7, 1.7)]
    assert np.degrees(np.diff(dwell)) == pytest.approx([-90.0, -90.0], abs=0.3)
    still = (motion.t > 0.35) & (motion.t < 0.95)
    assert np.ptp(motion["wheel"][still]) < 1e-9


def test_cam_follower_follows_and_lifts_off():
    """On the cam its height is that of an eccentric circle; it lifts off where the cam falls faster than spring and weight pull."""
    motion = motion_of("cam_follower")
    angle = 5 * motion.t + 6 * motion.t**2
    on = motion.contacts["cam"].state[:, 0] == "closed"
    height = 0.012 * np.sin(angle) + np.sqrt(0.05**2 - (0.012 * np.cos(angle)) ** 2)
    assert motion["lift"][on] == pytest.approx(height[on], abs=1e-12)
    assert (motion["lift"][~on] > height[~on]).all() and (~on).any()
    assert motion.modes[1].t > 2.0


def test_woodpecker_pecks_in_a_limit_cycle():
    """Glocker's toy pecks about 7.6 times a second, sinks by the same way in every cycle, and hits with its beak once in each."""
    motion = motion_of("woodpecker")
    balanced(motion)
    pecks = [x.t for x in motion.impacts if x.law == "beak"]
    assert np.ptp(np.diff(pecks)[4:]) < 1e-6
    assert np.diff(pecks)[-1] == pytest.approx(0.1307475, abs=1e-5)
    sunk = -np.diff(np.interp(pecks, motion.t, motion["pole.y"]))[3:]
    assert np.ptp(sunk) < 5e-4 and 0.005 < sunk[-1] < 0.03
    assert {"stick", "slip", "open"} <= set(motion.contacts["lower"].state.ravel())


def test_rocking_block_loses_by_housners_ratio():
    motion = motion_of("rocking_block")
    balanced(motion)
    first = motion.impacts[0]
    assert first.u_after[2] / first.u_before[2] == pytest.approx(0.7, abs=1e-10)
    assert set(motion.modes[-1].states.values()) == {"stick"} and not motion.u[-1].any()


def test_newtons_cradle():
    """One ball in, one ball out, and back."""
    motion = motion_of("newtons_cradle")
    speed = math.sqrt(2 * G * 0.2 * (1 - math.cos(0.6)) / (0.2**2 + 0.4 * 0.02**2)) * 1.0
    for hit, last in zip(motion.impacts[::4], (4, 0)):
        assert abs(hit.u_after[last]) == pytest.approx(speed, rel=1e-9)
        assert np.abs(np.delete(hit.u_after, last)).max() < 1e-9


def test_bowling_ball_ends_rolling():
    """Slip ends with 5/7 of the speed and 2/7 of r times the spin; without rolling resistance exactly so."""
    motion = motion_of("bowling_ball", parameters={"rolling": 0.0})
    balanced(motion)
    rolls = motion.modes[1].t
    assert [float(np.interp(rolls + 0.1, motion.t, motion[f"J.{v}'"])) for v in ("vx", "vy")] == pytest.approx(
        [5 / 7 * 7 + 2 / 7 * 0.108 * 5, 5 / 7 * -0.4 - 2 / 7 * 0.108 * -12], abs=1e-9
    )


def test_tippe_top_turns_over():
    """Jellett's integral L · (vector to the contact) is kept; the mass centre rises from below the middle to above it."""
    motion = motion_of("tippe_top")
    balanced(motion)
    height = motion.outputs()["centre"][:, 2]
    assert height[0] < 0.0151 and height[-1] > 0.0245
    jellett = []
    for k in range(0, len(motion), 10):
        s = motion.mechanism.numeric.state(motion.q[k], motion.u[k])
        R = np.asarray(s.rotation("top"), dtype=float)
        L = 3.2e-6 * np.asarray(s.angular_velocity("top"), dtype=float)
        jellett.append(float(L @ (0.005 * R[:, 2] - 0.02 * np.array([0, 0, 1.0]))))
    assert np.ptp(jellett) < 1e-9 * abs(jellett[0]) * 100


def test_slider_crank_with_clearance():
    """The pin stays within its play, and hits its bearing where the slider turns."""
    motion = motion_of("slider_crank_clearance")
    ideal = 0.05 * np.cos(15 * motion.t) + np.sqrt(0.3**2 - (0.05 * np.sin(15 * motion.t)) ** 2)
    assert np.abs(motion["guide"] - ideal).max() < 2.5e-3
    assert len(motion.impacts) > 5


def test_passive_walker_walks():
    """Garcia's gait: steps alternate, and each takes about 3.88 √(ℓ/g)."""
    motion = motion_of("passive_walker")
    balanced(motion)
    strikes = [x for x in motion.impacts if x.impulse[0] > 1e-6]
    assert [x.law for x in strikes] == ["right", "left", "right", "left"]
    assert np.diff([0.0, *(x.t for x in strikes)]) == pytest.approx([3.88 / math.sqrt(G)] * 4, rel=0.02)


def test_landing_satellite_comes_to_rest():
    motion = motion_of("landing_satellite")
    assert {motion.modes[-1].states["left"], motion.modes[-1].states["right"]} == {"stick"}
    assert np.abs(motion.u[-1]).max() < 1e-3
    weight = sum(motion.contacts[name].normal[-1, 0] for name in ("left", "right"))
    assert weight == pytest.approx(206 * 1.62, rel=1e-3)


def test_docking_keeps_momentum():
    motion = motion_of("docking_latch")
    before, after = (motion.momentum(about="mass centre").linear[k] for k in (0, -1))
    assert after == pytest.approx(before, abs=1e-9)
    assert motion.modes[-1].states == {"ports": "engaged"}
    assert motion["S.angle'"][-1] == pytest.approx(motion["C.angle'"][-1], abs=1e-12)
