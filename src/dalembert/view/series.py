"""The numbers the page plots: coordinates, speeds, outputs, energies, gaps of the loops, reactions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import DalembertError
from dalembert.motion.motion import Motion
from dalembert.simulation.error_sizes import prescribed_units

if TYPE_CHECKING:
    from dalembert.kinematics.state import State

REACTIONS = 16
"""Number of joints beyond which reactions are computed only where they are asked for."""


@dataclass(frozen=True, eq=False)
class Chart:
    """One plot: named curves of one unit, (K, number of names)."""

    key: str
    title: str
    unit: str
    names: tuple[str, ...]
    values: np.ndarray


def charts(motion: Motion) -> list[Chart]:
    """All but the reactions."""
    return [
        *_by_unit("q", "Coordinates", *_coordinates(motion)),
        *_by_unit("u", "Speeds", motion.speeds, motion.speed_units, motion.u),
        *_by_unit("z", "States of elements", motion.states, motion.state_units, motion.z),
        *_outputs(motion),
        *_energies(motion),
        *_gaps(motion),
    ]


def _coordinates(motion: Motion) -> tuple[tuple[str, ...], tuple[str, ...], np.ndarray]:
    """Names, units and values, with those that are prescribed."""
    m = motion.mechanism
    assert m is not None
    given = tuple(m.prescribed)
    values = np.column_stack([motion.q, *(motion[name] for name in given)])
    return motion.coordinates + given, motion.coordinate_units + prescribed_units(m), values


def _by_unit(key: str, title: str, names: Sequence[str], units: Sequence[str], values: np.ndarray) -> list[Chart]:
    out = []
    for unit in dict.fromkeys(units):
        at = [i for i, own in enumerate(units) if own == unit]
        shown = f"{title} ({unit})" if unit and unit != "1" else title
        out.append(Chart(f"{key}:{unit}", shown, unit, tuple(names[i] for i in at), values[:, at]))
    return out


def _outputs(motion: Motion) -> list[Chart]:
    """What the model names, together where the unit is the same; those with three components each by themselves."""
    m = motion.mechanism
    assert m is not None
    named, found = m.plan.outputs, motion.outputs()
    single = {k: x for k, x in found.items() if x.ndim == 1}
    made = []
    for unit in dict.fromkeys(named[k].unit for k in single):
        names = [k for k in single if named[k].unit == unit]
        title = f"Outputs ({unit})" if unit else "Outputs"
        made.append(Chart(f"output:{unit}", title, unit, tuple(names), np.stack([single[k] for k in names], axis=1)))
    for k, x in found.items():
        if x.ndim == 2:
            unit = named[k].unit
            parts = ("x", "y", "z") if x.shape[1] == 3 else tuple(str(i + 1) for i in range(x.shape[1]))
            made.append(Chart(f"output:{k}", f"{k} ({unit})" if unit else k, unit, parts, x))
    return made


def _energies(motion: Motion) -> list[Chart]:
    e = motion.energy()
    rows = np.stack([e.kinetic, e.potential, e.total], axis=1)
    change = (e.total - e.total[0])[:, None]
    return [
        Chart("energy", "Energy (J)", "J", ("kinetic", "potential", "total"), rows),
        Chart("energy_change", "Change of total energy (J)", "J", ("total − first",), change),
    ]


def _gaps(motion: Motion) -> list[Chart]:
    """|g| of every closed loop and of every constraint on places: what the solution leaves open."""
    m = motion.mechanism
    assert m is not None
    of = m.rows
    holonomic = {name: d.constraint for name, d in m.constraint_rows.items() if of.holonomic[of.of_owner(name)].all()}
    if not holonomic:
        return []
    sizes: list[int] = []

    def residuals(s: State) -> list[object]:
        parts = [list(c.residual(s)) for c in holonomic.values()]
        sizes[:] = [len(p) for p in parts]
        return [x for p in parts for x in p]

    rows = motion.evaluate(residuals)
    ends = np.cumsum([0, *sizes])
    gaps = np.stack([np.linalg.norm(rows[:, a:b], axis=1) for a, b in pairwise(ends)], axis=1)
    return [Chart("gap", "Gap of the loops (m, rad)", "m", tuple(holonomic), gaps)]


@dataclass(frozen=True, eq=False)
class Reactions:
    """Force and torque on the child of each joint in world axes, (K, joints, 3); a note on what is missing or not unique."""

    joints: tuple[str, ...]
    force: np.ndarray
    torque: np.ndarray
    note: str = ""


def reactions(motion: Motion, joints: Sequence[str] | None) -> Reactions:
    """Reactions of the joints named; of all where none are named and they are few."""
    m = motion.mechanism
    assert m is not None
    every = [*(j.name for j in m.joints), *(c.name for c in m.cuts)]
    wanted = list(joints) if joints is not None else every if len(every) <= REACTIONS else []
    none = np.zeros((len(motion), 0, 3))
    if not wanted:
        note = f'left out: there are {len(every)} joints; name those wanted with page(…, reactions=["{every[0]}"])'
        return Reactions((), none, none, note if joints is None else "")
    try:
        found = [motion.reaction(name) for name in wanted]
    except DalembertError as problem:
        if joints is not None:
            raise
        return Reactions((), none, none, str(problem))
    alike: dict[str, list[str]] = {}
    for name, wrench in zip(wanted, found):
        if not wrench.determined.all():
            alike.setdefault(wrench.note, []).append(name)
    note = " ".join(f"{', '.join(names)}: {words}" for words, names in alike.items())
    return Reactions(tuple(wanted), np.stack([x.force for x in found], 1), np.stack([x.torque for x in found], 1), note)
