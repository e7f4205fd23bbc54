"""A motion as a film, drawn by the page's own renderer in Chromium without a window: .webm, or .mp4 where ffmpeg is there.

Every picture is drawn at its own time and encoded by the browser (VP9 or VP8), so that films are the same on slow machines.
"""

from __future__ import annotations

import base64
import shutil
import struct
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dalembert.atomic import write_whole
from dalembert.errors import ArgumentError, FileError
from dalembert.motion.motion import Motion
from dalembert.optional import optional
from dalembert.tables import check_ending
from dalembert.view.page import write_page

ENDINGS = (".webm", ".mp4")
MOST_PICTURES, LARGEST = 20_000, 7680
"""Pictures of a film, and dots along an edge."""
LONGEST_CLUSTER = 5.0
"""Seconds from one whole picture to the next, from which a player can begin; a cluster of WebM may be no longer than 32 s."""
ROUNDING = 1e-9
"""Part of a film by which its last picture may lie beyond its end."""
PATIENCE = 300_000
"""Milliseconds that the browser may take for a page."""
CHUNK = 20
"""Pictures that are drawn before their bytes are taken out of the browser."""
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
LOOK = """#side, header, #transport, #eye, #layers { display: none !important; } main { display: block !important; }
  #stage { height: 100vh !important; }"""
READY = """async ([width, height, rate, every]) => { await dalembert.ready; const { stage, clock } = dalembert; clock.play(false);
  stage.resize(); stage.eye.fit(); const sheet = new OffscreenCanvas(width, height);
  const film = { chunks: [], made: 0, wrong: null, every, sheet, pen: sheet.getContext("2d") }; dalembert.film = film;
  for (const codec of ["vp09.00.31.08", "vp8"]) {
    const wanted = { codec, width, height, bitrate: 8 * width * height, framerate: rate };
    if (typeof VideoEncoder === "undefined" || !(await VideoEncoder.isConfigSupported(wanted)).supported) continue;
    film.encoder = new VideoEncoder({ error: (e) => { film.wrong = String(e); }, output: (chunk) => {
      const bytes = new Uint8Array(chunk.byteLength); chunk.copyTo(bytes); let text = "";
      for (let i = 0; i < bytes.length; i += 8192) text += String.fromCharCode(...bytes.subarray(i, i + 8192));
      film.chunks.push([chunk.type === "key", btoa(text)]); } });
    film.encoder.configure(wanted); return codec;
  }
  return ""; }"""
DRAW = """async ([times, rate]) => { const { stage, clock, film } = dalembert;
  for (const t of times) { clock.seek(t); stage.refresh(); stage.draw();
    film.pen.fillStyle = "#ffffff"; film.pen.fillRect(0, 0, film.sheet.width, film.sheet.height);
    film.pen.drawImage(stage.canvas, 0, 0, film.sheet.width, film.sheet.height);
    const picture = new VideoFrame(film.sheet, { timestamp: Math.round(1e6 * film.made / rate) });
    film.encoder.encode(picture, { keyFrame: film.made % film.every === 0 }); film.made += 1; picture.close(); }
  await film.encoder.flush(); const made = film.chunks; film.chunks = []; return [film.wrong, made]; }"""


class Picture(NamedTuple):
    """An encoded picture."""

    key: bool
    content: bytes


def write_video(
    motion: Motion, path: str | Path, *, rate: float = 30.0, speed: float = 1.0, width: int = 1280, height: int = 720
) -> Path:
    """Write the film: `rate` pictures per second, `speed` seconds of the motion in each second of the film."""
    ending = check_ending(path, ENDINGS, "video")
    for name, x in (("rate", rate), ("speed", speed)):
        if not (np.isfinite(x) and x > 0.0):
            raise ArgumentError(f"video: {name}={x!r} must be a positive number")
    for name, n in (("width", width), ("height", height)):
        if not 16 <= n <= LARGEST or n % 2:
            raise ArgumentError(f"video: {name}={n!r} must be an even number of dots from 16 to {LARGEST}")
    span = float(motion.t[-1] - motion.t[0])
    count = int(span * rate / speed * (1.0 + ROUNDING)) + 1
    if count > MOST_PICTURES:
        raise ArgumentError(
            f"video: {count} pictures are too many, at most {MOST_PICTURES}; take a larger speed or a lower rate"
        )
    ffmpeg = shutil.which("ffmpeg") if ending == ".mp4" else None
    if ending == ".mp4" and ffmpeg is None:
        raise FileError(
            "video: an .mp4 needs the program ffmpeg, which is not on the path; a .webm needs only Chromium"
        )
    times = motion.t[0] + np.arange(count) * speed / rate
    with ThreadPoolExecutor(1) as apart:  # Playwright refuses a thread with an event loop, as a notebook's
        codec, pictures = apart.submit(_drawn, motion, times, rate, width, height).result()
    film = webm(pictures, codec, rate, width, height)
    write_whole(path, film if ffmpeg is None else _as_mp4(ffmpeg, film), "video")
    return Path(path)


