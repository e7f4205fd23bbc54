"""Twelve sequences of Euler angles describe one rotation: same speeds, same accelerations, same motion as Euler parameters."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.parts.joints.euler_angles import SEQUENCES, EulerAngles
from dalembert.parts.joints.orientation import EulerParameters
from tests.mechanisms import matter

every_sequence = pytest.mark.parametrize("sequence", SEQUENCES)


def regular(sequence: str, rng: np.random.Generator) -> np.ndarray:
    """Angles well away from where the sequence is singular."""
    a = rng.uniform(-1.0, 1.0, 3)
    if sequence[0] == sequence[2]:
        a[1] = rng.choice([-1.0, 1.0]) * rng.uniform(0.5, 2.6)
    return a


def parameters(R: np.ndarray) -> np.ndarray:
    """Euler parameters of a rotation, by its eigenvector."""
    K = np.empty((4, 4))
    K[0, 0] = np.trace(R)
    K[0, 1:] = K[1:, 0] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    e = np.linalg.eigh(K)[1][:, -1]
    assert np.allclose(EulerParameters.rotation(e), R)
    return e


def two_bodies(orientation: str) -> da.Mechanism:
    """A floating body with another on a ball joint."""
    rng = np.random.default_rng(3)
    s = da.System("two bodies", gravity=(0.3, -9.81, 1.0))
    s.add_body("one", matter(rng))
    s.add_body("two", matter(rng))
    s.add_joint("free", da.Free(orientation), "ground", "one")
    s.add_joint("ball", da.Spherical(orientation), "one", "two", (0.2, 0.1, 0.3), (-0.1, 0.2, 0.0))
    s.add_force("spring", da.Spring(("two", (0.1, 0.0, 0.2)), "ground", stiffness=5.0))
    return s.build()


@every_sequence
def test_every_sequence_is_the_product_of_its_turns(sequence):
    a = np.array([0.3, -0.7, 1.1])
    turns = [da.turn(np.eye(3)[int(axis) - 1], angle) for axis, angle in zip(sequence, a)]
    assert np.allclose(EulerAngles(sequence).rotation(a), turns[0] @ turns[1] @ turns[2], atol=1e-15)


@every_sequence
def test_every_sequence_gives_the_motion_of_euler_parameters(sequence):
    rng = np.random.default_rng(int(sequence))
    by_angles, by_parameters = two_bodies(sequence), two_bodies("euler_parameters")
    a, b, place = regular(sequence, rng), regular(sequence, rng), rng.normal(size=3)
    u = rng.normal(size=9)
    e, f = (parameters(EulerAngles(sequence).rotation(x)) for x in (a, b))
    q, p = np.concatenate([a, place, b]), np.concatenate([e, place, f])
    expected = by_parameters.forward_dynamics(p, u)
    scale = np.abs(expected).max()
    for name in ("kane", "lagrange", "boltzmann_hamel", "hamilton", "newton_euler"):
        found = by_angles.solve(q, u, formulation=name).udot
        assert np.abs(found - expected).max() <= 1e-11 * scale, name
    motions = [m.simulate(0.3, x, u, output=0.1) for m, x in ((by_angles, q), (by_parameters, p))]
    for body in ("one", "two"):
        first, second = (motion.pose(body) for motion in motions)
        assert np.allclose(first.rotation, second.rotation, atol=1e-7)
        assert np.allclose(first.position, second.position, atol=1e-7)


@every_sequence
def test_singular_angles_are_refused_by_name(sequence):
    joint = da.Spherical(sequence)
    singular = 0.0 if sequence[0] == sequence[2] else np.pi / 2
    assert joint.singularity(joint.reference) is None
    why = joint.singularity(np.array([0.3, singular, 0.1]))
    assert why is not None and f"{'-'.join(sequence)} angles are singular" in why
    s = da.System("top")
    s.add_body("top", da.box(1.0, (0.1, 0.2, 0.3)))
    s.add_joint("tip", joint, "ground", "top")
    with pytest.raises(da.StateError, match=r'joint "tip": its second angle .*euler_parameters'):
        s.build().simulate(1.0, initial={"tip.a2": singular})


def test_a_sequence_is_said_in_a_model_file_with_or_without_quotes(tmp_path):
    text = "bodies: {b: {mass: 1, inertia: [1, 2, 2.5]}}\njoints: {f: {type: free, orientation: %s, parent: ground, child: b}}\n"
    for word in ("313", '"313"'):
        (tmp_path / "m.yaml").write_text(text % word)
        s = da.System.load(tmp_path / "m.yaml")
        assert s.joints["f"].joint == da.Free("313")
        s.save(tmp_path / "again.yaml")
        assert da.System.load(tmp_path / "again.yaml").joints["f"].joint == da.Free("313")
    (tmp_path / "m.yaml").write_text(text % "311")
    with pytest.raises(da.ModelFileError, match="'311' is not known here"):
        da.System.load(tmp_path / "m.yaml")
