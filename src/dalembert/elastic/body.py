"""The data of an elastic body in a floating frame: moments of its displacement fields [C 41–42, 76].

A point of the body is at x = r + Σ φ_j q_j + ½ Σ G_ij q_i q_j in the frame's axes. With φ_0 = r, everything inertial
follows from S_a = ∫φ_a dm, P_ab = ∫φ_a φ_bᵀ dm (a, b = 0 … n) and from the moments of the second-order field, G0_ij = ∫G_ij
dm, H_ij = ∫r G_ijᵀ dm. A rigid body is n = 0. The second-order field is what a beam loses in length as it bends: its
moments are the geometric stiffness per unit of inertial load.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dalembert.elastic.node import Node, named_nodes
from dalembert.errors import ModelError
from dalembert.portable import Portable
from dalembert.vectors import IDENTITY

if TYPE_CHECKING:
    from dalembert.elastic.lumps import Lumps
    from dalembert.elastic.sections import Sections
    from dalembert.elastic.slices import Slices

_ROUNDING = 1e-9


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
    """Points to draw it through, one after the other; no equation looks at them."""
    sections: Sections | None = None
    """What its sections carry, where it is a beam."""
    slices: Slices | None = None
    """Its matter from end to end, where it is a beam."""
    lumps: Lumps | None = None
    """The nodal bodies it consists of, where its displacements are linear in its coordinates."""

    source: ClassVar[Any] = None
    """What it was made from (`elastic.sources`), on bodies that a model file can say."""

    def __post_init__(self) -> None:
        n = np.asarray(self.Ke).shape[0]
        shapes = {
            "S": (n + 1, 3), "P": (n + 1, n + 1, 3, 3), "Ke": (n, n), "De": (n, n), "G0": (n, n, 3), "H": (n, n, 3, 3),
        }  # fmt: skip
        for name, shape in shapes.items():
            value = np.array(getattr(self, name), dtype=float)
            if value.shape != shape:
                raise ModelError(f"elastic body: {name} must have shape {shape} for {n} modes, not {value.shape}")
            if not np.isfinite(value).all():
                raise ModelError(f"elastic body: {name} has entries that are not finite")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "m", float(self.m))
        object.__setattr__(self, "nodes", named_nodes(self.nodes))
        names = self.modes or tuple(f"mode{i + 1}" for i in range(n))
        if len(names) != n or len(set(names)) != n:
            raise ModelError(f"elastic body: {n} modes need {n} different names, not {names}")
        object.__setattr__(self, "modes", tuple(names))
        self._check()

    def _check(self) -> None:
        """Symmetric, with positive mass and modes that move it."""
        for name in ("Ke", "De"):
            K = getattr(self, name)
            if np.abs(K - K.T).max(initial=0.0) > _ROUNDING * np.abs(K).max(initial=0.0):
                raise ModelError(f"elastic body: {name} is not symmetric")
        if not self.m > 0.0:
            raise ModelError(f"elastic body: its mass {self.m:g} kg must be positive")
        if self.n and np.linalg.eigvalsh(self.Me)[0] <= 0.0:
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
        """Angular frequencies (rad/s) of the coordinates with the frame held still."""
        from scipy.linalg import eigh

        if not self.n:
            return np.zeros(0)
        return np.sqrt(np.maximum(eigh(self.Ke, self.Me, eigvals_only=True), 0.0))

    @cached_property
    def amplitudes(self) -> np.ndarray:
        """For each coordinate, the value at which the body is displaced by a fiftieth of its size, in the mean over its mass."""
        size = np.sqrt(np.trace(self.P[0, 0]) / self.m)
        return 0.02 * size * np.sqrt(self.m / np.diag(self.Me))

    # -- the same body with other data ------------------------------------------------------------------------------------
    def damped(self, De: Any) -> ElasticBody:
        """With another damping matrix (see `elastic.damping`)."""
        return replace(self, De=np.array(De, dtype=float))

    def with_nodes(self, **nodes: Node) -> ElasticBody:
        return replace(self, nodes={**self.nodes, **nodes})

    def __str__(self) -> str:
        from dalembert.elastic.describe import describe

        return describe(self)
