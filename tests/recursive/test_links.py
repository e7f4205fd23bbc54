"""Link frames are another description of the same bodies: same places, same matter, cheaper constants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dalembert as da
from dalembert.formulations.tree import kane
from dalembert.recursive.algorithms import Tree, articulated
from dalembert.recursive.links import links
from dalembert.vectors import turn
from tests.effort import examples
from tests.mechanisms import frame, matter, random_state, random_tree, seeds, unit

sizes = st.integers(1, 12)


def close(a, b, scale: float = 1.0) -> bool:
    return np.allclose(np.asarray(a, dtype=float), b, rtol=0, atol=1e-12 * scale)


def matrix(X) -> np.ndarray:
    """The rotation that a structured turn applies."""
    return np.stack([X.out(e) for e in np.eye(3)], axis=1)


class World:
    """Link poses by the recursion over placements, outward from the ground."""

    def __init__(self, tree: Tree) -> None:
        self.R, self.p = [np.eye(3)], [np.zeros(3)]
        for link, at in zip(tree.links, tree.placements):
            R, p = self.R[link.parent], self.p[link.parent]
            self.R.append(R @ matrix(at.X))
            self.p.append(p + R @ at.p)


def random_tree_in_motion(seed, n) -> Tree:
    rng = np.random.default_rng(seed)
    m = random_tree(rng, n, prescribed=True).build()
    return Tree(m.state(*random_state(m, rng)))


@settings(max_examples=examples(50), deadline=None)
@given(seeds, sizes)
def test_link_frames_stay_where_they_are_on_their_bodies(seed, n):
    tree = random_tree_in_motion(seed, n)
    world = World(tree)
    for k, link in enumerate(tree.links, start=1):
        pose = tree.state.poses[k]
        assert close(world.R[k], pose.R @ link.frame.rotation)
        assert close(world.p[k], pose.p + pose.R @ link.frame.position, 1.0 + np.abs(pose.p).max())


@settings(max_examples=examples(50), deadline=None)
@given(seeds, sizes)
def test_links_turn_with_their_bodies_and_joints_move_them_alike(seed, n):
    """ω in link axes, and S u as the velocity of link in parent."""
    tree = random_tree_in_motion(seed, n)
    s, world = tree.state, World(tree)
    for k, link in enumerate(tree.links, start=1):
        at, mv = tree.placements[k - 1], tree.moving[k - 1]
        assert close(world.R[k] @ mv.w, s.velocities[k].w, 10.0)
        carried = s.velocities[link.parent]
        arm = world.p[k] - s.poses[link.parent].p
        v = s.velocities[k].v + np.cross(s.velocities[k].w, s.poses[k].R @ link.frame.position)
        joint = at.S @ s.joint_u[k - 1]
        assert close(world.R[k] @ joint[:3], s.velocities[k].w - carried.w, 10.0)
        assert close(world.R[k] @ joint[3:], v - carried.v - np.cross(carried.w, arm), 100.0)


@settings(max_examples=examples(50), deadline=None)
@given(seeds, sizes)
def test_matter_is_the_same_in_link_frames(seed, n):
    """Mass, first moment and second moment about the link's origin (Huygens and Steiner)."""
    m = random_tree(np.random.default_rng(seed), n, prescribed=True).build()
    for link, body in zip(links(m), m.bodies):
        R, c = link.frame.rotation, body.com - link.frame.position
        about_origin = body.inertia + body.mass * ((c @ c) * np.eye(3) - np.outer(c, c))
        assert link.inertia.m == body.mass
        assert close(R @ link.inertia.h, body.mass * c, 10.0)
        assert close(R @ link.inertia.I @ R.T, about_origin, 10.0)
        assert (link.inertia.I == link.inertia.I.T).all()


def revolute_chain(rng: np.random.Generator, n: int) -> da.System:
    """Any axes and frames; some joints said from the child's side."""
    s = da.System("chain", gravity=(0, 0, -9.81))
    for i in range(n):
        s.add_body(f"b{i}", matter(rng))
        ends = {"parent": f"b{i - 1}" if i else "ground", "child": f"b{i}"}
        if rng.random() < 0.3:
            ends = {"parent": ends["child"], "child": ends["parent"]}
        s.add_joint(f"j{i}", da.Revolute(unit(rng)), **ends, at_parent=frame(rng), at_child=frame(rng))
    return s


@settings(max_examples=examples(50), deadline=None)
@given(seeds, sizes)
def test_in_a_chain_of_hinges_only_twists_about_the_common_normals_are_left(seed, n):
    """E = Rx(α), with exact zeros and ones unless the axes are so nearly parallel that the normal is uncertain by some ulps."""
    for link in links(revolute_chain(np.random.default_rng(seed), n).build())[1:]:
        c, s = link.E[1, 1], link.E[2, 1]
        Rx = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        assert close(link.E, Rx) and close(c * c + s * s, 1.0)
        if s == 0.0 or abs(s) > 0.3:
            assert (link.E[0] == Rx[0]).all() and (link.E[:, 0] == Rx[:, 0]).all()


def test_parallel_hinges_leave_no_rotation_at_all():
    s = da.System("planar chain")
    for i in range(4):
        s.add_body(f"b{i}", da.box(1.0, (1, 1, 1)))
        s.add_joint(f"j{i}", da.Revolute(), f"b{i - 1}" if i else "ground", f"b{i}", at_parent=(0.3, 0.4, 0.1 * i))
    for link in links(s.build())[1:]:
        assert np.array_equal(link.E, np.eye(3)) and link.p[1] == 0.0


@pytest.mark.parametrize("off", [3.7e-6, 1e-4, 1e-2])
def test_axes_that_are_almost_parallel_cost_no_digits(off):
    """π/2 said as 1.5708: the common normals lie some 10⁵ link lengths away and must not become lever arms."""
    rng = np.random.default_rng(4)
    s = da.System("rounded", gravity=(0, 0, -9.81))
    for i in range(6):
        s.add_body(f"b{i}", matter(rng))
        place = da.Frame((0.3, 0.1, 0.2), turn(np.array([1.0, 0.0, 0.0]), off * (-1) ** i))
        s.add_joint(f"j{i}", da.Revolute(), f"b{i - 1}" if i else "ground", f"b{i}", at_parent=place)
    m = s.build()
    state = m.state(*random_state(m, rng))
    e = kane.equations(state)
    udot = np.linalg.solve(e.A, e.f)
    assert np.abs(articulated(Tree(state), np.zeros(6)) - udot).max() <= 1e-12 * np.abs(udot).max()


def test_quarter_turns_are_exact():
    """Axis-aligned offsets and axes give constants 0 and ±1, not 6e-17."""
    s = da.System("arm")
    axes = {"z": (0, 0, 1), "y": (0, 1, 0)}
    for i, axis in enumerate("zyyzyz"):
        s.add_body(f"b{i}", da.box(1.0, (1, 1, 1)))
        place = da.Frame((0, 0, 0.3), turn(np.array([0.0, 0.0, 1.0]), np.pi / 2 * (i % 2)))
        s.add_joint(f"j{i}", da.Revolute(axes[axis]), f"b{i - 1}" if i else "ground", f"b{i}", at_parent=place)
    for link in links(s.build()):
        assert set(np.abs(link.E).ravel()) <= {0.0, 1.0} and link.phase == 0.0
        assert set(np.abs(link.spin).ravel()) <= {0.0, 1.0}
