"""Elastic bodies in model files: a beam by its numbers, reduced models by their files, joints at nodes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.files.models.schema import json_schema
from dalembert.files.models.write import plain_data

BEAM = dict(E=6.9e10, rho=2766.0, A=(7e-5, 5e-5), Iy=8e-9, Iz=8e-9)
MODEL = """
name: boom
gravity: [0, -1, 0]
bodies:
  boom:
    elastic:
      {type: beam, length: 8, E: 69e9, rho: 2766, A: [7e-5, 5e-5], Iy: 8e-9, Iz: 8e-9, modes: {y: 2, torsion: 1},
       bodies: [{x: 8, mass: 0.1, inertia: [1e-3, 2e-3, 2e-3]}], nodes: {lamp: 3}, damping: 0.01}
    shapes: {type: sphere, radius: 0.1}
  ball: {matter: {type: sphere, radius: 0.1, mass: 0.1}}
joints:
  A: {type: revolute, parent: ground, child: boom, at_child: root}
  C: {type: revolute, parent: boom, child: ball, at_parent: {node: lamp, position: [0, 0.1, 0]}, at_child: [0, 0.2, 0]}
forces:
  push: {type: load, at: [boom, tip], force: [0, 1, 0]}
initial: {boom: [0.1, 0, 0], boom.y2: 0.01}
outputs:
  tip: {type: position, at: [boom, tip]}
  bend: q.boom.y1 + 0*u.boom.torsion1
