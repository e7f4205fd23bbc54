"""A folder goes on with the study that began it and with no other, whatever it holds and however a difference is hidden."""

from __future__ import annotations

import json
import pickle
import shutil

import numpy as np
import pytest
from scipy import stats

import dalembert as da
from tests.studies.models import four_bar, pendulum


def said(factor=1.0, torque=None):
    """A pendulum whose output, and whose motor, is a function of the model's own."""
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    length = s.parameter("l", 1.0)
    s.add_body("bob", da.particle(1.0, at=(0, -length, 0)))
    s.add_joint("A", da.Revolute(), "ground", "bob")
    s.add_output("swing", lambda s: factor * s.q["A"])
    if torque is not None:
        s.add_force("motor", da.Motor("A", lambda s: torque if float(s.q["A"]) > 0.0 else 0.0))
    return s.build()


def study(m=None, how="±5%", outputs=("end swing",), **options):
    initial = options.pop("initial", {"A": 1.0})
    return da.Study(m or said(), {"l": how}, outputs, 8, duration=0.1, initial=initial, **options)


class Steering:
    """A controller with a gain of its own."""

    def __init__(self, gain):
        self.gain = gain

    def __call__(self, s):
        return {"A": -self.gain * s.q["A"]}


def histogram(width):
    return stats.rv_histogram(np.histogram(1.0 + width * np.linspace(-1.0, 1.0, 50), bins=5))


PAIRS = {
    "the formula of a model's output": lambda k: study(said(factor=k)),
    "a force in Python": lambda k: study(said(torque=k)),
    "a function": lambda k: study(outputs={"x": ("max", lambda s: k * s.q["A"])}),
    "a function of the motion": lambda k: study(outputs={"x": da.studies.of_motion(lambda m: k * m["A"][-1])}),
    "a controller": lambda k: study(control=Steering(k), control_rate=10.0),
    "an event": lambda k: study(events={"e": lambda s: s.q["A"] - 0.1 * k}),
    "what an event does": lambda k: study(events={"e": da.Event(lambda s: s.q["A"], action=da.SetParameter("l", k))}),
    "a distribution": lambda k: study(how=histogram(0.1 * k)),
    "initial values": lambda k: study(initial={"A": k}),
    "options": lambda k: study(options=da.SimulationOptions(rtol=1e-6 * k)),
}


@pytest.mark.filterwarnings("ignore::dalembert.SlowForceWarning")
@pytest.mark.parametrize("make", PAIRS.values(), ids=PAIRS)
def test_whatever_decides_the_answers_tells_studies_apart(make):
    assert make(1.0).contents == make(1.0).contents != make(2.0).contents


def test_the_branch_of_a_loop_tells_studies_apart():
    def of(guess):
        s = da.System("four-bar")
        r = s.parameter("r", 0.4)
        for name, length in (("crank", r), ("coupler", 1.0), ("rocker", 0.9)):
            s.add_body(name, da.rod(1.0, length))
        s.add_joint("A", da.Revolute(), "ground", "crank")
        s.add_joint("B", da.Revolute(), "crank", "coupler", at_parent=(r, 0, 0))
        s.add_joint("C", da.Revolute(), "coupler", "rocker", at_parent=(1.0, 0, 0), at_child=(0.9, 0, 0))
        s.add_joint("D", da.Revolute(), "ground", "rocker", at_parent=(1, 0, 0))
        s.guess = guess
        return da.Study(s.build(), {"r": (0.3, 0.5)}, ["start B"], 4, duration=0.1, initial={"A": 1.0})

    one, other = of({}), of({"B": -2.0, "D": -2.0})
    assert np.abs(one.run()["start B"] - other.run()["start B"]).min() > 0.1 and one.contents != other.contents


def test_another_formula_is_no_reason_to_give_old_answers(tmp_path):
    study().run(folder=tmp_path / "s")
    with pytest.raises(da.FileError, match="differs in outputs"):
        study(said(factor=2.0)).run(folder=tmp_path / "s")


