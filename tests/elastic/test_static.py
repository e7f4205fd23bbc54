"""Beams under static loads at their ends: static shapes among the modes hold what natural modes do not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dalembert as da

from .beams import CLAMPED, euler_bernoulli, spin_up_beam

L, E, I = 0.5, 7e10, 5e-10


def cantilever(pieces: int, modes: int, couple: float = 0.0, force: float = 0.0, **options: object) -> float:
    """Deflection of the tip of a clamped beam cut into welded pieces."""
    s = da.System("cantilever")
    parent, at = "ground", (0, 0, 0)
    for k in range(pieces):
        made = da.beam(L / pieces, E=E, rho=2700.0, A=4e-5, Iy=I, Iz=I, modes={"y": modes}, elements=8, **options)
        s.add_body(f"s{k}", elastic=made)
        s.add_joint(f"w{k}", da.Weld(), parent, f"s{k}", at_parent=at)
        parent, at = f"s{k}", "tip"
    s.add_force("load", da.Load((parent, "tip"), force=(0, force, 0), torque=(0, 0, couple)))
    m = s.build()
    return float(m.state(m.equilibrium().q).position((parent, "tip"))[1])


@pytest.mark.parametrize("pieces", [1, 3])
@pytest.mark.parametrize("modes", [2, 4])
def test_pieces_of_a_cantilever_are_as_soft_as_the_whole(pieces: int, modes: int) -> None:
    """F L³/3EI and M L²/2EI."""
    right = 1e-6 if modes == 2 else 4e-4
    assert cantilever(pieces, modes, force=1e-2) == pytest.approx(1e-2 * L**3 / (3 * E * I), rel=right)
    assert cantilever(pieces, modes, couple=1e-2) == pytest.approx(1e-2 * L**2 / (2 * E * I), rel=right)


def test_one_mode_is_exact_under_a_force_at_the_tip() -> None:
    assert cantilever(1, 1, force=1e-2) == pytest.approx(1e-2 * L**3 / (3 * E * I), rel=1e-6)
    assert cantilever(1, 1, force=1e-2, static=False) == pytest.approx(0.9707 * 1e-2 * L**3 / (3 * E * I), rel=1e-3)


@pytest.mark.parametrize("kind", ["torsion", "axial"])
@pytest.mark.parametrize("modes", [1, 3])
def test_twist_and_stretch_under_a_load_at_the_tip(kind: str, modes: int) -> None:
    """T L/GJ and F L/EA."""
    made = da.beam(L, E=E, rho=2700.0, A=4e-5, Iy=I, Iz=I, G=3e10, J=2e-10, modes={kind: modes}, elements=8)
    tip = made.nodes["tip"]
    moved, right = (tip.Psi[0], L / (3e10 * 2e-10)) if kind == "torsion" else (tip.Phi[0], L / (E * 4e-5))
    assert moved @ np.linalg.solve(made.Ke, moved) == pytest.approx(right, rel=1e-9)


@pytest.mark.parametrize("modes", [3, 6])
def test_all_frequencies_but_the_last_stay_natural(modes: int) -> None:
    made = spin_up_beam(modes={"y": modes})
    error = made.frequencies / euler_bernoulli(np.resize(CLAMPED, modes)) - 1.0
    assert np.abs(error[: min(modes - 1, 5)]).max() < 1e-4
    assert f"the lowest {modes - 1} of {modes} y" in str(made)
    assert made.Me == pytest.approx(np.eye(modes), abs=1e-9)
    assert made.Ke == pytest.approx(np.diag(made.frequencies**2), abs=1e-6 * made.frequencies[-1] ** 2)


@pytest.mark.parametrize("support", ["pinned", "free"])
def test_other_supports_hold_loads_at_their_ends_when_asked(support: str) -> None:
    """The turn at an end under a couple there is that of all natural modes; L/3EI of a pinned beam."""
    few, many = (
        da.beam(L, E=E, rho=2700.0, A=4e-5, Iy=I, Iz=I, modes={"y": n}, support=support, static=static, elements=8)
        for n, static in ((6, True), (16, False))
    )
    turns = [b.nodes["tip"].Psi[2] @ np.linalg.solve(b.Ke, b.nodes["tip"].Psi[2]) for b in (few, many)]
    assert turns[0] == pytest.approx(turns[1], rel=1e-6)
    if support == "pinned":
        assert turns[0] == pytest.approx(L / (3 * E * I), rel=1e-6)


def test_modes_that_are_not_told_apart_have_static_shapes_in_both_planes() -> None:
    made = da.beam(L, E=E, rho=2700.0, A=4e-5, Iy=I, Iz=I, modes=4, elements=8)
    tip = made.nodes["tip"]
    for row, right in ((tip.Phi[1], L**3 / 3), (tip.Phi[2], L**3 / 3), (tip.Psi[1], L), (tip.Psi[2], L)):
        assert row @ np.linalg.solve(made.Ke, row) == pytest.approx(right / (E * I), rel=1e-6)


def test_a_light_beam_with_a_heavy_tip_needs_no_static_shape_of_a_force() -> None:
    """Its first mode is that shape already; dependent shapes are left out, and the modes stay uncoupled."""
    made = da.beam(
        L, E=E, rho=1e-6, A=4e-5, Iy=I, Iz=I, modes={"y": 3}, bodies={L: da.box(5.0, (0.1, 0.1, 0.1))}, elements=8
    )
    assert made.Me == pytest.approx(np.eye(3), abs=1e-3)
    tip = made.nodes["tip"]
    assert tip.Phi[1] @ np.linalg.solve(made.Ke, tip.Phi[1]) == pytest.approx(L**3 / (3 * E * I), rel=1e-3)


def welded(joint: da.Joint, **options: object) -> da.System:
    s = da.System("welded")
    s.add_body("first", elastic=da.beam(L, E=E, rho=2700.0, A=4e-5, Iy=I, Iz=I, elements=4, **options))
    s.add_joint("wall", da.Revolute(), "ground", "first")
    s.add_body("second", da.box(1.0, (0.1, 0.1, 0.1)))
    s.add_joint("on", joint, "first", "second", at_parent="tip")
    return s


def test_a_joint_that_bends_modes_which_hardly_give_way_is_named() -> None:
    with pytest.warns(
        da.StiffnessWarning, match=r'"on" can load body "first" at node "tip" with a moment about z.* only 75 %'
    ):
        welded(da.Weld(), modes={"y": 1}).build()


@pytest.mark.parametrize(
    ("joint", "options"),
    [(da.Weld(), {"modes": {"y": 2}}), (da.Revolute(), {"modes": {"y": 1}}), (da.Weld(), {"modes": 6}),
     (da.Revolute(), {"modes": {"y": 2}, "support": "pinned"}), (da.Weld(), {"modes": {"y": 4, "torsion": 1}})],
)  # fmt: skip
def test_modes_that_give_way_are_not_spoken_of(joint: da.Joint, options: dict) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        welded(joint, **options).build()
