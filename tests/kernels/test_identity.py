"""Whose code is it: two mechanisms share machine code only if they compute the same, whatever things are called."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations.tree import kane
from dalembert.parts.prescribed import PrescribedMotion
from dalembert.trace import symbol
from dalembert.trace.native import cache


def chain(names, force=None, mass=1.0, n=2):
    s = da.System("chain", gravity=(0, -9.81, 0))
    parent = "ground"
    for i, name in zip(range(n), names):
        s.add_body(f"b{i}", da.box(mass, (1.0, 0.1, 0.1), com=(0.5, 0, 0)))
        s.add_joint(name, da.Revolute(), parent, f"b{i}", at_parent=(0 if parent == "ground" else 1, 0, 0))
        parent = f"b{i}"
    if force:
        s.add_force("force", force)
    return s


def code(m):
    return m.kernels.forward_dynamics.module(1).address


def by_kane(m, q, u):
    e = kane.equations(m.state(q, u))
    return np.linalg.solve(e.A, e.f)


def test_names_do_not_matter_but_places_do():
    """The same two names exchanged: a force on the coordinate "B" acts on another joint."""
    models = [chain(names, da.Motor(names[0], lambda s: -5.0 * s.q["B"])).build() for names in (("A", "B"), ("B", "A"))]
    renamed = chain(("C", "D"), da.Motor("C", lambda s: -5.0 * s.q["D"])).build()
    assert code(models[0]) != code(models[1])
    assert code(models[0]) == code(renamed)
    q, u = np.array([0.3, 0.5]), np.array([0.1, 0.2])
    for m in models:
        assert np.allclose(m.forward_dynamics(q, u), by_kane(m, q, u), rtol=1e-12)


@pytest.mark.parametrize("n", [3, 12])
@pytest.mark.parametrize("cached_on_disk", [False, True])
def test_no_answer_comes_from_a_model_with_other_names(n, cached_on_disk, tmp_path, monkeypatch):
    """Links counted from 0, then from 1: "j1" is another joint, in outputs, formulas, events and jacobians."""
    monkeypatch.setenv("DALEMBERT_CACHE_DIR", str(tmp_path) if cached_on_disk else "off")
    q = np.linspace(0.1, 0.5, n)
    for base in (0, 1, 0):
        s = chain([f"j{i + base}" for i in range(n)], n=n)
        s.add_output("angle", lambda s: s.q["j1"] * 2.0)
        m = s.build()
        start = {f"j{base}": -1.0}
        full, ended = m.simulate(0.3, start), m.simulate(1.0, start, until=lambda s: s.q["j1"] + 1.05)
        assert np.array_equal(full.outputs()["angle"], 2.0 * full["j1"])
        assert np.array_equal(full.evaluate(lambda s: s.u["j1"]), full["j1'"])
        assert len(ended.events) == 0 or abs(ended["j1"][-1] + 1.05) < 1e-9
        for body in ("b0", "b1"):
            W, V = m.state(q).jacobian((body, (1.0, 0.0, 0.0)))
            assert np.allclose(m.point_jacobian((body, (1, 0, 0)), q), np.vstack([W, V]), rtol=1e-12, atol=1e-14)
        forget()


def forget():
    """What this process has loaded: the next model looks on disk, if it may."""
    cache._loaded.clear()


def test_a_saved_motion_is_not_read_with_other_names(tmp_path):
    """The same mechanics under other names is another mechanism to a motion, which is asked by name."""
    chain(("A", "B")).build().simulate(0.1).save(tmp_path / "motion.nc")
    with pytest.raises(da.MotionFileError, match="another mechanism"):
        da.load_motion(tmp_path / "motion.nc", chain(("B", "A")).build())


@pytest.mark.parametrize("n", [2, 9])
def test_code_does_not_depend_on_what_was_named_before(n):
    """Symbols outlive the models they were made for: the order in which names came up first is no part of the code."""
    made = set()
    for step in (1, -1):
        names = [f"named{'a' if step > 0 else 'b'}{i}" for i in range(n)]
        for name in names[::step]:
            symbol(f"u_{name}"), symbol(f"q_{name}")
        made.add(
            code(chain(names, da.Motor(names[0], lambda s, x=names: s.q[x[0]] * s.u[x[1]] + s.q[x[1]]), n=n).build())
        )
    assert len(made) == 1


class Push(da.Force):
    """A constant load on a joint, written by a user."""

    joints = ("A",)

    def __init__(self, value):
        self.value = value

    def loads(self, s):
        yield da.JointLoad("A", [self.value])


def test_constant_joint_loads_are_part_of_the_code():
    free, pushed = chain(("A", "B")).build(), chain(("A", "B"), Push(2.0)).build()
    assert code(free) != code(pushed)
    q, u = np.zeros(2), np.zeros(2)
    assert np.allclose(pushed.forward_dynamics(q, u), by_kane(pushed, q, u), rtol=1e-12)


def slider(scale):
    """Two classes of the same name and fields that do different things, as when a notebook cell is edited and run again."""

    @dataclass(frozen=True)
    class Slide(da.Prismatic):
        def translation(self, q):
            return scale * q[0] * np.array(self.axis)

        def sliding(self, q):
            return scale * np.array(self.axis)[:, None]

        def aligned(self):
            return self, np.eye(3)

    return Slide((0.0, 1.0, 0.0))


def test_joints_are_known_by_what_they_do():
    models = []
    for scale in (1.0, 2.0):
        s = da.System("slide", gravity=(0, -9.81, 0))
        s.add_body("a", da.sphere(1.0, 0.1))
        s.add_joint("A", slider(scale), "ground", "a")
        models.append(s.build())
    assert code(models[0]) != code(models[1])
    assert [float(m.forward_dynamics([0.0], [0.0])[0]) for m in models] == pytest.approx([-9.81, -9.81 / 2])


def test_joints_are_known_by_what_they_do_when_aligned():
    """Large models turn every joint's frames by Q and compute with the aligned joint."""

    def spinner(Q, by):
        @dataclass(frozen=True)
        class Spin(da.Revolute):
            def aligned(self):
                return by, Q

        return Spin((1.0, 0.0, 0.0))

    z, turned = da.Revolute((0.0, 0.0, 1.0)), da.turn((0.0, 1.0, 0.0), math.pi / 2)
    joints = [spinner(turned, z), spinner(-turned, z), spinner(turned, da.Prismatic((0.0, 0.0, 1.0)))]
    keys = set()
    for joint in joints:
        s = da.System("spin")
        s.add_body("a", da.sphere(1.0, 0.1))
        s.add_joint("A", joint, "ground", "a")
        keys.add(s.build().kernels.fingerprint)
    assert len(keys) == 3