def _drawn(motion: Motion, times: np.ndarray, rate: float, width: int, height: int) -> tuple[str, list[Picture]]:
    """The pictures at these times, and by what they are encoded."""
    playwright: Any = optional("playwright.sync_api", "video", FileError)
    made: list[Picture] = []
    with tempfile.TemporaryDirectory(prefix="dalembert-") as folder, playwright.sync_playwright() as running:
        page_file = write_page(motion, Path(folder) / "film.html", None, None, (), False, None)
        browser = _browser(running, playwright.Error)
        try:
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
            page.set_default_timeout(PATIENCE)
            page.goto(f"{page_file.resolve().as_uri()}#t={float(times[0])!r}")
            page.add_style_tag(content=LOOK)
            codec = page.evaluate(READY, [width, height, rate, max(1, int(LONGEST_CLUSTER * rate))])
            if not codec:
                raise FileError("video: this browser encodes neither VP9 nor VP8; install a newer Chromium")
            for k in range(0, len(times), CHUNK):
                wrong, chunks = page.evaluate(DRAW, [times[k : k + CHUNK].tolist(), rate])
                if wrong:
                    raise FileError(f"video: the browser could not encode the film: {wrong}")
                made += [Picture(key, base64.b64decode(content)) for key, content in chunks]
        except playwright.Error as problem:
            said = str(problem).splitlines()[0]
            raise FileError(f"video: Chromium could not draw the page, which needs WebGL: {said}") from problem
        finally:
            browser.close()
    return codec, made


def _browser(running: Any, problem_of: Any) -> Any:
    """Chromium of the system, or of Playwright."""
    own = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    try:
        return running.chromium.launch(executable_path=own, args=FLAGS)
    except problem_of as problem:
        raise FileError(
            "video: there is no Chromium that could be started; install chromium, or `playwright install chromium` "
            f"({str(problem).splitlines()[0]})"
        ) from problem


def _as_mp4(ffmpeg: str, film: bytes) -> bytes:
    with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
        source, target = Path(folder) / "film.webm", Path(folder) / "film.mp4"
        source.write_bytes(film)
        command = [
            ffmpeg,
            "-v",
            "error",
            "-i",
            str(source),
            "-pix_fmt",
            "yuv420p",
            "-movflags",
            "+faststart",
            str(target),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise FileError(f"video: ffmpeg could not write the film: {done.stderr.strip()[:200]}")
        return target.read_bytes()


# -- WebM: elements of an identity, a length and a content ------------------------------------------------------------------
def webm(pictures: list[Picture], codec: str, rate: float, width: int, height: int) -> bytes:
    """The file: a head, one track, and clusters of pictures that begin with a whole one."""
    name = b"V_VP8" if codec == "vp8" else b"V_VP9"
    head = _element(
        0x1A45DFA3,
        _number(0x4286, 1), _number(0x42F7, 1), _number(0x42F2, 4), _number(0x42F3, 8), _element(0x4282, b"webm"),
        _number(0x4287, 4), _number(0x4285, 2),
    )  # fmt: skip
    duration = _element(0x4489, struct.pack(">d", 1e3 * len(pictures) / rate))
    about = _element(
        0x1549A966,
        _number(0x2AD7B1, 1_000_000),
        _element(0x4D80, b"dalembert"),
        _element(0x5741, b"dalembert"),
        duration,
    )
    dots = _element(0xE0, _number(0xB0, width), _number(0xBA, height))
    track = _element(0xAE, _number(0xD7, 1), _number(0x73C5, 1), _number(0x83, 1), _element(0x86, name), dots)
    starts = [k for k, p in enumerate(pictures) if p.key] or [0]
    clusters = [_cluster(pictures[a:b], a, rate) for a, b in zip(starts, [*starts[1:], len(pictures)])]
    return head + _element(0x18538067, about, _element(0x1654AE6B, track), *clusters)


def _cluster(pictures: list[Picture], first: int, rate: float) -> bytes:
    begin = round(1e3 * first / rate)
    blocks = []
    for k, p in enumerate(pictures):
        since = round(1e3 * (first + k) / rate) - begin
        blocks.append(_element(0xA3, struct.pack(">BhB", 0x81, since, 0x80 if p.key else 0) + p.content))
    return _element(0x1F43B675, _number(0xE7, begin), *blocks)


def _element(identity: int, *content: bytes) -> bytes:
    made = b"".join(content)
    return identity.to_bytes((identity.bit_length() + 7) // 8, "big") + (len(made) | 1 << 56).to_bytes(8, "big") + made


def _number(identity: int, value: int) -> bytes:
    return _element(identity, value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))
