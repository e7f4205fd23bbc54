"""A freedom that moves no mass is moved by the rows that decide it, or named, with what to do; no error of the linear algebra."""

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.tree import kane


def walker(inertia: float = 0.0, upright: bool = True):
    """A hip without inertia, kept upright by a constraint: hip and leg turn about one axis."""
    s = da.System("walker", gravity=(0, -9.81, 0))
    s.add_body("hip", mass=10.0, inertia=(inertia, inertia, inertia))
    s.add_joint("P", da.Planar(), "ground", "hip")
    if upright:
        s.add_constraint("upright", da.Drive("P.angle", 0.0))
    s.add_body("leg", da.particle(5.0, at=(0, -0.5, 0)))
    s.add_joint("knee", da.Revolute(), "hip", "leg")
    s.add_constraint("stance", da.OnPlane(("leg", (0, -1, 0)), "ground", axis=(0, 1, 0)))
    return s.build()


def four_bar(rng: np.random.Generator, rod: bool):
    """Random lengths; the coupler is a body without mass, or a rod that is a constraint."""
    crank, coupler, rocker, ground = rng.uniform([0.3, 0.9, 0.7, 0.9], [0.5, 1.1, 0.9, 1.1])
    s = da.System("four-bar", gravity=tuple(rng.normal(size=3) * 5))
    s.add_body("crank", da.rod(rng.uniform(0.5, 2.0), crank))
    s.add_body("rocker", da.rod(rng.uniform(0.5, 2.0), rocker))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(ground, 0, 0))
    s.add_force("spring", da.JointSpring("D", stiffness=3.0, damping=0.2))
    if rod:
        s.add_constraint("rod", da.Distance(("crank", (crank, 0, 0)), ("rocker", (rocker, 0, 0)), coupler))
    else:
        s.add_body("coupler", mass=0.0)
        s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(crank, 0, 0))
        s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(coupler, 0, 0), at_child=(rocker, 0, 0))
        s.cut = ("C",)
    return s.build()


CHOSEN = {
    "as it is": {},
    "radau": {"method": "radau"},
    "a fixed step": {"method": "rk4", "step": 1e-3},
    "Baumgarte": {"stabilise": "baumgarte"},
    **{by: {"constraints": by} for by in ("augmented", "null_space_qr", "sparse_augmented", "partition")},
    "lagrange": {"formulation": "lagrange"},
}


@pytest.mark.parametrize("chosen", CHOSEN)
def test_what_rows_decide_moves_without_mass(chosen):
    """The hip does not turn, so that its inertia is nothing to the motion, nor to what the joints transmit."""
    light, heavy = (
        walker(inertia).simulate(0.3, {"knee": 0.4}, {"knee": -1.0}, **CHOSEN[chosen]) for inertia in (0.0, 0.3)
    )
    assert np.abs(light.q - heavy.q).max() < 1e-10
    force, expected = light.reaction("knee").force, heavy.reaction("knee").force
    assert np.abs(force - expected).max() < 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize("seed", range(4))
def test_a_coupler_without_mass_is_a_rod(seed):
    bodies, rods = (four_bar(np.random.default_rng(seed), rod) for rod in (False, True))
    q, u = bodies.assemble({"A": 1.2}, {"A": 1.5})
    there = [bodies.coordinates.index(name) for name in rods.coordinates]
    expected = rods.forward_dynamics(q[there], u[there])
    for by in METHODS:
        near = 1e-5 if by == "penalty" else 1e-9
        assert np.abs(bodies.solve(q, u, constraints=by).udot[there] - expected).max() < near * np.abs(expected).max()
        e = kane.equations(bodies.state(q, u))
        assert np.abs(METHODS[by](e).udot[there] - expected).max() < near * np.abs(expected).max()
    runs = [m.simulate(0.5, {"A": q[0], "D": q[there[1]]}, {"A": 1.5}) for m in (bodies, rods)]
    assert np.abs(runs[0].position(("rocker", (0.3, 0, 0))) - runs[1].position(("rocker", (0.3, 0, 0)))).max() < 1e-9
    assert bodies.mobility == rods.mobility == 1


ASKED = {
    "mobility": lambda m: m.mobility,
    "solve": lambda m: m.solve(*m.assemble({"knee": 0.3})).udot,
    "drives": lambda m: m.drives(*m.assemble({"knee": 0.3}), np.zeros(m.n_u)).tau,
    "linearise": lambda m: np.sort_complex(m.linearise(m.assemble()[0]).eigenvalues),
}


@pytest.mark.parametrize("ask", ASKED)
def test_answers_are_those_with_an_inertia_that_does_not_move(ask):
    found, expected = (ASKED[ask](walker(inertia)) for inertia in (0.0, 0.3))
    assert np.allclose(found, expected, rtol=1e-8, atol=1e-8)


