"""Motions as glTF and MCAP, read by programs that are not ours."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dalembert as da
from dalembert.files.gallery import files


@pytest.fixture(scope="module")
def motion():
    return da.load(files()["four_bar"]).simulate(0.5, output=0.05)


def animated(path):
    """Names of nodes → (times, places, quaternions), as another reader decodes them."""
    pygltflib = pytest.importorskip("pygltflib")
    g = pygltflib.GLTF2().load(str(path))
    data = g.binary_blob()

    def numbers(k):
        a = g.accessors[k]
        v = g.bufferViews[a.bufferView]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a.type]
        kind = "<f4" if a.componentType == pygltflib.FLOAT else "<u4"
        return np.frombuffer(data, kind, a.count * width, (v.byteOffset or 0) + (a.byteOffset or 0)).reshape(-1, width)

    found: dict = {}
    for channel in g.animations[0].channels:
        s = g.animations[0].samplers[channel.sampler]
        found.setdefault(g.nodes[channel.target.node].name, {})[channel.target.path] = numbers(s.output)
        found[g.nodes[channel.target.node].name]["t"] = numbers(s.input)[:, 0]
    for mesh in g.meshes:
        for part in mesh.primitives:
            corners, places = numbers(part.attributes.POSITION), numbers(part.indices)
            assert places.max() < len(corners) and len(places) % 3 == 0
            low, high = g.accessors[part.attributes.POSITION].min, g.accessors[part.attributes.POSITION].max
            np.testing.assert_allclose([corners.min(0), corners.max(0)], [low, high])
            np.testing.assert_allclose(np.linalg.norm(numbers(part.attributes.NORMAL), axis=1), 1.0, atol=1e-6)
    return g, found


def test_an_animation_has_every_body_where_it_is(motion, tmp_path):
    motion.save(tmp_path / "four_bar.glb")
    g, found = animated(tmp_path / "four_bar.glb")
    assert list(found) == list(motion.bodies)
    for body in motion.bodies:
        pose, moved = motion.pose(body), found[body]
        np.testing.assert_allclose(moved["t"], motion.t - motion.t[0], atol=1e-6)
        np.testing.assert_allclose(moved["translation"], pose.position, atol=1e-6)
        x, y, z, w = moved["rotation"].astype(float).T
        first = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)], axis=1)
        np.testing.assert_allclose(first, pose.rotation[:, :, 0], atol=1e-6)
    np.testing.assert_allclose(g.nodes[g.scenes[0].nodes[0]].rotation, [0, 0, 0, 1], atol=1e-9)  # y is up already


def test_solids_are_closed_and_face_outward(motion, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.load(motion.gltf(tmp_path / "x.glb"))
    low, high = scene.bounds
    assert (high - low).max() < 4.0  # metres: the mechanism and no more
    for solid in scene.geometry.values():
        solid.merge_vertices(merge_norm=True, merge_tex=True)
        assert solid.is_watertight and solid.is_winding_consistent and solid.volume > 0.0


@pytest.mark.parametrize("up", [(0, 0, 1), (0, -1, 0), (1, 0, 0), (0.3, -0.5, 0.2)])
def test_what_is_up_is_up(tmp_path, up):
    s = da.System("ball", gravity=tuple(-9.81 * x for x in up))
    s.add_body("b", da.sphere(1.0, 0.1))
    s.add_joint("J", da.Free(), "ground", "b")
    g, _ = animated(s.build().simulate(0.05).gltf(tmp_path / "ball.glb"))
    *v, w = g.nodes[g.scenes[0].nodes[0]].rotation
    turned = up + 2 * np.cross(v, np.cross(v, up) + w * np.array(up))
    np.testing.assert_allclose(turned, [0, np.linalg.norm(up), 0], atol=1e-9)


def test_a_recording_has_poses_and_every_number(motion, tmp_path):
    reader = pytest.importorskip("mcap.reader")
    motion.save(tmp_path / "x.mcap")
    with open(tmp_path / "x.mcap", "rb") as file:
        made = reader.make_reader(file)
        messages = [(c.topic, m.log_time, json.loads(m.data)) for _, c, m in made.iter_messages()]
        schemas = {x.name for x in made.get_summary().schemas.values()}
    assert schemas == {"foxglove.FrameTransforms", "dalembert.Motion"}
    rows = [(t, x) for topic, t, x in messages if topic == "/motion"]
    np.testing.assert_allclose([t * 1e-9 for t, _ in rows], motion.t, atol=1e-9)
    np.testing.assert_array_equal([x["A"] for _, x in rows], motion["A"])
    np.testing.assert_array_equal([x["kinetic"] for _, x in rows], motion.energy().kinetic)
    poses = [x["transforms"] for topic, _, x in messages if topic == "/tf"]
    at = {p["child_frame_id"]: [p["translation"][k] for k in "xyz"] for p in poses[-1]}
    np.testing.assert_allclose(at["rocker"], motion.pose("rocker").position[-1], atol=1e-12)


def test_a_motion_without_its_mechanism_is_refused_in_words(motion, tmp_path):
    motion.save(tmp_path / "x.nc")
    alone = da.load_motion(tmp_path / "x.nc")
    for ending in ("glb", "mcap"):
        with pytest.raises(da.DalembertError, match="without its mechanism"):
            alone.save(tmp_path / f"x.{ending}")
        assert not (tmp_path / f"x.{ending}").exists()
