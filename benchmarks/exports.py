"""What is taken along, measured: python -m benchmarks.exports

Random models as C under gcc and clang with every warning an error; the size of a Stewart platform's source, and its forward dynamics
beside the compiled kernel; FMUs of gallery models, run by FMPy.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.files.gallery import files
from dalembert.kernels.compiled_solution import rows_at
from dalembert.kernels.runtime.kernel import INPUTS
from tests.exporters.compiling import STRICT
from tests.exporters.test_random_models import CALLS, MODELS, SPAN, expected, model

REPORT = Path(__file__).parent / "results" / "exports.md"
GALLERY = (
    "four_bar", "slider_crank", "rolling_disc", "press", "flexible_slider_crank", "stewart_platform", "belt_drive", "rocket",
    "quarter_car", "dual_spin_satellite",
)  # fmt: skip
TIMES = 20_000
TIMED = """
#include "{m}.h"
#include <time.h>
double seconds(int times);
double seconds(int times)
{{
    static {m} s;
    double qdot[{M}_COORDINATES], udot[{M}_SPEEDS], zdot[1], sum = 0.0;
    clock_t from;
    {m}_reset(&s);
    {m}_begin(&s);
    from = clock();
    for (int k = 0; k < times; k++) {{
        s.u[0] += 1e-9;
        {m}_rates(&s, qdot, udot, zdot);
        sum += udot[0];
    }}
    return sum == 0.5 ? -1.0 : (double)(clock() - from)/CLOCKS_PER_SEC/times;
}}
"""


def compilers() -> list[str]:
    return [c for c in ("gcc", "clang") if shutil.which(c)]


def random_models() -> list[str]:
    """Worst differences from the kernels, trees and loops apart, by compiler."""
    lines = []
    for compiler in compilers():
        worst = {"trees": 0.0, "loops": 0.0}
        for m, q, u, t in itertools.islice(filter(lambda x: x[0].n_u, map(model, itertools.count())), MODELS):
            motion = m.simulate(SPAN, q, u, start=t, output=[t, t + SPAN])
            with tempfile.TemporaryDirectory() as place:
                found = in_c(motion, Path(place), compiler)
            at = 0
            for part in expected(m, motion.q[0], motion.u[0], t):
                got, at = found[at : at + len(part)], at + len(part)
                off = float(np.abs(got - part).max(initial=0.0)) / max(1.0, float(np.abs(part).max(initial=0.0)))
                kind = "loops" if m.cuts else "trees"
                worst[kind] = max(worst[kind], off)
        lines.append(f"| {compiler} | {MODELS} | {worst['trees']:.1e} | {worst['loops']:.1e} |")
    return lines


def in_c(motion: Any, folder: Path, compiler: str) -> np.ndarray:
    """Everything at the start of a motion, by the exported library."""
    motion.export_c(folder, "x")
    (folder / "calls.c").write_text(CALLS.format(m="x", M="X"))
    command = [compiler, *STRICT, "-shared", "-fPIC", "-o", "x.so", "x.c", "calls.c", "-lm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{compiler}: {done.stderr}")
    given, found = np.concatenate([motion.q[0], motion.u[0], motion.z[0]]), np.zeros(20_000)
    status = ctypes.CDLL(str(folder / "x.so")).at_a_state(
        given.ctypes.data_as(ctypes.c_void_p), found.ctypes.data_as(ctypes.c_void_p)
    )
    assert status == 0, status
    return found


def stewart() -> list[str]:
    """Size of the source, and the time of forward dynamics of one state after the other, by C and by the kernel without lanes."""
    m = da.load(files()["stewart_platform"])
    motion, lines = m.simulate(0.01), []
    n = TIMES
    Q, U = np.repeat(motion.q[:1], n, axis=0), np.repeat(motion.u[:1], n, axis=0)
    m.forward_dynamics(Q, U)
    own = min(_taken(without_lanes(m, Q, U)) for _ in range(9)) / n
    many = min(_taken(lambda: m.forward_dynamics(Q, U)) for _ in range(9)) / n
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        motion.export_c(folder, "stewart")
        size = (folder / "stewart.c").stat().st_size
        (folder / "timed.c").write_text(TIMED.format(m="stewart", M="STEWART"))
        for compiler in compilers():
            name = f"{compiler}.so"
            sources = ["stewart.c", "timed.c"]
            subprocess.run(
                [compiler, "-std=c99", "-O2", "-shared", "-fPIC", "-o", name, *sources, "-lm"], cwd=folder, check=True
            )
            seconds = ctypes.CDLL(str(folder / name)).seconds
            seconds.restype = ctypes.c_double
            least = min(seconds(TIMES) for _ in range(5))
            lines.append(
                f"| {compiler} -O2 | {size / 1000:.0f} kB | {least * 1e6:.2f} µs | {own * 1e6:.2f} µs | {many * 1e6:.2f} µs |"
            )
    return lines


def without_lanes(m: da.Mechanism, Q: np.ndarray, U: np.ndarray) -> Any:
    """A call of the compiled accelerations that takes one state after the other."""
    rows = rows_at(m.kernels, Q[0], 0.0, None)
    kernel = m.kernels.constrained.accelerations[rows]
    inputs = kernel._arranged(Q, U, None, 0.0, None)
    steps = [inputs[x].shape[1] if inputs[x].ndim == 2 else 0 for x in INPUTS]
    y, code = np.empty((len(Q), kernel.n_output)), kernel.library(1)
    return lambda: code.batch(len(Q), *(inputs[x] for x in INPUTS), *steps, y, kernel.work(1))


def _taken(call: Any) -> float:
    began = time.process_time()
    call()
    return time.process_time() - began


def fmus(names: tuple[str, ...] = GALLERY) -> list[str]:
    """Largest differences between a motion here and in FMPy, co-simulation and model exchange (CVode)."""
    from fmpy import simulate_fmu
    from fmpy.validation import validate_fmu

    lines = []
    for name in names:
        m = da.load(files()[name])
        span = 0.05 if name == "flexible_slider_crank" else 0.5
        motion = m.simulate(span, output=span / 10, rtol=1e-11)
        states = [*(f"q.{c}" for c in m.coordinates), *(f"u.{c}" for c in m.speeds), *(f"z.{s}" for s in m.states)]
        here, cells = np.hstack([motion.q, motion.u, motion.z]), []
        for version in ("2.0", "3.0"):
            with tempfile.TemporaryDirectory() as place:
                path = str(motion.export_fmu(Path(place) / "x.fmu", version))
                problems = len(validate_fmu(path))
                offs = []
                for kind, interval in (("CoSimulation", span / 10), ("ModelExchange", span / 2000)):
                    made = simulate_fmu(
                        path, stop_time=span, fmi_type=kind, output=states, output_interval=interval,
                        relative_tolerance=1e-13 if kind == "ModelExchange" else None,
                    )  # fmt: skip
                    at = [np.flatnonzero(np.isclose(made["time"], t))[-1] for t in motion.t]
                    there = np.array([[made[n][k] for n in states] for k in at])
                    offs.append(float((np.abs(there - here) / (1.0 + np.abs(here).max(axis=0))).max()))
                cells.append(f"{problems} | {offs[0]:.1e} | {offs[1]:.1e}")
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


ABOUT = """# Models taken along

