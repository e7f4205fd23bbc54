"""Every error a user can meet. Each message says what is wrong, where, and what to do next."""

from __future__ import annotations

from typing import Any


class DalembertError(Exception):
    """Base of all errors this package raises on purpose."""


class ArgumentError(DalembertError):
    """A function was called with something of the wrong kind: the message names the function and the argument."""


class ModelError(DalembertError):
    """The description of a mechanism is wrong: the message names the body, joint or force and the remedy."""


class ModelFileError(ModelError):
    """A model file cannot be read or written: `file`, `line`, `column` and `field` say where."""

    def __init__(self, problem: str, file: str, line: int | None = None, column: int | None = None, field: str = ""):
        self.problem, self.file, self.line, self.column, self.field = problem, file, line, column, field
        place = ":".join(str(x) for x in (file, line, column) if x is not None)
        super().__init__(": ".join(x for x in (place, field, problem) if x))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem, self.file, self.line, self.column, self.field)


class StateError(DalembertError):
    """A state (time, coordinates, speeds) does not fit the mechanism or cannot be used."""


class LoopError(DalembertError):
    """A loop cannot be closed, or constraints contradict each other."""


class EquilibriumError(DalembertError):
    """No equilibrium was found: the message names the joint where most is left over."""


class FormulationError(DalembertError):
    """A formulation was asked for something it cannot do."""


class SlowForceWarning(UserWarning):
    """A force is a plain Python function that cannot be compiled: it works, but slowly."""


class AssemblyWarning(UserWarning):
    """Loops close only nearly, as where a file has few digits, or given values were moved a little to close them."""


class SpinWarning(UserWarning):
    """An elastic body without geometric stiffening spins faster than its model holds."""


class BendingWarning(UserWarning):
    """An elastic body is bent further than its linear modes hold."""


class StiffnessWarning(UserWarning):
    """A joint loads an elastic body in a way that its modes hardly give way to: it is too stiff there."""


class RoundingWarning(UserWarning):
    """Rounding may take digits of the answer that are asked for: the message says how many, and what keeps them."""


class UnsteadyWarning(UserWarning):
    """Small motions were taken to have constant coefficients, and do not."""


class ForceError(DalembertError):
    """A force's own function failed: the message names the force and gives its complaint."""


class TraceError(DalembertError):
    """Traced values were used as if they were numbers."""


class SimulationError(DalembertError):
    """A simulation cannot be started, or stopped before its end; `motion` then holds the part computed so far."""

    motion: Any = None


class DriveError(DalembertError):
    """The actuators named cannot produce the motion asked for, or nothing can be driven there."""


class PathError(DalembertError):
    """A path leaves what the mechanism can reach; `t` and `distance` say when and by how much."""

    def __init__(self, message: str, t: float = float("nan"), distance: float = float("nan")):
        super().__init__(message)
        self.t, self.distance = t, distance


class FileError(DalembertError):
    """A file cannot be written: a page, a table, a model, a motion. Nothing is left behind."""


class FileWarning(UserWarning):
    """A file was written, but not quite as one might expect: a column has another name, say."""


class MotionFileError(FileError):
    """A file with a motion or a checkpoint cannot be written, cannot be read, or does not hold what was written."""


class UntrustedCacheWarning(UserWarning):
    """Compiled code is neither read from disk nor kept there, because others could pass theirs off as this user's."""


class SimulationWarning(UserWarning):
    """Some of many motions did not reach their end, or a checkpoint could not be written."""
