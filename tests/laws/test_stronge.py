"""Stronge's law of impacts, by energies along Routh's path."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dalembert as da

from .models import balls, block, free_body, on_left_corner, pendulum, slider_crank


def path(W, v, mu, e):
    """Routh's path of one planar contact, in very small steps: impulses at its end, and work spent and given back."""
    v, P, work, spent = np.array(v, dtype=float), np.zeros(2), 0.0, None
    ds = 1e-4 * abs(v[0]) / W[0, 0]
    while spent is None or work < spent * (1 - e * e):
        if abs(v[1]) > 1e-9:
            t = -mu * np.sign(v[1])
        else:
            t = -W[0, 1] / W[1, 1]
            t = t if abs(t) <= mu else -mu * np.sign(W[0, 1])
        step = W @ [1.0, t] * ds
        if abs(v[1]) > 1e-9 and (v[1] + step[1]) * v[1] < 0:
            step[1] = -v[1]
        work += ds * (v[0] + 0.5 * step[0])
        v, P = v + step, P + ds * np.array([1.0, t])
        if spent is None and v[0] >= 0:
            spent = work
    return P


def rod(angle: float, mu: float, e: float) -> da.Mechanism:
    s = da.System("rod")
    s.add_body("rod", mass=1.0, inertia=(0.01, 1 / 3, 1 / 3))
    s.add_joint("J", da.Planar(), "ground", "rod")
    s.add_law("floor", da.Contact(("rod", (-1.0, 0, 0)), normal=(0, 1, 0), mu=mu, restitution=e))
    return s.build()


@pytest.mark.parametrize("seed", range(6))
def test_a_rod_follows_rouths_path(seed):
    rng = np.random.default_rng(seed)
    angle, mu, e, slip = rng.uniform(0.2, 1.4), rng.uniform(0.1, 1.0), rng.uniform(0.0, 1.0), rng.uniform(-2, 2)
    m = rod(angle, mu, e)
    start = {"initial": {"J.angle": angle, "J.y": math.sin(angle)}, "speeds": {"J.x": slip, "J.y": -1.0}}
    hit = m.simulate(0.01, restitution="stronge", **start).impacts[0]
    s, c = math.sin(angle), math.cos(angle)  # the end lies at (−c, −s) from the mass centre
    W = np.array([[1 + 3 * c * c, -3 * s * c], [-3 * s * c, 1 + 3 * s * s]])
    expected = path(W, (-1.0, slip), mu, e)
    along = float(np.abs(hit.friction).max())
    assert hit.impulse[0] == pytest.approx(expected[0], rel=1e-3)
    assert along == pytest.approx(abs(expected[1]), abs=1e-3)
    assert hit.loss >= -1e-12


def test_without_friction_it_is_newton():
    m = pendulum().build()
    one, other = (m.simulate(3.0, initial={"A": -1.0}, restitution=law) for law in ("newton", "stronge"))
    assert other.q == pytest.approx(one.q, abs=1e-11)


def test_cradle_is_hit_in_turn():
    motion = balls(0.0, 1.0).build().simulate(1.0, restitution="stronge")
    assert motion.u[-1] == pytest.approx((0.0, 0.0, 1.0), abs=1e-12)
    motion = balls(0.0, 0.9).build().simulate(1.0, restitution="stronge")
    assert motion.u[-1] == pytest.approx((0.047625, 0.049875, 0.9025), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_a_ball_with_spin_in_space_gains_nothing(seed):
    """Slip turns in a plane; the friction impulse of a ball is that of its slip, which keeps its direction."""
    rng = np.random.default_rng(seed)
    m = free_body(radius=0.1, inertia=0.003, mu=0.2, restitution=0.7).build()
    names = ("J.vx", "J.vy", "J.wx", "J.wy", "J.wz")
    speeds = dict(zip(names, rng.uniform(-3, 3, 5)))
    motion = m.simulate(0.6, initial={"J.z": 0.6}, speeds=speeds, restitution="stronge")
    hit = motion.impacts[0]
    assert hit.after[0] == pytest.approx(
        -0.7 * hit.before[0], rel=1e-9
    )  # no coupling of a ball's normal and slip: as Newton's
    assert np.linalg.norm(hit.friction) <= 0.2 * hit.impulse[0] * (1 + 1e-9)
    assert hit.loss >= -1e-12 and np.ptp(motion.energy().balance) < 1e-9


def test_an_uneven_body_in_space_gains_nothing():
    s = da.System("brick", gravity=(0, 0, -9.81))
    s.add_body("b", da.box(mass=1.0, size=(0.4, 0.2, 0.1)))
    s.add_joint("J", da.Free(), "ground", "b")
    for k, sign in enumerate(((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, -1))):
        corner = 0.5 * np.array(sign) * (0.4, 0.2, 0.1)
        s.add_law(f"c{k}", da.Contact(("b", tuple(corner)), mu=0.4, restitution=0.6))
    motion = s.build().simulate(1.0, {"J.z": 0.5}, {"J.wx": 2.0, "J.wy": 5.0, "J.vx": 1.0}, restitution="stronge")
    assert len(motion.impacts) > 3
    assert (motion.history.impact_loss.sum(axis=1) >= -1e-12).all()  # of all that are hit at an instant together
    assert np.ptp(motion.energy().balance) < 1e-8
    assert min(motion.contacts[f"c{k}"].gap.min() for k in range(4)) > -1e-12


def test_a_block_rocks_by_stronge_as_by_newton_where_nothing_comes_back():
    motion = block().build().simulate(1.0, initial=on_left_corner(0.2), restitution="stronge")
    assert motion.history.impact_t[0] == pytest.approx(0.2045916685802992, abs=1e-9)
    assert np.ptp(motion.energy().balance) < 1e-9


def test_friction_by_a_reaction_is_refused_with_it():
    with pytest.raises(da.SimulationError, match="Newton's or Poisson's law only"):
        slider_crank().build().simulate(1.0, initial={"O": 1.0}, restitution="stronge")


@pytest.mark.parametrize("apart", [0.0, 1e-15, 1e-12, 1e-9, 1e-7])
@pytest.mark.parametrize("count", [3, 4, 5])
def test_an_elastic_row_loses_no_energy_however_slowly_its_balls_part(apart, count):
    """Balls of nearly one mass, pressed together. Those within the row part slowly, or by rounding; the blow goes through."""
    rng = np.random.default_rng(count)
    s = da.System("row")
    for k in range(count):
        mass = 0.26 * (1.0 + apart * rng.uniform(-1, 1))
        s.add_body(f"b{k}", da.particle(mass))
        s.add_joint(f"x{k}", da.Prismatic((1, 0, 0)), "ground", f"b{k}")
        s.add_force(f"press{k}", da.Motor(f"x{k}", -0.3 * mass * k))
    for k in range(count - 1):
        s.add_law(f"c{k}", da.Limit({f"x{k + 1}": 1.0, f"x{k}": -1.0}, lower=0.1, restitution=1.0))
    start = {"x0": -0.05} | {f"x{k}": 0.1 * k for k in range(1, count)}
    motion = s.build().simulate(0.06, start, {"x0": 1.7}, restitution="stronge")
    hits = [x for x in motion.impacts if x.t == motion.impacts[0].t]
    before, after = hits[0].u_before, hits[0].u_after
    assert sum(x.loss for x in hits) == pytest.approx(0.0, abs=1e-12)
    assert after[-1] - before[1] == pytest.approx(before[0] - before[1], rel=max(1e-9, 10 * count * apart))
