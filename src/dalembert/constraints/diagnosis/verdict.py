"""The verdict of a diagnosis in words: rows, freedoms, and what each row resists."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dalembert.kinematics.state import State
from dalembert.vectors import cross
from dalembert.words import counted, listed, shown

ROUGH = 1e-10
"""Residual, by the row's scale, from which on it is said that redundant rows do not agree to the last digit."""
NO_FORCE = 1e-9
"""Force of a row below which it resists turning only."""
ALONG_AXIS = 1e-6
"""Amount by which the cosine between a direction and an axis may fall short of 1 for it to be called by the axis."""


@dataclass(frozen=True, eq=False)
class Row:
    """One row: the joint or constraint it belongs to, what it resists in words, and whether its reaction is determined."""

    owner: str
    resists: str
    determined: bool
    axes: str = ""
    """The body whose frame of the joint the axes named are those of; nothing for constraints besides joints."""


@dataclass(frozen=True, eq=False)
class Freedom:
    """One way the mechanism can still move: the joints that take part and the elastic bodies that deform, most mobile first."""

    joints: tuple[str, ...]
    bodies: tuple[str, ...] = ()

    def __str__(self) -> str:
        joints = "moves joint" if len(self.joints) == 1 else "moves joints"
        parts = [(joints, self.joints), ("deforms", self.bodies)]
        return " and ".join(f"{verb} {listed(names)}" for verb, names in parts if names)


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """The verdict, with `str()` as plain words."""

    rows: tuple[Row, ...]
    """Number of constraint rows."""
    rank: int
    """Number of independent rows."""
    mobility: int
    """Number of freedoms."""
    grubler: int
    """Grübler's count, which may be wrong for redundant constraints."""
    independent: tuple[int, ...]
    """Rows that together say all, chosen for the best conditioning at the worst of the poses."""
    freedoms: tuple[Freedom, ...]
    poses: int
    rank_here: int
    """At the given pose; less than `rank` where that is singular."""
    shaky: bool
    """Whether the pose gives way only infinitesimally: rows are dependent in it, but no other pose can be reached."""
    driven: bool
    """Whether time itself moves it."""
    norms: np.ndarray
    """Largest norm of every row in the metric of the inverse mass matrix at any of the poses; 0 where the row is nothing."""
    sizes: np.ndarray
    """Scale of every row, as the given pose shows it: see `constraint_rows.row_scales`."""
    off: float = 0.0
    """The largest residual of a row at any of the poses, by the row's scale: more than rounding where digits are few."""

    @property
    def _moves(self) -> str:
        if self.mobility:
            return f"has {counted(self.mobility, 'freedom')}"
        return "has no freedom of its own: time moves it" if self.driven else "is locked: nothing can move"

    def _axes(self, owner: str) -> str:
        """In words, where a row names an axis."""
        body = next(r.axes for r in self.rows if r.owner == owner)
        return f" (axes of its frame on {body})" if body else ""

    @property
    def redundant(self) -> int:
        """How many rows say nothing new."""
        return len(self.rows) - self.rank

    def __str__(self) -> str:
        lines = [f"The mechanism {self._moves} (Grübler's count gives {self.grubler})."]
        if self.shaky:
            lines.append(
                f"{'Part of it' if self.mobility else 'It'} is shaky: its rows do not resist a small displacement of this pose, yet no "
                "other pose can be reached."
            )
        elif self.rank_here < self.rank:
            lines.append(
                f"The pose is singular: only {self.rank_here} of its rows are independent here, so that "
                f"{counted(self.rank - self.rank_here, 'further direction')} of motion cannot be distinguished, and nothing says which "
                "way it goes on. Start a little beside it."
            )
        if self.rows:
            have = "has" if len(self.rows) == 1 else "have"
            lines.append(f"Its {counted(len(self.rows), 'closure and constraint row')} {have} rank {self.rank}.")
        if self.redundant:
            lines.append(
                f"{counted(self.redundant, 'row')} too many: the motion is unique all the same, but some reactions are not."
            )
            if self.off > ROUGH:
                lines.append(
                    f"They agree to {self.off:.1g} of the mechanism's size only, as where lengths have few digits, and are taken to."
                )
            for owner in dict.fromkeys(r.owner for r in self.rows if not r.determined):
                words = [r.resists for r in self.rows if r.owner == owner and not r.determined]
                known = [r.resists for r in self.rows if r.owner == owner and r.determined]
                kept = f"; determined there: {', '.join(known)}" if known else ""
                lines.append(
                    f'  "{owner}" is over-constrained against {", ".join(words)}{self._axes(owner)}: these reactions are not '
                    f"unique{kept}."
                )
        for i, freedom in enumerate(self.freedoms, start=1):
            lines.append(f"Freedom {i} {freedom}.")
        return "\n".join(lines)


def resisted(state: State, name: str) -> list[str]:
    """What each row of a constraint resists: of a joint, in the axes of its parent frame."""
    m = state.mechanism
    cut = next((c for c in m.cuts if c.name == name), None)
    if cut is None:
        return [m.rows.condition(k) for k in m.rows.of_owner(name)]
    d = m.constraint_rows[name]
    _, _, C, _ = d.values(state)
    parent, child = m.frame_of(cut.parent, cut.on_parent), m.frame_of(cut.child, cut.on_child)
    frame, on = (child, cut.on_child) if child in d.bodies else (parent, cut.on_parent)
    at, pose = 6 * d.bodies.index(frame), state.poses[frame]
    axes = state.poses[parent].R @ cut.on_parent.rotation
    out = []
    for row in C[:, at : at + 6]:
        force = row[3:]
        moment = row[:3] - cross(pose.R @ on.position, force)
        if np.linalg.norm(force) > NO_FORCE:
            out.append(f"shifting along {_axis(axes.T @ force)}")
        else:
            out.append(f"turning about {_axis(axes.T @ moment)}")
    return out


def _axis(direction: np.ndarray) -> str:
    unit = direction / np.linalg.norm(direction)
    for name, e in zip("xyz", np.eye(3)):
        if abs(abs(unit @ e) - 1.0) < ALONG_AXIS:
            return name
    return "(" + ", ".join(shown(round(x, 3), 3) for x in unit) + ")"
