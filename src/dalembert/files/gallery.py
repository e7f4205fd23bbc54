"""The gallery: mechanisms as model files that come with the package."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent.parent


def folder() -> Path:
    """Where they are: in an installed package, or in the source tree."""
    installed = _PACKAGE / "examples"
    return installed if installed.is_dir() else _PACKAGE.parent.parent / "examples"


def files() -> dict[str, Path]:
    """Model files by name."""
    return {p.stem: p for p in sorted(folder().glob("*.yaml"))}


def names() -> list[str]:
    return list(files())


def find(name: str) -> Path | None:
    return files().get(name.replace("-", "_"))
