"""Compiled code on disk: found again by its source, never trusted blindly, never in the way."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from dalembert.errors import TraceError, UntrustedCacheWarning
from dalembert.trace.native import Library, Module, Pointer, Target, cache, cache_directory, cached, clear_cache, host
from dalembert.trace.native import module as module_room

POSIX = pytest.mark.skipif(os.name != "posix", reason="owners and permissions of POSIX")
AS_ROOT = pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="only root can give files away")


def storing(number: float = 7.0, target: Target | None = None) -> Module:
    """A module whose function stores a number."""
    m = Module(target=target)
    with m.function("f", lanes=2, status=True, x=Pointer) as f:
        f.x[0] = number
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


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[Module]:
    """The modules that are compiled."""
    every: list[Module] = []
    compile = Module.compile
    monkeypatch.setattr(Module, "compile", lambda module: every.append(module) or compile(module))
    return every


def entries(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.kernel"))


def secret(directory: Path) -> Path:
    return next(directory.glob("secret.*"))


# -- addresses ------------------------------------------------------------------------------------------------------------
def test_compiled_once_then_found_in_memory_then_on_disk(directory: Path, compiled: list[Module]) -> None:
    library = cached(storing())
    assert cached(storing()) is library and len(compiled) == 1
    forget_this_process()
    again = cached(storing())
    assert again is not library and stored_number(again) == 7.0 and len(compiled) == 1
    assert {p.suffix for p in directory.iterdir()} - {secret(directory).suffix} == {".kernel"}


def test_source_target_and_compiler_tell_entries_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    other = Target("another", host().cpu, host().features, 3)
    addresses = [storing().address, storing(8.0).address, storing(target=other).address]
    monkeypatch.setattr(module_room, "toolchain", lambda: "another compiler")
    addresses.append(storing().address)
    monkeypatch.setattr(module_room, "PIPELINE", -1)
    addresses.append(storing().address)
    assert len(set(addresses)) == 5


def test_what_can_be_called_is_part_of_the_address() -> None:
    """The same text, but another function is offered to Python: the library is another one."""

    def made(public: bool) -> Module:
        m = Module()
        with m.function("f", public=public, x=Pointer) as f:
            f.x[0] = 1.0
        return m

    assert made(True).address != made(False).address


def test_everything_found_is_verified_where_that_is_wished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "VERIFY", True)
    library = cached(storing())
    assert cached(storing()) is library
    other = storing(8.0)
    cache._loaded[other.address] = library  # as if an address were not what it should be
    with pytest.raises(TraceError, match="not that of the model at hand"):
        cached(other)


# -- trust ----------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("damage", ["empty", "truncated", "flipped", "other", "extended"])
def test_damaged_entries_are_compiled_again(directory: Path, damage: str, compiled: list[Module]) -> None:
    cached(storing())
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
    for _ in range(2):  # the good entry has replaced the damaged one
        forget_this_process()
        assert stored_number(cached(storing())) == 7.0 and len(compiled) == 2


def test_an_entry_under_another_address_is_not_read(directory: Path, compiled: list[Module]) -> None:
    """Genuine code of ours, moved to where other code is looked for."""
    cached(storing(1.0))
    (one,) = entries(directory)
    cached(storing(2.0))
    (two,) = set(entries(directory)) - {one}
    two.write_bytes(one.read_bytes())
    forget_this_process()
    assert stored_number(cached(storing(2.0))) == 2.0 and len(compiled) == 3


def test_an_entry_sealed_with_another_secret_is_not_read(directory: Path, compiled: list[Module]) -> None:
    """Whoever can write to the folder, but not read the secret, cannot make an entry."""
    cached(storing())
    (path,) = entries(directory)
    planted = path.read_bytes()
    secret(directory).unlink()
    path.unlink()
    forget_this_process()
    cached(storing())
    (path,) = entries(directory)
    path.write_bytes(planted)
    forget_this_process()
    assert stored_number(cached(storing())) == 7.0 and len(compiled) == 3


@POSIX
def test_the_secret_is_for_this_user_only(directory: Path) -> None:
    cached(storing())
    assert stat.S_IMODE(secret(directory).stat().st_mode) == 0o600
    assert stat.S_IMODE(directory.stat().st_mode) == 0o700


@POSIX
@pytest.mark.parametrize("mode", [0o644, 0o660, 0o602])
def test_a_secret_that_others_can_read_is_none(directory: Path, compiled: list[Module], mode: int) -> None:
    cached(storing())
    secret(directory).chmod(mode)
    forget_this_process()
    with pytest.warns(UntrustedCacheWarning, match="other users"):
        assert stored_number(cached(storing())) == 7.0
    assert len(compiled) == 2


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_secret_that_was_never_finished_is_told(directory: Path, content: bytes) -> None:
    cached(storing())
    secret(directory).write_bytes(content)
    forget_this_process()
    with pytest.warns(UntrustedCacheWarning, match="holds no secret"):
        assert stored_number(cached(storing())) == 7.0


@POSIX
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_a_secret_that_is_no_file_is_told_and_holds_nobody_up(directory: Path, make) -> None:
    directory.mkdir()
    make(directory / f"secret.{os.geteuid()}")
    with pytest.warns(UntrustedCacheWarning, match="not a plain file|a folder"):
        assert stored_number(cached(storing())) == 7.0


@AS_ROOT
def test_a_secret_of_another_user_is_none(directory: Path, compiled: list[Module]) -> None:
    cached(storing())
    os.chown(secret(directory), 65534, 65534)
    forget_this_process()
    with pytest.warns(UntrustedCacheWarning, match="another user"):
        assert stored_number(cached(storing())) == 7.0
    assert len(compiled) == 2


@POSIX
def test_a_secret_behind_a_link_is_none(directory: Path, tmp_path: Path) -> None:
    directory.mkdir()
    known = tmp_path / "known"
    known.write_bytes(b"0" * 32)
    known.chmod(0o600)
    (directory / f"secret.{os.geteuid()}").symlink_to(known)
    with pytest.warns(UntrustedCacheWarning, match="is a link"):
        assert stored_number(cached(storing())) == 7.0
    assert entries(directory) == []


@AS_ROOT
def test_a_planted_entry_does_not_run(directory: Path) -> None:
    """A folder of another user, with an entry that he made by the rules of this package, under his own secret."""
    cached(storing(1.0))
    for path in [directory, *directory.iterdir()]:
        os.chown(path, 65534, 65534)
    directory.chmod(0o777)
    forget_this_process()
    with pytest.warns(UntrustedCacheWarning):
        assert stored_number(cached(storing(1.0))) == 1.0
    assert len(entries(directory)) == 1  # and nothing of ours is left there


# -- never in the way -----------------------------------------------------------------------------------------------------
def test_a_directory_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("DALEMBERT_CACHE_DIR", str(blocked / "kernels"))
    assert stored_number(cached(storing())) == 7.0


def test_a_full_disk_is_no_error(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert stored_number(cached(storing())) == 7.0
    assert list(directory.iterdir()) == [secret(directory)]


@pytest.mark.parametrize("setting", ["", "off", "OFF"])
def test_the_disk_can_be_left_alone(monkeypatch: pytest.MonkeyPatch, setting: str, compiled: list[Module]) -> None:
    monkeypatch.setenv("DALEMBERT_CACHE_DIR", setting)
    assert cache_directory() is None
    cached(storing())
    cached(storing())
    assert len(compiled) == 1
    clear_cache()
    cached(storing())
    assert len(compiled) == 2


def test_the_directory_follows_the_platform(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("DALEMBERT_CACHE_DIR")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    for platform, place in [("linux", "xdg"), ("darwin", "Library/Caches"), ("win32", "local")]:
        monkeypatch.setattr(cache.sys, "platform", platform)
        assert cache_directory() == tmp_path / place / "dalembert"


def test_clearing_forgets_everything(directory: Path, compiled: list[Module]) -> None:
    cached(storing(1.0))
    cached(storing(2.0))
    clear_cache()
    assert entries(directory) == []
    cached(storing(1.0))
    assert len(compiled) == 3


def test_entries_used_longest_ago_make_room(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cached(storing(1.0))
    (old,) = entries(directory)
    os.utime(old, (time.time() - 1000,) * 2)
    cached(storing(2.0))
    used = next(p for p in entries(directory) if p != old)
    os.utime(used, (time.time() - 2000,) * 2)
    forget_this_process()
    cached(storing(2.0))  # reading it counts as use
    monkeypatch.setattr(cache, "LARGEST_CACHE", 2 * used.stat().st_size + 10)
    cached(storing(3.0))
    assert old not in entries(directory) and used in entries(directory) and len(entries(directory)) == 2


WORKER = """
import numpy as np
from tests.trace.native.test_cache import storing, stored_number
from dalembert.trace.native import cached

for k in range(10):
    assert stored_number(cached(storing(float(k)))) == k
"""


def test_two_processes_at_once(directory: Path, compiled: list[Module]) -> None:
    """Both compile or one finds the other's entry; the result is whole either way."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[3]), *sys.path])}
    workers = [subprocess.Popen([sys.executable, "-c", WORKER], env=environment) for _ in range(2)]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0]
    assert len(entries(directory)) == 10 == len(list(directory.iterdir())) - 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stored_number(cached(storing(0.0))) == 0.0 and not compiled
