"""Which of many contacts bear where more touch than is needed and some slide.

The forces that press are then not unique, and where what slides goes different ways, friction and the motion are not either. As many
contacts bear as are independent, under forces that press; the others touch and bear nothing until one of these is unloaded and another
one takes its place. The forces go over without a jump: the one leaves with nothing and the other comes with nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from dalembert.constraints.massless import mass_factor
from dalembert.constraints.nonsmooth.kinetics import Kinetics
from dalembert.kinematics.law_mode import ElementState, LawMode

DEPENDENT = 1e-9
"""Part of a row, in the metric of A⁻¹, that must stand apart from the rows before it for it to say something new."""
MOST_TRIED = 60
"""Sets of bearing contacts that are tried."""


def independent(k: Kinetics, rows: list[int]) -> list[int]:
    """Rows of laws, in order, that say something beside the loops and those before them."""
    return independent_rows(k.A, k.rows, k.n_loops, rows)


def independent_rows(A: np.ndarray, B: np.ndarray, n_loops: int, rows: list[int]) -> list[int]:
    """The same, with the mass matrix and all rows given, those of loops first."""
    Y = np.linalg.solve(mass_factor(A), B.T)
    basis: list[np.ndarray] = []

    def left(y: np.ndarray) -> np.ndarray:
        for _ in range(2):
            for b in basis:
                y = y - (b @ y) * b
        return y

    found = []
    for number in [*range(n_loops), *(n_loops + r for r in rows)]:
        y = Y[:, number]
        size = float(np.linalg.norm(y))
        rest = left(y / size) if size > 0.0 else y
        apart = float(np.linalg.norm(rest))
        if apart > DEPENDENT:
            basis.append(rest / apart)
            if number >= n_loops:
                found.append(number - n_loops)
    return found


def sets_without(k: Kinetics, mode: LawMode, p: np.ndarray) -> list[list[int]]:
    """Contacts to leave out, one list for every set of the others that could bear, those that press hardest first; none where all can
    bear, or where nothing rubs and it does not matter."""
    states = mode.states
    closed = [
        i
        for i, e in enumerate(k.elements)
        if e.normal is not None and states[i] in (ElementState.SLIP, ElementState.STICK)
    ]
    rubs = [i for i in closed if states[i] is ElementState.SLIP and k.elements[i].tangents and k.coefficient[i]]
    if not rubs:
        return []
    row = {i: int(k.elements[i].normal or 0) for i in closed}
    closed.sort(key=lambda i: (states[i] is not ElementState.STICK, -p[k.n_loops + row[i]]))
    count = len(independent(k, [row[i] for i in closed]))
    if count == len(closed):
        return []
    found = []
    for kept in itertools.islice(itertools.combinations(closed, count), MOST_TRIED):
        if len(independent(k, [row[i] for i in kept])) == count:
            found.append([i for i in closed if i not in kept])
    return found


def with_bearing(
    k: Kinetics, mode: LawMode, p: np.ndarray, without: Callable[[list[int]], tuple[LawMode, np.ndarray] | None]
) -> tuple[LawMode, np.ndarray] | None:
    """The mode with contacts that bear nothing, and all forces; None where no set of contacts bears by itself, or none needs to.

    `without(others)` gives mode and forces where these cannot press.
    """
    for others in sets_without(k, mode, p):
        found = without(others)
        if found is None:
            continue
        new, forces = found
        kept = [
            i
            for i, state in enumerate(mode.states)
            if state in (ElementState.SLIP, ElementState.STICK) and i not in others
        ]
        if any(new.state(i) is ElementState.OPEN for i in kept):
            continue
        first = new.enforced_rows()
        active = independent(k, first)
        for i in others:
            v = k.slip(i)
            speed = float(np.linalg.norm(v))
            new.set(i, ElementState.SLIP, v / speed if speed > 0.0 else mode.direction(i))
        new.settle(active, loose=len(active) < len(first))
        return new, forces
    return None
