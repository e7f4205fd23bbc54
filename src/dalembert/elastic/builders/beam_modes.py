"""Mode shapes of a beam: natural modes, and static shapes of loads at its ends that these do not hold.

Natural modes of a clamped beam have no bending moment at the tip and converge slowly where one acts, as it does between pieces welded
one to the next. With the static shape of that moment among them a few are enough. One shape by itself is that of a force at the
tip; two are those of a force and a moment, an exact beam element; of more, all but one are natural modes again. The coordinates
are the modes of vibration of what these shapes can do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dalembert.elastic.builders.beam_elements import BeamElements
from dalembert.elastic.builders.reduction import eigenmodes, independent, static_shapes, uncoupled
from dalembert.errors import ModelError

COMPONENTS = {"axial": (0,), "y": (1, 5), "z": (2, 4), "torsion": (3,)}
"""Freedoms of a node that take part in each kind of mode: bending in the planes of y and of z, torsion, stretching."""

SUPPORTS: dict[str, Sequence[tuple[int, int]]] = {
    "clamped": [(0, c) for c in range(6)],
    "pinned": [(0, 0), (0, 1), (0, 2), (0, 3), (-1, 1), (-1, 2)],
    "free": [],
}
"""Fixed (node, freedom) pairs while the modes are sought; with both ends' deflections fixed the frame is the chord."""

NATURAL = 0.01
"""Part by which a frequency may be off that counts as natural."""

PLAIN = 0.1
"""Part of the tip's largest displacement that is no rounding."""

STATIC = 0.005
"""Part of the deflection under a load at an end by which other shapes may miss it."""
ROUNDING = 1e-6
"""Part of a mode by which a share of kinetic energy may fall short of a whole one."""


@dataclass(frozen=True, eq=False)
class BeamModes:
    """Shapes F (N, n) over all freedoms, the names of their coordinates, the `static_share` of `ElasticBody`,
    and what is to be said of them."""

    F: np.ndarray
    names: tuple[str, ...]
    static_share: dict[str, tuple[float, ...]]
    said: str


def beam_modes(model: BeamElements, modes: int | Mapping[str, int], support: str, static: bool) -> BeamModes:
    """Modes of each kind, as many as are wanted."""
    shapes, said = [np.zeros((model.freedoms, 0))], []
    names: list[str] = []
    share = np.zeros(model.freedoms)
    for kind, components, count in _kinds(modes):
        F, natural = _of_kind(model, components, count, support, static, f"beam, modes {kind}")
        share = share + _static_share(model, components, F, support)
        shapes.append(F * _signs(model, F))
        names += [f"{kind}{i + 1}" for i in range(count)]
        said.append(f"{natural} of {count} {kind}")
    at_ends = {"root": tuple(share[:6].tolist()), "tip": tuple(share[-6:].tolist())}
    about = f"natural to {100 * NATURAL:g} % are of these frequencies the lowest {', '.join(said)}"
    return BeamModes(np.hstack(shapes), tuple(names), at_ends, about)


def _signs(model: BeamElements, F: np.ndarray) -> np.ndarray:
    """±1 for each shape, so that the tip moves along an axis, or turns about it where it does not move: the first that it does to a
    good part, with turns measured by the beam's length."""
    tip = F[-6:] * np.repeat([1.0, model.x[-1] - model.x[0]], 3)[:, None]
    much = np.abs(tip) >= PLAIN * np.abs(tip).max(axis=0)
    return np.where(tip[much.argmax(axis=0), range(F.shape[1])] < 0.0, -1.0, 1.0)


def _freedoms(model: BeamElements, components: Sequence[int], support: str) -> list[int]:
    """Those of a kind that the support leaves."""
    fixed = {(n % (model.count + 1), c) for n, c in SUPPORTS[support]}
    return [6 * i + c for i in range(model.count + 1) for c in components if (i, c) not in fixed]


