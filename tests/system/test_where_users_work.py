"""What people reach for first: tables and plots of motions, many motions with names, periodic tables, springs on floating bodies."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


def pendulum() -> da.System:
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    length = s.parameter("length", 1.0)
    s.add_body("rod", da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    s.add_output("tip", da.outputs.Position(("rod", (length, 0, 0))))
    s.add_output("A", da.outputs.Position(("rod", (length, 0, 0))))
    return s


def test_a_motion_is_a_table_and_a_plot(tmp_path):
    pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    motion = pendulum().build().simulate(0.5, initial={"A": 0.3})
    frame = motion.to_dataframe()
    assert np.array_equal(frame["A"], motion["A"]) and np.array_equal(frame["tip.y"], motion.outputs()["tip"][:, 1])
    assert frame.index.name == "t" and frame.attrs["units"]["A'"] == "rad/s" and "A.x" in frame
    motion.save(tmp_path / "one.csv")
    assert motion.to_csv(tmp_path / "two.txt").read_bytes() == (tmp_path / "one.csv").read_bytes()
    axes = motion.plot(["A", "tip.x"])
    assert [line.get_label() for line in axes.get_lines()] == ["A [rad]", "tip.x [m]"]
    assert len(motion.plot().get_lines()) == 1
    with pytest.raises(da.DalembertError, match="there is no column 'B'"):
        motion.plot(["B"])


def test_many_motions_have_outputs_and_names():
    m = pendulum().build()
    motions = m.simulate_many([{"A": 0.1}, {"A": 0.2}], 0.2, parameters={"length": np.array([1.0, 2.0])})
    data = motions.to_xarray()
    assert motions.outputs()["tip"].shape == (2, len(motions.t), 3)
    assert np.array_equal(data["tip"].sel(motion=1), motions[1].outputs()["tip"])
    assert data["length"].values.tolist() == [1.0, 2.0] and data["q"].dims == ("motion", "time", "coordinate")


def test_a_system_says_that_it_wants_to_be_built():
    s = pendulum()
    with pytest.raises(da.ModelError, match=r"a System is a description and has no simulate; build it first"):
        s.simulate(1.0)
    assert not hasattr(s, "simulate") and not hasattr(s, "anything")


def test_periodic_tables_begin_anew(tmp_path):
    t = np.linspace(0.0, 2.0, 9)
    wave = da.Table(t, np.append(np.sin(np.pi * t[:-1]), 0.0), outside="repeat")
    x = np.array([0.3, 1.7])
    assert np.allclose(wave(x + 2.0), wave(x), rtol=0, atol=1e-14) and np.allclose(
        wave(x - 4.0), wave(x), rtol=0, atol=1e-14
    )
    with pytest.raises(da.TraceError, match="needs the last value to be the first again"):
        da.Table([0, 1, 2, 3], [0, 1, 2, 3], outside="repeat")
    s = da.System("shaken")
    s.add_body("b", mass=2.0)
    s.add_joint("A", da.Prismatic((1, 0, 0)), "ground", "b")
    push = s.add_table("push", da.Table([0.0, 1.0, 2.0], [1.0, 3.0, 1.0], kind="linear", outside="repeat"))
    s.add_force("push", da.Motor("A", lambda s: push(s.t)))
    motion = s.build().simulate(10.0, rtol=1e-10)
    assert motion["A'"][-1] == pytest.approx(10.0, abs=1e-5)  # a mean force of 2 N for 10 s on 2 kg
    s.save(tmp_path / "shaken.yaml")
    assert da.load(tmp_path / "shaken.yaml").simulate(10.0, rtol=1e-10)["A'"][-1] == pytest.approx(10.0, abs=1e-5)


@pytest.mark.parametrize("joint", [da.Free(), da.General()])
def test_springs_hold_floating_bodies_along_their_coordinates(joint):
    s = da.System("hung")
    s.add_body("b", mass=2.0, inertia=(1, 1, 1))
    s.add_joint("fly", joint, "ground", "b")
    s.add_force("up", da.JointSpring("fly", 8.0, rest=0.5, coordinate="y"))
    s.add_output("rate", lambda s: s.u["fly.vy"])
    motion = s.build().simulate(3.0, rtol=1e-10)
    assert np.allclose(motion["fly.y"], 0.5 - 0.5 * np.cos(2.0 * motion.t), rtol=0, atol=1e-7)
    assert np.ptp(motion.energy().total) < 1e-8
    with pytest.raises(da.ModelError, match="is not the rate of a coordinate"):
        s.add_force("turn", da.JointSpring("fly", 1.0, coordinate="wx"))
        s.build()


def test_the_rate_of_a_place_is_known_by_the_place():
    s = da.System("fly")
    s.add_body("fly", mass=1.0, inertia=np.eye(3))
    s.add_joint("fly", da.Free(), "ground", "fly")
    s.add_force("drag", da.Load("fly", force=lambda s: (0.0, -2.0 * s.u["fly.y"], 0.0)))
    m = s.build()
    udot = m.forward_dynamics(m.reference, np.array([0, 0, 0, 5.0, 3.0, 4.0]))
    assert np.allclose(udot, [0, 0, 0, 0, -6.0, 0], atol=1e-14)
    with pytest.raises(da.ModelError, match=r"fly\.yy"):
        m.state(m.reference).u["fly.yy"]


def test_notebooks_show_results_as_tables():
    s = da.System("a < b")
    s.add_body("rod", mass=1.0, com=(0, 0, -0.5), inertia=np.eye(3) * 0.1)
    s.add_joint("A", da.Revolute((0, 1, 0)), "ground", "rod")
    m = s.build()
    modes, sweep = m.linearise(m.equilibrium().q).modes(), m.equilibrium()
    for result in (modes, sweep):
        shown, columns = result._repr_html_(), result.columns()
        rows = max(len(np.asarray(x)) for x in columns.values())
        assert shown.count("<tr>") == 1 + min(rows, 20) and shown.count("<th>") == len(columns)
