"""Regrouping of inertial parameters toward the base: the minimal set that the equations of motion of a tree can tell apart.

On a hinge's link, a mass on the axis and a moment of inertia that is the same about both axes across and nothing about the axis itself
act as if they belonged to the parent, whatever the angle. Taken from the link they leave it without mass, without first moment along
the axis and without second moment about y; and every product with these is saved. Accelerations, joint forces and the mass matrix are
the same; reactions and energies of the single bodies are not.
"""

from __future__ import annotations

import numpy as np

from dalembert.parts.joints import Revolute
from dalembert.recursive.links import Link
from dalembert.recursive.spatial_inertia import RigidInertia
from dalembert.trace import Expr
from dalembert.vectors import IDENTITY, ZERO


def grouped(links: tuple[Link, ...]) -> tuple[Link, ...]:
    """The links of a tree of rigid bodies with as much inertia as possible regrouped into their parents, from the tips on."""
    plain = [_plain(link) for link in links]
    m = np.array([link.inertia.m if ok else 0.0 for link, ok in zip(links, plain)], dtype=float)
    h = np.array([link.inertia.h if ok else ZERO for link, ok in zip(links, plain)], dtype=float)
    I = np.array([link.inertia.I if ok else 0.0 * IDENTITY for link, ok in zip(links, plain)], dtype=float)
    axis = np.array([link.E[:, 2] if ok else ZERO for link, ok in zip(links, plain)], dtype=float)
    p = np.array([link.p if ok else ZERO for link, ok in zip(links, plain)], dtype=float)
    # what 1 kg on the axis, 1 kg m along it and 1 kg m² across it are at the parent: rows of mass, first and second moments
    one, none = np.ones(len(links)), np.zeros(len(links))
    of_mass = _rows(one, p, _spread(p, p))
    of_first = _rows(none, axis, _spread(axis, p) + _spread(p, axis))
    of_second = _rows(none, 0.0 * axis, _spread(axis, axis))
    rows = _rows(m, h, I)
    for k in reversed(range(len(links))):
        J = links[k].parent - 1
        if not (plain[k] and _hinge(links[k]) and (J < 0 or plain[J])):
            continue
        row = rows[k]
        mass, z, yy = row[_M], row[_HZ], row[_IYY]
        if J >= 0:
            rows[J] += mass * of_mass[k] + z * of_first[k] + yy * of_second[k]
        row[_M] = row[_HZ] = row[_IYY] = 0.0
        row[_IXX] -= yy
    return tuple(
        link.but(inertia=RigidInertia(float(row[_M]), row[1:4], row[4:].reshape(3, 3))) if ok else link
        for link, row, ok in zip(links, rows, plain)
    )


_M, _HZ, _IXX, _IYY = 0, 3, 4, 8
"""Places in a row."""


def _rows(m: np.ndarray, h: np.ndarray, I: np.ndarray) -> np.ndarray:
    return np.hstack([m[:, None], h, I.reshape(-1, 9)])


def _spread(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(a·b) 1 − a bᵀ, of every pair."""
    return (a * b).sum(axis=1)[:, None, None] * IDENTITY - a[:, :, None] * b[:, None, :]


def _hinge(link: Link) -> bool:
    return isinstance(link.joint, Revolute) and link.joint.spins_about_z


def _plain(link: Link) -> bool:
    """Whether all that matters of it is numbers."""
    I = link.inertia
    arrays = (x for x in (I.h, I.I, link.E, link.p) if x.dtype == object)
    return type(I.m) is not Expr and not any(type(v) is Expr for x in arrays for v in x.flat)
