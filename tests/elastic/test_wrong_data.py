"""Builders of elastic bodies given odd data: a body, or a sentence; never anything raw."""

from __future__ import annotations

import math
import tracemalloc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert.elastic import (
    ElasticBody,
    FiniteElements,
    Node,
    attached,
    from_matrices,
    given_modes,
    modal,
    nodal_bodies,
    rayleigh,
)
from dalembert.elastic.builders import data, reduction

from .beams import spin_up_beam

ODD: dict[str, Any] = {
    "negative": -1.0,
    "zero": 0.0,
    "nan": math.nan,
    "inf": math.inf,
    "huge": 1e308,
    "tiny": 1e-308,
    "large": 1e60,
    "beyond floats": 10**400,
    "text": "x",
    "digits as text": "2",
    "nothing": None,
    "true": True,
    "complex": 1j,
    "object": object(),
    "empty": [],
    "ragged": [[1.0], [1.0, 2.0]],
    "row": [1.0, 2.0],
    "row with nan": [1.0, math.nan],
    "row of nothing": [None, None],
    "table": np.ones((2, 2)),
    "mapping": {"y": -1},
    "mapping of text": {"y": "x"},
    "mapping by number": {1.0: 2.0},
    "function of nan": lambda *x: math.nan,
    "function of nothing": lambda *x: None,
    "parameter": da.System("odd").parameter("E", 7e10),
    "row with parameter": [1.0, da.System("odd").parameter("E", 7e10)],
}

STIFF = np.kron([[1.0, -1.0], [-1.0, 1.0]], np.diag([9.0, 8.0, 7.0, 6.0, 5.0, 4.0]))
SHAPES = np.random.default_rng(1).normal(size=(4, 3, 2))
PLACES = np.random.default_rng(2).normal(size=(4, 3))


def elements() -> dict[str, Any]:
    K = np.kron([[2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]], np.eye(3))
    return {"M": np.eye(9), "K": K, "coordinates": np.eye(3)}


def of_matrices(**given: Any) -> ElasticBody:
    own = {k: given.pop(k) for k in list(given) if k in ("M", "K", "coordinates")}
    return from_matrices(FiniteElements(**{**elements(), **own}), **given)


def damped(**given: Any) -> ElasticBody:
    return spin_up_beam(modes={"y": 2}, elements=2).damped(**given)


BUILDERS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "beam": (
        da.beam,
        dict(length=2.0, E=7e10, rho=2700.0, A=1e-4, Iy=2e-9, Iz=3e-9, J=4e-9, G=2e10, shear=0.8, rotary=True, elements=2,
             modes={"y": 2}, support="clamped", static=True, bodies={2.0: da.particle(1.0)}, nodes={"lamp": 1.0},
             stiffening=True, damping=0.01),
    ),
    "nodal_bodies": (
        nodal_bodies,
        dict(places=[[0.0, 0, 0], [1.0, 0, 0]], bodies=[da.box(1.0, (1, 1, 1))] * 2, stiffness=STIFF, modes=2, fixed=0,
             freedoms=(0, 1), nodes={"tip": 1}, second_order=lambda F: np.zeros((2, 2, 2, 3))),
    ),
    "given_modes": (
        given_modes,
        dict(masses=[1.0, 2.0, 3.0, 4.0], places=PLACES, shapes=SHAPES, stiffness=np.eye(2), turns=np.zeros((4, 3, 2)),
             second_moments=np.zeros((4, 3, 3)), second_order=np.zeros((4, 2, 2, 3)), damping=np.eye(2),
             nodes={"a": Node.of(PLACES[0], SHAPES[0])}, names=("a", "b")),
    ),
    "from_matrices": (of_matrices, dict(**elements(), interfaces={"a": [0, 1, 2]}, modes=0, reduction="guyan", frame="a")),
    "node": (Node.of, dict(r=np.zeros(3), Phi=np.zeros((3, 1)), Psi=np.zeros((3, 1)), G=np.zeros((1, 1, 3)), Gam=np.zeros((1, 1, 3)))),
    "rayleigh": (rayleigh, dict(body=spin_up_beam(modes={"y": 2}, elements=2), mass=0.1, stiffness=0.1)),
    "modal": (modal, dict(body=spin_up_beam(modes={"y": 2}, elements=2), ratios=[0.1, 0.2])),
    "damped": (damped, dict(De=np.eye(2))),
    "attached": (attached, dict(body=spin_up_beam(modes={"y": 2}, elements=2), node="tip")),
}  # fmt: skip


@pytest.mark.parametrize("builder", BUILDERS)
def test_odd_data_give_a_body_or_a_sentence(builder: str) -> None:
    make, right = BUILDERS[builder]
    if builder != "from_matrices":  # three points that are not joined turn without energy
        make(**right)
    for argument in right:
        if argument == "body":
            continue
        for kind, odd in ODD.items():
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                try:
                    made = make(**{**right, argument: odd})
                except da.DalembertError as problem:
                    assert len(str(problem)) > 20
                    continue
                except Exception as problem:
                    raise AssertionError(f"{argument} = {kind}: {type(problem).__name__}: {problem}") from problem
            if isinstance(made, ElasticBody):
                assert np.isfinite(made.frequencies).all() and str(made), (argument, kind)


@pytest.mark.parametrize(
    "argument", ["length", "E", "rho", "A", "Iy", "Iz", "J", "G", "shear", "damping", "modes", "nodes", "bodies"]
)
def test_parameters_are_refused_by_name(argument: str) -> None:
    x = da.System("odd").parameter("x", 1.0)
    given = {"modes": {"y": x}, "nodes": {"lamp": x}, "bodies": {2.0: da.particle(x)}}.get(argument, x)
    make, right = BUILDERS["beam"]
    with pytest.raises(da.ModelError, match="there can be no parameters in the data of elastic bodies"):
        make(**{**right, argument: given})


def test_large_structures_are_solved_by_a_few_frequencies(monkeypatch: pytest.MonkeyPatch) -> None:
    few = spin_up_beam(modes={"y": 3}, elements=10).frequencies
    monkeypatch.setattr(reduction, "_DENSE", 5)
    assert spin_up_beam(modes={"y": 3}, elements=10).frequencies == pytest.approx(few, rel=1e-7)


@pytest.mark.parametrize("name", ["M", "K"])
def test_matrices_that_are_not_symmetric_are_refused(name: str) -> None:
    odd = np.array(elements()[name])
    odd[0, 1] += 0.5
    with pytest.raises(da.ModelError, match=f"{name} is not symmetric"):
        FiniteElements(**{**elements(), name: odd})


def test_numbers_are_read_as_numbers():
    """An array of objects takes five times the memory, and far longer."""
    given = np.ones((1000, 300))
    tracemalloc.start()
    made = data.array(given, (None, 300), "matrix")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.array_equal(made, given) and made is not given and peak < 1.5 * given.nbytes


@pytest.mark.parametrize("profile", [lambda: 1e-4, lambda x: 1.0 / 0.0, lambda x: "thin"])
def test_a_profile_that_fails_is_named(profile):
    with pytest.raises(da.ModelError, match="beam: A"):
        da.beam(1.0, E=2e11, rho=7800.0, A=profile, Iy=1e-8, Iz=1e-8, modes={"y": 1})
