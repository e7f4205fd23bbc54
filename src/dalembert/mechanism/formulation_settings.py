"""Formulations that have numbers to set: what stands in the place of a name, `formulation=da.GaussPenalty(rho=1e6)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from dalembert.errors import ModelError
from dalembert.parts.conform import Described
from dalembert.parts.fields import PositiveNumber


@dataclass(frozen=True)
class GaussPenalty(Described):
    """The formulation "gauss_penalty" with a stiffness of one's own: joints and loops give by their force over ρ times mass or inertia.

    Accelerations are off by about 1/ρ; with more than 1e8 they lose as much to rounding [B Remark 1].
    """

    rho: PositiveNumber = 1e8
    """Stiffness of the penalty; larger is more exact and less well conditioned."""
    name: ClassVar[str] = "gauss_penalty"


@dataclass(frozen=True)
class SmallDeformations:
    """A formulation to first degree in what is small: `m.simulate(10.0, formulation=da.SmallDeformations(["boom"], by="system_root"))`.

    Joints, elastic bodies or single coordinates are named, and stay near their reference; all else moves as it likes [C III.A.3].
    """

    small: tuple[str, ...]
    """Joints, elastic bodies or coordinates that stay small."""
    by: str = "kane"
    """Name of the formulation."""

    def __post_init__(self) -> None:
        names = (self.small,) if isinstance(self.small, str) else tuple(self.small)
        if not names or not all(isinstance(x, str) for x in (*names, self.by)):
            raise ModelError(
                f"SmallDeformations: small must name joints, elastic bodies or coordinates, by a formulation, not {names!r} {self.by!r}"
            )
        object.__setattr__(self, "small", names)

    @property
    def name(self) -> str:
        """The name of the formulation whose equations these are."""
        return self.by


FormulationSettings = GaussPenalty | SmallDeformations
FORMULATIONS_WITH_SETTINGS = {GaussPenalty.name: GaussPenalty}
"""Formulations that have numbers to set, by name."""


def formulation_name(said: str | FormulationSettings) -> str:
    """The name of a formulation that is said by name or with its settings."""
    return said if isinstance(said, str) else said.name


def recorded_formulation(said: str | FormulationSettings) -> str | dict[str, Any]:
    """For the result and for files, as a model file says it."""
    if isinstance(said, SmallDeformations):
        return {"type": "small_deformations", "small": list(said.small), "by": said.by}
    return said if isinstance(said, str) else {"type": said.name, "rho": said.rho}


def checked_formulation(value: Any, where: str) -> str | FormulationSettings:
    """A name, or a formulation with its settings; what else is refused."""
    if isinstance(value, str | FormulationSettings):
        return value
    raise ModelError(
        f"{where} must be the name of a formulation in quotes, da.GaussPenalty(rho=…) or da.SmallDeformations([…]), not {value!r}"
    )
