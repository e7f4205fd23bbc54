"""Every formulation that can take elastic bodies, on trees and on a loop, in NumPy and in machine code; the others say why not."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.formulations import FORMULATIONS
from dalembert.formulations.rigid import bending

from ..mechanisms import unit
from .particles import random_tree

ELASTIC = ["kane", "kane_minimal", "dalembert", "lagrange", "boltzmann_hamel", "momentum", "hamilton",
           "recursive_newton_euler", "composite_body", "articulated_body"]  # fmt: skip


def test_all_agree_on_a_tree() -> None:
    rng = np.random.default_rng(4)
    system, _ = random_tree(rng, 2, second_order=True, joints=lambda rng: da.Revolute(unit(rng)))
    found = system.build().compare(ELASTIC, states=1)
    assert sorted(e.formulation for e in found.entries) == sorted(ELASTIC)
    assert max(e.accelerations for e in found.entries) < 1e-8


def test_all_agree_on_a_loop() -> None:
    """A four-bar whose coupler bends."""
    s = da.System("four-bar", gravity=(0, -9.81, 0))
    coupler = da.beam(1.0, E=2e9, rho=1000.0, A=1e-4, Iy=1e-9, Iz=1e-9, modes={"y": 2}, elements=4, support="pinned")
    s.add_body("crank", da.rod(0.5, 0.4))
    s.add_body("coupler", elastic=coupler)
    s.add_body("rocker", da.rod(0.5, 0.8))
    z = da.Revolute()
    s.add_joint("A", z, "ground", "crank")
    s.add_joint("B", z, "crank", "coupler", at_parent=(0.4, 0, 0), at_child="root")
    s.add_joint("C", z, "coupler", "rocker", at_parent="tip", at_child=(0.8, 0, 0))
    s.add_joint("D", z, "ground", "rocker", at_parent=(1.0, 0, 0))
    m = s.build()
    found = m.compare([f for f in ELASTIC if f != "articulated_body"], ["range_space"], states=2)
    assert len(found.entries) == len(ELASTIC) - 1, found
    assert max(e.accelerations for e in found.entries) < 1e-8


@pytest.mark.parametrize("name", [f for f in FORMULATIONS if f not in ELASTIC])
def test_methods_of_rigid_bodies_say_so(name: str) -> None:
    system, _ = random_tree(np.random.default_rng(5), 2)
    m = system.build()
    assert FORMULATIONS[name].refusal(m) == bending(m)
