"""A motion as something to take along: C libraries, FMUs, films, animated scenes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dalembert.arguments import count, file_path, names, one_name, real, takes

if TYPE_CHECKING:
    from dalembert.motion.motion import Motion


class MotionElsewhere:
    """What `Motion` writes for other programs."""

    @property
    def _motion(self) -> Motion:
        return cast("Motion", self)

    @takes(folder=file_path, name=one_name, reactions=names)
    def export_c(
        self, folder: str | Path, name: str | None = None, *, reactions: Sequence[str] | None = None
    ) -> list[Path]:
        """Write the mechanism as a C99 library that marches as this motion was marched; returns the files.

        `name` is its name in C, the mechanism's if not given; `reactions` are joints whose reactions are among its outputs.
        """
        from dalembert.exporters import export_c

        return export_c(self._motion, folder, name, reactions)

    @takes(path=file_path, version=one_name, name=one_name, reactions=names, platforms=names)
    def export_fmu(
        self,
        path: str | Path,
        version: str = "3.0",
        name: str | None = None,
        *,
        reactions: Sequence[str] | None = None,
        platforms: Sequence[str] | None = None,
    ) -> Path:
        """Write the mechanism as an FMU of FMI 3.0 or 2.0, for co-simulation and model exchange.

        `platforms` names the machines it is compiled for, "x86_64-linux", "x86_64-windows", … or "all"; without it, this one. With an
        empty list it has sources only.
        """
        from dalembert.exporters import export_fmu

        return export_fmu(self._motion, path, version, name, reactions, platforms)

    @takes(path=file_path, rate=real, speed=real, width=count(16), height=count(16))
    def video(
        self, path: str | Path, *, rate: float = 30.0, speed: float = 1.0, width: int = 1280, height: int = 720
    ) -> Path:
        """Write a film of the motion, drawn by the page's renderer in Chromium: .webm, or .mp4 where ffmpeg is installed.

        `rate` is pictures per second, `speed` how many seconds of the motion pass in one of the film.
        """
        from dalembert.view.video import write_video

        return write_video(self._motion, path, rate=rate, speed=speed, width=width, height=height)

    @takes(path=file_path)
    def gltf(self, path: str | Path) -> Path:
        """Write the motion as an animated scene of glTF 2.0, a .glb that Blender, web viewers and game engines open."""
        from dalembert.view.gltf import write_gltf

        return write_gltf(self._motion, path)
