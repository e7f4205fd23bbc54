"""What every joint says about itself is consistent: its velocities are the derivatives of its pose, from both ends."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

import dalembert as da
from dalembert.parts.joints import Reversed
from dalembert.trace import directional, evaluate, symbols, tracing
from dalembert.vectors import skew
from tests.effort import examples
from tests.mechanisms import curved, seeds, unit

Maker = Callable[[np.random.Generator], da.Joint]


def _universal(rng: np.random.Generator) -> da.Joint:
    first, second = unit(rng), unit(rng)
    while abs(np.dot(first, second)) > 0.8:
        second = unit(rng)
    return da.Universal(first, second)


MAKERS: dict[str, Maker] = {
    "weld": lambda rng: da.Weld(),
    "revolute": lambda rng: da.Revolute(unit(rng)),
    "prismatic": lambda rng: da.Prismatic(unit(rng)),
    "screw": lambda rng: da.Screw(unit(rng), pitch=float(rng.uniform(-1, 1))),
    "cylindrical": lambda rng: da.Cylindrical(unit(rng)),
    "universal": _universal,
    "spherical": lambda rng: da.Spherical(),
    "spherical by angles": lambda rng: da.Spherical("angles"),
    "spherical by 3-1-3": lambda rng: da.Spherical("313"),
    "planar": lambda rng: da.Planar(unit(rng)),
    "free": lambda rng: da.Free(),
    "general": lambda rng: da.General(),
    "translation": lambda rng: da.Translation(),
    "curved slide": lambda rng: curved(rng),
    "curved slide with a pin": lambda rng: curved(rng, "pin"),
    "curved slide with a ball": lambda rng: curved(rng, "ball"),
}
ENDS: dict[str, Callable[[da.Joint], da.Joint]] = {
    "as given": lambda j: j,
    "seen from the child": lambda j: j.reversed(),
    "reversed by the general rule": Reversed,
}

every_joint = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
both_ends = pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)


def coordinates(j: da.Joint, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Admissible q and any u."""
    q, u = rng.uniform(-1.4, 1.4, j.n_q), rng.uniform(-2, 2, j.n_u)
    if "e0" in j.coordinates:
        four = slice(j.coordinates.index("e0"), j.coordinates.index("e0") + 4)
        q[four] /= np.linalg.norm(q[four])
    if not j.singularity(j.reference + 0.1) and j.singularity(np.zeros(j.n_q)):  # singular at zero
        q = q + j.reference
    assert j.singularity(q) is None
    return q, u


def traced_rates(j: da.Joint, q: np.ndarray, u: np.ndarray) -> dict[str, np.ndarray]:
    """d/dt of each of the joint's quantities along q̇ = N(q) u, by differentiating its trace."""
    with tracing():
        qs, us = symbols("q_", [str(i) for i in range(j.n_q)]), symbols("u_", [str(i) for i in range(j.n_u)])
        motion = dict(zip(qs, j.rates(qs, us)))
        rates = {
            name: directional(np.asarray(getattr(j, name)(qs)), motion)
            for name in ("rotation", "translation", "turning", "sliding")
        }
    at = dict(zip(qs, q)) | dict(zip(us, u))
    return {name: np.asarray(evaluate(rate, at), dtype=float) for name, rate in rates.items()}


def close(a, b) -> bool:
    return np.allclose(np.asarray(a, dtype=float), b, rtol=1e-12, atol=1e-12)


@every_joint
@both_ends
@settings(max_examples=examples(10), deadline=None)
@given(seed=seeds)
def test_velocities_are_the_derivatives_of_the_pose(make, end, seed):
    rng = np.random.default_rng(seed)
    j = end(make(rng))
    q, u = coordinates(j, rng)
    rate, R = traced_rates(j, q, u), j.rotation(q)
    assert close(rate["translation"], j.sliding(q) @ u)
    assert close(rate["rotation"], R @ skew(j.turning(q) @ u))