simulation: {duration: 0.2, output: 0.1}
"""


def in_python() -> da.System:
    tip = da.MassProperties(0.1, np.zeros(3), np.diag([1e-3, 2e-3, 2e-3]))
    boom = da.beam(8.0, **BEAM, modes={"y": 2, "torsion": 1}, bodies={8.0: tip}, nodes={"lamp": 3.0}, damping=0.01)
    s = da.System("boom", gravity=(0, -1, 0))
    s.add_body("boom", elastic=boom, shapes=[da.shapes.Sphere(0.1)])
    s.add_body("ball", da.sphere(0.1, 0.1))
    s.add_joint("A", da.Revolute(), "ground", "boom", at_child="root")
    s.add_joint("C", da.Revolute(), "boom", "ball", da.Frame((0, 0.1, 0), node="lamp"), (0, 0.2, 0))
    s.add_force("push", da.Load(("boom", "tip"), force=(0, 1, 0)))
    return s


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "boom.yaml"
    file.write_text(MODEL)
    return file


def test_a_file_says_the_same_as_python(model: Path) -> None:
    m = da.load(model)
    assert m.kernels.fingerprint == in_python().build().kernels.fingerprint
    motion = m.simulate()
    assert motion["boom.y1"][0] == 0.1 and motion["boom.y2"][0] == 0.01
    assert motion.outputs()["bend"] == pytest.approx(motion["boom.y1"])
    assert motion.outputs()["tip"] == pytest.approx(motion.position(("boom", "tip")))


@pytest.mark.parametrize("ending", ["yaml", "json"])
def test_beams_come_back(model: Path, tmp_path: Path, ending: str) -> None:
    for s in (da.System.load(model), in_python()):
        s.save(tmp_path / f"again.{ending}")
        again = da.System.load(tmp_path / f"again.{ending}")
        assert plain_data(again) == plain_data(s)
        assert again.build().kernels.fingerprint == s.build().kernels.fingerprint


def test_the_schema_knows_them(model: Path) -> None:
    import jsonschema

    data = json.loads(json.dumps(plain_data(da.System.load(model))))
    validator = jsonschema.Draft202012Validator(json_schema())
    validator.validate(data)
    data["bodies"]["boom"]["elastic"]["modes"] = "some"
    assert not validator.is_valid(data)


@pytest.fixture(scope="module")
def matrices() -> dict[str, np.ndarray]:
    """Four particles on a bar of springs, stiff against bending by springs across."""
    x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [1, 0, 1.0]])
    K = np.zeros((18, 18))
    for i in range(6):
        for j in range(i):
            e = (x[i] - x[j]) / np.linalg.norm(x[i] - x[j])
            B = np.zeros(18)
            B[3 * i : 3 * i + 3], B[3 * j : 3 * j + 3] = e, -e
            K += 100.0 * np.outer(B, B)
    return {"M": 0.5 * np.eye(18), "K": K, "coordinates": x}


def reduced(tmp_path: Path, elastic: str) -> Path:
    file = tmp_path / "block.yaml"
    file.write_text(
        f"bodies: {{block: {{elastic: {elastic}}}}}\n"
        "joints: {A: {type: revolute, parent: ground, child: block, at_child: foot}}\ninitial: {A: 0.1}\n"
    )
    return file


NPZ = "{type: matrices, file: data/block.npz, interfaces: {foot: [0, 2, 4]}, modes: 3, frame: foot, damping: 0.02}"
MARKET = NPZ.replace("data/block.npz", "M.mtx, stiffness: K.mtx, coordinates: x.txt")


def test_reduced_models_by_file(tmp_path: Path, matrices: dict[str, np.ndarray]) -> None:
    """NPZ, Matrix Market and SID files of one body give one mechanism, and are named again when it is saved."""
    from scipy.io import mmwrite

    (tmp_path / "data").mkdir()
    np.savez(tmp_path / "data" / "block.npz", **matrices)
    for name in "MK":
        mmwrite(tmp_path / f"{name}.mtx", matrices[name])
    np.savetxt(tmp_path / "x.txt", matrices["coordinates"])
    one = da.System.load(reduced(tmp_path, NPZ))
    da.elastic.write_sid(one.bodies["block"].data, tmp_path / "block.sid")
    frequencies = one.bodies["block"].data.frequencies
    for said in (MARKET, "{type: sid, file: block.sid}"):
        other = da.System.load(reduced(tmp_path, said))
        assert other.bodies["block"].data.frequencies == pytest.approx(frequencies)
        other.save(tmp_path / "again.yaml")
        again = da.System.load(tmp_path / "again.yaml")
        assert plain_data(again) == plain_data(other)
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(da.ModelError, match=r'body "block": its data are in data/block.npz, .* copy it there first'):
        one.save(tmp_path / "elsewhere" / "block.yaml")


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../secret.npz", "a/../../secret.npz", "link/secret.npz", "..\\\\secret.npz"]
)
def test_no_file_beyond_the_folder_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "secret.npz").write_bytes(b"")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(tmp_path)
    file = reduced(inside, f'{{type: sid, file: "{name}"}}')
    with pytest.raises(
        da.ModelFileError, match=r"block.yaml:1:\d+: bodies.block.elastic.file: .* is not in the folder"
    ):
        da.load(file)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("length: 8", "lenght: 8", r":7:20: bodies.boom.elastic.lenght: there is no field 'lenght' here; did you mean 'length'"),
        ("length: 8, ", "", r":7:7: bodies.boom.elastic: a flexible body of type beam needs the field 'length'"),
        ("type: beam", "type: bean", r":7:14: bodies.boom.elastic.type: there is no flexible body 'bean'; did you mean 'beam'"),
        ("y: 2, ", "w: 2, ", r':7:7: bodies.boom.elastic: beam: there are no modes "w"'),
        ("y: 2, ", "y: two, ", r":7:99: bodies.boom.elastic.modes.y: a whole number"),
        ("nodes: {lamp: 3}", "nodes: {lamp: 30}", r":7:7: bodies.boom.elastic: beam: a node at x = 30 lies beyond"),
        ("nodes: {lamp: 3}", "nodes: {lamp: 3}, elements: 1e6", r"elements=1000000 must be from 1 to 400"),
        ("damping: 0.01", "stiffening: maybe", r"bodies.boom.elastic.stiffening: true or false is expected here"),
        ("at_child: root", "at_child: rot", r":12:6: joints.A: .*there is no frame or node 'rot'; did you mean 'root'"),
        ("node: lamp", "node: lump", r":13:3: .*no node 'lump'; did you mean 'lamp'"),
        ("[boom, tip], force", "[boom, tap], force", r"no node 'tap'"),
        ("q.boom.y1", "q.boom.y9", r"has no such coordinate; it has q.boom.y1, q.boom.y2"),
        ("boom.y2:", "bom.y2:", r"there is no joint 'bom.y2'"),
        ("x: 8, mass: 0.1", "x: 9, mass: 0.1", r"a body is placed beyond its ends"),
        ("ball: {matter", "ball: {elastic: {type: sid, file: no.sid}, matter", r":10:37: .*there is no file 'no.sid'"),
    ],
)  # fmt: skip
def test_mistakes_have_their_place(model: Path, old: str, new: str, sentence: str) -> None:
    assert old in MODEL
    model.write_text(MODEL.replace(old, new))
    with pytest.raises(da.DalembertError, match=sentence):
        da.load(model).simulate()


def test_spoilt_data_are_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "block.npz").write_bytes(b"PK\3\4 nothing")
    with pytest.raises(da.ModelFileError, match=r"bodies.block.elastic: .*data/block.npz"):
        da.load(reduced(tmp_path, NPZ))
    (tmp_path / "block.sid").write_bytes(b"\xff\xfe")
    with pytest.raises(da.ModelFileError, match=r"bodies.block.elastic: .*block.sid"):
        da.load(reduced(tmp_path, "{type: sid, file: block.sid}"))


def test_what_was_made_in_python_says_so(tmp_path: Path) -> None:
    s = da.System("blade")
    s.add_body("blade", elastic=da.beam(1.0, E=1e9, rho=1e3, A=lambda x: 1e-4, Iy=1e-9, Iz=1e-9, elements=2, modes=1))
    with pytest.raises(da.ModelError, match=r'body "blade": its data were made in Python'):
        s.save(tmp_path / "blade.yaml")
