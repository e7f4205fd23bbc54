"""What a study has made is kept: a block whole or not at all, and gone on with as if nothing had happened."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray

import dalembert as da
from tests.studies.models import four_bar, pendulum

ROOT = Path(__file__).resolve().parents[2]


def study(runs: int = 64, seed: int = 0) -> da.Study:
    options = da.SimulationOptions(output=0.05, step=0.01)
    outputs = ["max A'", "series A at 0, 0.1", "end A"]
    return da.Study(
        pendulum(), {"l": "±5%"}, outputs, runs, duration=0.3, initial={"A": 1.0}, seed=seed, options=options
    )


def equal(a, b) -> bool:
    return a.names == b.names and all(np.array_equal(a[x], b[x], equal_nan=True) for x in (*a.names, *a.input_names))


@pytest.mark.parametrize("store", ["netcdf", "zarr"])
def test_a_study_goes_on_from_its_folder(tmp_path, store):
    """Interrupted after some blocks, and with a block lost: the same answers, and only what is missing is made."""
    asked = study(700)
    whole = asked.run()

    asked_to_stop = []

    def stop(told):
        if told.done >= 256 and not asked_to_stop:
            asked_to_stop.append(told.done)
            raise KeyboardInterrupt

    part = asked.run(threads=1, folder=tmp_path / "s", store=store, block=256, progress=stop)
    assert part.ended == "interrupted" and 256 <= part.done.sum() < 700
    assert np.isnan(part["end A"][~part.done]).all() and "not made yet" in str(part)
    made = []
    rest = asked.run(threads=2, folder=tmp_path / "s", progress=lambda told: made.append(told.here))
    assert rest.ended == "end" and rest.done.all() and made[-1] == 700 - part.done.sum()
    assert equal(rest, whole)
    read = da.studies.load_study(tmp_path / "s")
    assert equal(read, whole) and read.units == whole.units
    with pytest.raises(da.ArgumentError, match="needs the study itself"):
        read.motion(0)


def test_a_folder_of_another_study_is_refused(tmp_path):
    study().run(folder=tmp_path / "s")
    with pytest.raises(da.FileError, match="differs in seed"):
        study(seed=1).run(folder=tmp_path / "s")
    with pytest.raises(da.FileError, match="leave out store='zarr'"):
        study().run(folder=tmp_path / "s", store="zarr")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("x")
    with pytest.raises(da.FileError, match="holds other things"):
        study().run(folder=tmp_path / "other")
    with pytest.raises(da.FileError, match="is not the folder of a study"):
        da.studies.load_study(tmp_path / "other")
    with pytest.raises(da.FileError, match="needs a folder"):
        study().run(store="zarr")
    (path,) = (tmp_path / "s" / "blocks").glob("*.nc")
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(da.FileError, match="remove it, and run the study again"):
        da.studies.load_study(tmp_path / "s")["end A"]


DRIVER = """
import sys
from tests.studies.test_stores import study
study(1500).run(threads=1, folder=sys.argv[1], block=256, progress=lambda told: print(told.done, flush=True))
"""


def test_a_killed_driver_is_gone_on_with(tmp_path):
    folder = tmp_path / "s"
    killed = subprocess.Popen([sys.executable, "-c", DRIVER, str(folder)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert killed.stdout is not None
    killed.stdout.readline()  # the first block is there
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    asked = study(1500)
    there = da.studies.load_study(folder)
    assert there.done.sum() >= 256
    assert equal(asked.run(folder=folder), asked.run())


def test_answers_are_written_with_everything_that_made_them(tmp_path):
    with pytest.warns(da.SimulationWarning):
        found = da.Study(
            four_bar(), {"crank": [0.4, 5.0]}, ["max D", "series A"], duration=0.2, initial={"A": 1.0}
        ).run()
    found.save(tmp_path / "a.nc")
    with xarray.open_dataset(tmp_path / "a.nc", engine="h5netcdf") as data:
        assert data["max D"].attrs["units"] == "rad" and data["status"].values.tolist() == [0, 1]
        assert np.array_equal(data["input crank"], [0.4, 5.0]) and "cannot be closed" in str(data["reason"].values[0])
        about = json.loads(data.attrs["study"])
        assert about["seed"] == 0 and about["version"] == da.__version__ and about["fingerprint"]
        assert data["series A"].dims == ("run", "time of series A")
    found.save(tmp_path / "a.zarr")
    assert np.array_equal(xarray.open_zarr(tmp_path / "a.zarr", chunks=None)["max D"], found["max D"], equal_nan=True)
    found.save(tmp_path / "a.csv")
    assert len((tmp_path / "a.csv").read_text().splitlines()) >= 3
    with pytest.raises(da.FileError, match="is there already"):
        found.save(tmp_path / "a.zarr")
    with pytest.raises(da.DalembertError, match=r"\.xlsx"):
        found.save(tmp_path / "a.xlsx")


def test_progress_is_told(capsys):
    study().run(progress=True)
    assert "64 of 64 runs" in capsys.readouterr().err
    told = []
    study().run(progress=told.append)
    assert told[-1].left == 0.0 and told[-1].rate > 0.0 and time.monotonic() > told[-1].began
