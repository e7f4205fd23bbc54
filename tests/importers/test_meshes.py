"""Meshes: read from STL and OBJ, drawn, and weighed."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.importers import mesh_files
from dalembert.importers.enclosed import enclosed
from dalembert.importers.mjcf.assets import hull
from dalembert.parts import meshes
from tests.importers.robots import urdf, write

CORNERS = np.array([(x, y, z) for x in (0, 1) for y in (0, 2) for z in (0, 3)], dtype=float)
BOX = hull(CORNERS)


def obj(folder: Path) -> Path:
    lines = [f"v {' '.join(map(str, v))}" for v in BOX.vertices] + [
        "f " + " ".join(f"{k + 1}/1/1" for k in f) for f in BOX.faces
    ]
    return write(folder, "box.obj", "\n".join(["# a box", *lines]))


def binary_stl(folder: Path) -> Path:
    data = bytes(80) + struct.pack("<I", len(BOX.faces))
    for f in BOX.faces:
        data += struct.pack("<12fH", 0, 0, 0, *BOX.vertices[f].ravel(), 0)
    (folder / "box.stl").write_bytes(data)
    return folder / "box.stl"


def text_stl(folder: Path) -> Path:
    faces = "\n".join(
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {' '.join(map(str, BOX.vertices[k]))}\n" for k in f) + "endloop\nendfacet"
        for f in BOX.faces
    )  # fmt: skip
    return write(folder, "text.STL", f"solid box\n{faces}\nendsolid box")


@pytest.mark.parametrize("written", [obj, binary_stl, text_stl])
def test_a_box_weighs_what_a_box_weighs(tmp_path, written):
    read = meshes.load(written(tmp_path))
    expected = da.box(5.0 * 6.0, (1, 2, 3), com=(0.5, 1, 1.5))
    made = enclosed(read, 5.0)
    assert read.closed
    assert made.mass == pytest.approx(expected.mass)
    assert np.allclose(made.com, expected.com) and np.allclose(made.inertia, expected.inertia)


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
@pytest.mark.parametrize("written", [obj, text_stl])
def test_lines_end_as_they_like(tmp_path, written, end):
    path = written(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"\n", end.encode()))
    assert enclosed(meshes.load(path), 1.0).mass == pytest.approx(6.0)


@pytest.mark.parametrize("corner", ["1", "1/1/1"])
def test_a_face_is_not_cut_short(tmp_path, corner):
    def face(corners: int) -> Path:
        return write(tmp_path, "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf" + f" {corner}" * corners)

    assert len(meshes.load(face(meshes.MOST_CORNERS)).faces) == meshes.MOST_CORNERS - 2
    with pytest.raises(da.ModelError, match=rf"a\.obj.* a face has more than {meshes.MOST_CORNERS} corners"):
        meshes.load(face(meshes.MOST_CORNERS + 1))


def test_mirrored_meshes_stay_solid():
    assert enclosed(BOX.scaled(np.array([-1.0, 1, 1])), 1.0).mass == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.obj", "v 0 0 0\nf 1 2 3"), ("a.obj", "v 0 0 x"), ("a.obj", ""), ("a.obj", "v 0 0 nan\nf 1 1 1"),
        ("a.stl", "solid\nvertex 1 2"),
        ("a.stl", "vertex 1 2 3"), ("a.dae", "<x/>"),
    ],
)  # fmt: skip
def test_damaged_meshes_are_named(tmp_path, name, text):
    with pytest.raises(da.ModelError, match=name):
        meshes.load(write(tmp_path, name, text))


def test_a_mesh_is_drawn_from_its_package(tmp_path):
    package = tmp_path / "robot"
    (package / "urdf").mkdir(parents=True)
    obj(package)
    link = '<link name="a"><visual><origin xyz="0 0 1"/><geometry><mesh filename="package://robot/box.obj" scale="2 1 1"/></geometry>'
    path = write(package / "urdf", "r.urdf", urdf(link + "</visual></link>"))
    (note,) = da.load_urdf(path).notes
    assert "not drawn" in note
    imported = da.load_urdf(path, folder=package)
    (shape,) = imported.system.bodies["a"].shapes
    assert (
        imported.notes == ()
        and np.ptp(shape.vertices, axis=0) == pytest.approx((2, 2, 3))
        and shape.at.position[2] == 1.0
    )


def test_meshes_go_with_an_imported_robot(tmp_path, monkeypatch):
    """The model file names them beside it; triangles are not written out, and what differs is not written over."""
    from dalembert.cli import main

    robot, here = tmp_path / "robot", tmp_path / "here"
    (robot / "parts").mkdir(parents=True)
    here.mkdir()
    obj(robot / "parts")
    link = '<link name="a"><visual><geometry><mesh filename="parts/box.obj" scale="2 1 1"/></geometry></visual></link>'
    write(robot, "r.urdf", urdf(link))
    monkeypatch.chdir(here)
    assert main(["import", "../robot/r.urdf"]) == 0
    assert (here / "parts" / "box.obj").read_text() == (robot / "parts" / "box.obj").read_text()
    assert "file: parts/box.obj" in (here / "r.yaml").read_text()
    (shape,) = da.load(here / "r.yaml").bodies[0].shapes
    assert np.allclose(shape.vertices.max(axis=0), (2, 2, 3))
    (here / "parts" / "box.obj").write_text("something else")
    assert main(["import", "../robot/r.urdf", "--force"]) == 1


def many(count: int) -> str:
    return "".join(f'<mesh name="m{k}" file="box.obj" scale="{k + 1} 1 1"/>' for k in range(count))


def test_a_file_named_by_many_is_read_once(tmp_path, monkeypatch):
    read = []
    monkeypatch.setattr(meshes, "load", lambda path, load=meshes.load: read.append(path) or load(path))
    obj(tmp_path)
    geoms = "".join(f'<body><freejoint/><geom type="mesh" mesh="m{k}"/></body>' for k in range(3))
    text = f"<mujoco><asset>{many(3)}</asset><worldbody>{geoms}</worldbody></mujoco>"
    robot = da.load_mjcf(write(tmp_path, "r.xml", text)).system
    assert len(read) == 1 and [b.mass for b in robot.bodies.values()] == pytest.approx([6000.0, 12000.0, 18000.0])


def test_all_meshes_of_a_robot_are_bounded(tmp_path, monkeypatch):
    """They are read where they are needed: for masses as the robot is read, else when it is drawn."""
    monkeypatch.setattr(mesh_files, "MOST_TRIANGLES", 2 * len(BOX.faces))
    obj(tmp_path)
    geoms = "".join(f'<body><freejoint/><geom type="mesh" mesh="m{k}"/></body>' for k in range(3))
    text = f"<mujoco><asset>{many(3)}</asset><worldbody>{geoms}</worldbody></mujoco>"
    notes = da.load_mjcf(write(tmp_path, "r.xml", text)).notes
    assert len(notes) == 1 and "meshes of the robot have more than 24 triangles together" in notes[0]


def test_meshes_that_only_drawing_needs_are_not_read_before(tmp_path, monkeypatch):
    """A damaged one is told as the robot is drawn, and left out; the others are drawn."""
    read = []
    monkeypatch.setattr(meshes, "load", lambda path, load=meshes.load: read.append(path) or load(path))
    obj(tmp_path)
    (tmp_path / "bad.obj").write_text("f 1 2 3\n")
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    looks = "".join(f'<visual><geometry><mesh filename="{x}.obj"/></geometry></visual>' for x in ("box", "bad"))
    imported = da.load_urdf(write(tmp_path, "r.urdf", urdf(f'<link name="a">{mass}{looks}</link>')))
    m = imported.build()
    assert imported.notes == () and read == []
    with pytest.warns(da.FileWarning, match=r"a mesh is not drawn: bad\.obj"):
        m.simulate(0.1).page(tmp_path / "r.html")
    exported = m.export_robot(tmp_path / "again.urdf")
    assert len(exported.files) == 2 and ["not drawn" in note for note in exported.notes] == [True]


def test_meshes_beside_the_folder_are_written_with_the_model(tmp_path):
    package = tmp_path / "robot"
    (package / "urdf").mkdir(parents=True)
    obj(package)
    link = '<link name="a"><visual><geometry><mesh filename="package://robot/box.obj"/></geometry></visual></link>'
    imported = da.load_urdf(write(package / "urdf", "r.urdf", urdf(link)), folder=package)
    imported.system.save(tmp_path / "r.yaml")
    (shape,) = da.load(tmp_path / "r.yaml").bodies[0].shapes
    assert np.allclose(shape.vertices.max(axis=0), imported.system.bodies["a"].shapes[0].vertices.max(axis=0))


@pytest.mark.parametrize("text", ["f 1 2 3\n", "f 0 0 0\n", "f -1 -2 -3\n", "v\nf 1 1 1\n"])
def test_faces_without_vertices_are_refused_in_words(tmp_path, text):
    (tmp_path / "x.obj").write_text(text)
    with pytest.raises(da.ModelError):
        meshes.load(tmp_path / "x.obj")
