"""A C compiler for the tests, and exported libraries compiled and run by it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic")


def compiler() -> list[str]:
    """The command, or the test is left out on a desk and fails where CI is set."""
    found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if found:
        return [found]
    try:
        import ziglang  # type: ignore[import-not-found]  # noqa: F401

        return [sys.executable, "-m", "ziglang", "cc"]
    except ImportError:
        if os.environ.get("CI"):
            pytest.fail("there is no C compiler; run tools/compiler.sh")
        pytest.skip("there is no C compiler; run tools/compiler.sh")


def built(folder: Path, name: str, flags: Sequence[str] = ("-O1",), main: str | None = None) -> Path:
    """The test program of an exported library, or another in its place; every warning is an error."""
    made = folder / f"run_{name}"
    sources = [folder / f"{name}.c", folder / (main or f"test_{name}.c")]
    command = [*compiler(), *STRICT, *flags, "-o", str(made), *map(str, sources), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return made
