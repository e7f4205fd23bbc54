"""Claims about compiled dynamics under constraints: the same accelerations as every method on numbers, and exact projection."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import dalembert as da
from benchmarks.loop_models import bricard, rhombic_linkage
from dalembert.constraints import METHODS
from dalembert.constraints.assembly.assemble import assemble, consistent_speeds, displaced
from dalembert.constraints.diagnosis.diagnose import diagnose
from dalembert.formulations.tree import kane
from dalembert.kernels.rhs.range_space_rhs import RangeSpaceRightHandSide
from dalembert.kinematics.constraint_rows import constraint_rows
from dalembert.mechanism.simulation_options import Projection
from dalembert.simulation.kept_rows import rows_kept
from dalembert.trace.native import Module, aligned
from tests.constraints.loops import random_loops
from tests.effort import examples
from tests.mechanisms import seeds
from tests.targets import LANES as WIDTH


class Compiled:
    """`run` and `project` of a mechanism on one state, repeated in all lanes."""

    def __init__(self, m, d, lanes):
        held = rows_kept(d, Projection())
        self.m, self.lanes, self.code = m, lanes, RangeSpaceRightHandSide(m, replace(held.keep, others=()))
        self.scales = self.code.row_scales(held.norms, held.sizes)
        module = Module()
        _, size = self.code.emit(module, lanes)
        self.code.emit_projection(module, lanes)
        self.library, self.work = module.compile(), aligned((size + m.n_u + 1) * lanes)

    def __call__(self, name, q, u, t):
        state = [np.repeat(np.asarray(x, dtype=float), self.lanes) for x in ([t], q, u)]
        given = np.repeat(np.array([*self.m.parameters.values(), *self.scales]), self.lanes)
        rest = [np.zeros((n + 1) * self.lanes) for n in (self.m.n_u, self.m.n_q + self.m.n_u)]
        self.library[name](*state, rest[0], given, rest[1], self.work)
        q, u, y = (x.reshape(-1, self.lanes)[:, -1] for x in (state[1], state[2], rest[1]))
        return q, u, y[self.m.n_q : self.m.n_q + self.m.n_u]


def posed(rng, n, n_loops, doubled):
    """A random looped mechanism away from singular poses, with its independent rows; None if it came out otherwise."""
    m, q, u, t = random_loops(rng, n, n_loops, doubled=doubled)
    if not m.n_u:
        return None
    d = diagnose(m, q, t)
    sigma = np.linalg.svd(kane.equations(m.state(q, u, t)).B, compute_uv=False)
    if not d.rank or sigma[d.rank - 1] < 1e-2 * sigma[0] or (len(sigma) > d.rank and sigma[d.rank] > 1e-9 * sigma[0]):
        return None
    return m, q, u, t, d


@settings(max_examples=examples(12), deadline=None)
@given(seeds, st.integers(2, 5), st.integers(1, 2), st.booleans(), st.sampled_from([1, WIDTH]))
def test_compiled_accelerations_obey_random_loops(seed, n, n_loops, doubled, lanes):
    case = posed(np.random.default_rng(seed), n, n_loops, doubled)
    assume(case is not None)
    m, q, u, t, d = case
    run = Compiled(m, d, lanes)
    run("run", q, u + 1.0, t)  # nothing of an earlier state may be left in the working memory
    _, _, udot = run("run", q, u, t)
    expected = METHODS["svd"](kane.equations(m.state(q, u, t))).udot
    assert np.abs(udot - expected).max() <= 1e-9 * max(1.0, np.abs(expected).max())


@settings(max_examples=examples(8), deadline=None)
@given(seeds, st.integers(2, 5))
def test_projection_closes_loops_to_rounding(seed, n):
    rng = np.random.default_rng(seed)
    case = posed(rng, n, 1, False)
    assume(case is not None)
    m, q, u, t, d = case
    pushed = displaced(m, q, 1e-4 * rng.normal(size=m.n_u), t)
    q1, u1, _ = Compiled(m, d, 1)("project", pushed, u + 1e-4, t)
    rows = constraint_rows(m.state(q1, u1, t))
    assert np.abs(rows.g).max(initial=0.0) < 1e-13
    assert np.abs(rows.B @ u1 - rows.b).max() < 1e-12 * max(1.0, np.abs(rows.B).max() * np.abs(u1).max())
    assert np.abs(q1 - q).max() < 1e-2


@pytest.mark.parametrize("make", [rhombic_linkage, bricard])
def test_redundant_linkages_use_their_independent_rows(make):
    m = make().mechanism
    start = np.array([-1.0, 1.0, -1.0 - np.pi]) if m.n_u == 3 else displaced(m, m.reference, np.full(5, 0.05), 0.0)
    q = assemble(m, start)
    u = consistent_speeds(m, q, np.ones(m.n_u))
    d = diagnose(m, q)
    assert len(d.independent) < len(constraint_rows(m.state(q, u)).g)
    _, _, udot = Compiled(m, d, 1)("run", q, u, 0.0)
    e = kane.equations(m.state(q, u))
    assert np.allclose(udot, METHODS["svd"](e).udot, rtol=1e-10, atol=1e-10)
    assert np.abs(e.B @ udot - e.gamma).max() < 1e-9


@pytest.mark.parametrize("length", [1.0, 1e6, 1e-6])
def test_rows_that_are_directions_close_as_well_whatever_a_length_is(length):
    """A body on a ball joint whose axis a hinge holds: a millionth of a large body's length is no small angle."""
    s = da.System("held upright")
    s.add_body("post", da.box(1.0, (length, 0.2 * length, 0.1 * length)))
    s.add_joint("ball", da.Spherical("angles"), "ground", "post", at_child=(0.5 * length, 0, 0))
    s.add_joint("axis", da.Revolute((0, 0, 1)), "ground", "post", at_child=(0.5 * length, 0, 0))
    m = s.build(cut=["axis"])
    d = diagnose(m, np.zeros(3))
    assert d.rank == 2
    q, _, _ = Compiled(m, d, 1)("project", np.array([3e-11, -2e-11, 0.0]), np.zeros(3), 0.0)
    assert np.abs(constraint_rows(m.state(q, np.zeros(3))).g).max() < 1e-15 * max(1.0, length)
    assert np.abs(q[:2]).max() < 1e-15
