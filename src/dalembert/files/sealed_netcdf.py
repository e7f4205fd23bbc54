"""NetCDF files that can be trusted to be read: HDF5's own code may stand still on a damaged file, so that none is handed to it unseen.

A file that dalembert writes ends with a line that holds the checksum of all bytes before it, which HDF5 does not read. A file without
that line was written by others, or has lost its end: whether its end is there the file itself says, and another process reads it
first, which can be ended.
"""

from __future__ import annotations

import hashlib
import io
import math
import subprocess
import sys
from typing import TYPE_CHECKING

from dalembert.limited_read import MB, Unreadable

if TYPE_CHECKING:
    from xarray import Dataset

_MARK = b"\ndalembert sha256 "
_LINE = len(_MARK) + 65
"""Bytes of the last line: the mark, the checksum and an end of line."""
_SIGNATURE = b"\x89HDF\r\n\x1a\n"
PATIENCE = 60.0
"""Seconds for another process to read a file whose bytes nobody vouches for."""
_TRY = """
import sys
sys.path[:] = sys.argv[1:]
from dalembert.files.sealed_netcdf import checked
checked(sys.stdin.buffer.read())
"""
LARGEST = 2**34
"""Bytes of a file, and of its arrays."""
UNFOLDED = 100
"""How many times as much as the file may be in its arrays, which dalembert itself does not pack."""
PACKING = (1, 2, 3)
"""What HDF5 does by itself: deflate, shuffle, checksums."""


def sealed(content: bytes) -> bytes:
    """A file with its last line."""
    return content + _MARK + hashlib.sha256(content).hexdigest().encode() + b"\n"


def opened(content: bytes) -> Dataset:
    """The dataset in a file, whole in memory; `Unreadable` where HDF5 should not be tried on it."""
    body, last = content[:-_LINE], content[-_LINE:]
    if not last.startswith(_MARK):
        _check_by_another_process(content)
        return checked(content)
    if hashlib.sha256(body).hexdigest().encode() != last[len(_MARK) : -1]:
        raise Unreadable("it is damaged: its bytes are not those that were written")
    return checked(body)


def checked(content: bytes) -> Dataset:
    """The dataset, after a look at what HDF5 would do to read it."""
    import xarray

    _check_contents(content)
    with xarray.open_dataset(io.BytesIO(content), engine="h5netcdf") as data:
        return data.load()


def _check_by_another_process(content: bytes) -> None:
    if _end(content) > len(content):
        raise Unreadable("it is damaged: its end is missing")
    command = [sys.executable, "-c", _TRY, *sys.path]
    try:
        done = subprocess.run(command, input=content, capture_output=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise Unreadable(f"HDF5 cannot make it out within {PATIENCE:g} s") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Unreadable(
            said[-1].partition("Unreadable: ")[2] or said[-1] if said else f"HDF5 ended with {done.returncode} on it"
        )


def _end(content: bytes) -> int:
    """Where an HDF5 file says that it ends: in its superblock, at a place that hangs on its version."""
    if not content.startswith(_SIGNATURE) or len(content) < 48:
        raise Unreadable("it is damaged or not a NetCDF file: it does not begin as an HDF5 file")
    at = 40 if content[8] < 2 else 28
    return int.from_bytes(content[at : at + 8], "little")


def _check_contents(content: bytes) -> None:
    """HDF5 can say much more than arrays of numbers: nothing may lead out of the file, call for code, or unfold beyond measure."""
    import h5py

    with h5py.File(io.BytesIO(content), "r") as file:
        room = min(UNFOLDED * len(content) + MB, LARGEST)
        for name in file:
            if not isinstance(file.get(name, getlink=True), h5py.HardLink) or not isinstance(file[name], h5py.Dataset):
                raise Unreadable(f"{name!r} in it is a group or a link, and a motion has none")
            array, filters = file[name], file[name].id.get_create_plist()
            if array.external or array.is_virtual:
                raise Unreadable(f"the numbers of {name!r} are in another file")
            if any(filters.get_filter(k)[0] not in PACKING for k in range(filters.get_nfilters())):
                raise Unreadable(f"{name!r} is packed in a way that needs further code")
            # a chunk is unfolded whole, however little of it is in the array
            room -= max(array.size, math.prod(array.chunks or (1,)), 1) * array.dtype.itemsize
            if room < 0:
                raise Unreadable(
                    f"its arrays unfold to more than {UNFOLDED} times its size, or than {LARGEST // MB} MB"
                )
