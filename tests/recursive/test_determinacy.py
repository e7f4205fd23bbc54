"""A freedom that moves no mass is found, and only such a freedom."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.formulations.tree import kane
from dalembert.recursive.determinacy import massless_freedom
from tests.effort import examples
from tests.mechanisms import frame, joint, matter, random_state, seeds


@contextmanager
def undetermined_allowed():
    """Building would refuse the very mechanisms that are asked about here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dalembert.system.build.check_motion_is_determined", lambda m: None)
        yield


def thin_matter(rng: np.random.Generator) -> da.MassProperties | None:
    """Nothing, a point, a line, or a solid."""
    return [None, da.particle(1.0), da.rod(1.0, 0.7), matter(rng)][rng.integers(4)]


def tree_of_thin_bodies(rng: np.random.Generator, n: int) -> da.System:
    s = da.System("thin")
    for i in range(n):
        s.add_body(f"b{i}", thin_matter(rng))
        parent = f"b{rng.integers(i)}" if i else "ground"
        s.add_joint(f"j{i}", joint(rng), parent, f"b{i}", frame(rng), frame(rng))
    return s


def determined(A: np.ndarray) -> bool:
    """Whether A is positive definite, every freedom in its own units."""
    scale = np.sqrt(np.diag(A))
    return bool(A.size == 0 or (scale.min() > 1e-7 and np.linalg.eigvalsh(A / np.outer(scale, scale)).min() > 1e-9))


@settings(max_examples=examples(100), deadline=None)
@given(seeds, st.integers(1, 6))
def test_the_verdict_is_whether_kanes_mass_matrix_is_positive_definite(seed, n):
    rng = np.random.default_rng(seed)
    with undetermined_allowed():
        m = tree_of_thin_bodies(rng, n).build()
    A = kane.equations(m.state(*random_state(m, rng))).A
    assert (massless_freedom(m) is None) == determined(A)


def test_the_outermost_such_freedom_is_named():
    s = da.System("mast")
    s.add_body("mast", da.box(1.0, (1, 1, 1)))
    s.add_body("vane")
    s.add_body("tip")
    s.add_joint("foot", da.Revolute(), "ground", "mast")
    s.add_joint("bearing", da.Revolute(), "mast", "vane")
    s.add_joint("ball", da.Cylindrical((1, 0, 0)), "vane", "tip")
    with undetermined_allowed():
        joint_name, speed = massless_freedom(s.build())
    assert joint_name == "ball" and speed in da.Cylindrical().speeds


def test_masses_far_apart_in_size_are_no_reason_to_doubt():
    """A gram on the end of a ton is still mass."""
    s = da.System("crane")
    s.add_body("tower", da.box(1e6, (10, 10, 10)))
    s.add_body("hook", da.box(1e-3, (0.01, 0.01, 0.01)))
    s.add_joint("slew", da.Revolute(), "ground", "tower")
    s.add_joint("rope", da.Spherical(), "tower", "hook", at_parent=(30, 0, 0), at_child=(0, 0, 5))
    assert massless_freedom(s.build()) is None
