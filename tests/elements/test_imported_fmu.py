"""FMUs of other programs as what drives a mechanism: the same motion as with the same law in Python; nothing runs by itself."""

from __future__ import annotations

import zipfile

import numpy as np
import pytest

import dalembert as da
from tests.exporters.compiling import compiler

pytest.importorskip("fmpy")
RATE, SPAN = 100.0, 0.5


@pytest.fixture(scope="module", params=["2.0", "3.0"])
def carriage(request, tmp_path_factory):
    """A carriage of mass `m`, pushed by force.x; it puts out its place times a stiffness."""
    compiler()
    s = da.System("carriage", gravity=(0, 0, 0))
    k = s.parameter("k", 20.0)
    s.add_body("b", da.sphere(s.parameter("m", 2.0), 0.1))
    s.add_joint("x", da.Prismatic((1, 0, 0)), "ground", "b")
    s.add_output("pull", lambda s: k * s.q["x"])
    return s.build().simulate(0.1, rtol=1e-12).export_fmu(tmp_path_factory.mktemp("fmu") / "c.fmu", request.param)


def pendulum() -> da.Mechanism:
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(1.0, 0.8))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    return s.build()


def in_python(stiffness=20.0, mass=2.0):
    """The carriage between samples, exactly, under a force that is held."""
    x, v, force = 0.0, 0.0, None

    def control(s):
        nonlocal x, v, force
        if force is not None:
            h = 1.0 / RATE
            x, v = x + v * h + 0.5 * force / mass * h * h, v + force / mass * h
        force = -3.0 * float(s.q["A"])
        return {"A": stiffness * x}

    return control


def test_a_mechanism_and_an_fmu_move_each_other_as_in_python(carriage):
    m = pendulum()
    inputs, forces = {"force.x": lambda s: -3.0 * s.q["A"]}, {"output.pull": "A"}
    with da.ImportedFmu(carriage, inputs=inputs, forces=forces, outputs=["q.x"]) as fmu:
        first = m.simulate(SPAN, {"A": 1.0}, control=fmu, control_rate=RATE)
        expected = m.simulate(SPAN, {"A": 1.0}, control=in_python(), control_rate=RATE)
        np.testing.assert_allclose(first.q[-1], expected.q[-1], rtol=0, atol=1e-9)
        pulled = np.array(fmu.record["output.pull"])
        np.testing.assert_allclose(pulled, 20.0 * np.array(fmu.record["q.x"]), rtol=1e-12)
        assert abs(pulled).max() > 1e-3 and np.allclose(np.diff(fmu.record["t"]), 1 / RATE)
        again = m.simulate(SPAN, {"A": 1.0}, control=fmu, control_rate=RATE)  # begun anew
        np.testing.assert_array_equal(again.q, first.q)
    with da.ImportedFmu(carriage, inputs=inputs, forces=forces, start_values={"m": 4.0}) as fmu:
        heavier = m.simulate(SPAN, {"A": 1.0}, control=fmu, control_rate=RATE)
    expected = m.simulate(SPAN, {"A": 1.0}, control=in_python(mass=4.0), control_rate=RATE)
    np.testing.assert_allclose(heavier.q[-1], expected.q[-1], rtol=0, atol=1e-9)


def test_a_force_at_a_point_is_what_it_is_on_the_joint(carriage):
    m = pendulum()
    still = {"force.x": lambda s: 1.0}
    loads = {("rod", (0.8, 0, 0)): ("output.pull", "q.x", "u.x")}
    with da.ImportedFmu(carriage, inputs=still, loads=loads) as fmu:
        loaded = m.simulate(SPAN, {"A": 1.0}, control=fmu, control_rate=RATE)

    def control(s):
        x = 0.25 * float(s.t) ** 2
        a = float(s.q["A"])
        return {"A": 0.8 * (-np.sin(a) * 20.0 * x + np.cos(a) * x)}

    expected = m.simulate(SPAN, {"A": 1.0}, control=control, control_rate=RATE)
    np.testing.assert_allclose(loaded.q[-1], expected.q[-1], rtol=0, atol=1e-8)


def test_wrong_names_and_files_are_refused_in_words(carriage, tmp_path):
    with pytest.raises(da.DalembertError, match=r"did you mean .force\.x"):
        da.ImportedFmu(carriage, inputs={"force.y": lambda s: 0.0})
    with pytest.raises(da.DalembertError, match=r"output\.pul"):
        da.ImportedFmu(carriage, forces={"output.pul": "A"})
    with pytest.raises(da.DalembertError, match="input"):
        da.ImportedFmu(carriage, inputs={"output.pull": lambda s: 0.0})
    (tmp_path / "no.fmu").write_bytes(b"this is no archive")
    with pytest.raises(da.DalembertError, match="cannot be read"):
        da.ImportedFmu(tmp_path / "no.fmu")
    with (
        da.ImportedFmu(carriage, forces={"output.pull": "B"}) as fmu,
        pytest.raises(da.DalembertError, match="joint or speed 'B'"),
    ):
        pendulum().simulate(0.1, control=fmu, control_rate=RATE)


def test_an_fmu_that_leads_out_of_itself_is_not_unpacked(tmp_path):
    for name in ("../out.txt", "/out.txt", "a/../../out.txt", "c:out.txt", "a\\..\\out.txt"):
        path = tmp_path / "bad.fmu"
        with zipfile.ZipFile(path, "w") as made:
            made.writestr(zipfile.ZipInfo(name), "x")
        with pytest.raises(da.DalembertError, match=r"leads out|cannot be read|description"):
            da.ImportedFmu(path)
    assert not (tmp_path / "out.txt").exists() and not (tmp_path.parent / "out.txt").exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_description_defines_no_entities(tmp_path, encoding):
    text = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    with zipfile.ZipFile(tmp_path / "bad.fmu", "w") as made:
        made.writestr("modelDescription.xml", text.encode(encoding))
    with pytest.raises(da.DalembertError, match="document type"):
        da.ImportedFmu(tmp_path / "bad.fmu")


def test_no_file_starts_an_fmu(tmp_path):
    model = tmp_path / "m.yaml"
    model.write_text(
        "name: m\nbodies:\n  b: {mass: 1.0}\n"
        "joints:\n  x: {type: prismatic, axis: [1, 0, 0], parent: ground, child: b}\n"
        "elements:\n  fmu: {type: imported_fmu, path: c.fmu}\n"
    )
    with pytest.raises(da.DalembertError, match="imported_fmu"):
        da.load(model)
    assert da.ImportedFmu not in da.elements.ELEMENTS
