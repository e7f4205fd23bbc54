"""Files made to harm: each loader refuses them in words, soon, with little memory, and without leaving the model's folder."""

from __future__ import annotations

import os
import struct
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import dalembert as da
from dalembert.files import sealed_netcdf
from dalembert.parts import meshes
from dalembert.simulation.march.checkpoint import load_checkpoint
from dalembert.trace.table import Table

LOADERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "YAML": ("x.yaml", da.load),
    "JSON": ("x.json", da.load),
    "URDF": ("x.urdf", da.load_urdf),
    "MJCF": ("x.xml", da.load_mjcf),
    "robot": ("x.urdf", da.load_robot),
    "STL": ("x.stl", meshes.load),
    "OBJ": ("x.obj", meshes.load),
    "SID": ("x.sid", da.elastic.read_sid),
    "NPZ": ("x.npz", da.elastic.load_matrices),
    "CSV": ("x.csv", Table.read),
    "motion": ("x.nc", da.load_motion),
    "checkpoint": ("x.ckpt", load_checkpoint),
}
STRANGE = {
    "nothing": b"",
    "NUL": b"\0" * 5000,
    "no text": bytes(range(256)) * 40,
    "UTF-16": "name: x\n".encode("utf-16"),
    "newlines": b"\n" * 100_000,
    "one line": b"a" * 300_000,
    "numbers": b"1,2\n" * 3 + b"9" * 5000 + b",1\n",
    "brackets": b"[" * 50_000,
    "elements": b"<a>" * 50_000,
}


@pytest.fixture(params=LOADERS)
def loader(request):
    return LOADERS[request.param]


@pytest.mark.parametrize("what", STRANGE)
def test_strange_contents_are_refused_in_words(tmp_path, loader, what):
    name, load = loader
    (tmp_path / name).write_bytes(STRANGE[what])
    with pytest.raises(da.DalembertError):
        load(tmp_path / name)


def test_what_is_no_file_is_refused_in_words(tmp_path, loader):
    """Missing, a folder, a name beyond every limit, a name with a NUL, a link to itself, a pipe that nobody writes to, a device."""
    name, load = loader
    (tmp_path / "folder" / name).mkdir(parents=True)
    (tmp_path / "round" / name).parent.mkdir()
    (tmp_path / "round" / name).symlink_to(tmp_path / "round" / name)
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / name)
    (tmp_path / "device").mkdir()
    (tmp_path / "device" / name).symlink_to("/dev/zero")
    ending = Path(name).suffix
    places = [tmp_path / "none" / name, tmp_path / f"{'n' * 5000}{ending}", tmp_path / f"a\0b{ending}"]
    for path in (*places, *(tmp_path / kind / name for kind in ("folder", "round", "pipe", "device"))):
        told: list[BaseException] = []
        thread = threading.Thread(target=_call, args=(load, path, told), daemon=True)
        thread.start()
        thread.join(20.0)
        assert not thread.is_alive(), f"hangs on {path}"
        assert len(told) == 1 and isinstance(told[0], da.DalembertError), (path, told)


def _call(load: Callable[[Path], Any], path: Path, told: list[BaseException]) -> None:
    try:
        load(path)
    except BaseException as problem:
        told.append(problem)


def test_a_gigabyte_is_not_read(tmp_path, loader):
    """A file with a hole: large to read, nothing on the disk."""
    name, load = loader
    with open(tmp_path / name, "wb") as file:
        file.truncate((17 if name in ("x.nc", "x.ckpt") else 3) * 2**30)
    tracemalloc.start()
    with pytest.raises(da.DalembertError, match="larger than the"):
        load(tmp_path / name)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e6


# -- what the content promises ---------------------------------------------------------------------------------------------
def stl(path: Path) -> Path:
    path.write_bytes(b"\0" * 80 + struct.pack("<I", 0xFFFFFFFF) + b"\0" * 50)
    return path


def market(path: Path, head: str) -> Path:
    path.write_text(f"%%MatrixMarket matrix {head}\n1 1 1.0\n")
    return path


def sid(path: Path, modes: str, rows: str) -> Path:
    matrix = f"nrow = {rows}\nncol = {rows}\nstructure = 3\n"
    names = ("mdCM", "J", "Ct", "Cr", "Me", "Ge", "Oe", "Ke")
    path.write_text(f"mass = 1\nnelastq = {modes}\n" + "".join(f"{x}\n{matrix}end {x}\n" for x in names))
    return path


