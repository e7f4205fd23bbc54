"""Machine code kept on disk, so that a model compiles once per machine and version, not once per run.

An entry is one file: a checksum, a header with the functions' signatures, the object code. It is written beside its
place and moved in, so that readers in other processes see all of it or nothing; whatever cannot be read back exactly
is built again. A cache that cannot be written is no error.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from weakref import WeakValueDictionary

from dalembert.trace.native.library import Library
from dalembert.trace.native.machine import toolchain
from dalembert.trace.native.module import Module
from dalembert.trace.native.signature import Signature

LARGEST_CACHE = 512 * 1024 * 1024
"""Bytes on disk above which the entries used longest ago are removed."""

WRITES_NO_CODE = ("__pycache__", "cli", "files", "importers", "view")
"""Directories of this package whose changes leave all entries valid: what they say reaches the code in the key alone."""

_SUFFIX = ".kernel"
_FORMAT = b"dalembert kernel 1\n"
_loaded: WeakValueDictionary[str, Library] = WeakValueDictionary()
_recent: deque[Library] = deque(maxlen=128)
"""Libraries kept in this process even if nobody uses them at the moment; older ones live as long as they are used."""
_lock = threading.Lock()


def cached(key: str | bytes, build: Callable[[], Module], version: str | None = None) -> Library:
    """The library for this key: from this process, from disk, or built now and kept.

    The key must say everything the module depends on; processor, compiler and this package's version are added here.
    """
    name = _entry_name(key, version or _package_version())
    with _lock:
        library = _loaded.get(name)
    if library is None:
        library = _read(name) or _built(name, build)
        with _lock:
            library = _loaded.setdefault(name, library)
            _recent.append(library)
    return library


def cache_directory() -> Path | None:
    """Where entries are kept: $DALEMBERT_CACHE_DIR, else the system's place for caches. None if it is empty or "off"."""
    chosen = os.environ.get("DALEMBERT_CACHE_DIR")
    if chosen is not None:
        return None if chosen.strip().lower() in ("", "off") else Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "dalembert"


def clear_cache() -> None:
    """Forget all compiled code, in this process and on disk."""
    with _lock:
        _loaded.clear()
        _recent.clear()
    for path in _entries():
        with suppress(OSError):
            path.unlink()


def _entry_name(key: str | bytes, version: str) -> str:
    content = key.encode() if isinstance(key, str) else key
    return hashlib.sha256(b"\0".join([content, version.encode(), toolchain().encode()])).hexdigest()


@cache
def _package_version() -> str:
    """Version of this package, and the latest change of its files: code under development must not find old kernels."""
    import dalembert

    changed = size = 0
    directories = [*dalembert.__path__]
    while directories:
        for entry in os.scandir(directories.pop()):
            if entry.name.endswith(".py"):
                file = entry.stat()
                changed, size = max(changed, file.st_mtime_ns), size + file.st_size
            elif entry.name not in WRITES_NO_CODE and entry.is_dir():
                directories.append(entry.path)
    return f"{getattr(dalembert, '__version__', '')} {changed} {size}"


def _built(name: str, build: Callable[[], Module]) -> Library:
    library = build().compile()
    _write(name, library)
    return library


def _read(name: str) -> Library | None:
    directory = cache_directory()
    if directory is None:
        return None
    path = directory / (name + _SUFFIX)
    try:
        code, signatures = unpacked(path.read_bytes())
    except (OSError, ValueError, KeyError, TypeError):
        return None
    with suppress(OSError):
        os.utime(path)  # eviction goes by last use
    return Library(code, signatures)


def _write(name: str, library: Library) -> None:
    directory = cache_directory()
    if directory is None:
        return
    temporary = None
    try:
        directory.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=directory, suffix=".part")
        with os.fdopen(handle, "wb") as file:
            file.write(packed(library))
        os.replace(temporary, directory / (name + _SUFFIX))
        _evict()
    except OSError:
        if temporary:
            with suppress(OSError):
                os.unlink(temporary)


def packed(library: Library) -> bytes:
    """The content of an entry."""
    header = json.dumps([[s.name, s.parameters, s.status, s.lanes] for s in library.signatures]).encode()
    content = len(header).to_bytes(8, "little") + header + library.code
    return _FORMAT + hashlib.sha256(content).digest() + content


def unpacked(entry: bytes) -> tuple[bytes, list[Signature]]:
    """Object code and signatures of an entry; ValueError if it is not exactly what was written."""
    start = len(_FORMAT) + 32
    content = memoryview(entry)[start:]
    if entry[: len(_FORMAT)] != _FORMAT or hashlib.sha256(content).digest() != entry[len(_FORMAT) : start]:
        raise ValueError("damaged entry")
    end = 8 + int.from_bytes(content[:8], "little")
    signatures = [Signature(name, tuple(kinds), *rest) for name, kinds, *rest in json.loads(bytes(content[8:end]))]
    return bytes(content[end:]), signatures


def _entries() -> list[Path]:
    directory = cache_directory()
    if directory is None or not directory.is_dir():
        return []
    return [*directory.glob("*" + _SUFFIX), *directory.glob("*.part")]


def _evict() -> None:
    """Remove the entries used longest ago until the rest fits."""
    found = []
    for path in _entries():
        with suppress(OSError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found, key=lambda entry: entry[0]):
        if total <= LARGEST_CACHE:
            return
        with suppress(OSError):
            path.unlink()
            total -= size
