"""What time asks for and the mechanism cannot do is not blamed on its lengths; what has no coordinates of its own says why."""

from __future__ import annotations

import pytest

import dalembert as da


def four_bar(crank=None, rocker=None, **constraints) -> da.Mechanism:
    """The crank's tip can be as far as 4.2 m from D: at angles beyond 1.76 rad it is farther."""
    s = da.System("four-bar")
    for name, length in (("crank", 1.0), ("coupler", 2.5), ("rocker", 1.7)):
        s.add_body(name, da.rod(1.0, length))
    s.add_joint("A", da.Revolute(), "ground", "crank", prescribed=crank)
    s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(1.0, 0, 0))
    s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(2.5, 0, 0), at_child=(1.7, 0, 0))
    s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(3.9, 0, 0), prescribed=rocker)
    for name, constraint in constraints.items():
        s.add_constraint(name, constraint)
    return s.build(cut=["C"])


def turning(t):
    return 1.0 + t


def turning_back(t):
    return 1.0 - t


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: four_bar(lambda t: 3.0), r'prescribed motion of "A" cannot be followed at t = 0 s \(A = 3\).*"C" by 0\.69'),
        (lambda: four_bar(turning, lambda t: 2.4), r'prescribed motions of "A" and "D" cannot be followed together'),
        (lambda: four_bar(motor=da.Drive("A", lambda t: 3.0 + t)), r'"C" and "motor" contradict.*"motor" is driven by time'),
        (lambda: four_bar(turning, motor=da.Drive("A", turning_back)), r'"motor" contradicts the prescribed motion of "A"'),
        (lambda: four_bar(turning, brake=da.Drive("A", 0.5)), r'prescribed motion of "A" cannot be followed.*"brake" by 0\.5'),
    ],
)  # fmt: skip
def test_time_is_named_where_it_asks_for_too_much(make, said):
    with pytest.raises(da.LoopError, match=said) as caught:
        make().simulate(1.0)
    assert "lengths" not in str(caught.value)


def test_a_motion_driven_out_of_reach_says_that_time_drives_it():
    with pytest.raises(da.SimulationError, match=r"after t = 0\.755.*Time drives it"):
        four_bar(turning).simulate(2.0)


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.simulate(1.0, {"C": 1.0}),
        lambda m: m.simulate(1.0, {"A": 1.0}, {"C": 1.0}),
        lambda m: m.assemble({"C": 1.0}),
        lambda m: m.branches({"C": 1.0}),
        lambda m: m.linearise(m.assemble({"A": 1.0})[0], keep=["C"]),
        lambda m: m.simulate(0.1, {"A": 1.0})["C"],
        lambda m: m.simulate(0.1, {"A": 1.0}, control=lambda s: {"C": 1.0}, control_rate=10),
    ],
)  # fmt: skip
def test_a_cut_joint_says_why_it_has_no_values(ask):
    with pytest.raises(da.DalembertError, match=r'"C" closes a loop.*there are A, B, D.*build\(cut'):
        ask(four_bar())
