"""FMUs in the hands of FMPy: valid, and moving as the package moves them."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files
from tests.exporters.compiling import compiler

fmpy = pytest.importorskip("fmpy")
from fmpy import extract, read_model_description, simulate_fmu  # noqa: E402
from fmpy.fmi2 import FMU2Slave  # noqa: E402
from fmpy.util import validate_result  # noqa: E402
from fmpy.validation import validate_fmu  # noqa: E402

VERSIONS = ("2.0", "3.0")
DURATION = 0.5


@pytest.fixture(scope="module", autouse=True)
def _compiler():
    compiler()


@pytest.fixture(scope="module")
def four_bar(tmp_path_factory):
    """The mechanism, its motion, and its FMU of each version."""
    m = da.load(files()["four_bar"])
    motion = m.simulate(DURATION, output=0.05)
    folder = tmp_path_factory.mktemp("fmu")
    return m, motion, {v: motion.export_fmu(folder / f"four_bar_{v}.fmu", v, reactions=["D"]) for v in VERSIONS}


def end_of(fmu, m, kind="CoSimulation", **start):
    names = [*(f"q.{c}" for c in m.coordinates), *(f"u.{c}" for c in m.speeds)]
    found = simulate_fmu(
        str(fmu),
        stop_time=DURATION,
        fmi_type=kind,
        output=names,
        output_interval=0.05,
        relative_tolerance=1e-10,
        start_values=start,
    )
    return np.array([found[-1][n] for n in names])


def last(motion):
    return np.concatenate([motion.q[-1], motion.u[-1]])


@pytest.mark.parametrize("version", VERSIONS)
def test_an_fmu_is_valid_and_moves_as_here(four_bar, version):
    m, motion, fmus = four_bar
    assert validate_fmu(str(fmus[version])) == []
    np.testing.assert_allclose(end_of(fmus[version], m), last(motion), rtol=0, atol=1e-9)
    np.testing.assert_allclose(end_of(fmus[version], m, "ModelExchange"), last(motion), rtol=0, atol=1e-6)


@pytest.mark.parametrize("kind", ["CoSimulation", "ModelExchange"])
@pytest.mark.parametrize("version", VERSIONS)
def test_the_rule_of_the_cross_check_holds(four_bar, version, kind):
    """No sample lies outside the band around the reference that FMI's cross-check draws."""
    m, _, fmus = four_bar
    names = [*(f"q.{c}" for c in m.coordinates), *(f"u.{c}" for c in m.speeds)]
    here = m.simulate(DURATION, output=0.005)
    rows = [(t, *q, *u) for t, q, u in zip(here.t, here.q, here.u)]
    reference = np.array(rows, dtype=[(name, float) for name in ("time", *names)])
    found = simulate_fmu(str(fmus[version]), stop_time=DURATION, fmi_type=kind, output=names, output_interval=0.005)
    assert validate_result(found, reference, stop_time=DURATION - 1e-9) == 0.0


@pytest.mark.parametrize("version", VERSIONS)
def test_lengths_are_parameters_and_the_loops_are_closed_anew(four_bar, version):
    m, _, fmus = four_bar
    changed = m.simulate(DURATION, parameters={"crank": 0.3})
    np.testing.assert_allclose(end_of(fmus[version], m, crank=0.3), last(changed), rtol=0, atol=1e-9)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_start_of_the_importer_is_kept(four_bar, version):
    m, _, fmus = four_bar
    other = m.simulate(DURATION, {"A": 0.8})
    np.testing.assert_allclose(end_of(fmus[version], m, **{"q.A": 0.8}), last(other), rtol=0, atol=1e-9)


def test_inputs_outputs_and_reactions(four_bar):
    _, motion, fmus = four_bar
    description = read_model_description(str(fmus["3.0"]))
    kinds = {v.name: (v.causality, v.unit) for v in description.modelVariables}
    assert (
        kinds["force.A"] == ("input", "N.m") and kinds["crank"][0] == "parameter" and kinds["q.A"] == ("output", "rad")
    )
    wanted = [f"reaction.D.force[{i}]" for i in (1, 2, 3)] + [f"position.rocker[{i}]" for i in (1, 2, 3)]
    found = simulate_fmu(
        str(fmus["3.0"]), stop_time=DURATION, output=wanted, output_interval=0.05, fmi_type="CoSimulation"
    )
    here = np.vstack([motion.reaction("D").force[-1], motion.pose("rocker").position[-1]]).ravel()
    np.testing.assert_allclose([found[-1][n] for n in wanted], here, atol=1e-8)


def test_a_force_from_outside_drives_it(four_bar):
    """A constant generalized force on the crank does what the same torque in the model does."""
    m, _, fmus = four_bar
    driven = m.simulate(DURATION, control=lambda s: {"A": 2.0}, control_rate=1000.0)
    np.testing.assert_allclose(end_of(fmus["2.0"], m, **{"force.A": 2.0}), last(driven), rtol=0, atol=1e-7)