def test_what_cannot_be_told_apart_is_not_kept(tmp_path):
    with open(tmp_path / "f", "w") as file:
        asked = study(outputs={"x": da.studies.of_motion(lambda m: float(file.closed))})
        assert (asked.run()["x"] == 0.0).all()
        with pytest.raises(da.ArgumentError, match="leave folder= out"):
            asked.run(folder=tmp_path / "s")


@pytest.mark.parametrize("store", ["netcdf", "zarr"])
def test_blocks_of_another_study_or_of_other_runs_are_refused(tmp_path, store):
    a, b = (da.Study(said(), {"l": "±5%"}, ["end A"], 1300, duration=0.01, seed=k) for k in (0, 1))
    for name, one in (("a", a), ("b", b)):
        one.run(folder=tmp_path / name, store=store, block=256)
    where, ending = ("blocks", ".nc") if store == "netcdf" else ("record", ".json")
    first, second = (tmp_path / "a" / where / f"{k:09d}{ending}" for k in (0, 1))
    own = first.read_bytes()
    for planted in (second, tmp_path / "b" / where / first.name):
        shutil.copy(planted, first)
        with pytest.raises(da.FileError, match="of another study, or of other runs"):
            da.studies.load_study(tmp_path / "a")["end A"]
        with pytest.raises(da.FileError, match="of another study, or of other runs"):
            a.run(folder=tmp_path / "a")
    first.write_bytes(own)
    (first.parent / f"old{ending}").write_bytes(own)  # nobody's
    (first.parent / f"000009999{ending}").write_bytes(own)
    assert da.studies.load_study(tmp_path / "a").done.all()


def _runs(code):
    class Planted:
        def __reduce__(self):
            return exec, (code,)

    return pickle.dumps(Planted())


def test_no_array_of_a_folder_is_unpacked_or_unpickled(tmp_path):
    """Zarr knows codecs that run code, and such that unfold a few bytes to gigabytes: none is asked."""
    asked = da.Study(pendulum(), {"l": "±5%"}, ["end A"], 16, duration=0.01)
    sign = tmp_path / "ran"
    planted = _runs(f"open({str(sign)!r}, 'w')")
    for k, codec in enumerate(("numcodecs.pickle", "zstd", "gzip", "blosc")):
        folder = tmp_path / f"s{k}"
        asked.run(folder=folder, store="zarr")
        (array,) = (folder / "data.zarr").glob("column*")
        about = json.loads((array / "zarr.json").read_text())
        about["codecs"].append(
            {"name": codec, "configuration": {"level": 1, "checksum": False} if codec == "zstd" else {}}
        )
        (array / "zarr.json").write_text(json.dumps(about))
        (array / "c" / "0").write_bytes(planted)
        with pytest.raises(da.FileError, match="cannot be read"):
            da.studies.load_study(folder)["end A"]
    shutil.rmtree(array)
    array.mkdir()
    of_old = {
        "zarr_format": 2,
        "shape": [16],
        "chunks": [16],
        "dtype": "|O",
        "compressor": None,
        "fill_value": None,
        "order": "C",
    }
    (array / ".zarray").write_text(json.dumps({**of_old, "filters": [{"id": "pickle"}]}))
    (array / "0").write_bytes(planted)
    for group in (folder / "data.zarr").glob("zarr.json"):
        group.unlink()
    (folder / "data.zarr" / ".zgroup").write_text('{"zarr_format": 2}')
    with pytest.raises(da.FileError, match="cannot be read"):
        da.studies.load_study(folder)["end A"]
    assert not sign.exists()


