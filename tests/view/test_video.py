"""Films of motions: the right length, pictures that differ, and words for what is missing."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

import dalembert as da
from dalembert.view.video import Picture, webm

pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="module")
def motion():
    s = da.System("pendulum", gravity=(0, -9.81, 0))
    s.add_body("rod", da.rod(1.0, 1.0))
    s.add_joint("A", da.Revolute(), "ground", "rod")
    return s.build().simulate(1.0, {"A": 0.3})


def elements(data: bytes):
    """Identity and content of the elements of WebM side by side."""
    at = 0
    while at < len(data):
        size = 1
        while not data[at] & (0x80 >> (size - 1)):
            size += 1
        identity = data[at : at + size]
        at += size
        assert data[at] == 1  # lengths of eight bytes
        length = int.from_bytes(data[at + 1 : at + 8], "big")
        yield identity.hex(), data[at + 8 : at + 8 + length]
        at += 8 + length


def test_a_film_is_webm_with_a_picture_for_every_instant(motion, tmp_path):
    path = motion.video(tmp_path / "film.webm", rate=5.0, width=160, height=120)
    head, segment = elements(path.read_bytes())
    assert head[0] == "1a45dfa3" and b"webm" in head[1]
    blocks = [x for k, c in elements(segment[1]) if k == "1f43b675" for j, x in elements(c) if j == "a3"]
    assert len(blocks) == 6 and len({x[4:] for x in blocks}) == 6
    if shutil.which("ffprobe"):
        command = [
            "ffprobe",
            "-v",
            "error",
            "-count_frames",
            "-show_entries",
            "stream=width,height,nb_read_frames",
            "-of",
            "csv=p=0",
        ]
        done = subprocess.run([*command, str(path)], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "160,120,6" and not done.stderr


def test_clusters_begin_with_whole_pictures_and_times_fit():
    pictures = [Picture(k % 10 == 0, bytes([k])) for k in range(25)]
    _, segment = elements(webm(pictures, "vp8", 2.0, 32, 32))
    clusters = [dict(elements(c)) for k, c in elements(segment[1]) if k == "1f43b675"]
    assert [int.from_bytes(c["e7"], "big") for c in clusters] == [0, 5000, 10000]


def test_what_cannot_be_filmed_is_said(motion, tmp_path, monkeypatch):
    with pytest.raises(da.DalembertError, match="even number"):
        motion.video(tmp_path / "x.webm", width=161)
    with pytest.raises(da.DalembertError, match="positive"):
        motion.video(tmp_path / "x.webm", rate=0.0)
    with pytest.raises(da.DalembertError, match=r"must end in .webm or .mp4"):
        motion.video(tmp_path / "x.gif")
    with pytest.raises(da.DalembertError, match="too many"):
        motion.video(tmp_path / "x.webm", speed=1e-6)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(da.DalembertError, match="needs the program ffmpeg"):
        motion.video(tmp_path / "x.mp4")
    assert not list(tmp_path.iterdir())


def test_a_film_is_drawn_where_an_event_loop_runs(motion, tmp_path):
    async def in_a_notebook():
        return motion.video(tmp_path / "film.webm", rate=2.0, width=160, height=120)

    with ThreadPoolExecutor(1) as apart:  # here a loop may run already: the browser's of other tests
        assert apart.submit(asyncio.run, in_a_notebook()).result().stat().st_size > 0
