"""A user's program, as mypy sees it: what the public names return. Checked by `make lint` and by `test_types.py`; never run."""

from __future__ import annotations

from typing import assert_type

import numpy as np

import dalembert as da
from dalembert.analysis.comparison.comparison import Comparison
from dalembert.analysis.drives import Drives
from dalembert.analysis.equilibrium.equilibrium import Equilibrium
from dalembert.analysis.inspection import Inspection
from dalembert.analysis.linear.linearisation import Linearisation
from dalembert.analysis.linear.modes import Modes
from dalembert.analysis.linkage.sweep import Sweep
from dalembert.analysis.sensitivity.sensitivities import Sensitivities
from dalembert.analysis.stability.locus import Locus
from dalembert.constraints.diagnosis.verdict import Diagnosis
from dalembert.constraints.methods.solution import Solution
from dalembert.formulations.printing.written_equations import WrittenEquations
from dalembert.simulation.many import Motions
from dalembert.trace import Expr


def described() -> da.System:
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    mass = assert_type(s.parameter("m", 1.0), Expr)
    s.add_body("rod", mass=mass, com=(0.5, 0, 0), inertia=[0, 0.1, 0.1])
    s.add_body("tip", assert_type(da.rod(1.0, 0.5), da.MassProperties), shapes=[da.shapes.Sphere(0.1)])
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod")
    s.add_joint("B", da.Universal(), "rod", "tip", at_parent=np.array([1.0, 0, 0]), at_child=da.Frame((0, 0, 0)))
    s.add_force("spring", da.JointSpring("A", stiffness=2.0))
    s.add_constraint("link", da.Distance(("rod", (1, 0, 0)), "ground", 1.0))
    s.add_output("height", lambda s: s.position("tip")[1])
    s.add_event("bottom", da.Event(lambda s: s.q["A"], direction=1))
    s.simulation = {"duration": 1.0, "rtol": 1e-8}
    return s


def simulated() -> None:
    m = assert_type(described().build(cut=["B"]), da.Mechanism)
    careful = da.SimulationOptions(rtol=1e-12, output=[0.0, 0.5, 1.0], stabilise=da.Baumgarte(10.0, 25.0))
    motion = assert_type(m.simulate(1.0, {"A": 0.3}, options=careful), da.Motion)
    m.simulate(
        1.0, np.zeros(m.n_q), method="radau", until=lambda s: s.t - 0.5, control=lambda s: {"A": 1.0}, control_rate=10
    )
    assert_type(motion.energy().total, np.ndarray)
    assert_type(motion.position(("rod", (1, 0, 0))), np.ndarray)
    assert_type(motion["A"], np.ndarray)
    assert_type(m.simulate_many([[0.1], [0.2]], 1.0, step=1e-3), Motions)
    m.simulate(1.0, rtol="small")  # type: ignore[arg-type]
    m.simulate(1.0, tolerance=1e-9)  # type: ignore[call-arg]


def computed(m: da.Mechanism) -> None:
    state = assert_type(m.state([0.1, 0.0, 0.0]), da.State)
    assert_type(state.position("rod"), np.ndarray)
    assert_type(m.symbolic_state(), da.State)
    written = assert_type(m.equations("kane"), WrittenEquations)
    assert_type(written.text(), str)
    assert_type(written.solve([0.1], [0.0]), Solution)
    assert_type(m.forward_dynamics([0.1], [0.0], parameters={"m": [1.0, 2.0]}), np.ndarray)
    assert_type(m.assemble({"A": 0.1}), tuple[np.ndarray, np.ndarray])
    assert_type(da.sin(0.1), float)
    assert_type(da.cos(written.t), Expr)
    assert_type(da.maximum(written.t, 0.0), Expr)


def analysed(m: da.Mechanism) -> None:
    assert_type(m.inspect(), Inspection)
    assert_type(m.diagnose(), Diagnosis)
    assert_type(m.compare(["kane"]), Comparison)
    assert_type(m.equilibrium({"A": 0.1}), Equilibrium)
    linear = assert_type(m.linearise([0.1], outputs={"x": lambda s: s.q["A"]}), Linearisation)
    assert_type(linear.modes(), Modes)
    assert_type(m.root_locus("m", [1.0, 2.0]), Locus)
    assert_type(m.drives([0.1], [0.0], [0.0], ["A"]), Drives)
    assert_type(m.sensitivities(1.0, parameters=["m"]), Sensitivities)
    assert_type(m.sweep("A", np.linspace(0, 1, 11)), Sweep)
    assert_type(da.load("model.yaml"), da.Mechanism)
    assert_type(da.load_motion("motion.nc", m), da.Motion)
    assert_type(da.System.load("model.yaml"), da.System)