def test_which_joint_is_prescribed_tells_mechanisms_apart():
    keys = set()
    for prescribed in ("A", "B", None):
        s = chain(("A", "B"))
        if prescribed:
            s.joints[prescribed] = replace(s.joints[prescribed], law=PrescribedMotion((0.5,), (0.0,), (0.0,)))
        keys.add(s.build().kernels.fingerprint)
    assert len(keys) == 3


@pytest.mark.parametrize(
    "name", ["x0", "q0", "u0", "r20", "p3", "K3", "C1", "d0", "y0", "x_A", "udot_A", "kept_0", "dm"]
)
@pytest.mark.parametrize("n", [3, 12])
def test_parameters_may_be_called_anything(name, n):
    """Internal symbols have names that no parameter can have."""
    s = da.System("named", gravity=(0, -9.81, 0))
    value = s.parameter(name, 1.7)
    made = chain([f"j{i}" for i in range(n)], mass=value, n=n)
    made.parameters = s.parameters
    made.add_force("spring", da.JointSpring("j0", stiffness=value))
    m = made.build()
    q, u = np.linspace(-1, 1, n), np.linspace(0.5, -0.5, n)
    assert np.allclose(m.forward_dynamics(q, u), by_kane(m, q, u), rtol=1e-9)


def test_two_loops_that_close_elsewhere_are_two_mechanisms():
    keys = set()
    for reach in (1.0, 1.2):
        s = chain(("A", "B"))
        s.add_joint("C", da.Revolute(), "b1", "ground", at_parent=(1, 0, 0), at_child=(reach, 0, 0))
        keys.add(s.build(cut=["C"]).kernels.fingerprint)
    assert len(keys) == 2


def test_large_matrices_of_many_states_fit_in_memory():
    """A batch of mass matrices needs 1000² numbers in every lane: not on the stack."""
    m = chain([f"j{i}" for i in range(1000)], n=1000).build()
    q = np.random.default_rng(0).uniform(-1, 1, (3, 1000))
    A = m.mass_matrix(q)
    assert np.allclose(A[1], m.mass_matrix(q[1]), rtol=1e-10)
    assert np.allclose(A[1], A[1].T)


def test_point_jacobians_of_long_chains():
    m = chain([f"j{i}" for i in range(40)], n=40).build()
    q = np.random.default_rng(0).uniform(-1, 1, 40)
    point = ("b39", (1.0, 0.2, 0.0))
    W, V = m.state(q).jacobian(point)
    assert np.allclose(m.point_jacobian(point, q), np.vstack([W, V]), rtol=1e-12, atol=1e-12)


def test_opaque_springs_keep_their_energy():
    """A spring whose further torque cannot be traced still has the potential of its linear part."""
    force = da.JointSpring("A", stiffness=10.0, torque=lambda x, v: -math.sin(x))
    m = chain(("A", "B"), force).build()
    q = np.array([0.5, 0.0])
    with pytest.warns(da.SlowForceWarning):
        kinetic, potential = m.energies(q, np.zeros(2))
    expected = 0.5 * 10.0 * 0.25 + 9.81 * (0.5 * math.sin(0.5) + math.sin(0.5) + 0.5 * math.sin(0.5))
    assert kinetic == 0.0 and potential == pytest.approx(expected)


def test_a_force_may_look_at_every_body():
    class Wind(da.Force):
        def loads(self, s):
            for k, pose in enumerate(s.poses[1:] if isinstance(s.poses, list) else list(s.poses)[1:]):
                yield da.BodyLoad(f"b{k}", force=pose.R @ np.array([0.1, 0.0, 0.0]))

    m = chain(("A", "B"), Wind()).build()
    q, u = np.array([0.3, 0.5]), np.zeros(2)
    assert np.allclose(m.forward_dynamics(q, u), by_kane(m, q, u), rtol=1e-12)
