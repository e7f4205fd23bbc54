"""Random trees and loops, some with elements, exported as C: they compile without a warning and compute what kernels compute."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pytest

import dalembert as da
from tests.constraints.loops import closed_system, consistent
from tests.exporters.compiling import STRICT, compiler
from tests.mechanisms import random_state, random_tree

MODELS, FEW, SPAN = 100, 5, 1e-4
WITHIN = 1e-12
"""Of the largest number."""
CALLS = """
#include "{m}.h"
int at_a_state(const double *given, double *found);
int at_a_state(const double *given, double *found)
{{
    static {m} s;
    const double *q = given, *u = q + {M}_COORDINATES, *z = u + {M}_SPEEDS;
    double *udot = found + {M}_COORDINATES, *zdot = udot + {M}_SPEEDS, *A = zdot + {M}_STATES, *out = A + {M}_SPEEDS*{M}_SPEEDS;
    {m}_reset(&s);
    if ({m}_begin(&s) || {m}_set_state(&s, s.t, q, u, z)) return s.status;
    return {m}_rates(&s, found, udot, zdot) || {m}_mass_matrix(&s, A) || {m}_outputs(&s, out);
}}
"""


def model(seed: int) -> tuple[da.Mechanism, np.ndarray, np.ndarray, float]:
    """A tree or loops, every third with a filter, and a state."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 6))
    if seed % 2 and n > 1:
        s, q, u, t = closed_system(rng, n + 1, 1)
        while s.build().mobility < 1:
            s, q, u, t = closed_system(rng, n + 1, 1)
    else:
        s, t = random_tree(rng, n, prescribed=bool(rng.integers(2))), float(rng.uniform(0, 2))
    if seed % 3 == 0:
        s.add_element("filter", da.LowPass(time=0.3), input=lambda s: s.position("b0")[0] + da.sin(s.t))
    m = s.build()
    if m.cuts:
        return m, q, consistent(m, q, u, t), t
    q, u, _ = random_state(m, rng)
    return m, q, u, t


def expected(m: da.Mechanism, q: np.ndarray, u: np.ndarray, t: float) -> list[np.ndarray]:
    """Rates, accelerations, rates of elements, mass matrix, poses and energies."""
    s = m.numeric.state(q, u, t)
    pose = m.body_motion(q, u, t)
    parts = [pose.rotation.reshape(-1, 9), pose.position, pose.angular_velocity, pose.velocity]
    energies = m.energies(q, u, t)
    rates = [np.asarray(s.rates, dtype=float), m.forward_dynamics(q, u, t=t), np.array(m.state_rates(s), dtype=float)]
    return [*rates, m.mass_matrix(q, t).ravel(), np.hstack(parts).ravel(), energies]


@pytest.mark.parametrize("seed", [pytest.param(k, marks=[pytest.mark.slow] * (k >= FEW)) for k in range(MODELS)])
def test_random_models_compute_in_c_what_they_compute_here(tmp_path, seed):
    m, q, u, t = model(seed)
    if not m.n_u:
        return
    motion = m.simulate(SPAN, q, u, start=t, output=[t, t + SPAN])
    motion.export_c(tmp_path, "x")
    (tmp_path / "calls.c").write_text(CALLS.format(m="x", M="X"))
    command = [*compiler(), *STRICT, "-shared", "-fPIC", "-o", "x.so", "x.c", "calls.c", "-lm"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    parts = expected(m, motion.q[0], motion.u[0], t)
    given = np.concatenate([motion.q[0], motion.u[0], motion.z[0]])
    found = np.zeros(sum(map(len, parts)) + 1000)
    status = ctypes.CDLL(str(tmp_path / "x.so")).at_a_state(
        given.ctypes.data_as(ctypes.c_void_p), found.ctypes.data_as(ctypes.c_void_p)
    )
    assert status == 0
    at = 0
    for part in parts:
        got, at = found[at : at + len(part)], at + len(part)
        np.testing.assert_allclose(got, part, rtol=0, atol=WITHIN * max(1.0, np.abs(part).max(initial=0.0)))