@every_joint
@both_ends
@settings(max_examples=examples(10), deadline=None)
@given(seed=seeds)
def test_rates_of_the_motion_are_the_derivatives_of_the_motion(make, end, seed):
    rng = np.random.default_rng(seed)
    j = end(make(rng))
    q, u = coordinates(j, rng)
    rate = traced_rates(j, q, u)
    assert close(rate["turning"], j.turning_rate(q, u))
    assert close(rate["sliding"], j.sliding_rate(q, u))


@every_joint
@both_ends
@settings(max_examples=examples(10), deadline=None)
@given(seed=seeds)
def test_rotations_are_rotations(make, end, seed):
    rng = np.random.default_rng(seed)
    j = end(make(rng))
    R = j.rotation(coordinates(j, rng)[0])
    assert close(R.T @ R, np.eye(3))
    assert np.linalg.det(R) > 0


@every_joint
@settings(max_examples=examples(10), deadline=None)
@given(seed=seeds)
def test_speeds_and_rates_are_inverse(make, seed):
    rng = np.random.default_rng(seed)
    j = make(rng)
    q, u = coordinates(j, rng)
    assert close(j.speeds_from_rates(q, j.rates(q, u)), u)
    assert close(Reversed(j).speeds_from_rates(q, Reversed(j).rates(q, u)), u)


@every_joint
def test_frames_coincide_at_the_reference(make):
    j = make(np.random.default_rng(1))
    if j.singularity(np.zeros(j.n_q)) and "a1" in j.coordinates:
        assert j.singularity(j.reference) is None  # where they coincide the angles are singular
        return
    assert close(j.rotation(j.reference), np.eye(3))
    assert close(j.translation(j.reference), np.zeros(3))
    assert len(j.reference) == j.n_q and j.n_u <= j.n_q


@every_joint
@settings(max_examples=examples(10), deadline=None)
@given(seed=seeds)
def test_speeds_are_independent(make, seed):
    """No speed is lost at an admissible configuration: the motion has full rank."""
    rng = np.random.default_rng(seed)
    j = make(rng)
    q, _ = coordinates(j, rng)
    assert np.linalg.matrix_rank(np.vstack([j.turning(q), j.sliding(q)]), tol=1e-9) == j.n_u if j.n_u else True


@every_joint
@settings(max_examples=examples(10), deadline=None)
@given(seed=seeds)
def test_seeing_a_joint_from_its_child_inverts_the_pose(make, seed):
    """And the short cut a joint may take equals the general rule."""
    rng = np.random.default_rng(seed)
    j = make(rng)
    q, u = coordinates(j, rng)
    seen, rule = j.reversed(), Reversed(j)
    assert close(seen.rotation(q) @ j.rotation(q), np.eye(3))
    assert close(seen.rotation(q) @ j.translation(q) + seen.translation(q), np.zeros(3))
    for name in ("rotation", "translation", "turning", "sliding"):
        assert close(getattr(seen, name)(q), getattr(rule, name)(q))
    assert seen.coordinates == j.coordinates and seen.speeds == j.speeds
    assert seen.rates_are_speeds == j.rates_are_speeds
    assert close(seen.rates(q, u), j.rates(q, u))


@every_joint
@settings(max_examples=examples(10), deadline=None)
@given(seed=seeds)
def test_an_aligned_joint_moves_alike_in_its_turned_frames(make, seed):
    """R_PC = Q R_z Qᵀ and p_PC = Q p_z."""
    rng = np.random.default_rng(seed)
    j = make(rng)
    q, _ = coordinates(j, rng)
    about_z, Q = j.aligned()
    assert close(Q.T @ Q, np.eye(3)) and np.linalg.det(Q) > 0
    assert close(Q @ about_z.rotation(q) @ Q.T, j.rotation(q))
    assert close(Q @ about_z.translation(q), j.translation(q))


def test_spherical_descriptions_meet_in_one_rotation():
    """Turning by half-angle parameters about z and by the third 1-2-3 angle is one thing."""
    angle = 0.7
    by_parameters = da.Spherical().rotation([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)])
    assert close(by_parameters, da.Spherical("angles").rotation([0.0, 0.0, angle]))
    assert close(by_parameters, da.turn(np.array([0.0, 0.0, 1.0]), angle))
