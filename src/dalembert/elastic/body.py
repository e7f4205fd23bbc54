"""The data of an elastic body in a floating frame: moments of its displacement fields [C 41–42, 76].

A point of the body is at x = r + Σ φ_j q_j + ½ Σ G_ij q_i q_j in the frame's axes. With φ_0 = r, everything inertial
follows from S_a = ∫φ_a dm, P_ab = ∫φ_a φ_bᵀ dm (a, b = 0 … n) and from the moments of the second-order field, G0_ij = ∫G_ij
dm, H_ij = ∫r G_ijᵀ dm. A rigid body is n = 0. The second-order field is what a beam loses in length as it bends: its
moments are the geometric stiffness per unit of inertial load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.arguments import names as argument_names
from dalembert.cached import cached_property
from dalembert.elastic.builders.data import array, plain, symmetric
from dalembert.elastic.node import Node, named_nodes
from dalembert.errors import ModelError
from dalembert.portable import Portable
from dalembert.vectors import IDENTITY

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.elastic.lumps import Lumps
    from dalembert.elastic.sections import Sections
    from dalembert.elastic.slices import Slices

SEEN = 0.02
"""Part of its size by which a body is displaced where an amplitude is taken from it."""


@dataclass(frozen=True, eq=False)
class ElasticBody(Portable):
    """m (kg); S (n+1, 3); P (n+1, n+1, 3, 3); stiffness Ke and damping De (n, n); G0 (n, n, 3); H (n, n, 3, 3); nodes by name."""

    m: float
    S: np.ndarray
    P: np.ndarray
    Ke: np.ndarray
    De: np.ndarray
    G0: np.ndarray
    H: np.ndarray
    nodes: Mapping[str, Node] = field(default_factory=dict)
    modes: tuple[str, ...] = ()
    """Names of the coordinates; mode1, mode2, … if nothing is said."""
    frame: str = "as given"
    """Which floating frame the fields refer to, in words."""
    stiffened: bool = False
    """Whether the second-order field holds the geometric stiffening."""
    outline: tuple[Node, ...] = ()
    """Points to draw it through, one after the other; no equation reads them."""
    sections: Sections | None = None
    """What its sections carry, where it is a beam."""
    slices: Slices | None = None
    """Mass along it from end to end, where it is a beam."""
    lumps: Lumps | None = None
    """The nodal bodies it consists of, where its displacements are linear in its coordinates."""
    static_share: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """For nodes where it is known: the part that the modes have of the deflection under a static load there, for forces along x, y, z
    and moments about them; 0 where no mode of that kind is kept."""
    remarks: tuple[str, ...] = ()
    """What else its builder has to say of it, a line each."""

    source: ClassVar[Any] = None
    """What it was made from (`elastic.sources`), on bodies that a model file can say."""

    def __post_init__(self) -> None:
        n = len(array(self.Ke, (None, None), "elastic body: Ke"))
        shapes = {
            "S": (n + 1, 3), "P": (n + 1, n + 1, 3, 3), "Ke": (n, n), "De": (n, n), "G0": (n, n, 3), "H": (n, n, 3, 3),
        }  # fmt: skip
        for name, shape in shapes.items():
            value = array(getattr(self, name), shape, f"elastic body with {n} modes: {name}")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "m", plain(self.m, "elastic body: its mass"))
        object.__setattr__(self, "nodes", named_nodes(self.nodes))
        names = tuple(argument_names(self.modes, "elastic body: modes")) or tuple(f"mode{i + 1}" for i in range(n))
        if len(names) != n or len(set(names)) != n:
            raise ModelError(f"elastic body: {n} modes need {n} different names, not {names}")
        object.__setattr__(self, "modes", tuple(names))
        self._check()

    def _check(self) -> None:
        """Symmetric, with positive mass and modes that move it."""
        for name in ("Ke", "De"):
            symmetric(getattr(self, name), f"elastic body: {name}")
        if not self.m > 0.0:
            raise ModelError(f"elastic body: its mass {self.m:g} kg must be positive")
        if self.n and not np.linalg.eigvalsh(self.Me)[0] > 0.0:
            raise ModelError("elastic body: its modal mass matrix is not positive definite; leave out dependent modes")
        for name, node in self.nodes.items():
            if node.Phi.shape[1] != self.n:
                raise ModelError(
                    f'elastic body: node "{name}" has {node.Phi.shape[1]} modes, but the body has {self.n}'
                )

    # -- what it is like undeformed ---------------------------------------------------------------------------------------
    @property
    def n(self) -> int:
        """Number of elastic coordinates."""
        return len(self.Ke)

    @property
    def com(self) -> np.ndarray:
        return self.S[0] / self.m

    @property
    def inertia(self) -> np.ndarray:
        """About the undeformed body's mass centre."""
        Pc: np.ndarray = self.P[0, 0] - self.m * np.outer(self.com, self.com)
        return np.trace(Pc) * IDENTITY - Pc

    @cached_property
    def Me(self) -> np.ndarray:
        """Modal mass matrix, tr P_ij."""
        return np.einsum("ijaa->ij", self.P[1:, 1:])

    @cached_property
    def frequencies(self) -> np.ndarray:
        """Angular frequencies (rad/s) of the coordinates with the frame fixed."""
        from scipy.linalg import eigh

        if not self.n:
            return np.zeros(0)
        return np.sqrt(np.maximum(eigh(self.Ke, self.Me, eigvals_only=True), 0.0))

    @cached_property
    def amplitudes(self) -> np.ndarray:
        """For each coordinate, the value at which the body is displaced by a fiftieth of its size, in the mean over its mass."""
        size = np.sqrt(np.trace(self.P[0, 0]) / self.m)
        return SEEN * size * np.sqrt(self.m / np.diag(self.Me))

    @cached_property
    def length(self) -> float:
        """Greatest extent of the body: between points that are known of it, and no less than its mass distribution takes."""
        places = np.array([node.r for node in self.points]).reshape(-1, 3)
        apart = np.linalg.norm(places[:, None] - places[None, :], axis=2).max(initial=0.0)
        spread = np.linalg.eigvalsh(self.P[0, 0] / self.m - np.outer(self.com, self.com))[-1]
        return float(max(apart, 2.0 * np.sqrt(max(spread, 0.0)))) or 1.0  # a lone mass point has no extent of its own

    @property
    def points(self) -> tuple[Node, ...]:
        """All points whose displacements are known: those it is drawn through, and its nodes."""
        return (*self.outline, *self.nodes.values())

    @cached_property
    def modal_scales(self) -> np.ndarray:
        """For each coordinate, the value that displaces some point by the body's length, or turns one by 1 rad, whichever is less.

        Displacements count no less than their mean over the mass.
        """
        moved = [np.sqrt(np.diag(self.Me) / self.m), *(np.linalg.norm(node.Phi, axis=0) for node in self.points)]
        turned = [np.zeros(self.n), *(np.linalg.norm(node.Psi, axis=0) for node in self.points)]
        return np.asarray(1.0 / np.maximum(np.max(moved, axis=0) / self.length, np.max(turned, axis=0)))

    # -- the same body with other data ------------------------------------------------------------------------------------
    def damped(self, De: ArrayLike) -> ElasticBody:
        """The same body with another damping matrix (see `elastic.damping`)."""
        return replace(self, De=array(De, (self.n, self.n), "damped: De"))

    def with_nodes(self, **nodes: Node) -> ElasticBody:
        return replace(self, nodes={**self.nodes, **nodes})

    def __str__(self) -> str:
        from dalembert.elastic.describe import describe

        return describe(self)
