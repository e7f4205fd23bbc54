"""Scales of an elastic body: its length, and what each coordinate does to it."""

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import Node, given_modes


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e3])
def test_modal_scales_do_not_depend_on_the_unit_of_length(unit):
    # kg and s are kept, so that E in kg/(m s²) goes with 1/unit
    made = da.beam(
        2.0 / unit, E=7e10 * unit, rho=2700.0 * unit**3, A=1e-4 / unit**2, Iy=2e-9 / unit**4, Iz=3e-9 / unit**4,
        modes={"y": 3, "z": 1, "torsion": 2, "axial": 1},
    )  # fmt: skip
    assert np.isclose(made.length * unit, 2.0)
    for i, scale in enumerate(made.modal_scales):
        moved = max(np.linalg.norm(node.Phi[:, i]) for node in made.points) * scale / made.length
        turned = max(np.linalg.norm(node.Psi[:, i]) for node in made.points) * scale
        assert np.isclose(max(moved, turned), 1.0)


def test_a_body_without_nodes_is_as_long_as_its_mass_is_spread():
    rng = np.random.default_rng(3)
    made = given_modes([1.0, 1.0], [[0.0, 0, 0], [0.0, 3.0, 0]], rng.normal(size=(2, 3, 2)), np.diag([1.0, 2.0]))
    assert np.isclose(made.length, 3.0)
    assert np.all(np.isfinite(made.modal_scales)) and np.all(made.modal_scales > 0.0)
    longer = made.with_nodes(far=Node.of([0, 5.0, 0], np.zeros((3, 2))), near=Node.of([0, 0, 0], np.zeros((3, 2))))
    assert np.isclose(longer.length, 5.0)