def bomb(path: Path) -> Path:
    """An archive that says that its one member unpacks to 3 GB."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("M.npy", b"\0" * 5000)
    content = path.read_bytes()
    path.write_bytes(content.replace(struct.pack("<I", 5000), struct.pack("<I", 3 * 2**30)))
    return path


def absurd_motion(path: Path) -> Path:
    with h5py.File(path, "w") as file:
        file.create_dataset("q", shape=(10**12,), chunks=(1000,), dtype="f8", compression="gzip")
    return path


def absurd_chunks(path: Path) -> Path:
    """One number, in a chunk of zeros that unfolds a thousandfold."""
    with h5py.File(path, "w") as file:
        made = file.create_dataset(
            "q", (1,), "f8", maxshape=(None,), chunks=(2**24,), compression="gzip", compression_opts=9
        )
        made[0] = 1.0
    return path


PROMISES: dict[str, Callable[[Path], Any]] = {
    "triangles in binary STL": lambda p: meshes.load(stl(p / "x.stl")),
    "corners of an OBJ face": lambda p: meshes.load(_written(p / "x.obj", "v 0 0 0\nf" + " 1" * 2_000_000)),
    "modes in SID": lambda p: da.elastic.read_sid(sid(p / "x.sid", "1e9", "3")),
    "no number of modes in SID": lambda p: da.elastic.read_sid(sid(p / "x.sid", "inf", "3")),
    "rows in SID": lambda p: da.elastic.read_sid(sid(p / "x.sid", "2", "1000000000")),
    "rows in Matrix Market": lambda p: da.elastic.load_matrices(
        market(p / "M", "coordinate real general\n1000000000 1000000000 1"), p / "M", _written(p / "x", "0 0 0")
    ),
    "full Matrix Market": lambda p: da.elastic.load_matrices(
        market(p / "M", "array real general\n50000 50000"), p / "M", _written(p / "x", "0 0 0")
    ),
    "numbers in a motion": lambda p: da.load_motion(absurd_motion(p / "x.nc")),
    "chunks in a motion": lambda p: da.load_motion(absurd_chunks(p / "x.nc")),
    "aliases in YAML": lambda p: da.load(_written(p / "x.yaml", _aliases())),
    "entities in XML": lambda p: da.load_mjcf(_written(p / "x.xml", _entities())),
}


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def _aliases() -> str:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    return "\n".join([*lines, *(f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 12))])


def _entities() -> str:
    inner = "".join(f'<!ENTITY e{k} "{f"&e{k - 1};" * 10}">' for k in range(1, 12))
    return f'<!DOCTYPE mujoco [<!ENTITY e0 "lol">{inner}]><mujoco>&e11;</mujoco>'


@pytest.mark.parametrize("what", PROMISES)
def test_no_promise_of_a_file_fills_the_memory(tmp_path, what):
    tracemalloc.start()
    with pytest.raises(da.DalembertError):
        PROMISES[what](tmp_path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5e7


def test_an_archive_that_unfolds_without_end_is_not_unpacked(tmp_path):
    path = bomb(tmp_path / "x.npz")
    with pytest.raises(da.DalembertError, match="more than the 2048 MB"):
        da.elastic.load_matrices(path)


def test_arrays_never_hold_code(tmp_path):
    """Pickled objects in an archive of arrays are not unpickled."""

    class Harm:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "harm"),))

    np.savez(tmp_path / "x.npz", M=np.array([Harm()], dtype=object), K=np.eye(1), coordinates=np.zeros((1, 3)))
    with pytest.raises(da.DalembertError):
        da.elastic.load_matrices(tmp_path / "x.npz")
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    "text", ["!!python/object/apply:os.mkdir [harm]", "a: !!python/name:os.system ''", "initial: {A: !x 1}"]
)
def test_model_files_hold_no_objects(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(da.ModelFileError, match="tag"):
        da.load(_written(tmp_path / "x.yaml", text))
    assert not (tmp_path / "harm").exists()


@pytest.mark.parametrize(
    "text",
    [
        '__import__("os").mkdir("harm")',
        "().__class__",
        "exec(1)",
        "t.real",
        "[x for x in q]",
        "lambda: 1",
        "open(t)",
        "q.A if t else 1",
    ],
)
def test_expressions_are_arithmetic_and_nothing_else(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    body = "bodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {A: {type: revolute, parent: ground, child: b}}\n"
    path = _written(tmp_path / "x.yaml", f"name: x\n{body}outputs:\n  y: {{type: value, of: {text!r}}}\n")
    with pytest.raises(da.ModelFileError):
        da.load(path)
    assert not (tmp_path / "harm").exists()


# -- leaving the folder ------------------------------------------------------------------------------------------------------
OUTSIDE = ["../secret.csv", "/etc/passwd", "a/../../secret.csv", "link.csv", "~/secret.csv", "..\\secret.csv", "file:///etc/passwd",
           "C:/secret.csv", "n" * 5000, "a\0b", "folder", "pipe.csv", "https://example.org/secret.csv"]  # fmt: skip


@pytest.fixture
def model_folder(tmp_path):
    """A model's folder with a link that leads out of it, and beside it what nobody may read."""
    folder = tmp_path / "model"
    (folder / "folder").mkdir(parents=True)
    (tmp_path / "secret.csv").write_text("0,1\n1,2\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    os.mkfifo(folder / "pipe.csv")
    return folder


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_model_file_reads_nothing_outside_its_folder(model_folder, name):
    quoted = '"' + name.replace("\\", "\\\\").replace("\0", "\\0") + '"'
    path = _written(model_folder / "x.yaml", f"name: x\ntables: {{a: {{file: {quoted}}}}}\n")
    with pytest.raises(da.ModelFileError, match=r"folder of this model file|pipe"):
        da.load(path)


@pytest.mark.parametrize("name", [x for x in OUTSIDE if "\0" not in x])
def test_a_robot_reads_nothing_outside_its_folder(model_folder, name):
    path = _written(model_folder / "x.xml", f'<mujoco><include file="{name}"/></mujoco>')
    with pytest.raises(da.DalembertError):
        da.load_mjcf(path)
    mesh = f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
    path = _written(model_folder / "x.urdf", f'<robot name="r"><link name="a">{mesh}</link></robot>')
    assert any("mesh" in note for note in da.load_urdf(path).notes)


def test_a_wider_folder_must_be_asked_for(model_folder):
    (model_folder.parent / "part.xml").write_text("<mujoco><option gravity='0 0 -1'/></mujoco>")
    path = _written(model_folder / "x.xml", '<mujoco><include file="../part.xml"/></mujoco>')
    with pytest.raises(da.ModelError, match="folder="):
        da.load_mjcf(path)
    for load in (da.load_mjcf, da.load_robot):
        assert load(path, folder=model_folder.parent).system.gravity[2] == -1.0


# -- motions ------------------------------------------------------------------------------------------------------------------
def kept(path: Path) -> Path:
    s = da.System("pendulum")
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    s.build().simulate(0.1).save(path)
    return path


def test_a_motion_leads_to_no_other_file(tmp_path):
    """HDF5 can keep an array's numbers in any other file, or link to it."""
    (tmp_path / "secret").write_bytes(b"12345678" * 100)
    for harm in ("external", "link", "virtual", "soft"):
        with h5py.File(kept(tmp_path / "x.nc"), "a") as file:
            if harm == "external":
                file.create_dataset("y", shape=(100,), dtype="f8", external=[(str(tmp_path / "secret"), 0, 800)])
            elif harm == "link":
                file["y"] = h5py.ExternalLink(str(tmp_path / "secret"), "/y")
            elif harm == "soft":
                file["y"] = h5py.SoftLink("/q")
            else:
                layout = h5py.VirtualLayout(shape=(1,), dtype="f8")
                layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "y", shape=(1,))
                file.create_virtual_dataset("y", layout)
        with pytest.raises(da.MotionFileError, match=r"another file|link"):
            da.load_motion(tmp_path / "x.nc")