`python -m benchmarks.exports`. Random models (`tests/exporters/test_random_models.py`) compile with
`-std=c99 -Wall -Wextra -Werror -pedantic`; shown is the largest difference from the kernels, as a part of the largest number, of rates,
accelerations, mass matrix, poses and energies.
"""


def main() -> None:
    """Everything, or "fmus" or "c" alone, which is then only printed."""
    warnings.simplefilter("ignore")
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    only = sys.argv[1] if len(sys.argv) > 1 else ""
    parts = [ABOUT]
    if only != "fmus":
        parts += ["| compiler | models | trees | loops |\n|---|---|---|---|", *random_models()]
        parts += ["\nA Stewart platform, forward dynamics with loops solved, per state:\n"]
        parts += [
            "| compiler | source | C | kernel, one state after the other | kernel, a batch in lanes |\n|---|---|---|---|---|",
            *stewart(),
        ]
    if only != "c":
        heads = "problems | co-simulation | model exchange"
        parts += [
            "\nFMUs in FMPy, FMI 2.0 and 3.0: problems found by its validation, and differences from the motion here.\n"
        ]
        parts += [f"| model | 2.0: {heads} | 3.0: {heads} |\n|---|---|---|---|---|---|---|", *fmus()]
    report = "\n".join([*parts, ""])
    print(report)
    if not only:
        REPORT.write_text(report, encoding="utf-8")


if __name__ == "__main__":
    main()