def _static_share(model: BeamElements, components: Sequence[int], F: np.ndarray, support: str) -> np.ndarray:
    """For every freedom of the ends, the part of its displacement under a static load on it that uncoupled modes F of a kind have."""
    out, freedoms = np.zeros(model.freedoms), _freedoms(model, components, support)
    ends = [i for i in freedoms if i < 6 or i >= 6 * model.count]
    loads = np.zeros((model.freedoms, len(ends)))
    loads[ends, range(len(ends))] = 1.0
    exact = static_shapes(model.mass, model.stiffness, freedoms, loads, _rigid(model) if support == "free" else None)
    squares = np.einsum("ij,ij->j", F, model.stiffness @ F)
    out[ends] = np.sum(F[ends] ** 2 / squares, axis=1) / exact[ends, range(len(ends))]
    return out


def _kinds(modes: int | Mapping[str, int]) -> list[tuple[str, tuple[int, ...], int]]:
    """Name, freedoms and number of each kind of mode."""
    if not isinstance(modes, Mapping):
        return [("mode", tuple(range(6)), modes)]
    unknown = [k for k in modes if k not in COMPONENTS]
    if unknown:
        raise ModelError(f'beam: there are no modes "{unknown[0]}"; choose among {", ".join(COMPONENTS)}')
    return [(kind, COMPONENTS[kind], count) for kind, count in modes.items()]


def _of_kind(
    model: BeamElements, components: Sequence[int], count: int, support: str, static: bool, what: str
) -> tuple[np.ndarray, int]:
    """The shapes of one kind, and how many of the lowest frequencies are those of the beam."""
    M, K, freedoms = model.mass, model.stiffness, _freedoms(model, components, support)
    squares, natural = eigenmodes(M, K, freedoms, count, what)
    if not static:
        return natural, count
    loads = _end_loads(model, natural, components, freedoms)
    shapes = static_shapes(M, K, freedoms, loads, _rigid(model) if support == "free" else None)
    F = uncoupled(M, K, _chosen(K, shapes, natural, count))
    found = np.sqrt(np.einsum("ij,ij->j", F, K @ F))
    right = np.abs(found - squares) <= NATURAL * squares
    return F, count if right.all() else int(np.argmin(right))


def _chosen(K: np.ndarray, shapes: np.ndarray, natural: np.ndarray, count: int) -> np.ndarray:
    """Static shapes, and natural modes in the places that are left. A static shape gives way where the others hold it."""
    kept = list(range(shapes.shape[1]))
    for i in range(shapes.shape[1]):
        others = [k for k in kept if k != i]
        F = independent(K, np.hstack([shapes[:, others], natural]), count)
        load = K @ shapes[:, i]
        if np.sum((F.T @ load) ** 2) >= (1.0 - STATIC) * (shapes[:, i] @ load):
            kept = others
    return independent(K, np.hstack([shapes[:, kept], natural]), count)


def _end_loads(
    model: BeamElements, natural: np.ndarray, components: Sequence[int], freedoms: Sequence[int]
) -> np.ndarray:
    """Unit loads (N, l) on freedoms of the ends that are not fixed, forces before moments.

    A kind takes the place of no more natural modes than its strain energy has among those wanted.
    """
    columns: list[int] = []
    for of_kind in COMPONENTS.values():
        own = [c for c in of_kind if c in components]
        at = [6 * i + c for i in range(model.count + 1) for c in own]
        energies = np.einsum("ij,ij->j", natural[at], model.stiffness[np.ix_(at, at)] @ natural[at])
        whole = np.einsum("ij,ij->j", natural, model.stiffness @ natural)
        wanted = int(np.floor(np.sum(energies / whole) + 0.5 + ROUNDING))
        ends = [6 * i + c for c in own for i in (model.count, 0) if 6 * i + c in freedoms]
        columns += ends[:wanted]
    out = np.zeros((model.freedoms, len(columns)))
    out[columns, range(len(columns))] = 1.0
    return out


def _rigid(model: BeamElements) -> np.ndarray:
    """Translations and turns of the whole beam (N, 6)."""
    out = np.zeros((len(model.x), 6, 6))
    out[:, range(6), range(6)] = 1.0
    out[:, 1, 5], out[:, 2, 4] = model.x, -model.x
    return out.reshape(-1, 6)