def test_every_damaged_motion_is_refused_in_words_or_the_same(tmp_path):
    content = kept(tmp_path / "x.nc").read_bytes()
    whole = da.load_motion(tmp_path / "x.nc")
    rng = np.random.default_rng(0)
    for _ in range(12):
        damaged = bytearray(content)
        for at in rng.integers(0, len(content), rng.integers(1, 4)):
            damaged[at] ^= 1 << rng.integers(8)
        (tmp_path / "y.nc").write_bytes(damaged if rng.random() < 0.8 else damaged[: rng.integers(len(damaged))])
        try:
            assert np.array_equal(da.load_motion(tmp_path / "y.nc").q, whole.q)
        except da.DalembertError:
            continue


def test_hdf5_is_not_tried_on_a_damaged_motion(tmp_path, monkeypatch):
    """It may stand still on one: the seal tells of damage first, and without the seal another process tries, which can be ended."""
    whole = kept(tmp_path / "x.nc").read_bytes()
    body = whole[: whole.rindex(b"\ndalembert sha256 ")]

    def load(content: bytes) -> np.ndarray:
        (tmp_path / "y.nc").write_bytes(content)
        return da.load_motion(tmp_path / "y.nc").q

    assert np.array_equal(load(body), load(whole))
    with pytest.raises(da.MotionFileError, match="end is missing"):
        load(body[:-1])
    monkeypatch.setattr(sealed_netcdf, "_TRY", "while True: pass")
    monkeypatch.setattr(sealed_netcdf, "PATIENCE", 0.2)
    with pytest.raises(da.MotionFileError, match=r"cannot make it out within 0.2 s"):
        load(body)
    for at in np.random.default_rng(1).integers(0, len(whole), 40):
        damaged = bytearray(whole)
        damaged[at] ^= 255
        with pytest.raises(da.MotionFileError):
            load(bytes(damaged))


def test_tables_in_memory_are_not_larger_than_they_must(tmp_path):
    """Sixteen bytes for a line of four characters, and not a list of lists."""
    path = _written(tmp_path / "x.csv", "".join(f"{k},0\n" for k in range(20_000)))
    tracemalloc.start()
    Table.read(path, "linear")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120 * 20_000
