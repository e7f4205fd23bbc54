"""Compiled code on disk: found again, never trusted blindly, never in the way."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import dalembert
from dalembert.trace.native import Library, Module, Pointer, cache, cache_directory, cached, clear_cache


class Builder:
    """Builds a module that stores a number, and counts how often."""

    def __init__(self, number: float = 7.0) -> None:
        self.number, self.calls = number, 0

    def __call__(self) -> Module:
        self.calls += 1
        m = Module()
        with m.function("f", lanes=2, status=True, x=Pointer) as f:
            f.x[0] = self.number
            f.return_(3)
        return m


def stored_number(library: Library) -> float:
    x = np.zeros(2)
    assert library.f(x) == 3
    return float(x[0])


def forget_this_process() -> None:
    cache._loaded.clear()


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "kernels"
    monkeypatch.setenv("DALEMBERT_CACHE_DIR", str(place))
    forget_this_process()
    return place


def entries(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.kernel"))


def test_built_once_then_found_in_memory_then_on_disk(directory: Path) -> None:
    build = Builder()
    library = cached("model", build)
    assert cached(b"model", build) is library and build.calls == 1
    forget_this_process()
    again = cached("model", build)
    assert again is not library and stored_number(again) == 7.0 and build.calls == 1
    assert [p.suffix for p in directory.iterdir()] == [".kernel"]


def test_key_version_and_processor_tell_entries_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    builders = [Builder(k) for k in range(4)]
    libraries = [cached("a", builders[0]), cached("b", builders[1]), cached("a", builders[2], version="0.0.1")]
    monkeypatch.setattr(cache, "toolchain", lambda: "another processor")
    libraries.append(cached("a", builders[3]))
    assert [stored_number(x) for x in libraries] == [0.0, 1.0, 2.0, 3.0]


def test_code_comes_from_no_directory_that_is_not_watched() -> None:
    package = Path(dalembert.__path__[0])
    for name in set(cache.WRITES_NO_CODE) - {"__pycache__"}:
        sources = [file.read_text(encoding="utf-8") for file in (package / name).rglob("*.py")]
        assert sources and not any(re.search(r"dalembert\.(trace\.native|kernels)", text) for text in sources)


@pytest.mark.parametrize("damage", ["empty", "truncated", "flipped", "other", "extended"])
def test_damaged_entries_are_built_again(directory: Path, damage: str) -> None:
    cached("model", Builder(1.0))
    (path,) = entries(directory)
    content = bytearray(path.read_bytes())
    if damage == "flipped":
        content[len(content) // 2] ^= 0x10
    changed = {
        "empty": b"",
        "truncated": content[:-100],
        "flipped": content,
        "other": b"x" * 5000,
        "extended": content + b"0",
    }
    path.write_bytes(bytes(changed[damage]))
    forget_this_process()
    build = Builder(2.0)
    assert stored_number(cached("model", build)) == 2.0 and build.calls == 1
    forget_this_process()
    assert stored_number(cached("model", Builder(3.0))) == 2.0  # the good entry has replaced the damaged one


def test_a_directory_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("DALEMBERT_CACHE_DIR", str(blocked / "kernels"))
    assert stored_number(cached("model", Builder())) == 7.0


def test_a_full_disk_is_no_error(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert stored_number(cached("model", Builder())) == 7.0
    assert list(directory.iterdir()) == []


@pytest.mark.parametrize("setting", ["", "off", "OFF"])
def test_the_disk_can_be_left_alone(monkeypatch: pytest.MonkeyPatch, setting: str) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE_DIR", setting)
    assert cache_directory() is None
    build = Builder()
    cached("model", build)
    cached("model", build)
    assert build.calls == 1
    clear_cache()
    cached("model", build)
    assert build.calls == 2


def test_the_directory_follows_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DALEMBERT_CACHE_DIR")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    for platform, place in [("linux", "xdg"), ("darwin", "Library/Caches"), ("win32", "local")]:
        monkeypatch.setattr(cache.sys, "platform", platform)
        assert cache_directory() == tmp_path / place / "dalembert"


def test_clearing_forgets_everything(directory: Path) -> None:
    build = Builder()
    cached("a", build)
    cached("b", build)
    clear_cache()
    assert entries(directory) == []
    cached("a", build)
    assert build.calls == 3


def test_entries_used_longest_ago_make_room(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached("old", Builder())
    (old,) = entries(directory)
    os.utime(old, (time.time() - 1000,) * 2)
    cached("used", Builder())
    used = next(p for p in entries(directory) if p != old)
    os.utime(used, (time.time() - 2000,) * 2)
    forget_this_process()
    cached("used", Builder())  # reading it counts as use
    monkeypatch.setattr(cache, "LARGEST_CACHE", 2 * used.stat().st_size + 10)
    cached("new", Builder())
    assert old not in entries(directory) and used in entries(directory) and len(entries(directory)) == 2


WORKER = """
import numpy as np
from dalembert.trace.native import Module, Pointer, cached

def build():
    m = Module()
    with m.function("f", lanes=2, status=True, x=Pointer) as f:
        f.x[0] = 7.0
        f.return_(3)
    return m

x = np.zeros(2)
for k in range(10):
    assert cached(f"shared {k}", build).f(x) == 3 and x[0] == 7.0
"""


def test_two_processes_at_once(directory: Path) -> None:
    """Both build or one finds the other's entry; the result is whole either way."""
    workers = [subprocess.Popen([sys.executable, "-c", WORKER]) for _ in range(2)]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0]
    assert len(entries(directory)) == 10 == len(list(directory.iterdir()))
    build = Builder()
    assert stored_number(cached("shared 0", build)) == 7.0 and build.calls == 0
