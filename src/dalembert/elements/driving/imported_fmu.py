"""ImportedFmu: a model of another program, as an FMU for co-simulation, that drives or loads a mechanism.

It is code of whoever made it, and runs in this process with all your rights: only by calling `ImportedFmu` yourself. No model file
can name one. It is sampled: at every sample it is stepped to the time of the mechanism under the inputs of the sample before, reads the
state, and what its outputs then are is kept until the next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import DalembertError, FileError, SimulationError
from dalembert.optional import optional
from dalembert.parts.names import unknown

if TYPE_CHECKING:
    from dalembert.aliases import FilePath, StateFunction

LARGEST = 2_000_000_000
"""Bytes to which an archive may unfold."""
BACKWARD = 1e-9
"""Part of a second by which a sample may lie before the one that was made last, by rounding, and be no new run."""


class ImportedFmu:
    """An FMU as the `control` of a simulation: `m.simulate(1.0, control=fmu, control_rate=1000.0)`.

    `inputs` gives its inputs as functions of the state; `forces` says which output acts on which joint or speed; `loads` which three
    outputs are a force, world axes, at a point: a body's name or ("body", (x, y, z)). `start_values` sets its parameters. `outputs`
    names further ones to be recorded. `record["t"]` and `record[output]` have what it put out. Close it, or use it in `with`.
    """

    def __init__(
        self,
        path: FilePath,
        *,
        inputs: Mapping[str, StateFunction] | None = None,
        forces: Mapping[str, str] | None = None,
        loads: Mapping[Any, Sequence[str]] | None = None,
        start_values: Mapping[str, float] | None = None,
        outputs: Sequence[str] = (),
    ) -> None:
        from tempfile import mkdtemp

        self.path, self.inputs, self.start_values = Path(path), dict(inputs or {}), dict(start_values or {})
        self.forces, self.loads = dict(forces or {}), {at: tuple(names) for at, names in (loads or {}).items()}
        self._fmpy: Any = optional("fmpy", "ImportedFmu", FileError)
        self._folder = Path(mkdtemp(prefix="dalembert-"))
        self._fmu: Any = None
        self._t = np.inf
        try:
            _unpack(self.path, self._folder)
            self.about = self._described()
            places = {v.name: v for v in self.about.modelVariables}
            every = [*self.forces, *(name for names in self.loads.values() for name in names), *outputs]
            self._outputs = list(dict.fromkeys(every))
            for names, wanted in ((self.inputs, "input"), (self.start_values, ""), (self._outputs, "")):
                self._check(names, places, wanted)
            self._place = {name: v.valueReference for name, v in places.items()}
        except BaseException:
            self.close()
            raise
        self.record: dict[str, list[float]] = {}

    def __call__(self, s: Any) -> dict[str, Any]:
        """Forces on joints and speeds from this sample on."""
        t = float(s.t)
        if self._fmu is None or t < self._t - BACKWARD:
            self._begin(t)
        elif t > self._t:
            self._said("doStep", self._t, t - self._t)
        self._t = t
        self._put(self.inputs, [float(f(s)) for f in self.inputs.values()])
        values = dict(zip(self._outputs, self._get(self._outputs)))
        for name, x in {"t": t, **values}.items():
            self.record[name].append(x)
        made: dict[str, Any] = {}
        for output, name in self.forces.items():
            made[name] = made.get(name, 0.0) + values[output]
        return self._loaded(s, values, made)

    def close(self) -> None:
        """End it, and remove what was unpacked."""
        from shutil import rmtree

        if self._fmu is not None:
            self._fmu.freeInstance()
            self._fmu = None
        rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> ImportedFmu:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- pieces --------------------------------------------------------------------------------------------------------
    def _described(self) -> Any:
        try:
            if b"<!DOCTYPE" in (self._folder / "modelDescription.xml").read_bytes().replace(b"\0", b""):  # UTF-16 too
                raise ValueError("it declares a document type, and so may define entities, which are not read")
            about = self._fmpy.read_model_description(str(self._folder), validate=False)
        except Exception as problem:
            raise FileError(f"FMU {self.path}: its description cannot be read: {problem}") from problem
        if about.coSimulation is None:
            raise FileError(
                f"FMU {self.path}: it is for model exchange only; a mechanism needs one for co-simulation, with a solver of its own"
            )
        if about.fmiVersion not in ("2.0", "3.0"):
            raise FileError(f"FMU {self.path}: FMI {about.fmiVersion} is not read, 2.0 and 3.0 are")
        return about

    def _check(self, names: Any, places: Mapping[str, Any], causality: str) -> None:
        of = f'FMU "{self.about.modelName}"'
        for name in names:
            if name not in places or (causality and places[name].causality != causality):
                some = [n for n, v in places.items() if not causality or v.causality == causality]
                raise unknown(name, causality or "variable", some, of)
            if places[name].type not in ("Real", "Float64"):
                raise SimulationError(
                    f'{of}: "{name}" is of type {places[name].type}; only real numbers are read and set'
                )

    def _begin(self, t: float) -> None:
        """A new instance, initialised at this time."""
        second, c = self.about.fmiVersion == "2.0", self.about.coSimulation
        if self._fmu is not None:
            self._fmu.freeInstance()
        kind = (
            optional("fmpy.fmi2", "ImportedFmu").FMU2Slave if second else optional("fmpy.fmi3", "ImportedFmu").FMU3Slave
        )
        names = {"modelIdentifier": c.modelIdentifier, "instanceName": "dalembert", "guid": self.about.guid}
        try:
            self._fmu = kind(unzipDirectory=str(self._folder), **names)
            self._fmu.instantiate()
        except Exception as problem:
            self._fmu = None
            raise SimulationError(
                f'FMU "{self.about.modelName}" cannot be started on this machine: {problem}'
            ) from problem
        self.record = {name: [] for name in ("t", *self._outputs)}
        self._put(self.start_values, list(self.start_values.values()))
        if second:
            self._said("setupExperiment", startTime=t)
            self._said("enterInitializationMode")
        else:
            self._said("enterInitializationMode", startTime=t)
        self._said("exitInitializationMode")

    def _put(self, names: Any, values: list[float]) -> None:
        if names:
            self._said(
                "setReal" if self.about.fmiVersion == "2.0" else "setFloat64", [self._place[n] for n in names], values
            )

    def _get(self, names: list[str]) -> list[float]:
        if not names:
            return []
        found = self._said(
            "getReal" if self.about.fmiVersion == "2.0" else "getFloat64", [self._place[n] for n in names]
        )
        for name, x in zip(names, found):
            if not np.isfinite(x):
                raise SimulationError(
                    f'FMU "{self.about.modelName}": its output "{name}" is {x!r} at t = {self._t:g} s'
                )
        return [float(x) for x in found]

    def _said(self, function: str, *arguments: Any, **named: Any) -> Any:
        call: Callable[..., Any] = getattr(self._fmu, function)
        try:
            found = call(*arguments, **named)
        except DalembertError:
            raise
        except Exception as problem:
            raise SimulationError(
                f'FMU "{self.about.modelName}": {function} failed at t = {self._t:g} s: {problem}'
            ) from problem
        if function == "doStep" and found is not None and found[1]:
            raise SimulationError(f'FMU "{self.about.modelName}" ended the simulation at t = {found[3]:g} s')
        return found

    def _loaded(self, s: Any, values: Mapping[str, float], made: dict[str, Any]) -> dict[str, Any]:
        """The forces at points as forces on speeds, beside the others."""
        m = s.mechanism
        for at, names in self.loads.items():
            J = m.point_jacobian(at, np.asarray(s.coordinates, dtype=float), float(s.t))[3:]
            for speed, x in zip(m.speeds, np.array([values[n] for n in names]) @ J):
                made[speed] = made.get(speed, 0.0) + float(x)
        return made


def _unpack(path: Path, folder: Path) -> None:
    """Into this folder and nowhere else, up to a size."""
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(path) as archive:
            entries = archive.infolist()
            if sum(e.file_size for e in entries) > LARGEST:
                raise FileError(f"FMU {path}: it unfolds to more than {LARGEST // 10**9} GB")
            for e in entries:
                parts = PurePosixPath(e.filename).parts
                if "\\" in e.filename or ":" in e.filename or ".." in parts or e.filename.startswith("/"):
                    raise FileError(f"FMU {path}: it holds {e.filename!r}, which leads out of it")
            archive.extractall(folder)
    except (OSError, BadZipFile, ValueError, NotImplementedError, RuntimeError) as problem:
        raise FileError(f"FMU {path} cannot be read: {problem}") from problem