def test_sensitivities_are_those_of_a_rod():
    """A coupler without mass, and the rod that it is: the same derivatives in the initial angle and speed."""
    bodies, rods = (four_bar(np.random.default_rng(0), rod) for rod in (False, True))
    asked = {"initial_values": ["A", "A'"], "output": 0.1, "rtol": 1e-10}
    found, expected = (m.sensitivities(0.4, {"A": 1.2}, {"A": 1.5}, **asked) for m in (bodies, rods))
    for name in ("A", "D", "A'", "D'"):
        assert np.abs(found[name] - expected[name]).max() < 1e-7 * np.abs(expected[name]).max(), name


@pytest.mark.parametrize("ask", ASKED)
def test_a_freedom_that_no_row_decides_is_named(ask):
    with pytest.raises(da.DalembertError, match=r'"P.angle".*without moving any mass.*"hip"|moves no mass here'):
        ASKED[ask](walker(upright=False))


@pytest.mark.parametrize("name", ["momentum", "hamilton"])
def test_momenta_refuse_in_words(name):
    m = walker()
    with pytest.raises(da.FormulationError, match="momenta do not tell"):
        m.solve(*m.assemble({"knee": 0.3}), formulation=name)


@pytest.mark.parametrize("size", [1e-160, 1e-100, 1e100, 1e160, 1e250, 1e305])
@pytest.mark.parametrize("heavy", [True, False])
def test_masses_of_any_size_are_moved_or_refused_in_words(size, heavy):
    s = da.System("pair", gravity=(0, -9.81, 0))
    for k, mass in enumerate((1.0, size)[:: 1 if heavy else -1]):
        s.add_body(f"b{k}", mass=mass, com=(0.5, 0, 0), inertia=(0, 0, 0.1 * mass))
        s.add_joint(f"j{k}", da.Revolute(), f"b{k - 1}" if k else "ground", f"b{k}", at_parent=(1.0 * k, 0, 0))
    s.add_constraint("gear", da.Coupling({"j0": 1.0, "j1": 2.0}))
    for ask in (lambda m: m.diagnose(), lambda m: m.solve(m.reference, np.zeros(2)), lambda m: str(m.inspect())):
        try:
            ask(s.build())
        except da.DalembertError as problem:
            assert str(problem)


def test_digits_lost_to_a_penalty_are_told():
    """Where the approximation by penalty leaves nothing of the smallest inertia, it says so; before, it was off by a tenth or more."""
    s = da.System("far apart", gravity=(0, -9.81, 0))
    for k, size in enumerate((1.0, 1e-5)):
        s.add_body(f"b{k}", da.box(size**3, (size, size, size), com=(0.5 * size, 0, 0)))
        s.add_joint(
            f"j{k}", da.Revolute((0.6, 0, 0.8)), f"b{k - 1}" if k else "ground", f"b{k}", at_parent=(1.0 * k, 0, 0)
        )
    m = s.build()
    state = m.state(np.array([0.3, 0.4]), np.array([0.1, 0.2]))
    exact = METHODS["range_space"](FORMULATIONS["kane"].equations(state)).udot
    form = FORMULATIONS["gauss_penalty"]
    try:
        found = form.udot(state, METHODS["range_space"](form.equations(state)).udot)
    except da.StateError as problem:
        assert "rounding decides" in str(problem)
    else:
        assert np.allclose(found, exact, rtol=1e-3)


def test_the_remedy_helps():
    s = da.System("walker", gravity=(0, -9.81, 0))
    s.add_body("hip", mass=10.0)
    s.add_joint("P", da.Planar(), "ground", "hip", prescribed={"angle": 0.0})
    s.add_body("leg", da.particle(5.0, at=(0, -0.5, 0)))
    s.add_joint("knee", da.Revolute(), "hip", "leg")
    s.add_constraint("stance", da.OnPlane(("leg", (0, -1, 0)), "ground", axis=(0, 1, 0)))
    assert s.build().simulate(0.1, speeds={"knee": -1.0}).complete


@pytest.mark.parametrize(
    "ask",
    [
        lambda m, q, u: m.laws_at(q, u),
        lambda m, q, u: m.forward_dynamics(q, u),
        lambda m, q, u: m.simulate(0.1, q, u),
        lambda m, q, u: m.simulate(0.1, q, u, method="moreau", step=1e-3),
    ],
    ids=["laws_at", "forward_dynamics", "simulate", "moreau"],
)
def test_laws_beside_a_freedom_without_mass_are_refused_in_words(ask):
    """What presses and slides is found with A⁻¹ of the tree."""
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    for name, length in (("crank", 0.4), ("coupler", 0.0), ("rocker", 0.9)):
        s.add_body(name, *([da.rod(1.0, length)] if length else []))
    s.add_joint("A", da.Revolute(), "ground", "crank")
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(0.4, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(1, 0, 0), at_child=(0.9, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1, 0, 0))
    s.cut = ("C",)
    q, u = s.build().assemble({"A": 1.0}, {"A": 1.0})
    s.add_law("dry", da.JointFriction("A", force=0.1))
    with pytest.raises(da.DalembertError, match="mass"):
        ask(s.build(), q, u)
