"""Functions of the state name single freedoms as everything else does."""

import numpy as np
import pytest

import dalembert as da


def system(on):
    s = da.System("named", gravity=(0, 0, -9.81))
    s.add_body("box", da.box(1.0, (1, 2, 3)))
    s.add_joint("f", da.Free(), "ground", "box")
    s.add_body("bar", elastic=da.beam(1.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, modes={"y": 2}))
    s.add_joint("hinge", da.Revolute(), "box", "bar")
    s.add_force("drag", da.Load("box", torque=on))
    return s


def mechanism(on):
    return system(on).build()


def test_one_freedom_of_a_joint_is_named_with_a_dot():
    m = mechanism(lambda s: (-0.1 * s.u["f.wx"], s.q["f.x"], s.u["hinge"]))
    q, u = m.reference.copy(), np.arange(1.0, 10.0)
    q[m.coordinates.index("f.x")] = 0.7
    s = m.state(q, u)
    for k, name in enumerate(m.speeds):
        assert s.u[name] == u[k]
    for k, name in enumerate(m.coordinates):
        assert s.q[name] == q[k]
    other = mechanism(lambda s: (-0.1 * s.u["f"][0], s.q["f"][4], s.u["hinge"]))
    np.testing.assert_array_equal(m.forward_dynamics(q, u), other.forward_dynamics(q, u))


def test_functions_that_name_freedoms_with_a_dot_are_saved(tmp_path):
    m = mechanism(lambda s: (-0.1 * s.u["f.wx"], s.q["f.x"] - s.u["bar.y1"], s.q["bar.y2"] + s.u["f"][1]))
    again = tmp_path / "named.yaml"
    system(lambda s: (-0.1 * s.u["f.wx"], s.q["f.x"] - s.u["bar.y1"], s.q["bar.y2"] + s.u["f"][1])).save(again)
    assert "0.1*u.f.wx" in again.read_text() and "q.f.x-u.bar.y1" in again.read_text().replace(" ", "")
    q, u = m.reference.copy(), np.arange(1.0, 10.0)
    np.testing.assert_array_equal(da.load(again).forward_dynamics(q, u), m.forward_dynamics(q, u))


def test_a_freedom_that_is_none_is_told_with_those_that_are():
    m = mechanism((0, 0, 0))
    with pytest.raises(da.DalembertError, match=r"no speed 'f.wq'.*did you mean 'f.w"):
        m.state().u["f.wq"]
    with pytest.raises(da.DalembertError, match=r"no joint 'nobody.x'"):
        m.state().q["nobody.x"]


def test_a_function_may_give_arrays_of_no_dimension():
    s = da.System("where")
    s.add_body("b", da.particle(1.0))
    s.add_joint("x", da.Prismatic(), "ground", "b")
    s.add_force("f", da.Motor("x", lambda s: np.where(float(s.q["x"]) > 0.0, 1.0, 2.0)))
    with pytest.warns(da.errors.SlowForceWarning):
        assert s.build().forward_dynamics([0.3], [0.2])[0] == 1.0
