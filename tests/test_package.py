"""The package as a whole: light to import, complete on the outside."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import dalembert as da

HEAVY = ("scipy", "sympy", "llvmlite", "matplotlib", "pandas", "xarray", "h5netcdf", "h5py")


def in_a_fresh_process(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_importing_is_light():
    """Numerical libraries come in when they are needed, not with the name."""
    code = f"import sys, dalembert; print([x for x in {HEAVY!r} if x in sys.modules])"
    assert in_a_fresh_process(code) == "[]"


def test_builders_of_elastic_bodies_wait_until_they_are_asked_for():
    code = """
import sys, dalembert as da
builders = ("straight_beam", "sid", "solid_mesh", "frames")
print([x for x in sys.modules if x.startswith("dalembert.elastic.") and x.split(".")[-1] in builders])
import dalembert.elastic.builders.straight_beam
assert da.beam is da.elastic.beam is dalembert.elastic.builders.straight_beam.beam
"""
    assert in_a_fresh_process(code) == "[]"


def test_describing_and_writing_equations_needs_numpy_alone():
    code = f"""
import sys
import dalembert as da
s = da.System("pendulum", gravity=(0, -9.81, 0))
s.add_body("rod", da.rod(1.0, 1.0))
s.add_joint("pivot", da.Revolute(), "ground", "rod")
s.build().equations("kane").evaluate([0.1], [0.2])
print([x for x in {HEAVY!r} if x in sys.modules])
"""
    assert in_a_fresh_process(code) == "[]"


def test_marching_a_tree_imports_nothing_for_loops_or_other_methods():
    code = """
import sys
import dalembert as da
s = da.System("pendulum", gravity=(0, -9.81, 0))
s.add_body("rod", da.rod(1.0, 1.0))
s.add_joint("pivot", da.Revolute(), "ground", "rod")
s.build().simulate(0.1)
others = (
    "constraints.assembly.assemble", "kernels.rhs.range_space", "kernels.rhs.formulation", "kernels.derivatives.closed_form",
    "simulation.integrators.radau", "motion.reactions", "trace.text",
)
print([x for x in others if f"dalembert.{x}" in sys.modules])
"""
    assert in_a_fresh_process(code) == "[]"


def test_the_version_is_there():
    assert re.fullmatch(r"\d+\.\d+\.\d+([.\w]*)?", da.__version__)


@pytest.mark.parametrize("name", da.__all__)
def test_every_public_name_says_what_it_is(name):
    assert (getattr(da, name).__doc__ or "").strip()


def test_public_names_are_listed_once_and_sorted():
    assert list(da.__all__) == sorted(set(da.__all__), key=lambda name: (not name.isupper(), name))
