"""Directional derivatives of FMUs, against differences of what the FMU itself computes."""

from __future__ import annotations

import ctypes
import zipfile

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files
from dalembert.kinematics.constraint_rows import constraint_rows
from tests.exporters.compiling import compiler

fmpy = pytest.importorskip("fmpy")
from fmpy import extract, read_model_description  # noqa: E402
from fmpy.fmi2 import FMU2Model  # noqa: E402
from fmpy.fmi3 import FMU3Model  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def _compiler():
    compiler()


class Exchange:
    """A model-exchange FMU that has begun, of either version."""

    def __init__(self, path, folder):
        place = extract(str(path), str(folder))
        self.about = read_model_description(place)
        self.second = self.about.fmiVersion == "2.0"
        kind = FMU2Model if self.second else FMU3Model
        names = {"modelIdentifier": self.about.modelExchange.modelIdentifier, "instanceName": "one"}
        self.fmu = kind(guid=self.about.guid, unzipDirectory=place, **names)
        self.fmu.instantiate()
        if self.second:
            self.fmu.setupExperiment(startTime=0.0)
            self.fmu.enterInitializationMode()
        else:
            self.fmu.enterInitializationMode(startTime=0.0)
        self.fmu.exitInitializationMode()
        self.fmu.enterContinuousTimeMode()
        self.place = {v.name: v.valueReference for v in self.about.modelVariables}
        self.states = [v.name for v in self.about.modelVariables if v.name[:2] in ("q.", "u.", "z.")]

    def get(self, names):
        places = [self.place[n] for n in names]
        return np.array(self.fmu.getReal(places) if self.second else self.fmu.getFloat64(places))

    def put(self, name, value):
        if name in self.states:
            x = self.get(self.states)
            x[self.states.index(name)] = value
            self.fmu.setContinuousStates((ctypes.c_double * len(x))(*x), len(x))
        elif self.second:
            self.fmu.setReal([self.place[name]], [value])
        else:
            self.fmu.setFloat64([self.place[name]], [value])

    def exact(self, of, known):
        return np.array(self.fmu.getDirectionalDerivative([self.place[n] for n in of], [self.place[known]], [1.0]))

    def differences(self, of, known, h):
        at = float(self.get([known])[0])

        def beside(d):
            self.put(known, at + d)
            found = self.get(of)
            self.put(known, at)
            return found

        D = [(beside(s * h) - beside(-s * h)) / (2 * s * h) for s in (1, 2, 3)]
        return (15 * D[0] - 6 * D[1] + D[2]) / 10


@pytest.mark.parametrize(
    "name, version, reactions, h",
    [("four_bar", "2.0", ["D"], 1e-3), ("press", "3.0", None, 1e-3), ("flexible_slider_crank", "3.0", None, 1e-7)],
)
def test_derivatives_of_rates_outputs_and_reactions_are_exact(tmp_path, name, version, reactions, h):
    motion = da.load(files()[name]).simulate(0.01)
    x = Exchange(motion.export_fmu(tmp_path / "x.fmu", version, reactions=reactions), tmp_path / "x")
    every = [v for v in x.about.modelVariables if v.name not in x.states]
    of = [v.name for v in every if v.name.startswith("der(") or v.causality == "output"]
    known = [*x.states, *(v.name for v in every if v.causality in ("input", "parameter"))]
    assert len(of) > 20 and len(known) > 8
    for k in known:
        found, expected = x.exact(of, k), x.differences(of, k, h)
        rounding = 1e-14 * np.abs(x.get(of)).max() / h  # of the differences
        np.testing.assert_allclose(
            found, expected, rtol=0, atol=1e-7 * (1 + np.abs(expected).max()) + rounding, err_msg=k
        )
    both = np.array(
        x.fmu.getDirectionalDerivative([x.place[n] for n in of], [x.place[k] for k in known[:2]], [2.0, -3.0])
    )
    one, other = x.exact(of, known[0]), x.exact(of, known[1])
    np.testing.assert_allclose(both, 2 * one - 3 * other, rtol=1e-9, atol=1e-9 * (1 + np.abs(both).max()))
    x.fmu.terminate()
    x.fmu.freeInstance()


def test_where_there_are_none_the_description_says_so(tmp_path):
    s = da.System("stopped", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod")
    plain = s.build().simulate(0.1).export_fmu(tmp_path / "a.fmu", "3.0", platforms=[])
    s.add_law("stop", da.Stop("A", lower=-2.0))
    stopped = s.build().simulate(0.1).export_fmu(tmp_path / "b.fmu", "3.0", platforms=[])
    said = [zipfile.ZipFile(x).read("modelDescription.xml").decode() for x in (plain, stopped)]
    assert 'providesDirectionalDerivatives="true"' in said[0]
    assert "ModelExchange" not in said[1] and "Directional" not in said[1]


@pytest.mark.parametrize("version", ["2.0", "3.0"])
def test_a_length_that_changes_at_an_event_has_the_loops_closed_anew(tmp_path, version):
    m = da.load(files()["four_bar"])
    x = Exchange(m.simulate(0.1).export_fmu(tmp_path / "x.fmu", version), tmp_path / "x")
    x.fmu.enterEventMode()
    x.put("crank", 0.42)
    told = x.fmu.newDiscreteStates() if x.second else x.fmu.updateDiscreteStates()
    assert told[3]  # the values of continuous states have changed
    x.fmu.enterContinuousTimeMode()
    state = np.split(x.get(x.states), 2)
    rows = constraint_rows(m.with_parameters(crank=0.42).numeric.state(*state))
    assert np.abs(rows.g).max() < 1e-9 and np.abs(rows.B @ state[1] - rows.b).max() < 1e-9
    assert np.abs(constraint_rows(m.numeric.state(*state)).g).max() > 1e-3
    x.fmu.terminate()
    x.fmu.freeInstance()
