"""Code for 64-bit ARM, cross-compiled, linked by GCC and run by QEMU: kernels and a march compute what they compute here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files
from dalembert.mechanism.simulation_options import SimulationOptions
from dalembert.simulation.constrained_start import kept_at
from dalembert.simulation.march.memory import fill_inputs, fill_memory
from dalembert.simulation.march.program import Program
from dalembert.simulation.run_options import options
from dalembert.trace.native import AARCH64, Module

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc")), reason="run tools/cross.sh first"
    ),
]

READ = r"""
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
static double *read_array(FILE *f) {
  int64_t n; if (fread(&n, 8, 1, f) != 1) exit(9);
  double *x = aligned_alloc(64, 64 * (n / 8 + 2));
  if (fread(x, 8, n, f) != (size_t)n) exit(9);
  return x;
}
"""
MARCH = (
    READ
    + r"""
void begin(double *, double *, double *) __asm__("k.begin");
int64_t march(double *, double *, double *, int64_t *, double *, double *, int64_t, int64_t, int64_t) __asm__("k.march");
int main(int argc, char **argv) {
  FILE *f = fopen(argv[1], "rb");
  double *p[6]; for (int i = 0; i < 6; i++) p[i] = read_array(f);
  begin(p[0], p[1], p[2]);
  int64_t status = march(p[0], p[1], p[2], (int64_t *)p[3], p[4], p[5], 0, 1, 10000000);
  f = fopen(argv[2], "wb"); fwrite(p[5], 8, atol(argv[3]), f); fclose(f);
  return (int)status;
}
"""
)
BATCH = (
    READ
    + r"""
int64_t batch(int64_t, double *, double *, double *, double *, double *, int64_t, int64_t, int64_t, int64_t, int64_t, double *,
              double *) __asm__("k.batch");
int main(int argc, char **argv) {
  FILE *f = fopen(argv[1], "rb");
  double *p[7]; for (int i = 0; i < 7; i++) p[i] = read_array(f);
  int64_t count = atol(argv[4]), n_q = atol(argv[5]), n_u = atol(argv[6]);
  int64_t status = batch(count, p[0], p[1], p[2], p[3], p[4], 0, n_q, n_u, 0, 0, p[5], p[6]);
  f = fopen(argv[2], "wb"); fwrite(p[5], 8, atol(argv[3]), f); fclose(f);
  return (int)status;
}
"""
)


def run(tmp_path: Path, module: Module, program: str, arrays: list[np.ndarray], size: int, *more: int) -> np.ndarray:
    """Arrays go in by a file; the result of this size comes back by another."""
    (tmp_path / "code.o").write_bytes(module.object_code())
    (tmp_path / "main.c").write_text(program)
    made = ["aarch64-linux-gnu-gcc", "-O1", "-static", "main.c", "code.o", "-lm", "-o", "program"]
    subprocess.run(made, cwd=tmp_path, check=True)
    with (tmp_path / "in").open("wb") as f:
        for x in arrays:
            f.write(np.int64(x.size).tobytes() + np.ascontiguousarray(x).tobytes())
    called = ["qemu-aarch64", "./program", "in", "out", str(size), *map(str, more)]
    subprocess.run(called, cwd=tmp_path, check=True)
    return np.fromfile(tmp_path / "out")


@pytest.mark.parametrize("name", ["four_bar", "double_pendulum", "flexible_four_bar"])
def test_a_march_is_the_same(tmp_path, name: str) -> None:
    m = da.load(files()[name])
    span = 0.5
    said = SimulationOptions(method="rk4", step=1e-3, output=0.01)
    motion = m.simulate(span, options=said)
    q, u = np.array(motion.q[0]), np.array(motion.u[0])
    o = options(m, span, said).beginning(m, q, u)
    kept = kept_at(m, q, 0.0, o.stabilise) if m.constraint_rows else None
    more = {} if kept is None else {"kept": kept}
    program = Program(m.kernels, o.method, for_target=AARCH64, **more)
    memory, inputs = np.zeros((program.layout.size, 1)), np.zeros((program.input_layout.size, 1))
    fill_memory(memory, program, m, o, np.concatenate([q, u]), o.atol)
    fill_inputs(inputs, program, np.array([*m.parameters.values()], dtype=float))
    counters = np.zeros(8, dtype=np.int64)
    counters[1] = len(o.times)
    work = np.zeros(4096 + 40 * (m.n_q + m.n_u) ** 2)
    rows = np.zeros(len(o.times) * (m.n_q + m.n_u))
    arrays = [memory, inputs, work, counters, np.array(o.times), rows]
    found = run(tmp_path, program._module(), MARCH, arrays, rows.size).reshape(len(o.times), -1)
    expected = np.hstack([motion.q, motion.u])
    assert np.abs(found - expected).max() <= 1e-12 * max(1.0, np.abs(expected).max())


def test_kernels_are_the_same_in_lanes(tmp_path) -> None:
    from tests.mechanisms import random_tree

    rng = np.random.default_rng(3)
    m = random_tree(rng, 9).build()
    q, u = np.array([m.somewhere(rng, 0.5) for _ in range(7)]), rng.normal(size=(7, m.n_u))
    kernel = m.kernels.forward_dynamics
    other = type(kernel)(kernel.name, m, kernel.n_extra, kernel.shape, kernel.emit, parts=kernel.parts)
    other.__dict__["target"] = AARCH64
    y = np.zeros((7, m.n_u))
    values = np.array([*m.parameters.values()], dtype=float)
    arrays = [np.zeros(1), q, u, np.zeros(m.n_u), values, y, np.zeros(200_000)]
    found = run(tmp_path, other.module(other.lanes), BATCH, arrays, y.size, 7, m.n_q, m.n_u).reshape(y.shape)
    expected = m.forward_dynamics(q, u)
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()
