"""A freedom that moves no mass is named, with what to do; no call ends in an error of the linear algebra."""

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints import METHODS
from dalembert.formulations import FORMULATIONS


def walker():
    """A hip without inertia, kept upright by a constraint: hip and leg turn about one axis."""
    s = da.System("walker", gravity=(0, -9.81, 0))
    s.add_body("hip", mass=10.0)
    s.add_joint("P", da.Planar(), "ground", "hip")
    s.add_constraint("upright", da.Drive("P.angle", 0.0))
    s.add_body("leg", da.particle(5.0, at=(0, -0.5, 0)))
    s.add_joint("knee", da.Revolute(), "hip", "leg")
    s.add_constraint("stance", da.OnPlane(("leg", (0, -1, 0)), "ground", axis=(0, 1, 0)))
    return s.build()


ASKED = {
    "simulate": lambda m: m.simulate(0.1, speeds={"knee": -1.0}),
    "diagnose": lambda m: m.diagnose(),
    "mobility": lambda m: m.mobility,
    "forward_dynamics": lambda m: m.forward_dynamics(m.reference, np.zeros(m.n_u)),
    "solve": lambda m: m.solve(m.reference, np.zeros(m.n_u)),
    "augmented": lambda m: m.solve(m.reference, np.zeros(m.n_u), constraints="augmented"),
    "drives": lambda m: m.drives(m.assemble()[0], np.zeros(m.n_u), np.zeros(m.n_u)),
    "linearise": lambda m: m.linearise(m.assemble()[0]),
}


@pytest.mark.parametrize("ask", ASKED)
def test_the_freedom_is_named(ask):
    with pytest.raises(da.DalembertError, match=r'"P.angle".*without moving any mass.*"hip"|moves no mass here'):
        ASKED[ask](walker())


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
