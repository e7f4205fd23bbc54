"""Which modes matter [C IV]: how much of a body's mass each takes along when its frame is shaken, and the body with fewer modes.

With the frame moved at a unit along or about an axis, mode j is excited by L_j = ∫φ_j·(that motion) dm. Its effective mass is L_j²/M_j;
over all modes of a body it adds up to the mass (the inertia, about an axis) that can move relative to the frame. A mode with little of
it in every direction is not excited by what carries the body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalembert.cached import cached_property
from dalembert.elastic.body import ElasticBody
from dalembert.elastic.node import Node
from dalembert.elastic.tensors import axial
from dalembert.errors import ModelError

NOT_EXCITED = 1e-9
"""Part of the body's mass below which a mode is not excited by its frame."""
DIRECTIONS = ("x", "y", "z", "about x", "about y", "about z")


@dataclass(frozen=True, eq=False)
class ModeParticipation:
    """For each mode of vibration with the frame fixed, lowest first: frequency (Hz), participation and effective mass along x, y, z
    (kg) and about them (kg m²), about the frame's origin."""

    body: ElasticBody

    @cached_property
    def _shapes(self) -> tuple[np.ndarray, np.ndarray]:
        from scipy.linalg import eigh

        if not self.body.n:
            return np.zeros(0), np.zeros((0, 0))
        squares, V = eigh(self.body.Ke, self.body.Me)
        return np.asarray(squares), np.asarray(V)

    @property
    def frequencies(self) -> np.ndarray:
        """(n,), Hz."""
        return np.sqrt(np.maximum(self._shapes[0], 0.0)) / (2.0 * np.pi)

    @cached_property
    def factors(self) -> np.ndarray:
        """(n, 6): L of mass-normalised modes."""
        own = np.hstack([self.body.S[1:], axial(self.body.P[0, 1:])])
        return np.asarray(self._shapes[1].T @ own)

    @property
    def effective(self) -> np.ndarray:
        """(n, 6): effective masses and inertias."""
        return self.factors**2

    @property
    def total(self) -> np.ndarray:
        """(6,): mass and inertia of the whole body about the frame's origin."""
        J = np.trace(self.body.P[0, 0]) * np.eye(3) - self.body.P[0, 0]
        return np.concatenate([np.full(3, self.body.m), np.diag(J)])

    @property
    def parts(self) -> np.ndarray:
        """(n, 6): effective masses as parts of the whole; 0 about an axis without inertia."""
        total = self.total
        return np.asarray(self.effective / np.where(total > 0.0, total, np.inf))

    def __str__(self) -> str:
        head = ["mode", "Hz", *DIRECTIONS]
        rows = [
            [str(k + 1), f"{f:.4g}", *(f"{100 * x:.3g}" for x in row)]
            for k, (f, row) in enumerate(zip(self.frequencies, self.parts))
        ]
        rows.append(["all", "", *(f"{100 * x:.3g}" for x in self.parts.sum(axis=0))])
        widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
        lines = ["  ".join(x.rjust(w) for x, w in zip(row, widths)) for row in [head, *rows]]
        still = not self.parts.size or float(self.parts.max()) < NOT_EXCITED
        remark = (
            ["no mode is excited by its frame, as in Buckens' frame: look at it attached to a node"] if still else []
        )
        return "\n".join(["effective mass of each mode, % of the body's mass and inertia", *lines, *remark])


def participation(body: ElasticBody) -> ModeParticipation:
    """Frequencies, participation factors and effective masses of a body's modes: `print(da.elastic.participation(boom))`."""
    if not isinstance(body, ElasticBody):
        raise ModelError(f"participation: {body!r} is no elastic body; use one made by da.beam(…) or da.elastic")
    return ModeParticipation(body)


def truncated(body: ElasticBody, modes: int | Sequence[str]) -> ElasticBody:
    """The body with fewer modes: the lowest so many of its coordinates, or those named."""
    kept = _kept(body, modes)
    both = np.ix_(kept, kept)
    every = [0, *(k + 1 for k in kept)]

    def fewer(v: Node) -> Node:
        return Node.of(v.r, v.Phi[:, kept], v.Psi[:, kept], v.G[both], v.Gam[both])

    lumps, sections = body.lumps, body.sections
    return replace(
        body, S=body.S[every], P=body.P[np.ix_(every, every)], Ke=body.Ke[both], De=body.De[both], G0=body.G0[both],
        H=body.H[both], nodes={name: fewer(v) for name, v in body.nodes.items()}, outline=tuple(map(fewer, body.outline)),
        modes=tuple(body.modes[k] for k in kept), static_share={}, remarks=(),
        sections=None if sections is None else replace(sections, moments=sections.moments[..., kept], axial=sections.axial[:, kept]),
        slices=None if body.slices is None else body.slices.seen(fewer),
        lumps=None if lumps is None else replace(lumps, Phi=lumps.Phi[..., kept], Psi=lumps.Psi[..., kept]),
    )  # fmt: skip


def _kept(body: ElasticBody, modes: int | Sequence[str]) -> list[int]:
    """Places of the coordinates that stay, in their order."""
    if isinstance(modes, int) and not isinstance(modes, bool):
        if not 0 <= modes <= body.n:
            raise ModelError(f"truncated: {modes} modes are wanted of a body that has {body.n}")
        stiffness = np.diag(body.Ke) / np.diag(body.Me) if body.n else np.zeros(0)
        return sorted(np.argsort(stiffness, kind="stable")[:modes].tolist())
    names = list(modes) if isinstance(modes, Sequence) else [modes]
    unknown = [name for name in names if name not in body.modes]
    if unknown:
        raise ModelError(f"truncated: there is no mode {unknown[0]!r}; the body has {', '.join(body.modes)}")
    return [k for k, name in enumerate(body.modes) if name in names]
