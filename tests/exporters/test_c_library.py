"""Exported C compiles without a warning and computes what the package computes."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files
from dalembert.trace.native import C99, Module, Pointer, Real
from dalembert.trace.native.c99 import c_module
from tests.exporters.compiling import STRICT, built, compiler

KINDS = [
    "four_bar",
    "rolling_disc",
    "flexible_slider_crank",
    "human_body",
    "press",
    "dual_spin_satellite",
    "slider_crank_clearance",
]
"""A loop, rolling, an elastic body in a loop, a tree large enough for sweeps, elements in a loop, sampled ones, laws in a loop."""


def gallery(name: str) -> da.Mechanism:
    return da.load(files()[name])


@pytest.mark.parametrize("name", KINDS)
def test_the_gallery_marches_in_c_as_here(tmp_path, name):
    motion = gallery(name).simulate(0.05 if name == "flexible_slider_crank" else 0.5)
    motion.export_c(tmp_path, name)
    done = subprocess.run([built(tmp_path, name), "1e-9"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


CALLS = """
#include "arm.h"
#include <stdio.h>
int main(void)
{
    static arm s;
    double qdot[ARM_COORDINATES], udot[ARM_SPEEDS], A[ARM_SPEEDS*ARM_SPEEDS], force[ARM_SPEEDS], out[ARM_OUTPUTS];
    arm_reset(&s);
    s.parameters.m = 2.5;
    s.force[ARM_U_B] = 0.7;
    if (arm_begin(&s)) return 1;
    arm_rates(&s, qdot, udot, s.z);
    arm_mass_matrix(&s, A);
    arm_inverse_dynamics(&s, udot, force);
    arm_outputs(&s, out);
    for (int i = 0; i < ARM_SPEEDS; i++) printf("%.17g %.17g %.17g\\n", qdot[i], udot[i], force[i]);
    for (int i = 0; i < ARM_SPEEDS*ARM_SPEEDS; i++) printf("%.17g ", A[i]);
    printf("\\n%.17g %.17g\\n", out[ARM_AT_kinetic_energy], out[ARM_AT_potential_energy]);
    for (int i = 0; i < 3; i++) printf("%.17g ", out[ARM_AT_body_upper + 9 + i]);
    printf("%.17g\\n", out[ARM_AT_output_reach + 1]);
    return 0;
}
"""


def arm() -> da.Mechanism:
    s = da.System("arm", gravity=(0, -9.81, 0))
    s.add_body("lower", da.rod(mass=s.parameter("m", 1.0), length=1.0))
    s.add_body("upper", da.rod(mass=0.5, length=0.8))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "lower")
    s.add_joint("B", da.Revolute((0, 0, 1)), "lower", "upper", at_parent=(1, 0, 0))
    s.add_output("reach", da.outputs.Position(("upper", (0.8, 0, 0))))
    return s.build()


def test_functions_give_what_the_mechanism_gives(tmp_path):
    m, start = arm(), {"A": 0.3, "B": -0.4}
    motion = m.simulate(0.1, start, {"A": 1.0, "B": 2.0})
    motion.export_c(tmp_path)
    (tmp_path / "calls.c").write_text(CALLS)
    said = subprocess.run([built(tmp_path, "arm", main="calls.c")], capture_output=True, text=True, check=True).stdout
    lines = [np.array(line.split(), dtype=float) for line in said.strip().splitlines()]
    q, u, tau = [0.3, -0.4], [1.0, 2.0], [0.0, 0.7]
    with_m = m.with_parameters(m=2.5)
    udot = with_m.forward_dynamics(q, u, tau)
    np.testing.assert_allclose(np.array(lines[:2]), np.array([u, udot, tau]).T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(lines[2].reshape(2, 2), with_m.mass_matrix(q), rtol=1e-12)
    state = with_m.numeric.state(np.array(q), np.array(u))
    np.testing.assert_allclose(lines[4][:3], np.asarray(state.poses[2].p, dtype=float), atol=1e-14)
    tip = np.array([np.cos(0.3) + 0.8 * np.cos(-0.1), np.sin(0.3) + 0.8 * np.sin(-0.1)])
    np.testing.assert_allclose(lines[4][3], tip[1], rtol=1e-13)


STEPPED = """
#include "swing.h"
#include <stdio.h>
int main(void)
{
    static swing s;
    double z[SWING_STATES];
    swing_reset(&s);
    s.q[0] = 0.9; /* beyond the stop */
    s.fixed[0] = 1;
    swing_begin(&s);
    printf("%d %s\\n", s.status, swing_message(s.status));
    swing_reset(&s);
    s.parameters.wanted = 0.4;
    if (swing_begin(&s) || swing_advance(&s, 0.25)) return 1;
    printf("%.17g %.17g %.17g\\n", s.q[0], s.u[0], s.z[SWING_Z_motor_current]);
    for (int i = 0; i < SWING_STATES; i++) z[i] = s.z[i];
    if (swing_set_state(&s, s.t, s.q, s.u, z) || swing_advance(&s, 0.6)) return 1;
    printf("%.17g %.17g %.17g\\n", s.q[0], s.u[0], s.z[SWING_Z_motor_current]);
    return 0;
}
"""


def swing() -> da.Mechanism:
    """A motor with a sampled controller swings a rod against a stop."""
    s = da.System("swing", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(mass=0.5, length=0.6))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod")
    pid = da.PID(10.0, 4.0, 0.2, period=0.03)
    s.add_element("pid", pid, reference=s.parameter("wanted", 1.5), measured=lambda s: s.q["A"])
    s.add_element("motor", da.DCMotor("A", resistance=1.0, inductance=0.01, constant=0.5), voltage="pid.output")
    s.add_law("stop", da.Stop("A", upper=0.7, restitution=0.3))
    return s.build()


def test_sampled_elements_and_laws_step_in_c_as_here(tmp_path):
    m = swing()
    options = {"method": "moreau", "step": 1e-3, "output": [0.25, 0.6]}
    motion = m.simulate(0.6, {"A": -0.5}, **options)
    motion.export_c(tmp_path)
    (tmp_path / "stepped.c").write_text(STEPPED)
    program = built(tmp_path, "swing", main="stepped.c")
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout.splitlines()
    assert said[0] == "-22 something has gone through a law at the start"
    other = m.simulate(0.6, {"A": -0.5}, parameters={"wanted": 0.4}, **options)
    expected = np.hstack([other.q, other.u, other["motor.current"][:, None]])
    np.testing.assert_allclose([[float(x) for x in line.split()] for line in said[1:]], expected, atol=1e-9)


def test_every_compiler_there_is_finds_nothing_to_warn_of(tmp_path):
    found = [c for c in ("gcc", "clang") if shutil.which(c)]
    motion = gallery("four_bar").simulate(0.1)
    motion.export_c(tmp_path, "four_bar")
    for c in found or compiler()[:1]:
        command = [c, *STRICT, "-Wshadow", "-O2", "-o", "run", "four_bar.c", "test_four_bar.c", "-lm"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert subprocess.run([str(tmp_path / "run"), "1e-9"], check=False, stdout=subprocess.DEVNULL).returncode == 0


def test_a_source_says_nothing_twice(tmp_path):
    gallery("stewart_platform").simulate(0.01).export_c(tmp_path, "stewart")
    text = (tmp_path / "stewart.c").read_text()
    assert len(text) < 300_000
    tables = re.findall(r"static const \w+ \w+\[\d+\] = (\{.{200,}?\});", text, flags=re.S)
    assert len(tables) == len(set(tables)) > 3


def test_sanitizers_find_nothing(tmp_path):
    flags = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    probe = tmp_path / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    if subprocess.run([*compiler(), *flags, "-o", str(tmp_path / "probe"), str(probe)], capture_output=True).returncode:
        pytest.skip("this compiler has no sanitizers")
    motion = gallery("slider_crank").simulate(0.2)
    motion.export_c(tmp_path, "slider_crank")
    done = subprocess.run([built(tmp_path, "slider_crank", flags)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_names_that_c_cannot_say_and_names_that_would_end_a_comment(tmp_path):
    s = da.System('odd */ "name"\\', gravity=(0, -9.81, 0))
    s.add_body("θ-link", da.rod(mass=s.parameter("double", 1.0), length=s.parameter("größe", 0.5)))
    s.add_joint("while", da.Revolute((0, 0, 1)), "ground", "θ-link")
    motion = s.build().simulate(0.1, initial={"while": 0.2})
    header = motion.export_c(tmp_path)[0]
    name = header.stem
    assert subprocess.run([built(tmp_path, name)], check=False).returncode == 0
    with pytest.raises(da.DalembertError, match="cannot be a name in C"):
        motion.export_c(tmp_path, "2 words")


def test_what_cannot_be_exported_is_refused_in_words(tmp_path):
    s = da.System("p", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod")
    s.add_law("stop", da.Stop("A", upper=0.5))
    with pytest.raises(da.DalembertError, match="export: by time stepping there are no reactions"):
        s.build().simulate(0.1).export_c(tmp_path / "x", reactions=["A"])
    s.add_law("catch", da.Latch("A", on=False))
    with pytest.raises(da.DalembertError, match="export: law"):
        s.build().simulate(0.1).export_c(tmp_path / "x")
    assert not (tmp_path / "x").exists()


def test_a_motion_that_was_not_projected_is_not_exported_as_one_that_is(tmp_path):
    motion = gallery("four_bar").simulate(0.05, stabilise=da.Baumgarte(10.0, 25.0))
    with pytest.raises(da.DalembertError, match="exported code projects"):
        motion.export_c(tmp_path)


def test_driver_code_computes_the_same_in_c(tmp_path):
    """Loops, branches, early ends, variables that change between a read and its use, tables."""
    module = Module(1, C99)
    table = module.real_table([1.0, -2.0, 3.0, 0.5])
    with module.function("mixed", status=True, x=Pointer, y=Pointer, h=Real) as f:
        v = f.variables(total=0.0, count=0)
        with f.loop(4) as i:
            f.next_if((f.x[i] == 3.0).all())
            before = v.total
            v.total = v.total + table[i] * f.x[i]
            with f.if_((v.total > f.h).all()):
                v.count = v.count + 1
                f.y[i] = before
            with f.else_():
                f.y[i] = v.total - before
            f.stop_if((v.total > 100.0).all())
        with f.if_(v.count > 2):
            f.return_(7)
        f.y[3] = f.x[0]
        old = f.x[0]
        f.x[0] = old + 1.0
        f.y[0] = f.y[0] + old
        f.return_(v.count)
    made = c_module(module, "t", ["mixed"])
    source = tmp_path / "t.c"
    source.write_text(
        f"#include <math.h>\n#include <stdint.h>\n#include <string.h>\n{made.prototypes[0]};\n{made.source}"
    )
    library = tmp_path / "t.so"
    done = subprocess.run(
        [*compiler(), *STRICT, "-shared", "-fPIC", "-o", library, source, "-lm"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    mixed = ctypes.CDLL(str(library)).t_mixed
    mixed.restype, mixed.argtypes = ctypes.c_int64, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_double]
    for x, h in (([1.0, 2.0, 3.0, 4.0], 0.5), ([5.0, -1.0, 2.0, 8.0], 0.1), ([200.0, 1.0, 1.0, 1.0], 3.0)):
        a, b = np.array(x), np.zeros(4)
        status = mixed(a.ctypes.data, b.ctypes.data, h)
        assert (status, a.tolist(), b.tolist()) == expected(x, h)


def expected(x: list[float], h: float) -> tuple[int, list[float], list[float]]:
    """The same in Python."""
    x, y, total, count = list(x), [0.0] * 4, 0.0, 0
    for i, c in enumerate([1.0, -2.0, 3.0, 0.5]):
        if x[i] == 3.0:
            continue
        before, total = total, total + c * x[i]
        if total > h:
            count, y[i] = count + 1, before
        else:
            y[i] = total - before
        if total > 100.0:
            break
    if count > 2:
        return 7, x, y
    y[3], old = x[0], x[0]
    x[0], y[0] = old + 1.0, y[0] + old
    return count, x, y


def test_the_command_writes_what_it_says(tmp_path, monkeypatch):
    from dalembert.cli import main

    monkeypatch.chdir(tmp_path)
    main(["export", "pendulum", "--duration", "0.2", "--c", "out"])
    assert sorted(p.name for p in Path("out").iterdir()) == [
        "CMakeLists.txt",
        "pendulum.c",
        "pendulum.h",
        "test_pendulum.c",
    ]
