"""Derivatives of the dynamics: those of the numbers themselves, and related to one another as mechanics demands."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

import dalembert as da
from dalembert.errors import SlowForceWarning
from dalembert.kinematics import State
from dalembert.recursive.algorithms import Tree, articulated, newton_euler
from tests.effort import examples
from tests.kernels.support import EXACT, agree, largest, random_states
from tests.mechanisms import add_forces, frame, matter, planar_pendulum, random_tree, seeds

pytestmark = pytest.mark.usefixtures("driver")
STEP = 4e-3
NEAR = 1e-7
"""What sixth-order differences leave, relative to the largest entry."""


def difference(f: Callable[[float], np.ndarray]) -> np.ndarray:
    """f'(0), with an error of STEP⁶ f⁽⁷⁾/140."""
    terms = zip((45.0, -9.0, 1.0), (1, 2, 3))
    return sum(c * (f(k * STEP) - f(-k * STEP)) for c, k in terms) / (60.0 * STEP)


def near(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and largest(a - b) <= NEAR * max(1.0, largest(b))


class Differences:
    """The derivatives of one function of (q, u, x, parameters), evaluated on floats, at one state."""

    def __init__(self, m: da.Mechanism, function: Callable, q, u, x, t: float):
        self.m, self.function, self.at, self.t = m, function, (q, u, x), t

    def value(self, dq=0.0, du=0.0, dx=0.0, **parameters: float) -> np.ndarray:
        q, u, x = self.at
        m = self.m.with_parameters(**parameters).numeric
        return self.function(Tree(State(m, self.t, q + dq, u + du)), x + dx)

    def columns(self, values: Callable[[int, float], np.ndarray], count: int) -> np.ndarray:
        made = [difference(lambda h: values(i, h)) for i in range(count)]
        return np.array(made).T.reshape(self.m.n_u, count)

    @property
    def q(self) -> np.ndarray:
        """Along the rates of the coordinates that each speed makes alone."""
        free = State(self.m.numeric, self.t, self.at[0], np.zeros(self.m.n_u)).rates
        N = [State(self.m.numeric, self.t, self.at[0], e).rates - free for e in np.eye(self.m.n_u)]
        return self.columns(lambda i, h: self.value(dq=h * N[i]), self.m.n_u)

    @property
    def u(self) -> np.ndarray:
        return self.columns(lambda i, h: self.value(du=h * np.eye(self.m.n_u)[i]), self.m.n_u)

    @property
    def input(self) -> np.ndarray:
        return self.columns(lambda i, h: self.value(dx=h * np.eye(self.m.n_u)[i]), self.m.n_u)

    @property
    def parameters(self) -> np.ndarray:
        names = list(self.m.parameters)
        values = self.m.parameters
        return self.columns(lambda i, h: self.value(**{names[i]: values[names[i]] + h}), len(names))


# -- models -------------------------------------------------------------------------------------------------------------
def hinges(n: int) -> da.System:
    rng = np.random.default_rng(n)
    s = da.System("hinges", gravity=(0, 1, -9.81))
    for i in range(n):
        s.add_body(f"b{i}", matter(rng))
        axis = tuple(np.eye(3)[i % 3])
        s.add_joint(f"j{i}", da.Revolute(axis), f"b{i - 1}" if i else "ground", f"b{i}", frame(rng), frame(rng))
    return s


def pendulum_with_drag() -> da.System:
    s = planar_pendulum(2)
    c = s.parameter("c", 0.3)
    s.add_force("drag", da.Motor("A2", lambda state: da.sin(state.t) - c * state.u["A2"] * da.cos(state.q["A1"])))
    s.add_force("spring", da.Spring(("link2", (1, 0, 0)), ("ground", (1, 1, 0)), stiffness=3.0, length=c))
    return s


def swinging_base() -> da.System:
    """A free body with two arms and a motion prescribed in one of them."""
    rng = np.random.default_rng(8)
    s = da.System("floating", gravity=(0, 0, -9.81))
    s.add_body("base", matter(rng))
    s.add_joint("float", da.Free(), "ground", "base")
    for name, law in (("left", None), ("right", lambda t: da.sin(t))):
        s.add_body(name, matter(rng))
        s.add_joint(f"shoulder_{name}", da.Revolute((0, 1, 0)), "base", name, frame(rng), frame(rng), prescribed=law)
        s.add_body(f"{name}_hand", matter(rng))
        s.add_joint(f"wrist_{name}", da.Prismatic((1, 0, 0)), name, f"{name}_hand", frame(rng), frame(rng))
    return s


def branches(springs: bool = False) -> da.System:
    """Balls, slides and hinges, one of them moved by a law: columns that stay as they are. Springs see no more than joints."""
    rng = np.random.default_rng(3)
    s = da.System("branches", gravity=(0.5, 0, -9.81))
    joints = [da.Revolute((0, 0, 1)), da.Spherical(), da.Prismatic((0, 1, 0)), da.Revolute((1, 0, 0)), da.Spherical()]
    for i, (joint, parent) in enumerate(zip(joints, ("ground", "b0", "b0", "b1", "b2"))):
        s.add_body(f"b{i}", matter(rng))
        s.add_joint(f"j{i}", joint, parent, f"b{i}", frame(rng), frame(rng), prescribed=da.sin if i == 3 else None)
    if springs:
        s.add_force("stiff", da.JointSpring("j0", stiffness=3.0, damping=0.4))
        s.add_force("damped_ball", da.JointSpring("j1", damping=0.7))
        s.add_force("drive", da.Motor("j2", lambda state: da.sin(state.q["j0"]) * state.u["j2"] ** 2 - state.t))
    return s


def chain(*joints: da.Joint, backward: bool = False) -> da.System:
    """Unlike joints one after the other, under forces; said from the child's side if `backward`."""
    rng = np.random.default_rng(9)
    s = da.System("unlike", gravity=(0.5, 0, -9.81))
    for i, joint in enumerate(joints):
        s.add_body(f"b{i}", matter(rng))
        ends = (f"b{i - 1}" if i else "ground", f"b{i}")
        s.add_joint(f"j{i}", joint, *(reversed(ends) if backward else ends), frame(rng), frame(rng))
    add_forces(s, rng)
    return s


MODELS: dict[str, Callable[[], da.System]] = {
    "hinges": lambda: hinges(4),
    "parameters and forces": pendulum_with_drag,
    "floating base": swinging_base,
    "branches under gravity alone": branches,
    "branches with springs in joints": lambda: branches(springs=True),
    "turning columns": lambda: chain(da.Universal((1, 0, 0), (0, 0, 1)), da.Spherical()),
    "seen from the other end": lambda: chain(da.Cylindrical((0, 1, 0)), da.Planar((0, 0, 1)), backward=True),
    "three angles": lambda: chain(da.Screw((0, 0, 1), pitch=0.3), da.Spherical("angles")),
}


@pytest.fixture(scope="module", params=MODELS)
def case(request, driver):
    m = MODELS[request.param]().build()
    return m, random_states(m, np.random.default_rng(1), 3)


def test_of_forward_dynamics_are_those_of_the_numbers(case):
    m, (q, u, tau, t) = case
    d = m.forward_dynamics_derivatives(q[0], u[0], tau[0], t[0])
    expected = Differences(m, articulated, q[0], u[0], tau[0], t[0])
    assert near(d.q, expected.q) and near(d.u, expected.u)
    assert near(d.tau, expected.input) and near(d.parameters, expected.parameters)


def test_of_inverse_dynamics_are_those_of_the_numbers(case):
    m, (q, u, udot, t) = case
    d = m.inverse_dynamics_derivatives(q[0], u[0], udot[0], t[0])
    expected = Differences(m, newton_euler, q[0], u[0], udot[0], t[0])
    assert near(d.q, expected.q) and near(d.u, expected.u)
    assert near(d.udot, expected.input) and near(d.parameters, expected.parameters)


def test_in_the_forces_they_are_the_mass_matrix_and_its_inverse(case):
    m, (q, u, tau, t) = case
    A = m.mass_matrix(q[0], t[0])
    inverse = np.linalg.inv(A)
    assert agree(m.inverse_dynamics_derivatives(q[0], u[0], tau[0], t[0]).udot, A)
    assert agree(m.forward_dynamics_derivatives(q[0], u[0], tau[0], t[0]).tau, inverse)


def test_forward_and_inverse_undo_each_other_to_first_order(case):
    """τ(q, u, u̇(q, u, τ)) = τ, so ∂τ + A ∂u̇ = 0."""
    m, (q, u, tau, t) = case
    state = q[0], u[0]
    A, udot = m.mass_matrix(q[0], t[0]), m.forward_dynamics(*state, tau[0], t[0])
    forward = m.forward_dynamics_derivatives(*state, tau[0], t[0])
    inverse = m.inverse_dynamics_derivatives(*state, udot, t[0])
    for name in ("q", "u", "parameters"):
        one, two = getattr(inverse, name), A @ getattr(forward, name)
        scale = 1.0 + largest(one) + largest(np.abs(A) @ np.abs(getattr(forward, name)))
        assert largest(one + two) <= EXACT * scale


@settings(max_examples=examples(3), deadline=None)
@given(seed=seeds)
def test_on_any_tree_forward_and_inverse_undo_each_other(seed):
    rng = np.random.default_rng(seed)
    m = random_tree(rng, 2, prescribed=True).build()
    q, u, tau, t = (x[0] for x in random_states(m, rng, 1))
    A, udot = m.mass_matrix(q, t), m.forward_dynamics(q, u, tau, t)
    forward, inverse = m.forward_dynamics_derivatives(q, u, tau, t), m.inverse_dynamics_derivatives(q, u, udot, t)
    assert agree(inverse.udot, A) and agree(forward.tau @ A, np.eye(m.n_u), 1.0 + np.linalg.cond(A) if m.n_u else 1.0)
    for one, two in ((inverse.q, forward.q), (inverse.u, forward.u)):
        assert largest(one + A @ two) <= EXACT * (1.0 + largest(one) + largest(np.abs(A) @ np.abs(two)))


def test_a_batch_is_its_states_one_by_one(case):
    m, given = case
    for name in ("forward_dynamics_derivatives", "inverse_dynamics_derivatives"):
        batch = getattr(m, name)(*given)
        for k in range(3):
            one = getattr(m, name)(*(x[k] for x in given))
            for field in ("q", "u", "input", "parameters"):
                assert agree(getattr(batch, field)[k], getattr(one, field))


def test_parameters_may_differ_from_state_to_state(driver):
    m = pendulum_with_drag().build()
    q, u, tau, t = random_states(m, np.random.default_rng(5), 3)
    lengths = np.array([0.8, 1.0, 1.2])
    batch = m.forward_dynamics_derivatives(q, u, tau, t, {"l1": lengths})
    for k in range(3):
        one = m.with_parameters(l1=lengths[k]).forward_dynamics_derivatives(q[k], u[k], tau[k], t[k])
        assert agree(batch.q[k], one.q) and agree(batch.parameters[k], one.parameters)


def test_a_mechanism_without_parameters_has_an_empty_block():
    m = hinges(2).build()
    assert m.forward_dynamics_derivatives([0.1, 0.2], [0.0, 0.0]).parameters.shape == (2, 0)


def test_a_force_that_cannot_be_traced_is_named():
    s = hinges(2)
    s.add_force("table", da.Motor("j0", lambda state: float(state.q["j0"])))
    with pytest.warns(SlowForceWarning):
        m = s.build()
        with pytest.raises(da.FormulationError, match="table"):
            m.forward_dynamics_derivatives([0.1, 0.2], [0.0, 0.0])