def test_no_promise_of_a_folder_fills_the_memory(tmp_path):
    asked = da.Study(pendulum(), {"l": "±5%"}, ["end A", "series A"], 16, duration=0.01)
    folder = tmp_path / "s"
    asked.run(folder=folder, store="zarr")
    (array,) = (folder / "data.zarr").glob("column series*")
    own = (array / "zarr.json").read_text()
    about = json.loads(own)
    wide = 10**12
    about["shape"][1], about["chunk_grid"]["configuration"]["chunk_shape"][1] = wide, wide
    (array / "zarr.json").write_text(json.dumps(about))
    with pytest.raises(da.FileError, match="not as large as it says"):
        da.studies.load_study(folder)["series A"]
    (array / "zarr.json").write_text(own)
    described = json.loads((folder / "study.json").read_text())
    for spoilt, said in (({"runs": 10**15}, "speaks of"), ({"runs": 0}, "damaged"), ({"runs": "many"}, "damaged")):
        (folder / "study.json").write_text(json.dumps(described | {"study": described["study"] | spoilt}))
        with pytest.raises(da.FileError, match=said):
            da.studies.load_study(folder)
    for block in (0, -1, 1.5, None):
        (folder / "study.json").write_text(json.dumps(described | {"block": block}))
        with pytest.raises(da.FileError, match="damaged"):
            da.studies.load_study(folder)


def test_columns_with_strange_names_stay_apart(tmp_path):
    names = ["a/b", "a∕b", "a\\b", "a%2Fb", "A", "..", "ü"]
    outputs = {name: ("end", lambda s, k=k: k * s.q["A"]) for k, name in enumerate(names, 1)}
    asked = da.Study(pendulum(), {"l": "±5%"}, outputs, 8, duration=0.01, initial={"A": 1.0})
    asked.run(folder=tmp_path / "s", store="zarr")
    found, whole = da.studies.load_study(tmp_path / "s"), asked.run()
    assert set(found.names) == set(names) and all(np.array_equal(found[x], whole[x]) for x in names)


@pytest.mark.parametrize("second", [1.0, 1e-8])
@pytest.mark.parametrize("start", [0.0, 1e3])
def test_answers_do_not_hang_on_the_unit_of_time(second, start):
    """A pendulum said in seconds and in tens of nanoseconds, and long after the beginning of time: all samples at their own."""
    s = da.System("pendulum", gravity=(0, -9.81 / second**2, 0))
    s.add_body("bob", da.particle(1.0, at=(0, -s.parameter("l", 1.0), 0)))
    s.add_joint("A", da.Revolute(), "ground", "bob")
    options = da.SimulationOptions(output=0.01 * second, start=start * second)
    asked = da.Study(
        s.build(), {"l": "±5%"}, ["series A"], 16, duration=0.3 * second, initial={"A": 1.0}, options=options
    )
    found = asked.run()
    assert found["series A"].shape == (16, 31)
    assert np.allclose(found["series A"][3], asked.motion(3)["A"], rtol=1e-9)


def test_extremes_at_a_jump_are_samples():
    """A ball's speed jumps where it hits the floor: a parabola through both sides would be faster than it ever was."""
    s = da.System("ball", gravity=(0, -9.81, 0))
    s.add_body("ball", da.particle(1.0))
    s.add_joint("h", da.Prismatic(axis=(0, 1, 0)), "ground", "ball")
    s.add_law("floor", da.Stop("h", lower=0.0, restitution=s.parameter("e", 0.8)))
    options = da.SimulationOptions(output=0.005)
    asked = da.Study(
        s.build(),
        {"e": (0.7, 0.9)},
        ["min h'", "max h'", "peak h'"],
        4,
        duration=1.0,
        initial={"h": 1.0},
        options=options,
    )
    found = asked.run()
    fastest = np.sqrt(2.0 * 9.81)
    assert (found["min h'"] >= -fastest).all() and (found["max h'"] <= found["e"] * fastest * (1 + 1e-9)).all()
    assert np.allclose(found["peak h'"], fastest, rtol=0.02) and np.allclose(
        found["max h'"], found["e"] * fastest, rtol=0.02
    )


def test_a_worker_that_knew_another_study_answers_for_this_one():
    """In one process, by what is sent alone."""
    from dalembert.studies.engines import packed, piece_from

    for gain in (1.0, 5.0):
        asked = da.Study(
            four_bar(), {"crank": "±2%"}, ["end A"], 2, duration=0.1, control=Steering(gain), control_rate=50.0
        )
        assert np.array_equal(piece_from(packed(asked, by_value=False), 0, 2).columns["end A"], asked.run()["end A"])
