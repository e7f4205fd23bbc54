"""Rows that cannot be evaluated are open, never closed, and are told by name; rows of velocities alone have no residual to be open."""

import warnings
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.constraints.assembly.assemble import close, off_at
from dalembert.kinematics.constraint_rows import constraint_rows

CAM = da.Table([0.0, 1.0, 2.0, 3.0], [0.0, 0.3, 0.5, 0.6])
LIFTS = {
    "table": (CAM, 1.5, 3.5),
    "root": (lambda x: da.sqrt(x - 1.0), 1.5, 0.5),
    "logarithm": (lambda x: da.log(x), 1.5, -0.5),
    "pole": (lambda x: 0.1 / x, 1.5, 0.0),
}


def cam(lift: Any) -> da.Mechanism:
    s = da.System("cam", gravity=(0.0, -9.81, 0.0))
    for name in "ab":
        s.add_body(name, da.rod(mass=1.0, length=1.0))
        s.add_joint(f"J{name}", da.Revolute(), "ground", name)
    s.add_constraint("cam", da.Relation(position=lambda st: st.q["Jb"] - lift(st.q["Ja"])))
    return s.build()


@pytest.mark.parametrize("kind", LIFTS)
def test_a_row_outside_its_domain_is_open_and_named(kind: str) -> None:
    lift, inside, outside = LIFTS[kind]
    m = cam(lift)
    q, u = m.assemble({"Ja": inside})
    assert np.allclose(q, [inside, lift(inside)]) and np.isfinite(m.forward_dynamics(q, u)).all()
    away = np.array([outside, 0.2])
    assert not close(m, away, [0], 0.0).closed
    assert not off_at(m, away, 0.0) <= 1.0
    for ask in (
        lambda: m.assemble({"Ja": outside}),
        lambda: m.simulate(0.1, initial={"Ja": outside}),
        lambda: m.forward_dynamics(away, np.zeros(2)),
        lambda: m.forward_dynamics(np.stack([q, away]), np.zeros((2, 2))),
        lambda: m.linearise(away, np.zeros(2)),
        lambda: cam(lift).solve(away, np.zeros(2), constraints="svd"),
        lambda: m.drives(away, np.zeros(2), np.zeros(2)),
        lambda: m.equilibrium({"Ja": outside}, hold=["Ja"]),
    ):
        with pytest.raises(da.LoopError, match=rf'"cam" cannot be evaluated at Ja = {outside:g}, Jb = '):
            ask()


def test_a_search_turns_back_where_a_row_ends() -> None:
    """Newton's first step leaves the table; and from a start outside of it, other starts lead in."""
    m = cam(da.Table([-0.2, 0.0, 1.0, 2.0], [-0.3, 0.0, 0.05, 1.5]))
    for start in ({"Jb": 1.0}, {"Jb": -0.29}):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            q, _ = m.assemble(start)
        assert q[1] == pytest.approx(start["Jb"]) and off_at(m, q, 0.0) < 1e-12


def test_a_search_for_balance_turns_back_too() -> None:
    """Downhill lies beyond the table's end: one start leads nowhere, others do."""
    m = cam(CAM)
    with pytest.raises(da.EquilibriumError, match="finds no equilibrium"):
        m.equilibrium({"Ja": 0.3}, starts=1)
    found = m.equilibrium({"Ja": 0.3})
    assert 0.0 < found.q[0] < 3.0 and found.q[1] == pytest.approx(CAM(found.q[0]))


def test_rows_of_velocities_have_no_residual() -> None:
    s = da.System("wheels")
    for name in "ab":
        s.add_body(name, da.rod(mass=1.0, length=1.0))
        s.add_joint(f"J{name}", da.Revolute(), "ground", name)
    s.add_constraint("speeds", da.Relation(speed=lambda st: st.u["Ja"] - 2.0 * st.u["Jb"]))
    s.add_constraint("places", da.Relation(position=lambda st: st.q["Ja"] - 2.0 * st.q["Jb"]))
    m = s.build()
    rows = constraint_rows(m.state(np.array([0.4, 0.1]), np.zeros(2)))
    assert rows.g == pytest.approx([0.0, 0.2])
    assert m.rows.holonomic.tolist() == [False, True]
