"""Machine code in files that only this user can have written, where files have owners (POSIX).

A folder of entries may be shared, lie where others can write, or have been handed on: so who may write to it proves nothing. Each user
has a secret in it, a file that nobody else can read, and every entry is sealed with it (HMAC): the seal covers the address and the
code. What was not sealed with this user's secret, or not under this address, or was damaged since, is not read back; nothing of an
entry is read before its seal is checked, and what is checked is what is loaded, since both come from one reading of the file.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
import tempfile
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from dalembert.errors import UntrustedCacheWarning

SUFFIX = ".kernel"
_FORMAT = b"dalembert kernel 2\n"
_SECRET_SIZE = 32
_READ = (
    os.O_RDONLY
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True)
class Entries:
    """The entries of this user in a folder. Whatever cannot be read or written is as if it were not there."""

    folder: Path
    secret: bytes

    def path(self, address: str) -> Path:
        """Where the entry of this address is kept; each user's has a name of its own."""
        return self.folder / (self._seal(b"name", address.encode()).hex() + SUFFIX)

    def read(self, address: str) -> bytes | None:
        """What was kept under the address."""
        path = self.path(address)
        try:
            found = _content(path)
        except OSError:
            return None
        start = len(_FORMAT) + hashlib.sha256().digest_size
        content = found[start:]
        if found[: len(_FORMAT)] != _FORMAT:
            return None
        if not hmac.compare_digest(found[len(_FORMAT) : start], self._seal(b"code", address.encode(), content)):
            return None
        with suppress(OSError):
            os.utime(path)  # eviction goes by last use
        return content

    def write(self, address: str, content: bytes) -> None:
        """Keep the content: beside its place and then moved in, so that others see all of it or nothing."""
        temporary = None
        try:
            handle, temporary = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                file.write(_FORMAT + self._seal(b"code", address.encode(), content) + content)
            os.replace(temporary, self.path(address))
        except OSError:
            if temporary:
                with suppress(OSError):
                    os.unlink(temporary)

    def evict(self, largest: int) -> None:
        """Remove the entries used longest ago until the rest takes at most this many bytes."""
        found = []
        for path in files_in(self.folder):
            with suppress(OSError):
                status = path.stat()
                found.append((status.st_mtime, status.st_size, path))
        total = sum(size for _, size, _ in found)
        for _, size, path in sorted(found, key=lambda entry: entry[0]):
            if total <= largest:
                return
            with suppress(OSError):
                path.unlink()
                total -= size

    def _seal(self, *parts: bytes) -> bytes:
        made = hmac.new(self.secret, digestmod=hashlib.sha256)
        for part in parts:
            made.update(len(part).to_bytes(8, "little") + part)
        return made.digest()


def entries_in(folder: Path) -> Entries | None:
    """The entries in a folder, which is made if there is none; None if nothing can be kept there, or be trusted."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        secret = _secret(folder / f"secret.{_user()}")
    except OSError:
        return None
    return None if secret is None else Entries(folder, secret)


def files_in(folder: Path) -> list[Path]:
    """All entries in a folder, whoever's, and what was left of some that were never finished."""
    return [*folder.glob("*" + SUFFIX), *folder.glob("*.part")] if folder.is_dir() else []


def _secret(path: Path) -> bytes | None:
    """This user's secret: the one in the file, or a new one. None if the file is not ours alone."""
    try:
        return _own_secret(path)
    except FileNotFoundError:
        pass
    except OSError as problem:
        warnings.warn(
            f"compiled code is not kept: {problem}. Remove that file, or choose another folder with DALEMBERT_CACHE_DIR",
            UntrustedCacheWarning,
            stacklevel=2,
        )
        return None
    _make_secret(path)
    return _own_secret(path)


def _make_secret(path: Path) -> None:
    """A new secret, whole or not at all; another process may be quicker."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")  # for this user only
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(_SECRET_SIZE))
        try:
            os.link(temporary, path)  # unlike renaming, this replaces nothing
        except FileExistsError:
            pass
        except OSError:  # no links on this file system
            os.replace(temporary, path)
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _own_secret(path: Path) -> bytes:
    """The secret in a file that is this user's and nobody else's; PermissionError if it is not."""
    if path.is_symlink():
        raise PermissionError(f"{path} is a link")
    handle = os.open(path, _READ)
    status = os.fstat(handle)
    if stat.S_ISDIR(status.st_mode):
        os.close(handle)
        raise PermissionError(f"{path} is a folder")
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(status.st_mode):
            raise PermissionError(f"{path} is not a plain file")
        if os.name == "posix" and status.st_uid != os.geteuid():
            raise PermissionError(f"{path} belongs to another user")
        if os.name == "posix" and status.st_mode & 0o077:
            raise PermissionError(f"{path} can be read or written by other users")
        found = file.read(_SECRET_SIZE + 1)
    if len(found) != _SECRET_SIZE:
        raise PermissionError(f"{path} holds no secret of this package's")
    return found


def _content(path: Path) -> bytes:
    """All of a plain file."""
    handle = os.open(path, _READ)
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{path} is not a plain file")
        return file.read()


def _user() -> str:
    """Name of this user's secret; where owners of files cannot be asked, the name is all there is."""
    return str(os.geteuid()) if os.name == "posix" else os.environ.get("USERNAME", "user")
