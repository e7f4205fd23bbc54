"""Kane, Ryan and Banerjee's spin-up: a beam on a hinge brought to 6 rad/s, twice its first frequency at rest.

The reference −0.75261268 m belongs to the model that is linear in the modes and stiffened by the foreshortening.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import Node, nodal_bodies
from dalembert.elastic.builders.foreshortening import Foreshortening
from dalembert.elastic.builders.straight_beam import _elements

from .beams import SPIN_UP, line_mass, spin_up_beam

REFERENCE = -0.75261268


def angle(t: Any) -> Any:
    """θ with θ̇ = (2/5) t − (3/π) sin(2πt/15), up to 15 s."""
    return 0.2 * t**2 + 22.5 / np.pi**2 * (da.cos(2.0 * np.pi * t / 15.0) - 1.0)


def spun(body: da.ElasticBody) -> da.Mechanism:
    s = da.System("spin-up")
    s.add_body("beam", elastic=body)
    s.add_joint("hinge", da.Revolute(), "ground", "beam", at_child="root", prescribed=angle)
    return s.build()


def lowest_tip(m: da.Mechanism) -> float:
    motion = m.simulate(6.8, rtol=1e-10, output=0.002)
    tip = motion.q @ m.bodies[0].nodes["tip"].Phi[1]
    i = int(tip.argmin())
    near = slice(i - 3, i + 4)
    fit = np.polynomial.Polynomial.fit(motion.t[near], tip[near], 4)
    return float(fit(np.linspace(motion.t[i - 1], motion.t[i + 1], 2001)).min())


def test_eight_modes_reach_the_reference() -> None:
    assert lowest_tip(spun(spin_up_beam(modes={"y": 8}, static=False))) == pytest.approx(REFERENCE, abs=1e-6)


def test_three_modes_come_near() -> None:
    found = lowest_tip(spun(spin_up_beam(modes={"y": 3}, static=False)))
    assert found == pytest.approx(REFERENCE, abs=2e-4)
    assert found == pytest.approx(-0.75272847, abs=1e-7)


def test_nodal_bodies_converge_to_the_same() -> None:
    """Mass points on the massless beam: an independent model, of the second order in their distance."""
    errors = []
    for n in (16, 32):
        model = _elements(
            8.0, n, SPIN_UP["E"], SPIN_UP["rho"], SPIN_UP["A"], 1e-8, SPIN_UP["Iz"], None, None, None, False, {}
        )
        m = np.full(n + 1, line_mass() * 8.0 / n)
        m[[0, -1]] *= 0.5
        body = nodal_bodies(
            [[x, 0.0, 0.0] for x in model.x], [da.particle(x) for x in m], model.stiffness, modes=3, fixed=0,
            freedoms=(1, 5), nodes={"root": 0, "tip": n}, static=False,
            second_order=lambda F: np.array([Foreshortening(model, F).at(x) for x in model.x]),
        )  # fmt: skip
        errors.append(lowest_tip(spun(body)) - (-0.75272847))
    assert abs(errors[1]) < 3e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)


def test_without_stiffening_it_diverges_and_says_so() -> None:
    m = spun(spin_up_beam(modes={"y": 3}, stiffening=False))
    with pytest.warns(da.SpinWarning, match="spins at 6 rad/s, .* only up to 2.9"):
        motion = m.simulate(15.0, output=0.1)
    assert np.abs(motion.q).max() > 1e6


def test_slow_spin_and_stiffened_bodies_bring_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", da.SpinWarning)
        spun(spin_up_beam(modes={"y": 1}, stiffening=False)).simulate(2.0)
        spun(spin_up_beam(modes={"y": 1})).simulate(15.0)


def test_stiff_modes_march_with_radau() -> None:
    """An axial mode at 6 kHz: an implicit method steps over it, an explicit one cannot."""
    m = spun(spin_up_beam(modes={"y": 2, "axial": 2}, rotary=True))
    assert m.bodies[0].data.frequencies[-1] > 2000.0
    motion = m.simulate(6.0, method="radau", rtol=1e-6, output=[6.0])
    reference = spun(spin_up_beam(modes={"y": 2}, rotary=True)).simulate(6.0, rtol=1e-10, output=[6.0])
    assert motion.record["steps"] < 2000
    assert motion["beam.y1"][-1] == pytest.approx(reference["beam.y1"][-1], rel=2e-3)


def test_node_outside_the_beam_needs_its_own_frame() -> None:
    made = spin_up_beam(modes={"y": 1}).with_nodes(lamp=Node.of([8.0, 0.0, 0.5], np.zeros((3, 1))))
    assert set(made.nodes) == {"root", "tip", "lamp"}
