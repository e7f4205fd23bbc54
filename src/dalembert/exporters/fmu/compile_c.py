"""C sources as a shared library, by whatever compiler there is: the system's for this machine, Zig's for others too."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dalembert.errors import ArgumentError, FileError

FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
"""How a library is compiled. No options that depend on the processor: it must run on all of a platform's."""


@dataclass(frozen=True)
class Platform:
    """A kind of machine, by its names in FMI and for Zig."""

    fmi3: str
    fmi2: str
    zig: str
    ending: str


PLATFORMS = {
    p.fmi3: p
    for p in (
        Platform("x86_64-linux", "linux64", "x86_64-linux-gnu.2.17", ".so"),
        Platform("aarch64-linux", "aarch64-linux", "aarch64-linux-gnu.2.17", ".so"),
        Platform("x86_64-windows", "win64", "x86_64-windows-gnu", ".dll"),
        Platform("x86_64-darwin", "darwin64", "x86_64-macos", ".dylib"),
        Platform("aarch64-darwin", "aarch64-darwin", "aarch64-macos", ".dylib"),
    )
}
"""Platforms by their names in FMI 3.0."""


def this_platform() -> Platform | None:
    """The platform of this machine, if it is one of those known."""
    system = {"linux": "linux", "win32": "windows", "darwin": "darwin"}.get(sys.platform, "")
    processor = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    return PLATFORMS.get(f"{processor}-{system}")


def platforms_named(names: Sequence[str] | None) -> list[Platform]:
    """Platforms of these names; "all" are all, None is this machine."""
    if names is None:
        here = this_platform()
        if here is None:
            raise ArgumentError(
                "export: this machine is none that FMUs have a name for; say platforms=[…], or sources only"
            )
        return [here]
    found = list(PLATFORMS) if "all" in names else list(names)
    for name in found:
        if name not in PLATFORMS:
            raise ArgumentError(f'export: platform "{name}" is not known; choose among {", ".join(PLATFORMS)}, all')
    return [PLATFORMS[name] for name in found]


def _command(for_: Platform) -> list[str]:
    """The compiler and its options, or a sentence."""
    zig = importlib.util.find_spec("ziglang") is not None
    if for_ == this_platform():
        named = os.environ.get("CC")
        found = shutil.which(named) if named else next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
        if found:
            return [found, *FLAGS]
    if zig:
        return [sys.executable, "-m", "ziglang", "cc", "-target", for_.zig, *FLAGS]
    raise ArgumentError(
        f"export: there is no C compiler for {for_.fmi3}; pip install dalembert[fmu] brings one for all "
        "platforms, or export the sources only"
    )


def shared_library(sources: Mapping[str, str], identifier: str, for_: Platform) -> bytes:
    """The library that these files are compiled to, headers among them."""
    command = _command(for_)
    with tempfile.TemporaryDirectory(prefix="dalembert-") as place:
        folder = Path(place)
        for name, text in sources.items():
            (folder / name).write_text(text, encoding="utf-8")
        made = folder / f"{identifier}{for_.ending}"
        units = [name for name in sources if name.endswith(".c")]
        mathematics = [] if "windows" in for_.fmi3 else ["-lm"]
        done = subprocess.run(
            [*command, "-o", made.name, *units, *mathematics], cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode or not made.exists():
            said = (done.stderr or done.stdout).strip().splitlines()
            raise FileError(
                f"export: {command[0]} could not compile the model for {for_.fmi3}: {said[0] if said else 'without a word'}"
            )
        return made.read_bytes()
