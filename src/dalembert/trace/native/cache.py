"""Machine code is compiled once per machine, not once per run: kept in this process and on disk, under the address of its source.

The address is a hash of the source itself, with target and compiler: nothing that decides the code can be left out of it, so that no
model is ever answered by another's code. The price is that a source must be written before its code can be looked for.
DALEMBERT_VERIFY_CODE=1 has everything found compiled anew and compared.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path
from weakref import WeakValueDictionary

from dalembert.errors import TraceError
from dalembert.trace.native.driver.signature import Signature
from dalembert.trace.native.entries import Entries, entries_in, files_in
from dalembert.trace.native.library import Library
from dalembert.trace.native.module import Module

LARGEST_CACHE = 512 * 1024 * 1024
"""Bytes on disk above which the entries used longest ago are removed."""

VERIFY = os.environ.get("DALEMBERT_VERIFY_CODE", "") not in ("", "0")
"""Whether code that is found is compiled again and compared with what was found: slow, for tests."""

_ANOTHERS = "the machine code that was found for {names} is not that of the model at hand"

_loaded: WeakValueDictionary[str, Library] = WeakValueDictionary()
_recent: deque[Library] = deque(maxlen=128)
"""Libraries kept in this process even if nobody uses them at the moment; older ones live as long as they are used."""
_lock = threading.Lock()


def cached(module: Module) -> Library:
    """The module's library: from this process, from disk, or compiled now and kept."""
    address = module.address
    with _lock:
        found = _loaded.get(address)
    found = found or _read(module, address)
    if found is not None and VERIFY:
        check_same(module, found)
    library = found or _built(module, address)
    with _lock:
        library = _loaded.setdefault(address, library)
        _recent.append(library)
    return library


def cached_code(module: Module) -> bytes:
    """The module's object file, for machines other than this: from disk, or compiled now and kept."""
    entries, address = _entries(), module.address
    found = None if entries is None else entries.read(address)
    if found is None:
        made = module.object_code()
        _keep(entries, address, made)
        return made
    if VERIFY and found != module.object_code():
        raise TraceError(_ANOTHERS.format(names=", ".join(s.name for s in module.signatures)))
    return found


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
    directory = cache_directory()
    for path in [] if directory is None else files_in(directory):
        with suppress(OSError):
            path.unlink()


def check_same(module: Module, library: Library) -> None:
    """What was found is what the module would be compiled to."""
    if module.address != library.address or module.compile().code != library.code:
        raise TraceError(_ANOTHERS.format(names=", ".join(library)))


def _entries() -> Entries | None:
    directory = cache_directory()
    return None if directory is None else entries_in(directory)


def _read(module: Module, address: str) -> Library | None:
    entries = _entries()
    content = None if entries is None else entries.read(address)
    if content is None:
        return None
    return Library(*unpacked(content), module.target, address)


def _built(module: Module, address: str) -> Library:
    library = module.compile()
    _keep(_entries(), address, packed(library))
    return library


def _keep(entries: Entries | None, address: str, content: bytes) -> None:
    if entries is not None:
        entries.write(address, content)
        entries.evict(LARGEST_CACHE)


def packed(library: Library) -> bytes:
    """The functions' signatures and the object code."""
    header = json.dumps([[s.name, s.parameters, s.status, s.lanes] for s in library.signatures]).encode()
    return len(header).to_bytes(8, "little") + header + library.code


def unpacked(content: bytes) -> tuple[bytes, list[Signature]]:
    """Object code and signatures."""
    end = 8 + int.from_bytes(content[:8], "little")
    signatures = [Signature(name, tuple(kinds), *rest) for name, kinds, *rest in json.loads(content[8:end])]
    return content[end:], signatures


class CodeLibraries:
    """Machine code found for one model, by what was asked for: a kernel and what it depends on besides the model. What is asked again
    is not written again only to find it. Models that differ in the values of parameters alone share one: values are inputs of the code.

    They live as long as somebody uses them, or the cache of the process keeps them.
    """

    def __init__(self) -> None:
        self._found: WeakValueDictionary[Hashable, Library] = WeakValueDictionary()

    def library(self, what: Hashable, module: Callable[[], Module]) -> Library:
        """The library of `what`: found, or by the module's own address."""
        found = self._found.get(what)
        if found is None:
            found = self._found[what] = cached(module())
        elif VERIFY:
            check_same(module(), found)
        return found
