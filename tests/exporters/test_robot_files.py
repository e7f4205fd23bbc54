"""Mechanisms written as URDF, MJCF and SDF: read back they are the same, other programs load them, and what cannot be said is told."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.exporters.robots.robot_tree import robot_tree
from dalembert.files import gallery
from dalembert.importers.peers import PEERS
from dalembert.kinematics.initial import initial_state
from dalembert.parts.joints import Weld
from tests.exporters.robot_files import energies, opened, start_again
from tests.importers.peers import peer
from tests.mechanisms import matter, rotation

FORMATS = ("urdf", "xml", "sdf")
PEER_OF = {
    "urdf": ("pinocchio", "pinocchio", "pin"),
    "xml": ("mujoco", "mujoco", "mujoco"),
    "sdf": ("drake", "pydrake.multibody.parsing", "drake"),
}


def arm(seed: int, kinds: tuple[da.Joint, ...], gravity: tuple[float, float, float] = (0, 0, -9.81)) -> da.System:
    """Bodies in a tree, on joints of these kinds between random frames, with springs, dampers and armature."""
    rng = np.random.default_rng(seed)
    s = da.System("arm", gravity=gravity)
    for k, kind in enumerate(kinds):
        own = matter(rng)
        s.add_body(f"b{k}", mass=own.mass, com=own.com, inertia=own.inertia)
        frames = [da.Frame(rng.uniform(-1, 1, 3), rotation(rng)) for _ in range(2)]
        s.add_joint(f"J{k}", kind, "ground" if k < 1 else f"b{rng.integers(k)}", f"b{k}", *frames)
    return s


def again(m: da.Mechanism, path, gravity=(0, 0, -9.81)) -> tuple[da.Mechanism, object]:
    """What is read back, and what was written."""
    made = m.export_robot(path)
    found = da.load_urdf(path, gravity=gravity) if path.suffix == ".urdf" else da.load_robot(path)
    return found.build(), made


SIMPLE = (da.Revolute((0, 0.6, 0.8)), da.Prismatic((0.8, 0, 0.6)), Weld(), da.Revolute((1, 0, 0)))
EVERY = (
    da.Universal((1, 0, 0), (0, 0.6, 0.8)), da.Cylindrical((0.6, 0, 0.8)), da.Planar((0, 0.6, 0.8)),
    da.Spherical(), da.Screw((0, 0, 1), 0.3), da.Translation(),
    da.Free(), da.Spherical("313"), da.General(),
)  # fmt: skip


@pytest.mark.parametrize("ending", FORMATS)
@pytest.mark.parametrize("first", range(0, len(EVERY), 3))
def test_joints_of_every_kind_are_said_in_rows_of_hinges_slides_and_balls(tmp_path, ending, first):
    kinds = (*SIMPLE[:2], *(j for j in EVERY[first : first + 3] if ending != "sdf" or not isinstance(j, da.Free)))
    s = opened(arm(first, kinds), first)
    m = s.build()
    m2, made = again(m, tmp_path / f"arm.{ending}")
    q2, u2 = start_again(m2, robot_tree(m.numeric))
    one, two = energies(m, *initial_state(m, m.plan.initial, m.plan.speeds, 0.0)), energies(m2, q2, u2)
    assert np.allclose(one, two, rtol=0, atol=1e-12 * max(1.0, np.abs(one).max()))
    assert not [n for n in made.notes if n.effect == "accelerations" and "gravity" not in n]


@pytest.mark.parametrize("ending", FORMATS)
def test_what_is_written_has_the_accelerations_that_it_had_and_others_agree(tmp_path, ending):
    s = opened(arm(7, SIMPLE, (0, 0, -9.8)), 7)
    s.add_force("damper", da.JointSpring("J1", damping=0.7))
    if ending != "urdf":
        s.add_force("spring", da.JointSpring("J0", 30.0, 0.5, 0.2))
    m = s.build()
    m2, made = again(m, tmp_path / f"arm.{ending}", gravity=(0, 0, -9.8))
    assert not [n for n in made.notes if n.effect == "accelerations" and "gravity" not in n]
    rng = np.random.default_rng(1)
    q, u = rng.uniform(-1, 1, m.n_q), rng.uniform(-1, 1, m.n_u)
    order = [m2.coordinates.index(name) for name in m.coordinates]
    assert np.allclose(
        m.forward_dynamics(q, u),
        m2.forward_dynamics(q[np.argsort(order)], u[np.argsort(order)])[order],
        rtol=1e-12,
        atol=1e-12,
    )
    name, module, package = PEER_OF[ending]
    peer(module, package)
    found = da.load_robot(made.files[0])
    found.system.gravity = (0, 0, -9.8)
    assert PEERS[name](made.files[0], found, 6).largest < 1e-9


NOT_SAID = ("is elastic", "is prescribed", "engine.fuel")


@pytest.mark.parametrize("ending", FORMATS)
def test_trees_of_the_gallery_come_back_to_the_last_digits(tmp_path, ending):
    """Mass, inertia and places of all that robot files can hold; what they cannot is refused in words."""
    done, refused = 0, []
    for k, (name, file) in enumerate(gallery.files().items()):
        try:
            s = opened(da.System.load(file), k)
            s.forces = {}
            m = s.build()
            m2, _ = again(m, tmp_path / f"{name}.{ending}")
        except da.ModelError as problem:
            refused.append(str(problem))
            continue
        q2, u2 = start_again(m2, robot_tree(m.numeric))
        one, two = energies(m, *initial_state(m, m.plan.initial, m.plan.speeds, 0.0)), energies(m2, q2, u2)
        scale = max(1.0, np.abs(one).max())
        assert np.allclose(one, two, rtol=0, atol=1e-12 * scale), (name, np.abs(one - two).max() / scale)
        done += 1
    assert done >= 30, refused
    assert all(any(word in x for word in NOT_SAID) for x in refused), refused


@pytest.mark.parametrize("ending", FORMATS)
def test_loops_come_back_closed(tmp_path, ending):
    """Four bars closed by a hinge, which moves as before."""
    s = da.System("bars", gravity=(0, 0, -9.81))
    for name in "abc":
        s.add_body(name, da.rod(1.0, 1.0))
    axis = da.Revolute((0, 1, 0))
    up = da.Frame((0, 0, 0), da.turn((0, 1, 0), -np.pi / 2))
    s.add_joint("A", axis, "ground", "a", up)
    s.add_joint("B", axis, "a", "b", da.Frame((1, 0, 0), da.turn((0, 1, 0), np.pi / 2)))
    s.add_joint("C", axis, "b", "c", da.Frame((1, 0, 0), da.turn((0, 1, 0), np.pi / 2)))
    s.add_joint("D", axis, "c", "ground", (1, 0, 0), (1, 0, 0))
    m = s.build(cut=["D"])
    m2, made = again(m, tmp_path / f"bars.{ending}")
    assert len(m2.cuts) == (2 if ending == "xml" else 1)
    start = {"A": 0.2}
    one, two = (x.simulate(0.5, initial=start, rtol=1e-10) for x in (m, m2))
    t = np.linspace(0, 0.5, 20)
    assert np.allclose(np.interp(t, one.t, one["A"]), np.interp(t, two.t, two["A"]), rtol=0, atol=1e-6)
    assert not [n for n in made.notes if "loop" in n]


def test_limits_friction_couplings_springs_and_motors_come_back_from_mjcf(tmp_path):
    s = arm(3, (da.Revolute((0, 0, 1)), da.Revolute((0, 1, 0)), da.Prismatic((1, 0, 0))))
    s.add_law("end", da.Stop("J0", -0.5, 1.5))
    s.add_law("rub", da.JointFriction("J1", force=0.3))
    s.add_constraint("gear", da.Coupling({"J0": 2.0, "J1": -3.0}, 0.1))
    s.add_constraint("sum", da.Coupling({"J0": 1.0, "J1": 1.0, "J2": 0.5}, 0.2))
    s.add_constraint("cam", da.Polynomial({"J2": 1.0}, {"J0": 2.0}, (0.0, 0.1, 0.2)))
    s.add_force("wire", da.Spring(("ground", (1, 2, 3)), ("b1", (0.1, 0.2, 0.3)), 40.0, 2.0, 0.7))
    s.add_force("pull", da.Tendon({"J0": 0.3, "J2": 0.2}, 5.0, 0.1, 0.4, 0.6))
    s.add_force("drive", da.Motor("J1", 4.0))
    s.add_force("wind", da.Load("b0", lambda s: (s.t, 0, 0)))
    m = s.build()
    made = m.export_robot(tmp_path / "arm.xml")
    back = da.load_mjcf(made.files[0]).system
    assert (back.laws["J0_limit"].lower, back.laws["J0_limit"].upper) == (-0.5, 1.5)
    assert back.laws["J1_friction"].force == 0.3 and set(back.constraints) == {"gear", "sum", "cam"}
    assert [str(n) for n in made.notes if "wind" in n] == ['force "wind" cannot be said in this format and is left out']
    rng = np.random.default_rng(0)
    q, u = rng.uniform(-0.4, 0.4, 3), rng.uniform(-1, 1, 3)
    for x in (s, back):
        x.laws, x.constraints = {}, {}
    del s.forces["wind"]
    assert np.allclose(s.build().forward_dynamics(q, u), back.build().forward_dynamics(q, u), rtol=1e-11)


def test_shapes_and_meshes_are_drawn_again(tmp_path):
    s = da.System("seen")
    tetra = da.shapes.Mesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], colour="red"
    )
    looks = [
        da.shapes.Box((1, 2, 3)),
        da.shapes.Sphere(0.5, colour="#336699"),
        da.shapes.Cylinder(0.1, 2.0),
        da.shapes.Capsule(0.2, 1.0),
        tetra,
    ]
    s.add_body("b", mass=1, inertia=(1, 1, 1), shapes=looks)
    s.add_joint("J", da.Revolute(), "ground", "b")
    for ending in FORMATS:
        made = s.build().export_robot(tmp_path / f"seen.{ending}")
        assert [f.name for f in made.files] == [f"seen.{ending}", "b_4.stl"] and not made.notes[1:]
        shapes = da.load_robot(made.files[0]).system.bodies["b"].shapes
        assert [type(x).__name__ for x in shapes] == ["Box", "Sphere", "Cylinder", "Capsule", "MeshFile"]
        assert shapes[1].colour == "#336699" and np.allclose(np.ptp(shapes[4].vertices, axis=0), 1.0)


def test_what_no_robot_file_can_say_is_refused_in_words(tmp_path):
    s = da.System("driven")
    s.add_body("b", mass=1, inertia=(1, 1, 1))
    s.add_joint("J", da.Revolute(), "ground", "b", prescribed=lambda t: da.sin(t))
    with pytest.raises(da.ModelError, match='joint "J" is prescribed as a function of time'):
        s.build().export_robot(tmp_path / "x.urdf")
    with pytest.raises(da.ModelError, match=r'the ending of "x\.txt" is not known'):
        s.build().export_robot(tmp_path / "x.txt")
    assert not list(tmp_path.iterdir())