def test_states_are_saved_taken_back_and_written_down(four_bar, tmp_path):
    _, _, fmus = four_bar
    folder = extract(str(fmus["2.0"]), str(tmp_path))
    about = read_model_description(folder)
    fmu = FMU2Slave(
        guid=about.guid, unzipDirectory=folder, modelIdentifier=about.coSimulation.modelIdentifier, instanceName="one"
    )
    reference = {v.name: v.valueReference for v in about.modelVariables}
    fmu.instantiate()
    fmu.setupExperiment(startTime=0.0)
    fmu.enterInitializationMode()
    fmu.exitInitializationMode()
    fmu.doStep(0.0, 0.1)
    kept = fmu.getFMUState()
    written = fmu.serializeFMUState(kept)

    def on() -> float:
        fmu.doStep(0.1, 0.1)
        return float(fmu.getReal([reference["q.A"]])[0])

    first = on()
    fmu.setFMUState(kept)
    assert on() == first
    fmu.setFMUState(fmu.deserializeFMUState(written))
    assert on() == first
    fmu.terminate()
    fmu.freeInstance()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_length_that_cannot_be_assembled_is_an_error_in_words(four_bar, version, capfd):
    m, _, fmus = four_bar
    with pytest.raises(Exception, match=r"fmi[23]"):
        end_of(fmus[version], m, crank=7.0)


def test_an_event_that_ends_the_motion_ends_co_simulation(tmp_path):
    s = da.System("falling", gravity=(0, 0, -9.81))
    s.add_body("stone", da.sphere(mass=1.0, radius=0.1))
    s.add_joint("J", da.Prismatic((0, 0, 1)), "ground", "stone")
    s.add_event("ground", da.Event(lambda s: s.q["J"], direction=-1, terminal=True))
    motion = s.build().simulate(2.0, initial={"J": 1.0})
    assert motion.t[-1] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-9)
    fmu = motion.export_fmu(tmp_path / "falling.fmu", "2.0")
    found = simulate_fmu(str(fmu), stop_time=1.0, output=["q.J"], output_interval=0.1, fmi_type="CoSimulation")
    assert abs(found[-1]["q.J"]) < 1e-9 or found[-1]["time"] <= np.sqrt(2 / 9.81) + 1e-9


@pytest.fixture(scope="module")
def driven():
    """A rod that a motor turns, with a sampled controller."""
    s = da.System("driven", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(mass=0.5, length=0.6))
    s.add_joint("A", da.Revolute((0, 0, 1)), "ground", "rod")
    pid = da.PID(10.0, 4.0, 0.2, period=0.04)
    s.add_element("pid", pid, reference=s.parameter("wanted", 1.0), measured=lambda s: s.q["A"])
    s.add_element("motor", da.DCMotor("A", resistance=1.0, inductance=0.01, constant=0.5), voltage="pid.output")
    return s.build()


@pytest.mark.parametrize("version", VERSIONS)
def test_states_of_elements_are_states_and_samples_are_events(driven, tmp_path, version):
    motion = driven.simulate(0.5, output=0.05)
    fmu = str(motion.export_fmu(tmp_path / "driven.fmu", version))
    assert validate_fmu(fmu) == []
    names = ["q.A", "u.A", *(f"z.{name}" for name in driven.states), "signal.motor.torque"]
    torque = motion.evaluate(lambda s: s.signal("motor.torque"))
    expected = np.column_stack([motion.q, motion.u, motion.z, torque])[-2]  # at 0.45 s nothing is sampled
    for kind, within in (("CoSimulation", 1e-9), ("ModelExchange", 1e-5)):
        found = simulate_fmu(
            fmu, stop_time=0.5, fmi_type=kind, output=names, output_interval=0.05, relative_tolerance=1e-10
        )
        row = found[np.flatnonzero(np.isclose(found["time"], 0.45))[-1]]
        np.testing.assert_allclose([row[n] for n in names], expected, rtol=0, atol=within * np.abs(expected).max())


def test_the_same_model_gives_the_same_token_and_another_one_another(four_bar, tmp_path):
    m, motion, fmus = four_bar
    again = motion.export_fmu(tmp_path / "again.fmu", "2.0", platforms=[], reactions=["D"])
    other = m.simulate(DURATION, parameters={"crank": 0.3}, output=0.05).export_fmu(
        tmp_path / "other.fmu", "2.0", platforms=[]
    )
    tokens = [read_model_description(str(x), validate=False).guid for x in (fmus["2.0"], again, other)]
    assert tokens[0] == tokens[1] != tokens[2]


def test_wrong_calls_are_refused_in_words(four_bar, tmp_path):
    _, motion, _ = four_bar
    with pytest.raises(da.DalembertError, match=r"FMI version .* choose 2.0 or 3.0"):
        motion.export_fmu(tmp_path / "x.fmu", "1.0")
    with pytest.raises(da.DalembertError, match=r"platform .* is not known; choose among"):
        motion.export_fmu(tmp_path / "x.fmu", platforms=["amiga"])
    with pytest.raises(da.DalembertError, match="joint 'Z'"):
        motion.export_fmu(tmp_path / "x.fmu", reactions=["Z"])
    assert not (tmp_path / "x.fmu").exists()
