"""Shapes for drawing: checked at the door, bound with the parameters, and of no weight in any computation."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.kernels.mechanism_fingerprint import fingerprint_of as key_of


def pendulum(**look) -> da.Mechanism:
    s = da.System("pendulum", gravity=(0, 0, -9.81))
    s.add_body("rod", mass=1.0, com=(0.5, 0, 0), inertia=(0.01, 0.1, 0.1), **look)
    s.add_joint("A", da.Revolute((0, 1, 0)), "ground", "rod")
    return s.build()


def test_shapes_change_no_equation():
    assert key_of(pendulum()) == key_of(pendulum(shapes=[da.shapes.Sphere(0.1, at=(1, 0, 0), colour="red")]))


def test_matter_of_known_form_draws_itself():
    s = da.System()
    length = s.parameter("l", 2.0)
    s.add_body("rod", da.rod(1.0, length) + da.sphere(1.0, 0.2).moved((0, 0, 1)))
    s.add_joint("A", da.Revolute((0, 1, 0)), "ground", "rod")
    line, ball = s.build().numeric.bodies[0].shapes
    assert np.allclose(line.points, [(0, 0, 0), (2, 0, 0)])
    assert np.allclose(ball.at.position, (0, 0, 1))


def test_a_span_reaches_from_point_to_point():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 4.0])
    for kind in (da.shapes.Cylinder, da.shapes.Capsule):
        made = kind.between(a, b, radius=0.1)
        half = 0.5 * made.length * made.at.rotation[:, 2]
        assert np.allclose(made.at.position - half, a) and np.allclose(made.at.position + half, b)


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda: da.shapes.Box(size=(1, 0, 1)), "positive"),
        (lambda: da.shapes.Sphere(0.1, colour="url(x)"), "colour"),
        (lambda: da.shapes.Sphere(0.1, opacity=0), "opacity"),
        (lambda: da.shapes.Line([(0, 0, 0)]), "two points"),
        (lambda: da.shapes.Mesh(np.zeros((3, 3)), [(0, 1, 3)]), "vertices 0 … 2"),
        (lambda: da.shapes.Capsule.between((0, 0, 0), (0, 0, 0), 0.1), "the same"),
        (lambda: pendulum(shapes=["ball"]), "no shape"),
    ],
)
def test_wrong_shapes_are_refused(make, says):
    with pytest.raises(da.DalembertError, match=says):
        make()


def test_the_ground_may_be_drawn():
    s = da.System()
    s.ground_shapes = [da.shapes.Box((1, 1, 0.1))]
    s.add_body("b", da.sphere(1, 0.1))
    s.add_joint("A", da.Free(), "ground", "b")
    assert s.build().ground_shapes == s.ground_shapes
